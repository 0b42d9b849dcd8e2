//! Sliced and Framed ELLpack: matrices packed for devices.

use cp2_kernels::sparse::matrices::DoubleRows;
use rayon::prelude::*;

/// Matrix in Sliced ELLpack: slices of H rows, each as wide as its longest row, element k of row i of a slice at k H + i
/// behind the start of the slice.
#[derive(Clone, Debug, PartialEq)]
pub struct SlicedEll {
    /// Rows of a slice.
    pub h: usize,
    /// Start of each slice, and the length of the arrays at the end.
    pub starts: Vec<i32>,
    /// Column of each element; an added zero has the last column of its row, or 0 in an empty row.
    pub columns: Vec<i32>,
    /// Value of each element.
    pub values: Vec<f64>,
    /// Row that each packed row is; -1 for the empty rows that fill the last slice.
    pub rows: Vec<i32>,
}

/// Numbers of the entries of one row.
fn row(matrix: &DoubleRows, r: usize) -> std::ops::Range<usize> {
    matrix.starts[r]..matrix.starts[r + 1]
}

/// Packs the rows of a slice of `h` rows into its columns and values, which are zero.
fn slice(
    matrix: &DoubleRows,
    h: usize,
    rows: &[usize],
    (columns, values): (&mut [i32], &mut [f64]),
) {
    for (i, &r) in rows.iter().enumerate() {
        let entries = row(matrix, r);
        let last = entries.clone().last().map_or(0, |last| matrix.columns[last] as i32);
        for (k, at) in (i..columns.len()).step_by(h).enumerate() {
            let entry = entries.start + k;
            if entry < entries.end {
                columns[at] = matrix.columns[entry] as i32;
                values[at] = matrix.values[entry];
            } else {
                columns[at] = last;
            }
        }
    }
}

impl SlicedEll {
    /// Packs a matrix into slices of `h` rows. Within windows of `window` rows the longest come first; with a window of 1 rows
    /// stay in their order, as the format is published.
    ///
    /// # Errors
    /// The arrays are longer than places are numbered on devices; the error is their length.
    pub fn new(matrix: &DoubleRows, h: usize, window: usize) -> Result<Self, usize> {
        let n = matrix.starts.len() - 1;
        let mut order: Vec<usize> = (0..n).collect();
        for rows in order.chunks_mut(window.max(1)) {
            rows.sort_by_key(|&r| std::cmp::Reverse(row(matrix, r).len()));
        }
        let slices: Vec<&[usize]> = order.chunks(h).collect();
        let width = |rows: &&[usize]| rows.iter().map(|&r| row(matrix, r).len()).max().unwrap_or(0);
        let lengths: Vec<usize> = slices.iter().map(|rows| h * width(rows)).collect();
        let length: usize = lengths.iter().sum();
        if i32::try_from(length).is_err() {
            return Err(length);
        }
        let mut packed = Self {
            h,
            starts: vec![0],
            columns: vec![0; length],
            values: vec![0.0; length],
            rows: order.iter().map(|&r| r as i32).collect(),
        };
        packed.rows.resize(slices.len() * h, -1);
        let (mut columns, mut values) = (&mut packed.columns[..], &mut packed.values[..]);
        let mut apart = Vec::with_capacity(slices.len());
        let mut start = 0;
        for (rows, &length) in slices.iter().zip(&lengths) {
            let (of_slice, rest) = columns.split_at_mut(length);
            columns = rest;
            let (values_of_slice, rest) = values.split_at_mut(length);
            values = rest;
            apart.push((*rows, of_slice, values_of_slice));
            start += length;
            packed.starts.push(start as i32);
        }
        apart.into_par_iter().with_min_len(1 << 8).for_each(|(rows, columns, values)| {
            slice(matrix, h, rows, (columns, values));
        });
        Ok(packed)
    }

    /// Returns the product with a vector, by plain loops over the packed arrays.
    pub fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (slice, ends) in self.starts.windows(2).enumerate() {
            for at in ends[0]..ends[1] {
                let i = (at - ends[0]) as usize % self.h;
                if let Some(sum) = y.get_mut(self.rows[slice * self.h + i] as usize) {
                    *sum += self.values[at as usize] * x[self.columns[at as usize] as usize];
                }
            }
        }
        y
    }
}

/// Matrix in Framed ELLpack: bands of H rows and frames of W columns; each block with an entry is packed as a slice, others are
/// left out. Blocks stand band by band.
#[derive(Clone, Debug, PartialEq)]
pub struct FramedEll {
    /// Rows of a band.
    pub h: usize,
    /// Columns of a frame.
    pub w: usize,
    /// First block of each band, and the number of blocks at the end.
    pub bands: Vec<i32>,
    /// Frame of each block.
    pub frames: Vec<i32>,
    /// Start of each block, and the length of the arrays at the end.
    pub starts: Vec<i32>,
    /// Column of each element within its frame.
    pub columns: Vec<i32>,
    /// Value of each element.
    pub values: Vec<f64>,
    /// Row that each packed row is; -1 for the empty rows that fill the last band.
    pub rows: Vec<i32>,
}

