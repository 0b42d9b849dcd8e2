//! The roofline: the most that a machine can do, and how near a run and its loops come, in operations per cycle against
//! operations per word of local memory and per byte of system memory. Every ceiling is a rate of all sections.

use crate::program::NamedProgram;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Rows, dma_rate};
use cp2_emu::memory::Direction;
use cp2_emu::profile::BundleCost;
use cp2_isa::machine::Key;
use cp2_isa::{Arith, Core, Exch, SECTIONS};
use cp2_recording::Counts;
use serde_json::Value;
use std::fmt::Write as _;

/// Number of bytes of a word of local memory.
const WORD: f64 = 8.0;
/// Number of words that an exchange operation moves in a section at most.
const MOST_WORDS: f64 = 2.0;

/// The quantity whose rate per cycle a ceiling limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Floating-point operations per cycle, whatever is moved: a flat ceiling.
    Cycle,
    /// Words that the kernel loads and stores in local memory.
    LocalWord,
    /// Words of local memory that the kernel or the channel moves.
    AnyLocalWord,
    /// Bytes of system memory that the channel moves.
    SystemByte,
}

impl Per {
    fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::LocalWord => "local_word",
            Self::AnyLocalWord => "any_local_word",
            Self::SystemByte => "system_byte",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Cycle => "flops per cycle",
            Self::LocalWord | Self::AnyLocalWord => "words per cycle",
            Self::SystemByte => "bytes per cycle",
        }
    }
}

/// A ceiling of a roofline: a part of the machine, and the highest rate at which it works.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// Name of the part of the machine that is the limit.
    pub name: &'static str,
    /// Quantity that the rate is about: operations per cycle, words, or bytes.
    pub per: Per,
    /// Rate at most: operations, words or bytes per cycle.
    pub rate: f64,
    /// Rate at most with the operations of this run: its mean flops of an arithmetic operation, its mean words of a load or
    /// store, its mix of directions of the channel. `None` where the run has none.
    pub of_run: Option<f64>,
    /// Basis of the rate in words: the numbers of the machine that it rests on.
    pub basis: String,
}

/// A point of a roofline: what a run, or a part of it such as a loop, did in how many cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePoint {
    /// Name of the run or of the part.
    pub name: String,
    /// Address of the `do` of the loop that the point is; `None` for others.
    pub at: Option<u16>,
    /// Cycles of the part, which rates are per; of a whole run [`Counts::rated_cycles`].
    pub cycles: u64,
    /// Floating-point operations in enabled sections.
    pub flops: u64,
    /// Number of arithmetic operations that issued, `nop` excepted: each once, whatever sections execute it. It is the cycles
    /// that the arithmetic slot was in use.
    pub arithmetic: u64,
    /// Number of exchange operations that issued, `nop` excepted: the cycles that the exchange slot was in use.
    pub exchange: u64,
    /// Words that the part loaded and stored, in all sections.
    pub local_words: u64,
    /// Bytes that the channel moved meanwhile; of the whole run only.
    pub system_bytes: Option<u64>,
    /// Name of the lowest ceiling over the point, and the flops per cycle that it allows.
    pub bound: Option<(&'static str, f64)>,
}

impl RooflinePoint {
    /// Returns the floating-point operations per cycle.
    pub fn flops_per_cycle(&self) -> f64 {
        self.flops as f64 / self.cycles.max(1) as f64
    }

    /// Returns the floating-point operations per word of local memory that the kernel moved.
    pub fn flops_per_word(&self) -> Option<f64> {
        (self.local_words > 0).then(|| self.flops as f64 / self.local_words as f64)
    }

    /// Returns the floating-point operations per byte of system memory.
    pub fn flops_per_byte(&self) -> Option<f64> {
        let bytes = self.system_bytes.filter(|bytes| *bytes > 0)?;
        Some(self.flops as f64 / bytes as f64)
    }

    /// Returns the fewest cycles in which the operations of the part could issue: those of the fuller slot.
    pub fn least_cycles(&self) -> u64 {
        self.arithmetic.max(self.exchange)
    }

