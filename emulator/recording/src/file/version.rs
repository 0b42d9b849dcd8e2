//! The version of the format of recordings.

/// Version of the format of recordings that is written, and the only one that is read.
pub const VERSION: u32 = 7;
