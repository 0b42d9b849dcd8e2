//! What-if studies: a workload on a machine, and on that machine with changes, every change alone and all combinations;
//! and how far times rest on numbers that nobody measured.

pub mod change;
pub mod changes;
pub mod report;
pub mod sensitivity;
mod taken;
mod text;

pub use change::Change;
pub use changes::WhatIf;
pub use sensitivity::Sensitivity;
pub use taken::TakenVariant;
