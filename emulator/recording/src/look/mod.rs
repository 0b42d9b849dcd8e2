//! Looking at the cycles of a recording: events of some, what was last before one or comes next.

pub(crate) mod finder;
pub(crate) mod follow;
pub(crate) mod search;
pub(crate) mod suspects;
pub(crate) mod window;
