//! Rows of a matrix that share an operation, and places of the input vector, for formats in which eight rows use one
//! address: four sections, two halves of a register.

use super::run::pair;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use std::ops::Range;

/// Rows that one `psmadd` works on.
pub(super) const LANES: usize = 2 * SECTIONS;

/// Layout of the rows of a sparse matrix in row groups of eight, whose products one operation computes, for the formats
/// [`BlockMatrix`](super::BlockMatrix) and [`Direct`](super::Direct). The place of a row in its group is its *lane*, 0
/// to 7: lane p is section p / 2, and the high half of a register if p is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLayout {
    /// A group has eight neighbouring rows; each element of the vector fills both halves of a word in every section.
    Neighbours,
    /// Two groups have 16 neighbouring rows, four in each section, which make whole beats when the results leave local
    /// memory beat by beat. The vector lies as with [`Self::Neighbours`].
    Dealt,
    /// A group has rows an eighth of the matrix apart; in lane p the vector lies shifted by p eighths of its length, so
    /// that all eight rows find the elements near their diagonals at one address. The layout is for square banded
    /// matrices.
    Shifted,
}

/// Assignment of the rows of a sparse matrix to row groups and lanes, and of the elements of the input vector to words
/// of local memory, by a [`RowLayout`]. Conversions to [`BlockMatrix`](super::BlockMatrix) and
/// [`Direct`](super::Direct) make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Layout from which the row groups, the lanes and the words of the input vector follow.
    pub layout: RowLayout,
    rows: usize,
    columns: usize,
    /// Shifted: distance of the rows of a group.
    stride: usize,
    /// Shifted: address of the diagonal of row 0.
    lead: usize,
    words: usize,
}

impl Placement {
    /// Creates the placement of a matrix whose row groups come in slabs of `groups`, with addresses aligned to `align`.
    pub(super) fn new(matrix: &Csr, layout: RowLayout, groups: usize, align: usize) -> Self {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let stride = rows.div_ceil(LANES).next_multiple_of(groups);
        let mut placement = Self { layout, rows, columns, stride, lead: 0, words: 0 };
        let padded = |words: usize| words.next_multiple_of(align.max(2));
        if layout != RowLayout::Shifted {
            placement.words = padded(columns);
            return placement;
        }
        let (mut least, mut most) = (0, 0);
        for row in 0..rows {
            let shift = (row / stride * stride) as i64;
            for &(column, _) in matrix.row(row) {
                least = least.min(column as i64 - shift);
                most = most.max(column as i64 - shift);
            }
        }
        placement.lead = padded(-least as usize);
        placement.words = padded(placement.lead + most as usize + 1);
        placement
    }

    /// Returns the number of row groups, each of eight rows, into which the matrix is divided; the last ones may have
    /// fewer rows.
    pub fn groups(&self) -> usize {
        match self.layout {
            RowLayout::Neighbours => self.rows.div_ceil(LANES),
            RowLayout::Dealt => self.rows.div_ceil(2 * LANES) * 2,
            RowLayout::Shifted => self.stride,
        }
    }

    /// Returns the row of the matrix, from 0, in a lane, 0 to 7, of a row group; `None` if the group does not exist or
    /// has no row in this lane.
    pub fn row(&self, group: usize, lane: usize) -> Option<usize> {
        let row = match self.layout {
            RowLayout::Neighbours => group * LANES + lane,
            RowLayout::Dealt => group / 2 * 2 * LANES + lane / 2 * 4 + group % 2 * 2 + lane % 2,
            RowLayout::Shifted => lane * self.stride + group,
        };
        (row < self.rows && group < self.groups()).then_some(row)
    }

    /// Returns the rows of an even number of groups from this one on, if they are neighbours.
    pub(super) fn neighbours(&self, group: usize, groups: usize) -> Option<Range<usize>> {
        let are_neighbours = self.layout != RowLayout::Shifted && groups.is_multiple_of(2);
        are_neighbours.then_some(group * LANES..(group + groups) * LANES)
    }

    /// Returns the word address in local memory at which a lane, 0 to 7, finds the element of the vector for a column
    /// of the matrix, from 0. With [`RowLayout::Shifted`] only columns near the diagonals of the lane's rows have one;
    /// far from them the number means nothing.
    pub fn address(&self, lane: usize, column: usize) -> usize {
        match self.layout {
            RowLayout::Neighbours | RowLayout::Dealt => column,
            RowLayout::Shifted => column + self.lead - lane * self.stride,
        }
    }

    /// Returns the words of local memory in each section that the vector takes, from address 0 on.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Copies the shifted vector to address 0.
    pub(super) fn store_shifted(&self, x: &[f32], lmem: &mut [Quad]) {
        let element = |word: usize, lane: usize| {
            let column = (word + lane * self.stride).checked_sub(self.lead);
            column.and_then(|c| x.get(c)).map_or(0, |v| v.to_bits())
        };
        for (word, quad) in lmem[..self.words].iter_mut().enumerate() {
            for (s, value) in quad.iter_mut().enumerate() {
                *value = pair(element(word, 2 * s), element(word, 2 * s + 1));
            }
        }
    }

    /// Puts the vector where the kernel expects it; returns the cycles of spreading it.
    pub(super) fn prepare(
        &self,
        x: &[f32],
        machine: &mut super::run::Machine,
    ) -> Result<u64, KernelError> {
        cp2_session::sparse::check_vector(self.columns, x)?;
        match self.layout {
            RowLayout::Neighbours | RowLayout::Dealt => machine.spread(x, self.words),
            RowLayout::Shifted => {
                self.store_shifted(x, machine.lmem());
                Ok(0)
            }
        }
    }

    /// Returns the words of eight results of a group, one in each section.
    pub(super) fn results(&self, y: &[f32], group: usize) -> Quad {
        let bits = |lane: usize| self.row(group, lane).map_or(0, |r| y[r].to_bits());
        std::array::from_fn(|s| pair(bits(2 * s), bits(2 * s + 1)))
    }

    /// Takes the results of a group out of their words.
    pub(super) fn collect(&self, words: &Quad, group: usize, y: &mut [f32]) {
        for lane in 0..LANES {
            if let Some(row) = self.row(group, lane) {
                let word = words[lane / 2];
                y[row] =
                    f32::from_bits(if lane % 2 == 0 { (word >> 32) as u32 } else { word as u32 });
            }
        }
    }
}
