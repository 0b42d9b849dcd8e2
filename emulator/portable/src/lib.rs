//! The portable engine: the results of the reference engine on any native machine, in safe Rust.
//!
//! Bundles are decoded once (`decode`). Straight stretches of them, bodies of hardware loops above all, run
//! in one loop over decoded steps (`straight`), on the registers of the machine and a ring of results under
//! way (`ring`): a slot per cycle with a place for each unit, since a unit has one latency. The halves of the words
//! of four sections are lanes of one array that the compiler vectorises (`compute::lanes`); the loop is compiled twice, for
//! the baseline of the target and for AVX2, and the crate `pulp` chooses when it runs.
//!
//! **Flags.** Results come from the arithmetic of the native machine. That is right, and no exception but Inexact can have been
//! raised, where every operand is zero or large enough that no step can underflow, and every result is finite; a comparison per
//! operand and result tells. Where it fails, or rounding is not to nearest, or some section has no sticky Inexact yet, the
//! same steps run on a unit that proves each of them and tells whether it was exact. Where that fails too, `arith::execute`
//! does the operation. What an operation consists of is said once, in `cp2_emu::arith`, for every unit. The cause of an
//! operation whose only exception can be Inexact is computed when it is read (`compute::flags`).
//!
//! **Beside the channel.** A kernel runs ahead in epochs, and notes its accesses and what it overwrites
//! (`notes`); `Dma::follow` takes the channel through the same cycles. Where they meet, the epoch is taken back
//! (`checkpoint`) and done again up to there; the cycle in which they meet, and every `check_dma` and
//! `start_dma`, is done in step with the channel (`engine`). A loop that only asks `check_dma` is passed over
//! in one go up to the cycle in which the answer changes (`wait`).
//!
//! The engine executes every operation of every extension on every core, finds faults, and ends kernels. The reference
//! engine does what is watched, for it alone makes events, and stretches of few cycles, which take less time there than
//! it takes to take a machine over; and it does a machine whose memories have other sizes than its core, or whose host
//! has asked for another start while a kernel runs.

mod access;
mod checkpoint;
mod compute;
mod counts;
mod decode;
mod engine;
mod exchange;
mod hot;
mod notes;
mod reach;
mod ring;
mod run;
mod straight;
mod transfer;
mod unusual;
mod wait;

pub use compute::flags::flags_of_sections;
pub use engine::Portable;
