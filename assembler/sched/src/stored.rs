//! Schedules as text, to keep them from one run of a tool to the next: the key of a region, and the form in which its
//! schedule is written. The caller decides where schedules are kept ([`Store`]), and has to check that one which is
//! read is right.

use super::{
    BlockReport, CycleFormula, Lifetime, LowerBound, Pipeline, PipelineKernel, RegionReport,
    ScheduledBundle, SlotOrigin,
};
use cp2_ir::diagnostic::Span;
use cp2_ir::linear::{Block, LinearInst, Reg, Region};
use cp2_isa::{BundleBits, Core, decode, encode};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A store that keeps schedules from one call of the assembler to the next, so that they need not be computed again;
/// the caller provides it, for example as a folder of files. Entries need not be right: the assembler checks each
/// schedule that it takes from there.
pub trait Store {
    /// Returns the entry, a schedule as [`write()`] makes it, that was put under `key`; `None` if there is none.
    fn get(&mut self, key: &str) -> Option<Vec<u8>>;
    /// Puts `entry` under `key`. The store may forget it at any time.
    fn put(&mut self, key: &str, entry: &[u8]);
}

/// Returns the key under which the schedule of a region is stored. Two regions with the same key have the same schedule
/// and report: the key is made of core, operations, loops, promises, and places relative to the begin of the region,
/// but not of the version of the scheduler.
pub fn key(core: &Core, region: &Region) -> String {
    let mut text = format!("{:?}\n", core.numbers());
    for op in &region.ops {
        let (name, values) = (op.code.row().name, op.code.values());
        let slot = if matches!(op.code, LinearInst::Arith(_)) { 'a' } else { 'x' };
        let span = Relative::of(region, op.span.as_ref());
        let _ = writeln!(text, "{slot} {} {name} {values:?} {span:?}", op.cc);
    }
    blocks(&mut text, region, &region.blocks);
    let Region { name, next, assigned, kept, disjoint, even, scratch, names, .. } = region;
    let _ = writeln!(text, "{name:?} {} {next:?} {assigned:?}", names.len());
    let _ = writeln!(text, "{kept:?} {disjoint:?} {even:?} {scratch:?}");
    text
}

fn blocks(text: &mut String, region: &Region, all: &[Block]) {
    for block in all {
        let _ = match block {
            Block::Straight(range) => writeln!(text, "{range:?}"),
            Block::Loop(inner) => {
                let span = Relative::of(region, inner.span.as_ref());
                let _ = writeln!(text, "loop {:?} {span:?}", inner.count);
                blocks(text, region, &inner.body);
                writeln!(text, "end")
            }
        };
    }
}

/// A place, counted from where its region begins: file, first byte, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Relative(i64, i64, u64);

impl Relative {
    fn of(region: &Region, span: Option<&Span>) -> Option<Self> {
        let (span, base) = (span?, region.span.as_ref()?);
        let first = span.range.start as i64 - base.range.start as i64;
        Some(Self(i64::from(span.file) - i64::from(base.file), first, span.range.len() as u64))
    }

    fn span(self, region: &Region) -> Option<Span> {
        let base = region.span.as_ref()?;
        let file = i64::from(base.file).checked_add(self.0)?.try_into().ok()?;
        let start: usize = (base.range.start as i64).checked_add(self.1)?.try_into().ok()?;
        Some(Span { file, range: start..start.checked_add(self.2.try_into().ok()?)? })
    }
}

/// A schedule with its report.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// Word of each bundle, and the sources of its two halves: an operation, or a number below 0.
    bundles: Vec<(BundleBits, i64, i64)>,
    blocks: Vec<StoredBlock>,
    registers: u32,
    cost: StoredCost,
}

/// Cycles by the general registers whose counts are multiplied.
type StoredCost = Vec<(Vec<u8>, i64)>;

#[derive(Serialize, Deserialize)]
struct StoredBlock {
    span: Option<Relative>,
    operations: [usize; 2],
    exchanged: [usize; 2],
    merged: Vec<(usize, usize)>,
    resource_bound: i64,
    recurrence_bound: (i64, Vec<usize>),
    ii: Option<i64>,
    stages: i64,
    unroll: i64,
    registers: u32,
    minimum_trips: i64,
    bundles: usize,
    cost: StoredCost,
    around: i64,
    pipeline: Option<StoredPipeline>,
}

#[derive(Serialize, Deserialize)]
struct StoredPipeline {
    times: Vec<(usize, i64)>,
    /// Operation, register as written, registers, first and last cycle.
    values: Vec<(usize, u32, Vec<u8>, i64, i64)>,
    /// First bundle, length, start.
    kernel: Option<(usize, i64, i64)>,
}

impl StoredPipeline {
    fn of(pipeline: &Pipeline) -> Self {
        let value = |v: &Lifetime| (v.op, v.name.0, v.registers.clone(), v.first, v.last);
        Self {
            times: pipeline.times.clone(),
            values: pipeline.values.iter().map(value).collect(),
            kernel: pipeline.kernel.map(|k| (k.bundle, k.length, k.start)),
        }
    }

