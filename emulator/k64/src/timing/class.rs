//! Classes of operations by the time that they take.

use super::{Cost, InstructionCosts};
use crate::isa::Operation as Op;

/// Class of an instruction: those of a class cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Instruction of one cycle: everything that has no other class.
    Integer,
    Multiply,
    Divide,
    Float,
    FloatDivide,
    Load,
    Store,
}

impl Class {
    pub(super) const ALL: [Self; 7] = [
        Self::Integer,
        Self::Multiply,
        Self::Divide,
        Self::Float,
        Self::FloatDivide,
        Self::Load,
        Self::Store,
    ];
    pub(super) const COUNT: usize = Self::ALL.len();
    /// Number of units: one for what never waits, one for products and quotients, the FPU.
    pub(super) const UNITS: usize = 3;

    /// Returns the cost of an instruction of the class; for loads and stores it is the access that tells.
    pub(super) fn cost(self, costs: &InstructionCosts) -> Cost {
        match self {
            Self::Integer | Self::Load | Self::Store => Cost { latency: 1, repeat: 0, unit: 0 },
            Self::Multiply => Cost { latency: costs.multiply, repeat: 1, unit: 1 },
            Self::Divide => Cost { latency: costs.divide, repeat: costs.divide, unit: 1 },
            Self::Float => Cost { latency: costs.float, repeat: costs.float_repeat, unit: 2 },
            Self::FloatDivide => {
                Cost { latency: costs.float_divide, repeat: costs.float_divide, unit: 2 }
            }
        }
    }

    /// Returns the class of an operation. Moves between registers take one cycle, whatever the registers.
    pub(crate) fn of(operation: Op) -> Self {
        match operation {
            Op::Mul | Op::Mult | Op::Multu | Op::Dmult | Op::Dmultu => Self::Multiply,
            Op::Madd | Op::Maddu | Op::Msub | Op::Msubu => Self::Multiply,
            Op::Div | Op::Divu | Op::Ddiv | Op::Ddivu => Self::Divide,
            Op::DivS | Op::SqrtS | Op::RecipS | Op::RsqrtS => Self::FloatDivide,
            Op::DivD | Op::SqrtD | Op::RecipD | Op::RsqrtD => Self::FloatDivide,
            Op::AddS | Op::SubS | Op::MulS | Op::AddD | Op::SubD | Op::MulD => Self::Float,
            Op::CS | Op::CD => Self::Float,
            op if is_fused(op) || is_conversion(op) => Self::Float,
            Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw | Op::Lwu | Op::Ld => Self::Load,
            Op::Lwl | Op::Lwr | Op::Ldl | Op::Ldr | Op::Ll | Op::Lld => Self::Load,
            Op::Lwc1 | Op::Ldc1 | Op::Lwxc1 | Op::Ldxc1 | Op::Luxc1 => Self::Load,
            Op::Lwc2 | Op::Ldc2 => Self::Load,
            Op::Sb | Op::Sh | Op::Sw | Op::Sd | Op::Sc | Op::Scd => Self::Store,
            Op::Swl | Op::Swr | Op::Sdl | Op::Sdr => Self::Store,
            Op::Swc1 | Op::Sdc1 | Op::Swxc1 | Op::Sdxc1 | Op::Suxc1 => Self::Store,
            _ => Self::Integer,
        }
    }
}

fn is_conversion(operation: Op) -> bool {
    use Op::*;
    matches!(operation, RoundLS | TruncLS | CeilLS | FloorLS | RoundWS | TruncWS | CeilWS | FloorWS)
        || matches!(operation, RoundLD | TruncLD | CeilLD | FloorLD)
        || matches!(operation, RoundWD | TruncWD | CeilWD | FloorWD)
        || matches!(operation, CvtWS | CvtLS | CvtWD | CvtLD | CvtSD | CvtSW | CvtSL)
        || matches!(operation, CvtDS | CvtDW | CvtDL)
}

/// Whether an operation is a product and sum in one, which has a third operand.
pub(crate) fn is_fused(operation: Op) -> bool {
    use Op::*;
    matches!(operation, MaddS | MsubS | NmaddS | NmsubS | MaddD | MsubD | NmaddD | NmsubD)
}

/// Whether an operation is a sum of products of integers, which has HI and LO as an operand.
pub(crate) fn is_accumulating(operation: Op) -> bool {
    matches!(operation, Op::Madd | Op::Maddu | Op::Msub | Op::Msubu)
}

/// Whether an operation is a move that may leave its target as it was, which is an operand then.
pub(crate) fn is_conditional(operation: Op) -> bool {
    use Op::*;
    matches!(operation, Movz | Movn | Movf | Movt)
        || matches!(operation, MovzS | MovnS | MovfS | MovtS | MovzD | MovnD | MovfD | MovtD)
}

/// Whether an operation loads a part of an unaligned value, which keeps the rest of its target.
pub(crate) fn is_part(operation: Op) -> bool {
    matches!(operation, Op::Lwl | Op::Lwr | Op::Ldl | Op::Ldr)
}
