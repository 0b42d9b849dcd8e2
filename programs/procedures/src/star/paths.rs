//! Shortest paths on a whole machine, and paths that are kept while arcs are inserted. The table of weights lies in system memory, a
//! band of columns for each vertex. If local memory does not hold it, a pass streams the band of its vertex by two pages of columns: the
//! second comes while CP2 adds the first. Which vertex is next is known to CP2 only at the end of a pass; the host reads its number and
//! chooses the band.

mod problem;
mod solver;
#[cfg(test)]
mod tests;

pub use problem::{PathsProblem, PathsReport, WeightedArc};

use crate::host::Host;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::SECTIONS;
use cp2_kernels::star::{PathOrder, PathsKernels};
use cp2_session::cost::channel_rates;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;
use solver::Solver;

/// Finds shortest paths on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`, then inserts
/// arcs. `listener` is told the passes done so far and the vertices.
///
/// # Errors
/// A vertex is not of the graph, a weight is too large, the bits are more than 32, local memory does not hold what stays there, system
/// memory does not hold the weights, or a kernel or a transfer does not end.
pub fn find_paths(
    config: MachineConfig,
    problem: &PathsProblem,
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<PathsReport, KernelError> {
    problem.check()?;
    let plan = |order| plan(&config, problem, order);
    let [nearest, first_plan] = [plan(PathOrder::Nearest)?, plan(PathOrder::First)?];
    let mut solver = Solver::new(Host::new(config, execution), problem, nearest)?;
    let first = solver.begin()?;
    let passes = solver.follow(first, listener)?;
    let (mut insertion_passes, mut insertion_cycles) = (0, Vec::new());
    if problem.order == PathOrder::First && !problem.insertions.is_empty() {
        solver.install(first_plan)?;
    }
    for arc in &problem.insertions {
        let before = solver.host.machine().cycle();
        if let Some(next) = solver.insert(*arc)? {
            insertion_passes += solver.follow(next, listener)?;
        }
        insertion_cycles.push(solver.host.machine().cycle() - before);
    }
    let report = solver.report(passes, insertion_passes)?;
    Ok(PathsReport { insertion_cycles, ..report })
}

/// Plans the kernels for a machine. A band comes in one page if the other half of it is there before the host has called the kernel for the
/// first.
fn plan(
    config: &MachineConfig,
    problem: &PathsProblem,
    order: PathOrder,
) -> Result<PathsKernels, KernelError> {
    let plan = PathsKernels::new(problem.vertices, problem.bits, order, config.core())?;
    let bytes = plan.bits() / 2 * plan.layout().words() * 8 * SECTIONS;
    let clock = f64::from(config.value(Key::CpuClock));
    let half = bytes as f64 / channel_rates(config).get * clock;
    let is_short = half < f64::from(config.value(Key::HostCall));
    Ok(if is_short { plan.in_one_page() } else { plan })
}
