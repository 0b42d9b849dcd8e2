//! Hints within the text: cycle and halves of each operation, interval and bound of each loop. Those of regions that did not change
//! stay while the text is changed, and while it has errors elsewhere.

mod bundles;
mod lines;
mod recurrence;

use crate::analysis::{AnalysedProgram, AnalysedRegion, Analysis};
use crate::document::Document;
use bundles::of_bundles;
use cp2_asm::Scheduled;
use cp2_asm::diagnostic::Span;
use cp2_asm::linear::Block;
use cp2_asm::sched::{BlockReport, Hint, LoopHints, SlotOrigin};
use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Slot};
use gen_lsp_types::{InlayHint, Label, Range, Tooltip};
use lines::LineMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most operations of a line that are named; a macro or a repetition may have written more there.
const MOST: usize = 3;

/// Hints by the line of the document, from 0.
#[derive(Default)]
struct LineHints {
    texts: BTreeMap<usize, Vec<String>>,
    /// More about the hints of a line, which is shown when it is pointed at.
    more: BTreeMap<usize, String>,
    /// Lines of regions that have their hints.
    regions: Vec<std::ops::RangeInclusive<usize>>,
    /// Lines whose bundles have their hints, by the number of the analysis that they are from.
    bundles: BTreeMap<usize, u64>,
    /// Number of the analysis at hand.
    serial: u64,
}

impl LineHints {
    /// Enters the hint of a bundle, unless a later analysis has told of its line.
    fn bundle(&mut self, line: usize, text: &str) {
        let serial = self.serial;
        let is_in_region = self.regions.iter().any(|lines| lines.contains(&line));
        if !is_in_region && *self.bundles.entry(line).or_insert(serial) == serial {
            self.texts.entry(line).or_default().push(text.to_owned());
        }
    }
}

/// Returns the name of the halves that a bundle uses.
fn halves(arithmetic: bool, exchange: bool) -> &'static str {
    match (arithmetic, exchange) {
        (true, true) => "arithmetic and exchange",
        (true, false) => "arithmetic",
        (false, true) => "exchange",
        (false, false) => "",
    }
}

/// Returns the hints of the lines of a range, by analyses of this text or an earlier one, the last first.
pub(crate) fn inlay_hints(
    document: &Document,
    analyses: &[Option<&Analysis>],
    range: Range,
) -> Vec<InlayHint> {
    let mut hints = LineHints::default();
    for analysis in analyses.iter().flatten() {
        let map = LineMap::between(&analysis.text, document.text());
        hints.serial = analysis.serial;
        let earlier = hints.regions.clone();
        for program in &analysis.programs {
            for analysed in &program.regions {
                of_region(program, analysed, (&map, &earlier), &mut hints);
            }
            of_bundles(program, &map, &mut hints);
        }
    }
    let wanted = range.start.line as usize..=range.end.line as usize;
    let LineHints { texts, mut more, .. } = hints;
    let hint = |(line, mut texts): (usize, Vec<String>)| {
        let left_out = texts.len().saturating_sub(MOST);
        texts.truncate(MOST);
        if left_out > 0 {
            texts.push(format!("{left_out} more"));
        }
        InlayHint {
            position: document.end_of_line(line),
            label: Label::String(texts.join("; ")),
            kind: None,
            text_edits: None,
            tooltip: more.remove(&line).map(Tooltip::String),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        }
    };
    texts.into_iter().filter(|(line, _)| wanted.contains(line)).map(hint).collect()
}

/// Enters the hints of a region, if its lines are as they were and no later analysis has told of them.
fn of_region(
    program: &AnalysedProgram,
    analysed: &AnalysedRegion,
    (map, earlier): (&LineMap, &[std::ops::RangeInclusive<usize>]),
    hints: &mut LineHints,
) {
    let lines = program.lines_of(&analysed.scheduled);
    let Some(lines) = lines.filter(|lines| program.has_line(*lines.start())) else { return };
    let (begin, end) = (*lines.start(), *lines.end());
    let (Some(first), Some(last)) = (map.later_line(begin), map.later_line(end)) else { return };
    let is_told = earlier.iter().any(|other| *other.start() <= last && first <= *other.end());
    if map.has_changed(&(begin..end + 1)) || is_told {
        return;
    }
    hints.regions.push(first..=last);
    let place = |span: Option<&Span>| map.later_line(program.line_of(span)?);
    of_loops(analysed, &place, hints);
    of_operations(&analysed.scheduled, &place, hints);
}

