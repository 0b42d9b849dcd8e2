//! Calls of the library: arguments to values, results to variables.

use super::interpreter::{Cell, Interpreter, Stop};
use crate::language::TypedNode;
use crate::library::LibraryProcedure;
use crate::machine::{ModelError, StarBackend, StarMachine};
use std::ops::Range;

/// Slices and tables that a procedure gives, in the order of its results.
struct Given<B: StarBackend> {
    tables: Vec<B::Table>,
    slices: Vec<B::Bits>,
}

/// Returns the table of an argument. Arguments that have to be tables have been checked to be.
fn table<B: StarBackend>(cell: &Cell<B>) -> Result<&B::Table, ModelError> {
    match cell {
        Cell::Table(table) => Ok(table),
        _ => Err(ModelError::Width { procedure: "the library", columns: 0, wanted: 1 }),
    }
}

impl<B: StarBackend> Interpreter<'_, B> {
    pub(super) fn library(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
        at: &Range<usize>,
    ) -> Result<(), Stop> {
        use LibraryProcedure as P;
        let result = match procedure {
            P::Clear | P::Wmerge | P::Tcopy2 | P::Tmerge => {
                self.in_place(procedure, arguments, at)?
            }
            P::Wcopy | P::Tcopy | P::Tcopy1 => self.copying(procedure, arguments)?,
            _ => self.searching(procedure, arguments)?,
        };
        let Given { tables, slices } = result.map_err(|error| self.refused(at, &error))?;
        let (mut tables, mut slices) = (tables.into_iter(), slices.into_iter());
        let results = procedure.parameters().iter().zip(arguments).filter(|(p, _)| p.is_result);
        for (parameter, node) in results {
            let slot = self.named(node);
            let cell = match parameter.kind {
                crate::library::ParameterKind::Slice => slices.next().map(Cell::Bits),
                _ => tables.next().map(Cell::Table),
            };
            if let Some(cell) = cell {
                self.put(slot, cell);
            }
        }
        Ok(())
    }

    /// Searches and arithmetic: tables first, then slices and words, results last.
    fn searching(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
    ) -> Result<Result<Given<B>, ModelError>, Stop> {
        use LibraryProcedure as P;
        let is_of_two = matches!(procedure, P::Hit | P::Setmin | P::Setmax | P::Addv | P::Subtv);
        let (first, second) = (self.named(&arguments[0]), self.named(&arguments[1]));
        let x = self.bits(&arguments[if is_of_two { 2 } else { 1 }])?;
        let v = match procedure {
            P::Match | P::Less | P::Great | P::Addc | P::Addc1 | P::Subtc | P::Subtc1 => {
                self.bits(&arguments[2])?
            }
            _ => x.clone(),
        };
        let cells = &self.cells;
        let of = |machine: &mut StarMachine<B>| -> Result<Given<B>, ModelError> {
            let t = table(&cells[first])?;
            let f = if is_of_two { table(&cells[second])? } else { t };
            let slice = |slice| Given { tables: Vec::new(), slices: vec![slice] };
            let both = |(table, slice)| Given { tables: vec![table], slices: vec![slice] };
            Ok(match procedure {
                P::Min => slice(machine.min(t, &x)),
                P::Max => slice(machine.max(t, &x)),
                P::Match => slice(machine.equal(t, &x, &v)?),
                P::Less => slice(machine.below(t, &x, &v)?),
                P::Great => slice(machine.above(t, &x, &v)?),
                P::Gel => {
                    let (greater, less) = machine.apart(t, &x)?;
                    Given { tables: Vec::new(), slices: vec![greater, less] }
                }
                P::Hit => slice(machine.hit(t, f, &x)?),
                P::Setmin => slice(machine.lesser(t, f, &x)?),
                P::Setmax => slice(machine.greater(t, f, &x)?),
                P::Addv => both(machine.add_tables(t, f, &x)?),
                P::Subtv => both(machine.subtract_tables(t, f, &x)?),
                P::Addc => both(machine.add_word(t, &x, &v)?),
                P::Addc1 => both(machine.add_word_within(t, &x, &v)?),
                P::Subtc => both(machine.subtract_word(t, &x, &v)?),
                _ => both(machine.subtract_word_within(t, &x, &v)?),
            })
        };
        Ok(of(self.machine))
    }

    /// Copies that give a whole table.
    fn copying(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
    ) -> Result<Result<Given<B>, ModelError>, Stop> {
        let one = |table| Given { tables: vec![table], slices: Vec::new() };
        if procedure == LibraryProcedure::Wcopy {
            let (v, x) = (self.bits(&arguments[0])?, self.bits(&arguments[1])?);
            return Ok(self.machine.copy_word(&v, &x).map(one));
        }
        let from = self.named(&arguments[0]);
        if procedure == LibraryProcedure::Tcopy {
            let t = table(&self.cells[from]);
            return Ok(t.map(|t| one(self.machine.copy_table(t))));
        }
        let (band, width) = (self.int(&arguments[1])?, self.int(&arguments[2])?);
        let to = self.named(&arguments[3]);
        let (t, f) = (table(&self.cells[from]), table(&self.cells[to]));
        let wanted = f.map(|f| self.machine.width(f));
        let width = usize::try_from(width).unwrap_or(0);
        Ok(t.and_then(|t| match wanted? {
            columns if columns == width => self.machine.copy_from_band(t, band, width).map(one),
            columns => Err(ModelError::Width { procedure: "TCOPY1", columns, wanted: width }),
        }))
    }

    /// Copies that change a part of a table.
    fn in_place(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
        at: &Range<usize>,
    ) -> Result<Result<Given<B>, ModelError>, Stop> {
        use LibraryProcedure as P;
        let last = arguments.len() - 1;
        let slot = self.named(&arguments[last]);
        let number = match procedure {
            P::Clear => self.int(&arguments[0])?,
            P::Tcopy2 => self.int(&arguments[1])?,
            _ => 0,
        };
        let width = if procedure == P::Tcopy2 { self.int(&arguments[2])? } else { 0 };
        let x = match procedure {
            P::Wmerge | P::Tmerge => Some(self.bits(&arguments[1])?),
            _ => None,
        };
        let v = if procedure == P::Wmerge { Some(self.bits(&arguments[0])?) } else { None };
        let from = self.named(&arguments[0]);
        let mut f = self.take_table(slot, at)?;
        // A table that is put into itself is seen as it was.
        let is_same = from == slot && matches!(procedure, P::Tmerge | P::Tcopy2);
        let same = is_same.then(|| f.clone());
        let cells = &self.cells;
        let machine = &mut *self.machine;
        let mut change = || -> Result<(), ModelError> {
            let t = || same.as_ref().map_or_else(|| table(&cells[from]), Ok);
            match (procedure, &x, &v) {
                (P::Clear, ..) => machine.clear(number, &mut f),
                (P::Wmerge, Some(x), Some(v)) => machine.merge_word(v, x, &mut f),
                (P::Tmerge, Some(x), _) => machine.merge_table(t()?, x, &mut f),
                _ => {
                    let columns = machine.width(t()?);
                    let wanted = usize::try_from(width).unwrap_or(0);
                    if columns != wanted {
                        return Err(ModelError::Width { procedure: "TCOPY2", columns, wanted });
                    }
                    machine.copy_to_band(t()?, number, &mut f)
                }
            }
        };
        let result = change();
        Ok(result.map(|()| Given { tables: vec![f], slices: Vec::new() }))
    }
}
