//! The bytes of a memory in pieces: copies share those that neither of them writes to; those of a large array
//! stand side by side in huge pages of the host, for as long as nothing is shared.

use memmap2::MmapMut;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of one piece. Pieces that were never written read as 0 and take no space; copies of a memory
/// share a piece until one of them writes to it.
pub const PIECE: usize = 1 << 16;

/// Bytes from which on an array stands in pages of the host's largest size: a few of them.
const LARGE: usize = 1 << 22;

/// Pieces side by side.
#[derive(Debug)]
struct Large {
    first: usize,
    bytes: MmapMut,
}

impl Large {
    /// Zeros for so many pieces; nothing if the host has no space.
    fn new(Range { start, end }: Range<usize>) -> Option<Self> {
        let bytes = MmapMut::map_anon((end - start) * PIECE).ok()?;
        // Without them it is slower, no more.
        #[cfg(target_os = "linux")]
        bytes.advise(memmap2::Advice::HugePage).ok();
        Some(Self { first: start, bytes })
    }

    fn range(&self, number: usize) -> Range<usize> {
        let at = (number - self.first) * PIECE;
        at..at + PIECE
    }
}

/// Where the bytes of a piece are.
#[derive(Clone, Debug)]
enum Content {
    /// They are all 0.
    Zeros,
    Shared(Arc<[u8]>),
    /// In large pieces, by number.
    InLarge(usize),
}

/// All pieces of a memory.
#[derive(Debug)]
pub(super) struct Pieces {
    all: Vec<Content>,
    large: Vec<Large>,
}

impl Clone for Pieces {
    fn clone(&self) -> Self {
        let content = |number: usize| match &self.all[number] {
            Content::InLarge(_) => self.get(number).map_or(Content::Zeros, shared),
            content => content.clone(),
        };
        Self { all: (0..self.all.len()).map(content).collect(), large: Vec::new() }
    }
}

/// A copy of a piece, if it is not all 0.
fn shared(bytes: &[u8]) -> Content {
    if is_zero(bytes) { Content::Zeros } else { Content::Shared(bytes.into()) }
}

/// Whether all bytes are 0: many at a time, which a host does at once.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    let (lines, rest) = bytes.as_chunks::<64>();
    lines.iter().all(|line| *line == [0; 64]) && rest.iter().all(|&byte| byte == 0)
}

impl Pieces {
    /// So many pieces of zeros.
    pub(super) fn new(pieces: usize) -> Self {
        Self { all: vec![Content::Zeros; pieces], large: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// A piece; nothing if it was never written.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        match self.all.get(number)? {
            Content::Zeros => None,
            Content::Shared(bytes) => Some(bytes),
            &Content::InLarge(large) => {
                let large = &self.large[large];
                Some(&large.bytes[large.range(number)])
            }
        }
    }

    /// A piece that is to be written: copies of the memory keep what it was.
    #[inline]
    pub(super) fn own(&mut self, number: usize) -> &mut [u8] {
        let content = &mut self.all[number];
        if let &mut Content::InLarge(large) = content {
            let large = &mut self.large[large];
            let range = large.range(number);
            return &mut large.bytes[range];
        }
        if let Content::Zeros = content {
            *content = Content::Shared(std::iter::repeat_n(0, PIECE).collect());
        }
        match content {
            Content::Shared(bytes) => Arc::make_mut(bytes),
            _ => &mut [],
        }
    }

    /// A piece for somebody who keeps it as it is now; nothing if it was never written.
    pub(super) fn keep(&self, number: usize) -> Option<Arc<[u8]>> {
        match self.all.get(number)? {
            Content::Shared(bytes) => Some(bytes.clone()),
            _ => self.get(number).map(Arc::from),
        }
    }

    /// All of an array will be written: those of its pieces that never were are put into huge pages, if they are many.
    pub(super) fn expect(&mut self, array: Range<usize>) {
        let pieces = array.start.div_ceil(PIECE)..(array.end / PIECE).min(self.all.len());
        let is_new = |content: &Content| matches!(content, Content::Zeros);
        if pieces.len() * PIECE < LARGE || !self.all[pieces.clone()].iter().all(is_new) {
            return;
        }
        if let Some(large) = Large::new(pieces.clone()) {
            self.all[pieces].fill(Content::InLarge(self.large.len()));
            self.large.push(large);
        }
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
        assert!(matches!(pieces.all[1], Content::InLarge(0)));
        assert!(matches!(pieces.all[LARGE / PIECE + 1], Content::Zeros));
        let last = LARGE / PIECE;
        (pieces.own(1)[0], pieces.own(last)[PIECE - 1]) = (2, 3);
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
