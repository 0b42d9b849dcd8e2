//! What is in the file of a recording: chunks and header, packed values and pages, how much memory a damaged one may ask for.

pub(crate) mod format;
pub(crate) mod packing;
pub(crate) mod page;
pub(crate) mod room;
pub(crate) mod version;
