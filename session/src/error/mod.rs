//! Errors of kernels and procedures that run on a user's data.

mod channel;
mod checkpoint;
mod request;
mod vector;

pub use channel::ChannelError;
pub use checkpoint::KeepingError;
pub use request::RequestError;
pub use vector::VectorError;

use crate::arrays::Problem;
use crate::npy::NpyError;
use crate::numbers;
use crate::program::error::{EntryError, ProgramError};
use crate::promises::Broken;
use crate::sparse::SparseError;
use cp2_asm::AssemblyError;
use cp2_asm::object_file::ObjectError;
use cp2_emu::End;
use cp2_isa::Bytes;
use num_complex::Complex32;
use std::fmt;

/// An error of a kernel or a procedure, from its request to its results. Most variants tell the value that was refused
/// and the limit.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelError {
    /// There is no transform of this length.
    Length {
        /// Number of points of the transform that was asked for.
        points: usize,
        /// Lengths of transforms that there are, as text for the message.
        allowed: String,
    },
    /// The number of input values is 0, or no multiple of the length of a vector.
    Size {
        /// Number of input values that were given.
        values: usize,
        /// Number of values of one vector.
        points: usize,
    },
    /// More vectors are asked for in one run of a kernel than local memory holds.
    Batch {
        /// Number of vectors that were asked for in one run.
        batch: usize,
        /// Largest number of vectors that one bank of local memory holds.
        largest: usize,
    },
    /// A kernel that works on a block of a grid does not take this block, these operands or these coefficients.
    Block {
        /// Name of the kernel.
        kernel: &'static str,
        /// Description of what was given, for the message.
        given: String,
        /// Description of what the kernel takes, for the message.
        allowed: String,
    },
    /// A parameter of a kernel is out of its limits.
    Parameter {
        /// Name of the parameter.
        what: &'static str,
        /// Value of the parameter.
        value: usize,
        /// Values that the parameter may have, as text that follows `it must be`.
        limit: String,
    },
    /// The input has a NaN or an infinity.
    NotFinite {
        /// Number of the vector that has the element, from 0.
        vector: usize,
        /// Number of the element in the vector, from 0.
        element: usize,
        /// Value of the element, NaN or infinite, as text.
        value: String,
    },
    /// A sparse matrix, or a vector that it is multiplied by, is refused.
    Sparse(SparseError),
    /// The vectors or the scalar of a vector operation are refused.
    Vector(VectorError),
    /// A `.npy` file cannot be read or written.
    Npy(NpyError),
    /// The workload cannot do what the request asks for.
    Request(RequestError),
    /// The results could not be checked; the message says why.
    Unchecked(String),
    /// The array of results cannot be written.
    Output {
        /// Path of the file to which the array was to be written.
        path: String,
        /// Message of the operating system that says why it cannot be written.
        reason: String,
    },
    /// An array has another shape than the workload takes.
    Shape {
        /// Name of the option that gave the array, without dashes.
        option: &'static str,
        /// Shape of the array that was given, as NumPy writes it.
        shape: String,
        /// Shapes that the workload takes, as the rest of a message.
        takes: String,
    },
    /// The text in a file is not what the workload takes.
    Text {
        /// Name of the option that named the file, without dashes.
        option: &'static str,
        /// Place and reason.
        reason: String,
    },
    /// System memory is too small for the arrays.
    Memory {
        /// Number of bytes that the arrays and the descriptors need.
        needed: Bytes,
        /// Number of bytes of the machine's system memory.
        size: Bytes,
    },
    /// The DMA channel did not do what the procedure asked for.
    Channel(ChannelError),
    /// The host waited for the DMA channel longer than this limit of cycles.
    ChannelLimit(u64),
    /// The core has less of a resource, such as registers or words of memory, than a kernel needs.
    Missing {
        /// Name of the kernel.
        kernel: String,
        /// Name of the resource, such as `bundles of instruction memory`.
        resource: &'static str,
        /// Amount of the resource that the kernel needs.
        needed: usize,
        /// Amount of the resource that the core has.
        available: usize,
    },
    /// Kernels have more bundles than instruction memory can have at all; how many is not known, since the assembler stops
    /// where memory ends.
    TooLong {
        /// Name of the kernels.
        kernel: String,
        /// Number of bundles that instruction memory can have.
        available: usize,
    },
    /// The fixed order in which a kernel's generator places operations does not fit the latencies of the core.
    Pattern {
        /// Name of the kernel.
        kernel: String,
        /// Condition on the order of operations that could not be met.
        reason: &'static str,
        /// Number of bundles of the longest phase of the kernel that was tried.
        tried: usize,
    },
    /// A user's program for a workload cannot be made.
    Program(Box<ProgramError>),
    /// A user's program for a workload has no such kernel, label or address to start at.
    Entry(EntryError),
    /// An argument or an array of a user's workload is unknown, missing or does not fit.
    Array(Problem),
    /// The text of a kernel of this program does not assemble, which is an error of this program.
    Assembly(Box<AssemblyError>),
    /// A program cannot be written as an object, so that no recording can keep it.
    Object(ObjectError),
    /// A part that this program has prepared itself is missing or wrong, which is an error of this program; with a
    /// sentence that says what.
    Internal(&'static str),
    /// The arguments of a kernel break what its linear code promises of them.
    Promise(Box<Broken>),
    /// The run of a kernel did not end by a `stop`: a fault, the limit of cycles, or an interruption.
    Run(Box<End>),
    /// A checkpoint cannot be written, or the run cannot go on from one.
    Checkpoint(KeepingError),
    /// The run was asked to stop, for instance by a signal, and has stopped.
    Stopped {
        /// Number of cycles since reset after which the run stopped.
        cycles: u64,
        /// Whether there is a checkpoint from which the run can go on.
        keeps: bool,
        /// Work that was done, as a sentence such as `lanes had begun with 5 of 9 contexts`, if the workload tells it.
        reached: Option<String>,
    },
}

