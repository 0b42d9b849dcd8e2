//! Errors of programs and their runs, from a program's text to its results, and the kinds of errors.

use crate::arrays::Problem;
use crate::error::KernelError;
use crate::program::{EntryError, ProgramError};
use crate::promises::Broken;
use cp2_emu::End;
use cp2_emu::state_json::StateError;
use cp2_isa::machine::ConfigError;
use cp2_recording::checkpoint::CheckpointError;
use std::fmt;

/// The kind of an [`Error`] or a [`KernelError`]: what was wrong, in the large. Exit codes of commands, words in JSON
/// and exceptions of other languages follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A check of a program that runs has found something, such as a broken promise.
    Check,
    /// The parts of a request, such as options, do not go together.
    Usage,
    /// A program, a file or an array is not as it should be.
    Input,
    /// The program that ran on CP2 did something that has no meaning (a fault).
    Guest,
    /// The run reached its limit of cycles before its end.
    Limit,
    /// The caller or a user asked the run to end.
    Cancelled,
    /// An error of this library or program itself.
    Internal,
}

impl ErrorKind {
    /// All kinds of errors, in the order of the variants.
    pub const ALL: [Self; 7] = [
        Self::Check,
        Self::Usage,
        Self::Input,
        Self::Guest,
        Self::Limit,
        Self::Cancelled,
        Self::Internal,
    ];

    /// Returns the name of the kind in JSON, such as `input`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Usage => "usage",
            Self::Input => "input",
            Self::Guest => "guest",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }

    /// Returns the exit code of a command that ends with an error of this kind, such as 3 for [`ErrorKind::Input`].
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Check => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Guest => 4,
            Self::Limit => 5,
            Self::Cancelled => 130,
            Self::Internal => 70,
        }
    }
}

/// The reason why no checkpoint is made of a run of a program, or a run does not go on from one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointRefusal {
    /// The checkpoint is damaged, or of another run.
    Read(CheckpointError),
    /// The checkpoint cannot be made, because its parts cannot be packed into bytes.
    Packed {
        /// Message of the function that packs the parts of a checkpoint.
        reason: String,
    },
    /// The run is checked, recorded or profiled; a checkpoint holds nothing of what a check, a recording or a profile
    /// knows.
    Watched,
}

impl fmt::Display for CheckpointRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Packed { reason } => write!(f, "the checkpoint cannot be made: {reason}"),
            Self::Watched => f.write_str(
                "a checkpoint cannot hold the state of a check, a recording or a profile; run without these",
            ),
        }
    }
}

/// An error of making a program, of running it, or of taking its results.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file or a text gave no program that can run.
    Program(ProgramError),
    /// The program has no such kernel, label or address to start at.
    Entry(EntryError),
    /// The program was made for another core than the one that it is to run on.
    Core,
    /// The text of a machine file describes no machine.
    Machine(ConfigError),
    /// A state file has a value that the core does not have a place for.
    State(StateError),
    /// An argument or an array is unknown, missing or does not fit.
    Array(Problem),
    /// The run is to be checked, and the program comes from a `.hex` file, which cannot tell what linear code promises.
    NoPromises,
    /// The array of this name or address was asked for after the run, but not before it
    /// ([`Setup::store`](crate::Setup::store)).
    NoArray(String),
    /// No checkpoint can be made of a run, or the run cannot go on from one.
    Checkpoint(CheckpointRefusal),
    /// A kernel or a procedure of a workload failed.
    Kernel(KernelError),
    /// The run broke a promise of linear code, and ended there.
    Promise(Box<Broken>),
    /// The run did not end by a `stop`, but by a fault, the limit of cycles or an interruption.
    End(Box<End>),
}

impl Error {
    /// Returns the kind of the error, which decides the exit code.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Program(_)
            | Self::Entry(_)
            | Self::Machine(_)
            | Self::State(_)
            | Self::Array(_)
            | Self::Checkpoint(CheckpointRefusal::Read(_)) => ErrorKind::Input,
            Self::Core
            | Self::NoPromises
            | Self::NoArray(_)
            | Self::Checkpoint(CheckpointRefusal::Watched) => ErrorKind::Usage,
            Self::Checkpoint(CheckpointRefusal::Packed { .. }) => ErrorKind::Internal,
            Self::Promise(_) => ErrorKind::Check,
            Self::Kernel(error) => error.kind(),
            Self::End(end) => kind_of(end),
        }
    }
}

/// Returns the kind of an end that is no `stop`.
fn kind_of(end: &End) -> ErrorKind {
    match end {
        End::Fault(_) => ErrorKind::Guest,
        End::CycleLimit(_) => ErrorKind::Limit,
        End::Interrupted => ErrorKind::Cancelled,
        End::Stopped(_) => ErrorKind::Internal,
    }
}

impl KernelError {
    /// Returns the kind of the error, which decides the exit code.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Run(end) => kind_of(end),
            Self::ChannelLimit(_) => ErrorKind::Limit,
            Self::Stopped { .. } => ErrorKind::Cancelled,
            Self::Promise(_) | Self::Unchecked(_) => ErrorKind::Check,
            Self::Assembly(_) | Self::Object(_) | Self::Internal(_) => ErrorKind::Internal,
            _ => ErrorKind::Input,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => error.fmt(f),
            Self::Entry(error) => error.fmt(f),
            Self::Core => f.write_str(
                "the program was made for another core than this one; make it for the core of the setup",
            ),
            Self::NoPromises => f.write_str(
                "`.hex` has no promises, so that a run of it cannot be checked; give the source or an object",
            ),
            Self::Machine(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
            Self::Array(problem) => problem.fmt(f),
            Self::NoArray(place) => write!(
                f,
                "{place}: this array was not requested; request it before the run with `Setup::store`"
            ),
            Self::Checkpoint(refusal) => refusal.fmt(f),
            Self::Kernel(error) => error.fmt(f),
            Self::Promise(broken) => broken.fmt(f),
            Self::End(end) => match end.as_ref() {
                End::Stopped(code) => write!(f, "the program stopped with code {code}"),
                End::Interrupted => f.write_str("the run was interrupted"),
                End::CycleLimit(limit) => {
                    write!(f, "the program did not stop within {limit} cycles")
                }
                End::Fault(fault) => fault.fmt(f),
            },
        }
    }
}

impl std::error::Error for Error {}

impl From<ProgramError> for Error {
    fn from(error: ProgramError) -> Self {
        Self::Program(error)
    }
}

impl From<EntryError> for Error {
    fn from(error: EntryError) -> Self {
        Self::Entry(error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Machine(error)
    }
}

impl From<StateError> for Error {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Array(problem)
    }
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Self {
        Self::Kernel(error)
    }
}
