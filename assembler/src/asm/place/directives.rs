//! What each directive does that has to do with places.

use super::item::{Declaration, Declared, Item};
use super::layout::{ALL, TargetMemory};
use super::{Placer, allowable, define, extensions};
use crate::asm::context::Context;
use crate::asm::eval::Trouble;
use crate::asm::line::{Line, Loc};
use crate::asm::linear::{Draft, no_region};
use crate::asm::resolve::lists::register_ranges;
use crate::asm::symbols::{DefinedName, Definition, MAIN};
use crate::image::SymbolKind;
use crate::names;
use crate::parse::ast::{
    Allowed, DataForm, Expr, Number, Operand, Placement, Prefix, Register, Word,
};
use cp2_isa::SECTIONS;
use std::ops::Range;
use std::rc::Rc;

impl Placer<'_> {
    /// Does what a directive says.
    pub(super) fn directive(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        at: Range<usize>,
        directive: Placement,
    ) {
        match directive {
            Placement::Equ(word, expr) => self.equ(cx, line, word, expr),
            Placement::Kernel(word) => {
                self.pending.bank = None;
                self.kernel(cx, line, &word);
            }
            Placement::Code => self.layout.place = TargetMemory::Code,
            Placement::Lmem(which) => self.lmem(cx, line, &which),
            Placement::Org(expr) => self.org(cx, line, &expr),
            Placement::Align(expr) => self.align(cx, line, &expr),
            Placement::Data(form, exprs) => self.data(cx, line, at, form, exprs),
            Placement::Zero(expr) => self.zero(cx, line, at, &expr),
            Placement::Bundle(low, upper, allowed) => {
                self.raw_bundle(cx, line, at, (low, upper), &allowed);
            }
            Placement::Global(words) => {
                let locs = words.into_iter().map(|word| (word.text, line.loc(word.at)));
                self.pending.globals.extend(locs);
            }
            Placement::Live(ranges) => self.live(cx, line, &ranges),
            Placement::Argument(name, register, element, settings) => {
                let what = Declaration::Argument { name, register, element, settings };
                self.declare(cx, line, what);
            }
            Placement::Array(array) => self.declare(cx, line, Declaration::Array(array)),
            Placement::Dmabank(which) => self.dmabank(cx, line, &which),
            Placement::Allow(codes) => {
                let codes = allowable(cx, line, &codes);
                self.pending.allowing.push((codes, line.whole()));
            }
            Placement::Endallow => {
                if self.pending.allowing.pop().is_none() {
                    let d = line.loc(at).error("C0402", "`.endallow` without an open `.allow`");
                    cx.reporter.report(d);
                }
            }
            Placement::Requires(names) => self.requires |= extensions(cx, line, &names),
            Placement::Linear(name) => {
                let kernel = self.layout.current_kernel();
                let kernel = kernel.map(|k| self.layout.kernels[k].name.clone());
                let name = name.map(|w| w.text).or(kernel).unwrap_or_else(|| MAIN.to_owned());
                self.linear = Some(Box::new(Draft::new(cx, line, name)));
            }
            Placement::Endlinear => match self.linear.take() {
                None => no_region(cx, &line.loc(at)),
                // What would find no place is not scheduled: a repetition may bring any number of regions.
                Some(_) if self.layout.is_full() => {}
                Some(draft) => {
                    // The same option with a shorter life.
                    let store = self.store.as_mut().map(|store| &mut **store as _);
                    if let Some(ordered) = draft.order(cx, store, &mut self.made) {
                        self.place_region(cx, line, ordered);
                    }
                }
            },
        }
    }

    fn equ(&mut self, cx: &mut Context, line: &Rc<Line>, word: Word, expr: Expr) {
        let site = self.site(cx, line);
        let definition = match cx.evaluate(&site, &expr) {
            Ok(value) => Definition::Value(value),
            Err(Trouble::Unknown(..)) => Definition::Later(Rc::new((site, expr))),
            Err(trouble) => {
                cx.report_trouble(&site, trouble);
                Definition::Broken
            }
        };
        define(cx, line, word, definition, SymbolKind::Constant);
    }

    /// Begins a kernel.
    pub(super) fn kernel(&mut self, cx: &mut Context, line: &Rc<Line>, word: &Word) {
        let loc = line.loc(word.at.clone());
        if let Some(earlier) = self.layout.kernels.iter().find(|k| k.name == word.text) {
            let d = loc.error("C0410", format!("kernel `{}` is defined twice", word.text));
            let help = "bundles before any `.kernel` of a file make the kernel `main`";
            let d = d.related(earlier.loc.span.clone(), "the first one").help(help);
            let first = self.layout.kernels.iter().position(|k| k.name == word.text);
            self.layout.resume_kernel(first);
            return cx.reporter.report(d);
        }
        let index = self.layout.begin_kernel(word.text.clone(), loc.clone());
        let entry = DefinedName {
            name: word.text.clone(),
            definition: Definition::Kernel(None),
            kind: SymbolKind::Bundle,
            loc: loc.clone(),
            global: true,
        };
        let defined = cx.symbols.define(cx.unit, entry);
        self.layout.kernels[index].symbol = defined.as_ref().ok().copied();
        let exported = defined.and_then(|_| cx.symbols.export(cx.unit, &word.text, &loc));
        if let Err(d) = exported {
            cx.reporter.report(*d);
        }
        if let Some(live) = self.pending.live.take() {
            self.hints.live_out.insert(word.text.clone(), live);
        }
        let declared = std::mem::take(&mut self.pending.undeclared).into_iter();
        let of_kernel =
            declared.map(|(site, what)| Declared { kernel: word.text.clone(), site, what });
        self.declared.extend(of_kernel);
    }

    /// Notes what is declared of the current kernel, or of the next one.
    fn declare(&mut self, cx: &Context, line: &Rc<Line>, what: Declaration) {
        let site = self.site(cx, line);
        match self.layout.current_kernel() {
            Some(k) => {
                let kernel = self.layout.kernels[k].name.clone();
                self.declared.push(Declared { kernel, site, what });
            }
            None => self.pending.undeclared.push((site, what)),
        }
    }

    fn lmem(&mut self, cx: &mut Context, line: &Rc<Line>, which: &Operand) {
        let site = self.site(cx, line);
        let section = match which {
            Operand::Named(w) if w.text == "all" => {
                return self.layout.place = TargetMemory::Data(ALL);
            }
            Operand::Register(Register {
                prefix: Prefix::S,
                number: Number::Literal(n),
                half: None,
                ..
            }) => i128::from(*n),
            Operand::Expr(e) => match cx.integer(&site, e) {
                Some(v) => v,
                None => return,
            },
            _ => -1,
        };
        match usize::try_from(section) {
            Ok(s) if s < SECTIONS => self.layout.place = TargetMemory::Data(1 + s),
            _ => {
                let d =
                    line.loc(which.at()).error("C0418", "this is not a section of local memory");
                cx.reporter.report(d.help("write `.lmem all`, or `.lmem 0` to `.lmem 3`"));
            }
        }
    }

    /// Returns a number within bounds that decides what follows; `None` after the error has been reported.
    fn bounded(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        expr: &Expr,
        most: usize,
        what: &str,
    ) -> Option<usize> {
        let site = self.site(cx, line);
        let value = cx.decided(&site, expr)?;
        match usize::try_from(value) {
            Ok(v) if v <= most => Some(v),
            _ => {
                let message = format!("{what} is {value}; it must be from 0 to {most}");
                cx.reporter.report(line.loc(expr.at.clone()).error("C0420", message));
                None
            }
        }
    }

    fn org(&mut self, cx: &mut Context, line: &Rc<Line>, expr: &Expr) {
        let last = self.layout.size() - 1;
        if let Some(address) = self.bounded(cx, line, expr, last, "the address") {
            self.move_to(cx, line, address);
        }
    }

    fn align(&mut self, cx: &mut Context, line: &Rc<Line>, expr: &Expr) {
        let size = self.layout.size();
        match self.bounded(cx, line, expr, size, "the alignment") {
            Some(0) => {
                let d = line.loc(expr.at.clone()).error("C0420", "the alignment is 0");
                cx.reporter.report(d.help("an alignment is 1 or more"));
            }
            Some(step) => {
                let address = self.layout.position().next_multiple_of(step);
                if address < size {
                    self.move_to(cx, line, address);
                } else {
                    let message = format!(
                        "the alignment leads to {address}; the last address is {}",
                        size - 1
                    );
                    cx.reporter.report(line.loc(expr.at.clone()).error("C0420", message));
                }
            }
            None => {}
        }
    }

    fn move_to(&mut self, cx: &mut Context, line: &Rc<Line>, address: usize) {
        let loc = line.whole();
        if let Err(d) = self.layout.set_position(address, &loc) {
            cx.reporter.report(*d);
        }
    }

    /// Returns the local memory that data go to; `None` after the error has been reported.
    fn data_space(&self, cx: &mut Context, loc: &Loc) -> Option<usize> {
        if let TargetMemory::Data(space) = self.layout.place {
            return Some(space);
        }
        let d = loc.error("C0412", "data among the bundles of a kernel");
        let help = "data go to local memory: `.lmem all` or `.lmem 0..3` first; a bundle given as a \
                    number is `.bundle`";
        cx.reporter.report(d.help(help));
        None
    }

    fn data(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        at: Range<usize>,
        form: DataForm,
        exprs: Vec<Expr>,
    ) {
        let loc = line.loc(at);
        let Some(space) = self.data_space(cx, &loc) else { return };
        let site = self.site(cx, line);
        let per_word = form.values_per_word();
        if let (Some(last), true) = (exprs.last(), !exprs.len().is_multiple_of(per_word)) {
            let message = format!("{} values; each word takes two", exprs.len());
            let d = line.loc(last.at.clone()).error("C0418", message);
            cx.reporter.report(d.help("high and low half alternate: `.complex re, im, re, im`"));
        }
        let count = exprs.len().div_ceil(per_word);
        match self.layout.place_words(space, count, &loc) {
            Ok(slot) => self.items.push(Item::Data { site, form, exprs, slot }),
            Err(d) => cx.reporter.report(*d),
        }
    }

    fn zero(&mut self, cx: &mut Context, line: &Rc<Line>, at: Range<usize>, expr: &Expr) {
        let loc = line.loc(at);
        let Some(space) = self.data_space(cx, &loc) else { return };
        let most = u32::MAX as usize;
        let Some(count) = self.bounded(cx, line, expr, most, "the count") else { return };
        if count > 0
            && let Err(d) = self.layout.place_words(space, count, &loc)
        {
            cx.reporter.report(*d);
        }
    }

    fn raw_bundle(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        at: Range<usize>,
        (low, upper): (Expr, Option<Expr>),
        allowed: &[Allowed],
    ) {
        let at = at.start..upper.as_ref().unwrap_or(&low).at.end;
        let Some(target) = self.place_bundle(cx, line, at) else { return };
        let allowed = allowable(cx, line, allowed);
        self.bundle_hints(target, allowed);
        let site = self.site(cx, line);
        self.items.push(Item::Raw { site, low, upper, target });
    }

    fn live(&mut self, cx: &mut Context, line: &Rc<Line>, ranges: &[(Register, Option<Register>)]) {
        let site = self.site(cx, line);
        let Some(mut live) = register_ranges(cx, &site, ranges) else { return };
        let all = match self.layout.current_kernel() {
            Some(k) => {
                let name = self.layout.kernels[k].name.clone();
                self.hints.live_out.entry(name).or_default()
            }
            None => self.pending.live.get_or_insert_default(),
        };
        all.append(&mut live);
        all.sort_unstable();
        all.dedup();
    }

    fn dmabank(&mut self, cx: &mut Context, line: &Rc<Line>, which: &Operand) {
        let site = self.site(cx, line);
        let all = names::all_banks(&cx.core);
        let bank = match which {
            Operand::Named(w) if w.text == "none" => Some(0),
            Operand::Named(w) if w.text == all => Some(cx.core.bank_mask()),
            Operand::Expr(e) => match cx.integer(&site, e) {
                Some(bank) => cx.core.mask_of_bank(bank),
                None => return,
            },
            _ => None,
        };
        match bank {
            Some(_) => self.pending.bank = bank,
            None => {
                let d = line.loc(which.at()).error("C0418", "this is not a choice of banks");
                let banks: String =
                    (1..cx.core.banks()).map(|bank| format!("`{bank}`, ")).collect();
                let help = format!("write `.dmabank 0`, {banks}`{all}` or `none`");
                cx.reporter.report(d.help(help));
            }
        }
    }
}
