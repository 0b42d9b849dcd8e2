//! Entry of the undo log: what a translated store keeps of the words that it overwrites.

use cp2_emu::state::Quad;
use std::mem::offset_of;

/// Size of an entry in bytes.
pub(crate) const ENTRY: usize = size_of::<UndoEntry>();
/// Offset in an entry, in bytes, at which the place stands.
pub(crate) const PLACE: usize = offset_of!(UndoEntry, place);

/// Store to local memory whose old words are kept, so that it can be taken back.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct UndoEntry {
    pub(crate) words: [Quad; 2],
    /// Address of the first word on the native machine; one more if there is only one word.
    pub(crate) place: u64,
}
