//! What a translated store keeps of what it overwrites: one entry of the undo log.

use cp2_emu::state::Quad;
use std::mem::offset_of;

/// Bytes of an entry.
pub(crate) const ENTRY: usize = size_of::<Entry>();
/// Where in an entry the place stands.
pub(crate) const PLACE: usize = offset_of!(Entry, place);

/// One overwritten access.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Entry {
    pub(crate) words: [Quad; 2],
    /// Address of the first word; one more if there is only one.
    pub(crate) place: u64,
}
