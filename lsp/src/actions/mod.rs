//! Changes that an editor offers at a place: what the advice of a finding proposes, a finding that is allowed, promises that would shorten a
//! loop.

mod fixes;

use crate::analysis::{AnalysedProgram, Analysis};
use crate::document::Document;
use cp2_asm::diagnostic::Diagnostic as Finding;
use cp2_asm::linear::{Block, Loop, TripCount};
use cp2_asm::outline::{WordKind, outline};
use cp2_asm::sched::{BlockReport, Hint, MissingPromise};
use cp2_asm::{Scheduled, codes, suggested, without_comment};
use cp2_isa::doc::matching;
use cp2_isa::{Core, Exch};
use fixes::{Fix, INDENT, fix, scratch};
use gen_lsp_types::{CodeAction, CodeActionKind, Position, Range, TextEdit, Uri, WorkspaceEdit};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Returns what may be done about the findings and loops of some lines of a document. The analysis is of its version.
pub(crate) fn actions(document: &Document, analysis: &Analysis, range: Range) -> Vec<CodeAction> {
    let lines = range.start.line as usize..=range.end.line as usize;
    let mut all = Vec::new();
    for program in &analysis.programs {
        let place = Place { document, program, uri: Uri(analysis.uri.clone()) };
        for action in place.actions(&lines) {
            // Two findings may ask for the same change, and cases of a file test share lines.
            if !all.contains(&action) {
                all.push(action);
            }
        }
    }
    all
}

struct Place<'a> {
    document: &'a Document,
    program: &'a AnalysedProgram,
    uri: Uri,
}

