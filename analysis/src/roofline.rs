//! The roofline of a run: the greatest rates of a machine, and how near the run and its loops come to them, in
//! floating-point operations (flops) per cycle against flops per word of local memory and per byte of system memory, of
//! all sections.

mod text;

use crate::program::NamedProgram;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Rows, dma_rate};
use cp2_emu::memory::Direction;
use cp2_emu::profile::BundleCost;
use cp2_isa::machine::Key;
use cp2_isa::{Arith, BundleAddress, Core, Exch, SECTIONS};
use cp2_recording::Counts;
use serde_json::Value;

/// Number of bytes of a word of local memory.
const WORD: f64 = 8.0;
/// Number of words that an exchange operation moves in a section at most.
const MOST_WORDS: f64 = 2.0;

/// The quantity whose rate a ceiling of a roofline limits, with the unit of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CeilingQuantity {
    /// Floating-point operations per cycle.
    Cycle,
    /// Words of local memory that the kernel loads and stores, per cycle.
    LocalWord,
    /// Words of local memory that the kernel or the DMA channel moves, per cycle.
    AnyLocalWord,
    /// Bytes of system memory that the DMA channel moves, per cycle.
    SystemByte,
}

impl CeilingQuantity {
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

/// A ceiling of a roofline: a part of the machine, and the greatest rate at which it works.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// Name of the part of the machine that is the limit.
    pub name: &'static str,
    /// Quantity that the rate is about: floating-point operations, words or bytes.
    pub per: CeilingQuantity,
    /// Greatest rate: floating-point operations, words or bytes per cycle, in all sections together.
    pub rate: f64,
    /// Greatest rate with the mix of operations of this run: its mean flops of an arithmetic operation, mean words of a
    /// load or store, or shares of the channel's directions. `None` if the run has no such mix.
    pub of_run: Option<f64>,
    /// Text for people that tells on which numbers of the machine [`Ceiling::rate`] is based.
    pub basis: String,
}

/// A point of a roofline: the work of a run, or of a part of it such as a loop, and the cycles that it took.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePoint {
    /// Name for people: `whole run`, `kernels`, or the place of a loop.
    pub name: String,
    /// Address of the `do` of a loop; `None` for other points.
    pub at: Option<u16>,
    /// Number of cycles, by which rates are divided. For a whole run it is [`Counts::rated_cycles`]: all cycles of the
    /// recording, but only those of kernels if CP2 ran alone.
    pub cycles: u64,
    /// Number of floating-point operations, each counted in every section that executed it.
    pub flops: u64,
    /// Number of arithmetic operations except `nop` that issued, each once for all sections: the cycles in which their
    /// slot was in use.
    pub arithmetic: u64,
    /// Number of exchange operations except `nop` that issued: the cycles in which their slot was in use.
    pub exchange: u64,
    /// Number of words of local memory that were loaded and stored, in all sections together.
    pub local_words: u64,
    /// Number of bytes of system memory that the DMA channel moved; `None` except for the whole run.
    pub system_bytes: Option<u64>,
    /// Name of the lowest ceiling over the point, and the flops per cycle that it allows; `None` if the point has no
    /// flops.
    pub bound: Option<(&'static str, f64)>,
}

impl RooflinePoint {
    /// Returns the number of floating-point operations per cycle, in all sections together.
    pub fn flops_per_cycle(&self) -> f64 {
        self.flops as f64 / self.cycles.max(1) as f64
    }

    /// Returns the flops per word of local memory loaded or stored; `None` if there was none.
    pub fn flops_per_word(&self) -> Option<f64> {
        (self.local_words > 0).then(|| self.flops as f64 / self.local_words as f64)
    }

    /// Returns the flops per byte of system memory that the channel moved; `None` if it moved none or that is not
    /// known.
    pub fn flops_per_byte(&self) -> Option<f64> {
        let bytes = self.system_bytes.filter(|bytes| *bytes > 0)?;
        Some(self.flops as f64 / bytes as f64)
    }

