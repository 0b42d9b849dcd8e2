//! `cp2 cluster run fft`.

use super::{
    Complex, Printed, alone, assumptions, complex, failure, grid_of, print, processes, write_goal,
};
use crate::args::cluster::ClusterFft;
use crate::input::program;
use crate::process::exit::Outcome;
use cp2_cluster_procedures::{
    ClusterFftProblem, ClusterFftReport, ClusterFftRun, OneProcessor, ProcessGrid, fixed_sequence,
    run_fft,
};
use cp2_procedures::spatial::Sizes;
use cp2_session::execution::Execution;
use std::sync::Arc;

/// Points along an axis that any number of processors divides: blocks of the FFT are checked by itself.
const ANY: usize = 1 << 16;

pub(super) fn run(arguments: &ClusterFft) -> Outcome {
    let choice = &arguments.run;
    let grid = grid_of(choice, ANY)?;
    let Complex { file, topology, config, options, checkpoints } = complex(choice, grid.counts)?;
    let sizes = Sizes(arguments.sizes);
    // Sizes that are refused have no array.
    let points = if sizes.check().is_ok() { sizes.points() } else { 0 };
    let mut problem = ClusterFftProblem {
        sizes,
        inverse: arguments.inverse,
        input: Arc::new(fixed_sequence(points)),
        topology,
        config,
        options,
        checkpoints,
        shelf: Arc::default(),
    };
    let environment = program::environment(choice.cache);
    let execution = environment.execution(*problem.config.core());
    // The input is the same for all that have the same sizes.
    let told = (sizes, problem.inverse, &problem.config, &problem.checkpoints, &problem.topology);
    let processes = processes::join(choice.mpi, &told, &problem.topology)?;
    problem.options.transport = processes.transport.clone();
    let run = run_fft(&problem, &execution).map_err(failure);
    let run = match processes.first_only(run)? {
        Ok(run) => run,
        Err(exit) => return Ok(exit),
    };
    (problem.options.transport, problem.checkpoints) = (None, None);
    write_goal(choice, &run.events)?;
    let one = if choice.compare { Some(compared(&problem, &run, &execution)?) } else { None };
    let assumptions = assumptions(choice, &file);
    let report = ClusterFftReport { problem, run, topology: file.name, assumptions, one };
    let printed =
        if choice.json { Printed::Json(report.to_json()) } else { Printed::Text(report.text()) };
    print(&printed, report.is_verified())
}

/// Transforms the array on one processor.
fn compared(
    problem: &ClusterFftProblem,
    run: &ClusterFftRun,
    execution: &Execution,
) -> Outcome<OneProcessor> {
    let topology = alone(ProcessGrid { counts: [1; 3] })?;
    let alone = ClusterFftProblem { topology, ..problem.clone() };
    let found = run_fft(&alone, execution).map_err(failure)?;
    let bits = |run: &ClusterFftRun| -> Vec<[u32; 2]> {
        let output = run.output(&problem.sizes);
        output.into_iter().map(|x| [x.re.to_bits(), x.im.to_bits()]).collect()
    };
    Ok(OneProcessor { ms: found.end().ms(), is_same: Some(bits(&found) == bits(run)) })
}
