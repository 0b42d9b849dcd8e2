//! What is told of a register at a place: what it is, from where to where its value lives there, and how many registers hold values.

use crate::analysis::{AnalysedRegion, Analysis};
use cp2_asm::image::Kernel;
use cp2_asm::linear::Reg;
use cp2_asm::sched::{BlockReport, SlotOrigin};
use cp2_isa::{Access, AccessMode, Bundle, BundleAddress, Core, Halves, Resource, Unit, decode};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Letters of registers with what they are.
const KINDS: [(&str, &str); 9] = [
    (
        "f",
        "floating-point register: 64 bits in each section, which are two numbers of 32 bits, `.lo` and `.hi`",
    ),
    ("g", "general register: 64 bits, for counts, addresses and words from the host"),
    ("i", "index register"),
    ("r", "address set: address `a`, step `n` and mode `m` of this number"),
    ("a", "address of the address set of this number, in words of local memory"),
    ("n", "step of the address set of this number, in words"),
    ("m", "mode of the address set of this number: plain, modulo or bit-reversed"),
    ("s", "section"),
    ("cc", "condition code: a bit in each section, by which a bundle is predicated"),
];

/// Returns letters and number of a register; `None` for one by name, such as `status`.
fn parts(written: &str) -> Option<(&str, u8)> {
    let written = written.split('.').next()?;
    let digits = written.find(|c: char| c.is_ascii_digit())?;
    Some((&written[..digits], written[digits..].parse().ok()?))
}

/// Whether a register by its letters has a resource.
fn is_of(resource: Resource, (letters, number): (&str, u8)) -> bool {
    match resource {
        Resource::Fpr(n, _) => letters == "f" && n == number,
        Resource::Gpr(n) => letters == "g" && n == number,
        Resource::Ireg(n) => letters == "i" && n == number,
        Resource::A(n) => ["a", "r"].contains(&letters) && n == number,
        Resource::N(n) => letters == "n" && n == number,
        Resource::M(n) => letters == "m" && n == number,
        Resource::Fccr(n) => letters == "cc" && n == number,
        _ => false,
    }
}

/// Returns what is told of a register of the machine that is written in a line, from 0.
pub(crate) fn register(
    core: &Core,
    analysis: Option<&Analysis>,
    (line, written): (usize, &str),
    is_linear: bool,
) -> Option<String> {
    let (letters, number) = parts(written)?;
    let kind = KINDS.iter().find(|(name, _)| *name == letters)?.1;
    let mut text = format!("`{written}`: {kind}");
    if letters == "f" && usize::from(number) >= core.fprs() {
        let _ = write!(text, ". This core has `f0` to `f{}`", core.fprs() - 1);
    }
    let Some(analysis) = analysis else { return Some(text) };
    match is_linear {
        true if letters == "f" => text += &in_linear(core, analysis, (line, written)),
        true => {}
        false => {
            for address in analysis.bundles_of(line) {
                text += &in_bundles(core, analysis, address, (letters, number)).unwrap_or_default();
            }
        }
    }
    Some(text)
}

/// A kernel of bundles as they are written, by their addresses, each with its accesses.
type Accesses = BTreeMap<BundleAddress, (Bundle, Vec<Access>)>;

/// Returns the bundles of a kernel with their accesses.
fn accesses(core: &Core, kernel: &Kernel) -> Accesses {
    let decoded = kernel.bundles().filter_map(|(address, word)| {
        let bundle = decode(word, core).ok()?;
        let mut accesses = Vec::new();
        bundle.footprint(&mut |access| accesses.push(access));
        Some((address, (bundle, accesses)))
    });
    decoded.collect()
}