impl FramedEll {
    /// Packs a matrix into blocks of `h` rows and `w` columns.
    ///
    /// # Errors
    /// The arrays are longer than places are numbered on devices; the error is a length that is too large.
    pub fn new(matrix: &DoubleRows, h: usize, w: usize) -> Result<Self, usize> {
        let n = matrix.starts.len() - 1;
        let firsts: Vec<usize> = (0..n).step_by(h).collect();
        let apart = firsts.par_chunks(1 << 8).map(|firsts| Self::bands(matrix, (h, w), firsts));
        let mut packed = Self::empty(h, w);
        for part in apart.collect::<Vec<_>>() {
            let [length, blocks] = [packed.values.len(), packed.frames.len()];
            if i32::try_from(length + part.values.len()).is_err() {
                return Err(length + part.values.len());
            }
            packed.bands.extend(part.bands[1..].iter().map(|band| band + blocks as i32));
            packed.starts.extend(part.starts[1..].iter().map(|start| start + length as i32));
            packed.frames.extend(part.frames);
            packed.columns.extend(part.columns);
            packed.values.extend(part.values);
        }
        packed.rows = (0..n as i32).collect();
        packed.rows.resize(n.next_multiple_of(h), -1);
        Ok(packed)
    }

    fn empty(h: usize, w: usize) -> Self {
        let (columns, values, rows) = (Vec::new(), Vec::new(), Vec::new());
        let (bands, frames, starts) = (vec![0], Vec::new(), vec![0]);
        Self { h, w, bands, frames, starts, columns, values, rows }
    }

    /// Packs the bands that begin with these rows, fewer than 2^31 elements of them.
    fn bands(matrix: &DoubleRows, (h, w): (usize, usize), firsts: &[usize]) -> Self {
        let n = matrix.starts.len() - 1;
        let mut packed = Self::empty(h, w);
        // Next entry of each row of a band.
        let mut next = vec![0; h];
        for &first in firsts {
            let count = h.min(n - first);
            (0..count).for_each(|i| next[i] = matrix.starts[first + i]);
            loop {
                let open = (0..count).filter(|&i| next[i] < matrix.starts[first + i + 1]);
                let Some(frame) = open.map(|i| matrix.columns[next[i]] as usize / w).min() else {
                    break;
                };
                packed.block(matrix, first, frame, &mut next[..count]);
                packed.frames.push(frame as i32);
                packed.starts.push(packed.values.len() as i32);
            }
            packed.bands.push(packed.frames.len() as i32);
        }
        packed
    }

    /// Packs the entries of a band that are in a frame, and moves on behind them.
    fn block(&mut self, matrix: &DoubleRows, first: usize, frame: usize, next: &mut [usize]) {
        let end = |i: usize, next: usize| {
            let rest = &matrix.columns[next..matrix.starts[first + i + 1]];
            next + rest.partition_point(|&column| (column as usize) < (frame + 1) * self.w)
        };
        let ends: Vec<usize> = next.iter().enumerate().map(|(i, &from)| end(i, from)).collect();
        let width = next.iter().zip(&ends).map(|(from, end)| end - from).max().unwrap_or(0);
        for k in 0..width {
            let of_rows = next.iter().zip(&ends).map(|(&from, &end)| from..end);
            for entries in of_rows.chain(std::iter::repeat(0..0)).take(self.h) {
                let entry = entries.clone().nth(k);
                let column = entry
                    .or(entries.last())
                    .map_or(0, |e| matrix.columns[e] as usize - frame * self.w);
                self.columns.push(column as i32);
                self.values.push(entry.map_or(0.0, |e| matrix.values[e]));
            }
        }
        next.copy_from_slice(&ends);
    }

    /// Returns the product with a vector, by plain loops over the packed arrays.
    pub fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (band, blocks) in self.bands.windows(2).enumerate() {
            for block in blocks[0] as usize..blocks[1] as usize {
                for at in self.starts[block]..self.starts[block + 1] {
                    let i = (at - self.starts[block]) as usize % self.h;
                    if let Some(sum) = y.get_mut(self.rows[band * self.h + i] as usize) {
                        let column = self.frames[block] as usize * self.w
                            + self.columns[at as usize] as usize;
                        *sum += self.values[at as usize] * x[column];
                    }
                }
            }
        }
        y
    }
}