impl KernelError {
    /// Refuses a core that has less of a resource than a kernel needs. `kernel` and `resource` are names for the
    /// message; `needed` and `available` are amounts of the resource.
    ///
    /// # Errors
    /// [`KernelError::Missing`] if `available` is less than `needed`.
    pub fn require(
        kernel: &str,
        resource: &'static str,
        needed: usize,
        available: usize,
    ) -> Result<(), Self> {
        if needed <= available {
            return Ok(());
        }
        Err(Self::Missing { kernel: kernel.to_owned(), resource, needed, available })
    }

    /// Returns how many times what the core has of a resource would be needed; infinity where the amount is not known.
    pub fn shortage(&self) -> f64 {
        match self {
            Self::Missing { needed, available, .. } => *needed as f64 / *available as f64,
            _ => f64::INFINITY,
        }
    }

    /// Whether the machine lacks what the work needs in the form in which it was tried: another form of it may need less.
    pub fn is_lack_of_resources(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::TooLong { .. }
                | Self::Pattern { .. }
                | Self::Batch { .. }
                | Self::Block { .. }
                | Self::Memory { .. }
        )
    }

    /// Refuses input vectors that have a NaN or an infinity. `points` is the number of elements of a vector; the
    /// vectors stand one behind the other in `input`.
    ///
    /// # Errors
    /// [`KernelError::NotFinite`] for the first such element.
    pub fn require_finite(points: usize, input: &[Complex32]) -> Result<(), Self> {
        let Some(i) = numbers::first_non_finite(input) else { return Ok(()) };
        let (vector, element) = (i / points.max(1), i % points.max(1));
        Err(Self::NotFinite { vector, element, value: input[i].to_string() })
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { points, allowed } => write!(
                f,
                "there is no FFT kernel for {points} points; the kernels are for {allowed}"
            ),
            Self::Size { values, points } => write!(
                f,
                "{values} values are not a whole, positive number of vectors of {points} points"
            ),
            Self::Batch { batch, largest } => write!(
                f,
                "{batch} vectors per run do not fit: one bank of local memory holds at most {largest}"
            ),
            Self::Block { kernel, given, allowed } => {
                write!(f, "{kernel} does not take {given}; it takes {allowed}")
            }
            Self::Parameter { what, value, limit } => {
                write!(f, "{what} is {value}; it must be {limit}")
            }
            Self::NotFinite { vector, element, value } => write!(
                f,
                "vector {vector}, element {element} is {value}; the input must be finite; --non-finite lets it through"
            ),
            Self::Text { reason, .. } => f.write_str(reason),
            Self::Shape { shape, takes, .. } => write!(f, "the array has shape {shape}; {takes}"),
            Self::Sparse(error) => error.fmt(f),
            Self::Vector(error) => error.fmt(f),
            Self::Npy(error) => error.fmt(f),
            Self::Request(error) => error.fmt(f),
            Self::Unchecked(message) => f.write_str(message),
            Self::Output { path, reason } => write!(f, "cannot write {path}: {reason}"),
            Self::Memory { needed, size } => write!(
                f,
                "the arrays need {needed} bytes of system memory and the machine has {size}; give fewer vectors, or more with memory.size_mib"
            ),
            Self::ChannelLimit(limit) => {
                write!(f, "the DMA channel was not done within {limit} cycles; raise --max-cycles")
            }
            Self::Channel(error) => write!(f, "the DMA channel: {error}"),
            Self::Missing { kernel, resource, needed, available } => {
                write!(f, "{kernel} needs {needed} {resource}; this core has {available}")
            }
            Self::TooLong { kernel, available } => write_too_long(f, kernel, *available),
            Self::Pattern { kernel, reason, tried } => write_pattern(f, kernel, reason, *tried),
            Self::Program(error) => error.fmt(f),
            Self::Entry(error) => error.fmt(f),
            Self::Array(problem) => problem.fmt(f),
            Self::Assembly(e) => write!(f, "a kernel of this program does not assemble:\n{e}"),
            Self::Object(error) => error.fmt(f),
            Self::Internal(message) => write!(f, "internal error: {message}"),
            Self::Promise(broken) => write!(f, "the kernel's arguments: {broken}"),
            Self::Checkpoint(error) => write!(f, "the checkpoint: {error}"),
            Self::Stopped { cycles, keeps, reached } => {
                write_stopped(f, (*cycles, *keeps), reached.as_deref())
            }
            Self::Run(end) => write_end(f, end),
        }
    }
}

