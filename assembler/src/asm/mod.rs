//! The assembler: source text to [`Image`]. This file holds its state and its two passes; the parts
//! are expansion (`expand`, `directives`), placement (`layout`), values (`symbols`, `eval`) and
//! encoding (`encode`, `operands`, `finish`).

mod blocks;
mod directives;
mod encode;
mod eval;
mod expand;
mod finish;
mod layout;
mod line;
mod linear;
mod operands;
mod symbols;

use crate::ast::{BundleLine, Expr, Word};
use crate::diagnostic::{Diagnostic, Severity, Sources};
use crate::image::{Hints, Image};
use crate::linear::Region;
use crate::parse::{Fault, Parameter};
use crate::sched::{Placed, Report, Store};
use crate::suggest::nearest;
use cp2_isa::Core;
use eval::{Lookup, Trouble, Value};
use layout::{Layout, Slot};
use line::{Line, Loc, Spot};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use symbols::{Definition, Symbols};

/// Most errors that one run reports.
pub const MAX_ERRORS: usize = 100;

/// Definitions that may lead to one another before a value is found.
const MAX_CHAIN: usize = 200;

/// Reads an included file: called with the name of the including file and the path as written,
/// gives the name by which the file is known and its text, or why there is none.
pub type Loader<'a> = dyn FnMut(&str, &str) -> Result<(String, String), String> + 'a;

/// Why a part of the assembler does not do what it is asked; in a box, for a diagnostic is large.
type Refusal = Box<Diagnostic>;

/// Where an expression stands.
#[derive(Clone, Debug)]
struct Site {
    line: Rc<Line>,
    unit: usize,
    dot: i128,
}

/// What has been placed in the first pass and gets its words in the second.
#[derive(Debug)]
enum Item {
    Bundle { site: Site, bundle: Box<BundleLine>, target: Target },
    Raw { site: Site, word: Expr, target: Target },
    Data { site: Site, form: DataForm, exprs: Vec<Expr>, slot: Option<Slot> },
}

/// The place of a bundle; without an address if it did not fit.
#[derive(Clone, Copy, Debug)]
struct Target {
    kernel: usize,
    address: Option<u16>,
}

/// How the values of a line of data make words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataForm {
    Quad,
    Complex,
    Pair,
}

#[derive(Debug)]
struct Macro {
    loc: Loc,
    parameters: Vec<Parameter>,
    body: Vec<Rc<Line>>,
}

/// What belongs to one source file with what it includes.
#[derive(Debug, Default)]
struct Unit {
    macros: HashMap<String, Rc<Macro>>,
    globals: Vec<(String, Loc)>,
    /// Some definitions may be missing because of an error that has been reported.
    incomplete: bool,
}

struct Assembler<'a> {
    sources: &'a mut Sources,
    loader: &'a mut Loader<'a>,
    core: Core,
    diagnostics: Vec<Diagnostic>,
    reported: HashSet<String>,
    undefined: HashSet<(usize, String)>,
    symbols: Symbols,
    evaluating: Vec<usize>,
    layout: Layout,
    items: Vec<Item>,
    /// Where each bundle was written: the whole, and its exchange operation.
    bundles: BTreeMap<u16, (Spot, Option<Spot>)>,
    files: Vec<u32>,
    units: Vec<Unit>,
    unit: usize,
    /// The second pass: every symbol that will ever be defined is.
    complete: bool,
    depth: usize,
    budget: usize,
    unique: u64,
    including: Vec<u32>,
    allowing: Vec<(Vec<String>, Loc)>,
    bank: Option<u8>,
    live: Option<Vec<u8>>,
    /// The linear region that is open.
    linear: Option<Box<linear::Draft>>,
    store: Option<&'a mut dyn Store>,
    scheduled: Vec<Scheduled>,
    hints: Hints,
}

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

/// As [`assemble`], for another core.
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

/// For which machine, and with what, sources are assembled.
#[derive(Default)]
pub struct Options<'a> {
    /// The core that the program is for.
    pub core: Core,
    /// Where schedules of linear regions are kept from run to run.
    pub store: Option<&'a mut dyn Store>,
}

/// What assembling gives, with the schedules of its linear regions.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The program.
    pub image: Image,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Linear regions in the order of their addresses.
    pub regions: Vec<Scheduled>,
}

/// A linear region and the bundles that it became.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// What was written.
    pub region: Region,
    /// Its bundles.
    pub bundles: Vec<Placed>,
    /// Costs and bounds.
    pub report: Report,
    /// Address of the first bundle.
    pub start: u16,
}

