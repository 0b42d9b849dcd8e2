//! Findings of assembler and linter as a page shows them.

use crate::places::Places;
use cp2_asm::codes;
use cp2_asm::diagnostic::{Diagnostic, Severity, Sources, Span};
use serde_json::{Value, json};

/// Returns the findings, each with its place in the text, which is the first of the sources.
pub(crate) fn findings(diagnostics: &[Diagnostic], sources: &Sources, text: &str) -> Vec<Value> {
    let places = Places::new(text);
    diagnostics.iter().map(|finding| finding_json(finding, sources, &places)).collect()
}

fn finding_json(finding: &Diagnostic, sources: &Sources, places: &Places<'_>) -> Value {
    let own = finding.span.as_ref().filter(|span| span.file == 0);
    let elsewhere = finding.span.as_ref().filter(|span| span.file != 0);
    let mut message = finding.message.clone();
    if !finding.label.is_empty() {
        message += &format!(": {}", finding.label);
    }
    if let Some(span) = elsewhere {
        message = format!("{}: {message}", place(span, sources));
    }
    if finding.left_out > 0 {
        message += &format!("; {} more errors are not listed", finding.left_out);
    }
    let related = finding.related.iter().map(|(span, text)| {
        let line = (span.file == 0).then(|| places.line(span.range.start));
        json!({ "place": place(span, sources), "line": line, "text": text })
    });
    json!({
        "severity": match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "code": finding.code,
        "title": codes::find(finding.code).map_or("", |entry| entry.title),
        "message": message,
        "notes": finding.notes,
        "help": finding.help,
        "range": own.map(|span| places.range(&span.range)),
        "related": related.collect::<Vec<_>>(),
    })
}

fn place(span: &Span, sources: &Sources) -> String {
    format!("{}:{}", sources.name(span.file), sources.line_column(span).0)
}
