//! The accesses of operations of linear code: which FPRs an operation reads and writes, by the table's footprint with
//! virtual registers in place of numbers.

use super::{LinearInst, Op, PHYSICAL, Reg, Region};
use cp2_isa::{Access, Halves, OperandKind, Resource};

/// An access of an operation of linear code to one FPR, reading, writing, or both, as [`Region::fpr_accesses`] finds
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprAccess {
    /// The register, physical or virtual.
    pub reg: Reg,
    /// True if the operation reads the register or a part of it as an operand.
    pub read: bool,
    /// True if the operation writes the register or a part of it.
    pub write: bool,
    /// True if the operation writes the register but a part keeps its old value: one half is written, or a predicate or
    /// a section number leaves out sections. The register then has to hold the old value before.
    pub keeps: bool,
}

impl Region {
    /// Returns the accesses of an operation to FPRs, in the order of its operands.
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
    /// Returns the accesses of an operation whose order the scheduler has to keep as it is written. Accesses to FPRs
    /// and memory are left out, because the scheduler follows them by value and by address, and so are the exception
    /// flags.
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

    /// Returns true if the operation changes the general register with this number.
    pub fn writes_gpr(&self, gpr: u8) -> bool {
        self.resources().iter().any(|a| a.changed() == Some(Resource::Gpr(gpr)))
    }
}

impl LinearInst {
    /// Returns the operation with every FPR in its operands replaced by the register that `place` returns for it.
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

    /// Returns the operation with each virtual register replaced by a physical one, equal ones by equal ones, so that
    /// rules about physical registers can be applied to it.
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
