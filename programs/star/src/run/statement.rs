//! Statements.

use super::interpreter::{Cell, Interpreter, Stop};
use crate::language::{
    CheckedStatement, CheckedStatementForm, Elementary, InsertionSlots, NodeForm, TypedNode,
};
use crate::machine::{BitVector, ModelError, StarBackend};
use std::ops::Range;

/// Whether a value is taken as it is, so that the assignment is a copy.
fn is_plain(node: &TypedNode) -> bool {
    match &node.form {
        NodeForm::Load(_) | NodeForm::Bits(_) => true,
        NodeForm::Elementary(Elementary::Convert, nodes) => nodes.iter().all(is_plain),
        _ => false,
    }
}

impl<B: StarBackend> Interpreter<'_, B> {
    pub(super) fn body(&mut self, body: &[CheckedStatement]) -> Result<(), Stop> {
        body.iter().try_for_each(|operation| self.operation(operation))
    }

    fn operation(&mut self, operation: &CheckedStatement) -> Result<(), Stop> {
        let at = &operation.at;
        self.count(at)?;
        match &operation.form {
            CheckedStatementForm::If(branches, otherwise) => {
                self.conditional(at, branches, otherwise)
            }
            CheckedStatementForm::While(condition, body) => loop {
                let holds = self.truth(condition)?;
                self.tell(at, &[], Some(holds));
                if !holds {
                    return Ok(());
                }
                self.body(body)?;
                self.count(at)?;
            },
            CheckedStatementForm::For(slot, range, body) => self.counted(at, *slot, range, body),
            CheckedStatementForm::ForAll(slot, range, body, tables) => {
                let tables: Vec<usize> = tables.iter().map(|&table| self.slot(table)).collect();
                for table in tables {
                    if let Cell::Table(before) = &self.cells[table] {
                        self.before.push((table, before.clone()));
                    }
                }
                self.counted(at, *slot, range, body)?;
                self.before.clear();
                self.machine.barrier();
                Ok(())
            }
            CheckedStatementForm::Insertions(slots, body) => self.insertions(at, *slots, body),
            CheckedStatementForm::Require(condition, message) => {
                let holds = self.truth(condition)?;
                self.tell(at, &[], Some(holds));
                if holds { Ok(()) } else { Err(self.stop("C1012", at, message.clone())) }
            }
            CheckedStatementForm::Call(number, arguments) => self.call(*number, arguments),
            CheckedStatementForm::Library(procedure, arguments) => {
                self.library(*procedure, arguments, at)?;
                let results = procedure.parameters().iter().zip(arguments);
                let results = results.filter(|(parameter, _)| parameter.is_result);
                let slots = results.map(|(_, node)| self.named(node));
                self.tell(at, &slots.collect::<Result<Vec<_>, _>>()?, None);
                Ok(())
            }
            form => self.simple(at, form),
        }
    }

    fn conditional(
        &mut self,
        at: &Range<usize>,
        branches: &[(TypedNode, Vec<CheckedStatement>)],
        otherwise: &[CheckedStatement],
    ) -> Result<(), Stop> {
        for (condition, body) in branches {
            let holds = self.truth(condition)?;
            self.tell(at, &[], Some(holds));
            if holds {
                return self.body(body);
            }
        }
        self.body(otherwise)
    }

    fn counted(
        &mut self,
        at: &Range<usize>,
        slot: usize,
        range: &(TypedNode, TypedNode),
        body: &[CheckedStatement],
    ) -> Result<(), Stop> {
        let (from, to) = (self.int(&range.0)?, self.int(&range.1)?);
        for number in from..=to {
            self.count(at)?;
            self.put(slot, Cell::Int(number));
            self.tell(at, &[slot], None);
            self.body(body)?;
        }
        Ok(())
    }

    fn insertions(
        &mut self,
        at: &Range<usize>,
        slots: InsertionSlots,
        body: &[CheckedStatement],
    ) -> Result<(), Stop> {
        let request = self.request;
        for insertion in &request.insertions {
            self.count(at)?;
            self.put(slots.tail, Cell::Int(insertion.tail as i64));
            self.put(slots.head, Cell::Int(insertion.head as i64));
            let weight = BitVector::from_number(request.weight_bits, insertion.weight);
            let weight = self.machine.load(&weight);
            self.put(slots.weight, Cell::Bits(weight));
            self.tell(at, &[slots.tail, slots.head, slots.weight], None);
            self.body(body)?;
        }
        Ok(())
    }

    /// Calls a procedure. A variable that is given is the same variable inside; another value is one of the parameter's.
    fn call(&mut self, number: usize, arguments: &[TypedNode]) -> Result<(), Stop> {
        let program = self.program;
        let procedure = &program.procedures[number];
        let mut given = Vec::new();
        for (&parameter, node) in procedure.parameters.iter().zip(arguments) {
            given.push(match node.form {
                NodeForm::Load(slot) => self.slot(slot),
                _ => {
                    let value = self.evaluate(node)?;
                    self.put(parameter, value);
                    parameter
                }
            });
        }
        for ((&parameter, slot), node) in procedure.parameters.iter().zip(given).zip(arguments) {
            self.check_parameter(parameter, slot, &node.at)?;
            self.stands_for[parameter] = slot;
        }
        self.body(&procedure.body)
    }

    /// Checks that what a parameter is given is as long as its type says, where only the run tells.
    fn check_parameter(
        &mut self,
        parameter: usize,
        slot: usize,
        at: &Range<usize>,
    ) -> Result<(), Stop> {
        let second = match &self.cells[slot] {
            Cell::Bits(bits) => self.machine.length(bits),
            Cell::Table(table) => self.machine.width(table),
            _ => return Ok(()),
        };
        let first = self.length(&self.program.variables[parameter])?;
        if first == second {
            return Ok(());
        }
        Err(self.refused(at, &ModelError::Lengths { operation: "parameter", first, second }))
    }

    /// Takes the bits of a variable, which is left without.
    fn take_bits(&mut self, slot: usize, at: &Range<usize>) -> Result<B::Bits, Stop> {
        match std::mem::replace(&mut self.cells[slot], Cell::Int(0)) {
            Cell::Bits(bits) => Ok(bits),
            _ => Err(self.stop("C1011", at, "this is no slice and no word")),
        }
    }

    /// Takes the table of a variable, which is left without.
    pub(super) fn take_table(&mut self, slot: usize, at: &Range<usize>) -> Result<B::Table, Stop> {
        match std::mem::replace(&mut self.cells[slot], Cell::Int(0)) {
            Cell::Table(table) => Ok(table),
            _ => Err(self.no_table(at)),
        }
    }

    /// Changes the bits of a variable.
    fn change_bits(
        &mut self,
        (slot, at): (usize, &Range<usize>),
        change: impl FnOnce(&mut Self, &mut B::Bits) -> Result<(), ModelError>,
    ) -> Result<(), Stop> {
        let slot = self.slot(slot);
        let mut bits = self.take_bits(slot, at)?;
        let result = change(self, &mut bits);
        self.put(slot, Cell::Bits(bits));
        result.map_err(|error| self.refused(at, &error))
    }

    /// Carries out a statement that changes one variable.
    fn simple(&mut self, at: &Range<usize>, form: &CheckedStatementForm) -> Result<(), Stop> {
        let mut changed = Vec::new();
        match form {
            CheckedStatementForm::Declare(slots) => {
                for &slot in slots {
                    let cell = self.fresh(slot)?;
                    self.put(slot, cell);
                }
                // A declaration is no step by itself.
                if self.is_watched() {
                    self.begun.extend(slots);
                }
                return Ok(());
            }
            CheckedStatementForm::Assign(slot, node) => {
                self.assign(*slot, node)?;
                changed.push(*slot);
            }
            CheckedStatementForm::AssignBit(slot, position, value) => {
                let (place, bit) = (self.int(position)?, self.int(value)?);
                if bit != 0 && bit != 1 {
                    return Err(self.refused(&value.at, &ModelError::Bit { value: bit }));
                }
                self.change_bits((*slot, &position.at), |s, bits| {
                    s.machine.put_bit(bits, place, bit == 1)
                })?;
                changed.push(*slot);
            }
            CheckedStatementForm::AssignColumn(slot, position, node)
            | CheckedStatementForm::AssignRow(slot, position, node) => {
                let (position, bits) = (self.int(position)?, self.bits(node)?);
                let slot = self.slot(*slot);
                let mut table = self.take_table(slot, at)?;
                let result = match form {
                    CheckedStatementForm::AssignRow(..) => {
                        self.machine.put_row(position, &mut table, &bits)
                    }
                    _ => self.machine.put_column(position, &mut table, &bits),
                };
                self.put(slot, Cell::Table(table));
                result.map_err(|error| self.refused(at, &error))?;
                changed.push(slot);
            }
            CheckedStatementForm::Step(to, from) => {
                let mut position = 0;
                self.change_bits((*from, at), |s, bits| {
                    position = s.machine.step(bits);
                    Ok(())
                })?;
                self.put(self.slot(*to), Cell::Int(position as i64));
                changed.extend([*to, *from]);
            }
            form => changed.extend(self.fill(at, form)?),
        }
        self.tell(at, &changed, None);
        Ok(())
    }

    fn assign(&mut self, slot: usize, node: &TypedNode) -> Result<(), Stop> {
        let value = match self.evaluate(node)? {
            Cell::Bits(bits) => {
                self.check_length(slot, &bits, &node.at)?;
                Cell::Bits(if is_plain(node) { self.machine.copy(&bits) } else { bits })
            }
            other => other,
        };
        let slot = self.slot(slot);
        self.put(slot, value);
        Ok(())
    }

    /// Checks that bits are as long as the variable that takes them, where only the run tells.
    fn check_length(&mut self, slot: usize, bits: &B::Bits, at: &Range<usize>) -> Result<(), Stop> {
        let slot = self.slot(slot);
        let Cell::Bits(old) = &self.cells[slot] else { return Ok(()) };
        let (first, second) = (self.machine.length(old), self.machine.length(bits));
        if first == second {
            return Ok(());
        }
        let error = ModelError::Lengths { operation: "assignment", first, second };
        Err(self.refused(at, &error))
    }

    /// Carries out `SET`, `CLR`, `FRST`, `MASK`, `REP`; returns the variable that changed.
    fn fill(
        &mut self,
        at: &Range<usize>,
        form: &CheckedStatementForm,
    ) -> Result<Option<usize>, Stop> {
        let slot = match form {
            CheckedStatementForm::Fill(slot, bit) => {
                self.change_bits((*slot, at), |s, bits| {
                    *bits = s.machine.filled(s.machine.length(bits), *bit);
                    Ok(())
                })?;
                slot
            }
            CheckedStatementForm::KeepFirst(slot) => {
                self.change_bits((*slot, at), |s, bits| {
                    s.machine.keep_first(bits);
                    Ok(())
                })?;
                slot
            }
            CheckedStatementForm::Mask(slot, position) => {
                let place = self.int(position)?;
                self.change_bits((*slot, &position.at), |s, bits| {
                    *bits = s.machine.mask(s.machine.length(bits), place)?;
                    Ok(())
                })?;
                slot
            }
            CheckedStatementForm::Replace(slot, parts) => {
                let (from, to) = (self.int(&parts.0)?, self.int(&parts.1)?);
                let part = self.bits(&parts.2)?;
                self.change_bits((*slot, at), |s, bits| {
                    s.machine.replace((from, to), &part, bits)
                })?;
                slot
            }
            _ => return Ok(None),
        };
        Ok(Some(*slot))
    }
}
