//! System memory: bytes at physical addresses, big-endian. It has no notion of time.

use super::PIECE;
use super::pieces::{Pieces, is_zero};
use cp2_isa::{Bytes, MemoryAddress};
use prefetch_index::prefetch_index;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a page of [`SystemMemory`], 4096: the unit in which it marks what was read and written
/// ([`SystemMemory::keep_marks`]). A piece of [`PIECE`] bytes has 16 pages.
pub const PAGE: usize = 1 << 12;
/// Number of bytes of a line of the native machine's caches, or less.
const LINE: usize = 64;
/// Number of bytes that the native machine's caches are asked for at once; they find by themselves that what is behind
/// them is wanted too.
const LONGEST_PREFETCH: usize = 512;
/// Number of bytes of a beat.
const BEAT: usize = super::BEAT_BYTES as usize;

/// System memory: the bytes that the DMA channel and the host share. Words are big-endian. The bytes are stored in
/// pieces of [`PIECE`] bytes.
#[derive(Clone, Debug)]
pub struct SystemMemory {
    size: Bytes,
    pieces: Pieces,
    /// Marks of used pages by piece, if they are kept.
    marks: Option<Box<[Marks]>>,
    /// Pages that were written, if they are kept beside the marks.
    written: Option<Written>,
}

/// Pages that were written since they were taken last.
#[derive(Clone, Debug)]
struct Written {
    /// Pages of each piece, one bit each.
    pages: Box<[u16]>,
    /// Numbers of the pieces that have a written page, so that not all memory is looked at every few cycles.
    pieces: Vec<usize>,
}

impl Written {
    fn mark(&mut self, piece: usize, pages: u16) {
        let all = &mut self.pages[piece];
        if *all == 0 && pages != 0 {
            self.pieces.push(piece);
        }
        *all |= pages;
    }

    fn take(&mut self) -> Vec<(usize, u16)> {
        self.pieces.sort_unstable();
        let pages = &mut self.pages;
        self.pieces.drain(..).map(|piece| (piece, std::mem::take(&mut pages[piece]))).collect()
    }
}

/// Pages of one piece of [`SystemMemory`] that were read or written: bit k stands for page k of the piece, [`PAGE`]
/// bytes each. [`SystemMemory::take_marks`] returns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Pages that the DMA channel has read or written, or that the host has written.
    pub touched: u16,
    /// Pages that the DMA channel or the host has written.
    pub written: u16,
}

/// Error of an access to [`SystemMemory`] that does not lie in it as a whole. Nothing has been read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideMemory {
    /// Address of the first byte of the access.
    pub address: MemoryAddress,
    /// Number of bytes that the access was to read or write.
    pub len: Bytes,
    /// Size of the memory in bytes; addresses begin at 0.
    pub size: Bytes,
}

impl fmt::Display for OutsideMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} bytes at address {:#x} are outside system memory, which ends before {:#x}",
            self.len,
            self.address,
            MemoryAddress::FIRST + self.size
        )
    }
}

impl std::error::Error for OutsideMemory {}

/// Returns a beat as the two words that it is in local memory.
pub(crate) fn words_of(beat: [u8; BEAT]) -> [u64; 2] {
    let value = u128::from_be_bytes(beat);
    [(value >> 64) as u64, value as u64]
}

/// Returns two words of local memory as a beat.
pub(crate) fn bytes_of([first, second]: [u64; 2]) -> [u8; BEAT] {
    (u128::from(first) << 64 | u128::from(second)).to_be_bytes()
}

/// Memories are equal if their sizes and bytes are, whichever of them were ever written.
impl PartialEq for SystemMemory {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |piece: usize| match (self.pieces.get(piece), other.pieces.get(piece)) {
            (Some(a), Some(b)) => a == b,
            (Some(piece), None) | (None, Some(piece)) => is_zero(piece),
            (None, None) => true,
        };
        self.size == other.size && (0..self.pieces.len()).all(is_same)
    }
}

impl Eq for SystemMemory {}

