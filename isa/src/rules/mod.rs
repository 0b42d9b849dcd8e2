//! Pure rules of the machine: functions over plain values that hold no state, which every engine,
//! the linter, the assembler and the checker share. Distances in bundles are in `timing`; the times
//! that follow from others are in [`times`].

pub mod address;
pub mod angle;
pub mod flags;
pub mod flow;
pub mod immediate;
pub mod landing;
pub mod rounding;
pub mod times;
