//! Blocks of levels: which points a device has, where they are in its memory, and regions of them.

/// Part of a level that a device has: all of it, or a block with points of the neighbours beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelPart {
    /// Points of the device along each axis, powers of two.
    pub sizes: [usize; 3],
    /// Whether an axis is cut among devices; another one wraps around.
    pub cuts: [bool; 3],
}

/// Numbers in front of and behind the own points along each axis that is cut: a point of the neighbour, which along the first
/// axis is padded so that own points stay aligned.
const BESIDE: [usize; 3] = [4, 1, 1];

/// Points of a part from `first` to before `end` along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridRegion {
    /// First point along each axis.
    pub first: [usize; 3],
    /// Point behind the last one along each axis.
    pub end: [usize; 3],
}

impl GridRegion {
    /// Returns the number of points along each axis.
    pub fn sizes(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.end[axis] - self.first[axis])
    }
}

impl LevelPart {
    /// Returns a whole level of `n` points along each axis.
    pub fn whole(n: usize) -> Self {
        Self { sizes: [n; 3], cuts: [false; 3] }
    }

    /// Returns whether the device has the whole level.
    pub fn is_whole(&self) -> bool {
        self.cuts == [false; 3]
    }

    /// Returns the part of the level with half as many points along each axis.
    #[must_use]
    pub fn coarser(&self) -> Self {
        Self { sizes: self.sizes.map(|n| n / 2), cuts: self.cuts }
    }

    /// Returns the numbers of a row, of a layer and of all that an array of the part has in memory.
    pub fn extents(&self) -> [usize; 3] {
        let along =
            |axis: usize| self.sizes[axis] + 2 * BESIDE[axis] * usize::from(self.cuts[axis]);
        let row = along(0);
        [row, row * along(1), row * along(1) * along(2)]
    }

    /// Returns the numbers that an array of the part has in memory.
    pub fn points(&self) -> usize {
        self.extents()[2]
    }

    /// Returns the place in memory of a point of the device.
    pub fn place(&self, point: [usize; 3]) -> usize {
        let at = |axis: usize| point[axis] + BESIDE[axis] * usize::from(self.cuts[axis]);
        let [row, layer, _] = self.extents();
        at(2) * layer + at(1) * row + at(0)
    }

    /// Returns all points of the device.
    pub fn region(&self) -> GridRegion {
        GridRegion { first: [0; 3], end: self.sizes }
    }

    /// Returns what kernels are built for: which axes are cut.
    pub fn defined(&self) -> [(&'static str, usize); 3] {
        let [x, y, z] = self.cuts.map(usize::from);
        [("CUT_X", x), ("CUT_Y", y), ("CUT_Z", z)]
    }
}
