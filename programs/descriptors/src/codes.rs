//! The codes of diagnostics about `.hex` files of descriptors and about runs of chains; those about TOML files are in
//! `cp2_toml::codes`. Their explanations are in the table of all codes, `cp2_asm::codes`.

pub(super) const NO_WORD: &str = "C0706";
pub(super) const NOT_WHOLE: &str = "C0707";
/// Code of the diagnostic that the channel stopped at a descriptor with a fault.
pub const FAULT: &str = "C0710";
/// Code of the diagnostic that the run of a chain did not come to its end: the channel waits for `start_dma`, or the
/// run reached its limit of cycles.
pub const ENDLESS: &str = "C0711";
