//! What kernels declare of themselves, once every symbol is known: `.arg` and `.array` to
//! [`Interface`]s.

use super::context::Context;
use super::eval::Value;
use super::line::Loc;
use super::place::item::{Declaration, Declared};
use super::resolve::Resolver;
use super::symbols::{Definition, Site};
use crate::image::SymbolKind;
use crate::interface::{
    Argument, ArgumentRegister, ArrayBase, ArrayDirection, DeclaredArray, ElementType, Extent,
    ExtentOperator, Interface, Layout, Packing, Promise, Spread,
};
use crate::names;
use crate::parse::ast::{ArrayLine, Binary, Expr, Node, NodeOp, Operand, Setting, Unary, Word};
use crate::suggest::{did_you_mean, nearest};
use cp2_isa::Storage;
use std::collections::BTreeMap;

/// Returns the interfaces of kernels by name. Arguments are known to all arrays of their kernel.
pub(crate) fn interfaces(cx: &mut Context, declared: &[Declared]) -> BTreeMap<String, Interface> {
    let mut all: BTreeMap<String, Interface> = BTreeMap::new();
    let mut places: BTreeMap<(String, String), Loc> = BTreeMap::new();
    for is_array in [false, true] {
        for Declared { kernel, site, what } in declared {
            let interface = all.entry(kernel.clone()).or_default();
            let mut declarer = Declarer { cx, site };
            let name = match what {
                Declaration::Argument { name, .. } if !is_array => name,
                Declaration::Array(line) if is_array => &line.name,
                _ => continue,
            };
            let loc = site.line.loc(name.at.clone());
            if let Some(earlier) = places.get(&(kernel.clone(), name.text.clone())) {
                let message = format!("`{}` is declared twice", name.text);
                let d = loc.error("C0421", message).related(earlier.span.clone(), "the first one");
                declarer.cx.reporter.report(d);
                continue;
            }
            places.insert((kernel.clone(), name.text.clone()), loc);
            match what {
                Declaration::Argument { name, register, element, settings } => {
                    let made = declarer.argument(interface, name, register, (element, settings));
                    interface.arguments.extend(made);
                }
                Declaration::Array(line) => {
                    let made = declarer.array(interface, line);
                    interface.arrays.extend(made);
                }
            }
        }
    }
    all.retain(|_, interface| !interface.is_empty());
    all
}

/// A line of a declaration that is being read.
struct Declarer<'a> {
    cx: &'a mut Context,
    site: &'a Site,
}

