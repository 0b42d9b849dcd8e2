//! Pipes: what is written at one end is read at the other. There is one process, so nobody else does either.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

/// Bytes that a pipe takes.
pub(super) const ROOM: usize = 1 << 16;
/// Bytes that are written together or not at all.
const TOGETHER: usize = 4096;

/// An end of a pipe, which is open as long as it is kept.
pub(super) struct PipeEnd {
    bytes: Rc<RefCell<VecDeque<u8>>>,
    pub(super) is_writer: bool,
    _open: Rc<()>,
    other: Weak<()>,
}

/// Creates a pipe: the end to read from, and the end to write to.
pub(super) fn pair() -> (PipeEnd, PipeEnd) {
    let bytes = Rc::new(RefCell::new(VecDeque::new()));
    let (reader, writer) = (Rc::new(()), Rc::new(()));
    let others = (Rc::downgrade(&writer), Rc::downgrade(&reader));
    (
        PipeEnd { bytes: bytes.clone(), is_writer: false, _open: reader, other: others.0 },
        PipeEnd { bytes, is_writer: true, _open: writer, other: others.1 },
    )
}

impl PipeEnd {
    /// Whether the other end is closed.
    pub(super) fn is_alone(&self) -> bool {
        self.other.strong_count() == 0
    }

    /// Number of bytes that wait to be read.
    pub(super) fn waiting(&self) -> usize {
        self.bytes.borrow().len()
    }

    /// Whether a write of few bytes has room.
    pub(super) fn has_room(&self) -> bool {
        ROOM - self.waiting() >= TOGETHER
    }

    /// Takes up to `most` bytes; none are there if the pipe is empty and somebody may still write.
    pub(super) fn take(&self, most: usize) -> Option<Vec<u8>> {
        let mut bytes = self.bytes.borrow_mut();
        if bytes.is_empty() && !self.is_alone() {
            return None;
        }
        let most = most.min(bytes.len());
        Some(bytes.drain(..most).collect())
    }

    /// Puts bytes into the pipe, as many as it takes, which may be none; returns how many.
    pub(super) fn put(&self, new: &[u8]) -> usize {
        let mut bytes = self.bytes.borrow_mut();
        let room = ROOM - bytes.len();
        if room < new.len() && new.len() <= TOGETHER {
            return 0;
        }
        let n = new.len().min(room);
        bytes.extend(&new[..n]);
        n
    }
}
