//! `cp2 cluster run cg`.

use super::{
    Complex, Printed, alone, assumptions, complex, failure, grid_of, print, processes, write_goal,
};
use crate::args::cluster::ClusterCg;
use crate::input::program;
use crate::process::exit::{Outcome, usage};
use cp2_cluster_procedures::{
    ClusterCgProblem, ClusterCgReport, ClusterCgRun, OneProcessor, ProcessGrid, run_cg,
};
use cp2_kernels::sparse::matrices::CgClass;
use cp2_procedures::cg::{CG_SEGMENTS, SegmentedCg};
use cp2_session::execution::Execution;
use std::sync::Arc;

/// Points along an axis that any number of processors divides: that of CG is checked by itself.
const ANY: usize = 1 << 16;

pub(super) fn run(arguments: &ClusterCg) -> Outcome {
    let choice = &arguments.run;
    let class = CgClass::from_name(&arguments.class).ok_or_else(|| {
        let names = CgClass::ALL.map(|(name, _)| name).join(", ");
        usage(format!("--class {}: cg has the classes {names}", arguments.class))
    })?;
    let grid = grid_of(choice, ANY)?;
    if grid.processes() > CG_SEGMENTS {
        let given = grid.processes();
        let told = format!("a vector of cg has {CG_SEGMENTS} segments; it takes that many at most");
        return Err(usage(format!("--processors: {given}: {told}")));
    }
    let Complex { file, topology, config, options, checkpoints } = complex(choice, grid.counts)?;
    let segmented = Arc::new(SegmentedCg::new(&config, class)?);
    let shelf = Arc::default();
    let mut problem =
        ClusterCgProblem { problem: segmented, topology, config, options, checkpoints, shelf };
    let environment = program::environment(choice.cache);
    let execution = environment.execution(*problem.config.core());
    // The matrix is the same for all that have the same class and machine.
    let told = (class, &problem.config, &problem.checkpoints, &problem.topology);
    let processes = processes::join(choice.mpi, &told, &problem.topology)?;
    problem.options.transport = processes.transport.clone();
    let run = run_cg(&problem, &execution).map_err(failure);
    let run = match processes.first_only(run)? {
        Ok(run) => run,
        Err(exit) => return Ok(exit),
    };
    (problem.options.transport, problem.checkpoints) = (None, None);
    write_goal(choice, &run.events)?;
    let one = if choice.compare { Some(compared(&problem, &run, &execution)?) } else { None };
    let assumptions = assumptions(choice, &file);
    let report = ClusterCgReport { problem, run, topology: file.name, assumptions, one };
    let printed =
        if choice.json { Printed::Json(report.to_json()) } else { Printed::Text(report.text()) };
    print(&printed, report.is_verified())
}

/// Runs the class on one processor.
fn compared(
    problem: &ClusterCgProblem,
    run: &ClusterCgRun,
    execution: &Execution,
) -> Outcome<OneProcessor> {
    let topology = alone(ProcessGrid { counts: [1; 3] })?;
    let alone = ClusterCgProblem { topology, ..problem.clone() };
    let found = run_cg(&alone, execution).map_err(failure)?;
    let bits = |run: &ClusterCgRun| -> (Vec<u32>, Vec<u64>) {
        let solution = run.solution(&problem.problem).into_iter().map(f32::to_bits).collect();
        let sums = run.zetas().iter().chain(run.residuals()).map(|sum| sum.to_bits()).collect();
        (solution, sums)
    };
    Ok(OneProcessor { ms: found.end().ms(), is_same: Some(bits(&found) == bits(run)) })
}
