//! Sets of integer points, and what the analysis asks of a library of them. The library itself is behind a trait, so that
//! another one can take its place.

mod library;
mod rows;

pub use library::IslLibrary;
pub use rows::{ConvexPart, PointSet};

use std::fmt;

/// An answer that a library of sets could not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetError(pub String);

/// Message of numbers that are beyond what is computed exactly.
const TOO_LARGE: &str = "a number is too large to be computed exactly";

impl SetError {
    /// Creates the answer that numbers are too large.
    pub(crate) fn too_large() -> Self {
        Self(TOO_LARGE.to_owned())
    }

    /// Whether numbers are too large, so that the nest is refused.
    pub(crate) fn is_too_large(&self) -> bool {
        self.0 == TOO_LARGE
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the library of integer sets gives no answer: {}", self.0)
    }
}

impl std::error::Error for SetError {}

/// Elements that instances of a statement use.
#[derive(Clone, Debug)]
pub struct ElementUse {
    /// Number of the statement.
    pub statement: usize,
    /// Instances of the statement, in its indices.
    pub domain: PointSet,
    /// Whether the element is written. An instance reads before it writes.
    pub is_write: bool,
    /// Number of the array.
    pub array: usize,
    /// Indices of the element: a row of coefficients of the statement's indices, the parameters and 1 for each.
    pub element: Vec<Vec<i64>>,
}

/// A question for the last instances that used an element before each instance that uses it.
#[derive(Clone, Debug, Default)]
pub struct LastUses {
    /// Uses before which others are looked for.
    pub sinks: Vec<ElementUse>,
    /// Uses of which the last one counts, and hides all before it.
    pub last: Vec<ElementUse>,
    /// Uses all of which count, back to the last of `hiding`.
    pub all: Vec<ElementUse>,
    /// Uses that hide those of `all` before them.
    pub hiding: Vec<ElementUse>,
    /// Place of each statement's instances in the order of the run: rows of coefficients, as many for each statement.
    pub order: Vec<Vec<Vec<i64>>>,
}

/// Instances of two statements of which one depends on the other.
#[derive(Clone, Debug)]
pub struct InstancePairs {
    /// Statement that comes first.
    pub source: usize,
    /// Statement that comes later.
    pub sink: usize,
    /// Pairs: the indices of the source, then those of the sink.
    pub pairs: PointSet,
}

/// Operations on sets of integer points. All of them are exact.
pub trait SetLibrary {
    /// Returns the set in as few convex parts as are found, without redundant conditions and empty parts.
    ///
    /// # Errors
    /// The library gives no answer; so it is with all operations.
    fn simplified(&self, set: &PointSet) -> Result<PointSet, SetError>;

    /// Returns the points of one set that another one does not have.
    ///
    /// # Errors
    /// The library gives no answer.
    fn difference(&self, set: &PointSet, minus: &PointSet) -> Result<PointSet, SetError>;

    /// Returns the set without `count` variables from `first` on: the points that have some value there.
    ///
    /// # Errors
    /// The library gives no answer.
    fn projected(&self, set: &PointSet, first: usize, count: usize) -> Result<PointSet, SetError>;

    /// Returns the equations that all points of a set fulfil: rows of coefficients of the variables, the parameters
    /// and 1.
    ///
    /// # Errors
    /// The library gives no answer.
    fn hull_equations(&self, set: &PointSet) -> Result<Vec<Vec<i64>>, SetError>;

    /// Returns conditions of a set that are enough where those of `known` hold.
    ///
    /// # Errors
    /// The library gives no answer.
    fn within(&self, set: &PointSet, known: &PointSet) -> Result<PointSet, SetError>;

    /// Returns a convex set around a set whose conditions are parallel to conditions of its parts.
    ///
    /// # Errors
    /// The library gives no answer.
    fn simple_hull(&self, set: &PointSet) -> Result<PointSet, SetError>;

    /// Returns the point of a set without parameters that comes first in the order of its variables; `None` if it is
    /// empty.
    ///
    /// # Errors
    /// The library gives no answer, or the set has no first point.
    fn first_point(&self, set: &PointSet) -> Result<Option<Vec<i64>>, SetError>;

    /// Returns the last uses of elements before others.
    ///
    /// # Errors
    /// The library gives no answer.
    fn last_uses(&self, question: &LastUses) -> Result<Vec<InstancePairs>, SetError>;
}
