//! Findings of assembler, linter and scheduler as diagnostics of the protocol.

use crate::analysis::{AnalysedProgram, Analysis};
use crate::document::{Document, Encoding};
use crate::hints::{best, written};
use crate::uri::uri_of;
use crate::words::name_of;
use cp2_asm::codes;
use cp2_asm::diagnostic::{Diagnostic as Finding, Severity, Span};
use cp2_asm::outline::{OutlineWord, WordKind};
use cp2_asm::sched::LoopHints;
use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Message, Range,
    Uri,
};

/// Returns the diagnostics of a document.
pub(crate) fn diagnostics(
    document: &Document,
    analysis: &Analysis,
    encoding: Encoding,
) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for program in &analysis.programs {
        let places = Places { document, analysis, program, encoding };
        let found = program.diagnostics.iter().map(|finding| places.diagnostic(finding));
        for diagnostic in found.chain(places.promises()).collect::<Vec<_>>() {
            // Cases of a file test share lines, and a text may be included twice.
            if !all.contains(&diagnostic) {
                all.push(diagnostic);
            }
        }
    }
    all
}

struct Places<'a> {
    document: &'a Document,
    analysis: &'a Analysis,
    program: &'a AnalysedProgram,
    encoding: Encoding,
}

impl Places<'_> {
    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let severity = match finding.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        };
        let mut text = finding.message.clone();
        if !finding.label.is_empty() {
            text += &format!(": {}", finding.label);
        }
        for note in &finding.notes {
            text += &format!("\n{note}");
        }
        if let Some(help) = &finding.help {
            text += &format!("\nhelp: {help}");
        }
        if finding.left_out > 0 {
            text += &format!("\n{} more errors are not listed", finding.left_out);
        }
        let own = finding.span.as_ref().filter(|span| self.program.is_own(span));
        let mut related: Vec<_> =
            finding.related.iter().map(|(span, text)| (span.clone(), text.clone())).collect();
        // A finding in a text that is included is told where it is included.
        if let (None, Some(span)) = (own, &finding.span) {
            related.insert(0, (span.clone(), "here".to_owned()));
        }
        let related = related.into_iter().map(|(span, message)| DiagnosticRelatedInformation {
            location: self.location(&span),
            message,
        });
        let title = codes::find(finding.code).map_or("", |entry| entry.title);
        Diagnostic {
            range: match (own, &finding.span) {
                (Some(span), _) => self.document.range(span.range.clone()),
                (None, Some(span)) => self.inclusion(self.program.sources.name(span.file)),
                (None, None) => Range::default(),
            },
            severity: Some(severity),
            code: Some(finding.code)
                .filter(|code| !code.is_empty())
                .map(|code| Code::String(code.to_owned())),
            source: Some(if title.is_empty() { "cp2".to_owned() } else { format!("cp2, {title}") }),
            message: Message::String(text),
            related_information: Some(related.collect()),
            ..Diagnostic::default()
        }
    }

    /// Returns the place of the `.include` of a file, or of the first one where another text includes it; the begin of the text if
    /// there is none.
    fn inclusion(&self, file: &str) -> Range {
        let name = std::path::Path::new(file).file_name().map(|name| name.to_string_lossy());
        let text = self.document.text();
        let words = self.document.words().iter();
        let mut all = words
            .filter(|word| word.kind == WordKind::Directive && name_of(text, word) == ".include");
        let rest = |word: &OutlineWord| text[word.range.end..].lines().next().unwrap_or_default();
        let is_own =
            |word: &&OutlineWord| name.as_ref().is_some_and(|name| rest(word).contains(&**name));
        let found = all.clone().find(is_own).or_else(|| all.next());
        found.map_or_else(Range::default, |word| {
            let end = word.range.end + rest(word).trim_end().len();
            self.document.range(word.range.start..end)
        })
    }

    /// Returns what is told of loops that promises would shorten.
    fn promises(&self) -> impl Iterator<Item = Diagnostic> {
        self.program.regions.iter().flat_map(|region| {
            let blocks = region.scheduled.report.blocks.iter();
            let loops = blocks.filter_map(|block| Some((block.span.as_ref()?, block.ii?)));
            let tried = region.hints.iter().flat_map(|all| all.iter());
            loops.zip(tried).filter_map(|((span, ii), hints)| self.promise(span, ii, hints))
        })
    }

    fn promise(&self, span: &Span, ii: i64, hints: &LoopHints) -> Option<Diagnostic> {
        let hint = best(hints)?;
        let range = Some(span).filter(|span| self.program.is_own(span))?.range.clone();
        let wins = match hint.ii {
            Some(least) => format!("the interval {least} in place of {ii}"),
            None => format!("the bound of the interval {}; the interval is {ii}", hint.bound),
        };
        let would = if hint.promises.len() == 1 { "this promise" } else { "these promises" };
        let written = written(hint);
        Some(Diagnostic {
            range: self.document.range(range),
            severity: Some(DiagnosticSeverity::Information),
            source: Some("cp2, missing promise".to_owned()),
            message: Message::String(format!("{would} would make {wins}: {written}")),
            ..Diagnostic::default()
        })
    }

    fn location(&self, span: &Span) -> Location {
        if self.program.is_own(span) {
            let range = self.document.range(span.range.clone());
            return Location { uri: Uri(self.analysis.uri.clone()), range };
        }
        let sources = &self.program.sources;
        let other = Document::new(sources.text(span.file).to_owned(), 0, self.encoding);
        Location {
            uri: Uri(uri_of(sources.name(span.file))),
            range: other.range(span.range.clone()),
        }
    }
}