/// Returns the lifetime of a register around a bundle, in the order of the bundles, and how many FPRs hold values there.
fn in_bundles(
    core: &Core,
    analysis: &Analysis,
    at: BundleAddress,
    register: (&str, u8),
) -> Option<String> {
    let kernel = analysis.image.kernels.iter().find(|k| k.range().contains(&at.index()))?;
    let bundles = accesses(core, kernel);
    let is_written = |a: &Access| is_of(a.resource, register) && a.mode != AccessMode::Use;
    let is_read = |a: &Access| is_of(a.resource, register) && a.mode == AccessMode::Use;
    let has = |address: BundleAddress, is: &dyn Fn(&Access) -> bool| {
        bundles.get(&address).and_then(|(_, all)| all.iter().find(|access| is(access)))
    };
    let place = |address: BundleAddress| {
        let line = analysis.image.lines.get(&address);
        let line = line.map_or(String::new(), |place| format!(" (line {})", place.line));
        format!("bundle {}{line}", address.0 - kernel.start.0)
    };
    // The value that the bundle writes, or else the one that it reads.
    let writes_here = has(at, &is_written).is_some();
    let before = bundles.range(..at).rev().map(|(address, _)| *address);
    let written = if writes_here {
        Some(at)
    } else {
        before.into_iter().find(|&a| has(a, &is_written).is_some())
    };
    let mut text = String::from("\n\n");
    match written.and_then(|address| Some((address, has(address, &is_written)?))) {
        Some((address, access)) => {
            let lands = core.latencies().distance(access.unit, access.resource, Unit::Arithmetic);
            let _ =
                write!(text, "written in {}, can be read {lands} bundles later", place(address));
        }
        None => text += "its value is older than the kernel",
    }
    let begin = written.unwrap_or(kernel.start);
    let next = bundles.range(BundleAddress(begin.0 + 1)..).map(|(address, _)| *address);
    let next = next.into_iter().find(|&address| has(address, &is_written).is_some());
    let end = next.map_or(u16::MAX, |next| next.0);
    let mut reads = bundles.range(begin..=BundleAddress(end)).map(|(address, _)| *address);
    let is_last =
        |&a: &BundleAddress| (a != begin || written.is_none()) && has(a, &is_read).is_some();
    let last = reads.rfind(is_last);
    text += &match last {
        Some(last) => format!("; last read in {}", place(last)),
        None => "; not read behind that, in the order of the bundles".to_owned(),
    };
    if let Some(next) = next {
        let _ = write!(text, "; written again in {}", place(next));
    }
    let _ = write!(
        text,
        "\n\n{} of {} FPRs hold a value here that is read later",
        alive(&bundles, at),
        core.fprs()
    );
    Some(text)
}

/// Returns the number of FPRs that hold a value before a bundle which is read there or later: behind it, or in a further turn of a
/// hardware loop around it.
fn alive(bundles: &Accesses, at: BundleAddress) -> usize {
    // Bits of low and high halves, by the number of the register.
    type Live = [Halves; 256];
    let halves = |all: &[Access], is_use: bool| {
        let mut found: Live = [Halves::empty(); 256];
        for access in all {
            if let Resource::Fpr(number, halves) = access.resource
                && match access.mode {
                    AccessMode::Use => is_use,
                    AccessMode::Define => !is_use,
                    _ => false,
                }
            {
                found[usize::from(number)] |= halves;
            }
        }
        found
    };
    let mut live: BTreeMap<BundleAddress, Live> = BTreeMap::new();
    let back: BTreeMap<u16, BundleAddress> = bundles
        .iter()
        .filter_map(|(address, (bundle, _))| {
            let (_, end) = bundle.exch.hardware_loop()?;
            Some((end.0.saturating_add(1), BundleAddress(address.0 + 1)))
        })
        .collect();
    loop {
        let mut has_changed = false;
        for (address, (_, accesses)) in bundles.iter().rev() {
            let next =
                [Some(BundleAddress(address.0.saturating_add(1))), back.get(&address.0).copied()];
            let mut now: Live = [Halves::empty(); 256];
            for live in next.into_iter().flatten().filter_map(|next| live.get(&next)) {
                now.iter_mut().zip(live).for_each(|(now, live)| *now |= *live);
            }
            let (used, defined) = (halves(accesses, true), halves(accesses, false));
            for ((now, used), defined) in now.iter_mut().zip(used).zip(defined) {
                *now = (*now - defined) | used;
            }
            has_changed |= live.insert(*address, now) != Some(now);
        }
        if !has_changed {
            break;
        }
    }
    live.get(&at).map_or(0, |live| live.iter().filter(|halves| !halves.is_empty()).count())
}

