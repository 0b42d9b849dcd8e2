//! The end: rules that need the whole program, and the image.

use super::assembled::{Assembled, FailedAssembly};
use super::context::Context;
use super::eval::Value;
use super::interface::interfaces;
use super::place::item::{PlacedProgram, Scheduled, Written};
use super::symbols::{DefinedName, Definition, Symbols};
use crate::diagnostic::{Diagnostic, Severity, Sources, Span, column_after};
use crate::image::{Image, SourcePosition, Symbol};
use crate::promises::Promises;
use crate::sched;
use crate::structure::{self, Violation};
use cp2_isa::{Bundle, BundleAddress};
use std::collections::{BTreeMap, HashMap};

/// Checks what needs the whole program, and gives the image or the errors. `files` are those of the
/// sources that have been read.
pub(crate) fn finish(
    mut cx: Context,
    program: PlacedProgram,
    files: &[u32],
    sources: &Sources,
) -> Result<Assembled, Box<FailedAssembly>> {
    check_region_starts(&mut cx, &program);
    // A kernel whose bundles were not reached is not known to have none.
    let is_reached = !cx.symbols.is_any_incomplete();
    for d in program.layout.check_kernels() {
        if is_reached || d.code != "C0411" {
            cx.reporter.report(d);
        }
    }
    warn_of_hiding(&mut cx);
    let (kernels, data) = program.layout.contents();
    let mut image = Image { kernels, data, ..Image::default() };
    for violation in structure::violations(&image, &cx.core) {
        report_violation(&mut cx, &program, &violation);
    }
    image.interfaces = interfaces(&mut cx, &program.declared);
    let is_placed = !cx.symbols.is_any_incomplete();
    image.symbols = image_symbols(&cx.symbols);
    let files = Files::of(files, sources);
    image.lines = files.lines(&program);
    image.exchange_lines = files.exchange_lines(&program, &image.lines);
    image.merged_lines = files.merged_lines(&program);
    image.calls = files.calls(&program);
    image.promises = files.promises(&program);
    image.files = files.names;
    let written = program.written.iter();
    let expansions = written.map(|(&address, w)| (address, w.whole.loc().expansion()));
    let expansions = expansions.filter(|(_, expansion)| !expansion.is_plain()).collect();
    image.hints = program.hints;
    image.requires = program.requires | image.used();
    let regions = program.regions;
    match cx.reporter.finish() {
        Ok(warnings) => Ok(Assembled { image, warnings, regions, expansions }),
        Err(diagnostics) => {
            Err(Box::new(FailedAssembly { diagnostics, image, regions, is_placed }))
        }
    }
}

/// Refuses regions that begin while something is under way that they need or would meet.
fn check_region_starts(cx: &mut Context, program: &PlacedProgram) {
    for scheduled in &program.regions {
        let start = scheduled.start.index();
        let before: Vec<Bundle> = (start.saturating_sub(sched::reach(&cx.core))..start)
            .filter_map(|address| program.layout.word(address))
            .filter_map(|word| cp2_isa::decode(word, &cx.core).ok())
            .collect();
        let wait = sched::wait_before(&cx.core, &before, &scheduled.bundles);
        if wait > 0 {
            let message = format!(
                "linear code begins {wait} bundles too early: results that it meets are still under way"
            );
            let span = scheduled.region.span.clone();
            let d = Diagnostic::new("C0611", Severity::Error, span, message);
            let help = format!("put other work, or `nop` {wait} times, before `.linear`");
            cx.reporter.report(d.help(help));
        }
    }
}

fn warn_of_hiding(cx: &mut Context) {
    let warning = |(local, global): (&DefinedName, &DefinedName)| {
        let message = format!("`{}` hides the global symbol of another file", local.name);
        local
            .loc
            .diagnose("C0212", Severity::Warning, message)
            .related(global.loc.span.clone(), "the global one")
            .help("rename one of them")
    };
    let found: Vec<_> = cx.symbols.hiding().map(warning).collect();
    for d in found {
        cx.reporter.report(d);
    }
}

fn report_violation(cx: &mut Context, program: &PlacedProgram, violation: &Violation) {
    if program.allows(Some(violation.address), violation.code) {
        return;
    }
    let spot = |address| {
        let Written { whole: bundle, exchange, .. } = program.written.get(&address)?;
        Some(exchange.as_ref().unwrap_or(bundle))
    };
    let Some(here) = spot(violation.address) else { return };
    let mut d = here.error(violation.code, violation.message.clone());
    for (address, text) in &violation.related {
        if let Some(spot) = spot(*address) {
            d = d.related(spot.loc().span, text.clone());
        }
    }
    cx.reporter.report(d.help(violation.help));
}

