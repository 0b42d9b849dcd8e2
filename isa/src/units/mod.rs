//! Units of the machine, by what their numbers count: moments, places, parts. A kind has a type of its own where it stands
//! beside another in a signature, a field or a tuple, so that swapping the two would compile.
//!
//! | type | is not to be taken for |
//! | --- | --- |
//! | [`Cycle`] | a number of cycles, such as a limit or a latency; the cycle of a block or a schedule, which each count from their own begin and are such numbers |
//! | [`RunCycle`] | a cycle since reset, which on a machine with a control core has another number |
//! | [`BundleAddress`] | a word of local memory, a word of code, a number of iterations |
//! | [`WordAddress`] | a step or a mode of an address set, a bundle, a count of words or beats |
//! | [`MemoryAddress`] | a number of bytes or words, a word of local memory |
//! | [`Bytes`] | a number of words or beats, an address |
//! | [`Bank`] | a word, a section, a set of banks |
//! | [`FprSet`] | a set of sections or banks, a word |
//! | [`Section`] | a number of a register or a word, a set of sections ([`SectionMask`]) |
//!
//! Every number is a value of these types, so their fields are public, and `Cycle(5)` is how a
//! moment is made from what is none; of sections there are four, so theirs is not. A place of local or instruction memory is
//! as narrow as in the encoding and becomes a place in a slice by `index()`. None of them is changed by arithmetic that does
//! not ask the machine: the addresses of words step by the rules of `rules::address`.
//!
//! Bare numbers are left: indexes of the loops over sections, local to a function; counts of anything, bytes too, whose names
//! say of what; what the channel computes addresses with, 32 bits wide, inside it; addresses as the control core has them, of
//! which system memory is a part; numbers of registers, which [`Resource`](crate::Resource) and [`MoveReg`](crate::MoveReg)
//! name with their kind; what the machine code of the fast engine computes with.

mod bank;
mod bundle_address;
mod bytes;
mod cycle;
mod fpr_set;
mod memory_address;
mod run_cycle;
mod section;
mod word_address;

pub use bank::{Bank, Banks};
pub use bundle_address::BundleAddress;
pub use bytes::Bytes;
pub use cycle::Cycle;
pub use fpr_set::FprSet;
pub use memory_address::MemoryAddress;
pub use run_cycle::RunCycle;
pub use section::{Section, SectionMask};
pub use word_address::WordAddress;
