//! Which FPRs an operation of linear code reads and writes.

use super::{Code, Op, Reg, Region};
use cp2_isa::{Access, Effects, Kind, Resource};

/// The part of a register that an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// All 64 bits.
    Both,
    /// Bits 31:0.
    Lo,
    /// Bits 63:32.
    Hi,
}

/// One access of an operation to an FPR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprAccess {
    /// The register.
    pub reg: Reg,
    /// The part.
    pub half: Half,
    /// The operation uses the value.
    pub read: bool,
    /// The operation writes it.
    pub write: bool,
    /// Some of the register keeps its old value: an operation on a half, or one that a predicate
    /// or a section number restricts. Such a write needs the register that holds the old value.
    pub keeps: bool,
}

impl Region {
    /// The FPR accesses of an operation, in the order of its operands.
    pub fn fpr_accesses(&self, op: &Op) -> Vec<FprAccess> {
        let row = op.code.row();
        let predicated = op.cc != 0 && row.effects.contains(Effects::PREDICATED);
        let one_section = row.name == "mtfpr" && op.code.values().get(2).is_some_and(|&s| s < 4);
        let mut out = Vec::new();
        for (operand, &value) in row.operands.iter().zip(op.code.values()) {
            let (read, write) = (operand.is_read(), operand.write);
            let mut add = |reg: Reg, half: Half| {
                let keeps = write && (predicated || one_section || half != Half::Both);
                out.push(FprAccess { reg, half, read, write, keeps });
            };
            match operand.kind {
                Kind::Fpr(_) => add(Reg(value as u32), Half::Both),
                Kind::FprPair(_) | Kind::FprPermute(_) => {
                    add(Reg(value as u32), Half::Both);
                    if let Some(next) = self.next(Reg(value as u32)) {
                        add(next, Half::Both);
                    }
                }
                Kind::FprHalf(..) => {
                    let half = if value & 1 == 1 { Half::Hi } else { Half::Lo };
                    add(Reg(value as u32 >> 1), half);
                }
                _ => {}
            }
        }
        out
    }
}

impl Op {
    /// The accesses of an operation but those to FPRs, as the table knows them.
    pub fn resources(&self) -> Vec<Access> {
        let mut all = Vec::new();
        let mut visit = |access: Access| {
            if !matches!(access.resource, Resource::Fpr(..)) {
                all.push(access);
            }
        };
        // Numbers of virtual registers do not fit the table.
        match self.code.with_registers(|_| Reg(0)) {
            Code::Arith(inst) => inst.for_each_access(self.cc, &mut visit),
            Code::Exch(inst) => inst.for_each_access(self.cc, &mut visit),
        }
        all
    }

    /// Whether it writes a general register.
    pub fn writes_gpr(&self, gpr: u8) -> bool {
        self.resources().iter().any(|a| a.write && a.resource == Resource::Gpr(gpr))
    }
}

impl Code {
    /// The operation with every FPR number replaced.
    pub fn with_registers(&self, mut place: impl FnMut(Reg) -> Reg) -> Self {
        let mut code = *self;
        let values = match &mut code {
            Self::Arith(inst) => &mut inst.values,
            Self::Exch(inst) => &mut inst.values,
        };
        for (operand, value) in self.row().operands.iter().zip(values) {
            match operand.kind {
                Kind::Fpr(_) | Kind::FprPair(_) | Kind::FprPermute(_) => {
                    *value = place(Reg(*value as u32)).0 as i32;
                }
                Kind::FprHalf(..) => {
                    *value = place(Reg(*value as u32 >> 1)).0 as i32 * 2 + (*value & 1);
                }
                _ => {}
            }
        }
        code
    }
}
