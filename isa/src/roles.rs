//! Roles in which an arithmetic operation names its registers, and the results that each gets.

use crate::bundle::Inst;
use crate::field::fields;
use crate::footprint::Halves;
use crate::operand::{Operand, OperandKind};
use crate::table::Arith;

/// Role of a result of an arithmetic operation: the register name (D, S or Q) of the encoding under which the operation
/// writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The result that goes to register D.
    D,
    /// The result that goes to register S, of an operation that writes S as well.
    S,
    /// The result that goes to register Q.
    Q,
}

/// Numbers of the FPRs that an arithmetic operation names as D, S and T in the encoding; 0 for one that it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedRegisters {
    /// Number of FPR D, the destination of most operations.
    pub d: u8,
    /// Number of FPR S, the first source; if S is a pair, of the first FPR of the pair.
    pub s: u8,
    /// Number of FPR T, the second source; if T is a pair, of the first FPR of the pair.
    pub t: u8,
}

/// An FPR that an arithmetic operation writes, with the halves and the role, as `Inst<Arith>::results` returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultRegister {
    /// Number of the FPR that is written.
    pub number: u8,
    /// The 32-bit halves of the FPR that are written; the others stay.
    pub halves: Halves,
    /// Role of the result: the register of the encoding, D, S or Q, that this FPR is.
    pub role: Role,
}

impl Inst<Arith> {
    /// Returns the numbers of the FPRs that the operation names as D, S and T.
    #[inline]
    pub fn named(&self) -> NamedRegisters {
        let mut named = NamedRegisters::default();
        for (operand, &value) in self.op.row().operands.iter().zip(&self.values) {
            let (field, number) = match operand.kind {
                OperandKind::Fpr(field) | OperandKind::FprPair(field) => (field, value as u8),
                OperandKind::FprHalf(field, _) => (field, (value >> 1) as u8),
                _ => continue,
            };
            match field {
                fields::FD => named.d = number,
                fields::FS => named.s = number,
                fields::FT => named.t = number,
                _ => {}
            }
        }
        named
    }

    /// Returns the FPRs that the operation writes, in the order of its operands.
    #[inline]
    pub fn results(&self) -> impl Iterator<Item = ResultRegister> + '_ {
        let operands = self.op.row().operands.iter().zip(&self.values);
        operands.filter(|(operand, _)| operand.write).filter_map(|(o, &v)| result(o, v))
    }
}

fn result(operand: &Operand, value: i32) -> Option<ResultRegister> {
    let (number, halves, field) = match operand.kind {
        OperandKind::Fpr(field) => (value, Halves::BOTH, field),
        OperandKind::FprHalf(field, _) => (value >> 1, Halves::named(value), field),
        _ => return None,
    };
    let role = match field {
        fields::FD => Role::D,
        fields::FS => Role::S,
        _ => Role::Q,
    };
    Some(ResultRegister { number: number as u8, halves, role })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessMode, Resource};

    /// The footprint derives the same from the table, for hazards; neither may know more.
    #[test]
    fn results_are_the_registers_that_the_footprint_defines() {
        for &op in Arith::ALL {
            let row = op.row();
            // Registers that differ, as far as the operand takes them.
            let operands = (2..).step_by(2).zip(row.operands);
            let values: Vec<i32> =
                operands.map(|(value, o)| value.min(*o.kind.range().end())).collect();
            let inst = Inst::new(op, &values);
            let mut defined = Vec::new();
            inst.footprint(0, &mut |access| {
                if let (Resource::Fpr(number, halves), AccessMode::Define) =
                    (access.resource, access.mode)
                {
                    defined.push((number, halves));
                }
            });
            let results: Vec<_> = inst.results().map(|r| (r.number, r.halves)).collect();
            assert_eq!(results, defined, "{}", row.name);
        }
    }
}
