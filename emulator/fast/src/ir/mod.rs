//! The intermediate representation: vector operations on values that are assigned once (SSA), scalar
//! instructions of the native machine as they will stand, and what builds both.

pub(crate) mod builder;
pub(crate) mod instruction;
pub(crate) mod scalar;
