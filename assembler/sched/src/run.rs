//! Runs of bundles put one behind the other: the waits between them, and what a hardware loop asks
//! of its body. Which runs there are is in `region`.

use super::emit::{EMPTY, is_empty};
use super::report::CycleFormula;
use super::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Access, AccessMode, Bundle, Core, Exch, Inst, Unit};

/// A run of bundles.
#[derive(Default)]
pub(super) struct Sequenced {
    pub(super) bundles: Vec<ScheduledBundle>,
    /// Hardware loops: the bundle of the `do`, and the loop's `end`.
    pub(super) loops: Vec<(usize, usize)>,
    /// First bundle of the kernel of each innermost loop in program order, if the loop has one.
    pub(super) kernels: Vec<Option<usize>>,
    pub(super) cost: CycleFormula,
}

impl Sequenced {
    /// Adds bundles, with the wait that they need.
    pub(super) fn append(&mut self, core: &Core, next: Self) {
        self.wait(stall(core, &self.bundles, &next.bundles));
        let shift = self.bundles.len();
        self.loops.extend(next.loops.into_iter().map(|(at, end)| (at + shift, end + shift)));
        self.kernels.extend(next.kernels.into_iter().map(|first| Some(first? + shift)));
        self.bundles.extend(next.bundles);
        self.cost.add(&next.cost);
    }

    pub(super) fn wait(&mut self, cycles: i64) {
        let cycles = cycles.max(0);
        self.bundles.extend(std::iter::repeat_n(EMPTY, cycles as usize));
        self.cost.add(&CycleFormula::fixed(cycles));
    }

    pub(super) fn put_loop(&mut self, at: usize, end: usize, inst: Inst<Exch>) {
        let place = &mut self.bundles[at];
        debug_assert_eq!(place.exch, SlotOrigin::Nothing);
        place.bundle.exch = inst;
        place.exch = SlotOrigin::Made;
        self.loops.push((at, end));
    }

    /// Makes the bundles fit to be the body of a hardware loop: at least two, no control operation
    /// in the last two, and no loop inside that ends where this one does.
    pub(super) fn close_for_loop(&mut self) {
        loop {
            let length = self.bundles.len();
            let control = |p: &ScheduledBundle| p.bundle.exch.hardware_loop().is_some();
            let clear = length >= 2
                && !self.bundles[length - 2..].iter().any(control)
                && self.loops.iter().all(|&(_, end)| end < length - 2);
            if clear {
                return;
            }
            self.wait(1);
        }
    }
}

/// Returns the number of bundles after which every result of a bundle is seen by operations of every functional unit on
/// this core: its longest latency and 2.
pub const fn reach(core: &Core) -> usize {
    core.latencies().longest() as usize + 2
}

fn accesses(placed: &ScheduledBundle) -> Vec<Access> {
    let mut all = Vec::new();
    if !is_empty(placed) {
        placed.bundle.footprint(&mut |a| all.push(a));
    }
    all
}

/// Returns the number of cycles that a result is under way for the slowest kind of reader.
fn longest(core: &Core, access: &Access) -> i64 {
    let times = core.latencies();
    let slowest = [Unit::Arithmetic, Unit::Loop, Unit::Stop];
    let distances = slowest.map(|unit| times.distance(access.unit, access.resource, unit));
    i64::from(distances.into_iter().max().unwrap_or(1))
}

/// Returns the writes of the last bundles, with their cycle counted from the end (-1 is the last bundle).
fn under_way(core: &Core, bundles: &[ScheduledBundle]) -> Vec<(i64, Access)> {
    let first = bundles.len().saturating_sub(reach(core));
    let end = bundles.len() as i64;
    let recent = bundles.iter().enumerate().skip(first);
    recent
        .flat_map(|(i, p)| accesses(p).into_iter().map(move |a| (i as i64 - end, a)))
        .filter(|(_, a)| a.changed().is_some())
        .collect()
}

/// Returns the number of cycles until everything that bundles have written is seen by every reader.
pub(super) fn landing(core: &Core, bundles: &[ScheduledBundle]) -> i64 {
    under_way(core, bundles).iter().map(|(at, a)| at + longest(core, a)).max().unwrap_or(0)
}

/// Returns the number of bundles that have to be put between the bundles `before` and a scheduled region behind them,
/// so that the region sees their results and its own results land later than theirs; 0 if none.
pub fn wait_before(core: &Core, before: &[Bundle], region: &[ScheduledBundle]) -> i64 {
    let nothing = SlotOrigin::Nothing;
    let before: Vec<ScheduledBundle> = before
        .iter()
        .map(|&bundle| ScheduledBundle { bundle, arith: nothing, exch: nothing })
        .collect();
    stall(core, &before, region)
}

/// Returns the number of cycles to wait between two runs of bundles, so that the second sees what the first has written and
/// its own writes land later.
fn stall(core: &Core, before: &[ScheduledBundle], after: &[ScheduledBundle]) -> i64 {
    let times = core.latencies();
    let pending = under_way(core, before);
    let mut wait = 0;
    for (cycle, placed) in after.iter().take(reach(core)).enumerate() {
        for access in accesses(placed) {
            for (at, write) in &pending {
                if !write.resource.overlaps(access.resource) {
                    continue;
                }
                let distance = |from: &Access, to: Unit| {
                    i64::from(times.distance(from.unit, from.resource, to))
                };
                if access.mode == AccessMode::Use {
                    wait = wait.max(at + distance(write, access.unit) - cycle as i64);
                }
                if access.mode == AccessMode::Define {
                    let plain = Unit::Arithmetic;
                    let later = distance(write, plain) - distance(&access, plain) + 1;
                    wait = wait.max(at + later - cycle as i64);
                }
            }
        }
    }
    wait
}
