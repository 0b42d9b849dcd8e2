//! What the devices that share a grid exchange: the points at the ends of a block along each axis that is cut, as pairs of faces
//! with the edges and corners beside them, and the blocks of a level that one device gathers.

use super::block::{GridRegion, LevelPart};
use super::operators::GridOperators;
use crate::kernels::FACES;
use cp2_gpu::GpuArgument::{Doubles, Int};
use cp2_gpu::{GpuBuffer, GpuError, GpuEvent};
use std::ops::Range;

/// Most devices that share a grid: each axis is cut in two at most.
pub const MOST_DEVICES: usize = 8;

/// Bit of an axis in the number of a device and in sets of axes. The third axis is cut first.
const fn bit(axis: usize) -> usize {
    4 >> axis
}

/// Points of a block along the first and second axis that are computed ahead of the inner ones; along the third, one.
const AHEAD: [usize; 3] = [8, 8, 1];

/// Pair of faces, with the edges and corners that go with it, as it is packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FacePair {
    /// Axis that the faces are normal to.
    pub(super) axis: usize,
    /// Places of the packed points.
    pub(super) places: Range<usize>,
    /// Points by the set of axes at whose ends they are: the set, which added to the number of a device without carries is that
    /// of the neighbour, and their places.
    pub(super) sets: Vec<(usize, Range<usize>)>,
}

/// Returns the part of each of `devices` devices, 2, 4 or 8, of a level of `n` points along each axis.
pub(super) fn shared(n: usize, devices: usize) -> LevelPart {
    let cuts = [0, 1, 2].map(|axis| devices > bit(axis));
    LevelPart { sizes: cuts.map(|is_cut| if is_cut { n / 2 } else { n }), cuts }
}

/// Returns the device that has a point of the whole level, and the point's place among those of the device.
pub(super) fn owner(part: LevelPart, point: [usize; 3]) -> (usize, [usize; 3]) {
    let half = |axis: usize| bit(axis) * (point[axis] / part.sizes[axis]);
    (half(0) + half(1) + half(2), [0, 1, 2].map(|axis| point[axis] % part.sizes[axis]))
}

/// Returns the pairs of faces of a part, in the order in which they are packed.
pub(super) fn pairs(part: LevelPart) -> Vec<FacePair> {
    let all = (0..3).filter(|&axis| part.cuts[axis]).fold(0, |all, axis| all | bit(axis));
    let mut at = 0;
    let pair = |axis: usize| {
        let begin = at;
        let of_pair =
            (1..8_usize).filter(|set| set & all == *set && set & set.wrapping_neg() == bit(axis));
        let sets = of_pair.map(|set| {
            let along = |axis: usize| if set & bit(axis) != 0 { 2 } else { part.sizes[axis] };
            let first = at;
            at += along(0) * along(1) * along(2);
            (set, first..at)
        });
        let sets = sets.collect();
        FacePair { axis, places: begin..at, sets }
    };
    (0..3).rev().filter(|&axis| part.cuts[axis]).map(pair).collect()
}

/// Returns the regions at the ends of a block that are computed first, two for each pair of faces, and the inner region. A
/// block that is too small for it is none.
pub(super) fn ends(part: LevelPart) -> Option<(Vec<[GridRegion; 2]>, GridRegion)> {
    let mut rest = part.region();
    let mut found = Vec::new();
    for axis in (0..3).rev().filter(|&axis| part.cuts[axis]) {
        if part.sizes[axis] < 4 * AHEAD[axis] {
            return None;
        }
        let (mut low, mut high) = (rest, rest);
        rest.first[axis] += AHEAD[axis];
        rest.end[axis] -= AHEAD[axis];
        low.end[axis] = rest.first[axis];
        high.first[axis] = rest.end[axis];
        found.push([low, high]);
    }
    Some((found, rest))
}

