//! Sizes of the work-groups of grid kernels.

use super::block::{GridRegion, LevelPart};
use std::collections::BTreeMap;

/// Work-group of a grid kernel: a rectangle of `m1` x `m2` points of `depth` layers, `r` points below each other for each
/// work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupShape {
    /// Points of the rectangle along the first axis.
    pub m1: usize,
    /// Points of the rectangle along the second axis.
    pub m2: usize,
    /// Points of a layer that a work-item computes.
    pub r: usize,
    /// Layers that a work-group walks.
    pub depth: usize,
}

impl GroupShape {
    /// Returns the shape as it fits so many points along each axis: sides of the rectangle stay powers of two.
    pub fn fitted(self, [nx, ny, nz]: [usize; 3]) -> Self {
        let m2 = self.m2.min(ny.next_power_of_two());
        let m1 = self.m1.min(nx.next_power_of_two());
        Self { m1, m2, r: self.r.min(m2), depth: self.depth.min(nz) }
    }

    /// Returns the number of work-items.
    pub fn items(&self) -> usize {
        self.m1 * self.m2 / self.r
    }
}

/// Shapes of the work-groups by kernel and points along an axis of the (coarser) grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupShapes(pub BTreeMap<(String, usize), GroupShape>);

impl GroupShapes {
    /// Returns the shape for a kernel on a grid: that which was found for it, else one that serves everywhere.
    pub fn of(&self, kernel: &str, n: usize) -> GroupShape {
        let usual = GroupShape { m1: 32, m2: 8, r: 1, depth: 16.max(n / 16) };
        let found = self.0.get(&(kernel.to_owned(), n));
        found.copied().unwrap_or(usual).fitted([n; 3])
    }

    /// Returns the shape for a kernel on a region of a part of a level. Thin regions at the ends have shapes of their own, few,
    /// so that few kernels are built.
    pub fn on(&self, kernel: &str, part: LevelPart, region: GridRegion) -> GroupShape {
        let sizes = region.sizes();
        let usual = GroupShape { m1: 32, m2: 8, r: 1, depth: 16 };
        let is_thin = |axis: usize| sizes[axis] < 32 && sizes[axis] < part.sizes[axis];
        let shape = match [0, 1, 2].map(is_thin) {
            [false, false, false] => self.of(kernel, part.sizes[0]),
            [true, _, _] => GroupShape { m1: 8, m2: 32, ..usual },
            _ => usual,
        };
        shape.fitted(sizes)
    }
}
