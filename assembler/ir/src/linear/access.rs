//! Which FPRs an operation of linear code reads and writes, by the table's footprint with virtual
//! registers in place of numbers.

use super::{LinearInst, Op, PHYSICAL, Reg, Region};
use cp2_isa::{Access, Halves, OperandKind, Resource};

/// An access of an operation to an FPR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprAccess {
    /// The register.
    pub reg: Reg,
    /// The operation uses the value, or may use a part of it.
    pub read: bool,
    /// The operation writes the register.
    pub write: bool,
    /// Some of the register keeps its old value: an operation on a half, or one that a predicate
    /// or a section number restricts. Such a write needs the register that holds the old value.
    pub keeps: bool,
}

impl Region {
    /// Returns the FPR accesses of an operation, in the order of its operands.
    pub fn fpr_accesses(&self, op: &Op) -> Vec<FprAccess> {
        let (row, values) = (op.code.row(), op.code.values());
        let partial = row.keeps(op.cc) || row.sections(values) != cp2_isa::SectionMask::ALL;
        let access = |fpr: cp2_isa::FprOperand| {
            let named = Reg(fpr.register as u32);
            let write = !fpr.writes.is_empty();
            Some(FprAccess {
                reg: if fpr.next { self.next(named)? } else { named },
                read: row.operands[fpr.operand].is_read(),
                write,
                keeps: write && (partial || fpr.writes != Halves::BOTH),
            })
        };
        row.fprs(values).filter_map(access).collect()
    }
}

impl Op {
    /// Returns the accesses of an operation whose order the scheduler has to keep, but those to FPRs and to words of memory,
    /// which it follows by value and by address.
    pub fn resources(&self) -> Vec<Access> {
        let mut all = Vec::new();
        let mut visit = |access: Access| {
            let followed = matches!(access.resource, Resource::Fpr(..) | Resource::Memory(_));
            // Sticky flags add up in any order.
            if !followed && access.resource != Resource::Fpe {
                all.push(access);
            }
        };
        // Numbers of virtual registers do not fit the table.
        match self.code.with_registers(|_| Reg(0)) {
            LinearInst::Arith(inst) => inst.footprint(self.cc, &mut visit),
            LinearInst::Exch(inst) => inst.footprint(self.cc, &mut visit),
        }
        all
    }

    /// Whether the operation writes a general register.
    pub fn writes_gpr(&self, gpr: u8) -> bool {
        self.resources().iter().any(|a| a.changed() == Some(Resource::Gpr(gpr)))
    }
}

impl LinearInst {
    /// Returns the operation with every FPR number replaced by what `place` returns for it.
    pub fn with_registers(&self, mut place: impl FnMut(Reg) -> Reg) -> Self {
        let mut code = *self;
        let values = match &mut code {
            Self::Arith(inst) => &mut inst.values,
            Self::Exch(inst) => &mut inst.values,
        };
        for (operand, value) in self.row().operands.iter().zip(values) {
            match operand.kind {
                OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                    *value = place(Reg(*value as u32)).0 as i32;
                }
                OperandKind::FprHalf(..) => {
                    *value = place(Reg(*value as u32 >> 1)).0 as i32 * 2 + (*value & 1);
                }
                _ => {}
            }
        }
        code
    }

    /// Returns the operation with small numbers for its virtual registers, the same for the same one, so that the rules about
    /// physical registers can be asked of it.
    pub fn with_small_registers(&self) -> Self {
        let mut named = Vec::new();
        self.with_registers(|reg| {
            named.extend(reg.physical());
            reg
        });
        let is_free = |n: &u8| !named.iter().any(|&p| p.abs_diff(*n) <= 1);
        let mut free = (0..PHYSICAL / 2).map(|k| 2 * k as u8).filter(is_free);
        let mut seen: Vec<(Reg, Reg)> = Vec::new();
        let code = self.with_registers(|reg| {
            if reg.physical().is_some() {
                return reg;
            }
            if let Some((_, to)) = seen.iter().find(|(r, _)| *r == reg) {
                return *to;
            }
            let to = free.next().map_or(reg, |n| Reg(u32::from(n)));
            seen.push((reg, to));
            to
        });
        match code {
            Self::Exch(inst) => Self::Exch(inst.with_variant()),
            code => code,
        }
    }
}
