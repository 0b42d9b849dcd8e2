//! Words that the phases of each pass load and store, and their twiddle factors. What a phase does with them is in `phase`.

use super::phase::{Angles, Group, Pairs, SET, Shape, bit_reversed};
use super::schedule::Shared;
use super::text::{Units, Walk};

/// Pass over the points: the phases of a unit, and the walk from unit to unit.
pub(super) struct DataPass {
    /// The phases that work on one unit: a vector, or two where vectors are interleaved.
    pub(super) phases: Vec<Shape>,
    pub(super) walk: Walk,
    /// Whether bundles that phases have in common are shared, so that the kernel fits.
    pub(super) is_shared: bool,
    /// Whether the angles do not fit in registers; see [`DataPass::window`].
    pub(super) has_window: bool,
}

/// Layout of many vectors in local memory: element j of vector v lies at word j `stride` + v `pitch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of words of local memory from an element of a vector to the next.
    pub stride: usize,
    /// Number of words of local memory from the first element of a vector to that of the next vector.
    pub pitch: usize,
}

impl Layout {
    /// Creates the layout of vectors of `points` elements that lie one after the other.
    pub fn rows(points: usize) -> Self {
        Self { stride: 1, pitch: points }
    }

    /// Creates the layout of interleaved vectors: the columns of a matrix that lies row by row and has `stride`
    /// columns.
    pub fn columns(stride: usize) -> Self {
        Self { stride, pitch: 1 }
    }

    /// Returns both numbers as a part of names: stride, `x`, pitch, such as `1x64`.
    pub fn name(self) -> String {
        format!("{}x{}", self.stride, self.pitch)
    }

    /// Whether the vectors are interleaved: their stride is more than 1.
    pub fn is_columns(self) -> bool {
        self.stride > 1
    }

    /// Returns the number of vectors in each section that one pass of a kernel's loop transforms together: 2 if they
    /// are interleaved, else 1.
    pub fn vectors_per_unit(self) -> i64 {
        if self.is_columns() { 2 } else { 1 }
    }

    pub(super) fn word(self, element: i64, vector: i64) -> i64 {
        element * self.stride as i64 + vector * self.pitch as i64
    }
}

/// Cycles in which a phase sets what it shares with no other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Cycles of the phase in which angles are set; see [`Angles::Window`].
    pub(super) angles: &'static [i32],
    pub(super) shared: Shared,
}

/// Radix 16, two groups: between the settings of RIND and RSTEP.
const RADIX_16: Window =
    Window { angles: &[6, 8, 9, 10, 11, 12, 13, 16], shared: Shared { ret: 4, call: 17 } };
/// Radix 32: nothing is set between the first and the second substage.
const RADIX_32: Window = Window { angles: &[6, 7, 8, 9, 11], shared: Shared { ret: 4, call: 10 } };
/// Bundles that a phase has for itself where no angles are set.
const SHORT: Shared = Shared { ret: 4, call: 6 };

impl DataPass {
    /// Returns the window of the pass, if it has one.
    fn window(&self) -> Option<Window> {
        let radix = self.phases[0].radix;
        self.has_window.then_some(if radix == SET { RADIX_32 } else { RADIX_16 })
    }

    /// Returns the source of the angles of the pass.
    pub(super) fn angles(&self) -> Angles {
        self.window().map_or(Angles::OnTheSpot, |window| Angles::Window(window.angles))
    }

    /// Returns the cycles that the phases of the pass keep free for calls, if they share bundles.
    pub(super) fn shared(&self) -> Option<Shared> {
        self.is_shared.then(|| self.window().map_or(SHORT, |window| window.shared))
    }
}

fn range(n: usize) -> std::ops::Range<i64> {
    0..n as i64
}

/// Deals groups to phases.
pub(super) fn phases(
    radix: usize,
    groups: &[Group],
    of: Option<usize>,
    pairs: Pairs,
) -> Vec<Shape> {
    let of = of.map(|of| of as i64);
    groups
        .chunks(SET / radix)
        .map(|groups| Shape { radix, groups: groups.to_vec(), of, pairs, has_table: false })
        .collect()
}

