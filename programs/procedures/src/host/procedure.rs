//! Which procedures there are, and how their operations are counted. What they cost is in `cost`.

/// Operations of a transform, as \[D\] counts them: 5 N log2 N.
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
    /// Convolutions of vectors with a filter of the same length.
    Convolution {
        /// Points of the transforms: twice those of a vector.
        transform: usize,
    },
}

impl Procedure {
    /// Points of its transforms.
    pub fn transform(self) -> usize {
        match self {
            Self::Transform { points } => points,
            Self::Convolution { transform } => transform,
        }
    }

    /// Operations of a vector, as \[D\] counts them: those of its transforms.
    pub fn operations(self) -> u64 {
        match self {
            Self::Transform { points } => operations(points),
            Self::Convolution { transform } => 2 * operations(transform),
        }
    }
}
