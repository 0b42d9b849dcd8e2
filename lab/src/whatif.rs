//! What-if studies: a workload on a machine and on that machine with changes, every one alone and all combinations;
//! and what rests on numbers that nobody measured.

pub mod change;
pub mod changes;
pub mod sensitivity;

pub use change::Change;
pub use changes::WhatIf;
pub use sensitivity::Sensitivity;
