//! What can go wrong when a kernel runs on a user's data.

use crate::promises::Broken;
use crate::sparse::SparseError;
use cp2_emu::End;
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
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: String,
    },
    /// A parameter of a kernel is out of its limits.
    Parameter {
        /// Which.
        what: &'static str,
        /// Its value.
        value: usize,
        /// What it may be.
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
    /// A sparse matrix, or a vector for it.
    Sparse(SparseError),
    /// The array file is not what the kernel takes.
    Array(String),
    /// An array has not the shape that a workload takes.
    Shape {
        /// The option that gave the array.
        flag: &'static str,
        /// Its shape, as NumPy writes it.
        shape: String,
        /// What is taken.
        takes: String,
    },
    /// System memory is too small for the arrays.
    Memory {
        /// Bytes that the arrays and the descriptors need.
        needed: u64,
        /// Bytes that the machine has.
        size: u64,
    },
    /// The DMA channel did not do what the procedure asked for.
    Channel(String),
    /// The host waited for the DMA channel longer than this limit of cycles.
    ChannelLimit(u64),
    /// The core has too little of something that a kernel cannot do without.
    Missing {
        /// The kernel.
        kernel: String,
        /// What there is too little of.
        resource: &'static str,
        /// How much it takes.
        needed: usize,
        /// How much there is.
        available: usize,
    },
    /// The fixed order of a kernel's operations does not fit the latencies of the core.
    Pattern {
        /// The kernel.
        kernel: String,
        /// What goes wrong.
        reason: &'static str,
        /// The longest phase that was tried, in bundles.
        tried: usize,
    },
    /// The kernel's own text does not assemble: an error of this program.
    Assembly(String),
    /// The arguments of a kernel break what it promises of them.
    Promise(Box<Broken>),
    /// The kernel did not stop by itself.
    Run(Box<End>),
    /// A checkpoint cannot be read or written: a sentence.
    Checkpoint(String),
    /// Somebody wanted the run to stop.
    Stopped {
        /// Cycles that are done.
        cycles: u64,
        /// There is a checkpoint.
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
            Self::Array(message) => f.write_str(message),
            Self::Memory { needed, size } => write!(
                f,
                "the arrays need {needed} bytes of system memory and the machine has {size}; give fewer vectors, or more with memory.size_mib"
            ),
            Self::ChannelLimit(limit) => {
                write!(f, "the DMA channel was not done within {limit} cycles; raise --max-cycles")
            }
            Self::Channel(message) => write!(f, "the DMA channel: {message}"),
            Self::Missing { kernel, resource, needed, available } => {
                write!(f, "{kernel} needs {needed} {resource}; this core has {available}")
            }
            Self::Pattern { kernel, reason, tried } => write!(
                f,
                "{kernel} has no order of bundles for these latencies: {reason}, with up to {tried} bundles in a phase"
            ),
            Self::Assembly(message) => {
                write!(f, "a kernel of this program does not assemble:\n{message}")
            }
            Self::Promise(broken) => write!(f, "the kernel's arguments: {broken}"),
            Self::Checkpoint(message) => write!(f, "the checkpoint: {message}"),
            Self::Stopped { cycles, keeps: true } => {
                write!(f, "stopped after {cycles} cycles; --resume goes on from the checkpoint")
            }
            Self::Stopped { cycles, keeps: false } => write!(
                f,
                "stopped after {cycles} cycles; nothing is kept, --checkpoint would have kept it"
            ),
            Self::Run(end) => match end.as_ref() {
                End::Stopped(code) => write!(f, "the kernel stopped with code {code}"),
                End::Interrupted => f.write_str("the run was interrupted"),
                End::CycleLimit(limit) => {
                    write!(f, "the kernel did not stop within {limit} cycles; raise --max-cycles")
                }
                End::Fault(fault) => write!(f, "{fault}"),
            },
        }
    }
}

impl std::error::Error for KernelError {}

impl From<SparseError> for KernelError {
    fn from(error: SparseError) -> Self {
        Self::Sparse(error)
    }
}
