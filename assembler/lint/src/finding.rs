//! The findings of the linter, and how a finding becomes a diagnostic with a place in the source.

use cp2_ir::diagnostic::{Diagnostic, Severity, Sources, Span};
use cp2_ir::expansion::Expansions;
use cp2_ir::image::{Image, SourcePosition};
use cp2_ir::text::without_comment;
use cp2_isa::{BundleAddress, Core, decode};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The distance in cycles between the two accesses that a finding is about, from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distances {
    /// Distance of the two accesses on the shortest path through the program, in cycles.
    pub found: u32,
    /// Least distance of the two accesses at which the program would be right, in cycles.
    pub needed: u32,
}

/// A finding of the linter: what is wrong at a bundle of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Code of the diagnostic, such as `C0501`.
    pub code: &'static str,
    /// Severity: an error if the machine would stop at the bundle, else a warning.
    pub severity: Severity,
    /// Address of the bundle at which the finding is reported; `@allow` there silences it.
    pub address: BundleAddress,
    /// Message for people: what is wrong at the bundle.
    pub message: String,
    /// Text beside the caret at the bundle's source line.
    pub label: String,
    /// Further bundles that matter: the address of each, and a text about it.
    pub related: Vec<(BundleAddress, String)>,
    /// Distance between two accesses and the least one that is right; `None` if the finding is not about two accesses.
    pub distances: Option<Distances>,
    /// Advice on how to mend the program; empty if there is none.
    pub help: String,
}

impl Finding {
    /// Creates a warning with nothing but its place and text.
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

    /// Makes the finding an error.
    pub(super) fn error(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }
}

/// Returns the place of a bundle as kernel and offset in bundles, such as `fir+3`, or `bundle 3` for an address outside
/// all kernels.
pub fn place_name(image: &Image, address: BundleAddress) -> String {
    match image.kernel_at(address) {
        Some(kernel) => format!("{}+{}", kernel.name, address - kernel.start),
        None => format!("bundle {address}"),
    }
}

/// Returns file, line and column of a bundle, for reports without the source text.
fn line_name(image: &Image, address: BundleAddress) -> Option<String> {
    let place = image.lines.get(&address)?;
    let file = image.files.get(place.file as usize)?;
    Some(format!("{file}:{}:{}", place.line, place.column))
}

/// Returns a bundle's place with its text.
fn bundle_text(image: &Image, address: BundleAddress) -> String {
    let name = place_name(image, address);
    match image.word(address).map(|word| decode(word, &Core::WIDEST)) {
        Some(Ok(bundle)) => format!("{name} `{bundle}`"),
        _ => name,
    }
}

/// Returns the bundle's text in its line, from a place on. Nothing if the source is not at hand or has changed.
pub(super) fn span(image: &Image, sources: &Sources, place: SourcePosition) -> Option<Span> {
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

/// Returns the severity as JSON and SARIF have it.
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

/// A program and the texts that it came from.
struct Context<'a> {
    image: &'a Image,
    sources: &'a Sources,
    expansions: &'a Expansions,
}

/// The key by which two findings are the same to an author: code, the line at hand and those that belong to it, where they
/// were written, whatever macro or iteration they came through. Several findings of one bundle are told apart by their
/// number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Cause {
    code: &'static str,
    written: Option<Span>,
    related: Vec<Option<Span>>,
    /// Bundle of a finding without a line: every such bundle is a cause of its own.
    bundle: Option<String>,
    number: usize,
}