impl Declarer<'_> {
    fn refuse(
        &mut self,
        code: &'static str,
        at: std::ops::Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let d = self.site.line.loc(at).error(code, message.into());
        self.cx.reporter.report(d.help(help.into()));
    }

    fn name(&mut self, word: &Word) -> Option<String> {
        if !names::is_reserved(&word.text) {
            return Some(word.text.clone());
        }
        let message = format!("`{}` is a reserved name", word.text);
        self.refuse("C0203", word.at.clone(), message, "choose a name that is not reserved");
        None
    }

    fn argument(
        &mut self,
        interface: &Interface,
        name: &Word,
        written: &Operand,
        (element, settings): (&Option<Word>, &[Setting]),
    ) -> Option<Argument> {
        let name = self.name(name)?;
        let register = self.register(written)?;
        if let Some(other) = interface.arguments.iter().find(|a| a.register.meets(&register)) {
            let message = format!("`{register}` holds the argument `{}` already", other.name);
            self.refuse("C0421", written.at(), message, "give each argument a register of its own");
            return None;
        }
        let is_fpr = register.storage == Storage::Fpr;
        let usual = if is_fpr { ElementType::Float32 } else { ElementType::Int64 };
        let element = match element {
            Some(word) => self.element(word)?,
            None => usual,
        };
        if !register.takes(element) {
            let message = format!("`{register}` cannot hold {}", element.name());
            let help = "halves of FPRs take types of 32 bits; registers that the sections share take whole \
                        numbers, and no type is written for them";
            self.refuse("C0423", written.at(), message, help);
            return None;
        }
        let promise = self.promise(element, settings)?;
        Some(Argument { name, register, element, promise })
    }

    fn promise(&mut self, element: ElementType, settings: &[Setting]) -> Option<Promise> {
        let mut promise = Promise::default();
        for Setting { key, value } in settings {
            if !element.is_whole() {
                let message = format!("`{}=` is a promise about a whole number", key.text);
                self.refuse("C0423", key.at.clone(), message, "this argument is a float");
                return None;
            }
            let Operand::Expr(expr) = value else {
                self.refuse("C0423", value.at(), "expected a number", "for example `min=16`");
                return None;
            };
            let number = self.cx.integer(self.site, expr)?;
            let least = if key.text == "multiple" { 1 } else { i128::from(i64::MIN) };
            let Some(place) = promise.number_mut(&key.text) else {
                return self.unknown_setting(key, &Promise::WORDS);
            };
            match i64::try_from(number) {
                Ok(n) if i128::from(n) >= least && place.is_none() => *place = Some(n),
                _ if place.is_some() => return self.twice(key),
                _ => {
                    let message = format!("`{}={number}` is out of range", key.text);
                    self.refuse("C0423", value.at(), message, "a multiple is 1 or more");
                    return None;
                }
            }
        }
        Some(promise)
    }

    fn twice<T>(&mut self, key: &Word) -> Option<T> {
        let message = format!("`{}=` occurs twice in one line", key.text);
        self.refuse("C0421", key.at.clone(), message, "remove one of them");
        None
    }

    fn unknown_setting<T>(&mut self, key: &Word, known: &[&str]) -> Option<T> {
        let help = match nearest(&key.text, known.iter().copied()) {
            Some(near) => did_you_mean(&format!("{near}=")),
            None => {
                let all: Vec<_> = known.iter().map(|word| format!("`{word}=`")).collect();
                format!("the settings are {}", all.join(", "))
            }
        };
        let message = format!("there is no setting `{}=` here", key.text);
        self.refuse("C0423", key.at.clone(), message, help);
        None
    }

    /// Reads one of the words that a directive takes.
    fn chosen<T>(
        &mut self,
        word: &Word,
        what: &str,
        from_name: impl Fn(&str) -> Option<T>,
        choices: &str,
    ) -> Option<T> {
        let found = from_name(&word.text);
        if found.is_none() {
            let message = format!("`{}` is not a {what}", word.text);
            self.refuse("C0423", word.at.clone(), message, format!("the choices are {choices}"));
        }
        found
    }

    fn element(&mut self, word: &Word) -> Option<ElementType> {
        let names = ElementType::ALL.map(ElementType::name).join(", ");
        self.chosen(word, "type of elements", ElementType::from_name, &names)
    }

    /// Returns the register that can hold an argument; `None` after the error has been reported.
    fn register(&mut self, operand: &Operand) -> Option<ArgumentRegister> {
        let name = match operand {
            Operand::Register(register) => {
                let number = Resolver::new(self.cx, self.site, None).register_number(register)?;
                let half = match register.half {
                    None => "",
                    Some(1) => ".hi",
                    Some(_) => ".lo",
                };
                format!("{}{number}{half}", names::prefix_name(register.prefix))
            }
            Operand::Named(word) => word.text.clone(),
            _ => String::new(),
        };
        let found = ArgumentRegister::from_name(&name, &self.cx.core);
        if found.is_none() {
            let help = "registers f, g, a, n, m and i, halves of FPRs such as `f0.hi`, `rind`, `rstep` and \
                        `rmask` can";
            let message = "this is not a register that can hold an argument";
            self.refuse("C0422", operand.at(), message, help);
        }
        found
    }

    fn array(&mut self, interface: &Interface, line: &ArrayLine) -> Option<DeclaredArray> {
        let ArrayLine { name: word, direction, element, shape, settings } = line;
        let name = self.name(word)?;
        let directions = ArrayDirection::ALL.map(ArrayDirection::name).join(", ");
        let direction = self.chosen(
            direction,
            "direction of an array",
            ArrayDirection::from_name,
            &directions,
        )?;
        let element = self.element(element)?;
        let extents: Option<Vec<Extent>> =
            shape.iter().map(|extent| self.extent(interface, extent)).collect();
        let (layout, at) = self.settings(settings)?;
        let base = match at {
            Some(at) => self.base(at)?,
            None => self.label(word)?,
        };
        if let ArrayBase::Register(register) = base
            && let Some(argument) = interface.arguments.iter().find(|a| a.register == register)
        {
            let message = format!(
                "`{register}` holds the argument `{}`, so it cannot hold an address",
                argument.name
            );
            self.refuse(
                "C0421",
                word.at.clone(),
                message,
                "give the address a register of its own",
            );
            return None;
        }
        Some(DeclaredArray { name, direction, element, shape: extents?, layout, base })
    }

    fn settings<'b>(&mut self, settings: &'b [Setting]) -> Option<(Layout, Option<&'b Operand>)> {
        let (mut spread, mut packing, mut at) = (None, None, None);
        for Setting { key, value } in settings {
            let is_given = match (key.text.as_str(), value) {
                ("layout", Operand::Named(word)) => {
                    let found = self.chosen(word, "layout", Spread::from_name, Spread::FORMS)?;
                    spread.replace(found).is_some()
                }
                ("pack", Operand::Named(word)) => {
                    let names = Packing::ALL.map(Packing::name).join(", ");
                    let found =
                        self.chosen(word, "way to pack 32 bits", Packing::from_name, &names)?;
                    packing.replace(found).is_some()
                }
                ("at", place) => at.replace(place).is_some(),
                _ => return self.unknown_setting(key, &["layout", "pack", "at"]),
            };
            if is_given {
                return self.twice(key);
            }
        }
        let usual = Layout::default();
        let layout = Layout {
            spread: spread.unwrap_or(usual.spread),
            packing: packing.unwrap_or(usual.packing),
        };
        Some((layout, at))
    }

    /// Returns the word or the register of `at=`; `None` after the error has been reported.
    fn base(&mut self, operand: &Operand) -> Option<ArrayBase> {
        let Operand::Expr(expr) = operand else {
            let register = self.register(operand)?;
            if register.holds_address() {
                return Some(ArrayBase::Register(register));
            }
            let message = format!("`{register}` cannot hold an address of local memory");
            self.refuse("C0422", operand.at(), message, "an address is in a g or an a register");
            return None;
        };
        let address = self.cx.integer(self.site, expr)?;
        self.word(address, operand.at())
    }

    fn word(&mut self, address: i128, at: std::ops::Range<usize>) -> Option<ArrayBase> {
        let words = self.cx.core.lmem_words();
        match u16::try_from(address) {
            Ok(word) if usize::from(word) < words => Some(ArrayBase::Word(word)),
            _ => {
                let message = format!("there is no word {address} of local memory");
                self.refuse("C0422", at, message, format!("local memory has {words} words"));
                None
            }
        }
    }

    /// Returns the word of the label that has the array's name; `None` after the error has been reported.
    fn label(&mut self, word: &Word) -> Option<ArrayBase> {
        let symbol = self.cx.symbols.find(self.site.unit, &word.text);
        let entry = symbol.map(|index| &self.cx.symbols.entries[index]);
        match entry.map(|entry| (entry.kind, &entry.definition)) {
            Some((SymbolKind::Word, Definition::Value(Value::Int(address)))) => {
                let address = *address;
                self.word(address, word.at.clone())
            }
            _ => {
                let message = format!("`{}` is not a label of local memory", word.text);
                let help = "put the label before `.zero` or other data in `.lmem`, or say where the array \
                            is: `at=100`, or `at=g0` for an address in a register";
                self.refuse("C0422", word.at.clone(), message, help);
                None
            }
        }
    }

    /// Returns a size: a number, or an expression over whole-numbered arguments.
    fn extent(&mut self, interface: &Interface, expr: &Expr) -> Option<Extent> {
        let is_argument = |name: &str| {
            let argument = interface.argument(name);
            argument.is_some_and(|a| a.element.is_whole())
        };
        let takes = |node: &Node| matches!(&node.op, NodeOp::Symbol(name) if is_argument(name));
        if !expr.nodes.iter().any(takes) {
            let value = self.cx.integer(self.site, expr)?;
            let size = i64::try_from(value).ok().map(Extent::number).filter(Extent::is_size);
            if size.is_some() {
                return size;
            }
            let message = format!("the size is {value}");
            self.refuse(
                "C0423",
                expr.at.clone(),
                message,
                format!("a size must be from 1 to {}", Extent::LARGEST),
            );
            return None;
        }
        let mut stack: Vec<Extent> = Vec::new();
        for node in &expr.nodes {
            let next = match &node.op {
                NodeOp::Symbol(name) if is_argument(name) => Some(Extent::argument(name)),
                NodeOp::Int(_) | NodeOp::Symbol(_) | NodeOp::Dot => {
                    let alone = Expr { nodes: vec![node.clone()], at: node.at.clone() };
                    let value = self.cx.integer(self.site, &alone)?;
                    i64::try_from(value).ok().map(Extent::number)
                }
                NodeOp::Unary(Unary::Plus) => stack.pop(),
                NodeOp::Unary(Unary::Minus) => stack
                    .pop()
                    .and_then(|of| Extent::number(0).joined(ExtentOperator::Subtract, of)),
                NodeOp::Binary(op) => {
                    let (b, a) = (stack.pop(), stack.pop());
                    let operator = match op {
                        Binary::Add => Some(ExtentOperator::Add),
                        Binary::Sub => Some(ExtentOperator::Subtract),
                        Binary::Mul => Some(ExtentOperator::Multiply),
                        Binary::Div => Some(ExtentOperator::Divide),
                        _ => None,
                    };
                    a.zip(b).zip(operator).and_then(|((a, b), operator)| a.joined(operator, b))
                }
                _ => None,
            };
            let Some(next) = next else {
                let message = "an interface cannot hold this size";
                let help =
                    "a size combines arguments with `+`, `-`, `*` and `/`, in a short expression";
                self.refuse("C0423", node.at.clone(), message, help);
                return None;
            };
            stack.push(next);
        }
        stack.pop()
    }
}
