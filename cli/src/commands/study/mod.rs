//! Commands that compare, estimate and vary.

pub(crate) mod bench;
pub(crate) mod estimate;
pub(crate) mod optimize;
pub(crate) mod roofline;
pub(crate) mod sweep;
pub(crate) mod whatif;
