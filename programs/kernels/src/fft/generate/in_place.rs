//! Words that the phases of transforms in place load and store: all vectors of a page at once, rows or columns, results in
//! the order that the walks of the channel undo. What a phase does is in `phase`.

use super::phase::{Group, Pairs, SET, Shape, bit_reversed};
use super::plan::{DataPass, Layout, phases};
use super::text::{Units, Walk};

/// Order in which the results of an FFT in place ([`InPlace`]) lie in a vector in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Natural order: result k in the place of point k. Only columns of 8, 16 or 32 points have it.
    Natural,
    /// Bit-reversed order: result k in the place of the point whose number is k with its bits reversed. In a row, where
    /// results stay in pairs, the lowest bit keeps its place.
    Reversed,
    /// Bit-reversed order in which the lowest and the highest bit keep their places: for rows of 128 points, each half
    /// of which is a burst of the channel.
    ReversedInHalves,
}

/// Description of an FFT of many vectors in local memory whose results take the place of the points: its length, the
/// layout of the vectors, and the order of the results. [`Self::routine`] makes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlace {
    /// Number of complex points of a vector, one to a word.
    pub points: usize,
    /// Number of words from a point of a vector to its next point, for columns, which are interleaved vectors; the
    /// first points of neighbouring columns are neighbouring words. `None` for rows, whose points are contiguous.
    pub columns: Option<usize>,
    /// Order in which the results lie in their vector.
    pub order: Order,
}

/// Returns the radices of rows or of columns of `points` points.
fn radices(points: usize, is_row: bool) -> Option<&'static [usize]> {
    Some(match (points, is_row) {
        (8, false) => &[8],
        (16, false) => &[16],
        (32, false) => &[32],
        (32, true) => &[4, 8],
        (64, _) => &[8, 8],
        (128, _) => &[8, 16],
        (256, _) => &[16, 16],
        _ => return None,
    })
}

fn range(n: usize) -> std::ops::Range<i64> {
    0..n as i64
}

/// Creates a pass with address sets of its own, from `first` on.
fn data_pass(phases: Vec<Shape>, pitch: i64, first: usize) -> DataPass {
    let walk = Walk { pitch: [pitch; 3], sets: [first, first + 1, first], units: Units::Given };
    DataPass { phases, walk, is_shared: false, has_window: false }
}

impl InPlace {
    /// Returns the number of vectors that one pass of the routine's loop transforms together: as many as fill both
    /// register sets, and at least two columns.
    pub fn vectors_per_unit(&self) -> usize {
        let fill = 2 * SET / self.points.min(2 * SET);
        if self.columns.is_some() { fill.max(2) } else { fill }
    }

    /// Returns the point of its vector, from 0, in whose place in local memory result `k`, from 0, lies.
    pub fn place(&self, k: usize) -> usize {
        let points = self.points;
        match (self.order, self.columns) {
            (Order::Natural, _) => k,
            (Order::Reversed, Some(_)) => bit_reversed(k, points),
            (Order::Reversed, None) => (k & 1) | (2 * bit_reversed(k >> 1, points / 2)),
            (Order::ReversedInHalves, _) => {
                let half = points / 2;
                (k & half) | (k & 1) | (2 * bit_reversed((k & (half - 1)) >> 1, half / 2))
            }
        }
    }

    /// Returns the passes; none if there is no such transform.
    pub(super) fn passes(&self) -> Option<Vec<DataPass>> {
        let radices = radices(self.points, self.columns.is_none())?;
        match (self.columns, radices) {
            (Some(stride), &[r]) => Some(self.one_pass(r, stride)),
            (Some(stride), &[r1, r2]) if self.order == Order::Reversed => {
                Some(self.columns([r1, r2], stride))
            }
            (None, &[r1, r2]) if self.order != Order::Natural => Some(self.rows([r1, r2])),
            _ => None,
        }
    }

    /// Returns the pass over columns that fit a register set.
    fn one_pass(&self, r: usize, stride: usize) -> Vec<DataPass> {
        let layout = Layout::columns(stride);
        let at = |v| move |k: usize| layout.word(k as i64, v);
        let groups: Vec<_> = range(self.vectors_per_unit())
            .map(|v| Group {
                loads: (0..r).map(at(v)).collect(),
                stores: (0..r).map(|k| at(v)(self.place(k))).collect(),
                p: 0,
            })
            .collect();
        vec![data_pass(
            phases(r, &groups, Some(1), Pairs::Groups),
            self.vectors_per_unit() as i64,
            0,
        )]
    }

    /// Returns two passes over columns: point k R2 + j of column v, then result p in the place of k with its bits reversed,
    /// then result q in that of j.
    fn columns(&self, [r1, r2]: [usize; 2], stride: usize) -> Vec<DataPass> {
        let layout = Layout::columns(stride);
        let word = |high: usize, low: i64, v| layout.word((high * r2) as i64 + low, v);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (j, v) in range(r2).flat_map(|j| (0..2).map(move |v| (j, v))) {
            first.push(Group {
                loads: (0..r1).map(|k| word(k, j, v)).collect(),
                stores: (0..r1).map(|p| word(bit_reversed(p, r1), j, v)).collect(),
                p: 0,
            });
        }
        for (p, v) in (0..r1).flat_map(|p| (0..2).map(move |v| (p, v))) {
            let high = bit_reversed(p, r1);
            second.push(Group {
                loads: range(r2).map(|j| word(high, j, v)).collect(),
                stores: (0..r2).map(|q| word(high, bit_reversed(q, r2) as i64, v)).collect(),
                p: p as i64,
            });
        }
        vec![
            data_pass(phases(r1, &first, Some(1), Pairs::Groups), 2, 0),
            data_pass(phases(r2, &second, Some(r1), Pairs::Groups), 2, 2),
        ]
    }

    /// Returns two passes over rows. The first exchanges the lowest bits of j and p, so that both passes have neighbours to
    /// load and to store.
    fn rows(&self, [r1, r2]: [usize; 2]) -> Vec<DataPass> {
        let vectors = self.vectors_per_unit();
        // Where result p of group j lies between the passes: where result k = p of the vector will, with
        // the bits of j in the places of those of q.
        let between = |p: usize, j: usize| {
            let of_p = self.place(p);
            let free = self.place(r1 * (r2 - 1));
            // The place of bit 0 of j lies among the high bits, those of the others are their own.
            let top = free & !(r2 - 1);
            of_p | (if j & 1 == 1 { top } else { 0 }) | j & !1
        };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for v in 0..vectors {
            let at = |word: usize| (v * self.points + word) as i64;
            first.extend((0..r2).map(|j| Group {
                loads: (0..r1).map(|k| at(k * r2 + j)).collect(),
                stores: (0..r1).map(|p| at(between(p, j))).collect(),
                p: 0,
            }));
            second.extend((0..r1).map(|p| Group {
                loads: (0..r2).map(|j| at(between(p, j))).collect(),
                stores: (0..r2).map(|q| at(self.place(p + r1 * q))).collect(),
                p: p as i64,
            }));
        }
        let pitch = (vectors * self.points) as i64;
        vec![
            data_pass(phases(r1, &first, None, Pairs::Results), pitch, 0),
            data_pass(phases(r2, &second, Some(r1), Pairs::Groups), pitch, 2),
        ]
    }
}