    /// Returns the fewest cycles in which the operations could issue: as many as the fuller of the two slots has
    /// operations.
    pub fn least_cycles(&self) -> u64 {
        self.arithmetic.max(self.exchange)
    }

    fn words_per_flop(&self, per: CeilingQuantity) -> Option<f64> {
        let beats = self.system_bytes.unwrap_or_default() as f64;
        let moved = match per {
            CeilingQuantity::Cycle => return None,
            CeilingQuantity::LocalWord => self.local_words as f64,
            CeilingQuantity::AnyLocalWord => self.local_words as f64 + beats / WORD,
            CeilingQuantity::SystemByte => beats,
        };
        (self.flops > 0 && moved > 0.0).then(|| moved / self.flops as f64)
    }
}

/// The roofline of a run: the ceilings of its machine, and the points of the run and its loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Ceilings of the machine: the greatest rates of its parts.
    pub ceilings: Vec<Ceiling>,
    /// Points: the whole run, then the kernels alone if they take fewer cycles, then the innermost loops.
    pub points: Vec<RooflinePoint>,
}

fn words_of(op: Exch) -> u64 {
    use cp2_isa::Unit;
    let row = op.row();
    let moves = matches!(row.unit, Unit::Load | Unit::Store);
    if moves { u64::from(row.words()) * SECTIONS as u64 } else { 0 }
}

/// Returns the point of a part that has done nothing yet.
pub(crate) fn empty(name: String) -> RooflinePoint {
    RooflinePoint {
        name,
        at: None,
        cycles: 0,
        flops: 0,
        arithmetic: 0,
        exchange: 0,
        local_words: 0,
        system_bytes: None,
        bound: None,
    }
}

/// Adds a bundle of a program to the point of a part, as often as it issued.
pub(crate) fn add(
    point: &mut RooflinePoint,
    program: &NamedProgram<'_>,
    (address, cost): (BundleAddress, &BundleCost),
) {
    point.cycles += cost.cycles();
    point.flops += cost.flops;
    let issues: u64 = cost.causes[..4].iter().sum();
    let Some(bundle) = program.bundle(address) else { return };
    point.arithmetic += issues * u64::from(bundle.arith.op != Arith::Nop);
    point.exchange += issues * u64::from(bundle.exch.op != Exch::Nop);
    point.local_words += issues * words_of(bundle.exch.op);
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
    /// Creates the roofline of a run on a core, with `counts` of the whole run. `config` is the machine, `None` if CP2
    /// ran alone. The first of the points has to be the whole run; their [`RooflinePoint::bound`] is set here.
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
                per: CeilingQuantity::Cycle,
                rate: flops * all,
                of_run: run_flops,
                basis: format!("`{name}` in every cycle, in {SECTIONS} sections"),
            },
            Ceiling {
                name: "exchange slot",
                per: CeilingQuantity::LocalWord,
                rate: MOST_WORDS * all,
                of_run: run_words,
                basis: format!("a double load or store in every cycle, in {SECTIONS} sections"),
            },
            Ceiling {
                name: "local memory",
                per: CeilingQuantity::AnyLocalWord,
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
                per: CeilingQuantity::SystemByte,
                rate: get.max(put),
                of_run: mixed,
                basis: format!("rows of 1 KiB, {get:.2} from memory and {put:.2} to memory"),
            });
        }
        points.iter_mut().for_each(|point| point.bound = bound(&ceilings, point));
        Self { ceilings, points }
    }

    /// Returns ceilings and points as a JSON object, which [`Self::schema`] describes.
    pub fn to_json(&self) -> Value {
        document::object(&ROOFLINE, self)
    }

    /// Returns the JSON Schema of [`Self::to_json`], with the unit and a description of every value.
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
        // A point has its own mean of flops and of words: operations that move none take the slot too.
        let most = match per {
            CeilingQuantity::Cycle => point.flops as f64 / point.arithmetic.max(1) as f64,
            CeilingQuantity::LocalWord => point.flops as f64 / point.exchange.max(1) as f64,
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
    Field::new("basis", ValueKind::Text, "", "what the rate is derived from", |c| {
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
