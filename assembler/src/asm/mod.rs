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

pub use expand::Loader;
pub use place::item::Scheduled;
pub use report::MAX_ERRORS;
pub(crate) use report::leave_out;

use crate::diagnostic::{Diagnostic, Sources};
use crate::image::Image;
use crate::render::{Style, render_all};
use crate::sched::Store;
use context::Context;
use cp2_ir::expansion::Expansions;
use cp2_isa::Core;
use encode::encode;
use expand::Expander;
use image::{Finished, finish};
use place::Placer;
use resolve::resolve;

/// Assembles source files of the base machine into one image; also gives the warnings.
///
/// `roots` are files of `sources`; included files are added to it. Labels are local to a root
/// and what it includes, unless `.global`.
///
/// # Errors
/// All errors of all files, in the order of the files' places, at most [`MAX_ERRORS`].
pub fn assemble(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
) -> Result<(Image, Vec<Diagnostic>), Vec<Diagnostic>> {
    assemble_with(sources, roots, loader, Core::CP2)
}

/// Assembles sources as [`assemble`] does, for another core.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    core: Core,
) -> Result<(Image, Vec<Diagnostic>), Vec<Diagnostic>> {
    let options = Options { core, ..Options::default() };
    assemble_regions(sources, roots, loader, options).map(|a| (a.image, a.warnings))
}

/// The options of the assembler.
#[derive(Default)]
pub struct Options<'a> {
    /// The core that the program is for.
    pub core: Core,
    /// Store in which schedules of linear regions are kept from run to run.
    pub store: Option<&'a mut dyn Store>,
}

/// An assembled image, with the schedules of its linear regions.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The program.
    pub image: Image,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Linear regions in the order of their addresses.
    pub regions: Vec<Scheduled>,
    /// Bundles that came out of macros and repetitions.
    pub expansions: Expansions,
}

/// Assembles sources as [`assemble_with`] does, and returns the schedules of the linear regions too.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_regions(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    options: Options<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    let Options { core, mut store } = options;
    let mut forward = |from: &str, path: &str| loader(from, path);
    let mut expander = Expander::new(sources, &mut forward);
    // A borrow that lives no longer than the placer.
    let store = store.as_mut().map(|store| &mut **store as &mut dyn Store);
    let mut placer = Placer::new(core, store);
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
    let Finished { image, warnings, regions, expansions } = finish(cx, program, &files, sources)?;
    Ok(Assembled { image, warnings, regions, expansions })
}

/// Returns the linear regions of one text that includes nothing; for tests.
///
/// # Errors
/// All errors of the text.
pub fn linear_regions(name: &str, text: &str) -> Result<Vec<Scheduled>, AssemblyError> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, _: &str| Err("no files can be included here".to_owned());
    match assemble_regions(&mut sources, &[root], &mut none, Options::default()) {
        Ok(assembled) => Ok(assembled.regions),
        Err(diagnostics) => Err(AssemblyError { sources, diagnostics }),
    }
}

/// The errors of a source, with the texts that the places refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    /// The texts.
    pub sources: Sources,
    /// The errors, and warnings among them.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&render_all(&self.diagnostics, &self.sources, Style::Plain))
    }
}

impl std::error::Error for AssemblyError {}

/// Assembles one text that includes nothing; for generators and tests.
///
/// # Errors
/// All errors of the text.
pub fn assemble_str(name: &str, text: &str) -> Result<Image, AssemblyError> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, _: &str| Err("no files can be included here".to_owned());
    match assemble(&mut sources, &[root], &mut none) {
        Ok((image, _)) => Ok(image),
        Err(diagnostics) => Err(AssemblyError { sources, diagnostics }),
    }
}
