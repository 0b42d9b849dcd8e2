//! Placement: statements get their addresses, labels and constants their values. What single
//! directives do is in `directives`, location counters are in `layout`; linear code is read and
//! scheduled in `asm::linear`, for only its bundles tell where the next statement stands.

mod directives;
pub(crate) mod item;
pub(crate) mod layout;
mod origins;

use super::context::Context;
use super::eval::Value;
use super::expand::{Statement, StatementKind};
use super::line::{Line, Loc, Spot};
use super::linear::{Draft, Made, Ordered, stray};
use super::symbols::{DefinedName, Definition, MAIN, Site};
use crate::codes::{self, Tool};
use crate::image::{Hints, SymbolKind};
use crate::parse::Fault;
use crate::parse::ast::{Allowed, BundleLine, Placement, Word};
use crate::sched::{Interrupt, KnownSchedules, ScheduledBundle, Store};
use cp2_isa::machine::Toggle;
use cp2_isa::{BundleAddress, Core, Exch, Extensions};
use item::{Declaration, Declared, Item, PlacedProgram, Scheduled, Target, Written};
use layout::{LocationCounters, TargetMemory};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Lints about what a schedule does on purpose; the checker has proved it right.
const DELIBERATE: [&str; 3] = ["C0501", "C0502", "C0503"];

/// Directives that wait for what they are about: the next kernel, an end, a label.
pub(crate) struct Pending {
    /// `.global` of the file at hand.
    globals: Vec<(String, Loc)>,
    /// `.allow` that is open.
    allowing: Vec<(Vec<String>, Loc)>,
    /// `.dmabank`.
    bank: Option<u8>,
    /// `.live` before a kernel.
    live: Option<Vec<u8>>,
    /// `.arg` and `.array` before a kernel.
    undeclared: Vec<(Site, Declaration)>,
}

/// A program that is being placed.
pub(crate) struct Placer<'a> {
    layout: LocationCounters,
    items: Vec<Item>,
    written: BTreeMap<BundleAddress, Written>,
    hints: Hints,
    /// Extensions that `.requires` names.
    requires: Extensions,
    pending: Pending,
    declared: Vec<Declared>,
    /// The linear region that is open.
    linear: Option<Box<Draft>>,
    store: Option<&'a mut dyn Store>,
    regions: Vec<Scheduled>,
    /// Schedules of linear regions that this run has made already.
    made: Made<'a>,
}

