//! Short names in which the rows of operations are written: their operands, and what they do besides.

use super::Effects;
use crate::field::fields::{
    ADDRESS_HALF, DST_HALF, FD, FQ, FS, FT, FT2, GS, IMM16, RN, RUN_GPR, RUN_PART, RUN_REGISTER,
    SHARED_SECTION, SRC_HALF, WORD_MEMORY, WORD_REGISTER,
};
use crate::operand::{AddressForm, Operand, OperandKind, Reads};
use crate::rules::flags::Flags;

pub(super) const fn op(kind: OperandKind, reads: Reads, write: bool) -> Operand {
    Operand { kind, reads, write }
}
pub(super) const fn r(kind: OperandKind) -> Operand {
    op(kind, Reads::Both, false)
}
pub(super) const fn w(kind: OperandKind) -> Operand {
    op(kind, Reads::Nothing, true)
}
pub(super) const fn rw(kind: OperandKind) -> Operand {
    op(kind, Reads::Both, true)
}
/// Creates an operand that names no register.
pub(super) const fn imm(kind: OperandKind) -> Operand {
    op(kind, Reads::Nothing, false)
}
/// Creates an operand of which only a part is looked at.
pub(super) const fn part(reads: Reads, operand: Operand) -> Operand {
    op(operand.kind, reads, operand.write)
}

pub(super) const WD: Operand = w(OperandKind::Fpr(FD));
pub(super) const RD: Operand = r(OperandKind::Fpr(FD));
pub(super) const RWD: Operand = rw(OperandKind::Fpr(FD));
pub(super) const RS: Operand = r(OperandKind::Fpr(FS));
pub(super) const WS: Operand = w(OperandKind::Fpr(FS));
pub(super) const RWS: Operand = rw(OperandKind::Fpr(FS));
pub(super) const RS2: Operand = r(OperandKind::FprPair(FS));
pub(super) const RT: Operand = r(OperandKind::Fpr(FT));
pub(super) const RT2: Operand = r(OperandKind::FprPair(FT));
pub(super) const WQ: Operand = w(OperandKind::Fpr(FQ));
/// A comparison looks at what its format compares.
pub(super) const CS: Operand = part(Reads::Compared, RS);
pub(super) const CT: Operand = part(Reads::Compared, RT);
pub(super) const WHALF: Operand = w(OperandKind::FprHalf(FD, DST_HALF));
pub(super) const RHALF: Operand = part(Reads::Named, r(OperandKind::FprHalf(FS, SRC_HALF)));
/// The half that is not computed from raises E and V all the same.
pub(super) const RHALF_FLAGS: Operand = part(Reads::Both, RHALF);
pub(super) const UIMM16: Operand = imm(OperandKind::Unsigned(IMM16));

pub(super) const W1: Operand = w(OperandKind::Fpr(FT2));
pub(super) const R1: Operand = r(OperandKind::Fpr(FT2));
pub(super) const W2: Operand = w(OperandKind::FprPair(FT2));
pub(super) const R2: Operand = r(OperandKind::FprPair(FT2));
pub(super) const WORD: Operand = imm(OperandKind::WordAddress);
pub(super) const OFFSET: Operand = imm(OperandKind::Address(AddressForm::Offset));
pub(super) const PLUS_N: Operand = imm(OperandKind::Address(AddressForm::PlusN));
pub(super) const MINUS_N: Operand = imm(OperandKind::Address(AddressForm::MinusN));
/// The section addresses of a set, all of them.
pub(super) const WSET: Operand = w(OperandKind::SectionSet(RN));
/// The half of a register that holds an address in every section.
pub(super) const RADDRESS: Operand = part(Reads::Named, r(OperandKind::FprHalf(FT2, ADDRESS_HALF)));
pub(super) const OWN: Operand = imm(OperandKind::SectionAddress);
/// The shared address of a set.
pub(super) const WSHARED: Operand = w(OperandKind::SharedSet);
/// Words of shared memory, by number or from a shared address on.
pub(super) const SHARED_WORD: Operand = imm(OperandKind::SharedWord);
pub(super) const SHARED: Operand = imm(OperandKind::SharedAddress);
pub(super) const STORED_SECTION: Operand = imm(OperandKind::Section(SHARED_SECTION, 3));
/// Half of a register in a word access, and the half of the word in memory.
pub(super) const WH: Operand = w(OperandKind::FprHalf(FT2, WORD_REGISTER));
pub(super) const RH: Operand = part(Reads::Named, r(OperandKind::FprHalf(FT2, WORD_REGISTER)));
pub(super) const HALF: Operand = imm(OperandKind::Unsigned(WORD_MEMORY));
/// FPR half that is written, where the run tells the half in memory.
pub(super) const WRUN: Operand = w(OperandKind::FprHalf(FT2, RUN_REGISTER));
pub(super) const RRUN: Operand = part(Reads::Named, r(OperandKind::FprHalf(FT2, RUN_REGISTER)));
pub(super) const RHALF_GPR: Operand = r(OperandKind::Gpr(RUN_GPR));
pub(super) const PART: Operand = imm(OperandKind::Unsigned(RUN_PART));
pub(super) const RGS: Operand = r(OperandKind::Gpr(GS));
pub(super) const TARGET: Operand = imm(OperandKind::Target);
pub(super) const SELECT: [Operand; 4] = [
    imm(OperandKind::Select(0)),
    imm(OperandKind::Select(1)),
    imm(OperandKind::Select(2)),
    imm(OperandKind::Select(3)),
];

