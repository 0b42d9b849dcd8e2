//! Checker of schedules: whether bundles do what a linear region says. With the scheduler the checker shares `cp2_ir` (the
//! region, the form of scheduled bundles) and `cp2_isa` (footprints, latencies, address steps), no more: the checker is a
//! crate of its own, so that it cannot share more. The checker runs the region sequentially, and the bundles with the exposed
//! latencies. Both runs have symbolic register contents and several starts. What every execution of every operation reads is
//! compared, and the state at the end.
//!
//! What is concrete is addresses, counts and general registers; results of arithmetic are names. A
//! start is one set of addresses and counts, so what is proved is proved for the starts that were
//! tried: those that keep the region's promises (`.disjoint`, `.even`, `min=`, `multiple=`), some
//! of them with address sets that meet. Loops with large fixed counts are followed for fewer iterations;
//! `short` says for how many, why that suffices, and what it cannot find.
//!
//! Results that are under way at the end of a region are a fault: the bundle behind the region sees all. Before a region
//! everything is taken to have landed.

mod bundles;
mod describe;
mod machine;
mod operation;
mod sequential;
mod short;
mod source;
mod start;
mod value;
mod words;

use cp2_ir::diagnostic::Span;
use cp2_ir::linear::ScheduledBundle;
use cp2_ir::linear::{Region, place_name};
use cp2_isa::{Bundle, Core, Resource, WordAddress};
use sequential::{Meaning, place};
use short::Cuts;
use start::Plan;
use std::collections::BTreeSet;
use value::Nodes;

/// A fault that [`check`] finds in a schedule: a bundle that does not do what the region of linear code says, or a
/// promise of the region that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleFault {
    /// Index of the bundle in the schedule, from 0; the number of bundles if the state at the end is wrong.
    pub bundle: usize,
    /// Place in the source where the operation at fault was written; `None` if it is not known.
    pub span: Option<Span>,
    /// Message for people: what is wrong at the bundle.
    pub message: String,
    /// Promise of the region that no start tried by the checker keeps: then the promise is wrong, not the schedule.
    /// `None` for a fault of the schedule.
    pub promise: Option<BrokenPromise>,
}

/// A promise of a region that the region's own operations break from every start that the checker tried. A start is a
/// choice of addresses, loop counts and general registers with which the region begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenPromise {
    /// A `.disjoint`: the index of its list in [`Region::disjoint`].
    Disjoint(usize),
    /// A promise about a trip count, `min=` or `multiple=` of a loop.
    Counts,
}

impl std::fmt::Display for ScheduleFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "bundle {}: {}", self.bundle, self.message)
    }
}

impl ScheduleFault {
    fn at(region: &Region, bundle: usize, op: Option<usize>, message: String) -> Self {
        let span = op.and_then(|op| region.ops.get(op)).and_then(|op| op.span.clone());
        Self { bundle, span, message, promise: None }
    }
}

/// Number of starts from which a schedule is run.
const RUNS: usize = 16;
/// Number of starts from which a schedule is run if a run is long.
const LONG_RUNS: usize = 4;
/// Number of starts from which a schedule is run that has been validated before.
const RUNS_AGAIN: usize = 2;
/// Number of executions that make a run long.
const LONG: usize = 20_000;
/// Number of starts that are looked at; some break the region's own promises and are passed over.
const ATTEMPTS: u64 = 60;

/// Validates a schedule for a core: runs the region and its bundles with symbolic values from several starts, and
/// checks that the bundles do what the region says, whatever follows them. A start is a choice of addresses, loop
/// counts and general registers that keeps the promises of the region.
///
/// # Errors
/// Returns the faults that the first start with a fault shows, or a promise that no start keeps.
pub fn check(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
) -> Result<(), Vec<ScheduleFault>> {
    check_from(core, region, bundles, RUNS)
}

/// Validates, with less work, a schedule that [`check`] is said to have accepted before, such as one from a store. Each
/// half of a bundle has to be what it claims to be, and the bundles have to do what the region says from two starts:
/// one with all address sets apart, and one where they may meet.
///
/// # Errors
/// Returns the faults that the first start with a fault shows, or a promise that no start keeps.
pub fn check_again(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
) -> Result<(), Vec<ScheduleFault>> {
    check_from(core, region, bundles, RUNS_AGAIN)
}