/// As [`assemble_with`], with the schedules of the linear regions.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_regions(
    sources: &mut Sources,
    roots: &[u32],
    loader: &mut Loader<'_>,
    options: Options<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    let mut forward = |from: &str, path: &str| loader(from, path);
    let Options { core, mut store } = options;
    let mut assembler = Assembler::new(sources, &mut forward, core);
    // A borrow that lives no longer than the assembler.
    assembler.store = store.as_mut().map(|store| &mut **store as &mut dyn Store);
    for &root in roots {
        assembler.root(root);
    }
    assembler.second_pass();
    let regions = std::mem::take(&mut assembler.scheduled);
    let (image, warnings) = assembler.finish()?;
    Ok(Assembled { image, warnings, regions })
}

/// The linear regions of one text that includes nothing; for tests.
///
/// # Errors
/// All errors of the text.
pub fn linear_regions(name: &str, text: &str) -> Result<Vec<Scheduled>, Failure> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, path: &str| Err(format!("there are no files here, nor `{path}`"));
    match assemble_regions(&mut sources, &[root], &mut none, Options::default()) {
        Ok(assembled) => Ok(assembled.regions),
        Err(diagnostics) => Err(Failure { sources, diagnostics }),
    }
}

/// Everything that is wrong with a source, with the texts that the places refer to.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The texts.
    pub sources: Sources,
    /// The errors, and warnings among them.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let style = crate::render::Style::Plain;
        f.write_str(&crate::render::render_all(&self.diagnostics, &self.sources, style))
    }
}

impl std::error::Error for Failure {}

/// Assembles one text that includes nothing; for generators and tests.
///
/// # Errors
/// All errors of the text.
pub fn assemble_str(name: &str, text: &str) -> Result<Image, Failure> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, path: &str| Err(format!("there are no files here, nor `{path}`"));
    match assemble(&mut sources, &[root], &mut none) {
        Ok((image, _)) => Ok(image),
        Err(diagnostics) => Err(Failure { sources, diagnostics }),
    }
}

impl<'a> Assembler<'a> {
    fn new(sources: &'a mut Sources, loader: &'a mut Loader<'a>, core: Core) -> Self {
        Self {
            sources,
            loader,
            core,
            diagnostics: Vec::new(),
            reported: HashSet::new(),
            undefined: HashSet::new(),
            symbols: Symbols::default(),
            evaluating: Vec::new(),
            layout: Layout::new(core),
            items: Vec::new(),
            bundles: BTreeMap::new(),
            files: Vec::new(),
            units: Vec::new(),
            unit: 0,
            complete: false,
            depth: 0,
            budget: expand::BUDGET,
            unique: 0,
            including: Vec::new(),
            allowing: Vec::new(),
            bank: None,
            live: None,
            linear: None,
            store: None,
            scheduled: Vec::new(),
            hints: Hints::default(),
        }
    }

    /// First pass over one file: expansion and placement.
    fn root(&mut self, file: u32) {
        self.units.push(Unit::default());
        self.unit = self.units.len() - 1;
        self.symbols.begin_unit();
        self.bank = None;
        self.live = None;
        self.file(file);
        self.unclosed_linear();
        for (_, loc) in std::mem::take(&mut self.allowing) {
            self.report(
                loc.error("C0403", "`.allow` is never closed").help("end it with `.endallow`"),
            );
        }
        let unit = &mut self.units[self.unit];
        for (name, loc) in std::mem::take(&mut unit.globals) {
            let missing = self.symbols.find(self.unit, &name).is_none();
            if missing && self.units[self.unit].incomplete {
                continue;
            }
            if let Err(d) = self.symbols.export(self.unit, &name, &loc) {
                self.report(*d);
            }
        }
        self.layout.end_unit();
    }

    /// Reports a diagnostic, once: iterations and expansions repeat what is wrong in their text.
    fn report(&mut self, mut d: Diagnostic) {
        if d.label.is_empty() {
            d.label = crate::codes::caret(d.code).to_owned();
        }
        let place = match d.related.last() {
            Some((span, text)) if text.starts_with("in the expansion") => Some(span),
            _ => d.span.as_ref(),
        };
        if self.reported.insert(format!("{} {place:?} {}", d.code, d.message)) {
            self.diagnostics.push(d);
        }
    }

    fn report_fault(&mut self, line: &Line, fault: Fault) {
        let mut d = line.loc(fault.at).error(fault.code, fault.message);
        if !fault.help.is_empty() {
            d = d.help(fault.help);
        }
        self.report(d);
    }