/// Returns the lifetimes of a register of linear code, virtual or of the machine, around a line, and how many registers hold values
/// there.
pub(crate) fn in_linear(
    core: &Core,
    analysis: &Analysis,
    (line, written): (usize, &str),
) -> String {
    let Some(analysed) = analysis.region_at(line) else { return String::new() };
    let scheduled = &analysed.scheduled;
    let written = written.split('.').next().unwrap_or(written);
    let mut text = String::new();
    for block in &scheduled.report.blocks {
        let values = block.pipeline.iter().flat_map(|pipeline| &pipeline.values);
        for value in values.filter(|v| scheduled.region.register_name(v.name) == written) {
            let _ = write!(
                text,
                "\n\nin {} of {} registers of its loop: lands in cycle {}, last read in cycle {}",
                value.registers.len(),
                block.registers,
                value.first,
                value.last,
            );
        }
    }
    let lives = Lives::of(analysed);
    if text.is_empty()
        && let Some((first, last)) = lives.named(analysed, written)
    {
        let _ = write!(text, "\n\nfrom bundle {first} to bundle {last} of its region");
    }
    let of_loop =
        scheduled.report.blocks.iter().find_map(|block| in_loop(analysis, analysed, block, line));
    if let Some((alive, ii)) = of_loop {
        let _ = write!(
            text,
            "\n\n{alive} registers hold values of the loop at this operation, which issues in cycle {ii} of its iteration"
        );
    } else if let Some(bundle) = lives.bundle(analysis, analysed, line) {
        let _ = write!(text, "\n\n{} registers hold values at this operation", lives.alive(bundle));
    }
    let _ =
        write!(text, "\n\nthe region uses {} of {} FPRs", scheduled.report.registers, core.fprs());
    text
}

/// Returns how many registers hold values of a pipelined loop when the operation of a line issues, and the cycle in which it does.
fn in_loop(
    analysis: &Analysis,
    analysed: &AnalysedRegion,
    block: &BlockReport,
    line: usize,
) -> Option<(i64, i64)> {
    let (pipeline, ii) = (block.pipeline.as_ref()?, block.ii.filter(|&ii| ii > 0)?);
    let ops = &analysed.scheduled.region.ops;
    let is_here =
        |op: usize| ops.get(op).is_some_and(|op| analysis.line_of(op.span.as_ref()) == Some(line));
    let time = pipeline.times.iter().find(|(op, _)| is_here(*op))?.1;
    // Iterations begin an interval apart: as many of them have the value at once.
    let turns = |value: &cp2_asm::sched::Lifetime| {
        (value.last - time).div_euclid(ii) - (value.first - 1 - time).div_euclid(ii)
    };
    Some((pipeline.values.iter().map(turns).sum(), time))
}

/// Bundles of a region from which, and to which, each register holds values.
struct Lives {
    of: BTreeMap<Reg, (usize, usize)>,
    /// First bundle of each operation.
    places: BTreeMap<usize, usize>,
}

impl Lives {
    fn of(analysed: &AnalysedRegion) -> Self {
        let (region, bundles) = (&analysed.scheduled.region, &analysed.scheduled.bundles);
        let (mut of, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (number, placed) in bundles.iter().enumerate() {
            for origin in [placed.arith, placed.exch] {
                let SlotOrigin::Op(at) = origin else { continue };
                places.entry(at).or_insert(number);
                let Some(op) = region.ops.get(at) else { continue };
                for access in region.fpr_accesses(op) {
                    let life = of.entry(access.reg).or_insert((number, number));
                    life.1 = number;
                }
            }
        }
        Self { of, places }
    }

    fn named(&self, analysed: &AnalysedRegion, written: &str) -> Option<(usize, usize)> {
        let region = &analysed.scheduled.region;
        self.of
            .iter()
            .find(|(reg, _)| region.register_name(**reg) == written)
            .map(|(_, life)| *life)
    }

    /// Returns the first bundle of the operation of a line.
    fn bundle(&self, analysis: &Analysis, analysed: &AnalysedRegion, line: usize) -> Option<usize> {
        let ops = analysed.scheduled.region.ops.iter().enumerate();
        let mut here = ops.filter(|(_, op)| analysis.line_of(op.span.as_ref()) == Some(line));
        here.find_map(|(at, _)| self.places.get(&at).copied())
    }

    fn alive(&self, bundle: usize) -> usize {
        self.of.values().filter(|(first, last)| *first <= bundle && bundle <= *last).count()
    }
}
