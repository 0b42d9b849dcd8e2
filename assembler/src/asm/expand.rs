//! First pass over lines: blocks, macros, repetitions, conditions, included files. What single
//! directives do is in `directives`.

use super::blocks::Matcher;
use super::eval::Value;
use super::layout::Place;
use super::line::{Frame, Line, Loc, Replacement, Spot};
use super::symbols::{Definition, Entry};
use super::{Assembler, Item, Macro, Refusal, Site, Target};
use crate::ast::Word;
use crate::image::SymbolKind;
use crate::names;
use crate::parse::{self, Cursor, Directive, Parameter};
use crate::suggest::nearest;
use cp2_isa::{Arith, Exch};
use std::ops::Range;
use std::rc::Rc;

/// Macro calls, repetitions and included files that may be open at once.
const MAX_DEPTH: usize = 64;

/// Bytes of text that expansion may make in all; a line counts as [`LINE_COST`] more.
pub(super) const BUDGET: usize = 16 << 20;
const LINE_COST: usize = 32;

impl Assembler<'_> {
    /// Reads a whole file.
    pub(super) fn file(&mut self, file: u32) {
        if !self.files.contains(&file) {
            self.files.push(file);
        }
        let lines = Line::of_file(file, self.sources.text(file));
        self.including.push(file);
        self.lines(&lines);
        self.including.pop();
    }

    /// Runs lines in order, jumping over what conditions leave out.
    fn lines(&mut self, lines: &[Rc<Line>]) {
        let matcher = Matcher::of(lines);
        for d in matcher.found {
            self.units[self.unit].incomplete = true;
            self.report(d);
        }
        let mut next = 0;
        while next < lines.len() && self.budget > 0 {
            next = self.line(lines, next, &matcher.partner);
        }
    }

    /// Runs one line, or the block that it opens, and gives the line that follows.
    fn line(&mut self, lines: &[Rc<Line>], i: usize, partner: &[usize]) -> usize {
        let line = &lines[i];
        let text = line.code();
        if let Some(at) = text.find('\\') {
            let loc = line.loc(at..text.len().min(at + 1));
            let help = "`\\name` stands for a macro's parameter or the name of a repetition";
            self.report(loc.error("C0108", "nothing here has this name").help(help));
            return i + 1;
        }
        let (rest, labels) = match parse::labels(Cursor::new(text)) {
            Ok(parsed) => parsed,
            Err(e) => {
                self.report_fault(line, parse::fault(e));
                return i + 1;
            }
        };
        for label in labels {
            self.label(line, label);
        }
        if rest.text.is_empty() {
            return i + 1;
        }
        if rest.text.starts_with('.') {
            return self.directive_line(lines, i, partner, rest);
        }
        let word = &rest.text[..rest.token().len()];
        match self.units[self.unit].macros.get(word).cloned() {
            Some(called) => self.call(line, rest, &called),
            None => self.bundle(line, rest),
        }
        i + 1
    }

    fn label(&mut self, line: &Rc<Line>, label: Word) {
        if self.linear.is_some() {
            return self.not_in_linear(&line.loc(label.at), "a label");
        }
        let kind = match self.layout.place {
            Place::Code => SymbolKind::Bundle,
            Place::Data(_) => SymbolKind::Word,
        };
        let value = Value::Int(self.layout.position() as i128);
        self.define(line, label, Definition::Value(value), kind);
    }

    /// Adds a symbol of the current unit.
    pub(super) fn define(
        &mut self,
        line: &Rc<Line>,
        word: Word,
        definition: Definition,
        kind: SymbolKind,
    ) {
        let loc = line.loc(word.at);
        let entry = Entry { name: word.text, definition, kind, loc, global: false };
        if let Err(d) = self.symbols.define(self.unit, entry) {
            self.report(*d);
        }
    }

    fn directive_line(
        &mut self,
        lines: &[Rc<Line>],
        i: usize,
        partner: &[usize],
        rest: Cursor<'_>,
    ) -> usize {
        let line = &lines[i];
        let after = rest.token_after_dot();
        let name = &rest.text[1..after];
        let arguments = nom::Input::take_from(&rest, after);
        let end = partner[i].max(i + 1);
        let parsed = match parse::directive(name, arguments) {
            Some(Ok((_, d))) => d,
            Some(Err(e)) => {
                self.report_fault(line, parse::fault(e));
                self.excuse(line, arguments);
                return self.after_broken(name, i, partner);
            }
            None => {
                self.unknown_directive(line, name, rest.offset..rest.offset + after);
                self.excuse(line, arguments);
                return i + 1;
            }
        };
        match parsed {
            Directive::Macro(word, parameters) => {
                self.define_macro(line, word, parameters, &lines[i + 1..end.min(lines.len())]);
                end + 1
            }
            Directive::Rept(count, iteration) => {
                if let Some(count) = self.decided(line, &count) {
                    let name = iteration.as_ref().map(|w| w.text.as_str());
                    self.rept(line, count, name, &lines[i + 1..end.min(lines.len())]);
                }
                end + 1
            }
            Directive::If(condition) => match self.decided(line, &condition) {
                Some(0) => end + 1,
                Some(_) => i + 1,
                None => self.after_broken("if", i, partner),
            },
            // A branch has run up to its `.else`: the other one is left out.
            Directive::Divider if partner[i] > i => end + 1,
            Directive::Divider => i + 1,
            other => {
                self.directive(line, rest.offset..rest.offset + after, other);
                i + 1
            }
        }
    }

    /// A directive in error may have been meant to define the symbol that it names first: nobody is
    /// to be told that it is not defined.
    fn excuse(&mut self, line: &Rc<Line>, arguments: Cursor<'_>) {
        let text = arguments.text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let name = &text[..end];
        if names::is_symbol_name(name) && self.symbols.find(self.unit, name).is_none() {
            let start = arguments.offset + arguments.text.len() - text.len();
            let word = Word { text: name.to_owned(), at: start..start + end };
            self.define(line, word, Definition::Broken, SymbolKind::Constant);
        }
    }

    /// Leaves out the block whose head is in error, every branch of it.
    fn after_broken(&mut self, name: &str, i: usize, partner: &[usize]) -> usize {
        match name {
            "macro" | "rept" | "if" => {
                self.units[self.unit].incomplete = true;
                let mut end = partner[i];
                while end < partner.len() && partner[end] > end {
                    end = partner[end];
                }
                end + 1
            }
            "include" => {
                self.units[self.unit].incomplete = true;
                i + 1
            }
            _ => i + 1,
        }
    }

    fn unknown_directive(&mut self, line: &Line, name: &str, at: Range<usize>) {
        let d = line.loc(at).error("C0401", format!("there is no directive `.{name}`"));
        let help = match nearest(name, parse::DIRECTIVES) {
            Some(near) => format!("did you mean `.{near}`?"),
            None => format!("the directives are .{}", parse::DIRECTIVES.join(", .")),
        };
        self.report(d.help(help));
    }

    /// A value that decides what follows; `None` after the error has been reported.
    pub(super) fn decided(&mut self, line: &Rc<Line>, expr: &crate::ast::Expr) -> Option<i128> {
        let site = self.site(line);
        let value = self.integer(&site, expr);
        if value.is_none() {
            self.units[self.unit].incomplete = true;
        }
        value
    }

    /// The current place, for expressions of a line.
    pub(super) fn site(&self, line: &Rc<Line>) -> Site {
        Site { line: line.clone(), unit: self.unit, dot: self.layout.position() as i128 }
    }

    fn define_macro(
        &mut self,
        line: &Rc<Line>,
        word: Word,
        parameters: Vec<Parameter>,
        body: &[Rc<Line>],
    ) {
        let loc = line.loc(word.at.clone());
        let name = &word.text;
        let is_operation = Arith::from_name(name).is_some() || Exch::from_name(name).is_some();
        if is_operation || matches!(name.as_str(), "psprmsgn" | "if") {
            let message = format!("`{name}` is an operation, no macro can have its name");
            return self.report(loc.error("C0404", message));
        }
        if let Some(earlier) = self.units[self.unit].macros.get(name) {
            let d = loc.error("C0404", format!("macro `{name}` is defined twice"));
            let d = d.related(earlier.loc.span.clone(), "the first definition");
            return self.report(d);
        }
        for (k, parameter) in parameters.iter().enumerate() {
            if parameters[..k].iter().any(|p| p.name.text == parameter.name.text) {
                let message = format!("parameter `{}` is named twice", parameter.name.text);
                self.report(line.loc(parameter.name.at.clone()).error("C0404", message));
            }
        }
        let defined = Macro { loc, parameters, body: body.to_vec() };
        self.units[self.unit].macros.insert(word.text, Rc::new(defined));
    }

    fn call(&mut self, line: &Rc<Line>, rest: Cursor<'_>, called: &Rc<Macro>) {
        let name = &rest.text[..rest.token().len()];
        let at = rest.offset..rest.offset + rest.text.len();
        let arguments = parse::macro_arguments(nom::Input::take_from(&rest, name.len()));
        let call = line.loc(at);
        if let Err(d) = check_arguments(name, &call, called, arguments.len()) {
            self.units[self.unit].incomplete = true;
            return self.report(*d);
        }
        self.unique += 1;
        let unique = self.unique;
        let frame = Rc::new(Frame::Macro { name: name.to_owned(), call });
        let lookup = |wanted: &str| {
            if wanted == "@" {
                return Some(Replacement::Made(unique.to_string()));
            }
            let k = called.parameters.iter().position(|p| p.name.text == wanted)?;
            let given = arguments.get(k).filter(|a| !a.is_empty());
            Some(match (given, &called.parameters[k].default) {
                (Some(range), _) => Replacement::Argument(line.clone(), range.clone()),
                (None, Some(default)) => Replacement::Made(default.clone()),
                (None, None) => Replacement::Made(String::new()),
            })
        };
        self.derived(line, &called.body, &frame, &lookup);
    }

    fn rept(&mut self, line: &Rc<Line>, count: i128, name: Option<&str>, body: &[Rc<Line>]) {
        if count < 0 {
            self.units[self.unit].incomplete = true;
            let d = line.whole().error("C0420", format!("`.rept {count}`: the count is negative"));
            return self.report(d);
        }
        for k in 0..count {
            if self.budget == 0 {
                return;
            }
            let frame = Rc::new(Frame::Rept(name.map(str::to_owned), k as u64));
            let lookup =
                |wanted: &str| (Some(wanted) == name).then(|| Replacement::Made(k.to_string()));
            self.derived(line, body, &frame, &lookup);
        }
    }

    /// Runs the lines of a body with the names replaced.
    fn derived(
        &mut self,
        line: &Rc<Line>,
        body: &[Rc<Line>],
        frame: &Rc<Frame>,
        lookup: &dyn Fn(&str) -> Option<Replacement>,
    ) {
        if !self.enter(line) {
            return;
        }
        let mut made = Vec::with_capacity(body.len());
        self.spend(line, LINE_COST);
        for part in body {
            let derived = part.derive(frame, lookup);
            self.spend(line, derived.text.len() + LINE_COST);
            made.push(Rc::new(derived));
        }
        self.lines(&made);
        self.depth -= 1;
    }

    fn spend(&mut self, line: &Line, cost: usize) {
        if self.budget > 0 && self.budget <= cost {
            self.units[self.unit].incomplete = true;
            let message = format!("the program grows beyond {} MiB of text here", BUDGET >> 20);
            self.report(
                line.whole().error("C0406", message).help("look for a repetition that runs away"),
            );
        }
        self.budget = self.budget.saturating_sub(cost);
    }

    /// Goes one level deeper, unless that is too deep.
    pub(super) fn enter(&mut self, line: &Line) -> bool {
        if self.depth >= MAX_DEPTH {
            self.units[self.unit].incomplete = true;
            self.budget = 0;
            let message =
                format!("more than {MAX_DEPTH} macro calls, repetitions or files are open here");
            let help = "a macro that calls itself needs an `.if` that ends it";
            self.report(line.whole().error("C0405", message).help(help));
            return false;
        }
        self.depth += 1;
        true
    }

    fn bundle(&mut self, line: &Rc<Line>, rest: Cursor<'_>) {
        if self.linear.is_some() {
            return self.linear_line(line, rest);
        }
        let at = rest.offset..rest.offset + rest.text.len();
        let Some(target) = self.place_bundle(line, at) else { return };
        match parse::bundle(rest) {
            Ok((_, bundle)) => {
                let allowed = self.allowable(line, &bundle.allowed);
                self.bundle_hints(target, allowed);
                let site = Site { dot: target.address.map_or(0, i128::from), ..self.site(line) };
                self.items.push(Item::Bundle { site, bundle: Box::new(bundle), target });
            }
            Err(e) => self.report_fault(line, parse::fault(e)),
        }
    }

    /// Takes the next address for a bundle, beginning the kernel `main` if there is none yet.
    pub(super) fn place_bundle(&mut self, line: &Rc<Line>, at: Range<usize>) -> Option<Target> {
        if self.layout.place != Place::Code {
            let d = line.loc(at).error("C0412", "a bundle among the data of local memory");
            self.report(d.help("`.code` goes back to the kernel, `.kernel NAME` begins another"));
            return None;
        }
        if self.layout.current_kernel().is_none() {
            self.kernel(line, Word { text: "main".into(), at: at.clone() });
        }
        let kernel = self.layout.current_kernel()?;
        let spot = Spot::new(line, at);
        match self.layout.place_bundle(&spot) {
            Ok(address) => {
                if let Some(address) = address {
                    self.bundles.entry(address).or_insert((spot, None));
                }
                Some(Target { kernel, address })
            }
            Err(d) => {
                self.report(*d);
                Some(Target { kernel, address: None })
            }
        }
    }

    /// Notes what the linter is to know about a bundle.
    pub(super) fn bundle_hints(&mut self, target: Target, mut allowed: Vec<String>) {
        let Some(address) = target.address else { return };
        allowed.extend(self.allowing.iter().flat_map(|(codes, _)| codes.iter().cloned()));
        allowed.sort();
        allowed.dedup();
        if !allowed.is_empty() {
            self.hints.allowed.insert(address, allowed);
        }
        if let Some(bank) = self.bank {
            self.hints.dma_banks.insert(address, bank);
        }
    }
}

fn check_arguments(name: &str, call: &Loc, called: &Macro, given: usize) -> Result<(), Refusal> {
    let names: Vec<_> = called.parameters.iter().map(|p| p.name.text.as_str()).collect();
    let needed = called.parameters.iter().rposition(|p| p.default.is_none()).map_or(0, |k| k + 1);
    if (needed..=names.len()).contains(&given) {
        return Ok(());
    }
    let range = if needed == names.len() {
        needed.to_string()
    } else {
        format!("{needed} to {}", names.len())
    };
    Err(call
        .error("C0407", format!("macro `{name}` takes {range} arguments, {given} given"))
        .related(called.loc.span.clone(), format!("its parameters: {}", names.join(", ")))
        .into())
}

impl Cursor<'_> {
    /// Bytes of `.name` at the start.
    fn token_after_dot(self) -> usize {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        1 + self.text[1..].find(|c| !word(c)).unwrap_or(self.text.len() - 1)
    }
}
