//! Layout of blocks in local memory, and the copies of the caller's arrays there and back. A word holds two points that
//! are neighbours along x, the first in the high half.

use super::sizes::Faces;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;

/// Size of a block of a grid: its points along x, y and z. The faces, which are the points around it, are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridBlock {
    /// Number of points of the block along x, the direction in which points are contiguous.
    pub n1: usize,
    /// Number of points of the block along y: rows of a plane.
    pub n2: usize,
    /// Number of points of the block along z: planes.
    pub n3: usize,
}

impl std::fmt::Display for GridBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.n1, self.n2, self.n3)
    }
}

impl GridBlock {
    /// Creates the size of a block of `n1` x `n2` x `n3` points along x, y and z.
    pub const fn new(n1: usize, n2: usize, n3: usize) -> Self {
        Self { n1, n2, n3 }
    }

    /// Returns the size of a block with twice as many points along each axis.
    pub const fn doubled(self) -> Self {
        Self::new(2 * self.n1, 2 * self.n2, 2 * self.n3)
    }

    /// Returns the size of a block with half as many points along each axis, rounded down.
    pub const fn halved(self) -> Self {
        Self::new(self.n1 / 2, self.n2 / 2, self.n3 / 2)
    }

    /// Returns the number of points of the block, without faces.
    pub const fn points(self) -> usize {
        self.n1 * self.n2 * self.n3
    }

    /// Returns the number of points of the block and of one more face on every side: (n1 + 2) (n2 + 2) (n3 + 2).
    pub const fn faced_points(self) -> usize {
        (self.n1 + 2) * (self.n2 + 2) * (self.n3 + 2)
    }

    /// Returns the number of words in local memory of a row of the block without faces: half its points along x, as a
    /// word holds two.
    pub const fn words(self) -> usize {
        self.n1 / 2
    }

    /// Returns the number of words in local memory of a row of the block with faces: a word of zeros, a word with the
    /// point before the row in its low half, the points of the row two to a word, a word with the point behind it in
    /// its high half, and a word of zeros.
    pub const fn row(self) -> usize {
        self.words() + 4
    }

    /// Returns the number of words in local memory of a plane of the block, along x and y, without faces.
    pub const fn plain_plane(self) -> usize {
        self.words() * self.n2
    }

    /// Returns the words of a plane with faces.
    pub(crate) const fn plane(self) -> usize {
        self.row() * (self.n2 + 2)
    }

    /// Returns the words of the block with faces.
    pub(super) const fn faced_words(self) -> usize {
        self.plane() * (self.n3 + 2)
    }

    /// Returns the words of the block without faces.
    pub(super) const fn plain_words(self) -> usize {
        self.plain_plane() * self.n3
    }
}

/// Returns the word that holds two floats.
pub(super) fn word(hi: f32, lo: f32) -> u64 {
    u64::from(hi.to_bits()) << 32 | u64::from(lo.to_bits())
}

fn hi(word: u64) -> f32 {
    f32::from_bits((word >> 32) as u32)
}

fn lo(word: u64) -> f32 {
    f32::from_bits(word as u32)
}

/// Copies four blocks with faces, (n1 + 2) x (n2 + 2) x (n3 + 2) points each, to the sections. Each goes into the corner of a
/// block of the size of `frame`, as far as its faces lie there.
pub(super) fn put_faced(
    lmem: &mut [Quad],
    (frame, faces): (GridBlock, Faces),
    block: GridBlock,
    points: &[f32],
) {
    let left_out = 1 - faces.before;
    for (section, points) in points.chunks(block.faced_points()).take(SECTIONS).enumerate() {
        for (row, points) in points.chunks(block.n1 + 2).enumerate() {
            let mut floats = vec![0.0; 3];
            floats.extend_from_slice(points);
            floats.extend([0.0; 3]);
            let (y, z) = (row % (block.n2 + 2), row / (block.n2 + 2));
            if y < left_out || z < left_out || y >= block.n2 + 1 + faces.behind {
                continue;
            }
            let start = (z - left_out) * faces.plane(frame) + (y - left_out) * frame.row();
            for (quad, pair) in lmem[start..].iter_mut().zip(floats.chunks_exact(2)) {
                quad[section] = word(pair[0], pair[1]);
            }
        }
    }
}

/// Returns the word of the first point of each row of a block without faces in the corner of a `frame`.
fn plain_rows(frame: GridBlock, block: GridBlock) -> impl Iterator<Item = usize> {
    (0..block.n2 * block.n3)
        .map(move |row| row / block.n2 * frame.plain_plane() + row % block.n2 * frame.words())
}

/// Copies four blocks without faces to the sections.
pub(super) fn put_plain(lmem: &mut [Quad], frame: GridBlock, block: GridBlock, points: &[f32]) {
    for (section, points) in points.chunks(block.points()).take(SECTIONS).enumerate() {
        for (start, points) in plain_rows(frame, block).zip(points.chunks(block.n1)) {
            for (quad, pair) in lmem[start..].iter_mut().zip(points.chunks_exact(2)) {
                quad[section] = word(pair[0], pair[1]);
            }
        }
    }
}

/// Returns the points of a block without faces, section by section.
pub(super) fn take_plain(lmem: &[Quad], frame: GridBlock, block: GridBlock) -> Vec<f32> {
    let words = |start: usize| &lmem[start..start + block.words()];
    (0..SECTIONS)
        .flat_map(|s| {
            plain_rows(frame, block)
                .flat_map(move |start| words(start).iter().flat_map(move |q| [hi(q[s]), lo(q[s])]))
        })
        .collect()
}

/// Returns the halves of the first `words` words, section by section.
pub(super) fn take_words(lmem: &[Quad], words: usize) -> Vec<f32> {
    let sections = 0..SECTIONS;
    sections
        .flat_map(|s| lmem[..words].iter().flat_map(move |quad| [hi(quad[s]), lo(quad[s])]))
        .collect()
}
