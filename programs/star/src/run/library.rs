//! Calls of the library: arguments to values, results to variables.

use super::interpreter::{Cell, Interpreter, Stop, seen};
use crate::language::TypedNode;
use crate::library::{LibraryProcedure, ParameterKind};
use crate::machine::{ModelError, StarBackend};
use std::ops::Range;

/// Slices and tables that a procedure gives, in the order of its results.
struct Given<B: StarBackend> {
    tables: Vec<B::Table>,
    slices: Vec<B::Bits>,
}

impl<B: StarBackend> Given<B> {
    fn table(table: B::Table) -> Self {
        Self { tables: vec![table], slices: Vec::new() }
    }

    fn slice(slice: B::Bits) -> Self {
        Self { tables: Vec::new(), slices: vec![slice] }
    }

    fn both((table, slice): (B::Table, B::Bits)) -> Self {
        Self { tables: vec![table], slices: vec![slice] }
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
        let Given { tables, slices } = match procedure {
            P::Clear | P::Wmerge | P::Tcopy2 | P::Tmerge => {
                self.in_place(procedure, arguments, at)?
            }
            P::Wcopy | P::Tcopy | P::Tcopy1 => self.copying(procedure, arguments, at)?,
            _ => self.searching(procedure, arguments, at)?,
        };
        let (mut tables, mut slices) = (tables.into_iter(), slices.into_iter());
        let results = procedure.parameters().iter().zip(arguments).filter(|(p, _)| p.is_result);
        for (parameter, node) in results {
            let slot = self.named(node)?;
            let cell = match parameter.kind {
                ParameterKind::Slice => slices.next().map(Cell::Bits),
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
        at: &Range<usize>,
    ) -> Result<Given<B>, Stop> {
        use LibraryProcedure as P;
        let is_of_two = matches!(procedure, P::Hit | P::Setmin | P::Setmax | P::Addv | P::Subtv);
        let first = self.named(&arguments[0])?;
        let second = if is_of_two { self.named(&arguments[1])? } else { first };
        let x = self.bits(&arguments[if is_of_two { 2 } else { 1 }])?;
        let v = match procedure {
            P::Match | P::Less | P::Great | P::Addc | P::Addc1 | P::Subtc | P::Subtc1 => {
                self.bits(&arguments[2])?
            }
            _ => x.clone(),
        };
        let tables = [first, second].map(|slot| seen(&self.before, &self.cells, slot));
        let [Some(t), Some(f)] = tables else { return Err(self.no_table(at)) };
        let machine = &mut *self.machine;
        let result = match procedure {
            P::Min => Ok(Given::slice(machine.min(t, &x))),
            P::Max => Ok(Given::slice(machine.max(t, &x))),
            P::Match => machine.equal(t, &x, &v).map(Given::slice),
            P::Less => machine.below(t, &x, &v).map(Given::slice),
            P::Great => machine.above(t, &x, &v).map(Given::slice),
            P::Gel => machine
                .apart(t, &x)
                .map(|(greater, less)| Given { tables: Vec::new(), slices: vec![greater, less] }),
            P::Hit => machine.hit(t, f, &x).map(Given::slice),
            P::Setmin => machine.lesser(t, f, &x).map(Given::slice),
            P::Setmax => machine.greater(t, f, &x).map(Given::slice),
            P::Addv => machine.add_tables(t, f, &x).map(Given::both),
            P::Subtv => machine.subtract_tables(t, f, &x).map(Given::both),
            P::Addc => machine.add_word(t, &x, &v).map(Given::both),
            P::Addc1 => machine.add_word_within(t, &x, &v).map(Given::both),
            P::Subtc => machine.subtract_word(t, &x, &v).map(Given::both),
            _ => machine.subtract_word_within(t, &x, &v).map(Given::both),
        };
        result.map_err(|error| self.refused(at, &error))
    }

    /// Copies that give a whole table.
    fn copying(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
        at: &Range<usize>,
    ) -> Result<Given<B>, Stop> {
        if procedure == LibraryProcedure::Wcopy {
            let (v, x) = (self.bits(&arguments[0])?, self.bits(&arguments[1])?);
            let table = self.machine.copy_word(&v, &x);
            return table.map(Given::table).map_err(|error| self.refused(at, &error));
        }
        let from = self.named(&arguments[0])?;
        let band = match procedure {
            LibraryProcedure::Tcopy => None,
            _ => {
                let (band, width) = (self.int(&arguments[1])?, self.int(&arguments[2])?);
                Some((band, width, self.named(&arguments[3])?))
            }
        };
        let Some(t) = seen(&self.before, &self.cells, from) else { return Err(self.no_table(at)) };
        let Some((band, width, to)) = band else {
            return Ok(Given::table(self.machine.copy_table(t)));
        };
        let Some(f) = seen(&self.before, &self.cells, to) else { return Err(self.no_table(at)) };
        let columns = self.machine.width(f);
        let result = match checked_width("TCOPY1", width, columns) {
            Ok(width) => self.machine.copy_from_band(t, band, width),
            Err(error) => Err(error),
        };
        result.map(Given::table).map_err(|error| self.refused(at, &error))
    }

    /// Copies that change a part of a table.
    fn in_place(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
        at: &Range<usize>,
    ) -> Result<Given<B>, Stop> {
        use LibraryProcedure as P;
        let slot = self.named(&arguments[arguments.len() - 1])?;
        let result = match procedure {
            P::Clear => {
                let columns = self.int(&arguments[0])?;
                let mut f = self.take_table(slot, at)?;
                self.machine.clear(columns, &mut f).map(|()| f)
            }
            P::Wmerge => {
                let (v, x) = (self.bits(&arguments[0])?, self.bits(&arguments[1])?);
                let mut f = self.take_table(slot, at)?;
                self.machine.merge_word(&v, &x, &mut f).map(|()| f)
            }
            _ => return self.merging(procedure, arguments, slot, at),
        };
        result.map(Given::table).map_err(|error| self.refused(at, &error))
    }

    /// `TMERGE` and `TCOPY2`: a part of one table into another one, or into itself as it was.
    fn merging(
        &mut self,
        procedure: LibraryProcedure,
        arguments: &[TypedNode],
        slot: usize,
        at: &Range<usize>,
    ) -> Result<Given<B>, Stop> {
        let from = self.named(&arguments[0])?;
        let (x, band) = match procedure {
            LibraryProcedure::Tmerge => (Some(self.bits(&arguments[1])?), (0, 0)),
            _ => (None, (self.int(&arguments[1])?, self.int(&arguments[2])?)),
        };
        let mut f = self.take_table(slot, at)?;
        let same = (from == slot).then(|| f.clone());
        let other = same.as_ref().or_else(|| seen(&self.before, &self.cells, from));
        let Some(t) = other else { return Err(self.no_table(at)) };
        let machine = &mut *self.machine;
        let result = match x {
            Some(x) => machine.merge_table(t, &x, &mut f),
            None => checked_width("TCOPY2", band.1, machine.width(t))
                .and_then(|_| machine.copy_to_band(t, band.0, &mut f)),
        };
        result.map(|()| Given::table(f)).map_err(|error| self.refused(at, &error))
    }
}

/// Checks that the width of a band that a call gives is that of the table which is the band; returns it.
fn checked_width(procedure: &'static str, width: i64, columns: usize) -> Result<usize, ModelError> {
    match usize::try_from(width) {
        Ok(width) if width == columns => Ok(width),
        _ => Err(ModelError::BandWidth { procedure, width, columns }),
    }
}
