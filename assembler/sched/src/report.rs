//! The cost of a schedule and its lower bounds, as data. Printing is done elsewhere.

use cp2_ir::diagnostic::Span;
use cp2_ir::linear::Reg;
use std::collections::BTreeMap;

/// The number of cycles that a scheduled region, or a block of it, takes. It may depend on trip counts in general
/// registers: a sum of products. A key lists the general registers whose counts are multiplied, in ascending order; its
/// value is the factor in cycles. The empty key stands for the fixed cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleFormula(pub BTreeMap<Vec<u8>, i64>);

impl CycleFormula {
    /// Creates a formula for `cycles` that do not depend on a count.
    pub fn fixed(cycles: i64) -> Self {
        Self(BTreeMap::from([(Vec::new(), cycles)]))
    }

    /// Creates a formula for `cycles` times the trip count in general register `gpr`.
    pub fn per(gpr: u8, cycles: i64) -> Self {
        Self(BTreeMap::from([(vec![gpr], cycles)]))
    }

    /// Adds the cycles of another formula to this one.
    pub fn add(&mut self, other: &Self) {
        for (key, factor) in &other.0 {
            *self.0.entry(key.clone()).or_default() += factor;
        }
    }

    /// Returns the formula multiplied by `count`, such as the trip count that a source gives as a number.
    pub fn times(&self, count: i64) -> Self {
        Self(self.0.iter().map(|(k, f)| (k.clone(), f * count)).collect())
    }

    /// Returns the formula multiplied by the trip count in general register `gpr`.
    pub fn times_register(&self, gpr: u8) -> Self {
        let multiply = |(key, factor): (&Vec<u8>, &i64)| {
            let mut key = key.clone();
            key.push(gpr);
            key.sort_unstable();
            (key, *factor)
        };
        Self(self.0.iter().map(multiply).collect())
    }

    /// Returns the number of cycles that the region or block takes; `counts` are the trip counts in general registers 0
    /// to 15. The result holds for counts that keep the promises of the loops (`min=`, `multiple=`), and is not
    /// negative for these; it is signed only because the scheduler computes with signed cycles.
    pub fn cycles(&self, counts: &[u64; 16]) -> i64 {
        let product =
            |key: &Vec<u8>| key.iter().map(|&g| counts[usize::from(g)] as i64).product::<i64>();
        self.0.iter().map(|(key, factor)| factor * product(key)).sum()
    }
}

impl std::fmt::Display for CycleFormula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut terms = Vec::new();
        for (key, factor) in &self.0 {
            if *factor != 0 || key.is_empty() {
                let counts = key.iter().map(|g| format!("*g{g}"));
                terms.push(format!("{factor}{}", counts.collect::<String>()));
            }
        }
        f.write_str(&terms.join(" + "))
    }
}

/// A lower bound on the initiation interval of a loop (the cycles from the begin of one iteration to that of the next),
/// and the operations that set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerBound {
    /// The bound in cycles: no schedule of the loop has a smaller interval.
    pub cycles: i64,
    /// Operations on the cycle of dependences that sets the bound, each needing the result of the one before: indices
    /// into [`cp2_ir::linear::Region::ops`]. Empty if no dependence sets it.
    pub operations: Vec<usize>,
}

