//! Computation of operations, on lanes of the host.

pub(crate) mod arithmetic;
pub(crate) mod coefficients;
pub(crate) mod flags;
pub(crate) mod lanes;
pub(crate) mod special;
