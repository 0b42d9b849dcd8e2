//! Programs on a whole machine: CP2 with its channel and system memory.

use super::Job;
use crate::args::star::{StarBackendChoice, StarRun};
use crate::input::machine;
use crate::process::exit::{Failure, Outcome, usage};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_kernels::star::{PathOrder, PathsKernels};
use cp2_procedures::star::paths::{PathsProblem, PathsReport, WeightedArc, find_paths};
use cp2_session::cost::timeline::{Cp2Activity, HostActivity};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;
use cp2_star::graph::arcs_of_weights;
use cp2_star::report::MachineWork;
use cp2_star::run::{Insertion, RunOutcome, RunRequest, StarValue};
use cp2_star::values::parents;

/// Programs that a whole machine carries out by kernels of their own, each with the vertex that it takes next in insertions.
const PROGRAMS: [(&str, PathOrder); 4] = [
    ("paths", PathOrder::Nearest),
    ("paths-numbered", PathOrder::Nearest),
    ("paths-insert", PathOrder::First),
    ("paths-insert-nearest", PathOrder::Nearest),
];

/// Returns the machine and the core on which CP2 is to be; refuses a choice of them beside another back end, and a program for which
/// there are no kernels for a whole machine.
pub(super) fn chosen(run: &StarRun, name: &str) -> Outcome<(Option<MachineConfig>, Core)> {
    let changes = &run.machine.changes;
    let is_chosen =
        run.machine.machine.is_some() || !changes.enable.is_empty() || !changes.set.is_empty();
    if is_chosen && run.backend != StarBackendChoice::Cp2 {
        return Err(usage("--machine, --enable, --set: they are for programs with --backend cp2"));
    }
    let (config, core) = machine::with_core(&run.machine)?;
    if config.is_some() && order(name).is_none() {
        let names = PROGRAMS.map(|(name, _)| name).join(", ");
        return Err(usage(format!(
            "--machine: {names} run on a whole machine, `{name}` on CP2 alone; for a closure take `cp2 kernels run star_closure_pages --machine`"
        )));
    }
    Ok((config, core))
}

fn order(name: &str) -> Option<PathOrder> {
    PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, order)| *order)
}

/// Listener that tells nothing.
struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: usize, _: usize) {}
}

/// Returns the problem that a program solves on the inputs of a run.
fn problem(rows: usize, request: &RunRequest, order: PathOrder) -> Option<PathsProblem> {
    let bits = request.weight_bits;
    let (StarValue::Table(weights), StarValue::Int(source)) =
        (request.inputs.get("Weight")?, request.inputs.get("s")?)
    else {
        return None;
    };
    let arcs = arcs_of_weights(weights, bits).into_iter();
    let arc = |(tail, head, weight)| WeightedArc { tail, head, weight };
    let inserted = |insertion: &Insertion| arc((insertion.tail, insertion.head, insertion.weight));
    Some(PathsProblem {
        vertices: rows,
        bits,
        arcs: arcs.map(|a| arc((a.tail, a.head, a.weight))).collect(),
        source: usize::try_from(*source).ok()?,
        insertions: request.insertions.iter().map(inserted).collect(),
        order,
    })
}

/// Whether distances, parents and passes are those of the program.
fn is_same(outcome: &RunOutcome, report: &PathsReport, bits: usize) -> bool {
    let table = |name: &str| match outcome.output(name) {
        Some(StarValue::Table(table)) => Some(table),
        _ => None,
    };
    let numbers = |name: &str| table(name).map(|table| table.numbers(1, bits));
    let distances: Vec<_> = report.distances.iter().map(|number| Some(*number)).collect();
    let found = report.parents.iter().map(|&parent| parent as u64);
    let is_tree = match (table("SPT"), numbers("Parent")) {
        (Some(tree), _) => parents(tree).is_ok_and(|tree| tree.into_iter().eq(found)),
        (_, Some(numbers)) => numbers.into_iter().eq(found.map(Some)),
        _ => false,
    };
    let all = (report.passes + report.insertion_passes) as i64;
    let is_passes = match outcome.output("passes") {
        Some(StarValue::Int(passes)) => [all, report.insertion_passes as i64].contains(passes),
        _ => false,
    };
    numbers("Dist") == Some(distances) && is_tree && is_passes
}

/// Checks that a machine has room for the graph of a run, before the program runs on the native machine.
pub(super) fn check(job: &Job<'_>, config: &MachineConfig) -> Outcome<()> {
    let bits = job.request.weight_bits;
    PathsKernels::new(job.rows, bits, PathOrder::Nearest, config.core())?;
    Ok(())
}

/// Carries out a program, which ran on the native machine with this outcome, on a whole machine; returns the work of the machine. What
/// CP2 finds is compared with the outcome.
pub(super) fn run(
    job: &Job<'_>,
    name: &str,
    config: MachineConfig,
    outcome: &RunOutcome,
) -> Outcome<MachineWork> {
    let problem = order(name).and_then(|order| problem(job.rows, job.request, order));
    let Some(problem) = problem else {
        return Err(internal("the program takes no weights and no source"));
    };
    let on = Execution::on(*config.core());
    let report = find_paths(config, &problem, &on, &mut Silent)?;
    if !is_same(outcome, &report, problem.bits) {
        return Err(internal("CP2 found other paths than the native machine"));
    }
    let cost = &report.cost;
    Ok(MachineWork {
        machine: cost.config.name().to_owned(),
        cycles: cost.cycles(),
        microseconds: cost.microseconds(),
        kernels: cost.kernels.runs,
        kernel_cycles: cost.timeline.cp2.cycles(Cp2Activity::Kernel),
        channel_cycles: cost.timeline.transfer_cycles(),
        host_cycles: cost.timeline.idle_while(HostActivity::Program),
        least_cycles: cost.least_compute_cycles as u64,
        weights_stay: report.is_resident,
    })
}

fn internal(what: &'static str) -> Failure {
    KernelError::Internal(what).into()
}