    fn words_per_flop(&self, per: Per) -> Option<f64> {
        let beats = self.system_bytes.unwrap_or_default() as f64;
        let moved = match per {
            Per::Cycle => return None,
            Per::LocalWord => self.local_words as f64,
            Per::AnyLocalWord => self.local_words as f64 + beats / WORD,
            Per::SystemByte => beats,
        };
        (self.flops > 0 && moved > 0.0).then(|| moved / self.flops as f64)
    }
}

/// The ceilings of a machine, and the points under them.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// The ceilings of the machine.
    pub ceilings: Vec<Ceiling>,
    /// The whole run, its kernels alone, then its loops.
    pub points: Vec<RooflinePoint>,
}

/// The work of bundles: operations by slot, and words that they move.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    arithmetic: u64,
    exchange: u64,
    words: u64,
}

fn words_of(op: Exch) -> u64 {
    use cp2_isa::Unit;
    let row = op.row();
    let moves = matches!(row.unit, Unit::Load | Unit::Store);
    if moves { u64::from(row.words()) * SECTIONS as u64 } else { 0 }
}

/// Returns the point of a part from its bundles, each counted as often as it issued.
pub(crate) fn point<'a>(
    program: &NamedProgram<'_>,
    name: String,
    bundles: impl Iterator<Item = (u16, &'a BundleCost)>,
) -> RooflinePoint {
    let (mut all, mut cost) = (Work::default(), BundleCost::default());
    for (address, of) in bundles {
        cost.add(of, 1);
        let issues: u64 = of.causes[..4].iter().sum();
        let Some(bundle) = program.bundle(cp2_isa::BundleAddress(address)) else { continue };
        all.arithmetic += issues * u64::from(bundle.arith.op != Arith::Nop);
        all.exchange += issues * u64::from(bundle.exch.op != Exch::Nop);
        all.words += issues * words_of(bundle.exch.op);
    }
    RooflinePoint {
        name,
        at: None,
        cycles: cost.cycles(),
        flops: cost.flops,
        arithmetic: all.arithmetic,
        exchange: all.exchange,
        local_words: all.words,
        system_bytes: None,
        bound: None,
    }
}

/// Returns the point of the whole run by what was counted, whatever instruction memory held when.
pub(crate) fn whole(name: &str, counts: &Counts, cycles: u64, with_channel: bool) -> RooflinePoint {
    let sum = |pairs: &[(u16, u64)], nop: u16| -> u64 {
        pairs.iter().filter(|(n, _)| *n != nop).map(|(_, count)| count).sum()
    };
    let words = counts.exchange.iter();
    let words =
        words.filter_map(|&(n, count)| Some(words_of(*Exch::ALL.get(usize::from(n))?) * count));
    RooflinePoint {
        name: name.to_owned(),
        at: None,
        cycles,
        flops: counts.total_flops(),
        arithmetic: sum(&counts.arithmetic, Arith::Nop as u16),
        exchange: sum(&counts.exchange, Exch::Nop as u16),
        local_words: words.sum(),
        system_bytes: with_channel.then_some(counts.dma.bytes_get + counts.dma.bytes_put),
        bound: None,
    }
}

/// Returns the flops and the name of the operation of a core that has most flops.
fn most_flops(core: &Core) -> (f64, &'static str) {
    let own = Arith::ALL.iter().filter(|op| core.numbers().extensions.contains(op.row().extension));
    // The first of those that have as many.
    let most = own.rev().max_by_key(|op| op.row().flops);
    most.map_or((0.0, ""), |op| (f64::from(op.row().flops), op.row().name))
}

/// Returns the bytes per cycle of the channel for long rows, each way.
fn channel_rates(config: &MachineConfig) -> Option<[f64; 2]> {
    let clock = f64::from(config.value(Key::CpuClock));
    let rate = |direction| {
        let rows = Rows { direction, row_bytes: 1024, pitch_bytes: 1024, total_bytes: 1 << 17 };
        dma_rate(config, &rows).ok().map(|mbytes_per_second| mbytes_per_second / clock)
    };
    Some([rate(Direction::Get)?, rate(Direction::Put)?])
}

