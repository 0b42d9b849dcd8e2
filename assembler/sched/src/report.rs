//! What a schedule costs and what bounds it, as data. How it is printed is not here.

use cp2_ir::diagnostic::Span;
use cp2_ir::linear::Reg;
use std::collections::BTreeMap;

/// Cycles as a sum of products of loop counts: key = general registers whose counts are multiplied,
/// value = factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleFormula(pub BTreeMap<Vec<u8>, i64>);

impl CycleFormula {
    /// Creates a fixed number of cycles.
    pub fn fixed(cycles: i64) -> Self {
        Self(BTreeMap::from([(Vec::new(), cycles)]))
    }

    /// Creates a cost of `cycles` for each count of a general register.
    pub fn per(gpr: u8, cycles: i64) -> Self {
        Self(BTreeMap::from([(vec![gpr], cycles)]))
    }

    /// Adds another cost.
    pub fn add(&mut self, other: &Self) {
        for (key, factor) in &other.0 {
            *self.0.entry(key.clone()).or_default() += factor;
        }
    }

    /// Returns the cost `count` times.
    pub fn times(&self, count: i64) -> Self {
        Self(self.0.iter().map(|(k, f)| (k.clone(), f * count)).collect())
    }

    /// Returns the cost as often as a general register tells.
    pub fn times_register(&self, gpr: u8) -> Self {
        let multiply = |(key, factor): (&Vec<u8>, &i64)| {
            let mut key = key.clone();
            key.push(gpr);
            key.sort_unstable();
            (key, *factor)
        };
        Self(self.0.iter().map(multiply).collect())
    }

    /// Returns the cycles for these counts in the general registers.
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

/// A lower bound and what sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerBound {
    /// Cycles.
    pub cycles: i64,
    /// Operations of the cycle of dependences that sets it: indices into the region's operations.
    pub operations: Vec<usize>,
}

/// A scheduled block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockReport {
    /// Place where the region was written.
    pub span: Option<Span>,
    /// Arithmetic and exchange operations that were scheduled.
    pub operations: [usize; 2],
    /// Double loads that were made of two loads, and `psprmsgn` that were made of moves.
    pub exchanged: [usize; 2],
    /// Resource bound: bundles that the fuller slot needs.
    pub resource_bound: i64,
    /// Recurrence bound of a loop.
    pub recurrence_bound: LowerBound,
    /// Initiation interval of a loop.
    pub ii: Option<i64>,
    /// Iterations that are under way at once.
    pub stages: i64,
    /// Iterations in one pass of the kernel.
    pub unroll: i64,
    /// FPRs that the block writes and allocates.
    pub registers: u32,
    /// Least trip count for which the cost holds.
    pub minimum_trips: i64,
    /// Bundles of code.
    pub bundles: usize,
    /// Cycles.
    pub cost: CycleFormula,
    /// Times at which a loop's operations issue, and registers of its values.
    pub pipeline: Option<Pipeline>,
}

/// The schedule of a loop's body, seen from one iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Operations and when they issue, counted from the first one of their iteration: indices into
    /// the region's operations, in program order.
    pub times: Vec<(usize, i64)>,
    /// The values in registers that the scheduler chose.
    pub values: Vec<Lifetime>,
    /// Kernel of the loop, if it became a hardware loop; otherwise all iterations stand as straight code.
    pub kernel: Option<PipelineKernel>,
}

/// The bundles that a hardware loop repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineKernel {
    /// First bundle of the kernel, counted from the region's first bundle.
    pub bundle: usize,
    /// Number of bundles of the kernel.
    pub length: i64,
    /// Cycle in which the first bundle of the kernel issues, counted from the first operation of the first iteration.
    pub start: i64,
}

/// A value and the registers that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Operation that makes the value: index into the region's operations.
    pub op: usize,
    /// Register of the value as it was written.
    pub name: Reg,
    /// Registers that hold the value, by iteration modulo their number.
    pub registers: Vec<u8>,
    /// Cycle in which the value lands, counted from the first operation of its iteration.
    pub first: i64,
    /// Last cycle in which the value is read, or the cycle in which it lands if nothing reads it.
    pub last: i64,
}

/// A scheduled region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionReport {
    /// Name of the region.
    pub name: String,
    /// Blocks in program order.
    pub blocks: Vec<BlockReport>,
    /// Bundles of code.
    pub bundles: usize,
    /// FPRs in use, those that the region names included.
    pub registers: u32,
    /// Cycles from the first bundle to the one after the region.
    pub cost: CycleFormula,
}
