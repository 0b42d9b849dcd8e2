//! Reasons why code of threads is not written.

use crate::sets::SetError;

/// Reason why a nest is not written in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeRefusal {
    /// The library of sets gives no answer.
    Sets(SetError),
    /// The nest has one thread.
    Sequential,
    /// The language lacks what the nest needs; what that is.
    Lacks(String),
}

impl From<SetError> for CodeRefusal {
    fn from(error: SetError) -> Self {
        Self::Sets(error)
    }
}

impl std::fmt::Display for CodeRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sets(error) => error.fmt(f),
            Self::Sequential => {
                f.write_str("the nest has one thread, so there is no parallel code")
            }
            Self::Lacks(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for CodeRefusal {}
