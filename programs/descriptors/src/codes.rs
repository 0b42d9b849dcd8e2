//! The codes of diagnostics about a file of descriptors and about its run. Their explanations are in the table of all
//! codes, `cp2_asm::codes`.

pub(super) const NO_TOML: &str = "C0701";
pub(super) const UNKNOWN: &str = "C0702";
pub(super) const WRONG_TYPE: &str = "C0703";
pub(super) const OUT_OF_RANGE: &str = "C0704";
pub(super) const MISSING: &str = "C0705";
pub(super) const NO_WORD: &str = "C0706";
pub(super) const NOT_WHOLE: &str = "C0707";
/// Code of the diagnostic that the channel stopped at a descriptor with a fault.
pub const FAULT: &str = "C0710";
/// Code of the diagnostic that the run of a chain did not come to its end: the channel waits for `start_dma`, or the
/// run reached its limit of cycles.
pub const ENDLESS: &str = "C0711";
