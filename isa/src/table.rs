//! The one table: every operation of CP2 with its encoding, operands and effects.
//!
//! A row is written once, in the file of its half of a bundle. The enums [`Arith`] and [`Exch`] come from the rows, so
//! a `match` that lacks an operation does not compile.

use crate::operand::Operand;
use crate::rules::flags::Flags;
use crate::source::Citation;
use serde::{Deserialize, Serialize};

/// Slot of a bundle: the half in which an operation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The arithmetic half of a bundle, bits 63:32.
    Arithmetic,
    /// The exchange half of a bundle, bits 28:0: memory, moves, flow of control.
    Exchange,
}

/// Functional unit of an operation. The units of two operations, and the resource that one writes and the other reads,
/// decide after how many bundles the result is seen ([`Latencies::distance`](crate::Latencies::distance)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// The unit of `nop`, which has no effect.
    Nop,
    /// The arithmetic pipeline.
    Arithmetic,
    /// The arithmetic pipeline, for `mfc` and `mtc`. A `mtc` to FCSR replaces the flags there instead of joining them.
    Creg,
    /// Loads: local memory, or shared memory, to FPR.
    Load,
    /// Stores: FPR to local memory or shared memory.
    Store,
    /// The permutation of `psprmsgn`.
    Permute,
    /// Moves of a GPR or index register to an FPR, `mtfpr`.
    ToFpr,
    /// Moves of an FPR to a GPR or index register, `mffpr` and `mxfpr`.
    FromFpr,
    /// Writes to general, index, address and control registers, such as `move`, `seti` and `updaddr`.
    Scalar,
    /// Moves of an FPR to section addresses, `mtsa` and `amtsa`, from either half of a bundle.
    ToAddress,
    /// Operations `do` and `call`, which read a general register one bundle earlier than a jump.
    Loop,
    /// Operations `jump`, `ret` and `enddo`.
    Jump,
    /// Operations `stop` and `run`, which read a general register two bundles earlier than a jump.
    Stop,
    /// The operation `sync`.
    Sync,
    /// Operations `start_dma` and `check_dma`.
    Dma,
}

bitflags::bitflags! {
    /// A set of properties of an operation that its unit and operands do not tell. Which registers and words the
    /// operation reads and writes its footprint tells ([`Bundle::footprint`](crate::Bundle::footprint)).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u16 {
        /// The operation replaces the cause in FCSR, and adds its exceptions to the sticky flags of FCSR and to
        /// STATUS.FPE.
        const FLAGS = 1;
        /// The operation reads the Fourier coefficient at the angle RIND, and then RIND steps.
        const COEFFICIENT = 1 << 1;
        /// The operation obeys the predicate of its bundle.
        const PREDICATED = 1 << 2;
        /// The operation changes the flow of control. Such an operation may not stand in a delay slot or at the end of
        /// a hardware loop.
        const CONTROL = 1 << 3;
        /// The operation has a delay slot: the next bundle issues before the flow changes.
        const DELAY_SLOT = 1 << 4;
        /// The operation is allowed only in bundles from the host FIFO, not in a kernel.
        const HOST_ONLY = 1 << 5;
        /// The operation accesses memory and moves two words and two FPRs in each section.
        const DOUBLE = 1 << 6;
        /// The operation changes the stack of hardware loops.
        const LOOPS = 1 << 7;
        /// The operation changes the call stack.
        const CALLS = 1 << 8;
        /// The operation writes a part of D, such as 16 bits or a half, keeps the rest and computes with none of it.
        /// Several such operations may fill one register.
        const FILLS = 1 << 9;
        /// The operation writes 0 to its FPRs in the sections that the predicate disables, instead of leaving them as
        /// they are.
        const ZEROES = 1 << 10;
    }
}

