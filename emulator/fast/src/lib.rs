//! A fast engine for CP2: the same registers, memories, flags, cycles and counts as the reference
//! engine, from machine code that it translates kernels to. It knows no assembly text and does no
//! input or output.

mod address;
mod arithmetic;
mod assemble;
mod builder;
mod cache;
mod clock;
mod code;
mod compare;
mod context;
mod counts;
mod elementary;
mod encoding;
mod engine;
mod epoch;
mod exchange;
mod flow;
mod guard;
mod handover;
mod interface;
mod ir;
mod knowledge;
mod limit;
mod many;
mod order;
mod pointer;
mod region;
mod scalar;
mod shape;
mod sprint;
mod tables;
mod touched;
mod translate;
mod undo;
mod widen;

pub use clock::cycles_per_second;
pub use compare::{Divergence, compare, what_differs};
pub use encoding::Host;
pub use engine::{Fast, is_supported};
pub use interface::Translator;
pub use limit::{Mix, register_limit};
pub use many::{for_all, run_all};
