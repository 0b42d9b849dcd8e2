//! Names that are seen at a place of the text, and what they mean.

use std::ops::Range;

/// Meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Parameter of the type int.
    Parameter(usize),
    /// Parameter that is a number.
    Scalar(usize),
    /// Array, or variable.
    Array(usize),
    /// Index of a loop that is open.
    Index(usize),
    /// Variable of the type int that is no index at this place.
    Integer,
}

impl Meaning {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Parameter(_) => "a parameter",
            Self::Scalar(_) => "a number",
            Self::Array(_) => "an array",
            Self::Index(_) => "the index of a loop",
            Self::Integer => "a variable of type int",
        }
    }
}

/// A name that is seen.
#[derive(Clone, Debug)]
pub(super) struct ScopeName {
    pub(super) name: String,
    pub(super) meaning: Meaning,
    pub(super) at: Range<usize>,
    /// Number of blocks that were open at its declaration.
    pub(super) depth: usize,
}

/// The names that are seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: Vec<ScopeName>,
    depth: usize,
}

impl Scope {
    /// Returns the name as it is seen last.
    pub(super) fn find(&self, name: &str) -> Option<&ScopeName> {
        self.names.iter().rev().find(|known| known.name == name)
    }

    /// Returns the declaration of a name in the block that is open.
    pub(super) fn find_here(&self, name: &str) -> Option<&ScopeName> {
        self.find(name).filter(|known| known.depth == self.depth)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|known| known.name.as_str())
    }

    pub(super) fn declare(&mut self, name: &str, meaning: Meaning, at: &Range<usize>) {
        let (name, at, depth) = (name.to_owned(), at.clone(), self.depth);
        self.names.push(ScopeName { name, meaning, at, depth });
    }

    pub(super) fn open(&mut self) {
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        let depth = self.depth;
        self.names.retain(|known| known.depth <= depth);
    }
}
