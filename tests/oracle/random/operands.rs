//! Random operations without control flow. Registers and addresses are few, so that hazards happen;
//! g4 to g15 are left to the control flow.

use super::dice::Dice;
use cp2_isa::{
    AddressForm, Arith, Bundle, BundleBits, Core, Exch, Inst, MAX_OPERANDS, MoveReg, Operand,
    OperandKind, RegFile, Row, Unit, control, encode,
};

/// First addresses of the pieces of local memory that random addresses are in: both ends of both banks.
pub(crate) const ADDRESSES: [i32; 4] = [0, 4092, 4096, 8184];

/// Control registers that `move` writes at random; LC and LA have templates of their own.
const WRITABLE: [u8; 9] = [
    control::PC,
    control::COMM,
    control::CONTROL,
    control::STATUS,
    control::PSP,
    control::LSP,
    control::RIND,
    control::RSTEP,
    control::RMASK,
];

/// The elementary functions and reductions.
const FUNCTIONS: [Arith; 10] = [
    Arith::Recip,
    Arith::Sinc,
    Arith::Atanc,
    Arith::Log2c,
    Arith::Exp2,
    Arith::Rsqrt,
    Arith::Rrcossin,
    Arith::Rrsin,
    Arith::Rrcos,
    Arith::Rrlog2,
];

/// Returns the word of a random bundle that does not change the flow of control.
pub(crate) fn filler(dice: &mut Dice) -> BundleBits {
    let mut bundle = Bundle::NOP;
    bundle.cc = if dice.percent(35) { dice.between(1, 7) as u8 } else { 0 };
    if dice.percent(75) {
        bundle.arith = arithmetic(dice);
    }
    if dice.percent(75) {
        bundle.exch = exchange(dice);
    }
    encode(&bundle)
}

/// Returns a random arithmetic half to go with a control operation.
pub(crate) fn beside(dice: &mut Dice, exch: Inst<Exch>) -> BundleBits {
    let mut bundle = Bundle { exch, ..Bundle::NOP };
    if dice.percent(50) {
        bundle.arith = arithmetic(dice);
        bundle.cc = if dice.percent(35) { dice.between(1, 7) as u8 } else { 0 };
    }
    encode(&bundle)
}

pub(crate) fn arithmetic(dice: &mut Dice) -> Inst<Arith> {
    // Condition codes decide about everything else, so they are written often.
    let frequent = [Arith::C, Arith::Mtc, Arith::Mfc, Arith::Cbutterfly, Arith::Copy];
    loop {
        let op = match dice.below(100) {
            0..15 => dice.pick(&frequent),
            15..25 => dice.pick(&FUNCTIONS),
            _ => dice.pick(Arith::ALL),
        };
        let inst = Inst { op, values: values(dice, op.row()) };
        if (Bundle { arith: inst, ..Bundle::NOP }).check(&Core::CP2).is_ok() {
            return inst;
        }
    }
}

fn exchange(dice: &mut Dice) -> Inst<Exch> {
    let frequent = [Exch::Psprmsgn0, Exch::Mffpr, Exch::Mtfpr, Exch::Move, Exch::Lwi, Exch::Swi];
    loop {
        let op = if dice.percent(30) { dice.pick(&frequent) } else { dice.pick(Exch::ALL) };
        if matches!(op.row().unit, Unit::Loop | Unit::Jump | Unit::Stop | Unit::Sync) {
            continue;
        }
        let inst = Inst { op, values: values(dice, op.row()) };
        if (Bundle { exch: inst, ..Bundle::NOP }).check(&Core::CP2).is_ok() {
            return inst;
        }
    }
}

fn values(dice: &mut Dice, row: &Row) -> [i32; MAX_OPERANDS] {
    let mut values = [0; MAX_OPERANDS];
    for (value, operand) in values.iter_mut().zip(row.operands) {
        *value = packed(dice, operand);
    }
    values
}

fn fpr(dice: &mut Dice) -> i32 {
    let first = if dice.percent(8) { dice.pick(&[31, 32, 33, 59]) } else { dice.below(4) as i32 };
    if dice.percent(15) { first + 4 } else { first }
}

fn packed(dice: &mut Dice, operand: &Operand) -> i32 {
    match operand.kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) => fpr(dice),
        OperandKind::FprHalf(..) => fpr(dice) * 2 + dice.below(2) as i32,
        OperandKind::FprPermute(base) => base + dice.below(4) as i32,
        OperandKind::Signed(field) => {
            let bits = dice.bits() as i32 >> (32 - field.width());
            if dice.percent(50) { bits % 4 } else { bits }
        }
        OperandKind::Unsigned(field) => (dice.bits() & ((1 << field.width()) - 1)) as i32,
        OperandKind::Cc(_) | OperandKind::Condition | OperandKind::Select(_) => {
            dice.below(8) as i32
        }
        OperandKind::Format => dice.below(4) as i32,
        OperandKind::Creg => dice.below(2) as i32,
        OperandKind::Gpr(_)
        | OperandKind::AddressSet
        | OperandKind::SectionSet(_)
        | OperandKind::SharedSet => dice.below(4) as i32,
        OperandKind::Target => dice.below(64) as i32,
        OperandKind::WordAddress => dice.pick(&ADDRESSES) + dice.below(8) as i32,
        OperandKind::Address(form) => address(dice, form),
        OperandKind::SectionAddress => address(dice, AddressForm::Offset),
        OperandKind::SharedAddress => dice.below(4) as i32 + 16 * (dice.below(9) as i32 - 4),
        OperandKind::SharedWord => dice.below(8) as i32,
        OperandKind::MoveReg(..) => move_register(dice, operand.write).packed(),
        OperandKind::SetReg => (dice.below(4) * 16 + dice.below(4)) as i32,
        OperandKind::GprOrIreg => (dice.below(2) * 16 + dice.below(4)) as i32,
        OperandKind::Section(_, last) => dice.below(last as usize + 1) as i32,
    }
}

fn address(dice: &mut Dice, form: AddressForm) -> i32 {
    let offset = match form {
        AddressForm::Offset if dice.percent(10) => dice.below(8192) as i32 - 4096,
        AddressForm::Offset => dice.below(9) as i32 - 4,
        AddressForm::PlusN | AddressForm::MinusN => 0,
    };
    dice.below(4) as i32 + 16 * offset
}

fn move_register(dice: &mut Dice, written: bool) -> MoveReg {
    let files = [RegFile::Gpr, RegFile::Control, RegFile::A, RegFile::N, RegFile::M, RegFile::Ireg];
    let file = if dice.percent(40) { RegFile::Control } else { dice.pick(&files) };
    let number = match file {
        RegFile::Control if written => dice.pick(&WRITABLE),
        RegFile::Control => dice.below(usize::from(control::COUNT)) as u8,
        _ => dice.below(4) as u8,
    };
    MoveReg { file, number }
}
