//! What an operation reads and writes, derived from its row. When the accesses happen is in
//! `timing`.

use crate::bundle::{Bundle, Inst};
use crate::control;
use crate::operand::{AddressForm, Kind, MoveReg, Operand, RegFile};
use crate::table::{Arith, Effects, Exch, Row, Unit};

/// Something an operation can read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Halves of an FPR: number, bit 0 of the second = lo, bit 1 = hi.
    Fpr(u8, u8),
    /// One condition code.
    Fccr(u8),
    /// Flags and cause.
    Fcsr,
    /// General register.
    Gpr(u8),
    /// Index register.
    Ireg(u8),
    /// Address.
    A(u8),
    /// Address step.
    N(u8),
    /// Address mode.
    M(u8),
    /// Control register.
    Control(u8),
    /// STATUS.FPE: the sticky flags of all sections.
    Fpe,
    /// STATUS.COMMCP2 and STATUS.COMMK64.
    Mailbox,
}

/// One access of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is accessed.
    pub resource: Resource,
    /// Read at issue.
    pub read: bool,
    /// Written.
    pub write: bool,
    /// Unit of the operation.
    pub unit: Unit,
}

const BOTH: u8 = 3;

impl Resource {
    /// Whether two accesses touch the same bits.
    pub fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fpr(a, x), Self::Fpr(b, y)) => a == b && x & y != 0,
            _ => self == other,
        }
    }
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Fpr(n, 1) => write!(f, "f{n}.lo"),
            Self::Fpr(n, 2) => write!(f, "f{n}.hi"),
            Self::Fpr(n, _) => write!(f, "f{n}"),
            Self::Fccr(n) => write!(f, "cc{n}"),
            Self::Fcsr => f.write_str("fcsr"),
            Self::Gpr(n) => write!(f, "g{n}"),
            Self::Ireg(n) => write!(f, "i{n}"),
            Self::A(n) => write!(f, "a{n}"),
            Self::N(n) => write!(f, "n{n}"),
            Self::M(n) => write!(f, "m{n}"),
            Self::Control(n) => f.write_str(crate::control_name(n)),
            Self::Fpe => f.write_str("status.fpe"),
            Self::Mailbox => f.write_str("status.comm"),
        }
    }
}

fn register(reg: MoveReg) -> Resource {
    let n = reg.number;
    match reg.file {
        RegFile::Gpr => Resource::Gpr(n),
        RegFile::Control => Resource::Control(n),
        RegFile::A => Resource::A(n),
        RegFile::N => Resource::N(n),
        RegFile::M => Resource::M(n),
        RegFile::Ireg => Resource::Ireg(n),
    }
}

struct Collector<'a> {
    unit: Unit,
    visit: &'a mut dyn FnMut(Access),
}

impl Collector<'_> {
    fn add(&mut self, resource: Resource, read: bool, write: bool) {
        (self.visit)(Access { resource, read, write, unit: self.unit });
    }

    /// The predicate, if it is obeyed, and the operands.
    fn operation(&mut self, row: &Row, values: &[i32], cc: u8) {
        if cc != 0 && row.effects.contains(Effects::PREDICATED) {
            // Whatever unit executes the operation, its predicate is read as all predicates are.
            let (resource, unit) = (Resource::Fccr(cc), Unit::Arithmetic);
            (self.visit)(Access { resource, read: true, write: false, unit });
        }
        for (operand, &value) in row.operands.iter().zip(values) {
            self.operand(operand, value);
        }
    }

    fn operand(&mut self, operand: &Operand, value: i32) {
        let (read, write) = (operand.read, operand.write);
        let n = value as u8;
        match operand.kind {
            Kind::Fpr(_) => self.add(Resource::Fpr(n, BOTH), read, write),
            Kind::FprPair(_) | Kind::FprPermute(_) => {
                self.add(Resource::Fpr(n, BOTH), read, write);
                self.add(Resource::Fpr(n + 1, BOTH), read, write);
            }
            Kind::FprHalf(..) => self.add(Resource::Fpr(n >> 1, 1 << (n & 1)), read, write),
            Kind::Cc(_) => self.add(Resource::Fccr(n), read, write),
            Kind::Creg if n == 0 => self.add(Resource::Fcsr, read, write),
            Kind::Creg => (1..8).for_each(|cc| self.add(Resource::Fccr(cc), read, write)),
            Kind::Gpr(_) => self.add(Resource::Gpr(n), read, write),
            Kind::GprOrIreg if n < 16 => self.add(Resource::Gpr(n), read, write),
            Kind::GprOrIreg => self.add(Resource::Ireg(n - 16), read, write),
            Kind::MoveReg(..) => {
                if let Some(reg) = MoveReg::from_packed(value) {
                    self.add(register(reg), read, write);
                }
            }
            Kind::SetReg => {
                let file = RegFile::from_seti(n >> 4);
                self.add(register(MoveReg { file, number: n & 15 }), read, write);
            }
            Kind::AddressSet => {
                self.add(Resource::A(n), false, true);
                self.add(Resource::N(n), false, true);
                self.add(Resource::M(n), false, true);
            }
            Kind::Address(form) => self.address(form, n & 15),
            Kind::Signed(_)
            | Kind::Unsigned(_)
            | Kind::Condition
            | Kind::Format
            | Kind::Target
            | Kind::WordAddress
            | Kind::Section(_)
            | Kind::Select(_) => {}
        }
    }

    fn address(&mut self, form: AddressForm, n: u8) {
        self.add(Resource::A(n), true, true);
        self.add(Resource::M(n), true, false);
        if form != AddressForm::Offset {
            self.add(Resource::N(n), true, false);
        }
    }
}