bitflags::bitflags! {
    /// A set of extensions of the architecture that programs can depend on, as \[D\] 4.2 proposes them; bit k is the
    /// extension k + 1 there. Operations of an extension are refused on a core that lacks the extension.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Extensions: u16 {
        /// 32-bit loads and stores (`word-access`).
        const WORD_ACCESS = 1;
        /// Addresses of local memory that each section has of its own (`section-addressing`).
        const SECTION_ADDRESSING = 1 << 1;
        /// Loads and stores that obey the predicate (`conditional-memory`).
        const CONDITIONAL_MEMORY = 1 << 2;
        /// Hardware loops with a number of iterations for each section (`section-counters`).
        const SECTION_COUNTERS = 1 << 3;
        /// A memory that the sections have in common (`shared-memory`).
        const SHARED_MEMORY = 1 << 4;
        /// Bit I of CONTROL, the direction of the FFT, is written by kernels too (`fft-direction`).
        const FFT_DIRECTION = 1 << 5;
        /// More than 64 FPRs in a section, and therefore bundles of two words (`more-fprs`).
        const MORE_FPRS = 1 << 7;
    }
}

impl Extensions {
    /// Returns the names of the extensions as users write them, such as `word-access, shared-memory`, with commas and
    /// blanks between.
    pub fn names(self) -> String {
        let name = |(name, _): (&str, Self)| name.to_lowercase().replace('_', "-");
        self.iter_names().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the text with which `--enable` switches the extensions on: their names with commas between, and
    /// `more-fprs` with the size 128.
    pub fn switches(self) -> String {
        self.names().replace(", ", ",").replace("more-fprs", "more-fprs=128")
    }
}

/// Row of the table of operations: encoding, operands, unit, effects and description of one operation.
#[derive(Debug)]
pub struct Row {
    /// Slot that the operation takes: the arithmetic or the exchange half of a bundle.
    pub slot: Slot,
    /// Opcode: the value of the fields of the opcode in the bundle; of 32-bit loads and stores without the two lowest
    /// bits if those name halves.
    pub code: u8,
    /// Mnemonic, such as `cadd`. In the text of a comparison, `c`, relation and format follow: `c.lt.s`.
    pub name: &'static str,
    /// Operands, in the order in which the assembler writes them.
    pub operands: &'static [Operand],
    /// Functional unit of the operation, which decides its latency.
    pub unit: Unit,
    /// Properties of the operation besides reading and writing its operands.
    pub effects: Effects,
    /// Exceptions that the operation can raise; empty if it raises none.
    pub raises: Flags,
    /// Number of floating-point operations that the operation counts as, in one section.
    pub flops: u8,
    /// Extensions that a core needs for the operation; empty for an operation of CP2 itself.
    pub extension: Extensions,
    /// Description of the operation, in one line.
    pub doc: &'static str,
    /// Documents and sections of the reference material from which the facts in the row are taken.
    pub sources: &'static [Citation],
}

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident, $slot:ident, $legend:literal, $(
        $code:literal $variant:ident $text:literal [$($operand:expr),*]
        $unit:ident $effects:ident $flops:literal $source:ident $line:literal $(, needs $($extension:ident)|+)?;
    )*) => {
        $(#[$doc])*
        #[allow(rustdoc::broken_intra_doc_links, reason = "lines like `D.hi[31:16]` are no links")]
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum $name {
            $(#[doc = concat!("Operation `", $text, "`: ", $line, "\n\n", $legend)] $variant,)*
        }

        impl $name {
            /// Every operation of this half, in the order of the table of operations.
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

            /// Returns the row of the operation in the table of operations.
            #[inline]
            pub fn row(self) -> &'static Row {
                &Self::ROWS[self as usize]
            }

            /// Returns the operation with this opcode; `None` if there is none.
            #[inline]
            pub fn from_code(code: u32) -> Option<Self> {
                Self::BY_CODE.get(code as usize).copied().flatten()
            }

            /// Returns the operation with this mnemonic in lower case, without the suffixes of a comparison; `None` if
            /// there is none.
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
