//! What is told of a register at a place: what it is, from where to where its value lives there, and how many registers hold values.

use crate::analysis::{AnalysedProgram, AnalysedRegion};
use crate::lifetimes::KernelFlow;
use cp2_asm::linear::Reg;
use cp2_asm::sched::{BlockReport, SlotOrigin};
use cp2_isa::Core;
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

/// Returns what is told of a register of the machine that is written in a line, from 0.
pub(crate) fn register(
    core: &Core,
    program: Option<&AnalysedProgram>,
    (line, written): (usize, &str),
    is_linear: bool,
) -> Option<String> {
    let core = program.map_or(core, |program| &program.core);
    let (letters, number) = parts(written)?;
    let kind = KINDS.iter().find(|(name, _)| *name == letters)?.1;
    let mut text = format!("`{written}`: {kind}");
    if letters == "f" && usize::from(number) >= core.fprs() {
        let _ = write!(text, ". This core has `f0` to `f{}`", core.fprs() - 1);
    }
    let Some(program) = program else { return Some(text) };
    if is_linear && letters == "f" {
        text += &in_linear(program, (line, written));
        return Some(text);
    }
    let lives = program.bundles_of(line).filter_map(|address| {
        let kernel = program.image.kernels.iter().find(|k| k.range().contains(&address.index()))?;
        let flow = KernelFlow::of(program, kernel);
        flow.has(address, (letters, number)).then(|| flow.life(program, address, (letters, number)))
    });
    // An operation of linear code may issue in several bundles, those before and behind its loop.
    let most = if is_linear { 1 } else { usize::MAX };
    text.extend(lives.take(most));
    Some(text)
}

/// Returns the lifetimes of a register of linear code, virtual or of the machine, around a line, and how many registers hold values
/// there.
pub(crate) fn in_linear(program: &AnalysedProgram, (line, written): (usize, &str)) -> String {
    let core = &program.core;
    let Some(analysed) = program.region_at(line) else { return String::new() };
    let scheduled = &analysed.scheduled;
    let written = written.split('.').next().unwrap_or(written);
    let mut text = String::new();
    for block in &scheduled.report.blocks {
        let values = block.pipeline.iter().flat_map(|pipeline| &pipeline.values);
        for value in values.filter(|v| scheduled.region.register_name(v.name) == written) {
            let _ = write!(
                text,
                "\n\nin {} of {} registers of its loop: kept from cycle {}, last read in cycle {}",
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
        scheduled.report.blocks.iter().find_map(|block| in_loop(program, analysed, block, line));
    if let Some((alive, ii)) = of_loop {
        let _ = write!(
            text,
            "\n\n{alive} registers hold values of the loop at this operation, which issues in cycle {ii} of its iteration"
        );
    } else if let Some(bundle) = lives.bundle(program, analysed, line) {
        let _ = write!(text, "\n\n{} registers hold values at this operation", lives.alive(bundle));
    }
    let _ =
        write!(text, "\n\nthe region uses {} of {} FPRs", scheduled.report.registers, core.fprs());
    text
}

/// Returns the names of the virtual registers that the operations of a line have, in order, each once.
pub(crate) fn virtual_names(program: &AnalysedProgram, line: usize) -> Vec<String> {
    let Some(analysed) = program.region_at(line) else { return Vec::new() };
    let region = &analysed.scheduled.region;
    let here = region.ops.iter().filter(|op| program.line_of(op.span.as_ref()) == Some(line));
    let mut all: Vec<String> = Vec::new();
    for op in here {
        for access in region.fpr_accesses(op) {
            let name = region.register_name(access.reg);
            if name.starts_with('%') && !all.contains(&name) {
                all.push(name);
            }
        }
    }
    all
}

/// Returns how many registers hold values of a pipelined loop when the operation of a line issues, and the cycle in which it does.
fn in_loop(
    program: &AnalysedProgram,
    analysed: &AnalysedRegion,
    block: &BlockReport,
    line: usize,
) -> Option<(i64, i64)> {
    let (pipeline, ii) = (block.pipeline.as_ref()?, block.ii.filter(|&ii| ii > 0)?);
    let ops = &analysed.scheduled.region.ops;
    let is_here =
        |op: usize| ops.get(op).is_some_and(|op| program.line_of(op.span.as_ref()) == Some(line));
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
    fn bundle(
        &self,
        program: &AnalysedProgram,
        analysed: &AnalysedRegion,
        line: usize,
    ) -> Option<usize> {
        let ops = analysed.scheduled.region.ops.iter().enumerate();
        let mut here = ops.filter(|(_, op)| program.line_of(op.span.as_ref()) == Some(line));
        here.find_map(|(at, _)| self.places.get(&at).copied())
    }

    fn alive(&self, bundle: usize) -> usize {
        self.of.values().filter(|(first, last)| *first <= bundle && bundle <= *last).count()
    }
}
