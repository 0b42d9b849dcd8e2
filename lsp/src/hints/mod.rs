//! Hints within the text: cycle and halves of each operation, interval and bound of each loop. Those of regions that did not change
//! stay while the text is changed, and while it has errors elsewhere.

mod bundles;
mod lines;

use crate::analysis::{AnalysedRegion, Analysis};
use crate::document::Document;
use bundles::of_bundles;
use cp2_asm::Scheduled;
use cp2_asm::diagnostic::Span;
use cp2_asm::sched::{BlockReport, Hint, LoopHints, SlotOrigin};
use cp2_isa::{Core, Slot};
use gen_lsp_types::{InlayHint, Label, Range, Tooltip};
use lines::LineMap;
use std::collections::BTreeMap;

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
    (core, range): (&Core, Range),
) -> Vec<InlayHint> {
    let mut hints = LineHints::default();
    for analysis in analyses.iter().flatten() {
        let map = LineMap::between(&analysis.text, document.text());
        hints.serial = analysis.serial;
        let earlier = hints.regions.clone();
        for analysed in &analysis.regions {
            of_region(analysis, analysed, (&map, &earlier), &mut hints);
        }
        of_bundles(core, analysis, &map, &mut hints);
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
    analysis: &Analysis,
    analysed: &AnalysedRegion,
    (map, earlier): (&LineMap, &[std::ops::RangeInclusive<usize>]),
    hints: &mut LineHints,
) {
    let Some(lines) = analysis.lines_of(&analysed.scheduled) else { return };
    let (begin, end) = (*lines.start(), *lines.end());
    let (Some(first), Some(last)) = (map.later_line(begin), map.later_line(end)) else { return };
    let is_told = earlier.iter().any(|other| *other.start() <= last && first <= *other.end());
    if map.has_changed(&(begin..end + 1)) || is_told {
        return;
    }
    hints.regions.push(first..=last);
    let place = |span: Option<&Span>| map.later_line(analysis.line_of(span)?);
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
    for pipeline in blocks.iter().filter_map(|block| block.pipeline.as_ref()) {
        for &(op, time) in &pipeline.times {
            let Some(operation) = scheduled.region.ops.get(op) else { continue };
            let own = operation.code.row().slot == Slot::Arithmetic;
            let placed = times.entry(op).or_insert_with(|| (String::new(), own));
            placed.0 = format!("cycle {time}");
        }
    }
    for (op, (time, is_arithmetic)) in times {
        let Some(operation) = scheduled.region.ops.get(op) else { continue };
        if let Some(line) = place(operation.span.as_ref()) {
            let half = halves(is_arithmetic, !is_arithmetic);
            hints.texts.entry(line).or_default().push(format!("{time}, {half}"));
        }
    }
}
