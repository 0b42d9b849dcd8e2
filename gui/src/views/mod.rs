//! The views, a file for each. A view is a function of the session; what it changes is a cursor, a selection, or the
//! cycles in view.

mod aligned;
pub(crate) mod bundles;
pub(crate) mod compare;
pub(crate) mod flows;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod parts;
pub(crate) mod plots;
pub(crate) mod registers;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod source;
mod stages;
pub(crate) mod start;
pub(crate) mod timeline;
pub(crate) mod values;
pub(crate) mod why;
