//! Commands that look at runs and recordings.

pub(crate) mod debug;
pub(crate) mod diff;
pub(crate) mod path;
pub(crate) mod report;
pub(crate) mod stats;
pub(crate) mod trace;
pub(crate) mod view;
pub(crate) mod why;
