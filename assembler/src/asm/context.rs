//! What every phase has in hand: the core, the reporter, the symbols; and what expressions are worth
//! at the moment.

use super::eval::{self, Lookup, Trouble, Value};
use super::line::Loc;
use super::report::Reporter;
use super::symbols::{DefinedName, Definition, Site, Symbols};
use crate::parse::ast::Expr;
use crate::suggest::{did_you_mean, nearest};
use cp2_isa::Core;
use std::collections::HashSet;

/// Core, reporter and symbols.
pub(crate) struct Context {
    pub(crate) core: Core,
    pub(crate) reporter: Reporter,
    pub(crate) symbols: Symbols,
    /// The source file that is being read, with what it includes.
    pub(crate) unit: usize,
    /// Every symbol that will ever be defined is.
    complete: bool,
    /// Undefined symbols that have been reported.
    undefined: HashSet<(usize, String)>,
}

impl Context {
    pub(crate) fn new(core: Core) -> Self {
        Self {
            core,
            reporter: Reporter::default(),
            symbols: Symbols::default(),
            unit: 0,
            complete: false,
            undefined: HashSet::new(),
        }
    }

    /// Begins a source file.
    pub(crate) fn begin_unit(&mut self) {
        self.unit = self.symbols.begin_unit();
    }

    /// Notes that definitions of the file at hand may be missing.
    pub(crate) fn set_incomplete(&mut self) {
        self.symbols.set_incomplete(self.unit);
    }

    /// Adds a symbol of the file at hand.
    pub(crate) fn define(&mut self, entry: DefinedName) {
        if let Err(d) = self.symbols.define(self.unit, entry) {
            self.reporter.report(*d);
        }
    }

    /// Computes every symbol, now that all are defined.
    pub(crate) fn complete(&mut self) {
        self.complete = true;
        for index in 0..self.symbols.entries.len() {
            self.symbol_value(index);
        }
    }

    /// Returns the value of an expression, without a report.
    pub(crate) fn evaluate(&mut self, site: &Site, expr: &Expr) -> Result<Value, Trouble> {
        eval::evaluate(expr, site.dot, &mut |name| self.lookup(site.unit, name))
    }

    /// Returns the value of an expression, or `None` after the error has been reported.
    pub(crate) fn value(&mut self, site: &Site, expr: &Expr) -> Option<Value> {
        let value = self.evaluate(site, expr);
        value.map_err(|trouble| self.report_trouble(site, trouble)).ok()
    }

    /// Returns the integer that an expression gives, or `None` after the error has been reported.
    pub(crate) fn integer(&mut self, site: &Site, expr: &Expr) -> Option<i128> {
        let integer = eval::integer(self.value(site, expr)?, &expr.at);
        integer.map_err(|trouble| self.report_trouble(site, trouble)).ok()
    }

    /// Returns an integer that decides what follows; `None` after the error has been reported.
    pub(crate) fn decided(&mut self, site: &Site, expr: &Expr) -> Option<i128> {
        let value = self.integer(site, expr);
        if value.is_none() {
            self.set_incomplete();
        }
        value
    }

    /// Reports why an expression has no value.
    pub(crate) fn report_trouble(&mut self, site: &Site, trouble: Trouble) {
        match trouble {
            Trouble::Silent => {}
            Trouble::Fault(fault) => self.reporter.fault(&site.line, fault),
            Trouble::Unknown(name, at) => self.report_unknown(site, &name, &site.line.loc(at)),
        }
    }

    fn report_unknown(&mut self, site: &Site, name: &str, loc: &Loc) {
        if self.symbols.is_incomplete(site.unit) {
            return;
        }
        if !self.complete {
            let d = loc.error("C0210", format!("the value of `{name}` is not known here"));
            self.reporter.report(
                d.help("this value decides what follows, so its symbols must be defined before"),
            );
        } else if self.undefined.insert((site.unit, name.to_owned())) {
            let mut d = loc.error("C0201", format!("`{name}` is not defined"));
            d.help = self.reporter.advice(&loc.span, || {
                let near = nearest(name, self.symbols.visible(site.unit))?;
                Some(did_you_mean(near))
            });
            self.reporter.report(d);
        }
    }

    fn lookup(&mut self, unit: usize, name: &str) -> Lookup {
        match self.symbols.find(unit, name) {
            Some(index) => self.symbol_value(index),
            None => Lookup::Unknown,
        }
    }

    /// Returns the value of a symbol if that takes no computation; `None` if its expression has to be evaluated first.
    fn known(&self, index: usize) -> Option<Lookup> {
        Some(match &self.symbols.entries[index].definition {
            Definition::Value(v) => Lookup::Value(*v),
            Definition::Broken => Lookup::Silent,
            Definition::Kernel(Some(start)) => Lookup::Value(Value::Int(i128::from(*start))),
            Definition::Kernel(None) if self.complete => Lookup::Silent,
            Definition::Kernel(None) => Lookup::Unknown,
            Definition::Later(_) => return None,
        })
    }

    /// Computes a symbol and those that it needs, which may be a chain of any length.
    fn symbol_value(&mut self, index: usize) -> Lookup {
        let mut waiting = vec![index];
        let mut is_waiting = HashSet::from([index]);
        while let Some(&top) = waiting.last() {
            let Definition::Later(later) = self.symbols.entries[top].definition.clone() else {
                is_waiting.remove(&top);
                waiting.pop();
                continue;
            };
            let (site, expr) = &*later;
            let mut needed = None;
            let result = eval::evaluate(expr, site.dot, &mut |name| {
                let Some(symbol) = self.symbols.find(site.unit, name) else {
                    return Lookup::Unknown;
                };
                self.known(symbol).unwrap_or_else(|| {
                    needed = Some(symbol);
                    Lookup::Silent
                })
            });
            match (needed, result) {
                (Some(symbol), _) if is_waiting.insert(symbol) => waiting.push(symbol),
                (Some(symbol), _) => self.report_circle(symbol),
                (None, Ok(value)) => {
                    self.symbols.entries[top].definition = Definition::Value(value);
                }
                (None, Err(Trouble::Unknown(..))) if !self.complete => return Lookup::Unknown,
                (None, Err(trouble)) => {
                    self.symbols.entries[top].definition = Definition::Broken;
                    self.report_trouble(site, trouble);
                }
            }
        }
        self.known(index).unwrap_or(Lookup::Silent)
    }

    fn report_circle(&mut self, index: usize) {
        let entry = &mut self.symbols.entries[index];
        entry.definition = Definition::Broken;
        let message = format!("the value of `{}` depends on itself", entry.name);
        let d = entry.loc.error("C0206", message);
        self.reporter.report(d);
    }
}
