//! What the linter finds, and how a finding becomes a diagnostic with a place in the source.

use cp2_ir::diagnostic::{Diagnostic, Severity, Sources, Span};
use cp2_ir::image::{Image, Place};
use cp2_ir::text::without_comment;
use cp2_isa::{BundleAddress, Core, decode};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Distances of a finding about two accesses, in cycles from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distances {
    /// What the program has on the shortest path.
    pub found: u32,
    /// The least at which nothing is wrong.
    pub needed: u32,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code, `C0501`.
    pub code: &'static str,
    /// An error is what the machine stops on.
    pub severity: Severity,
    /// Bundle at which it is reported; a mark there silences it.
    pub address: BundleAddress,
    /// What is wrong.
    pub message: String,
    /// Text at the bundle.
    pub label: String,
    /// Further bundles, each with a text.
    pub related: Vec<(BundleAddress, String)>,
    /// Distances, where the finding is about two accesses.
    pub distances: Option<Distances>,
    /// What to do.
    pub help: String,
}

impl Finding {
    /// A warning with nothing but its place and text.
    pub(super) fn new(
        code: &'static str,
        address: BundleAddress,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Warning,
            address,
            message: message.into(),
            label: String::new(),
            related: Vec::new(),
            distances: None,
            help: String::new(),
        }
    }

    /// Adds the text at the bundle.
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds what to do.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds a further bundle.
    pub(super) fn related(mut self, address: BundleAddress, text: impl Into<String>) -> Self {
        self.related.push((address, text.into()));
        self
    }

    /// Makes it an error.
    pub(super) fn error(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }
}

/// A bundle's place as `kernel+offset`, the offset in bundles.
pub fn place_name(image: &Image, address: BundleAddress) -> String {
    match image.kernel_at(address) {
        Some(kernel) => format!("{}+{}", kernel.name, address - kernel.start),
        None => format!("bundle {address}"),
    }
}

/// File, line and column of a bundle, for reports without the source text.
fn line_name(image: &Image, address: BundleAddress) -> Option<String> {
    let place = image.lines.get(&address)?;
    let file = image.files.get(place.file as usize)?;
    Some(format!("{file}:{}:{}", place.line, place.column))
}

/// A bundle's place with its text.
fn bundle_text(image: &Image, address: BundleAddress) -> String {
    let name = place_name(image, address);
    match image.word(address).map(|word| decode(word, &Core::WIDEST)) {
        Some(Ok(bundle)) => format!("{name} `{bundle}`"),
        _ => name,
    }
}

/// The bundle's text in its line, from a place on. Nothing if the source is not at hand or has
/// changed.
pub(super) fn span(image: &Image, sources: &Sources, place: Place) -> Option<Span> {
    let name = image.files.get(place.file as usize)?;
    let file = sources.names().position(|known| known == name)? as u32;
    let text = sources.text(file);
    let line_start: usize =
        text.split_inclusive('\n').take((place.line as usize).checked_sub(1)?).map(str::len).sum();
    let line = text.get(line_start..)?.lines().next()?;
    let column = (place.column as usize).checked_sub(1)?;
    let (column, _) = line.char_indices().nth(column)?;
    let end = column + without_comment(&line[column..]).len();
    Some(Span { file, range: line_start + column..line_start + end })
}

/// The severity as JSON and SARIF have it.
pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Whether the source shows the bundle as a number and not as text.
fn is_hex(span: &Span, sources: &Sources) -> bool {
    sources.text(span.file)[span.range.clone()].bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn diagnostic(finding: &Finding, image: &Image, sources: &Sources) -> Diagnostic {
    let span_of = |address: BundleAddress| {
        image.lines.get(&address).and_then(|place| span(image, sources, *place))
    };
    let at = span_of(finding.address);
    let message = match &at {
        Some(span) if !is_hex(span, sources) => finding.message.clone(),
        Some(_) => format!("{}: {}", bundle_text(image, finding.address), finding.message),
        None => {
            let line = line_name(image, finding.address).map_or_else(String::new, |l| l + ": ");
            format!("{line}{}: {}", bundle_text(image, finding.address), finding.message)
        }
    };
    let mut diagnostic =
        Diagnostic::new(finding.code, finding.severity, at, message).label(finding.label.clone());
    for (address, text) in &finding.related {
        diagnostic = match span_of(*address) {
            Some(span) if diagnostic.span.is_some() => diagnostic.related(span, text.clone()),
            _ => diagnostic.note(format!("{}: {text}", bundle_text(image, *address))),
        };
    }
    match finding.help.as_str() {
        "" => diagnostic,
        help => diagnostic.help(help),
    }
}

/// The findings as diagnostics. Places are spans where `sources` has the file that the image names,
/// otherwise line, kernel, offset and text of the bundle. Equal ones, as repetitions and macros
/// give them, come once.
pub fn diagnostics(findings: &[Finding], image: &Image, sources: &Sources) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for finding in findings {
        let one = diagnostic(finding, image, sources);
        let related: Vec<Span> = one.related.iter().map(|(span, _)| span.clone()).collect();
        if seen.insert((one.code, one.span.clone(), one.message.clone(), related)) {
            all.push(one);
        }
    }
    all
}

/// The findings as JSON: an array of objects with the fields of [`Finding`], places by address,
/// name and, if known, file, line and column.
pub fn to_json(findings: &[Finding], image: &Image) -> Value {
    let place = |address: BundleAddress| {
        let mut object = json!({ "address": address.0, "name": place_name(image, address) });
        if let Some(place) = image.lines.get(&address)
            && let Some(file) = image.files.get(place.file as usize)
        {
            object["file"] = file.as_str().into();
            object["line"] = place.line.into();
            object["column"] = place.column.into();
        }
        object
    };
    let one = |finding: &Finding| {
        let related = finding.related.iter().map(|(address, text)| {
            let mut object = place(*address);
            object["text"] = text.as_str().into();
            object
        });
        json!({
            "code": finding.code,
            "level": level(finding.severity),
            "message": finding.message,
            "place": place(finding.address),
            "found": finding.distances.map(|distances| distances.found),
            "needed": finding.distances.map(|distances| distances.needed),
            "related": related.collect::<Vec<_>>(),
            "help": finding.help,
        })
    };
    findings.iter().map(one).collect()
}