/// Packs the own points of a pair of a block.
pub(super) fn pack(
    operators: &GridOperators,
    part: LevelPart,
    pair: &FacePair,
    [block, packed]: [&GpuBuffer<f64>; 2],
) -> Result<GpuEvent, GpuError> {
    faces(operators, (part, 1), pair, [block, packed])
}

/// Puts the packed points of the neighbours beside those of a block.
pub(super) fn unpack(
    operators: &GridOperators,
    part: LevelPart,
    pair: &FacePair,
    [block, packed]: [&GpuBuffer<f64>; 2],
) -> Result<GpuEvent, GpuError> {
    faces(operators, (part, 0), pair, [block, packed])
}

fn faces(
    operators: &GridOperators,
    (part, packs): (LevelPart, usize),
    pair: &FacePair,
    [block, packed]: [&GpuBuffer<f64>; 2],
) -> Result<GpuEvent, GpuError> {
    let defined = &[("PACKS", packs), ("PAIR_OF", bit(pair.axis))];
    let rest = [Int(pair.places.start as i32), Doubles(block), Doubles(packed)];
    operators.share_out((FACES, "faces"), part, (defined, pair.places.len()), &rest)
}

/// Makes a whole level of the blocks of all devices, which stand one behind the other.
pub(super) fn gather(
    operators: &GridOperators,
    part: LevelPart,
    points: usize,
    [blocks, whole]: [&GpuBuffer<f64>; 2],
) -> Result<GpuEvent, GpuError> {
    let defined = &[("GATHERS", 1)];
    let arrays = [Doubles(blocks), Doubles(whole)];
    operators.share_out((FACES, "gather"), part, (defined, points), &arrays)
}

/// Makes the blocks of all devices, with the points of the neighbours, of a whole level.
pub(super) fn deal(
    operators: &GridOperators,
    part: LevelPart,
    devices: usize,
    [whole, blocks]: [&GpuBuffer<f64>; 2],
) -> Result<GpuEvent, GpuError> {
    let defined = &[("GATHERS", 1)];
    let arrays = [Doubles(whole), Doubles(blocks)];
    operators.share_out((FACES, "deal"), part, (defined, devices * part.points()), &arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_halved_axis_by_axis_from_the_third_on() {
        assert_eq!(shared(256, 2).sizes, [256, 256, 128]);
        assert_eq!(shared(256, 4).sizes, [256, 128, 128]);
        assert_eq!(shared(256, 8).sizes, [128, 128, 128]);
        assert_eq!(owner(shared(256, 4), [200, 130, 5]), (2, [200, 2, 5]));
        assert_eq!(owner(shared(256, 8), [200, 130, 128]), (7, [72, 2, 0]));
    }

    #[test]
    fn every_point_beside_a_block_travels_once() {
        for devices in [2, 4, 8] {
            let part = shared(16, devices);
            let beside: usize =
                [0, 1, 2].map(|a| part.sizes[a] + 2 * usize::from(part.cuts[a])).iter().product();
            let own: usize = part.sizes.iter().product();
            let pairs = pairs(part);
            assert_eq!(pairs.len(), devices.trailing_zeros() as usize);
            assert_eq!(pairs.last().map(|pair| pair.places.end), Some(beside - own), "{pairs:?}");
            let mut at = 0;
            for (_, places) in pairs.iter().flat_map(|pair| &pair.sets) {
                assert_eq!(places.start, at);
                at = places.end;
            }
        }
    }

    #[test]
    fn ends_and_inner_points_are_the_whole_block() {
        let part = shared(64, 8);
        let (ends, inner) = ends(part).unwrap_or_default();
        let count = |region: &GridRegion| region.sizes().iter().product::<usize>();
        let all: usize = ends.iter().flatten().map(count).sum::<usize>() + count(&inner);
        assert_eq!(all, 32 * 32 * 32);
        assert_eq!(inner.sizes(), [16, 16, 30]);
        assert!(super::ends(shared(32, 8)).is_none() && super::ends(shared(32, 2)).is_some());
    }
}