/// Returns two passes, R1 x R2, out of place. Pass 1 makes, for every j < R2, the R1-point transform of x[R2 k + j]; pass 2,
/// for every p < R1, the R2-point transform of the p-th results, in place.
///
/// With `has_table` every result is multiplied by the word of a table that lies as the results lie.
pub(super) fn two_passes(
    radices: [usize; 2],
    [from, to]: [Layout; 2],
    has_table: bool,
) -> Vec<DataPass> {
    let [r1, r2] = radices;
    let vectors = from.vectors_per_unit();
    let mut first = Vec::new();
    for j in range(r2) {
        for v in 0..vectors {
            first.push(Group {
                loads: range(r1).map(|k| from.word(k * r2 as i64 + j, v)).collect(),
                stores: range(r1).map(|p| to.word(r1 as i64 * j + p, v)).collect(),
                p: 0,
            });
        }
    }
    let mut second: Vec<Group> = Vec::new();
    let group = |p: i64, v: i64| {
        let words: Vec<i64> = range(r2).map(|q| to.word(p + r1 as i64 * q, v)).collect();
        Group { loads: words.clone(), stores: words, p }
    };
    if to.is_columns() {
        second.extend(range(r1).flat_map(|p| (0..vectors).map(move |v| group(p, v))));
    } else {
        second.extend((0..vectors).flat_map(|v| range(r1).map(move |p| group(p, v))));
    }
    // In columns both groups of a pair must come out in the same registers, so RIND starts anew with
    // each group, at p = 0.
    let (of, pairs) =
        if to.is_columns() { (Some(1), Pairs::Groups) } else { (None, Pairs::Results) };
    let [load, store] = [from, to].map(|l| l.pitch as i64 * vectors);
    let mut second = phases(r2, &second, Some(r1), Pairs::Groups);
    second.iter_mut().for_each(|shape| shape.has_table = has_table);
    let pass = |phases, pitch, sets| DataPass {
        phases,
        walk: Walk { pitch, sets, units: Units::Given },
        is_shared: false,
        has_window: false,
    };
    vec![
        pass(phases(r1, &first, of, pairs), [load, store, 0], [0, 1, 0]),
        pass(second, [store; 3], [2, 3, 4]),
    ]
}

/// Returns three passes, R1 x R2 x R3, out of place, for vectors one after the other. A point c + R3 b + R3 R2 a lies after
/// pass 1 at a' + R1 b + R1 R2 c; from then on the passes are in place.
pub(super) fn three_passes(radices: [usize; 3]) -> Vec<DataPass> {
    let [r1, r2, r3] = radices;
    let [n1, n2, n3] = radices.map(|r| r as i64);
    let mut first = Vec::new();
    let together = SET / r1;
    for block in (0..n3).step_by(together) {
        for b in 0..n2 {
            first.extend((block..block + together as i64).map(|c| Group {
                loads: range(r1).map(|a| c + n3 * b + n3 * n2 * a).collect(),
                stores: range(r1).map(|a| a + n1 * b + n1 * n2 * c).collect(),
                p: 0,
            }));
        }
    }
    let in_place = |words: Vec<i64>, p| Group { loads: words.clone(), stores: words, p };
    let mut second = Vec::new();
    for c in 0..n3 {
        second.extend(
            (0..n1).map(|a| in_place(range(r2).map(|b| a + n1 * b + n1 * n2 * c).collect(), a)),
        );
    }
    let third: Vec<Group> =
        (0..n1 * n2).map(|p| in_place(range(r3).map(|c| p + n1 * n2 * c).collect(), p)).collect();
    let passes = [
        (phases(r1, &first, None, Pairs::Results), true),
        // Radix 8 with twiddle factors has no exchange slot left for calls.
        (phases(r2, &second, Some(r1), Pairs::Groups), r2 > 8),
        (phases(r3, &third, Some(r1 * r2), Pairs::Groups), true),
    ];
    finish(passes, n1 * n2 * n3, Units::Given, [[0, 1, 0], [2, 3, 0], [4, 5, 0]])
}

