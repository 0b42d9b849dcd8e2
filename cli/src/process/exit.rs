//! Exit codes, the same for every command.

use cp2_lab::inputs::LabError;
use cp2_session::ErrorKind;
use std::process::ExitCode;

/// End of a command, which gives its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All well.
    Success,
    /// A check found something.
    Check,
    /// The arguments do not go together.
    Usage,
    /// The input is not what it should be.
    BadInput,
    /// The program that ran did what has no meaning.
    Guest,
    /// The limit of cycles was reached.
    Limit,
    /// A bug of cp2.
    Internal,
    /// SIGINT ended the command.
    Interrupt,
    /// The reader of the output went away, as a shell tells of SIGPIPE.
    Pipe,
    /// SIGTERM ended the command.
    Terminate,
    /// A program of the control processor ended with this code.
    Program(u8),
}

impl Exit {
    /// Returns the exit code, the number that a shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Check => 1,
            Self::Usage => 2,
            Self::BadInput => 3,
            Self::Guest => 4,
            Self::Limit => 5,
            Self::Internal => 70,
            Self::Interrupt => 130,
            Self::Pipe => 141,
            Self::Terminate => 143,
            Self::Program(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Failure of a command, with its message, which is empty if another process has told it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    /// Returns the message without what stands before all of them.
    pub(crate) fn plain(&self) -> String {
        self.message.trim_start_matches("cp2: error: ").to_owned()
    }
}

impl From<Failure> for LabError {
    fn from(failure: Failure) -> Self {
        let plain = failure.plain();
        let error = match plain == failure.message {
            true => Self::of_diagnostics(plain),
            false => Self::new(plain),
        };
        error.with_kind(match failure.exit {
            Exit::Check => ErrorKind::Check,
            Exit::Usage => ErrorKind::Usage,
            Exit::Guest => ErrorKind::Guest,
            Exit::Limit => ErrorKind::Limit,
            Exit::Interrupt | Exit::Terminate => ErrorKind::Cancelled,
            Exit::Internal => ErrorKind::Internal,
            Exit::Success | Exit::BadInput | Exit::Pipe | Exit::Program(_) => ErrorKind::Input,
        })
    }
}

impl From<cp2_session::Error> for Failure {
    fn from(error: cp2_session::Error) -> Self {
        Self { exit: error.kind().into(), message: format!("cp2: error: {error}") }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Check => Self::Check,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Input => Self::BadInput,
            ErrorKind::Guest => Self::Guest,
            ErrorKind::Limit => Self::Limit,
            ErrorKind::Cancelled => Self::Interrupt,
            _ => Self::Internal,
        }
    }
}

/// Result of a command.
pub(crate) type Outcome<T = Exit> = Result<T, Failure>;

/// Returns a failure caused by the input: `cp2: error: ...`.
pub(crate) fn bad_input(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::BadInput, message: format!("cp2: error: {message}") }
}

/// Returns a failure caused by wrong usage: `cp2: error: ...`.
pub(crate) fn usage(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::Usage, message: format!("cp2: error: {message}") }
}

/// Writes a line to standard error. Where that cannot be written, nothing more can be said.
pub(crate) fn complain(text: impl std::fmt::Display) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
