//! Operations by name, for templates and directed tests.

use cp2_isa::{Arith, Bundle, Exch, Inst, MAX_OPERANDS, MoveReg, RegFile};

fn values(given: &[i32]) -> [i32; MAX_OPERANDS] {
    let mut values = [0; MAX_OPERANDS];
    values[..given.len()].copy_from_slice(given);
    values
}

/// Returns an exchange operation with its packed operands.
pub(crate) fn exch(op: Exch, given: &[i32]) -> Inst<Exch> {
    Inst { op, values: values(given) }
}

/// Returns a bundle with an exchange operation only.
pub(crate) fn exchange(op: Exch, given: &[i32]) -> Bundle {
    Bundle { exch: exch(op, given), ..Bundle::NOP }
}

/// Returns a bundle with an arithmetic operation only.
pub(crate) fn arithmetic(op: Arith, given: &[i32]) -> Bundle {
    Bundle { arith: Inst { op, values: values(given) }, ..Bundle::NOP }
}

/// Returns the packed operand of a `move`.
pub(crate) fn register(file: RegFile, number: u8) -> i32 {
    MoveReg { file, number }.packed()
}
