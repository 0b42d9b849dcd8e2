//! Values of expressions.

use super::interpreter::{Cell, Interpreter, Stop, seen};
use crate::language::{Elementary, IntegerComparison, IntegerOperator, NodeForm, TypedNode};
use crate::machine::{Logic, StarBackend};

impl<B: StarBackend> Interpreter<'_, B> {
    /// Returns the value of a slice or word.
    pub(super) fn bits(&mut self, node: &TypedNode) -> Result<B::Bits, Stop> {
        match self.evaluate(node)? {
            Cell::Bits(bits) => Ok(bits),
            _ => Err(self.stop("C1011", &node.at, "this is no slice and no word")),
        }
    }

    /// Returns the value of a whole number.
    pub(super) fn int(&mut self, node: &TypedNode) -> Result<i64, Stop> {
        match self.evaluate(node)? {
            Cell::Int(number) => Ok(number),
            _ => Err(self.stop("C1011", &node.at, "this is no number")),
        }
    }

    /// Returns a truth value.
    pub(super) fn truth(&mut self, node: &TypedNode) -> Result<bool, Stop> {
        match self.evaluate(node)? {
            Cell::Bool(truth) => Ok(truth),
            _ => Err(self.stop("C1011", &node.at, "this is no truth value")),
        }
    }

    pub(super) fn evaluate(&mut self, node: &TypedNode) -> Result<Cell<B>, Stop> {
        Ok(match &node.form {
            NodeForm::Int(number) => Cell::Int(*number),
            NodeForm::Truth(truth) => Cell::Bool(*truth),
            NodeForm::Rows => Cell::Int(self.machine.rows() as i64),
            NodeForm::Weight => Cell::Int(self.request.weight_bits as i64),
            NodeForm::Bits(bits) => Cell::Bits(self.machine.load(bits)),
            NodeForm::Load(slot) => self.cells[self.slot(*slot)].clone(),
            NodeForm::Bit(slot, position) => {
                let position = self.int(position)?;
                let slot = self.slot(*slot);
                let Cell::Bits(bits) = &self.cells[slot] else {
                    return Err(self.stop("C1011", &node.at, "this is no slice and no word"));
                };
                let bit = self.machine.bit(bits, position);
                Cell::Int(i64::from(bit.map_err(|error| self.refused(&node.at, &error))?))
            }
            NodeForm::Elementary(elementary, nodes) => self.elementary(*elementary, nodes, node)?,
            NodeForm::Integer(operator, both) => {
                let (a, b) = (self.int(&both.0)?, self.int(&both.1)?);
                let result = match operator {
                    IntegerOperator::Add => a.checked_add(b),
                    IntegerOperator::Subtract => a.checked_sub(b),
                    IntegerOperator::Multiply => a.checked_mul(b),
                };
                let message = "the number does not fit in 64 bits";
                Cell::Int(result.ok_or_else(|| self.stop("C1011", &node.at, message))?)
            }
            NodeForm::Compare(comparison, both) => {
                let (a, b) = (self.int(&both.0)?, self.int(&both.1)?);
                Cell::Bool(match comparison {
                    IntegerComparison::Equal => a == b,
                    IntegerComparison::Unequal => a != b,
                    IntegerComparison::Less => a < b,
                    IntegerComparison::LessEqual => a <= b,
                    IntegerComparison::Greater => a > b,
                    IntegerComparison::GreaterEqual => a >= b,
                })
            }
            NodeForm::Logic(logic, both) => {
                let (a, b) = (self.bits(&both.0)?, self.bits(&both.1)?);
                let result = self.machine.logic(*logic, &a, &b);
                Cell::Bits(result.map_err(|error| self.refused(&node.at, &error))?)
            }
            NodeForm::NotBits(of) => {
                let bits = self.bits(of)?;
                Cell::Bits(self.machine.not(&bits))
            }
            NodeForm::LogicTruth(logic, both) => {
                let first = self.truth(&both.0)?;
                Cell::Bool(match logic {
                    Logic::And => first && self.truth(&both.1)?,
                    Logic::Or => first || self.truth(&both.1)?,
                    Logic::Xor => first ^ self.truth(&both.1)?,
                })
            }
            NodeForm::NotTruth(of) => Cell::Bool(!self.truth(of)?),
        })
    }

    fn elementary(
        &mut self,
        elementary: Elementary,
        nodes: &[TypedNode],
        node: &TypedNode,
    ) -> Result<Cell<B>, Stop> {
        use Elementary as E;
        if let E::Column | E::Row = elementary {
            return self.of_table(elementary == E::Row, nodes, node);
        }
        if let E::Trim = elementary {
            let (from, to) = (self.int(&nodes[0])?, self.int(&nodes[1])?);
            let word = self.bits(&nodes[2])?;
            let part = self.machine.trim(from, to, &word);
            return part.map(Cell::Bits).map_err(|error| self.refused(&node.at, &error));
        }
        let first = self.bits(&nodes[0])?;
        let second = match nodes.get(1) {
            Some(second) => Some(self.bits(second)?),
            None => None,
        };
        let value = match (elementary, &second) {
            (E::Find, _) => Ok(Cell::Int(self.machine.find(&first) as i64)),
            (E::Number, _) => Ok(Cell::Int(self.machine.number(&first) as i64)),
            (E::Some, _) => Ok(Cell::Bool(self.machine.some(&first))),
            (E::Zero, _) => Ok(Cell::Bool(!self.machine.some(&first))),
            (E::Add, Some(second)) => self.machine.add(&first, second).map(Cell::Bits),
            (E::Less, Some(second)) => self.machine.less(&first, second).map(Cell::Bool),
            _ => return self.converted(first, node),
        };
        value.map_err(|error| self.refused(&node.at, &error))
    }

    /// Returns a slice as a word or back. A word whose length only the run tells has to have a bit for each row.
    fn converted(&mut self, bits: B::Bits, node: &TypedNode) -> Result<Cell<B>, Stop> {
        let (length, rows) = (self.machine.length(&bits), self.machine.rows());
        if length == rows {
            return Ok(Cell::Bits(bits));
        }
        let message = format!("a word of {length} bits is no slice of {rows} rows");
        Err(self.stop("C1011", &node.at, message))
    }

    /// Returns a column or a row of a table, in a `forall` as the table was before.
    fn of_table(
        &mut self,
        is_row: bool,
        nodes: &[TypedNode],
        node: &TypedNode,
    ) -> Result<Cell<B>, Stop> {
        let (position, slot) = (self.int(&nodes[0])?, self.named(&nodes[1])?);
        let table = seen(&self.before, &self.cells, slot);
        let Some(table) = table else { return Err(self.no_table(&node.at)) };
        let bits = match is_row {
            true => self.machine.row(position, table),
            false => self.machine.column(position, table),
        };
        bits.map(Cell::Bits).map_err(|error| self.refused(&node.at, &error))
    }
}
