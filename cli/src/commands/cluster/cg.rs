//! `cp2 cluster run cg`.

use super::{ANY, grid_of, run_procedure, setup};
use crate::args::cluster::ClusterCg;
use crate::process::exit::{Outcome, usage};
use cp2_cluster_procedures::ClusterCgProblem;
use cp2_kernels::sparse::matrices::CgClass;
use cp2_procedures::cg::{CG_SEGMENTS, SegmentedCg};
use std::sync::Arc;

pub(super) fn run(arguments: &ClusterCg) -> Outcome {
    let choice = &arguments.run;
    let class = CgClass::from_name(&arguments.class).ok_or_else(|| {
        let names = CgClass::ALL.map(|(name, _)| name).join(", ");
        usage(format!("--class {}: cg has the classes {names}", arguments.class))
    })?;
    let grid = grid_of(choice.processors as usize, ANY)?;
    if grid.processes() > CG_SEGMENTS {
        let given = grid.processes();
        let told = format!("a vector of cg has {CG_SEGMENTS} segments; it takes that many at most");
        return Err(usage(format!("--processors: {given}: {told}")));
    }
    let (file, setup) = setup(choice, grid.counts)?;
    let problem = Arc::new(SegmentedCg::new(&setup.config, class)?);
    run_procedure(ClusterCgProblem { problem, setup }, choice, file)
}
