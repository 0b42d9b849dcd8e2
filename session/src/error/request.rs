//! Errors in a request to a workload.

use std::fmt;

/// The part of a request that a workload cannot honour. Each variant names the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The core or the machine lacks an extension.
    Extension {
        /// The workload.
        workload: String,
        /// Extensions that the workload needs, with commas between.
        needed: String,
        /// The machine, by its name, or the core that lacks the extensions.
        on: String,
        /// Lines of a machine file that turn the extensions on, and what runs without them; empty where nothing does.
        advice: String,
    },
    /// The workload has no problem class of this name.
    Class {
        /// The workload.
        workload: &'static str,
        /// Name of the class that was asked for.
        class: String,
        /// Names of the classes that there are.
        classes: &'static [&'static str],
    },
    /// Two options that do not go together, as a sentence.
    Options(&'static str),
    /// A procedure was given no machine.
    NoMachine,
    /// The code of the workload is made for each input, so that it has no text of its own.
    NoText(String),
    /// The workload is a procedure, which has no text but those of its kernels.
    Procedure(String),
    /// An array of several that belong together is missing.
    MissingArray {
        /// The workload.
        workload: String,
        /// Names of all arrays that the workload takes.
        takes: Vec<&'static str>,
        /// Name of the array that is missing.
        missing: &'static str,
    },
    /// An element of an input array that is NaN or infinite.
    NotFinite {
        /// The array.
        array: &'static str,
        /// The value, as it is written.
        value: String,
        /// Index of the element along each axis.
        index: Vec<usize>,
    },
    /// A coefficient of a filter that is NaN or infinite.
    Filter {
        /// Index of the element.
        element: usize,
        /// The value, as it is written.
        value: String,
    },
}

impl RequestError {
    /// Creates the error of a core that lacks an extension that a workload needs.
    pub fn lacking(workload: &str, needed: &str) -> Self {
        let (workload, needed) = (workload.to_owned(), needed.to_owned());
        Self::Extension { workload, needed, on: "the core".to_owned(), advice: String::new() }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extension { workload, needed, on, advice } => write!(
                f,
                "{workload} needs the extension {needed}, which {on} has not; run it with --enable {needed}{advice}"
            ),
            Self::Class { workload, class, classes } => {
                write!(f, "{workload} has no class {class}; it has {}", classes.join(", "))
            }
            Self::Options(message) => f.write_str(message),
            Self::NoMachine => f.write_str("a procedure needs a machine"),
            Self::NoText(name) => {
                write!(f, "{name} has no source of its own: its code is made for each matrix")
            }
            Self::Procedure(name) => write!(
                f,
                "{name} is no kernel but a procedure, which runs kernels on a whole machine: `cp2 kernels run {name} --machine vm7`"
            ),
            Self::MissingArray { workload, takes, missing } => {
                write!(f, "{workload} takes {}; {missing} is not given", takes.join(", "))
            }
            Self::NotFinite { array, value, index } => {
                write!(f, "{array} has {value} at {index:?}; inputs are finite")
            }
            Self::Filter { element, value } => write!(
                f,
                "filter, element {element} is {value}; the filter must be finite; --non-finite lets it through"
            ),
        }
    }
}

impl std::error::Error for RequestError {}