/// Marks pages that an access of `len` bytes at `at`, within one piece, uses.
fn mark_pages(
    (marks, written): (&mut Option<Box<[Marks]>>, &mut Option<Written>),
    (at, len): (usize, usize),
    is_write: bool,
) {
    let (first, last) = (at % PIECE / PAGE, (at % PIECE + len.max(1) - 1) / PAGE);
    let pages = u16::MAX << first & u16::MAX >> (PIECE / PAGE - 1 - last);
    let of_write = if is_write { pages } else { 0 };
    if let Some(marks) = marks {
        marks[at / PIECE].touched |= pages;
        marks[at / PIECE].written |= of_write;
    }
    if let Some(all) = written {
        all.mark(at / PIECE, of_write);
    }
}

/// Piece that the channel writes to, which looks once whether it is shared.
pub(crate) struct Piece<'a> {
    number: usize,
    bytes: &'a mut [u8],
    marks: &'a mut Option<Box<[Marks]>>,
    written: &'a mut Option<Written>,
}

impl Piece<'_> {
    /// Whether an address is in the piece.
    #[inline]
    pub(crate) fn contains(&self, address: MemoryAddress) -> bool {
        address.index() / PIECE == self.number
    }

    /// Returns so many bytes of the piece from `address` on, for writing.
    #[inline]
    pub(crate) fn run(&mut self, address: MemoryAddress, len: usize) -> &mut [u8] {
        let at = address.index();
        if self.marks.is_some() || self.written.is_some() {
            mark_pages((self.marks, self.written), (at, len), true);
        }
        &mut self.bytes[at % PIECE..][..len]
    }
}

impl SystemMemory {
    /// Creates a memory of `size` bytes, all of which are 0. Addresses begin at 0.
    pub fn new(size: Bytes) -> Self {
        let pieces = size.index().div_ceil(PIECE);
        Self { size, pieces: Pieces::new(pieces), marks: None, written: None }
    }

    /// Returns the size of the system memory in bytes.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// Returns how many of the `most` bytes from `address` on lie in system memory; 0 if `address` is behind its end.
    pub fn available(&self, address: MemoryAddress, most: usize) -> usize {
        let end = MemoryAddress::FIRST + self.size;
        if address < end { most.min((end - address).index()) } else { 0 }
    }

    /// Begins to mark the pages, of [`PAGE`] bytes, that the DMA channel reads or writes or the host writes;
    /// [`SystemMemory::take_marks`] returns the marks.
    pub fn keep_marks(&mut self) {
        // A reader of the marks keeps pieces as they were.
        self.pieces.part();
        let none = || vec![Marks::default(); self.pieces.len()].into_boxed_slice();
        self.marks.get_or_insert_with(none);
    }

    /// Returns the marks of the pages that the DMA channel has read or written, or the host has written, since the last
    /// call, and clears them: the number of each piece (of [`PIECE`] bytes) with such a page, in rising order, and its
    /// marks. Empty if no marks are kept ([`SystemMemory::keep_marks`]).
    pub fn take_marks(&mut self) -> Vec<(usize, Marks)> {
        let marks = self.marks.iter_mut().flatten().enumerate();
        let used = marks.filter(|(_, marks)| marks.touched != 0);
        used.map(|(piece, marks)| (piece, std::mem::take(marks))).collect()
    }

    /// Begins to keep which pages, of [`PAGE`] bytes, the DMA channel or the host writes;
    /// [`SystemMemory::take_written`] returns them. Independent of the marks ([`SystemMemory::keep_marks`]).
    pub fn keep_written(&mut self) {
        let none = || vec![0; self.pieces.len()].into_boxed_slice();
        self.written.get_or_insert_with(|| Written { pages: none(), pieces: Vec::new() });
    }

    /// Returns the pages written since the last call, and forgets them: the number of each piece (of [`PIECE`] bytes)
    /// with a written page, in rising order, and one bit for each page of [`PAGE`] bytes, page 0 of the piece the
    /// lowest. Empty if none are kept ([`SystemMemory::keep_written`]).
    pub fn take_written(&mut self) -> Vec<(usize, u16)> {
        self.written.as_mut().map(Written::take).unwrap_or_default()
    }

