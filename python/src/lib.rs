//! The native part of the package `cp2` for Python, on the library that programs embed. The package in `package/cp2` gives its
//! names, types and documents; this crate converts, and computes nothing itself.
//!
//! - `guard`: the border to the libraries: panics, Ctrl-C, threads, forks; `errors`: their errors as exceptions;
//! - `environment`: what calls share;
//! - `values`, `arrays`, `table`: plain objects, arrays of NumPy, tables of Arrow;
//! - `watch`: long work with its progress; `options`, `workloads`: workloads by name; `report`, `studies`: what studies tell;
//! - `builder`: linear code under construction, for `cp2.Kernel`, which is written in Python;
//! - `machine`, `switch`, `program`, `result`, `schedule`, `recording`, `events`: the classes of programs and their runs;
//!   `pictures`: what notebooks draw.

#![expect(clippy::needless_pass_by_value, reason = "Python hands arguments over by value")]

mod arrays;
mod builder;
mod environment;
mod errors;
mod guard;
mod machine;
mod options;
mod pictures;
mod program;
mod recording;
mod report;
mod result;
mod schedule;
mod studies;
mod table;
mod values;
mod watch;
mod workloads;

/// Native part of the package `cp2`.
#[pyo3::pymodule(name = "_native")]
mod cp2_native {
    #[pymodule_export]
    use crate::builder::{_operations, LinearTextObject};
    #[pymodule_export]
    use crate::guard::panic_on_request;
    #[pymodule_export]
    use crate::machine::MachineObject;
    #[pymodule_export]
    use crate::machine::switch::{SwitchObject, switches};
    #[pymodule_export]
    use crate::program::{ProgramObject, assemble, load, schedule};
    #[pymodule_export]
    use crate::recording::RecordingObject;
    #[pymodule_export]
    use crate::report::ReportObject;
    #[pymodule_export]
    use crate::result::RunObject;
    #[pymodule_export]
    use crate::schedule::ScheduleObject;
    #[pymodule_export]
    use crate::studies::{estimate, roofline, sensitivity, sweep, whatif};
    #[pymodule_export]
    use crate::table::TableObject;
    #[pymodule_export]
    use crate::workloads::{WorkloadRunObject, kernels, run, source};
}