/// The report on one scheduled block of a region, a straight piece of code or an innermost loop: its cycles, their
/// lower bounds, and the bundles and registers that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockReport {
    /// Place of the loop in the source, or of the first operation of a straight block; `None` if it is not known.
    pub span: Option<Span>,
    /// Number of arithmetic operations that were scheduled, then of exchange operations.
    pub operations: [usize; 2],
    /// Number of double loads that replace two loads each, then of `psprmsgn` operations that replace moves.
    pub exchanged: [usize; 2],
    /// Operations that have no place of their own, because such an operation does their work, each with that which does: indices
    /// into [`cp2_ir::linear::Region::ops`].
    pub merged: Vec<(usize, usize)>,
    /// Least number of bundles for the operations: as many as the fuller of the two slots needs.
    pub resource_bound: i64,
    /// Least interval that dependences from one iteration to a later one allow, at least 1 cycle; 1 for a straight
    /// block.
    pub recurrence_bound: LowerBound,
    /// Initiation interval of a loop, the cycles from the begin of one iteration to that of the next; `None` for a
    /// straight block.
    pub ii: Option<i64>,
    /// Number of iterations that are under way at once: intervals in the schedule of one iteration, rounded up. 1 for a
    /// straight block.
    pub stages: i64,
    /// Number of iterations that one pass of the loop's kernel, the bundles that are repeated, serves; 1 for a straight
    /// block.
    pub unroll: i64,
    /// Number of FPRs that the scheduler chose for the block.
    pub registers: u32,
    /// Least trip count for which [`BlockReport::cost`] holds; 1 unless the count is in a register.
    pub minimum_trips: i64,
    /// Number of bundles that the block takes in instruction memory.
    pub bundles: usize,
    /// Cycles from the first bundle of the block to the one behind it, with all iterations of a loop.
    pub cost: CycleFormula,
    /// Cycles that the schedule costs beside those of its bundles: the operations that compute the count of a loop, and the wait until
    /// everything has landed. Blocks around it may do something useful meanwhile.
    pub around: i64,
    /// Schedule of a loop: the times at which its operations issue, and the registers of its values. `None` for a
    /// straight block.
    pub pipeline: Option<Pipeline>,
}

/// The schedule of a loop's body, seen from one iteration: when its operations issue, and which registers hold its
/// values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Operations of the body in program order: the index into [`cp2_ir::linear::Region::ops`], and the cycle in which
    /// the operation issues, counted from the first one of its iteration.
    pub times: Vec<(usize, i64)>,
    /// Values of the iteration that are in registers which the scheduler chose, with their lifetimes.
    pub values: Vec<Lifetime>,
    /// Kernel of the loop, the bundles that are repeated; `None` if all iterations stand one behind the other as
    /// straight code.
    pub kernel: Option<PipelineKernel>,
}

/// The kernel of a pipelined loop: the bundles that a hardware loop repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineKernel {
    /// Index of the kernel's first bundle among the region's bundles, from 0.
    pub bundle: usize,
    /// Number of bundles in the kernel, and of cycles that one pass through it takes.
    pub length: i64,
    /// Cycle in which the first bundle of the first pass issues, counted from the first operation of the first
    /// iteration.
    pub start: i64,
}

/// The lifetime of a value that an iteration of a loop computes: from when to when it is in a register, and in which
/// one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Operation that computes the value: index into [`cp2_ir::linear::Region::ops`].
    pub op: usize,
    /// Register that the source names for the value, physical or virtual.
    pub name: Reg,
    /// Numbers of the FPRs that hold the value: iteration i, from 0, has the one with index i modulo the length of the
    /// list.
    pub registers: Vec<u8>,
    /// Cycle from which on the value has its register, counted from the first operation of its iteration: the first in which an operation
    /// may issue that reads it. A result of arithmetic lands in it; what a load brings lands one cycle later, for a bypass gives it to
    /// `psprmsgn`.
    pub first: i64,
    /// Last cycle in which the value is read, counted from the first operation of its iteration; `first` if nothing
    /// reads it.
    pub last: i64,
}

/// The report on a scheduled region, made by [`super::schedule`]: its cycles, bundles and registers, with a report on
/// each block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionReport {
    /// Name of the region of linear code, as the source has it.
    pub name: String,
    /// Reports on the blocks in program order: straight pieces of code and innermost loops.
    pub blocks: Vec<BlockReport>,
    /// Number of bundles that the region takes in instruction memory.
    pub bundles: usize,
    /// Number of FPRs that the region uses: those that the scheduler chose and those that the source names.
    pub registers: u32,
    /// Cycles from the region's first bundle to the one behind the region.
    pub cost: CycleFormula,
}
