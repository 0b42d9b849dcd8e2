//! The version of the format.

/// Version of the format that is written, and the only one that is read.
pub const VERSION: u32 = 5;