impl Place<'_> {
    fn actions(&self, lines: &RangeInclusive<usize>) -> Vec<CodeAction> {
        let mut all = Vec::new();
        for finding in &self.program.diagnostics {
            if self.line_of(finding).is_some_and(|line| lines.contains(&line)) {
                all.extend(self.word(finding));
                all.extend(self.mended(finding));
                all.extend(self.allowed(finding));
            }
        }
        for region in &self.program.regions {
            let blocks = region.scheduled.report.blocks.iter();
            let loops = blocks.filter(|block| block.ii.is_some());
            for (block, of_loop) in loops.zip(region.hints.iter().flat_map(|all| all.iter())) {
                let hints = of_loop.hints.iter();
                let promise = |hint| self.promised((&region.scheduled, block), hint, lines);
                all.extend(hints.filter_map(promise));
            }
        }
        all
    }

    fn line_of(&self, finding: &Finding) -> Option<usize> {
        self.program.line_of(finding.span.as_ref())
    }

    fn action(&self, title: String, kind: CodeActionKind, edits: Vec<TextEdit>) -> CodeAction {
        let changes = HashMap::from([(self.uri.clone(), edits)]);
        let edit = WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
        CodeAction { title, kind: Some(kind), edit: Some(edit), ..CodeAction::default() }
    }

    /// Returns the change of the marked word to that which the advice names.
    fn word(&self, finding: &Finding) -> Option<CodeAction> {
        let range = finding.span.as_ref()?.range.clone();
        let word = suggested(finding.help.as_deref()?)?;
        let marked = &self.document.text()[range.clone()];
        // The mark before a name, and the `=` behind a key, may stand beside the marked word.
        let (mark, end) = (word.starts_with(['.', '%']), word.ends_with('='));
        let has_mark = marked.starts_with(['.', '%']);
        let word = if mark && !has_mark { &word[1..] } else { word };
        let word = if end && !marked.ends_with('=') { word.trim_end_matches('=') } else { word };
        let edit = TextEdit { range: self.document.range(range), new_text: word.to_owned() };
        let title = format!("Write `{word}` in place of `{marked}`");
        let action = self.action(title, CodeActionKind::QuickFix, vec![edit]);
        Some(CodeAction { is_preferred: Some(true), ..action })
    }

    /// Returns the change that follows the advice of a finding by rule.
    fn mended(&self, finding: &Finding) -> Option<CodeAction> {
        let span = finding.span.as_ref().filter(|span| self.program.is_own(span))?;
        let Fix { title, edits } = fix(self.document, finding, span.range.clone())?;
        let edit = |(range, new_text)| TextEdit { range: self.document.range(range), new_text };
        let edits = edits.into_iter().map(edit).collect();
        let action = self.action(title, CodeActionKind::QuickFix, edits);
        Some(CodeAction { is_preferred: Some(true), ..action })
    }

    /// Returns the change that allows a finding of the linter at a bundle.
    fn allowed(&self, finding: &Finding) -> Option<CodeAction> {
        codes::of_linter().find(|row| row.code == finding.code)?;
        let line = self.line_of(finding)?;
        let code = without_comment(self.document.line(line));
        // Lines of linear code and of macros are no bundles.
        let first = outline(code).into_iter().find(|word| word.kind == WordKind::Operation)?;
        let is_directive = outline(code).iter().any(|word| {
            word.kind == WordKind::Directive && code[word.range.clone()].starts_with('.')
        });
        if is_directive || matching(&code[first.range]).is_empty() {
            return None;
        }
        let (at, text) = match code.trim_end().strip_suffix(')').filter(|_| code.contains("@allow"))
        {
            Some(open) => (open.len(), format!(", {}", finding.code)),
            None => (code.len(), format!(" @allow({})", finding.code)),
        };
        let at = self.position(line, at);
        let edit = TextEdit { range: Range { start: at, end: at }, new_text: text };
        let title = format!("Allow {} here", finding.code);
        Some(self.action(title, CodeActionKind::QuickFix, vec![edit]))
    }

    fn position(&self, line: usize, byte: usize) -> Position {
        let begin = self.document.byte(Position { line: line as u32, character: 0 });
        self.document.position(begin + byte)
    }

    /// Returns the change that promises what would shorten a loop.
    fn promised(
        &self,
        (scheduled, block): (&Scheduled, &BlockReport),
        hint: &Hint,
        lines: &RangeInclusive<usize>,
    ) -> Option<CodeAction> {
        let line = self.program.line_of(block.span.as_ref())?;
        if !lines.contains(&line) {
            return None;
        }
        let mut text = without_comment(self.document.line(line)).to_owned();
        let end = self.position(line, text.len());
        let start = self.position(line, 0);
        let mut above = String::new();
        for promise in &hint.promises {
            match promise {
                MissingPromise::Min(n) => set(&mut text, "min", *n),
                MissingPromise::Multiple(n) => set(&mut text, "multiple", *n),
                MissingPromise::Disjoint(_) | MissingPromise::Even(_) => {
                    above += &format!("{INDENT}{promise}\n");
                }
            }
        }
        let edit = TextEdit { range: Range { start, end }, new_text: above + &text };
        let scratch = match needs_scratch(&self.program.core, scheduled, block) {
            true => Some(scratch(self.document, line)?),
            false => None,
        };
        let with = scratch
            .as_ref()
            .map_or(String::new(), |(free, ..)| format!(", with `.scratch {free}`"));
        let lent = scratch
            .map(|(_, range, new_text)| TextEdit { range: self.document.range(range), new_text });
        let promises: Vec<_> = hint.promises.iter().map(ToString::to_string).collect();
        // A large loop is not scheduled with the promise, so that its bound alone is known.
        let better = match hint.ii {
            Some(ii) => format!("interval {ii} in place of {}", block.ii?),
            None => format!("bound {} of the interval, which is {}", hint.bound, block.ii?),
        };
        let title = format!("Promise {}{with}: {better}", promises.join(", "));
        let edits = lent.into_iter().chain([edit]).collect();
        Some(self.action(title, CodeActionKind::RefactorRewrite, edits))
    }
}

/// Whether the loop of a block may need a general register that its region does not lend: its count is in a register, and a pipelined loop
/// counts fewer turns.
fn needs_scratch(core: &Core, scheduled: &Scheduled, block: &BlockReport) -> bool {
    let mut loops = Vec::new();
    collect_loops(&scheduled.region.blocks, &mut loops);
    let of = loops.iter().find(|of| of.span == block.span);
    // As many turns as stand in the operation itself.
    let most = Exch::Doi.row().operands.first().and_then(|operand| operand.kind.last(core));
    let is_short = |count: &TripCount| match count {
        TripCount::Fixed(n) => most.is_some_and(|most| i64::from(*n) <= i64::from(most)),
        _ => false,
    };
    scheduled.region.scratch.is_empty() && of.is_some_and(|of| !is_short(&of.count))
}

fn collect_loops<'a>(blocks: &'a [Block], all: &mut Vec<&'a Loop>) {
    for block in blocks {
        if let Block::Loop(inner) = block {
            all.push(inner);
            collect_loops(&inner.body, all);
        }
    }
}

/// Sets a key of the line of a loop.
fn set(line: &mut String, key: &str, value: u32) {
    let wanted = format!("{key}={value}");
    let found = line.find(&format!("{key}="));
    let Some(begin) = found else {
        *line += &format!(", {wanted}");
        return;
    };
    let end = line[begin..].find(',').map_or(line.len(), |end| begin + end);
    line.replace_range(begin..end, &wanted);
}
