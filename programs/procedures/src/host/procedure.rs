//! The kinds of procedures whose operations \[D\] counts by transforms, and these counts. The cost of procedures is in
//! `cost`.

/// Returns the number of floating-point operations of a transform of N points, a power of two, as the published source
/// \[D\] counts them: 5 N log2 N.
pub fn operations(points: usize) -> u64 {
    5 * points as u64 * u64::from(points.trailing_zeros())
}

/// Procedure whose operations the published source \[D\] counts by its transforms, with the size on which they depend:
/// FFTs or convolutions of many vectors. Other procedures count theirs in other ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// FFTs of vectors.
    Transform {
        /// Number of points of a vector.
        points: usize,
    },
    /// Convolutions of vectors with one filter: of each vector, a transform there and one back.
    Convolution {
        /// Number of points of the transforms, each of which holds a whole result.
        transform: usize,
    },
}

impl Procedure {
    /// Returns the number of points of one transform of the procedure: of an FFT those of its vectors, of a convolution
    /// those of the transforms of which it is composed, which hold a whole result.
    pub fn transform(self) -> usize {
        match self {
            Self::Transform { points } => points,
            Self::Convolution { transform } => transform,
        }
    }

    /// Returns the number of floating-point operations for one vector as the published source \[D\] counts them: those
    /// of its transforms, one for FFTs and two for convolutions.
    pub fn operations(self) -> u64 {
        match self {
            Self::Transform { points } => operations(points),
            Self::Convolution { transform } => 2 * operations(transform),
        }
    }
}
