//! The state of a machine between two cycles: places of registers and memories, what the host does to it, what observers
//! are told of changes, and moments of it that come from a file.

mod damage;
mod kit;
mod places;
mod possible;
#[path = "../common/random.rs"]
mod random;
mod ranges;
mod reached;
mod told;