/// A pairwise comparison sets two condition codes.
fn second_condition(inst: &Inst<Arith>) -> Option<u8> {
    (inst.op == Arith::C && inst.values[1] >= 2).then(|| inst.values[2] as u8 + 1)
}

impl Bundle {
    /// Calls `visit` with every register access of the bundle, the arithmetic slot's first.
    pub fn for_each_access(&self, visit: &mut dyn FnMut(Access)) {
        self.arith.for_each_access(self.cc, visit);
        self.exch.for_each_access(self.cc, visit);
    }

    /// Calls `visit` with what the bundle does to the parts of STATUS that have times of their own
    /// ([`Resource::Fpe`], [`Resource::Mailbox`]), the arithmetic slot's first. They stand apart from
    /// [`Bundle::for_each_access`] because almost every float operation raises flags and almost
    /// nothing looks at STATUS.
    pub fn for_each_status_access(&self, visit: &mut dyn FnMut(Access)) {
        let row = self.arith.op.row();
        let mut out = Collector { unit: row.unit, visit };
        let is_mtc_to_fcsr = self.arith.op == Arith::Mtc && self.arith.values[1] == 0;
        if row.effects.contains(Effects::FLAGS) || is_mtc_to_fcsr {
            out.add(Resource::Fpe, false, true);
        }
        if self.exch.op != Exch::Move {
            return;
        }
        out.unit = self.exch.op.row().unit;
        let [to, from, ..] = self.exch.values.map(MoveReg::from_packed);
        if to == Some(MoveReg::COMM) || from == Some(MoveReg::COMM) {
            out.add(Resource::Mailbox, false, true);
        }
        if to == Some(MoveReg::STATUS) {
            out.add(Resource::Fpe, false, true);
        }
        if from == Some(MoveReg::STATUS) {
            out.add(Resource::Fpe, true, false);
            out.add(Resource::Mailbox, true, false);
        }
    }
}

impl Inst<Arith> {
    /// Calls `visit` with every register access of the operation under predicate `cc`.
    pub fn for_each_access(&self, cc: u8, visit: &mut dyn FnMut(Access)) {
        let row = self.op.row();
        let mut out = Collector { unit: row.unit, visit };
        out.operation(row, &self.values, cc);
        if let Some(cc) = second_condition(self) {
            out.add(Resource::Fccr(cc), false, true);
        }
        if row.effects.contains(Effects::FLAGS) {
            out.add(Resource::Fcsr, false, true);
        }
        if row.effects.contains(Effects::COEFFICIENT) {
            out.add(Resource::Control(control::RIND), true, true);
            out.add(Resource::Control(control::RSTEP), true, false);
            out.add(Resource::Control(control::RMASK), true, false);
        }
    }
}

impl Inst<Exch> {
    /// Calls `visit` with every register access of the operation under predicate `cc`.
    pub fn for_each_access(&self, cc: u8, visit: &mut dyn FnMut(Access)) {
        let row = self.op.row();
        Collector { unit: row.unit, visit }.operation(row, &self.values, cc);
    }
}
