//! What every phase has in hand: the core, the reporter, the symbols; and what expressions are worth
//! at the moment.

use super::eval::{self, Lookup, Trouble, Value};
use super::line::Loc;
use super::report::Reporter;
use super::symbols::{Definition, Entry, Site, Symbols};
use crate::parse::ast::Expr;
use crate::suggest::nearest;
use cp2_isa::Core;
use std::collections::HashSet;

/// Definitions that may lead to one another before a value is found.
const MAX_CHAIN: usize = 200;

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
    /// Symbols whose values are being computed.
    evaluating: Vec<usize>,
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
            evaluating: Vec::new(),
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
    pub(crate) fn define(&mut self, entry: Entry) {
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

    /// The value of an expression, without a report.
    pub(crate) fn evaluate(&mut self, site: &Site, expr: &Expr) -> Result<Value, Trouble> {
        eval::evaluate(expr, site.dot, &mut |name| self.lookup(site.unit, name))
    }

    /// The value of an expression, or `None` after the error has been reported.
    pub(crate) fn value(&mut self, site: &Site, expr: &Expr) -> Option<Value> {
        let value = self.evaluate(site, expr);
        value.map_err(|trouble| self.report_trouble(site, trouble)).ok()
    }

    /// The integer that an expression gives, or `None` after the error has been reported.
    pub(crate) fn integer(&mut self, site: &Site, expr: &Expr) -> Option<i128> {
        let integer = eval::integer(self.value(site, expr)?, &expr.at);
        integer.map_err(|trouble| self.report_trouble(site, trouble)).ok()
    }

    /// An integer that decides what follows; `None` after the error has been reported.
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
            let d = loc.error("C0201", format!("`{name}` is not defined"));
            self.reporter.report(match nearest(name, self.symbols.visible(site.unit)) {
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
            Definition::Kernel(Some(start)) => {
                return Lookup::Value(Value::Int(i128::from(*start)));
            }
            Definition::Kernel(None) if self.complete => return Lookup::Silent,
            Definition::Kernel(None) => return Lookup::Unknown,
            Definition::Later(later) => later.clone(),
        };
        if self.evaluating.contains(&index) || self.evaluating.len() >= MAX_CHAIN {
            self.report_circle(index);
            return Lookup::Silent;
        }
        let (site, expr) = &*later;
        self.evaluating.push(index);
        let result = self.evaluate(site, expr);
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
        self.reporter.report(d);
    }
}
