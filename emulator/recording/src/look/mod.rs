//! Looks at the cycles of a recording: every event of some cycles, and searches for what was last before a cycle or comes
//! next; how the run ended.

pub(crate) mod ending;
pub(crate) mod finder;
pub(crate) mod follow;
pub(crate) mod legs;
pub(crate) mod search;
pub(crate) mod suspects;
pub(crate) mod window;