fn check_from(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    starts: usize,
) -> Result<(), Vec<ScheduleFault>> {
    let faults = source::faults(core, region, bundles);
    if !faults.is_empty() {
        return Err(faults);
    }
    let cuts = Cuts::of(region, bundles);
    match runs(core, region, (bundles, &cuts), starts) {
        // What is cut may be what keeps the promises.
        Outcome::NoStart(_) if !cuts.is_empty() => {
            runs(core, region, (bundles, &Cuts::default()), starts)
        }
        outcome => outcome,
    }
    .verdict(region)
}

/// The outcome of running a schedule from several starts.
enum Outcome {
    Right,
    Wrong(Vec<ScheduleFault>),
    /// No start keeps the promises; the last one broken, if it is one about addresses.
    NoStart(Option<Broken>),
}

/// A `.disjoint` list, two of its sets, and a word that both reach.
type Broken = (usize, [u8; 2], WordAddress);

/// Runs region and bundles from so many starts, or fewer if the runs are long.
fn runs(
    core: &Core,
    region: &Region,
    (bundles, cuts): (&[ScheduledBundle], &Cuts),
    starts: usize,
) -> Outcome {
    let mut plan = Plan::new(core, region);
    let mut n_runs = 0;
    let mut broken = None;
    for seed in 0..ATTEMPTS {
        // The seeds that are left when nothing else worked keep all sets apart.
        let apart = seed == 0 || n_runs == 0 && seed >= ATTEMPTS / 2;
        let start = plan.start(seed, apart);
        let nodes = &mut Nodes::new();
        let Some(meaning) = sequential::run(core, region, cuts, &start, nodes) else { continue };
        let promise = broken_promise(region, &meaning);
        if seed == 0 || promise.is_some() {
            plan.learn(&start, &meaning);
        }
        if promise.is_some() {
            broken = promise;
            continue;
        }
        let faults = bundles::run(core, region, (bundles, cuts), &start, &meaning, nodes);
        if !faults.is_empty() {
            return Outcome::Wrong(faults);
        }
        n_runs += 1;
        if n_runs >= if meaning.n_executions > LONG { starts.min(LONG_RUNS) } else { starts } {
            break;
        }
    }
    if n_runs > 0 { Outcome::Right } else { Outcome::NoStart(broken) }
}

impl Outcome {
    fn verdict(self, region: &Region) -> Result<(), Vec<ScheduleFault>> {
        let (message, promise) = match self {
            Self::Right => return Ok(()),
            Self::Wrong(faults) => return Err(faults),
            Self::NoStart(Some((list, [a, b], word))) => {
                let [a, b] = [a, b].map(set_name);
                let message = format!(
                    "{a} and {b} meet from every start that was tried, the last time in word {word}"
                );
                (message, BrokenPromise::Disjoint(list))
            }
            Self::NoStart(None) => {
                ("no start that was tried keeps them".to_owned(), BrokenPromise::Counts)
            }
        };
        let promise = Some(promise);
        Err(vec![ScheduleFault { bundle: 0, span: region.span.clone(), message, promise }])
    }
}

fn set_name(set: u8) -> String {
    format!("`{}`", place_name(set))
}

/// Returns a `.disjoint` list that a run does not keep, two of its sets, and a word that both reach.
fn broken_promise(region: &Region, meaning: &Meaning) -> Option<Broken> {
    let words = |set: u8| &meaning.words[usize::from(set)];
    region.disjoint.iter().enumerate().find_map(|(list, sets)| {
        let pairs = sets.iter().flat_map(|&a| sets.iter().map(move |&b| (a, b)));
        let mut met = pairs.filter(|(a, b)| a < b);
        met.find_map(|(a, b)| Some((list, [a, b], words(a).first_common(words(b))?)))
    })
}

/// Returns the physical registers that a region names; these hold values behind the region.
fn named_fprs(region: &Region) -> BTreeSet<u8> {
    let accesses = region.ops.iter().flat_map(|op| region.fpr_accesses(op));
    let assigned = region.assigned.values().copied();
    accesses.filter_map(|access| place(region, access.reg).physical()).chain(assigned).collect()
}

/// Returns the FPRs that a bundle writes.
fn written_fprs(bundle: &Bundle) -> Vec<u8> {
    let mut written = Vec::new();
    bundle.footprint(&mut |access| {
        if let Some(Resource::Fpr(reg, _)) = access.changed() {
            written.push(reg);
        }
    });
    written
}
