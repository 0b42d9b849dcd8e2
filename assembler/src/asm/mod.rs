//! The assembler: source text to [`Image`], in phases with a type of its own for what each gives.
//!
//! | phase | from | to |
//! | --- | --- | --- |
//! | `crate::parse` | a line | its syntax tree (`crate::parse::ast`) |
//! | `expand` | files | a row of `expand::Statement`: no macro, repetition or condition is left |
//! | `place` | a statement | a `place::item::Item`, and in the end a `PlacedProgram`: addresses are final |
//! | `resolve` | an item | a `resolve::Resolved`: every name and expression is a value |
//! | `encode` | values | words of the program |
//! | `image` | the program | the [`Image`] |
//!
//! All have the same `Context`: the core, the one reporter of diagnostics, the symbols. The first three
//! take turns, statement by statement, for a condition may ask what address has been reached. All symbols
//! are known before the first item is resolved; but linear code (`linear`) resolves its operations when they
//! are placed, for only its schedule tells how many bundles they take.

mod assembled;
mod context;
mod encode;
mod eval;
mod expand;
mod image;
mod interface;
mod line;
mod linear;
mod place;
mod promised;
mod report;
mod resolve;
mod symbols;

pub use assembled::{Assembled, FailedAssembly};
pub use expand::Loader;
pub use place::item::Scheduled;
pub use report::{MAX_ERRORS, leave_out};

use crate::diagnostic::{Diagnostic, Sources};
use crate::image::Image;
use crate::render::{Style, render_all};
use crate::sched::{Interrupt, KnownSchedules, Store};
use context::Context;
use cp2_isa::Core;
use encode::encode;
use expand::Expander;
use image::finish;
use place::Placer;
use resolve::resolve;
use std::borrow::Cow;

/// Assembles source files into one image for a CP2 without extensions. Returns the image and the warnings.
///
/// `roots` are the indices in `sources` of the files to assemble. `loader` reads the files that these include, which
/// are added to `sources`. A label is known only in its root and what that includes, unless `.global` exports it.
///
/// # Errors
/// Returns the diagnostics of all files, sorted by place, if there is an error among them: at most [`MAX_ERRORS`].
pub fn assemble(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
) -> Result<(Image, Vec<Diagnostic>), Vec<Diagnostic>> {
    assemble_with(sources, roots, loader, Core::CP2)
}

/// Assembles source files as [`assemble`] does, but for any core.
///
/// # Errors
/// Returns the diagnostics if there is an error among them, as [`assemble`] does.
pub fn assemble_with(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    core: Core,
) -> Result<(Image, Vec<Diagnostic>), Vec<Diagnostic>> {
    let options = Options { core, ..Options::default() };
    assemble_regions(sources, roots, loader, options).map(|a| (a.image, a.warnings))
}

/// The options of [`assemble_regions`]: the core, a store that keeps schedules of linear code from one call to the
/// next, and schedules that are known.
pub struct Options<'a> {
    /// Core that the program is assembled for.
    pub core: Core,
    /// Store from which schedules of linear regions are taken, after a check, instead of being computed, and in which
    /// new ones are put; `None` to compute all.
    pub store: Option<&'a mut dyn Store>,
    /// Certificates of loops that the scheduler may take in place of a search; their schedules are checked as all are.
    pub known: Cow<'a, KnownSchedules>,
    /// Flag by which another thread breaks off the schedules that are being made; the texts then have errors without a code.
    pub interrupt: Interrupt,
}

impl Default for Options<'_> {
    fn default() -> Self {
        let known = Cow::Owned(KnownSchedules::default());
        Self { core: Core::default(), store: None, known, interrupt: Interrupt::new() }
    }
}

/// Assembles source files as [`assemble`] does, with options, and returns the schedules of the linear regions too.
///
/// # Errors
/// Returns the diagnostics if there is an error among them, as [`assemble`] does.
pub fn assemble_regions(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    options: Options<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    assemble_or_parts(sources, roots, loader, options).map_err(|failed| failed.diagnostics)
}

/// Assembles source files as [`assemble_regions`] does; if there are errors, what was placed in spite of them comes back
/// with the diagnostics.
///
/// # Errors
/// Returns the diagnostics if there is an error among them, with the parts of the program that are known.
pub fn assemble_or_parts(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    options: Options<'_>,
) -> Result<Assembled, Box<FailedAssembly>> {
    let Options { core, mut store, known, interrupt } = options;
    let mut forward = |from: &str, path: &str| loader(from, path);
    let mut expander = Expander::new(sources, &mut forward);
    // A borrow that lives no longer than the placer.
    let store = store.as_mut().map(|store| &mut **store as &mut dyn Store);
    let mut placer = Placer::new(core, store, (&known, interrupt));
    let mut cx = Context::new(core);
    for &root in roots {
        cx.begin_unit();
        placer.begin_unit();
        expander.begin_unit(&mut cx, root);
        while let Some(statement) = expander.next(&mut cx, placer.position()) {
            placer.place(&mut cx, statement);
        }
        placer.end_unit(&mut cx);
    }
    let (items, mut program) = placer.finish();
    cx.complete();
    for item in items {
        if let Some(resolved) = resolve(&mut cx, item) {
            encode(&mut cx, &mut program, resolved);
        }
    }
    let (files, sources) = expander.finish();
    finish(cx, program, &files, sources)
}

/// Assembles one source text that includes no file, for a CP2 without extensions, and returns only its scheduled
/// regions; for tests. `name` is the file name for messages.
///
/// # Errors
/// Returns the diagnostics if the text has an error.
pub fn linear_regions(name: &str, text: &str) -> Result<Vec<Scheduled>, AssemblyError> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, _: &str| Err("no files can be included here".to_owned());
    match assemble_regions(&mut sources, &[root], &mut none, Options::default()) {
        Ok(assembled) => Ok(assembled.regions),
        Err(diagnostics) => Err(AssemblyError { sources, diagnostics }),
    }
}

/// The errors of source texts, together with the texts, so that the error can be printed with the faulty lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    /// Texts to which the places of the diagnostics refer.
    pub sources: Sources,
    /// Errors, and warnings among them, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&render_all(&self.diagnostics, &self.sources, Style::Plain))
    }
}

impl std::error::Error for AssemblyError {}

/// Assembles one source text that includes no file, for a CP2 without extensions; for generators and tests. `name` is
/// the file name for messages.
///
/// # Errors
/// Returns the diagnostics if the text has an error.
pub fn assemble_str(name: &str, text: &str) -> Result<Image, AssemblyError> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, _: &str| Err("no files can be included here".to_owned());
    match assemble(&mut sources, &[root], &mut none) {
        Ok((image, _)) => Ok(image),
        Err(diagnostics) => Err(AssemblyError { sources, diagnostics }),
    }
}
