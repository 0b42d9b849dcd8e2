//! `cp2 cluster run fft`.

use super::{ANY, grid_of, run_procedure, setup};
use crate::args::cluster::ClusterFft;
use crate::process::exit::Outcome;
use cp2_cluster_procedures::{ClusterFftProblem, fixed_sequence};
use cp2_procedures::spatial::Sizes;
use std::sync::Arc;

pub(super) fn run(arguments: &ClusterFft) -> Outcome {
    let choice = &arguments.run;
    let grid = grid_of(choice.processors as usize, ANY)?;
    let (file, setup) = setup(choice, grid.counts)?;
    let sizes = Sizes(arguments.sizes);
    // Sizes that are refused have no array.
    let points = if sizes.check().is_ok() { sizes.points() } else { 0 };
    let input = Arc::new(fixed_sequence(points));
    let problem = ClusterFftProblem { sizes, inverse: arguments.inverse, input, setup };
    run_procedure(problem, choice, file)
}
