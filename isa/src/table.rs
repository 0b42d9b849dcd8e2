//! The one table: every operation of CP2 with its encoding, operands and effects.
//!
//! A row is written once, in the file of its half of a bundle. The enums [`Arith`] and [`Exch`] come from the rows, so a
//! `match` that lacks an operation does not compile.

use crate::operand::Operand;
use crate::rules::flags::Flags;
use crate::source::Citation;
use serde::{Deserialize, Serialize};

/// The half of a bundle that an operation occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Bits 63:32.
    Arithmetic,
    /// Bits 28:0.
    Exchange,
}

/// The functional unit of an operation; together with a resource it selects a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// No effect.
    Nop,
    /// The arithmetic pipeline.
    Arithmetic,
    /// `mfc` and `mtc`: the arithmetic pipeline; what `mtc` writes replaces FCSR, and does not join it.
    Creg,
    /// Local memory to FPR.
    Load,
    /// FPR to local memory.
    Store,
    /// `psprmsgn`.
    Permute,
    /// GPR or IREG to FPR.
    ToFpr,
    /// FPR to GPR or IREG.
    FromFpr,
    /// Writes to general, index, address and control registers.
    Scalar,
    /// FPR to section addresses, from either half of a bundle.
    ToAddress,
    /// `do`, `call`: operands are read one bundle earlier than by a jump.
    Loop,
    /// `jump`, `ret`, `enddo`.
    Jump,
    /// `stop`, `run`: operands are read two bundles earlier than by a jump.
    Stop,
    /// `sync`.
    Sync,
    /// `start_dma`, `check_dma`.
    Dma,
}

bitflags::bitflags! {
    /// Properties of an operation that its unit and operands do not tell: whether it raises flags, reads a coefficient, obeys
    /// the predicate, changes the flow or a stack, has a delay slot, moves two words, comes from the host alone. Which
    /// registers and words it reads and writes its footprint tells ([`Bundle::footprint`](crate::Bundle::footprint)).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u16 {
        /// Replaces FCSR.cause and accumulates FCSR.flags and STATUS.FPE.
        const FLAGS = 1;
        /// Reads the coefficient at RIND, then RIND steps.
        const COEFFICIENT = 1 << 1;
        /// Obeys the predicate.
        const PREDICATED = 1 << 2;
        /// Changes the flow of control; not allowed in a delay slot or at the end of a loop.
        const CONTROL = 1 << 3;
        /// Has a delay slot.
        const DELAY_SLOT = 1 << 4;
        /// Allowed only from the host FIFO.
        const HOST_ONLY = 1 << 5;
        /// Two FPRs are read or written by one memory access.
        const DOUBLE = 1 << 6;
        /// Changes the loop stack.
        const LOOPS = 1 << 7;
        /// Changes the call stack.
        const CALLS = 1 << 8;
        /// Puts something beside bits of D that stay as they are, and computes with none of them: it may
        /// be the first of several that fill a register.
        const FILLS = 1 << 9;
        /// In the sections that the predicate disables the FPRs get 0 instead of staying as they are.
        const ZEROES = 1 << 10;
    }
}

bitflags::bitflags! {
    /// Extensions of the architecture that programs know of; the bit number is that of `[D]` 4.2 less one, and
    /// those that are not there yet have none. What belongs to one is refused on a core whose bit is off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Extensions: u16 {
        /// 32-bit loads and stores.
        const WORD_ACCESS = 1;
        /// Address registers per section.
        const SECTION_ADDRESSING = 1 << 1;
        /// Predicated loads and stores.
        const CONDITIONAL_MEMORY = 1 << 2;
        /// Loop counts per section.
        const SECTION_COUNTERS = 1 << 3;
        /// A memory common to the sections.
        const SHARED_MEMORY = 1 << 4;
        /// CONTROL.I is written by kernels.
        const FFT_DIRECTION = 1 << 5;
        /// More than 64 FPRs, and bundles of two words; it follows from their number.
        const MORE_FPRS = 1 << 7;
    }
}

impl Extensions {
    /// Returns the names of the extensions as users write them, with commas.
    pub fn names(self) -> String {
        let name = |(name, _): (&str, Self)| name.to_lowercase().replace('_', "-");
        self.iter_names().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Returns what `--enable` takes to switch the extensions on, with the least size where one takes a size.
    pub fn switches(self) -> String {
        self.names().replace(", ", ",").replace("more-fprs", "more-fprs=128")
    }
}

/// An operation: its encoding, operands and effects.
#[derive(Debug)]
pub struct Row {
    /// Half of the bundle that the operation stands in: arithmetic or exchange.
    pub slot: Slot,
    /// Opcode: the value of field `op` or `op2` of the bundle.
    pub code: u8,
    /// Mnemonic. Comparisons add `.relation.format`.
    pub name: &'static str,
    /// Operands in the order in which the assembler writes them.
    pub operands: &'static [Operand],
    /// Unit that executes the operation, which decides its latency.
    pub unit: Unit,
    /// Effects besides reading and writing the operands.
    pub effects: Effects,
    /// Exceptions that the operation can raise.
    pub raises: Flags,
    /// Float additions, subtractions, multiplications and functions in one section.
    pub flops: u8,
    /// Extension that the operation belongs to; empty for the base machine.
    pub extension: Extensions,
    /// Description of the operation, in one line.
    pub doc: &'static str,
    /// Sources of the facts in the row. The number of flops that an operation counts is said of `cbutterfly` alone, and
    /// follows from the steps of the others.
    pub sources: &'static [Citation],
}

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident, $slot:ident, $(
        $code:literal $variant:ident $text:literal [$($operand:expr),*]
        $unit:ident $effects:ident $flops:literal $source:ident $line:literal $(, needs $($extension:ident)|+)?;
    )*) => {
        $(#[$doc])*
        #[allow(rustdoc::broken_intra_doc_links, reason = "lines like `D.hi[31:16]` are no links")]
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum $name {
            $(#[doc = $line] $variant,)*
        }

        impl $name {
            /// Every operation, in the order of the opcodes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const ROWS: &'static [Row] = &[$(Row {
                slot: Slot::$slot,
                code: $code,
                name: $text,
                operands: &[$($operand),*],
                unit: Unit::$unit,
                effects: $effects.effects,
                raises: $effects.raises,
                flops: $flops,
                extension: Extensions::empty()$($(.union(Extensions::$extension))+)?,
                doc: $line,
                sources: source::$source,
            }),*];

            const BY_CODE: [Option<Self>; 256] = {
                let mut table = [None; 256];
                $(table[$code] = Some(Self::$variant);)*
                table
            };

            /// Returns the row of the operation in the table.
            #[inline]
            pub fn row(self) -> &'static Row {
                &Self::ROWS[self as usize]
            }

            /// Returns the operation with this opcode, if there is one.
            #[inline]
            pub fn from_code(code: u32) -> Option<Self> {
                Self::BY_CODE.get(code as usize).copied().flatten()
            }

            /// Returns the operation with this mnemonic (without the suffixes of a comparison), if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

mod arithmetic;
mod exchange;
mod shorthand;

pub use arithmetic::Arith;
pub use exchange::Exch;
