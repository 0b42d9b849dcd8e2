//! Checker of schedules: whether bundles do what a linear region says. It shares no code with the
//! scheduler. It runs the region sequentially and the bundles with the exposed latencies, both with
//! symbolic register contents and from several starts, and compares what every execution of every
//! operation reads, and the state at the end.
//!
//! What is concrete is addresses, counts and general registers; results of arithmetic are names. A
//! start is one set of addresses and counts, so what is proved is proved for the starts that were
//! tried: those that keep the region's promises (`.disjoint`, `.even`, `min=`, `multiple=`), some
//! of them with address sets that meet.
//!
//! Results that are under way at the end of a region are a fault: the bundle behind it sees all.
//! Before a region everything is taken to have landed.

mod bundles;
mod describe;
mod machine;
mod operation;
mod sequential;
mod source;
mod start;
mod value;

use crate::diagnostic::Span;
use crate::linear::Region;
use crate::sched::Placed;
use cp2_isa::{Bundle, Resource};
use sequential::{Meaning, place};
use start::Plan;
use std::collections::BTreeSet;
use value::Nodes;

/// Something that a schedule does wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Index of the bundle; that behind the last one for the state at the end.
    pub bundle: usize,
    /// Where the operation was written.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "bundle {}: {}", self.bundle, self.message)
    }
}

impl Fault {
    fn at(region: &Region, bundle: usize, op: Option<usize>, message: String) -> Self {
        let span = op.and_then(|op| region.ops.get(op)).and_then(|op| op.span.clone());
        Self { bundle, span, message }
    }
}

/// Starts from which a schedule is run.
const RUNS: usize = 10;
/// The same if a run is long.
const LONG_RUNS: usize = 3;
/// Executions that make a run long.
const LONG: usize = 20_000;
/// Starts that are looked at; some break the region's own promises and are passed over.
const ATTEMPTS: u64 = 60;

/// Validates a schedule: `bundles` do what `region` says, for whatever follows them.
///
/// # Errors
/// Everything found wrong by the first run that finds something.
pub fn check(region: &Region, bundles: &[Placed]) -> Result<(), Vec<Fault>> {
    let faults = source::faults(region, bundles);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut plan = Plan::new(region);
    let mut n_runs = 0;
    for seed in 0..ATTEMPTS {
        let start = plan.start(seed);
        let nodes = &mut Nodes::new();
        let Some(meaning) = sequential::run(region, &start, nodes) else { continue };
        if seed == 0 {
            plan.learn(&start, &meaning);
        }
        if !keeps_promises(region, &meaning) {
            continue;
        }
        let faults = bundles::run(region, bundles, &start, &meaning, nodes);
        if !faults.is_empty() {
            return Err(faults);
        }
        n_runs += 1;
        if n_runs >= if meaning.n_executions > LONG { LONG_RUNS } else { RUNS } {
            break;
        }
    }
    if n_runs > 0 {
        return Ok(());
    }
    let message = "cannot be checked: no start was found that keeps the promises of the region";
    Err(vec![Fault { bundle: 0, span: region.span.clone(), message: message.into() }])
}

/// Whether address sets that are said to be disjoint are so in a run.
fn keeps_promises(region: &Region, meaning: &Meaning) -> bool {
    region.disjoint.iter().all(|sets| {
        let words = |k: usize| &meaning.words[usize::from(sets[k])];
        (0..sets.len())
            .all(|i| (0..i).all(|j| sets[i] == sets[j] || words(i).is_disjoint(words(j))))
    })
}

/// The physical registers that a region names; they hold values behind it.
fn named_fprs(region: &Region) -> BTreeSet<u8> {
    let accesses = region.ops.iter().flat_map(|op| region.fpr_accesses(op));
    let assigned = region.assigned.values().copied();
    accesses.filter_map(|access| place(region, access.reg).physical()).chain(assigned).collect()
}

/// The FPRs that a bundle writes.
fn written_fprs(bundle: &Bundle) -> Vec<u8> {
    let mut written = Vec::new();
    bundle.for_each_access(&mut |access| {
        if let (Resource::Fpr(reg, _), true) = (access.resource, access.write) {
            written.push(reg);
        }
    });
    written
}
