//! The bytes of a memory in pieces: copies share those that neither of them writes to; those of a large array
//! stand side by side in huge pages of the native machine, for as long as nothing is shared.

use super::PIECE;
use super::large::{self, Large};
use std::ops::Range;
use std::sync::Arc;

/// Number of bytes from which on an array stands in pages of the native machine's largest size: a few of them.
const LARGE: usize = 1 << 22;

/// Content of a piece.
#[derive(Clone, Debug)]
enum Content {
    /// Zeros: the piece was never written. When it is written, its bytes will be in the large pieces of this number, if there
    /// is one.
    Zeros(Option<usize>),
    Shared(Arc<[u8]>),
    /// Bytes in large pieces, by number.
    InLarge(usize),
}

/// Pieces of a memory.
#[derive(Debug)]
pub(super) struct Pieces {
    all: Vec<Content>,
    large: Vec<Large>,
    /// Bytes of pieces that were cleared, whose room the next pieces take that are written.
    spare: Vec<Arc<[u8]>>,
}

impl Clone for Pieces {
    fn clone(&self) -> Self {
        let content = |number: usize| match &self.all[number] {
            Content::InLarge(_) | Content::Zeros(_) => {
                self.get(number).map_or(Content::Zeros(None), shared)
            }
            Content::Shared(bytes) => Content::Shared(bytes.clone()),
        };
        let all = (0..self.all.len()).map(content).collect();
        Self { all, large: Vec::new(), spare: Vec::new() }
    }
}

/// Copies a piece, if it is not all 0.
fn shared(bytes: &[u8]) -> Content {
    if is_zero(bytes) { Content::Zeros(None) } else { Content::Shared(bytes.into()) }
}

/// Returns the bytes of a piece that is 0, in the room of another one if there is one that nobody shares.
fn zeros(room: Option<Arc<[u8]>>) -> Arc<[u8]> {
    let mut room = room.unwrap_or_default();
    match Arc::get_mut(&mut room).filter(|bytes| bytes.len() == PIECE) {
        Some(bytes) => bytes.fill(0),
        None => room = std::iter::repeat_n(0, PIECE).collect(),
    }
    room
}

/// Whether all bytes are 0: many at a time, which a native machine does at once.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    let (lines, rest) = bytes.as_chunks::<64>();
    lines.iter().all(|line| *line == [0; 64]) && rest.iter().all(|&byte| byte == 0)
}

