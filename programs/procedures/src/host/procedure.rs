//! The kinds of procedures, and how their operations are counted. Their cost is in `cost`.

/// Returns the operations of a transform, as \[D\] counts them: 5 N log2 N.
pub fn operations(points: usize) -> u64 {
    5 * points as u64 * u64::from(points.trailing_zeros())
}

/// A procedure, and the sizes on which its operations depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// FFTs.
    Transform {
        /// Points of a vector.
        points: usize,
    },
    /// Convolutions of vectors with one filter.
    Convolution {
        /// Points of the transforms, each of which holds a whole result.
        transform: usize,
    },
}

impl Procedure {
    /// Returns the points of the procedure's transforms.
    pub fn transform(self) -> usize {
        match self {
            Self::Transform { points } => points,
            Self::Convolution { transform } => transform,
        }
    }

    /// Returns the operations of a vector, as \[D\] counts them: those of its transforms.
    pub fn operations(self) -> u64 {
        match self {
            Self::Transform { points } => operations(points),
            Self::Convolution { transform } => 2 * operations(transform),
        }
    }
}
