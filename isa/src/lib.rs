//! The instruction set of CP2: one table, and what derives from it (encode, decode, text, access,
//! documentation), and the description of a machine. No machine state and no semantics live here.

pub mod bits;
mod bundle;
pub mod doc;
mod examples;
mod field;
mod footprint;
pub mod machine;
mod operand;
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

/// Number of sections of CP2, which run in lockstep, each on registers and local memory of its own.
pub const SECTIONS: usize = 4;
/// Floating-point registers of one section of CP2, 64 bits each. Other cores have their own numbers ([`Core`]).
pub const FPRS: usize = 64;
/// Words (64 bits) of local memory in one section of CP2. Other cores have their own numbers ([`Core`]).
pub const LMEM_WORDS: usize = 8192;
/// Words (64 bits) in each section of one of the two banks of local memory of CP2: half of [`LMEM_WORDS`]. Other cores have
/// their own numbers ([`Core`]).
pub const BANK_WORDS: usize = LMEM_WORDS / 2;
/// Bundles (64 bits) of instruction memory of CP2: as many as the encoding of addresses reaches.
pub const IRAM_BUNDLES: usize = 8192;
/// Entries that the loop stack can hold, and as many that the call stack can, on CP2.
pub const STACK_DEPTH: usize = 15;

/// Numbers of the control registers, as `move` encodes them.
pub mod control {
    /// Address of the next bundle; read-only to `move`.
    pub const PC: u8 = 0;
    /// Mailbox between the kernel and the control processor.
    pub const COMM: u8 = 1;
    /// Rounding mode, FFT direction, stop and reset requests.
    pub const CONTROL: u8 = 2;
    /// Run state, FIFO state and sticky errors.
    pub const STATUS: u8 = 3;
    /// Depth of the call stack; read-only to `move`.
    pub const PSP: u8 = 4;
    /// Remaining iterations of the innermost loop.
    pub const LC: u8 = 5;
    /// Start and end addresses of the innermost loop.
    pub const LA: u8 = 6;
    /// Depth of the loop stack; read-only to `move`.
    pub const LSP: u8 = 7;
    /// Angle of the next Fourier coefficient, 16 bits, 65536 to a turn.
    pub const RIND: u8 = 8;
    /// Step that RIND takes behind each coefficient that is read, 16 bits.
    pub const RSTEP: u8 = 9;
    /// Bits of RIND that change when it steps, 16 bits; the others stay.
    pub const RMASK: u8 = 10;
    /// Code that the kernel stopped with, 64 bits, which no `move` may write.
    pub const STOPCODE: u8 = 11;
    /// Number of control registers: their numbers are 0 to 11.
    pub const COUNT: u8 = 12;
}
