//! Rules of the machine CP2 as pure functions over plain values, which hold no state. Every engine, the linter, the
//! assembler and the checker share them. `[L]` is the open model library of CP2, the source of these rules.

pub mod address;
pub mod angle;
pub mod flags;
pub mod flow;
pub mod immediate;
pub mod landing;
pub mod rounding;
pub mod times;