/// The effects and the exceptions of an operation, besides its operands.
#[derive(Clone, Copy)]
pub(super) struct Does {
    pub(super) effects: Effects,
    pub(super) raises: Flags,
}

/// Returns the effects of an operation that raises nothing.
pub(super) const fn quiet(effects: Effects) -> Does {
    Does { effects, raises: Flags::empty() }
}

/// Returns the effects of a float operation that obeys the predicate and can raise these exceptions.
pub(super) const fn float(raises: Flags) -> Does {
    Does { effects: FLAGS_AND_P, raises }
}

pub(super) const FLAGS_AND_P: Effects = Effects::FLAGS.union(Effects::PREDICATED);
pub(super) const DOUBLE_AND_P: Effects = Effects::DOUBLE.union(Effects::PREDICATED);
pub(super) const JUMPS: Effects = Effects::CONTROL.union(Effects::DELAY_SLOT);

pub(super) const NONE: Does = quiet(Effects::empty());
pub(super) const P: Does = quiet(Effects::PREDICATED);
pub(super) const PPART: Does = quiet(Effects::PREDICATED.union(Effects::FILLS));
/// Sums and products: all but a division by zero.
pub(super) const F: Does = float(Flags::all().difference(Flags::Z));
pub(super) const FPART: Does = Does { effects: Effects::FLAGS.union(Effects::FILLS), ..F };
pub(super) const FC: Does = Does { effects: FLAGS_AND_P.union(Effects::COEFFICIENT), ..F };
/// Floats whose exceptions are fewer: those that the name says.
pub(super) const F_NONE: Does = float(Flags::empty());
pub(super) const F_I: Does = float(Flags::I);
pub(super) const F_VE: Does = float(Flags::V.union(Flags::E));
pub(super) const F_IVE: Does = float(Flags::I.union(F_VE.raises));
pub(super) const F_IZVE: Does = float(Flags::Z.union(F_IVE.raises));
pub(super) const F_IUZVE: Does = float(Flags::U.union(F_IZVE.raises));
pub(super) const PC: Does = quiet(Effects::PREDICATED.union(Effects::COEFFICIENT));
pub(super) const CTL: Does = quiet(Effects::CONTROL);
pub(super) const JMP: Does = quiet(JUMPS);
pub(super) const RUN: Does = quiet(Effects::CONTROL.union(Effects::HOST_ONLY));
pub(super) const DBL: Does = quiet(Effects::DOUBLE);
pub(super) const PDBL: Does = quiet(DOUBLE_AND_P);
pub(super) const PZERO: Does = quiet(Effects::PREDICATED.union(Effects::ZEROES));
pub(super) const PDBLZERO: Does = quiet(DOUBLE_AND_P.union(Effects::ZEROES));
pub(super) const LOOP: Does = quiet(Effects::CONTROL.union(Effects::LOOPS));
pub(super) const CALL: Does = quiet(JUMPS.union(Effects::CALLS));
