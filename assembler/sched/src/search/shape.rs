//! The forms in which a block becomes bundles, and what each of them costs. Which one is chosen is in `search`.

use crate::deps::fpr_distance;
use crate::emit::{Emitted, Pipeline, Plan};
use crate::report::CycleFormula;
use crate::run::landing;
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::{Core, Exch, Unit};

/// The form in which a loop becomes bundles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All iterations as straight code.
    Flat(i64),
    /// With a hardware loop: iterations that are emitted, and how often the kernel then runs.
    Pipelined { pipeline: Pipeline, emitted: i64, passes: Passes },
}

/// The number of times that the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    Fixed(i64),
    /// (count in the register - less) / unroll.
    Register {
        gpr: u8,
        less: i64,
    },
}

impl Shape {
    /// Returns the cycles of a block that became these bundles; a new iteration begins every `ii` cycles.
    pub(crate) fn cycles(&self, emitted: &Emitted, ii: i64) -> CycleFormula {
        let bundles = emitted.bundles.len() as i64;
        let kernel = emitted.kernel.map_or(0, |(_, length)| length as i64);
        match *self {
            Self::Flat(_) => CycleFormula::fixed(bundles),
            Self::Pipelined { passes: Passes::Fixed(n), .. } => {
                CycleFormula::fixed(bundles + (n - 1) * kernel)
            }
            Self::Pipelined { passes: Passes::Register { gpr, less }, .. } => {
                let mut cost = CycleFormula::fixed(bundles - kernel - less * ii);
                cost.add(&CycleFormula::per(gpr, ii));
                cost
            }
        }
    }

    /// Returns the cycles of a block that became these bundles beside those of the bundles: for its count, and until everything has
    /// landed.
    pub(crate) fn around(&self, core: &Core, emitted: &Emitted) -> i64 {
        landing(core, &emitted.bundles).max(0) + self.setup_cycles(core)
    }

    /// Returns the cycles of a block that became these bundles, with those around them.
    pub(crate) fn whole(&self, core: &Core, emitted: &Emitted, ii: i64) -> CycleFormula {
        let mut cycles = self.cycles(emitted, ii);
        cycles.add(&CycleFormula::fixed(self.around(core, emitted)));
        cycles
    }

    /// Returns the cycles of the operations that put the count of the kernel into the scratch register, where the register
    /// that holds the count does not serve as it is.
    fn setup_cycles(&self, core: &Core) -> i64 {
        match *self {
            Self::Pipelined { passes: Passes::Register { less, .. }, pipeline, .. }
                if less > 0 || pipeline.unroll > 1 =>
            {
                let moved = fpr_distance(core, Exch::Mtfpr.row().unit, Unit::Arithmetic);
                let computed = fpr_distance(core, Unit::Arithmetic, Exch::Mffpr.row().unit);
                let steps = if pipeline.unroll > 1 { 2 } else { 1 };
                i64::from(moved) + steps * i64::from(computed) + 1
            }
            _ => 0,
        }
    }
}

/// Share of the cycles of a large loop, one in so many, for which its kernel gets another iteration.
const WORTH: i64 = 64;

/// The cost of a schedule, by which it is compared with others of the same block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Cycles for the expected count, and then the length of the kernel; where none is expected an iteration counts more than anything
    /// else.
    pub(crate) rank: i64,
    /// Cycles for the expected count, or for the least one where none is expected.
    pub(crate) least: i64,
}

impl Cost {
    /// Whether a schedule of this cost is better than another for the expected count, or for every one where none is expected.
    pub(crate) fn is_below(self, other: Self) -> bool {
        self.rank < other.rank && self.least <= other.least
    }

    /// Returns the cost of straight code that takes these cycles. Of two that take as many, the better one is that behind
    /// which less time passes until everything has landed.
    pub(crate) fn of_straight(cycles: i64, landing: i64) -> Self {
        Self { rank: ranked_by_cycles(cycles, landing.max(0)), least: cycles }
    }

    /// Returns the cost of a loop that takes these cycles. A large loop with an expected count gets a kernel of several iterations only
    /// where each of them saves a [`WORTH`]th of the cycles, since kernels share instruction memory.
    pub(crate) fn of((of, is_small): (&Loop, bool), cycles: &CycleFormula, unroll: i64) -> Self {
        let fixed = cycles.0.get(&Vec::new()).copied().unwrap_or(0);
        let each = |gpr: u8| cycles.0.get(&vec![gpr]).copied().unwrap_or(0);
        let for_count = |cycles: i64| {
            let longer = if is_small { 0 } else { (unroll - 1) * cycles / WORTH };
            Self { rank: ranked_by_cycles(cycles + longer, unroll), least: cycles }
        };
        match of.count {
            TripCount::Fixed(_) => for_count(fixed),
            TripCount::Register { gpr, expected: Some(n), .. } => {
                for_count(fixed + each(gpr) * i64::from(n))
            }
            TripCount::Register { gpr, min, expected: None, .. } => {
                let ii = each(gpr);
                let rank = ranked_by_interval(ii, fixed + ii, unroll);
                Self { rank, least: fixed + ii * i64::from(min) }
            }
        }
    }
}

fn ranked_by_cycles(cycles: i64, tie: i64) -> i64 {
    cycles * 64 + tie.min(63)
}

fn ranked_by_interval(ii: i64, length: i64, unroll: i64) -> i64 {
    ii << 40 | length << 8 | unroll.min(255)
}

/// Whether no count of a loop is expected, so that an iteration counts more than what lies around it.
pub(crate) fn is_open(of: &Loop) -> bool {
    of.count.expected().is_none()
}

/// Returns the least rank that a schedule of a loop has with this interval, if an iteration takes `length` cycles.
pub(crate) fn least_rank(of: &Loop, ii: i64, length: i64, unroll: i64) -> i64 {
    match of.count.expected() {
        Some(n) => ranked_by_cycles((i64::from(n) - 1) * ii + length, unroll),
        None => ranked_by_interval(ii, length, unroll),
    }
}

/// Returns the rank of a schedule of a block without what tells apart schedules that take equally long.
pub(crate) fn without_ties(of: Option<&Loop>, rank: i64) -> i64 {
    if of.is_some_and(is_open) { rank >> 8 << 8 } else { rank >> 6 << 6 }
}

/// Returns the longest interval of which a schedule of a loop may be below a rank; `None` if any may be.
pub(crate) fn longest_interval(of: &Loop, rank: i64) -> Option<i64> {
    let ii = match of.count.expected() {
        Some(n) => rank / 64 / (i64::from(n) - 1).max(1),
        None => rank >> 40,
    };
    (rank < i64::MAX).then_some(ii.max(1))
}

impl Plan<'_> {
    /// Returns the bundles of a block in this form.
    pub(crate) fn shaped(&self, shape: &Shape, ii: i64) -> Emitted {
        match *shape {
            Shape::Flat(count) => self.emit(ii, count, None),
            Shape::Pipelined { pipeline, emitted, .. } => self.emit(ii, emitted, Some(pipeline)),
        }
    }
}
