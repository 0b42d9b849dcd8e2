//! Computation of operations, on vector lanes of the native machine.

pub(crate) mod arithmetic;
pub(crate) mod coefficients;
pub(crate) mod flags;
pub(crate) mod lanes;
pub(crate) mod special;