/// Enters the interval of each loop, its bound, and the promises that would shorten it.
fn of_loops(
    analysed: &AnalysedRegion,
    place: &dyn Fn(Option<&Span>) -> Option<usize>,
    hints: &mut LineHints,
) {
    let mut promised = analysed.hints.iter().flat_map(|all| all.iter());
    let blocks = analysed.scheduled.report.blocks.iter();
    for block in blocks.filter(|block| block.ii.is_some()) {
        let promised = promised.next();
        let Some(line) = place(block.span.as_ref()) else { continue };
        hints.texts.entry(line).or_default().push(of_loop(block, promised));
        hints.more.insert(line, more_of_loop(analysed.hints.is_some(), promised));
    }
    of_outer_loops(analysed, &analysed.scheduled.region.blocks, place, hints);
}

/// Enters what is told of loops around others: the bundles of a turn, each once, and the intervals of the loops in it.
fn of_outer_loops(
    analysed: &AnalysedRegion,
    blocks: &[Block],
    place: &dyn Fn(Option<&Span>) -> Option<usize>,
    hints: &mut LineHints,
) {
    let scheduled = &analysed.scheduled;
    for outer in blocks.iter().filter_map(|block| match block {
        Block::Loop(outer) if outer.body.iter().any(|b| matches!(b, Block::Loop(_))) => Some(outer),
        _ => None,
    }) {
        of_outer_loops(analysed, &outer.body, place, hints);
        let mut inner = Vec::new();
        loops_in(&outer.body, &mut inner);
        let reports = scheduled.report.blocks.iter();
        let of_inner =
            reports.filter(|report| report.ii.is_some() && inner.contains(&report.span.as_ref()));
        let intervals: Vec<String> = of_inner.filter_map(|r| Some(r.ii?.to_string())).collect();
        let Some(line) = place(outer.span.as_ref()) else { continue };
        let noun = if intervals.len() == 1 { "a loop of interval" } else { "loops of intervals" };
        let mut text = format!("around {noun} {}", intervals.join(", "));
        if let Some(bundles) = turn_of(scheduled, &outer.body) {
            text = format!("{bundles} bundles, {text}");
        }
        hints.texts.entry(line).or_default().push(text);
    }
}

/// Collects the places of the innermost loops of some blocks.
fn loops_in<'a>(blocks: &'a [Block], all: &mut Vec<Option<&'a Span>>) {
    for block in blocks {
        if let Block::Loop(inner) = block {
            all.push(inner.span.as_ref());
            loops_in(&inner.body, all);
        }
    }
}

/// Returns the operations of some blocks.
fn operations_in(blocks: &[Block], all: &mut BTreeSet<usize>) {
    for block in blocks {
        match block {
            Block::Straight(range) => all.extend(range.clone()),
            Block::Loop(inner) => operations_in(&inner.body, all),
        }
    }
}

/// Returns the bundles in the body of the hardware loop that a loop around some blocks became: the shortest that has all their operations.
fn turn_of(scheduled: &Scheduled, body: &[Block]) -> Option<usize> {
    let mut wanted = BTreeSet::new();
    operations_in(body, &mut wanted);
    let places: Vec<usize> = (0..scheduled.bundles.len())
        .filter(|k| {
            let placed = &scheduled.bundles[*k];
            [placed.arith, placed.exch]
                .iter()
                .any(|origin| matches!(origin, SlotOrigin::Op(op) if wanted.contains(op)))
        })
        .collect();
    let (first, last) = (*places.first()?, *places.last()?);
    let loops = scheduled.bundles.iter().enumerate().filter_map(|(k, placed)| {
        let (_, end) = placed.bundle.exch.hardware_loop()?;
        let body = Body::behind(BundleAddress::from_index(k), end);
        Some((body.start.index(), body.last().index()))
    });
    let around = loops.filter(|(begin, end)| *begin <= first && last <= *end);
    around.map(|(begin, end)| end + 1 - begin).min()
}

/// Returns how promises are counted.
fn counted(hint: &Hint) -> String {
    match hint.promises.len() {
        1 => "1 promise".to_owned(),
        n => format!("{n} promises"),
    }
}

