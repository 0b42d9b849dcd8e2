//! The intermediate representation: vector operations on values that are assigned once (SSA), scalar
//! instructions of the host as they will stand, and what builds both.

pub(crate) mod builder;
pub(crate) mod instruction;
pub(crate) mod scalar;
