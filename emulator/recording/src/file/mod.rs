//! The file of a recording: chunks and header, packed values and pages, and how much memory a damaged file may ask for.

pub(crate) mod format;
pub(crate) mod packing;
pub(crate) mod page;
pub(crate) mod room;
pub(crate) mod version;
