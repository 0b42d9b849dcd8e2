//! The instruction set of CP2, a vector coprocessor: one table of operations, what derives from it (encoding, decoding,
//! text, accesses, documentation), and the description of a machine. No machine state and no semantics live here.

pub mod bits;
mod bundle;
pub mod doc;
mod examples;
mod field;
mod footprint;
pub mod machine;
mod operand;
mod range;
mod registers;
mod roles;
pub mod rules;
mod source;
mod table;
mod text;
mod timing;
mod typed;
mod units;

pub use bundle::{Bundle, Inst, MAX_OPERANDS, Undefined, decode, encode, extensions_of};
pub use examples::{EXAMPLES, Example};
pub use field::{BitField, BundleBits, bundle_digits, fields};
pub use footprint::{
    Access, AccessMode, Certainty, FprOperand, Halves, Resource, Words, WordsFrom,
};
pub use machine::{Core, CoreNumbers, MachineConfig};
pub use operand::{Address, AddressForm, MoveReg, Operand, OperandKind, Reads, RegFile, Step};
pub use range::NumberRange;
pub use registers::{Filed, SHARED_WORDS, Storage, StorageCell, StorageInfo, StorageShape};
pub use roles::{NamedRegisters, ResultRegister, Role};
pub use source::{Citation, Document};
pub use table::{Arith, Effects, Exch, Extensions, Row, Slot, Unit};
pub use text::{condition_name, control_name, format_name};
pub use timing::{Latencies, MAX_LATENCY};
pub use typed::{
    Comparison, CountOperand, Creg, FprTransfer, MemoryAccess, MemoryHalf, OperandFormat,
    Permutation, PermutedWord, SharedAccess, SharedAddress, SharedWords, WordHalf,
};
pub use units::{
    Bank, Banks, BundleAddress, Bytes, Cycle, FprSet, MemoryAddress, RunCycle, Section,
    SectionMask, WordAddress,
};

/// Number of sections of CP2: four data paths, each with FPRs and local memory of its own, which execute one stream of
/// bundles in lockstep.
pub const SECTIONS: usize = 4;
/// Number of floating-point registers (FPRs) of one section of CP2, 64 bits each. Other cores have their own numbers
/// ([`Core`]).
pub const FPRS: usize = 64;
/// Number of words (64 bits) of local memory in one section of CP2. Other cores have their own numbers ([`Core`]).
pub const LMEM_WORDS: usize = 8192;
/// Number of words (64 bits) of one section in one of the two banks of local memory of CP2: half of [`LMEM_WORDS`].
/// Other cores have their own numbers ([`Core`]).
pub const BANK_WORDS: usize = LMEM_WORDS / 2;
/// Number of bundles (64 bits each) in the instruction memory of CP2: the most that the addresses of the encoding, 13
/// bits, reach.
pub const IRAM_BUNDLES: usize = 8192;
/// Depth of the loop stack of CP2, and of its call stack: at most 15 hardware loops, and at most 15 calls, are active
/// at once.
pub const STACK_DEPTH: usize = 15;

/// Numbers of the control registers of CP2, by which the operation `move` encodes them: 0 to 11.
pub mod control {
    /// Number of control register PC, the address of the next bundle. A `move` can read the register; a write has no
    /// effect.
    pub const PC: u8 = 0;
    /// Number of control register COMM, a mailbox of 64 bits through which the kernel and the control processor
    /// exchange values.
    pub const COMM: u8 = 1;
    /// Number of control register CONTROL: rounding mode, direction of the FFT, requests to stop and to reset.
    pub const CONTROL: u8 = 2;
    /// Number of control register STATUS: whether a kernel runs, state of the host FIFO and of the mailbox, sticky
    /// errors.
    pub const STATUS: u8 = 3;
    /// Number of control register PSP, how many calls have not returned. A `move` can read the register; a write has no
    /// effect.
    pub const PSP: u8 = 4;
    /// Number of control register LC, the iterations left of the innermost hardware loop, the current one included.
    pub const LC: u8 = 5;
    /// Number of control register LA, the start and end addresses of the innermost hardware loop.
    pub const LA: u8 = 6;
    /// Number of control register LSP, how many hardware loops are active. A `move` can read the register; a write has
    /// no effect.
    pub const LSP: u8 = 7;
    /// Number of control register RIND, the angle of the next Fourier coefficient: 16 bits, 65536 to a full turn.
    pub const RIND: u8 = 8;
    /// Number of control register RSTEP, 16 bits that are added to RIND after each coefficient that an operation reads.
    pub const RSTEP: u8 = 9;
    /// Number of control register RMASK, the mask of the 16 bits of RIND that change when RIND steps; the others stay.
    pub const RMASK: u8 = 10;
    /// Number of control register STOPCODE, the 64-bit code that the last `stop` gave. No `move` may write the
    /// register.
    pub const STOPCODE: u8 = 11;
    /// Number of control registers, 12: their numbers are 0 to 11.
    pub const COUNT: u8 = 12;
}
