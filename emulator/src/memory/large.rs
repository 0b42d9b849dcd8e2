//! Pieces of a large array, side by side in a map of huge pages of the native machine, which zeroes a page when it is written
//! first; a thread can do that before the page is needed.

use super::PIECE;
use memmap2::MmapMut;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Number of bytes of the longest map. A large array has several, so that one that is needed early does not wait for all.
pub(super) const LONGEST: usize = 1 << 24;

/// Number of bytes of the smallest page of a native machine: when one is written, all of it is zeroed, or of a larger one
/// around it.
const NATIVE_PAGE: usize = 1 << 12;

/// Pieces side by side in one map of the native machine.
#[derive(Debug)]
pub(super) struct Large {
    pieces: Range<usize>,
    /// Bytes of the pieces; `None` before the first write.
    bytes: Option<MmapMut>,
    ahead: Arc<Mutex<Ahead>>,
}

/// State of a map that may be made before it is needed.
#[derive(Debug)]
enum Ahead {
    NotYet,
    Made(MmapMut),
    /// The map is needed now, or was: a thread makes it no more.
    TooLate,
}

/// Maps zeros for so many pieces; nothing if the native machine has no space.
fn map(pieces: usize) -> Option<MmapMut> {
    let bytes = MmapMut::map_anon(pieces * PIECE).ok()?;
    // Without them it is slower, no more.
    #[cfg(target_os = "linux")]
    bytes.advise(memmap2::Advice::HugePage).ok();
    Some(bytes)
}

/// Makes a map, with all its pages, before it is needed.
fn make(ahead: &Mutex<Ahead>, pieces: usize) {
    let lock = || ahead.lock().unwrap_or_else(PoisonError::into_inner);
    if !matches!(*lock(), Ahead::NotYet) {
        return;
    }
    let Some(mut bytes) = map(pieces) else { return };
    bytes.iter_mut().step_by(NATIVE_PAGE).for_each(|first| *first = 0);
    let mut ahead = lock();
    if let Ahead::NotYet = *ahead {
        *ahead = Ahead::Made(bytes);
    }
}

impl Large {
    /// Creates an array of these pieces, none of which was written.
    pub(super) fn new(pieces: Range<usize>) -> Self {
        Self { pieces, bytes: None, ahead: Arc::new(Mutex::new(Ahead::NotYet)) }
    }

    /// Maps the bytes, if they are not; false if the native machine has no space.
    pub(super) fn open(&mut self) -> bool {
        if self.bytes.is_none() {
            let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
            self.bytes = match std::mem::replace(&mut *ahead, Ahead::TooLate) {
                Ahead::Made(bytes) => Some(bytes),
                Ahead::NotYet | Ahead::TooLate => map(self.pieces.len()),
            };
        }
        self.bytes.is_some()
    }

    /// Returns the range of the bytes of a piece.
    fn range(&self, number: usize) -> Range<usize> {
        let at = (number - self.pieces.start) * PIECE;
        at..at + PIECE
    }

    /// Returns the bytes of a piece, if there are any.
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        self.bytes.as_ref().map(|bytes| &bytes[self.range(number)])
    }

    /// Returns the bytes of a piece for writing, if there are any.
    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut [u8]> {
        let range = self.range(number);
        self.bytes.as_mut().map(|bytes| &mut bytes[range])
    }
}

/// Lets a thread of the native machine make the maps of the arrays that have none.
pub(super) fn prefault(large: &[Large]) {
    let wanted = large.iter().filter(|large| large.bytes.is_none());
    let wanted: Vec<_> = wanted.map(|large| (large.ahead.clone(), large.pieces.len())).collect();
    if wanted.is_empty() {
        return;
    }
    let make = move || {
        for (ahead, pieces) in wanted {
            // If the memory is gone, this is the only reference to the map.
            if Arc::strong_count(&ahead) > 1 {
                make(&ahead, pieces);
            }
        }
    };
    // Without a thread it is made when it is needed.
    thread::Builder::new().spawn(make).ok();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_map_that_was_made_ahead_is_taken_and_none_is_made_too_late() {
        let [mut early, mut late] = [Large::new(3..5), Large::new(5..9)];
        make(&early.ahead, 2);
        assert!(matches!(*early.ahead.lock().unwrap(), Ahead::Made(_)) && early.get(3).is_none());
        assert!(late.open());
        late.get_mut(8).unwrap()[PIECE - 1] = 7;
        make(&late.ahead, 4);
        for large in [&mut early, &mut late] {
            assert!(large.open());
            assert!(matches!(*large.ahead.lock().unwrap(), Ahead::TooLate));
        }
        assert_eq!((early.get(4).unwrap(), late.get(8).unwrap()[PIECE - 1]), (&[0; PIECE][..], 7));
    }

    #[test]
    fn a_thread_makes_all_maps() {
        let large = [0..1, 1..4, 4..5].map(Large::new);
        prefault(&large);
        let is_made = |large: &Large| matches!(*large.ahead.lock().unwrap(), Ahead::Made(_));
        let are_made = || {
            thread::sleep(Duration::from_millis(1));
            large.iter().all(is_made)
        };
        assert!((0..10_000).any(|_| are_made()));
    }
}
