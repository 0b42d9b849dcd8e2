//! Sizes of the work-groups of grid kernels.

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
    /// Returns the shape as it fits a grid of `n` points along each axis, a power of two.
    pub fn fitted(self, n: usize) -> Self {
        let m2 = self.m2.min(n);
        Self { m1: self.m1.min(n), m2, r: self.r.min(m2), depth: self.depth.min(n) }
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
        found.copied().unwrap_or(usual).fitted(n)
    }
}