fn image_symbols(symbols: &Symbols) -> Vec<Symbol> {
    let symbol = |entry: &DefinedName| {
        let value = match entry.definition {
            Definition::Value(Value::Int(v)) => v as i64,
            Definition::Kernel(start) => i64::from(start?),
            _ => return None,
        };
        let (name, kind, global) = (entry.name.clone(), entry.kind, entry.global);
        Some(Symbol { name, value, kind, global })
    };
    let mut all: Vec<_> = symbols.entries.iter().filter_map(symbol).collect();
    all.sort_by_key(|s| s.global);
    all
}

/// The files that an image names, and places in them.
struct Files<'a> {
    sources: &'a Sources,
    names: Vec<String>,
    indexes: HashMap<u32, (u32, LineStarts)>,
}

impl<'a> Files<'a> {
    fn of(files: &[u32], sources: &'a Sources) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut indexes = HashMap::new();
        for &file in files {
            let name = sources.name(file);
            let index = names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            indexes.insert(file, (index as u32, LineStarts::of(sources.text(file))));
        }
        Self { sources, names, indexes }
    }

    fn place(&self, span: &Span) -> Option<SourcePosition> {
        let (file, starts) = self.indexes.get(&span.file)?;
        let (line, column) = starts.place(self.sources, span);
        Some(SourcePosition { file: *file, line, column })
    }

    /// Returns the line of each bundle: the one that the bundle is written in, also inside a macro.
    fn lines(&self, program: &PlacedProgram) -> BTreeMap<BundleAddress, SourcePosition> {
        let written = program.written.iter();
        written.filter_map(|(&a, w)| Some((a, self.place(&w.whole.loc().span)?))).collect()
    }

    /// Returns the line of each exchange operation that is in another one than its bundle.
    fn exchange_lines(
        &self,
        program: &PlacedProgram,
        lines: &BTreeMap<BundleAddress, SourcePosition>,
    ) -> BTreeMap<BundleAddress, SourcePosition> {
        let written = program.written.iter();
        let own = written.filter_map(|(&address, written)| {
            let place = self.place(&written.exchange.as_ref()?.loc().span)?;
            let whole = lines.get(&address)?;
            ((place.file, place.line) != (whole.file, whole.line)).then_some((address, place))
        });
        own.collect()
    }

    /// Returns the positions of the macro calls through which the operations of bundles came.
    fn calls(&self, program: &PlacedProgram) -> BTreeMap<BundleAddress, Vec<SourcePosition>> {
        let mut all: BTreeMap<BundleAddress, Vec<SourcePosition>> = BTreeMap::new();
        for (&address, Written { whole, exchange, merged }) in &program.written {
            let spots = std::iter::once(whole).chain(exchange).chain(merged);
            for place in spots.flat_map(|s| s.loc().calls()).filter_map(|span| self.place(&span)) {
                let calls = all.entry(address).or_default();
                if !calls.contains(&place) {
                    calls.push(place);
                }
            }
        }
        all
    }

    /// Returns the positions of the operations whose work an operation of a bundle does too.
    fn merged_lines(
        &self,
        program: &PlacedProgram,
    ) -> BTreeMap<BundleAddress, Vec<SourcePosition>> {
        let of = |(&address, written): (&BundleAddress, &Written)| {
            let merged = written.merged.iter();
            let places: Vec<_> = merged.filter_map(|spot| self.place(&spot.loc().span)).collect();
            (!places.is_empty()).then_some((address, places))
        };
        program.written.iter().filter_map(of).collect()
    }

    /// Returns the promises on which the regions rely.
    fn promises(&self, program: &PlacedProgram) -> Vec<Promises> {
        let of = |scheduled: &Scheduled| {
            let Scheduled { region, bundles, start, promised, .. } = scheduled;
            let mut promises = Promises::of(region, bundles, *start);
            for (promise, span) in promises.counts.iter_mut().zip(&promised.counts) {
                promise.place = span.as_ref().and_then(|span| self.place(span));
            }
            let disjoint = promises.disjoint.iter_mut().zip(&promised.disjoint);
            for (promise, span) in disjoint.chain(promises.even.iter_mut().zip(&promised.even)) {
                promise.place = self.place(span);
            }
            promises
        };
        let mut all: Vec<_> = program.regions.iter().map(of).filter(|p| !p.is_empty()).collect();
        all.sort_by_key(|p| p.start);
        all
    }
}

/// The bytes at which the lines of a text begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    /// Returns line and column of the start of a span, as [`Sources::line_column`] gives them.
    fn place(&self, sources: &Sources, span: &Span) -> (u32, u32) {
        let line = self.0.partition_point(|&start| start <= span.range.start);
        let before = &sources.text(span.file)[self.0[line - 1]..span.range.start];
        (line as u32, column_after(before))
    }
}