/// Returns promises as they are written.
pub(crate) fn written(hint: &Hint) -> String {
    let promises: Vec<_> = hint.promises.iter().map(ToString::to_string).collect();
    promises.join(", ")
}

/// Returns the hint that wins most.
pub(crate) fn best(hints: &LoopHints) -> Option<&Hint> {
    hints.hints.iter().min_by_key(|hint| hint.ii.unwrap_or(hint.bound))
}

/// Returns what is told of a loop.
fn of_loop(block: &BlockReport, promised: Option<&LoopHints>) -> String {
    let bound = block.resource_bound.max(block.recurrence_bound.cycles);
    let mut text = format!("interval {} of bound {bound}", block.ii.unwrap_or(bound));
    let Some(all) = promised else { return text };
    if let Some(hint) = best(all) {
        let to = match hint.ii {
            Some(ii) => format!("would make it {ii}"),
            None => format!("would make the bound {}", hint.bound),
        };
        text += &format!("; {} {to}: {}", counted(hint), written(hint));
    }
    if !all.is_complete {
        text += "; not all promises tried";
    }
    text
}

/// Returns what is told of a loop to one who points at its hint.
fn more_of_loop(is_tried: bool, promised: Option<&LoopHints>) -> String {
    let Some(all) = promised else {
        return match is_tried {
            true => "Promises were not tried.".to_owned(),
            false => "Promises are being tried.".to_owned(),
        };
    };
    let mut text = match all.hints.is_empty() {
        true => "No promise was found that would shorten the loop.".to_owned(),
        false => "Whether promises hold is the author's to know.".to_owned(),
    };
    for hint in &all.hints {
        let to = match hint.ii {
            Some(ii) => format!("interval {ii}"),
            None => format!("bound {}, not scheduled", hint.bound),
        };
        text += &format!("\n{}: {to}", written(hint));
    }
    if !all.is_complete {
        text += "\nNot all promises were tried: that would take more work than a region is given.";
    }
    text
}

/// Enters cycle and half of each operation: the cycle of its iteration in a pipelined loop; else its cycle in the region, or the number
/// of its bundle where a loop before it takes a time of its own.
fn of_operations(
    scheduled: &Scheduled,
    place: &dyn Fn(Option<&Span>) -> Option<usize>,
    hints: &mut LineHints,
) {
    // Copies may be made by either half.
    let mut times: BTreeMap<usize, (String, bool)> = BTreeMap::new();
    let mut unit = "cycle";
    for (number, placed) in scheduled.bundles.iter().enumerate() {
        for (origin, is_arithmetic) in [(placed.arith, true), (placed.exch, false)] {
            if let SlotOrigin::Op(op) = origin {
                times.entry(op).or_insert_with(|| (format!("{unit} {number}"), is_arithmetic));
            }
        }
        if placed.bundle.exch.hardware_loop().is_some() {
            unit = "bundle";
        }
    }
    let blocks = &scheduled.report.blocks;
    let placed: BTreeSet<usize> = times.keys().copied().collect();
    for pipeline in blocks.iter().filter_map(|block| block.pipeline.as_ref()) {
        for &(op, time) in &pipeline.times {
            let Some(operation) = scheduled.region.ops.get(op) else { continue };
            let own = operation.code.row().slot == Slot::Arithmetic;
            let placed = times.entry(op).or_insert_with(|| (String::new(), own));
            placed.0 = format!("cycle {time}");
        }
    }
    let line_of = |op: usize| place(scheduled.region.ops.get(op)?.span.as_ref());
    // An operation that another one does too has its time.
    let gone = blocks.iter().flat_map(|block| &block.merged);
    let gone: BTreeMap<usize, usize> =
        gone.copied().filter(|(gone, _)| !placed.contains(gone)).collect();
    for (gone, by) in &gone {
        if let Some(time) = times.get(by).cloned() {
            times.insert(*gone, time);
        }
    }
    for (op, (time, is_arithmetic)) in times {
        let Some(line) = line_of(op) else { continue };
        let mut text = format!("{time}, {}", halves(is_arithmetic, !is_arithmetic));
        if let Some(by) = gone.get(&op).and_then(|by| line_of(*by)) {
            text += &format!(", one with line {}", by + 1);
        }
        hints.texts.entry(line).or_default().push(text);
    }
}