impl Roofline {
    /// Creates the roofline of a core, in a machine if there is one, with points under its ceilings; the first point is the
    /// whole run.
    pub fn new(
        core: &Core,
        config: Option<&MachineConfig>,
        counts: &Counts,
        mut points: Vec<RooflinePoint>,
    ) -> Self {
        let all = SECTIONS as f64;
        let (flops, name) = most_flops(core);
        let run = points.first().cloned();
        let ratio = |a: f64, b: u64| (b > 0).then(|| a / b as f64);
        let run_flops = run.as_ref().and_then(|run| ratio(run.flops as f64, run.arithmetic));
        let memory: u64 = counts
            .exchange
            .iter()
            .map(|&(n, count)| {
                let op = Exch::ALL.get(usize::from(n));
                if op.is_some_and(|op| words_of(*op) > 0) { count } else { 0 }
            })
            .sum();
        let run_words = run.as_ref().and_then(|run| ratio(run.local_words as f64, memory));
        let banks = core.banks();
        let mut ceilings = vec![
            Ceiling {
                name: "arithmetic slot",
                per: Per::Cycle,
                rate: flops * all,
                of_run: run_flops,
                basis: format!("`{name}` in every cycle, in {SECTIONS} sections"),
            },
            Ceiling {
                name: "exchange slot",
                per: Per::LocalWord,
                rate: MOST_WORDS * all,
                of_run: run_words,
                basis: format!("a double load or store in every cycle, in {SECTIONS} sections"),
            },
            Ceiling {
                name: "local memory",
                per: Per::AnyLocalWord,
                rate: MOST_WORDS * all * banks as f64,
                of_run: None,
                basis: format!(
                    "{banks} banks, each for the kernel or the channel, {SECTIONS} sections"
                ),
            },
        ];
        if let Some([get, put]) = config.and_then(channel_rates) {
            let (bytes_get, bytes_put) = (counts.dma.bytes_get as f64, counts.dma.bytes_put as f64);
            let bytes = bytes_get + bytes_put;
            let mixed = (bytes > 0.0).then(|| bytes / (bytes_get / get + bytes_put / put));
            ceilings.push(Ceiling {
                name: "DMA channel",
                per: Per::SystemByte,
                rate: get.max(put),
                of_run: mixed,
                basis: format!("rows of 1 KiB, {get:.2} from memory and {put:.2} to memory"),
            });
        }
        points.iter_mut().for_each(|point| point.bound = bound(&ceilings, point));
        Self { ceilings, points }
    }

    /// Returns the ceilings and points as tables.
    pub fn text(&self) -> String {
        let mut text =
            String::from("\nceilings of the machine, and with the operations of this run\n");
        for Ceiling { name, per, rate, of_run, basis } in &self.ceilings {
            let of_run = of_run.map_or("-".to_owned(), |rate| format!("{rate:.2}"));
            let _ = writeln!(text, "{name:<16} {rate:>8.2} {of_run:>8} {:<16} {basis}", per.unit());
        }
        let _ = write!(
            text,
            "\nroofline: flops per cycle reached, what the lowest ceiling allows, and the fewest cycles of the fuller slot\n{:>12} {:>10} {:>9} {:>9} {:>9}  {:<16} {:>9} {:>7}  part\n",
            "cycles",
            "flops/cyc",
            "flop/word",
            "flop/byte",
            "ceiling",
            "is that of",
            "slot min",
            "of that"
        );
        for point in &self.points {
            let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
            let (by, most) = point.bound.map_or(("-", None), |(by, most)| (by, Some(most)));
            let least = point.least_cycles();
            let share = 100.0 * least as f64 / point.cycles.max(1) as f64;
            let _ = writeln!(
                text,
                "{:>12} {:>10.2} {:>9} {:>9} {:>9}  {by:<16} {least:>9} {share:>6.1}%  {}",
                point.cycles,
                point.flops_per_cycle(),
                number(point.flops_per_word()),
                number(point.flops_per_byte()),
                number(most),
                point.name
            );
        }
        text
    }

    /// Returns the ceilings and points as JSON.
    pub fn to_json(&self) -> Value {
        document::object(&ROOFLINE, self)
    }

    /// Returns the JSON Schema of [`Self::to_json`].
    pub fn schema() -> Value {
        document::schema(&ROOFLINE, &[])
    }
}

/// Returns the lowest ceiling over a point, with the operations of the point itself.
fn bound(ceilings: &[Ceiling], point: &RooflinePoint) -> Option<(&'static str, f64)> {
    if point.flops == 0 {
        return None;
    }
    let of = |ceiling: &Ceiling| {
        let per = ceiling.per;
        // A point has its own mean of flops.
        let most = match per {
            Per::Cycle => point.flops as f64 / point.arithmetic.max(1) as f64,
            _ => ceiling.rate / point.words_per_flop(per)?,
        };
        Some((ceiling.name, most))
    };
    ceilings.iter().filter_map(of).min_by(|a, b| a.1.total_cmp(&b.1))
}

