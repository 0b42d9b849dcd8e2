//! The fast engine for CP2: translates kernels to machine code of the native machine, with the same registers,
//! memories, flags, cycles and counts as the reference engine. It knows no assembly text and does no input or output.
//!
//! Modules, each of which uses only those before it: `abi`, the memory layout that code and engine agree on; `ir`, the
//! intermediate representation; `front_end`, the selection of bundles and the state in which they begin; `analysis`,
//! the facts about them; `lowering`, the way from bundles to IR; `back_end`, the way from IR to machine code;
//! `runtime`, the execution of machine code.

mod abi;
mod analysis;
mod back_end;
mod front_end;
mod ir;
mod known;
mod lowering;
mod runtime;

pub use back_end::encoding::NativeIsa;
pub use cp2_emu::machine::{Divergence, what_differs};
pub use runtime::alone::{Fast, compare, is_supported};
pub use runtime::clock::cycles_per_second;
pub use runtime::coupled::Translator;
pub use runtime::host_code::HostCode;
pub use runtime::kept::{Store, blocks_kept};
pub use runtime::many::{for_all, run_all};
pub use runtime::straight::{StraightLoop, VectorLoopBuilder, VectorValue};