impl Pieces {
    /// Returns so many pieces of zeros.
    pub(super) fn new(pieces: usize) -> Self {
        Self { all: vec![Content::Zeros(None); pieces], large: Vec::new(), spare: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns a piece; nothing if it was never written.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        match self.all.get(number)? {
            Content::Zeros(_) => None,
            Content::Shared(bytes) => Some(bytes),
            &Content::InLarge(large) => self.large[large].get(number),
        }
    }

    /// Returns a piece for writing: copies of the memory keep what it was.
    #[inline]
    pub(super) fn own(&mut self, number: usize) -> &mut [u8] {
        let content = &mut self.all[number];
        if let &mut Content::Zeros(expected) = content {
            *content = match expected.filter(|&large| self.large[large].open()) {
                Some(large) => Content::InLarge(large),
                None => Content::Shared(zeros(self.spare.pop())),
            };
        }
        match content {
            Content::Shared(bytes) => Arc::make_mut(bytes),
            &mut Content::InLarge(large) => self.large[large].get_mut(number).unwrap_or_default(),
            Content::Zeros(_) => &mut [],
        }
    }

    /// Returns a piece as a value that keeps its content; nothing if it was never written.
    pub(super) fn keep(&self, number: usize) -> Option<Arc<[u8]>> {
        match self.all.get(number)? {
            Content::Shared(bytes) => Some(bytes.clone()),
            _ => self.get(number).map(Arc::from),
        }
    }

    /// Prepares for all of an array to be written: its pieces have their places in huge pages, if they are many and none was
    /// written.
    pub(super) fn expect(&mut self, array: Range<usize>) {
        let pieces = array.start.div_ceil(PIECE)..(array.end / PIECE).min(self.all.len());
        let is_new = |content: &Content| matches!(content, Content::Zeros(None));
        if pieces.len() * PIECE < LARGE || !self.all[pieces.clone()].iter().all(is_new) {
            return;
        }
        for first in pieces.clone().step_by(large::LONGEST / PIECE) {
            let part = first..pieces.end.min(first + large::LONGEST / PIECE);
            self.all[part.clone()].fill(Content::Zeros(Some(self.large.len())));
            self.large.push(Large::new(part));
        }
    }

    /// Lets a thread of the native machine make the expected maps, because to zero them takes long.
    pub(super) fn prefault(&self) {
        large::prefault(&self.large);
    }

    /// Sets all bytes to 0. The room of pieces that no copy shares is kept for those that are written next.
    pub(super) fn clear(&mut self) {
        let own = |content: &mut Content| match std::mem::replace(content, Content::Zeros(None)) {
            Content::Shared(mut bytes) => Arc::get_mut(&mut bytes).is_some().then_some(bytes),
            Content::Zeros(_) | Content::InLarge(_) => None,
        };
        self.spare.extend(self.all.iter_mut().filter_map(own));
        self.large.clear();
    }

    /// Gives each piece bytes of its own, which copies can share.
    pub(super) fn part(&mut self) {
        if !self.large.is_empty() {
            *self = self.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn a_large_array_holds_what_it_would_in_pieces() {
        let mut pieces = Pieces::new(2 * LARGE / PIECE);
        pieces.own(0)[7] = 1;
        // The first piece is not the array's as a whole.
        pieces.expect(100..LARGE + PIECE + 100);
        assert!(matches!(pieces.all[1], Content::Zeros(Some(0))));
        assert!(matches!(pieces.all[LARGE / PIECE + 1], Content::Zeros(None)));
        let last = LARGE / PIECE;
        (pieces.own(1)[0], pieces.own(last)[PIECE - 1]) = (2, 3);
        assert!(matches!(pieces.all[1], Content::InLarge(0)));
        assert!(pieces.get(2).is_none(), "it was never written");
        let copy = pieces.clone();
        pieces.own(1)[0] = 4;
        assert_eq!(
            [1, 4, 3],
            [
                pieces.get(0).unwrap()[7],
                pieces.get(1).unwrap()[0],
                pieces.get(last).unwrap()[PIECE - 1]
            ]
        );
        assert_eq!(
            [1, 2, 3],
            [copy.get(0).unwrap()[7], copy.get(1).unwrap()[0], copy.get(last).unwrap()[PIECE - 1]]
        );
        assert!(copy.get(2).is_none(), "zeros take space in a copy");
        let kept = pieces.keep(1).unwrap();
        pieces.part();
        assert!(pieces.large.is_empty() && pieces.get(1).unwrap() == &*kept);
    }

    #[test]
    fn a_memory_that_was_cleared_is_zero_and_its_copies_are_not() {
        let mut pieces = Pieces::new(8);
        (pieces.own(2)[5], pieces.own(4)[6]) = (1, 2);
        let copy = pieces.clone();
        pieces.own(4)[7] = 3;
        let room = pieces.get(4).unwrap().as_ptr();
        pieces.clear();
        assert!((0..8).all(|number| pieces.get(number).is_none()));
        assert_eq!(
            (copy.get(2).unwrap()[5], copy.get(4).unwrap()[..8][6..].to_vec()),
            (1, vec![2, 0])
        );
        pieces.own(7)[0] = 9;
        assert_eq!(pieces.get(7).unwrap().as_ptr(), room);
        assert!(pieces.get(7).unwrap()[0] == 9 && is_zero(&pieces.get(7).unwrap()[1..]));
    }

    #[test]
    fn what_is_small_or_written_stays_in_pieces() {
        let mut pieces = Pieces::new(2 * LARGE / PIECE);
        pieces.expect(0..LARGE - 1);
        assert!(pieces.large.is_empty());
        pieces.own(3)[0] = 1;
        pieces.expect(0..LARGE);
        assert!(pieces.large.is_empty() && pieces.get(3).unwrap()[0] == 1);
        pieces.expect(0..LARGE * 2);
        pieces.expect(4 * PIECE..LARGE + 4 * PIECE);
        assert_eq!(pieces.large.len(), 1);
    }
}
