//! What each directive does that does not open a block.

use super::eval;
use super::layout::{ALL, Place};
use super::line::{Line, Loc};
use super::symbols::{Definition, Entry};
use super::{Assembler, DataForm, Item};
use crate::ast::{Expr, Number, Operand, Prefix, Register, Word};
use crate::image::SymbolKind;
use crate::names;
use crate::parse::Directive;
use cp2_isa::SECTIONS;
use std::ops::Range;
use std::rc::Rc;

/// Whether a directive changes places, which linear code does not have.
fn ends_linear(directive: &Directive) -> bool {
    use Directive as D;
    matches!(
        directive,
        D::Kernel(_)
            | D::Code
            | D::Lmem(_)
            | D::Org(_)
            | D::Align(_)
            | D::Quad(_)
            | D::Complex(_)
            | D::Pair(_)
            | D::Zero(_)
            | D::Bundle(..)
            | D::Dmabank(_)
            | D::Linear(_)
    )
}

impl Assembler<'_> {
    /// Does what a directive says.
    pub(super) fn directive(&mut self, line: &Rc<Line>, at: Range<usize>, directive: Directive) {
        if self.linear.is_some() && ends_linear(&directive) {
            return self.not_in_linear(&line.loc(at), "this directive");
        }
        match directive {
            Directive::Equ(word, expr) => self.equ(line, word, expr),
            Directive::Include(path) => self.include(line, &path),
            Directive::Kernel(word) => {
                self.bank = None;
                self.kernel(line, word);
            }
            Directive::Code => self.layout.place = Place::Code,
            Directive::Lmem(which) => self.lmem(line, &which),
            Directive::Org(expr) => self.org(line, &expr),
            Directive::Align(expr) => self.align(line, &expr),
            Directive::Quad(exprs) => self.data(line, at, DataForm::Quad, exprs),
            Directive::Complex(exprs) => self.data(line, at, DataForm::Complex, exprs),
            Directive::Pair(exprs) => self.data(line, at, DataForm::Pair, exprs),
            Directive::Zero(expr) => self.zero(line, at, &expr),
            Directive::Bundle(word, allowed) => self.raw_bundle(line, at, word, &allowed),
            Directive::Global(words) => {
                for word in words {
                    let loc = line.loc(word.at);
                    self.units[self.unit].globals.push((word.text, loc));
                }
            }
            Directive::Live(ranges) => self.live(line, &ranges),
            Directive::Dmabank(which) => self.dmabank(line, &which),
            Directive::Allow(codes) => {
                let codes = self.allowable(line, &codes);
                self.allowing.push((codes, line.whole()));
            }
            Directive::Endallow => {
                if self.allowing.pop().is_none() {
                    let d = line.loc(at).error("C0402", "`.endallow`, and no `.allow` is open");
                    self.report(d);
                }
            }
            Directive::Linear(name) => self.begin_linear(line, name),
            Directive::Endlinear => self.end_linear(line, at),
            Directive::Loop(..)
            | Directive::Endloop
            | Directive::Disjoint(_)
            | Directive::Even(_)
            | Directive::Keep(_)
            | Directive::Scratch(_)
            | Directive::Assign(..) => self.linear_directive(line, at, &directive),
            // These open or divide blocks; `expand` has dealt with them.
            Directive::Macro(..) | Directive::Rept(..) | Directive::If(_) | Directive::Divider => {}
        }
    }

    fn equ(&mut self, line: &Rc<Line>, word: Word, expr: Expr) {
        let site = self.site(line);
        let result = eval::evaluate(&expr, site.dot, &mut |name| self.lookup(site.unit, name));
        let definition = match result {
            Ok(value) => Definition::Value(value),
            Err(eval::Trouble::Unknown(..)) => Definition::Later(Rc::new((site, expr))),
            Err(trouble) => {
                self.report_trouble(&site, trouble);
                Definition::Broken
            }
        };
        self.define(line, word, definition, SymbolKind::Constant);
    }

    fn include(&mut self, line: &Rc<Line>, path: &Word) {
        let loc = line.loc(path.at.clone());
        let from =
            self.including.last().map_or(String::new(), |&f| self.sources.name(f).to_owned());
        let (name, text) = match (self.loader)(&from, &path.text) {
            Ok(file) => file,
            Err(why) => {
                self.units[self.unit].incomplete = true;
                let d = loc.error("C0408", format!("`{}` cannot be read: {why}", path.text));
                return self.report(d);
            }
        };
        if self.including.iter().any(|&f| self.sources.name(f) == name) {
            self.units[self.unit].incomplete = true;
            let d = loc.error("C0409", format!("`{name}` includes itself"));
            return self.report(d.help("take the common part out into a third file"));
        }
        if self.enter(line) {
            let known = self
                .files
                .iter()
                .copied()
                .find(|&f| self.sources.name(f) == name && self.sources.text(f) == text);
            let file = known.unwrap_or_else(|| self.sources.add(name, text));
            self.file(file);
            self.depth -= 1;
        }
    }

    /// Begins a kernel.
    pub(super) fn kernel(&mut self, line: &Rc<Line>, word: Word) {
        let loc = line.loc(word.at.clone());
        if let Some(earlier) = self.layout.kernels.iter().find(|k| k.name == word.text) {
            let d = loc.error("C0410", format!("kernel `{}` is begun twice", word.text));
            let help = "bundles before any `.kernel` of a file make the kernel `main`";
            let d = d.related(earlier.loc.span.clone(), "the first one").help(help);
            let first = self.layout.kernels.iter().position(|k| k.name == word.text);
            self.layout.resume_kernel(first);
            return self.report(d);
        }
        let index = self.layout.begin_kernel(word.text.clone(), loc.clone());
        let entry = Entry {
            name: word.text.clone(),
            definition: Definition::Kernel(index),
            kind: SymbolKind::Bundle,
            loc: loc.clone(),
            global: true,
        };
        let defined = self.symbols.define(self.unit, entry).map(|_| ());
        let exported = defined.and_then(|()| self.symbols.export(self.unit, &word.text, &loc));
        if let Err(d) = exported {
            self.report(*d);
        }
        if let Some(live) = self.live.take() {
            self.hints.live_out.insert(word.text, live);
        }
    }

    fn lmem(&mut self, line: &Rc<Line>, which: &Operand) {
        let site = self.site(line);
        let section = match which {
            Operand::Named(w) if w.text == "all" => return self.layout.place = Place::Data(ALL),
            Operand::Register(Register {
                prefix: Prefix::S,
                number: Number::Literal(n),
                half: None,
                ..
            }) => i128::from(*n),
            Operand::Expr(e) => match self.integer(&site, e) {
                Some(v) => v,
                None => return,
            },
            _ => -1,
        };
        match usize::try_from(section) {
            Ok(s) if s < SECTIONS => self.layout.place = Place::Data(1 + s),
            _ => {
                let d = line.loc(which.at()).error("C0418", "this is no section of local memory");
                self.report(d.help("write `.lmem all`, or `.lmem 0` to `.lmem 3`"));
            }
        }
    }

    /// A number within bounds that decides what follows; `None` after the error has been reported.
    fn bounded(&mut self, line: &Rc<Line>, expr: &Expr, most: usize, what: &str) -> Option<usize> {
        let value = self.decided(line, expr)?;
        match usize::try_from(value) {
            Ok(v) if v <= most => Some(v),
            _ => {
                let message = format!("{what} is {value}; it must be from 0 to {most}");
                self.report(line.loc(expr.at.clone()).error("C0420", message));
                None
            }
        }
    }

    fn org(&mut self, line: &Rc<Line>, expr: &Expr) {
        let last = self.layout.size() - 1;
        if let Some(address) = self.bounded(line, expr, last, "the address") {
            self.move_to(line, address);
        }
    }

    fn align(&mut self, line: &Rc<Line>, expr: &Expr) {
        let size = self.layout.size();
        match self.bounded(line, expr, size, "the alignment") {
            Some(0) => {
                let d = line.loc(expr.at.clone()).error("C0420", "the alignment is 0");
                self.report(d.help("an alignment is 1 or more"));
            }
            Some(step) => {
                let address = self.layout.position().next_multiple_of(step);
                if address < size {
                    self.move_to(line, address);
                } else {
                    let message = format!(
                        "the alignment leads to {address}, the last address is {}",
                        size - 1
                    );
                    self.report(line.loc(expr.at.clone()).error("C0420", message));
                }
            }
            None => {}
        }
    }

    fn move_to(&mut self, line: &Rc<Line>, address: usize) {
        let loc = line.whole();
        if let Err(d) = self.layout.set_position(address, &loc) {
            self.report(*d);
        }
    }

    /// The local memory that data go to; `None` after the error has been reported.
    fn data_space(&mut self, loc: &Loc) -> Option<usize> {
        if let Place::Data(space) = self.layout.place {
            return Some(space);
        }
        let d = loc.error("C0412", "data among the bundles of a kernel");
        let help = "data go to local memory: `.lmem all` or `.lmem 0..3` first; a bundle given as a \
                    number is `.bundle`";
        self.report(d.help(help));
        None
    }

    fn data(&mut self, line: &Rc<Line>, at: Range<usize>, form: DataForm, exprs: Vec<Expr>) {
        let loc = line.loc(at);
        let Some(space) = self.data_space(&loc) else { return };
        let site = self.site(line);
        let per_word = if form == DataForm::Quad { 1 } else { 2 };
        if let (Some(last), true) = (exprs.last(), !exprs.len().is_multiple_of(per_word)) {
            let message = format!("{} values; each word takes two", exprs.len());
            let d = line.loc(last.at.clone()).error("C0418", message);
            self.report(d.help("high and low half alternate: `.complex re, im, re, im`"));
        }
        let count = exprs.len().div_ceil(per_word);
        match self.layout.place_words(space, count, &loc) {
            Ok(slot) => self.items.push(Item::Data { site, form, exprs, slot }),
            Err(d) => self.report(*d),
        }
    }

    fn zero(&mut self, line: &Rc<Line>, at: Range<usize>, expr: &Expr) {
        let loc = line.loc(at);
        let Some(space) = self.data_space(&loc) else { return };
        let most = u32::MAX as usize;
        let Some(count) = self.bounded(line, expr, most, "the count") else { return };
        if count > 0
            && let Err(d) = self.layout.place_words(space, count, &loc)
        {
            self.report(*d);
        }
    }

    fn raw_bundle(&mut self, line: &Rc<Line>, at: Range<usize>, word: Expr, allowed: &[Word]) {
        let at = at.start..word.at.end;
        let Some(target) = self.place_bundle(line, at) else { return };
        let allowed = self.allowable(line, allowed);
        self.bundle_hints(target, allowed);
        let site = self.site(line);
        self.items.push(Item::Raw { site, word, target });
    }

    /// The registers f0..f63 of a list with ranges, or `None` after the error has been reported.
    pub(super) fn register_ranges(
        &mut self,
        line: &Rc<Line>,
        ranges: &[(Register, Option<Register>)],
    ) -> Option<Vec<u8>> {
        let site = self.site(line);
        let mut live = Vec::new();
        for (first, last) in ranges {
            let from = self.live_register(&site, first)?;
            let to = match last {
                Some(last) => self.live_register(&site, last)?,
                None => from,
            };
            if to < from {
                let at = first.at.start..last.as_ref().map_or(first.at.end, |l| l.at.end);
                let message = format!("the range goes down, from f{from} to f{to}");
                self.report(line.loc(at).error("C0418", message));
                return None;
            }
            live.extend(from..=to);
        }
        Some(live)
    }

    fn live(&mut self, line: &Rc<Line>, ranges: &[(Register, Option<Register>)]) {
        let Some(mut live) = self.register_ranges(line, ranges) else { return };
        let all = match self.layout.current_kernel() {
            Some(k) => {
                let name = self.layout.kernels[k].name.clone();
                self.hints.live_out.entry(name).or_default()
            }
            None => self.live.get_or_insert_default(),
        };
        all.append(&mut live);
        all.sort_unstable();
        all.dedup();
    }

    fn live_register(&mut self, site: &super::Site, register: &Register) -> Option<u8> {
        if register.prefix != Prefix::F || register.half.is_some() {
            let d = site.line.loc(register.at.clone()).error(
                "C0418",
                format!(
                    "registers f0 to f63 are listed here, not {}N",
                    names::prefix_name(register.prefix)
                ),
            );
            self.report(d.help("for example `f0, f2-f5`"));
            return None;
        }
        self.register_number(site, register).map(|n| n as u8)
    }

    fn dmabank(&mut self, line: &Rc<Line>, which: &Operand) {
        let site = self.site(line);
        let bank = match which {
            Operand::Named(w) if w.text == "none" => Some(0),
            Operand::Named(w) if w.text == crate::names::all_banks(&self.core) => {
                Some(self.core.bank_mask())
            }
            Operand::Expr(e) => match self.integer(&site, e) {
                Some(bank) => self.core.mask_of_bank(bank),
                None => return,
            },
            _ => None,
        };
        match bank {
            Some(_) => self.bank = bank,
            None => {
                let d = line.loc(which.at()).error("C0418", "this is no choice of banks");
                let banks =
                    (1..self.core.banks()).map(|bank| format!("`{bank}`, ")).collect::<String>();
                let all = crate::names::all_banks(&self.core);
                self.report(d.help(format!("write `.dmabank 0`, {banks}`{all}` or `none`")));
            }
        }
    }
}
