//! Exit codes, the same for every command.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All well.
    Success = 0,
    /// A check found something.
    Check = 1,
    /// The arguments do not go together.
    Usage = 2,
    /// The input is not what it should be.
    BadInput = 3,
    /// The program that ran did what has no meaning.
    Guest = 4,
    /// The limit of cycles was reached.
    Limit = 5,
    /// A bug of cp2.
    Internal = 70,
    /// SIGINT ended it.
    Interrupt = 130,
    /// The reader of its output went away, as a shell tells of SIGPIPE.
    Pipe = 141,
    /// SIGTERM ended it.
    Terminate = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure with its message.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

/// Result of a command.
pub(crate) type Outcome<T = Exit> = Result<T, Failure>;

/// A failure caused by the input: `cp2: error: ...`.
pub(crate) fn bad_input(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::BadInput, message: format!("cp2: error: {message}") }
}

/// Wrong usage: `cp2: error: ...`.
pub(crate) fn usage(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::Usage, message: format!("cp2: error: {message}") }
}

/// A line for standard error. Where that cannot be written, nothing more can be said.
pub(crate) fn complain(text: impl std::fmt::Display) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
