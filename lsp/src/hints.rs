//! Hints within the text: cycle and half of each operation of linear code, interval and bound of each loop.

use crate::analysis::{AnalysedRegion, Analysis};
use crate::document::Document;
use cp2_asm::diagnostic::Span;
use cp2_asm::sched::{BlockReport, Hint, SlotOrigin};
use cp2_isa::Slot;
use gen_lsp_types::{InlayHint, Label, Range};
use std::collections::BTreeMap;

/// Most operations of a line that are named; a macro or a repetition may have written more there.
const MOST: usize = 3;

/// Document that was analysed, among its sources.
const DOCUMENT: u32 = 0;

/// Returns the hints of the lines of a range.
pub(crate) fn inlay_hints(
    document: &Document,
    analysis: &Analysis,
    range: Range,
) -> Vec<InlayHint> {
    let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for region in &analysis.regions {
        of_loops(document, region, &mut lines);
        of_operations(document, region, &mut lines);
    }
    let wanted = range.start.line as usize..=range.end.line as usize;
    let hint = |(line, mut texts): (usize, Vec<String>)| {
        let more = texts.len().saturating_sub(MOST);
        texts.truncate(MOST);
        if more > 0 {
            texts.push(format!("{more} more"));
        }
        InlayHint {
            position: document.end_of_line(line),
            label: Label::String(texts.join("; ")),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        }
    };
    lines.into_iter().filter(|(line, _)| wanted.contains(line)).map(hint).collect()
}

/// Returns the line of a place, if it is in the document.
fn line_of(document: &Document, span: Option<&Span>) -> Option<usize> {
    let span = span.filter(|span| span.file == DOCUMENT)?;
    Some(document.line_of(span.range.start))
}

/// Enters the interval of each loop, its bound, and the promises that would shorten it.
fn of_loops(
    document: &Document,
    region: &AnalysedRegion,
    lines: &mut BTreeMap<usize, Vec<String>>,
) {
    let mut hints = region.hints.iter();
    for block in region.report.blocks.iter().filter(|block| block.ii.is_some()) {
        let promised = hints.next().map_or(&[][..], Vec::as_slice);
        if let Some(line) = line_of(document, block.span.as_ref()) {
            lines.entry(line).or_default().push(of_loop(block, promised));
        }
    }
}

/// Returns what is told of a loop.
fn of_loop(block: &BlockReport, hints: &[Hint]) -> String {
    let bound = block.resource_bound.max(block.recurrence_bound.cycles);
    let mut text = format!("interval {} of bound {bound}", block.ii.unwrap_or(bound));
    if let Some(hint) = hints.iter().min_by_key(|hint| hint.ii.unwrap_or(hint.bound)) {
        let promises: Vec<_> = hint.promises.iter().map(ToString::to_string).collect();
        let count = match promises.len() {
            1 => "1 promise".to_owned(),
            n => format!("{n} promises"),
        };
        let to = match hint.ii {
            Some(ii) => format!("would make it {ii}"),
            None => format!("would make the bound {}", hint.bound),
        };
        text += &format!("; {count} {to}: {}", promises.join(", "));
    }
    text
}

/// Enters cycle and half of each operation: the cycle of its iteration in a pipelined loop, else the bundle of the region.
fn of_operations(
    document: &Document,
    region: &AnalysedRegion,
    lines: &mut BTreeMap<usize, Vec<String>>,
) {
    let mut times: BTreeMap<usize, String> = BTreeMap::new();
    for (number, placed) in region.bundles.iter().enumerate() {
        for origin in [placed.arith, placed.exch] {
            if let SlotOrigin::Op(op) = origin {
                times.entry(op).or_insert_with(|| format!("bundle {number}"));
            }
        }
    }
    for pipeline in region.report.blocks.iter().filter_map(|block| block.pipeline.as_ref()) {
        times.extend(pipeline.times.iter().map(|&(op, time)| (op, format!("cycle {time}"))));
    }
    for (op, time) in times {
        let Some(operation) = region.region.ops.get(op) else { continue };
        if let Some(line) = line_of(document, operation.span.as_ref()) {
            let half = match operation.code.row().slot {
                Slot::Arithmetic => "arithmetic",
                Slot::Exchange => "exchange",
            };
            lines.entry(line).or_default().push(format!("{time}, {half}"));
        }
    }
}