impl<'a> Placer<'a> {
    pub(crate) fn new(
        core: Core,
        store: Option<&'a mut dyn Store>,
        (known, interrupt): (&'a KnownSchedules, Interrupt),
    ) -> Self {
        Self {
            layout: LocationCounters::new(core),
            items: Vec::new(),
            written: BTreeMap::new(),
            hints: Hints::default(),
            requires: Extensions::empty(),
            declared: Vec::new(),
            linear: None,
            store,
            regions: Vec::new(),
            made: Made::new(known, interrupt),
            pending: Pending {
                globals: Vec::new(),
                allowing: Vec::new(),
                bank: None,
                live: None,
                undeclared: Vec::new(),
            },
        }
    }

    /// Begins a source file.
    pub(crate) fn begin_unit(&mut self) {
        self.pending.bank = None;
        self.pending.live = None;
        self.pending.undeclared.clear();
    }

    /// Ends a source file: nothing may be open, and what it exports is there.
    pub(crate) fn end_unit(&mut self, cx: &mut Context) {
        if let Some(draft) = self.linear.take() {
            draft.unclosed(cx);
        }
        for (_, loc) in std::mem::take(&mut self.pending.allowing) {
            let d = loc.error("C0403", "`.allow` is never closed");
            cx.reporter.report(d.help("end it with `.endallow`"));
        }
        for (name, loc) in std::mem::take(&mut self.pending.globals) {
            let missing = cx.symbols.find(cx.unit, &name).is_none();
            if missing && cx.symbols.is_incomplete(cx.unit) {
                continue;
            }
            if let Err(d) = cx.symbols.export(cx.unit, &name, &loc) {
                cx.reporter.report(*d);
            }
        }
        self.layout.end_unit();
    }

    /// Returns the items that wait for their words, and the places of everything.
    pub(crate) fn finish(self) -> (Vec<Item>, PlacedProgram) {
        let Self { layout, items, written, hints, requires, declared, regions, .. } = self;
        (items, PlacedProgram { layout, written, hints, requires, declared, regions })
    }

    /// Returns the address of the next statement.
    pub(crate) fn position(&self) -> usize {
        self.layout.position()
    }

    /// Places a statement.
    pub(crate) fn place(&mut self, cx: &mut Context, statement: Statement) {
        let line = &statement.line;
        let site = self.site(cx, line);
        match (statement.what, &mut self.linear) {
            (StatementKind::Label(word), None) => self.label(cx, line, word),
            (StatementKind::Label(word), Some(draft)) => {
                draft.refuse(cx, &line.loc(word.at), "a label");
            }
            (StatementKind::Placement(at, directive), Some(draft))
                if !may_stand_in_linear(&directive) =>
            {
                draft.refuse(cx, &line.loc(at), "this directive");
            }
            (StatementKind::Placement(at, directive), _) => self.directive(cx, line, at, directive),
            (StatementKind::Linear(at, _), None) => stray(cx, &line.loc(at)),
            (StatementKind::Linear(at, directive), Some(draft)) => {
                draft.directive(cx, &site, at, &directive);
            }
            (StatementKind::Bundle(at, parsed), None) => self.bundle(cx, line, at, parsed),
            (StatementKind::Bundle(at, parsed), Some(draft)) => draft.line(cx, &site, at, parsed),
        }
    }

    /// Returns the current place, for expressions of a line.
    fn site(&self, cx: &Context, line: &Rc<Line>) -> Site {
        Site { line: line.clone(), unit: cx.unit, dot: self.layout.position() as i128 }
    }

    fn label(&mut self, cx: &mut Context, line: &Rc<Line>, label: Word) {
        let kind = match self.layout.place {
            TargetMemory::Code => SymbolKind::Bundle,
            TargetMemory::Data(_) => SymbolKind::Word,
        };
        let value = Value::Int(self.layout.position() as i128);
        define(cx, line, label, Definition::Value(value), kind);
    }

    fn bundle(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        at: Range<usize>,
        parsed: Result<Box<BundleLine>, Fault>,
    ) {
        let Some(target) = self.place_bundle(cx, line, at) else { return };
        let bundle = match parsed {
            Ok(bundle) => bundle,
            Err(fault) => return cx.reporter.fault(line, fault),
        };
        let allowed = allowable(cx, line, &bundle.allowed);
        self.bundle_hints(target, allowed);
        if let Some(address) = target.address {
            let exchange = bundle.right.as_ref().or(bundle.left.as_ref());
            let exchange = exchange.map(|o| Spot::new(line, o.at.clone()));
            let whole = Spot::new(line, bundle.at.clone());
            self.written.insert(address, Written { whole, exchange, merged: Vec::new() });
        }
        let site = Site {
            dot: target.address.map_or(0, |address| address.0.into()),
            ..self.site(cx, line)
        };
        self.items.push(Item::Bundle { site, bundle, target });
    }

    /// Takes the next address for a bundle, beginning the kernel `main` if there is none yet.
    fn place_bundle(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        at: Range<usize>,
    ) -> Option<Target> {
        if self.layout.place != TargetMemory::Code {
            let d = line.loc(at).error("C0412", "a bundle among the data of local memory");
            let help = "`.code` goes back to the kernel, `.kernel NAME` begins another";
            cx.reporter.report(d.help(help));
            return None;
        }
        if self.layout.current_kernel().is_none() {
            self.kernel(cx, line, &Word { text: MAIN.into(), at: at.clone() });
        }
        let kernel = self.layout.current_kernel()?;
        let spot = Spot::new(line, at);
        let address = match self.layout.place_bundle(&spot) {
            Ok(address) => address,
            Err(d) => {
                cx.reporter.report(*d);
                None
            }
        };
        if let Some(address) = address {
            let written = Written { whole: spot, exchange: None, merged: Vec::new() };
            self.written.entry(address).or_insert(written);
            if let Some(symbol) = self.layout.kernels[kernel].symbol.take() {
                let start = Definition::Kernel(Some(u32::from(address.0)));
                cx.symbols.entries[symbol].definition = start;
            }
        }
        Some(Target { kernel, address })
    }

    /// Notes what the linter is to know about a bundle.
    fn bundle_hints(&mut self, target: Target, mut allowed: Vec<String>) {
        let Some(address) = target.address else { return };
        allowed.extend(self.pending.allowing.iter().flat_map(|(codes, _)| codes.iter().cloned()));
        allowed.sort();
        allowed.dedup();
        if !allowed.is_empty() {
            self.hints.allowed.insert(address, allowed.into());
        }
        if let Some(bank) = self.pending.bank {
            self.hints.dma_banks.insert(address, bank);
        }
    }

    /// Places the bundles of a region at the line that ends it.
    fn place_region(&mut self, cx: &mut Context, line: &Rc<Line>, ordered: Ordered) {
        let Ordered { region, origins, bundles, report, promised } = ordered;
        if let Err(d) = self.layout.check_room(&Spot::whole(line), bundles.len()) {
            return cx.reporter.report(*d);
        }
        let mut first = None;
        let written = origins::written(&region, (&bundles, &report), &origins);
        for (placed, written) in bundles.iter().zip(written) {
            let Some(target) = self.place_bundle(cx, line, 0..line.text.len()) else { return };
            let Some(address) = target.address else { return };
            let start = *first.get_or_insert(address);
            let bundle = Box::new(moved(placed, start));
            self.items.push(Item::Scheduled { bundle, target });
            self.bundle_hints(target, DELIBERATE.map(str::to_owned).to_vec());
            self.written.insert(address, written);
        }
        if let Some(start) = first {
            self.regions.push(Scheduled { region, bundles, report, start, promised });
        }
    }
}

/// Returns a bundle of a region that starts at an address.
fn moved(placed: &ScheduledBundle, start: BundleAddress) -> cp2_isa::Bundle {
    let mut bundle = placed.bundle;
    if matches!(bundle.exch.op, Exch::Do | Exch::Doi) {
        bundle.exch.values[1] += i32::from(start.0);
    }
    bundle
}

/// Whether a directive changes no places, which linear code does not have.
pub(crate) fn may_stand_in_linear(directive: &Placement) -> bool {
    use Placement as P;
    matches!(directive, P::Equ(..) | P::Global(_) | P::Live(_) | P::Endlinear)
}

/// Adds a symbol that a line defines.
fn define(cx: &mut Context, line: &Rc<Line>, word: Word, definition: Definition, kind: SymbolKind) {
    let loc = line.loc(word.at);
    cx.define(DefinedName { name: word.text, definition, kind, loc, global: false });
}

/// Returns the extensions of these names, which the core has to have.
fn extensions(cx: &mut Context, line: &Line, names: &[Word]) -> Extensions {
    let mut all = Extensions::empty();
    for name in names {
        let toggle = Toggle::named(&name.text);
        let Some(extension) = toggle.and_then(Toggle::extension) else {
            let known = Extensions::all().names();
            let message =
                format!("`{}` is not an extension; the extensions are {known}", name.text);
            cx.reporter.report(line.loc(name.at.clone()).error("C0315", message));
            continue;
        };
        if !cx.core.extensions().contains(extension) {
            let message = format!("this machine does not have the extension `{}`", name.text);
            let d = line.loc(name.at.clone()).error("C0314", message);
            cx.reporter
                .report(d.help(format!("`--enable {}` switches it on", extension.switches())));
        }
        all |= extension;
    }
    all
}

/// Returns the codes as text, refusing those that nothing can allow, and those of checked runs without a reason.
fn allowable(cx: &mut Context, line: &Line, codes: &[Allowed]) -> Vec<String> {
    let mut good = Vec::new();
    for Allowed { code, reason } in codes {
        let needs_reason = codes::find(&code.text).is_some_and(|row| row.tool == Tool::Sanitizer);
        match codes::allowable(&code.text) {
            Ok(()) if needs_reason && reason.is_none() => {
                let message = format!("`{}` is allowed without a reason", code.text);
                let d = line.loc(code.at.clone()).error("C0419", message);
                let help = format!("give the reason in quotes: {} \"...\"", code.text);
                cx.reporter.report(d.help(help));
            }
            Ok(()) => good.push(code.text.clone()),
            Err(message) => {
                let help = "lints (C05..), checks of runs (C08..), raw bundles (C0310) and control flow (C045.) can be allowed";
                let d = line.loc(code.at.clone()).error("C0419", message);
                cx.reporter.report(d.help(help));
            }
        }
    }
    good
}