/// Writes that a kernel is longer than any instruction memory.
fn write_too_long(f: &mut fmt::Formatter<'_>, kernel: &str, available: usize) -> fmt::Result {
    write!(f, "{kernel} needs more than the {available} bundles that instruction memory can have")
}

/// Writes that a kernel cannot be made for the latencies of a core.
fn write_pattern(
    f: &mut fmt::Formatter<'_>,
    kernel: &str,
    reason: &str,
    tried: usize,
) -> fmt::Result {
    write!(
        f,
        "{kernel} has no order of bundles for these latencies: {reason}, with up to {tried} bundles in a phase"
    )
}

/// Writes that somebody stopped the run, and what can be done then.
fn write_stopped(
    f: &mut fmt::Formatter<'_>,
    (cycles, keeps): (u64, bool),
    reached: Option<&str>,
) -> fmt::Result {
    let then = match keeps {
        true => "--resume continues from the checkpoint",
        false => "its state is lost; give --checkpoint to keep it",
    };
    let reached = reached.map_or_else(String::new, |reached| format!(", when {reached}"));
    write!(f, "stopped after {cycles} cycles{reached}; {then}")
}

/// Writes the reason why a kernel did not stop by itself.
fn write_end(f: &mut fmt::Formatter<'_>, end: &End) -> fmt::Result {
    match end {
        End::Stopped(code) => write!(f, "the kernel stopped with code {code}"),
        End::Interrupted => f.write_str("the run was interrupted"),
        End::CycleLimit(limit) => {
            write!(f, "the kernel did not stop within {limit} cycles; raise --max-cycles")
        }
        End::Fault(fault) => write!(f, "{fault}"),
    }
}

impl std::error::Error for KernelError {}

impl From<SparseError> for KernelError {
    fn from(error: SparseError) -> Self {
        Self::Sparse(error)
    }
}

impl From<NpyError> for KernelError {
    fn from(error: NpyError) -> Self {
        Self::Npy(error)
    }
}

impl From<RequestError> for KernelError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<KeepingError> for KernelError {
    fn from(error: KeepingError) -> Self {
        Self::Checkpoint(error)
    }
}

impl From<ObjectError> for KernelError {
    fn from(error: ObjectError) -> Self {
        Self::Object(error)
    }
}

impl From<ChannelError> for KernelError {
    fn from(error: ChannelError) -> Self {
        Self::Channel(error)
    }
}

impl From<VectorError> for KernelError {
    fn from(error: VectorError) -> Self {
        Self::Vector(error)
    }
}