    fn pipeline(self) -> Pipeline {
        let value = |(op, name, registers, first, last)| Lifetime {
            op,
            name: Reg(name),
            registers,
            first,
            last,
        };
        let kernel = |(bundle, length, start)| PipelineKernel { bundle, length, start };
        Pipeline {
            times: self.times,
            values: self.values.into_iter().map(value).collect(),
            kernel: self.kernel.map(kernel),
        }
    }
}

const NOTHING: i64 = -1;
const MADE: i64 = -2;

fn number(source: SlotOrigin) -> i64 {
    match source {
        SlotOrigin::Op(op) => op as i64,
        SlotOrigin::Nothing => NOTHING,
        SlotOrigin::Made => MADE,
    }
}

fn source(number: i64, region: &Region) -> Option<SlotOrigin> {
    match number {
        NOTHING => Some(SlotOrigin::Nothing),
        MADE => Some(SlotOrigin::Made),
        op => usize::try_from(op).ok().filter(|&op| op < region.ops.len()).map(SlotOrigin::Op),
    }
}

fn stored_cost(cost: &CycleFormula) -> StoredCost {
    cost.0.iter().map(|(key, &factor)| (key.clone(), factor)).collect()
}

fn cost(stored: StoredCost) -> Option<CycleFormula> {
    let is_known = |key: &Vec<u8>| key.iter().all(|&gpr| gpr < 16);
    let all = stored.iter().all(|(key, _)| is_known(key));
    all.then(|| CycleFormula(stored.into_iter().collect()))
}

/// Returns a region's schedule, its bundles and its report, as an entry for a [`Store`]; `None` if [`read`] would not
/// give the same back.
pub fn write(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    report: &RegionReport,
) -> Option<Vec<u8>> {
    let block = |b: &BlockReport| StoredBlock {
        span: Relative::of(region, b.span.as_ref()),
        operations: b.operations,
        exchanged: b.exchanged,
        merged: b.merged.clone(),
        resource_bound: b.resource_bound,
        recurrence_bound: (b.recurrence_bound.cycles, b.recurrence_bound.operations.clone()),
        ii: b.ii,
        stages: b.stages,
        unroll: b.unroll,
        registers: b.registers,
        minimum_trips: b.minimum_trips,
        bundles: b.bundles,
        cost: stored_cost(&b.cost),
        around: b.around,
        pipeline: b.pipeline.as_ref().map(StoredPipeline::of),
    };
    let stored = Stored {
        bundles: bundles
            .iter()
            .map(|p| (encode(&p.bundle), number(p.arith), number(p.exch)))
            .collect(),
        blocks: report.blocks.iter().map(block).collect(),
        registers: report.registers,
        cost: stored_cost(&report.cost),
    };
    let text = serde_json::to_vec(&stored).ok()?;
    let again = read(core, region, &text)?;
    (again.0 == bundles && again.1 == *report).then_some(text)
}

/// Reads the schedule of a region, its bundles and its report, from an entry that [`write()`] made. Returns `None` if
/// the entry is malformed, or names an operation that the region or a bundle that the core does not have. The caller
/// has to check that the schedule is right.
pub fn read(
    core: &Core,
    region: &Region,
    text: &[u8],
) -> Option<(Vec<ScheduledBundle>, RegionReport)> {
    let stored: Stored = serde_json::from_slice(text).ok()?;
    let placed = |&(word, arith, exch): &(BundleBits, i64, i64)| {
        let bundle = decode(word, core).ok()?;
        Some(ScheduledBundle { bundle, arith: source(arith, region)?, exch: source(exch, region)? })
    };
    let bundles: Vec<ScheduledBundle> = stored.bundles.iter().map(placed).collect::<Option<_>>()?;
    let blocks = stored.blocks.into_iter().map(|block| block_report(block, region));
    let report = RegionReport {
        name: region.name.clone(),
        blocks: blocks.collect::<Option<_>>()?,
        bundles: bundles.len(),
        registers: stored.registers,
        cost: cost(stored.cost)?,
    };
    Some((bundles, report))
}

fn block_report(block: StoredBlock, region: &Region) -> Option<BlockReport> {
    let (cycles, operations) = block.recurrence_bound;
    Some(BlockReport {
        span: block.span.and_then(|span| span.span(region)),
        operations: block.operations,
        exchanged: block.exchanged,
        merged: block.merged,
        resource_bound: block.resource_bound,
        recurrence_bound: LowerBound { cycles, operations },
        ii: block.ii,
        stages: block.stages,
        unroll: block.unroll,
        registers: block.registers,
        minimum_trips: block.minimum_trips,
        bundles: block.bundles,
        cost: cost(block.cost)?,
        around: block.around,
        pipeline: block.pipeline.map(StoredPipeline::pipeline),
    })
}
