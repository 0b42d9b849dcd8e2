//! Errors of a kernel that runs on a user's data.

mod channel;
mod checkpoint;
mod request;
mod vector;

pub use channel::ChannelError;
pub use checkpoint::KeepingError;
pub use request::RequestError;
pub use vector::VectorError;

use crate::npy::NpyError;
use crate::numbers;
use crate::promises::Broken;
use crate::sparse::SparseError;
use cp2_asm::AssemblyError;
use cp2_asm::object_file::ObjectError;
use cp2_emu::End;
use cp2_isa::Bytes;
use num_complex::Complex32;
use std::fmt;

/// An error of a host procedure; each names the value and the limit.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelError {
    /// No kernel has this length.
    Length {
        /// Points asked for.
        points: usize,
        /// Lengths that exist.
        allowed: String,
    },
    /// The input is not a whole number of vectors.
    Size {
        /// Values given.
        values: usize,
        /// Values of one vector.
        points: usize,
    },
    /// More vectors in one run than local memory holds.
    Batch {
        /// Vectors asked for.
        batch: usize,
        /// Vectors that fit.
        largest: usize,
    },
    /// A kernel on blocks does not take this block, these operands or these coefficients.
    Block {
        /// Kernel.
        kernel: &'static str,
        /// The value that was given.
        given: String,
        /// The values that are allowed.
        allowed: String,
    },
    /// A parameter of a kernel is out of its limits.
    Parameter {
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: usize,
        /// Values that the number may have.
        limit: String,
    },
    /// A NaN or an infinity in the input.
    NotFinite {
        /// Vector, from 0.
        vector: usize,
        /// Element of the vector, from 0.
        element: usize,
        /// The value.
        value: String,
    },
    /// An error in a sparse matrix, or in a vector for it.
    Sparse(SparseError),
    /// An error in vectors.
    Vector(VectorError),
    /// An error in an array file.
    Npy(NpyError),
    /// The workload cannot honour the request.
    Request(RequestError),
    /// The array of results cannot be written.
    Output {
        /// The file.
        path: String,
        /// Message of the system.
        reason: String,
    },
    /// An array has not the shape that a workload takes.
    Shape {
        /// The option that gave the array.
        flag: &'static str,
        /// Shape of the array, as NumPy writes it.
        shape: String,
        /// Shapes that are taken.
        takes: String,
    },
    /// System memory is too small for the arrays.
    Memory {
        /// Bytes that the arrays and the descriptors need.
        needed: Bytes,
        /// Bytes of the machine's system memory.
        size: Bytes,
    },
    /// The DMA channel did not do what the procedure asked for.
    Channel(ChannelError),
    /// The host waited for the DMA channel longer than this limit of cycles.
    ChannelLimit(u64),
    /// The core has too little of something that a kernel cannot do without.
    Missing {
        /// The kernel.
        kernel: String,
        /// The resource of which there is too little.
        resource: &'static str,
        /// Amount of the resource that is needed.
        needed: usize,
        /// Amount of the resource that there is.
        available: usize,
    },
    /// The fixed order of a kernel's operations does not fit the latencies of the core.
    Pattern {
        /// The kernel.
        kernel: String,
        /// The condition that goes wrong.
        reason: &'static str,
        /// The longest phase that was tried, in bundles.
        tried: usize,
    },
    /// The kernel's own text does not assemble: an error of this program.
    Assembly(Box<AssemblyError>),
    /// A program does not go into a recording.
    Object(ObjectError),
    /// A part that was made beforehand is missing or wrong: an error of this program, in a sentence.
    Internal(&'static str),
    /// The arguments of a kernel break what the kernel promises of them.
    Promise(Box<Broken>),
    /// The kernel did not stop by itself.
    Run(Box<End>),
    /// A checkpoint cannot be read or written.
    Checkpoint(KeepingError),
    /// Somebody wanted the run to stop.
    Stopped {
        /// Cycles that are done.
        cycles: u64,
        /// Whether there is a checkpoint.
        keeps: bool,
    },
}

impl KernelError {
    /// Refuses a core that has less of a resource than a kernel needs.
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

    /// Refuses vectors of `points` points of which one has a part that is not finite.
    ///
    /// # Errors
    /// The first such number.
    pub fn require_finite(points: usize, input: &[Complex32]) -> Result<(), Self> {
        let Some(i) = numbers::first_odd(input) else { return Ok(()) };
        let (vector, element) = (i / points.max(1), i % points.max(1));
        Err(Self::NotFinite { vector, element, value: input[i].to_string() })
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { points, allowed } => {
                write!(f, "no FFT kernel for {points} points; there are {allowed}")
            }
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
                write!(f, "{what} {value}: it must be {limit}")
            }
            Self::NotFinite { vector, element, value } => write!(
                f,
                "vector {vector}, element {element} is {value}; the input must be finite; --non-finite lets it through"
            ),
            Self::Shape { shape, takes, .. } => {
                write!(f, "the array has shape {shape}; {takes}")
            }
            Self::Sparse(error) => error.fmt(f),
            Self::Vector(error) => error.fmt(f),
            Self::Npy(error) => error.fmt(f),
            Self::Request(error) => error.fmt(f),
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
            Self::Pattern { kernel, reason, tried } => write!(
                f,
                "{kernel} has no order of bundles for these latencies: {reason}, with up to {tried} bundles in a phase"
            ),
            Self::Assembly(failure) => {
                write!(f, "a kernel of this program does not assemble:\n{failure}")
            }
            Self::Object(error) => error.fmt(f),
            Self::Internal(message) => write!(f, "an error of this program: {message}"),
            Self::Promise(broken) => write!(f, "the kernel's arguments: {broken}"),
            Self::Checkpoint(error) => write!(f, "the checkpoint: {error}"),
            Self::Stopped { cycles, keeps } => write_stopped(f, *cycles, *keeps),
            Self::Run(end) => write_end(f, end),
        }
    }
}

/// Writes that somebody stopped the run, and what can be done then.
fn write_stopped(f: &mut fmt::Formatter<'_>, cycles: u64, keeps: bool) -> fmt::Result {
    let then = match keeps {
        true => "--resume goes on from the checkpoint",
        false => "nothing is kept, --checkpoint would have kept it",
    };
    write!(f, "stopped after {cycles} cycles; {then}")
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