const CEILING: [Field<Ceiling>; 5] = [
    Field::new("name", ValueKind::Text, "", "what is the limit", |c| c.name.into()),
    Field::new(
        "per",
        ValueKind::Text,
        "",
        "cycle (a flat ceiling), local_word, any_local_word (the channel's too) or system_byte",
        |c| c.per.name().into(),
    ),
    Field::new(
        "rate",
        ValueKind::Number,
        "flops, words or bytes per cycle",
        "at most, all sections together; over `per` times flops per word or byte it is a slope",
        |c| c.rate.into(),
    ),
    Field::or_null(
        "of_run",
        ValueKind::Number,
        "flops, words or bytes per cycle",
        "the same with the operations of this run",
        |c| c.of_run.into(),
    ),
    Field::new("basis", ValueKind::Text, "", "what the rate is taken from", |c| {
        c.basis.clone().into()
    }),
];

fn ceiling_schema() -> Value {
    document::schema(&CEILING, &[])
}

const POINT: [Field<RooflinePoint>; 14] = [
    Field::new(
        "name",
        ValueKind::Text,
        "",
        "the whole run, its kernels, or a loop by its place",
        |p| p.name.clone().into(),
    ),
    Field::or_null("do", ValueKind::Integer, "bundles", "address of the `do` of a loop", |p| {
        p.at.into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "of the part", |p| p.cycles.into()),
    Field::new(
        "flops",
        ValueKind::Integer,
        "floating-point operations",
        "in the enabled sections, all sections together",
        |p| p.flops.into(),
    ),
    Field::new(
        "arithmetic",
        ValueKind::Integer,
        "operations",
        "that issued in the arithmetic slot",
        |p| p.arithmetic.into(),
    ),
    Field::new(
        "exchange",
        ValueKind::Integer,
        "operations",
        "that issued in the exchange slot",
        |p| p.exchange.into(),
    ),
    Field::new(
        "local_words",
        ValueKind::Integer,
        "words",
        "loaded and stored, all sections together",
        |p| p.local_words.into(),
    ),
    Field::or_null(
        "system_bytes",
        ValueKind::Integer,
        "bytes",
        "moved by the DMA channel; of the whole run only",
        |p| p.system_bytes.into(),
    ),
    Field::new(
        "flops_per_cycle",
        ValueKind::Number,
        "floating-point operations per cycle",
        "reached",
        |p| p.flops_per_cycle().into(),
    ),
    Field::or_null(
        "flops_per_word",
        ValueKind::Number,
        "floating-point operations per word",
        "of local memory that the kernel moved",
        |p| p.flops_per_word().into(),
    ),
    Field::or_null(
        "flops_per_byte",
        ValueKind::Number,
        "floating-point operations per byte",
        "of system memory that the channel moved",
        |p| p.flops_per_byte().into(),
    ),
    Field::or_null("ceiling", ValueKind::Text, "", "the lowest ceiling over it", |p| {
        p.bound.map(|(name, _)| name).into()
    }),
    Field::or_null(
        "attainable",
        ValueKind::Number,
        "floating-point operations per cycle",
        "that this ceiling allows",
        |p| p.bound.map(|(_, most)| most).into(),
    ),
    Field::new(
        "least_cycles",
        ValueKind::Integer,
        "cycles",
        "the fewest in which its operations could issue: those of the fuller slot",
        |p| p.least_cycles().into(),
    ),
];

fn point_schema() -> Value {
    document::schema(&POINT, &[])
}

const ROOFLINE: [Field<Roofline>; 2] = [
    Field::new("ceilings", ValueKind::Objects(ceiling_schema), "", "of the machine", |r| {
        r.ceilings.iter().map(|c| document::object(&CEILING, c)).collect()
    }),
    Field::new(
        "points",
        ValueKind::Objects(point_schema),
        "",
        "the whole run, its kernels, its loops",
        |r| r.points.iter().map(|p| document::object(&POINT, p)).collect(),
    ),
];
