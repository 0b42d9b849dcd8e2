//! The procedures of the dissertation `[D]` as plans for estimates. Each file is a family; a plan depends on the kind
//! of the coprocessors, for the schemes of CP2 and of graphics processors differ. `counted` makes plans of other
//! workloads, from a run of them.

mod convolution;
mod counted;
mod fft;
mod kernel;
mod multigrid;
mod size;
mod sparse;

use crate::inputs::{Inputs, LabError};
use crate::key::nearest;
use crate::plan::Plan;

pub use counted::CountedWorkload;
pub use multigrid::{BENCHMARK_POINTS, operator_points};
pub use sparse::matrix_of;

/// Procedure of the dissertation `[D]` whose rate can be estimated, such as an FFT: its name and description, and the
/// function that makes its [`Plan`], the loops with the bytes and operations of an iteration of each.
#[derive(Clone, Copy, Debug)]
pub struct EstimatedProcedure {
    /// Name of the procedure, as `cp2 estimate` takes it.
    pub name: &'static str,
    /// Description of the procedure, in one line.
    pub what: &'static str,
    /// Keys of the numbers that the procedure takes beside those of the system, as text for people.
    pub takes: &'static str,
    scheme: Scheme,
}

/// Way in which the plan of a procedure is made.
#[derive(Clone, Copy, Debug)]
enum Scheme {
    /// Function that makes the plan.
    Of(fn(&Inputs) -> Result<Plan, LabError>),
    /// The procedure is an operator of multigrid, told by its name.
    Operator,
}

const fn operator(name: &'static str, what: &'static str) -> EstimatedProcedure {
    EstimatedProcedure { name, what, takes: "work.n", scheme: Scheme::Operator }
}

/// All procedures whose rate can be estimated, in the order in which lists show them.
pub const ALL: [EstimatedProcedure; 12] = [
    EstimatedProcedure {
        name: "fft",
        what: "FFT: vectors on CP2, a box N1 x N2 x N3 on GPUs",
        takes: "work.n, work.n1, work.vectors; GPUs work.n1 to n3",
        scheme: Scheme::Of(fft::plan),
    },
    EstimatedProcedure {
        name: "convolution",
        what: "convolution of vectors with a filter of their length",
        takes: "work.n, work.vectors",
        scheme: Scheme::Of(convolution::plan),
    },
    operator("resid", "operator of multigrid on CP2: residual"),
    operator("proj", "operator of multigrid on CP2: projection"),
    operator("interp", "operator of multigrid on CP2: interpolation, added"),
    operator("interp0", "operator of multigrid on CP2: interpolation"),
    operator("smooth", "operator of multigrid on CP2: smoother, added"),
    operator("smooth0", "operator of multigrid on CP2: smoother"),
    EstimatedProcedure {
        name: "mg",
        what: "NPB MG: on CP2, on M processors, on GPUs",
        takes: "work.n, work.processors, work.resid_mops; GPUs work.n1 to n3",
        scheme: Scheme::Of(multigrid::plan),
    },
    EstimatedProcedure {
        name: "spmv",
        what: "sparse matrix times vector",
        takes: "work.rows, work.nonzeros, work.slice_rows",
        scheme: Scheme::Of(sparse::spmv),
    },
    EstimatedProcedure {
        name: "cg",
        what: "an iteration of conjugate gradients",
        takes: "as spmv",
        scheme: Scheme::Of(sparse::cg),
    },
    EstimatedProcedure {
        name: "kernel",
        what: "a kernel alone, from a count of cycles",
        takes: "work.operations, work.cycles",
        scheme: Scheme::Of(kernel::plan),
    },
];

/// Returns the procedure of this name, and the inputs with which it is estimated. A number behind the name, as in
/// `fft8192`, is set as `work.n` in these; else they are a copy of `inputs`.
///
/// # Errors
/// There is no such procedure, and the message names the nearest; or `work.n` does not take the number.
pub fn find(name: &str, inputs: &Inputs) -> Result<(EstimatedProcedure, Inputs), LabError> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let named = |name: &str| ALL.into_iter().find(|known| known.name == name);
    let mut inputs = inputs.clone();
    if let Some(known) = named(name) {
        return Ok((known, inputs));
    }
    let Some(known) = named(stem) else {
        let near = nearest(name, ALL.iter().map(|known| known.name));
        let all = ALL.map(|known| known.name).join(", ");
        return LabError::of(format!(
            "there is no procedure `{name}` to estimate, the nearest is {near}; there are {all}"
        ));
    };
    inputs.apply_set(&format!("work.n={}", &name[stem.len()..]))?;
    Ok((known, inputs))
}

impl EstimatedProcedure {
    /// Makes the plan of the procedure, its loops with the bytes and operations of an iteration of each, for the system
    /// and the sizes of the work in `inputs`.
    ///
    /// # Errors
    /// A number that the procedure needs is not given, or it does not take the given sizes.
    pub fn plan(&self, inputs: &Inputs) -> Result<Plan, LabError> {
        match self.scheme {
            Scheme::Of(plan) => plan(inputs),
            Scheme::Operator => multigrid::operator(self.name, inputs),
        }
    }
}