/// Returns three passes over R1 x 16 x 16 points in place, R1 = 16 or 32. Point c + 16 b + 256 a; `c0` is the lowest bit of
/// c, `k0`, `k1` and so on are the bits of the result's number. Pass 1 exchanges c0 (word bit 0) with k0 (the highest word
/// bit), and each digit comes out bit-reversed. So result k lies where the bits of k between the lowest and the highest are
/// reversed.
///
/// Points of radix 32 go word by word, so the exchange takes stores alone: those of an even c reach into the
/// words of the next, whose points are loaded by then.
pub(super) fn three_passes_in_place(r1: usize) -> Vec<DataPass> {
    let points = 256 * r1 as i64;
    let reversed = |k: i64, count: usize| bit_reversed(k as usize, count) as i64;
    // Word of digit a' (or c, whose lowest bit takes the place of k0's) next to the other digits.
    let top = |a: i64| (a & 1) | reversed(a >> 1, r1 / 2) << 8;
    let low = |c: i64| (c & 14) | ((c & 1) * (points / 2));
    let mut first = Vec::new();
    for b in 0..16 {
        first.extend((0..16).map(|c| Group {
            loads: range(r1).map(|a| c + 16 * b + 256 * a).collect(),
            stores: range(r1).map(|a| top(a) + 16 * b + low(c)).collect(),
            p: 0,
        }));
    }
    let mut second = Vec::new();
    for c in 0..16 {
        second.extend(range(r1).map(|a| Group {
            loads: (0..16).map(|b| top(a) + 16 * b + low(c)).collect(),
            stores: (0..16).map(|b| top(a) + 16 * reversed(b, 16) + low(c)).collect(),
            p: a,
        }));
    }
    let n1 = r1 as i64;
    let third: Vec<Group> = (0..16 * n1)
        .map(|p| {
            let at = top(p % n1) + 16 * reversed(p / n1, 16);
            // The lower bits of c' reversed at word bits 3, 2, 1; the highest at the top.
            let last = |k: i64| (reversed(k, 16) & 14) | ((k >> 3) * (points / 2));
            Group {
                loads: (0..16).map(|c| at + low(c)).collect(),
                stores: (0..16).map(|k| at + last(k)).collect(),
                p,
            }
        })
        .collect();
    // A group that fills the registers has no neighbour to change places with.
    let (of, pairs) = if r1 == SET { (Some(1), Pairs::Groups) } else { (None, Pairs::Results) };
    let passes = [
        (phases(r1, &first, of, pairs), true),
        (phases(16, &second, Some(r1), Pairs::Groups), true),
        (phases(16, &third, Some(16 * r1), Pairs::Groups), true),
    ];
    finish(passes, points, Units::One, [[0, 1, 0], [2, 3, 0], [4, 5, 0]])
}

/// Returns three passes over 32 x 16 x 32 points in place, point c + 32 b + 512 a, with two address sets for each stream.
/// Each digit comes out bit-reversed in its own place, so that the lowest bit of a' is the highest of the word. Pass 3
/// exchanges that bit with the highest bit of c', which is the lowest of the word, by its stores: those of an even a' reach
/// into the words of the next group, whose points are loaded by then. So results lie as those of [`three_passes_in_place`].
///
/// The groups of a pass follow each other in the order of their words. So all phases step alike, and those of pass 1, which
/// have no angles of their own, are a loop.
pub(super) fn three_passes_in_halves() -> Vec<DataPass> {
    let reversed = |k: i64, count: usize| bit_reversed(k as usize, count) as i64;
    let first: Vec<Group> = (0..2)
        .map(|low| Group {
            loads: range(32).map(|a| low + 512 * a).collect(),
            stores: range(32).map(|a| low + 512 * reversed(a, 32)).collect(),
            p: 0,
        })
        .collect();
    let mut second = Vec::new();
    for c in (0..32).step_by(2) {
        second.extend((0..32).flat_map(|top| [c, c + 1].map(|c| (512 * top + c, top))).map(
            |(at, top)| Group {
                loads: range(16).map(|b| at + 32 * b).collect(),
                stores: range(16).map(|b| at + 32 * reversed(b, 16)).collect(),
                p: reversed(top, 32),
            },
        ));
    }
    let third: Vec<Group> = (0..256)
        .flat_map(|middle| [0, 1].map(|odd| (32 * middle, odd, odd + 2 * reversed(middle, 256))))
        .map(|(at, odd, p)| Group {
            loads: range(32).map(|c| at + 8192 * odd + c).collect(),
            stores: range(32)
                .map(|k| reversed(k, 32))
                .map(|c| at + 8192 * (c & 1) + (c & 30) + odd)
                .collect(),
            p,
        })
        .collect();
    let passes = [
        (phases(32, &first, Some(1), Pairs::Groups), false),
        (phases(16, &second, Some(32), Pairs::Groups), true),
        (phases(32, &third, Some(512), Pairs::Points), true),
    ];
    let mut passes = finish(passes, 16384, Units::One, [[0, 2, 0], [4, 6, 0], [8, 10, 0]]);
    passes[0].walk = Walk { pitch: [2; 3], units: Units::Fixed(256), ..passes[0].walk };
    passes
}

fn finish(
    passes: [(Vec<Shape>, bool); 3],
    points: i64,
    units: Units,
    sets: [[usize; 3]; 3],
) -> Vec<DataPass> {
    let walk = |sets| Walk { pitch: [points; 3], sets, units };
    passes
        .into_iter()
        .zip(sets)
        .enumerate()
        .map(|(i, ((phases, is_shared), sets))| DataPass {
            phases,
            walk: walk(sets),
            is_shared,
            has_window: i == 2,
        })
        .collect()
}
