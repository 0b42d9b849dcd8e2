//! From bundles to the intermediate representation, cycle by cycle: `translate` drives, `block` knows
//! the pipeline, the others know what operations mean, `roll` makes loops of many turns, `finish` ends the block.

mod address;
mod arithmetic;
pub(crate) mod block;
mod elementary;
mod exchange;
mod finish;
mod operands;
mod operation;
mod roll;
mod scalars;
mod sections;
mod shared;
pub(crate) mod translate;
pub(crate) mod translation;
