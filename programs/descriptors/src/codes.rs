//! The codes of what can be wrong in a file of descriptors and when it runs. What they mean is in the table of
//! all codes, `cp2_asm::codes`.

pub(super) const NO_TOML: &str = "C0701";
pub(super) const UNKNOWN: &str = "C0702";
pub(super) const WRONG_TYPE: &str = "C0703";
pub(super) const OUT_OF_RANGE: &str = "C0704";
pub(super) const MISSING: &str = "C0705";
pub(super) const NO_WORD: &str = "C0706";
pub(super) const NOT_WHOLE: &str = "C0707";
/// The channel stopped at a descriptor.
pub const FAULT: &str = "C0710";
/// The channel waits for `start_dma`, or goes on beyond the limit of cycles.
pub const ENDLESS: &str = "C0711";