    /// The value of an expression, or `None` after the error has been reported.
    fn value(&mut self, site: &Site, expr: &Expr) -> Option<Value> {
        let mut lookup = |name: &str| self.lookup(site.unit, name);
        match eval::evaluate(expr, site.dot, &mut lookup) {
            Ok(value) => Some(value),
            Err(trouble) => {
                self.report_trouble(site, trouble);
                None
            }
        }
    }

    /// The integer that an expression gives, or `None` after the error has been reported.
    fn integer(&mut self, site: &Site, expr: &Expr) -> Option<i128> {
        let value = self.value(site, expr)?;
        match eval::integer(value, &expr.at) {
            Ok(v) => Some(v),
            Err(trouble) => {
                self.report_trouble(site, trouble);
                None
            }
        }
    }

    fn report_trouble(&mut self, site: &Site, trouble: Trouble) {
        match trouble {
            Trouble::Silent => {}
            Trouble::Fault(fault) => self.report_fault(&site.line, fault),
            Trouble::Unknown(name, at) => self.report_unknown(site, &name, &site.line.loc(at)),
        }
    }

    fn report_unknown(&mut self, site: &Site, name: &str, loc: &Loc) {
        if self.units[site.unit].incomplete {
            return;
        }
        let near = nearest(name, self.symbols.visible(site.unit)).map(str::to_owned);
        if !self.complete {
            let d = loc.error("C0210", format!("the value of `{name}` is not known here"));
            self.report(
                d.help("this value decides what follows, so its symbols must be defined before"),
            );
        } else if self.undefined.insert((site.unit, name.to_owned())) {
            let d = loc.error("C0201", format!("`{name}` is not defined"));
            self.report(match near {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            });
        }
    }

    fn lookup(&mut self, unit: usize, name: &str) -> Lookup {
        match self.symbols.find(unit, name) {
            Some(index) => self.symbol_value(index),
            None => Lookup::Unknown,
        }
    }

    fn symbol_value(&mut self, index: usize) -> Lookup {
        let later = match &self.symbols.entries[index].definition {
            Definition::Value(v) => return Lookup::Value(*v),
            Definition::Broken => return Lookup::Silent,
            Definition::Kernel(kernel) => {
                return match self.layout.kernels[*kernel].start {
                    Some(start) => Lookup::Value(Value::Int(i128::from(start))),
                    None if self.complete => Lookup::Silent,
                    None => Lookup::Unknown,
                };
            }
            Definition::Later(later) => later.clone(),
        };
        if self.evaluating.contains(&index) || self.evaluating.len() >= MAX_CHAIN {
            self.report_circle(index);
            return Lookup::Silent;
        }
        let (site, expr) = &*later;
        self.evaluating.push(index);
        let result = eval::evaluate(expr, site.dot, &mut |name| self.lookup(site.unit, name));
        self.evaluating.pop();
        match result {
            Ok(value) => {
                self.symbols.entries[index].definition = Definition::Value(value);
                Lookup::Value(value)
            }
            Err(Trouble::Unknown(..)) if !self.complete => Lookup::Unknown,
            Err(trouble) => {
                self.symbols.entries[index].definition = Definition::Broken;
                self.report_trouble(site, trouble);
                Lookup::Silent
            }
        }
    }

    fn report_circle(&mut self, index: usize) {
        let is_circle = self.evaluating.contains(&index);
        let entry = &mut self.symbols.entries[index];
        entry.definition = Definition::Broken;
        let message = if is_circle {
            format!("the value of `{}` depends on itself", entry.name)
        } else {
            format!("`{}` is needed by a chain of more than {MAX_CHAIN} definitions", entry.name)
        };
        let d = entry.loc.error("C0206", message);
        self.report(d);
    }

    /// Second pass: words of bundles and data, now that every symbol is defined.
    fn second_pass(&mut self) {
        self.complete = true;
        for index in 0..self.symbols.entries.len() {
            self.symbol_value(index);
        }
        for item in std::mem::take(&mut self.items) {
            self.encode_item(item);
        }
        self.check_region_starts();
    }

    /// The codes as text, refusing those that nothing can allow.
    fn allowable(&mut self, line: &Line, codes: &[Word]) -> Vec<String> {
        let mut good = Vec::new();
        for code in codes {
            match crate::codes::allowable(&code.text) {
                Ok(()) => good.push(code.text.clone()),
                Err(message) => {
                    let help = "lints (C05..), raw bundles (C0310) and control flow (C045.) can be allowed";
                    self.report(line.loc(code.at.clone()).error("C0419", message).help(help));
                }
            }
        }
        good
    }
}

/// Whether any of the diagnostics is an error.
fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