impl Context<'_> {
    /// Returns the place in a file that a bundle has, at the outermost macro call.
    fn span(&self, address: BundleAddress) -> Option<Span> {
        let place = self.image.lines.get(&address)?;
        span(self.image, self.sources, *place)
    }

    /// Returns the line in which a bundle was written: inside the innermost macro.
    fn written(&self, address: BundleAddress) -> Option<Span> {
        let inner = self.expansions.get(&address).and_then(|e| e.inner.last());
        inner.map(|(span, _)| span.clone()).or_else(|| self.span(address))
    }

    fn cause(&self, finding: &Finding) -> Cause {
        let related = finding.related.iter().map(|(address, _)| self.written(*address)).collect();
        let written = self.written(finding.address);
        let bundle = written.is_none().then(|| bundle_text(self.image, finding.address));
        Cause { code: finding.code, written, related, bundle, number: 0 }
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let (image, sources) = (self.image, self.sources);
        let at = self.span(finding.address);
        let message = match &at {
            Some(span) if !is_hex(span, sources) => finding.message.clone(),
            Some(_) => format!("{}: {}", bundle_text(image, finding.address), finding.message),
            None => {
                let line = line_name(image, finding.address).map_or_else(String::new, |l| l + ": ");
                format!("{line}{}: {}", bundle_text(image, finding.address), finding.message)
            }
        };
        let mut diagnostic = Diagnostic::new(finding.code, finding.severity, at, message)
            .label(finding.label.clone());
        for (address, text) in &finding.related {
            diagnostic = match self.span(*address) {
                Some(span) if diagnostic.span.is_some() => diagnostic.related(span, text.clone()),
                _ => diagnostic.note(format!("{}: {text}", bundle_text(image, *address))),
            };
        }
        if let Some(expansion) = self.expansions.get(&finding.address) {
            diagnostic.related.extend(expansion.inner.iter().cloned());
            diagnostic = diagnostic.note(self.expanded(finding.address));
        }
        match finding.help.as_str() {
            "" => diagnostic,
            help => diagnostic.help(help),
        }
    }

    /// Returns address and operation of a bundle that came out of a macro or a repetition.
    fn expanded(&self, address: BundleAddress) -> String {
        let iterations = self.expansions.get(&address).map(|e| e.iterations.join(", "));
        let iterations = iterations.filter(|i| !i.is_empty()).map(|i| format!(", {i}"));
        let text = bundle_text(self.image, address);
        format!("bundle {}: {text}{}", address.0, iterations.unwrap_or_default())
    }

    /// Returns the text about the other findings of one cause.
    fn others(&self, others: &[&Finding]) -> String {
        let place = |finding: &&Finding| {
            let expansion = self.expansions.get(&finding.address);
            let iterations = expansion.map(|e| e.iterations.join(", ")).unwrap_or_default();
            let iterations =
                iterations.replace("in the iteration ", "").replace("in iteration ", "");
            match iterations.as_str() {
                "" => finding.address.0.to_string(),
                some => format!("{} ({some})", finding.address.0),
            }
        };
        let shown: Vec<String> = others.iter().take(OTHERS).map(place).collect();
        let more = others.len().saturating_sub(OTHERS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let times = if others.len() == 1 { "once more" } else { "also" };
        let plural = if others.len() == 1 { "" } else { "s" };
        format!("the same {times} at bundle{plural} {}{more}", shown.join(", "))
    }
}

/// Findings of one cause that are named, beside the first.
const OTHERS: usize = 8;

/// Returns the findings as diagnostics with places in the source. Findings with the same code at bundles that macros
/// and repetitions made of the same lines are joined to one diagnostic. A finding whose source text is not in `sources`
/// gets no span; its message begins with the line, the place in the kernel and the text of the bundle.
pub fn diagnostics(
    findings: &[Finding],
    image: &Image,
    sources: &Sources,
    expansions: &Expansions,
) -> Vec<Diagnostic> {
    let context = Context { image, sources, expansions };
    let mut causes: Vec<Vec<&Finding>> = Vec::new();
    let mut known: HashMap<Cause, usize> = HashMap::new();
    let mut at_bundle: HashMap<(BundleAddress, Cause), usize> = HashMap::new();
    for finding in findings {
        let next = causes.len();
        let mut cause = context.cause(finding);
        let seen = at_bundle.entry((finding.address, cause.clone())).or_default();
        cause.number = std::mem::replace(seen, *seen + 1);
        let cause = *known.entry(cause).or_insert(next);
        match causes.get_mut(cause) {
            Some(all) => all.push(finding),
            None => causes.push(vec![finding]),
        }
    }
    let one = |all: &Vec<&Finding>| {
        let diagnostic = context.diagnostic(all[0]);
        match &all[1..] {
            [] => diagnostic,
            others => diagnostic.note(context.others(others)),
        }
    };
    causes.iter().map(one).collect()
}

/// Returns the findings as a JSON array with an object for each: code, severity, message, place, the two distances, the
/// other places, and advice. A place in it has the address, the name, the text of the bundle, and where known the file,
/// line and column and the iterations that the bundle came from.
pub fn to_json(findings: &[Finding], image: &Image, expansions: &Expansions) -> Value {
    let place = |address: BundleAddress| {
        let mut object = json!({ "address": address.0, "name": place_name(image, address) });
        if let Some(Ok(bundle)) = image.word(address).map(|word| decode(word, &Core::WIDEST)) {
            object["bundle"] = bundle.to_string().into();
        }
        if let Some(expansion) = expansions.get(&address) {
            object["expansion"] = expansion.iterations.iter().map(String::as_str).collect();
        }
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
