//! Errors of the libraries as exceptions of Python. The classes are written in Python, in `cp2/_errors.py`; the kind of an error
//! chooses the class.

use cp2_analysis::accounting::AccountError;
use cp2_asm::diagnostic::{Diagnostic, Severity, Sources};
use cp2_asm::render::{Style, render, render_all};
use cp2_isa::machine::ConfigError;
use cp2_lab::inputs::LabError;
use cp2_recording::RecordingError;
use cp2_session::arrays::Problem;
use cp2_session::{Error, ErrorKind, KernelError, ProgramError, Refusal};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt;

/// The reason why a call from Python fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of a library: its kind and its sentence.
    Told(ErrorKind, String),
    /// A text that the assembler refuses, with its diagnostics.
    Refused(Box<Refusal>),
    /// An exception that Python raised itself, such as by Ctrl-C or in a callback.
    Raised(PyErr),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(_, message) => f.write_str(message),
            Self::Refused(refusal) => {
                let text = render_all(&refusal.diagnostics, &refusal.sources, Style::Plain);
                f.write_str(text.trim_end())
            }
            Self::Raised(error) => error.fmt(f),
        }
    }
}

/// Returns the failure of wrong input, with a sentence.
pub(crate) fn input(message: impl Into<String>) -> Failure {
    Failure::Told(ErrorKind::Input, message.into())
}

/// Returns the failure of a call whose parts do not go together, with a sentence.
pub(crate) fn usage(message: impl Into<String>) -> Failure {
    Failure::Told(ErrorKind::Usage, message.into())
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::Refused(refusal) => Self::Refused(refusal),
            other => input(other.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Program(error) => error.into(),
            Error::Kernel(error) => error.into(),
            // The place is an option of the command, such as `--load x=x`; here it is an item of an argument.
            Error::Array(Problem { place, message }) => {
                let place = place.trim_start_matches("--").split('=').next().unwrap_or_default();
                input(format!("{place}: {message}"))
            }
            other => Self::Told(other.kind(), other.to_string()),
        }
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Program(error) if matches!(*error, ProgramError::Refused(_)) => {
                (*error).into()
            }
            other => Self::Told(other.kind(), other.to_string()),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        Self::Told(error.kind, error.message)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        input(error.problems.join("\n"))
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        input(error.to_string())
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        input(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Raised(error) => error,
            Failure::Told(kind, message) => raise(kind.name(), &message, None),
            Failure::Refused(refusal) => {
                let Refusal { diagnostics, sources } = *refusal;
                let text = render_all(&diagnostics, &sources, Style::Plain);
                raise("assembly", text.trim_end(), Some((&diagnostics, &sources)))
            }
        }
    }
}

/// Returns the exception of a kind.
pub(crate) fn raise(
    kind: &str,
    message: &str,
    refused: Option<(&[Diagnostic], &Sources)>,
) -> PyErr {
    Python::attach(|py| {
        let make = || {
            let module = py.import("cp2._errors")?;
            let class = module.getattr("BY_KIND")?.get_item(kind)?;
            match refused {
                None => class.call1((message,)),
                Some((all, sources)) => class.call1((message, diagnostics(py, all, sources)?)),
            }
        };
        make().map_or_else(|error| error, PyErr::from_value)
    })
}

/// Returns diagnostics as a list of `cp2.Diagnostic`.
pub(crate) fn diagnostics<'py>(
    py: Python<'py>,
    all: &[Diagnostic],
    sources: &Sources,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("cp2._errors")?.getattr("Diagnostic")?;
    let one = |d: &Diagnostic| {
        let at = d.span.as_ref().map(|span| (sources.name(span.file), sources.line_column(span)));
        let fields = PyDict::new(py);
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        fields.set_item("code", d.code)?;
        fields.set_item("severity", severity)?;
        fields.set_item("message", &d.message)?;
        fields.set_item("file", at.map(|(file, _)| file))?;
        fields.set_item("line", at.map(|(_, (line, _))| line))?;
        fields.set_item("column", at.map(|(_, (_, column))| column))?;
        fields.set_item("help", d.help.as_deref())?;
        fields.set_item("text", render(d, sources, Style::Plain).trim_end())?;
        class.call((), Some(&fields))
    };
    all.iter().map(one).collect()
}
