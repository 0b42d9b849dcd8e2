//! Steps of a block before registers of the native machine are given out: operations on 256-bit values, each assigned once,
//! and scalar instructions as they will stand.

use iced_x86::{Code, Instruction, Register};

/// Number of a 256-bit value.
pub(crate) type Value = u32;

/// Home of a value: a place where it stands without a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Place in the context, at this displacement.
    Context(i32),
    /// Constant of the block, by number.
    Constant(u32),
    /// Place in local memory, at this displacement from a pointer.
    Memory(Register, i32),
}

/// Part of a block that is run once, or some times one behind the other. Between two parts, and between two times, every
/// register and every result under way stands in the context, and no value lasts.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) ins: Vec<Ins>,
    /// Home of each value that stands somewhere from the beginning; by value.
    pub(crate) homes: Vec<Option<Home>>,
    /// Number of times that the part is run, at least 1.
    pub(crate) times: u32,
    /// Pointers that each time takes further while the part is run, by number, and by how many words.
    pub(crate) steps: Vec<(usize, i32)>,
}

/// Step of a block.
#[derive(Clone, Debug)]
pub(crate) enum Ins {
    /// `d := op(b)`; b may be in memory.
    Unary { code: Code, d: Value, b: Value, imm: Option<u8> },
    /// `d := op(a, b)`; b may be in memory.
    Binary { code: Code, d: Value, a: Value, b: Value, imm: Option<u8> },
    /// `d := op(a)` with a shift count; a has to be in a register.
    Shift { code: Code, d: Value, a: Value, count: u8 },
    /// `d := mask ? b : a`, by the sign of each 64-bit (or 32-bit) lane.
    Select { code: Code, d: Value, a: Value, b: Value, mask: Value },
    /// Raises an exception of the native machine if one of the floats is NaN or denormal.
    Check { a: Value, b: Value },
    /// `d` := the 32 bytes at base + displacement.
    Load { d: Value, base: Base, displacement: i32 },
    /// `d` := 8 bytes in every section.
    Broadcast { d: Value, base: Base, displacement: i32 },
    /// `d` := in every section the word at base + displacement + 8 * index; the base is RAX for a table,
    /// RSI for local memory.
    Gather { d: Value, base: Register, index: Value, displacement: i32 },
    /// The 32 bytes at base + displacement := `v`.
    Store { v: Value, base: Base, displacement: i32 },
    /// Copies 32 bytes from one place to another.
    Keep { from: (Base, i32), to: (Base, i32) },
    /// A scalar instruction.
    Raw(Instruction),
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The context.
    Context,
    /// The word of local memory at RAX.
    Word,
    /// The place in the undo log.
    Undo,
    /// The place in local memory in a register.
    At(Register),
    /// The place in RAX: in the tail, or in shared memory.
    Rax,
    /// RBX + RAX * 8: a table.
    Table,
}

impl Ins {
    /// Calls `visit` with every value that is read.
    pub(crate) fn for_each_source(&self, mut visit: impl FnMut(Value)) {
        match *self {
            Self::Unary { b, .. } => visit(b),
            Self::Binary { a, b, .. } | Self::Check { a, b } => {
                visit(a);
                visit(b);
            }
            Self::Shift { a, .. } => visit(a),
            Self::Gather { index, .. } => visit(index),
            Self::Select { a, b, mask, .. } => {
                visit(a);
                visit(b);
                visit(mask);
            }
            Self::Store { v, .. } => visit(v),
            Self::Load { .. } | Self::Broadcast { .. } | Self::Keep { .. } | Self::Raw(_) => {}
        }
    }
}
