//! Symbols: who defines them, who sees them, what they are worth.

use super::eval::Value;
use super::line::Loc;
use super::{Refusal, Site};
use crate::ast::Expr;
use crate::image::SymbolKind;
use crate::names;
use std::collections::HashMap;
use std::rc::Rc;

/// What a symbol stands for.
#[derive(Clone, Debug)]
pub(super) enum Definition {
    /// A value.
    Value(Value),
    /// An expression over symbols that come later.
    Later(Rc<(Site, Expr)>),
    /// The first bundle of a kernel, by the kernel's index.
    Kernel(usize),
    /// In error; nothing more is to be said about it.
    Broken,
}

/// A defined name.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) definition: Definition,
    pub(super) kind: SymbolKind,
    pub(super) loc: Loc,
    pub(super) global: bool,
}

/// Symbols of all units. A unit is a source file with what it includes.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) entries: Vec<Entry>,
    units: Vec<HashMap<String, usize>>,
    exported: HashMap<String, usize>,
}

impl Symbols {
    pub(super) fn begin_unit(&mut self) {
        self.units.push(HashMap::new());
    }

    /// The symbol that a unit means by a name.
    pub(super) fn find(&self, unit: usize, name: &str) -> Option<usize> {
        self.units[unit].get(name).or_else(|| self.exported.get(name)).copied()
    }

    /// The names that a unit can use.
    pub(super) fn visible(&self, unit: usize) -> impl Iterator<Item = &str> {
        self.units[unit].keys().chain(self.exported.keys()).map(String::as_str)
    }

    /// Adds a symbol to a unit.
    pub(super) fn define(&mut self, unit: usize, entry: Entry) -> Result<usize, Refusal> {
        if names::is_reserved(&entry.name) {
            let message =
                format!("`{}` is a name of the machine, no symbol can have it", entry.name);
            let help = "names of registers with any number, of control registers, `all`, `if`, `inf` \
                        and `nan` are taken";
            return Err(entry.loc.error("C0203", message).help(help).into());
        }
        if let Some(&earlier) = self.units[unit].get(&entry.name) {
            return Err(twice(&entry.name, &entry.loc, &self.entries[earlier].loc));
        }
        self.units[unit].insert(entry.name.clone(), self.entries.len());
        self.entries.push(entry);
        Ok(self.entries.len() - 1)
    }

    /// Makes a unit's symbol visible to the other units.
    pub(super) fn export(&mut self, unit: usize, name: &str, loc: &Loc) -> Result<(), Refusal> {
        let Some(&index) = self.units[unit].get(name) else {
            let message = format!("`.global {name}`, but `{name}` is not defined in this file");
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

    /// Local symbols that hide a global one of another file.
    pub(super) fn hiding(&self) -> impl Iterator<Item = (&Entry, &Entry)> {
        self.units.iter().flatten().filter_map(|(name, &index)| {
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
