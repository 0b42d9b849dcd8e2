//! A fast engine for CP2: the same registers, memories, flags, cycles and counts as the reference
//! engine, from machine code that it translates kernels to. It knows no assembly text and does no
//! input or output.
//!
//! Rooms, each of which uses those above it only: `abi`, what code and engine agree on; `ir`, the
//! intermediate representation; `front_end`, which bundles and in what state; `analysis`, what is known
//! of them; `lowering`, bundles to IR; `back_end`, IR to machine code; `runtime`, what runs it.

mod abi;
mod analysis;
mod back_end;
mod front_end;
mod ir;
mod known;
mod lowering;
mod runtime;

pub use back_end::encoding::Host;
pub use cp2_emu::machine::{Divergence, what_differs};
pub use runtime::alone::{Fast, compare, is_supported};
pub use runtime::clock::cycles_per_second;
pub use runtime::coupled::Translator;
pub use runtime::kept::{Store, blocks_kept};
pub use runtime::many::{for_all, run_all};
pub use runtime::straight::{StraightLoop, Vectors, Word};
