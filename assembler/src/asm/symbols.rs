//! Symbols: who defines them, who sees them. What they are worth is computed in `context`.

use super::eval::Value;
use super::line::{Line, Loc};
use super::report::Refusal;
use crate::image::SymbolKind;
use crate::names;
use crate::parse::ast::Expr;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The kernel that bundles before the first `.kernel` form.
pub(crate) const MAIN: &str = "main";

/// The place of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) line: Rc<Line>,
    pub(crate) unit: usize,
    /// The address of the statement.
    pub(crate) dot: i128,
}

/// The meaning of a symbol.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// A value.
    Value(Value),
    /// An expression over symbols that come later.
    Later(Rc<(Site, Expr)>),
    /// The first bundle of a kernel, once the kernel has one.
    Kernel(Option<u32>),
    /// A definition in error, about which nothing more is to be said.
    Broken,
}

/// A defined name.
#[derive(Debug)]
pub(crate) struct DefinedName {
    pub(crate) name: String,
    pub(crate) definition: Definition,
    pub(crate) kind: SymbolKind,
    pub(crate) loc: Loc,
    pub(crate) global: bool,
}

/// The symbols of a source file and of the files that it includes.
#[derive(Debug, Default)]
struct Unit {
    names: HashMap<String, usize>,
    macros: BTreeSet<String>,
    incomplete: bool,
}

/// Symbols of all units. A unit is a source file with what it includes.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub(crate) entries: Vec<DefinedName>,
    units: Vec<Unit>,
    exported: HashMap<String, usize>,
}

impl Symbols {
    /// Begins a unit and gives its index.
    pub(crate) fn begin_unit(&mut self) -> usize {
        self.units.push(Unit::default());
        self.units.len() - 1
    }

    /// Notes that some definitions of a unit may be missing because of an error that has been reported.
    pub(crate) fn set_incomplete(&mut self, unit: usize) {
        self.units[unit].incomplete = true;
    }

    /// Whether definitions of a unit may be missing.
    /// Whether definitions of any file may be missing.
    pub(crate) fn is_any_incomplete(&self) -> bool {
        self.units.iter().any(|unit| unit.incomplete)
    }

    pub(crate) fn is_incomplete(&self, unit: usize) -> bool {
        self.units[unit].incomplete
    }

    /// Notes the name of a macro, for suggestions.
    pub(crate) fn add_macro(&mut self, unit: usize, name: &str) {
        self.units[unit].macros.insert(name.to_owned());
    }

    /// Returns the macros of a unit.
    pub(crate) fn macros(&self, unit: usize) -> impl Iterator<Item = &str> {
        self.units[unit].macros.iter().map(String::as_str)
    }

    /// Returns the symbol that a unit means by a name.
    pub(crate) fn find(&self, unit: usize, name: &str) -> Option<usize> {
        self.units[unit].names.get(name).or_else(|| self.exported.get(name)).copied()
    }

    /// Returns the names that a unit can use.
    pub(crate) fn visible(&self, unit: usize) -> impl Iterator<Item = &str> {
        self.units[unit].names.keys().chain(self.exported.keys()).map(String::as_str)
    }

    /// Adds a symbol to a unit.
    pub(crate) fn define(&mut self, unit: usize, entry: DefinedName) -> Result<usize, Refusal> {
        if names::is_reserved(&entry.name) {
            let message = format!("`{}` is a reserved name; a symbol cannot have it", entry.name);
            let help = "names of registers with any number, of control registers, `all`, `if`, `inf` \
                        and `nan` are reserved";
            return Err(entry.loc.error("C0203", message).help(help).into());
        }
        if let Some(&earlier) = self.units[unit].names.get(&entry.name) {
            let earlier = &self.entries[earlier];
            let is_kernel = |e: &DefinedName| matches!(e.definition, Definition::Kernel(_));
            let mut d = twice(&entry.name, &entry.loc, &earlier.loc);
            if entry.name == MAIN && (is_kernel(&entry) || is_kernel(earlier)) {
                d.help = Some(
                    "bundles before the first `.kernel` form the kernel `main`; leave the label out, for the \
                     kernel's name stands for its first bundle, or give it another name"
                        .into(),
                );
            }
            return Err(d);
        }
        self.units[unit].names.insert(entry.name.clone(), self.entries.len());
        self.entries.push(entry);
        Ok(self.entries.len() - 1)
    }

    /// Makes a unit's symbol visible to the other units.
    pub(crate) fn export(&mut self, unit: usize, name: &str, loc: &Loc) -> Result<(), Refusal> {
        let Some(&index) = self.units[unit].names.get(name) else {
            let message = format!("`.global {name}`: `{name}` is not defined in this file");
            return Err(loc.error("C0211", message).into());
        };
        self.entries[index].global = true;
        match self.exported.get(name) {
            Some(&other) if other != index => {
                Err(twice(name, &self.entries[index].loc, &self.entries[other].loc))
            }
            _ => {
                self.exported.insert(name.to_owned(), index);
                Ok(())
            }
        }
    }

    /// Returns the local symbols that hide a global one of another file, each with that one.
    pub(crate) fn hiding(&self) -> impl Iterator<Item = (&DefinedName, &DefinedName)> {
        self.units.iter().flat_map(|unit| &unit.names).filter_map(|(name, &index)| {
            let &other = self.exported.get(name)?;
            (other != index && !self.entries[index].global)
                .then(|| (&self.entries[index], &self.entries[other]))
        })
    }
}

fn twice(name: &str, loc: &Loc, earlier: &Loc) -> Refusal {
    loc.error("C0202", format!("`{name}` is defined twice"))
        .related(earlier.span.clone(), "the first definition")
        .help("a label inside a macro or a repetition becomes unique with `\\@` or the iteration's name")
        .into()
}