    /// Marks pages that an access within one piece uses.
    #[inline]
    fn mark(&mut self, at: usize, len: usize, is_write: bool) {
        if self.marks.is_some() || self.written.is_some() {
            mark_pages((&mut self.marks, &mut self.written), (at, len), is_write);
        }
    }

    /// Returns the number and the bytes of each piece (of [`PIECE`] bytes) that was ever written, in rising order.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, &[u8])> {
        (0..self.pieces.len()).filter_map(|k| Some((k, self.pieces.get(k)?)))
    }

    /// Returns the bytes of a piece as they are now: piece k has the [`PIECE`] bytes from address k times [`PIECE`] on.
    /// `None` if it was never written. Later writes to the memory do not change the returned bytes.
    pub fn piece(&self, number: usize) -> Option<Arc<[u8]>> {
        self.pieces.keep(number)
    }

    /// Sets all bytes to 0 and forgets all marks. The room of what was written serves later writes, which is faster than a new
    /// memory.
    pub fn clear(&mut self) {
        self.pieces.clear();
        (self.marks, self.written) = (None, None);
    }

    /// Announces that all bytes of a range will be written soon. Changes nothing but the speed of these writes.
    pub fn expect(&mut self, range: Range<MemoryAddress>) {
        if self.marks.is_none() {
            self.pieces.expect(range.start.index()..range.end.index());
        }
    }

    /// Starts a thread that prepares memory of the native machine for the range which [`SystemMemory::expect`] has
    /// announced. Changes nothing but the speed of writes.
    pub fn prefault(&self) {
        self.pieces.prefault();
    }

    /// Checks that an access of `len` bytes from `address` on lies in memory as a whole.
    ///
    /// # Errors
    /// Some of the bytes lie outside memory.
    pub fn check(&self, address: MemoryAddress, len: usize) -> Result<(), OutsideMemory> {
        let len = Bytes(len as u64);
        match address.checked_add(len) {
            Some(end) if end <= MemoryAddress::FIRST + self.size => Ok(()),
            _ => Err(OutsideMemory { address, len, size: self.size }),
        }
    }

    /// Copies bytes of system memory, from `address` on, to `to`. The read is not marked as a use
    /// ([`SystemMemory::keep_marks`]).
    ///
    /// # Errors
    /// Some of the bytes lie outside memory; nothing is copied.
    pub fn read(&self, address: MemoryAddress, to: &mut [u8]) -> Result<(), OutsideMemory> {
        self.check(address, to.len())?;
        let (mut at, mut done) = (address.index(), 0);
        while done < to.len() {
            let n = (PIECE - at % PIECE).min(to.len() - done);
            let part = &mut to[done..done + n];
            match self.pieces.get(at / PIECE) {
                Some(piece) => part.copy_from_slice(&piece[at % PIECE..at % PIECE + n]),
                None => part.fill(0),
            }
            (at, done) = (at + n, done + n);
        }
        Ok(())
    }

    /// Writes `bytes` to system memory, from `address` on.
    ///
    /// # Errors
    /// Some of the bytes lie outside memory; nothing is written.
    pub fn write(&mut self, address: MemoryAddress, bytes: &[u8]) -> Result<(), OutsideMemory> {
        self.check(address, bytes.len())?;
        let (mut at, mut done) = (address.index(), 0);
        while done < bytes.len() {
            let n = (PIECE - at % PIECE).min(bytes.len() - done);
            self.mark(at, n, true);
            let part = &bytes[done..done + n];
            if self.pieces.get(at / PIECE).is_some() || !is_zero(part) {
                self.pieces.own(at / PIECE)[at % PIECE..][..n].copy_from_slice(part);
            }
            (at, done) = (at + n, done + n);
        }
        Ok(())
    }

    /// Returns the number of bytes from `address` to the end of its piece.
    pub(crate) fn to_piece_end(address: MemoryAddress) -> usize {
        PIECE - address.index() % PIECE
    }

    /// Reads bytes for the channel, whose reading is marked.
    pub(crate) fn fetch(
        &mut self,
        address: MemoryAddress,
        to: &mut [u8],
    ) -> Result<(), OutsideMemory> {
        self.read(address, to)?;
        let (mut at, end) = (address.index(), address.index() + to.len());
        while at < end {
            let n = (PIECE - at % PIECE).min(end - at);
            self.mark(at, n, false);
            at += n;
        }
        Ok(())
    }

    /// Returns bytes of one piece from `address` on, all in memory, for the channel; `None` if they were never written.
    pub(crate) fn run(&mut self, address: MemoryAddress, len: usize) -> Option<&[u8]> {
        let at = address.index();
        self.mark(at, len, false);
        self.pieces.get(at / PIECE).map(|piece| &piece[at % PIECE..][..len])
    }

    /// Lets the native machine's caches fetch bytes in memory, or the first of them, which nothing waits for.
    #[inline]
    pub(crate) fn prefetch(&self, address: MemoryAddress, len: usize) {
        let at = address.index();
        let Some(piece) = self.pieces.get(at / PIECE) else { return };
        let first = at % PIECE;
        let last = first + len.clamp(1, LONGEST_PREFETCH) - 1;
        (first / LINE..=last / LINE).for_each(|line| prefetch_index(piece, line * LINE));
    }

    /// Returns the piece of an address in memory, for writing.
    pub(crate) fn piece_at(&mut self, address: MemoryAddress) -> Piece<'_> {
        let number = address.index() / PIECE;
        let Self { pieces, marks, written, .. } = self;
        Piece { number, bytes: pieces.own(number), marks, written }
    }

    /// Returns the two 64-bit words of the beat at `address`, for the channel.
    pub(crate) fn beat(&mut self, address: MemoryAddress) -> Result<[u64; 2], OutsideMemory> {
        let mut bytes = [0; BEAT];
        self.fetch(address, &mut bytes)?;
        Ok(words_of(bytes))
    }

    /// Returns the two 64-bit words of the beat at `address` without a mark, for an observer.
    pub(crate) fn peek(&self, address: MemoryAddress) -> Result<[u64; 2], OutsideMemory> {
        let mut bytes = [0; BEAT];
        self.read(address, &mut bytes)?;
        Ok(words_of(bytes))
    }

    /// Writes the two words of the beat at `address`.
    pub(crate) fn set_beat(
        &mut self,
        address: MemoryAddress,
        words: [u64; 2],
    ) -> Result<(), OutsideMemory> {
        self.write(address, &bytes_of(words))
    }

    /// Returns the 64-bit word at `address`, which need not be a multiple of 8; the byte there is the highest one.
    ///
    /// # Errors
    /// Some of its bytes lie outside memory.
    pub fn word(&self, address: MemoryAddress) -> Result<u64, OutsideMemory> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// Writes 64-bit words, each with its highest byte first, to consecutive addresses from `address` on.
    ///
    /// # Errors
    /// Some of the bytes lie outside memory; nothing is written.
    pub fn write_words(
        &mut self,
        address: MemoryAddress,
        words: &[u64],
    ) -> Result<(), OutsideMemory> {
        self.check(address, words.len() * 8)?;
        for (k, word) in words.iter().enumerate() {
            self.write(address.plus_words(k), &word.to_be_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_big_endian_and_cross_pieces() {
        let mut memory = SystemMemory::new(Bytes(3 * PIECE as u64));
        let at = PIECE as u64 - 3;
        memory.write_words(MemoryAddress(at), &[0x0102_0304_0506_0708]).unwrap();
        let mut bytes = [0; 10];
        memory.read(MemoryAddress(at - 1), &mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
        assert_eq!(memory.word(MemoryAddress(at)), Ok(0x0102_0304_0506_0708));
        assert_eq!(memory.word(MemoryAddress(2 * PIECE as u64)), Ok(0));
    }

    #[test]
    fn a_zero_that_was_written_equals_one_that_was_not() {
        let (untouched, mut written) =
            (SystemMemory::new(Bytes(1 << 20)), SystemMemory::new(Bytes(1 << 20)));
        written.write_words(MemoryAddress(0x3_0000), &[0]).unwrap();
        assert_eq!(written, untouched);
        assert_eq!(untouched, written);
        written.write_words(MemoryAddress(0x3_fff8), &[1]).unwrap();
        assert_ne!(written, untouched);
        assert_ne!(untouched, written);
        assert_ne!(SystemMemory::new(Bytes(1 << 21)), untouched);
    }

    #[test]
    fn zeros_need_no_piece_where_none_is() {
        let mut memory = SystemMemory::new(Bytes(4 * PIECE as u64));
        memory.write(MemoryAddress(10), &[0; 2 * PIECE]).unwrap();
        assert_eq!(memory.pieces().count(), 0);
        let last = |at: usize| [vec![0; at], vec![7]].concat();
        memory.write(MemoryAddress(PIECE as u64), &last(LINE)).unwrap();
        memory.write(MemoryAddress(2 * PIECE as u64), &last(LINE - 1)).unwrap();
        assert_eq!(memory.pieces().map(|(piece, _)| piece).collect::<Vec<_>>(), [1, 2]);
        memory.write(MemoryAddress(PIECE as u64 + LINE as u64 - 7), &[0; 8]).unwrap();
        assert_eq!(memory.word(MemoryAddress(PIECE as u64 + LINE as u64)), Ok(0));
    }

    #[test]
    fn an_access_past_the_end_changes_nothing_and_says_where() {
        let mut memory = SystemMemory::new(Bytes(100));
        let error = memory.write_words(MemoryAddress(88), &[1, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "16 bytes at address 0x58 are outside system memory, which ends before 0x64"
        );
        assert_eq!(memory.word(MemoryAddress(88)), Ok(0));
        assert!(memory.word(MemoryAddress(u64::MAX)).is_err());
    }

    #[test]
    fn marks_name_the_pages_that_were_used_since_the_last_look() {
        let mut memory = SystemMemory::new(Bytes(4 * PIECE as u64));
        memory.write_words(MemoryAddress(0), &[1]).unwrap();
        memory.keep_marks();
        assert_eq!(memory.take_marks(), []);
        memory.write(MemoryAddress(PIECE as u64 - 1), &[1, 2]).unwrap();
        memory.beat(MemoryAddress(3 * PAGE as u64)).unwrap();
        memory.read(MemoryAddress(2 * PIECE as u64), &mut [0; 100]).unwrap();
        let at = 3 * PIECE as u64 + PAGE as u64;
        memory.piece_at(MemoryAddress(at)).run(MemoryAddress(at), 2 * PAGE)[0] = 7;
        let marks = |touched, written| Marks { touched, written };
        let expected = [(0, marks(0x8008, 0x8000)), (1, marks(1, 1)), (3, marks(0b110, 0b110))];
        assert_eq!(memory.take_marks(), expected);
        assert_eq!(memory.take_marks(), []);
    }

    #[test]
    fn pages_written_are_told_once_and_in_order() {
        let mut memory = SystemMemory::new(Bytes(4 * PIECE as u64));
        memory.keep_written();
        memory.write(MemoryAddress(3 * PIECE as u64), &[1]).unwrap();
        memory.write(MemoryAddress(PIECE as u64 - 1), &[1, 2]).unwrap();
        memory.write(MemoryAddress(3 * PIECE as u64 + PAGE as u64), &[1]).unwrap();
        memory.read(MemoryAddress(2 * PIECE as u64), &mut [0; 100]).unwrap();
        assert_eq!(memory.take_written(), [(0, 0x8000), (1, 1), (3, 0b11)]);
        assert_eq!(memory.take_written(), []);
        memory.write(MemoryAddress(3 * PIECE as u64), &[1]).unwrap();
        assert_eq!(memory.take_written(), [(3, 1)]);
    }

    #[test]
    fn a_copy_keeps_what_it_had() {
        let mut memory = SystemMemory::new(Bytes(PIECE as u64));
        memory.write_words(MemoryAddress(8), &[5]).unwrap();
        let copy = memory.clone();
        memory.write_words(MemoryAddress(8), &[6]).unwrap();
        assert_eq!((copy.word(MemoryAddress(8)), memory.word(MemoryAddress(8))), (Ok(5), Ok(6)));
    }
}
