//! Errors of requests to workloads: what a user asks of a kernel or a procedure.

use std::fmt;

/// The reason why a workload, a kernel or a procedure, cannot do what a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The core or the machine lacks an extension that the workload needs.
    Extension {
        /// Name of the workload.
        workload: String,
        /// Names of the extensions that the workload needs, with commas between.
        needed: String,
        /// Name of the machine that lacks the extensions, or words for the core, such as `this core`.
        on: String,
        /// Rest of the message: lines of a machine file that turn the extensions on, and what runs without them. Empty
        /// if there is nothing to advise.
        advice: String,
    },
    /// The workload has no problem class of this name; a class is a fixed size of an NPB benchmark, such as `A`.
    Class {
        /// Name of the workload.
        workload: &'static str,
        /// Name of the class that was asked for.
        class: String,
        /// Names of the classes that there are.
        classes: &'static [&'static str],
    },
    /// Options or a file describe no task; the text is the message.
    Task(String),
    /// Two options that do not go together were given; the text is the message.
    Options(&'static str),
    /// A procedure is to run, and the request has no machine.
    NoMachine,
    /// The workload of this name makes its code for each input, so that it has no text of its own to show.
    NoText(String),
    /// The program in the file of this name is an object, which has no text of its own to show.
    NoSource(String),
    /// The workload of this name is a procedure, which has no text of its own to show, and needs a machine to run.
    Procedure(String),
    /// The option has only some of the arrays that belong together, and one is missing.
    MissingArray {
        /// Name of the workload.
        workload: String,
        /// Names of all arrays that the workload takes.
        takes: Vec<String>,
        /// Name of the array that is missing.
        missing: String,
    },
    /// An element of an input array is NaN or infinite.
    NotFinite {
        /// Name of the array.
        array: String,
        /// Value of the element, as text.
        value: String,
        /// Index of the element along each axis, from 0.
        index: Vec<usize>,
    },
    /// A coefficient of the filter of a convolution is NaN or infinite.
    Filter {
        /// Index of the coefficient, from 0.
        element: usize,
        /// Value of the coefficient, as text.
        value: String,
    },
}

impl RequestError {
    /// Creates the error of a core that lacks an extension: `workload` is the name of the workload, `needed` the names
    /// of the extensions that it needs, with commas between.
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
                "{workload} needs the extension {needed}, which {on} does not have; give --enable {needed}{advice}"
            ),
            Self::Class { workload, class, classes } => {
                write!(f, "{workload} has no class {class}; its classes are {}", classes.join(", "))
            }
            Self::Task(message) => f.write_str(message),
            Self::Options(message) => f.write_str(message),
            Self::NoMachine => f.write_str("a procedure needs a machine"),
            Self::NoText(name) => {
                write!(f, "{name} has no source: its code is made for each matrix")
            }
            Self::NoSource(name) => {
                write!(
                    f,
                    "{name} is an object, which has no source; `cp2 dis {name}` disassembles it"
                )
            }
            Self::Procedure(name) => write!(
                f,
                "{name} is not a kernel but a procedure, which needs a machine: `cp2 kernels run {name} --machine vm7`"
            ),
            Self::MissingArray { workload, takes, missing } => {
                write!(f, "{workload} needs {}; {missing} is missing", takes.join(", "))
            }
            Self::NotFinite { array, value, index } => {
                write!(f, "{array} has {value} at {index:?}; the input must be finite")
            }
            Self::Filter { element, value } => write!(
                f,
                "filter, element {element} is {value}; the filter must be finite; --non-finite lets it through"
            ),
        }
    }
}

impl std::error::Error for RequestError {}
