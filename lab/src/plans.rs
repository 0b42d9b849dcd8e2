//! The procedures of the source work as plans. Each file is a family; a plan depends on what the coprocessors
//! are, for the schemes of CP2 and of graphics processors differ.

mod convolution;
mod fft;
mod kernel;
mod multigrid;
mod size;
mod sparse;

use crate::inputs::{Inputs, LabError};
use crate::key::nearest;
use crate::plan::Plan;

pub use multigrid::{BENCHMARK_POINTS, operator_points};
pub use sparse::matrix_of;

/// Procedure that can be estimated.
#[derive(Clone, Copy, Debug)]
pub struct EstimatedProcedure {
    /// Name of the procedure.
    pub name: &'static str,
    /// Description of the procedure, in one line.
    pub what: &'static str,
    /// Keys of the numbers that the procedure takes, in short.
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

/// Procedures that can be estimated.
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

/// Returns the procedure of this name, and the inputs with the size behind the name, as in `fft8192`.
///
/// # Errors
/// No such procedure, the message names the nearest; a size that `work.n` does not take.
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
    /// Makes the plan of the procedure with these inputs.
    ///
    /// # Errors
    /// What the procedure needs and is not given, or sizes that it does not take.
    pub fn plan(&self, inputs: &Inputs) -> Result<Plan, LabError> {
        match self.scheme {
            Scheme::Of(plan) => plan(inputs),
            Scheme::Operator => multigrid::operator(self.name, inputs),
        }
    }
}
