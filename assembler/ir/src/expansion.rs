//! How bundles came out of macros and repetitions, for messages about one of many that a line became.

use crate::diagnostic::Span;
use cp2_isa::BundleAddress;
use std::collections::BTreeMap;

/// The way from a line of a file to a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Places within macros, the outermost macro first, each with a text.
    pub inner: Vec<(Span, String)>,
    /// Numbers of the iterations of the repetitions around the line.
    pub iterations: Vec<String>,
}

impl Expansion {
    /// Whether the bundle stands in a file as it is.
    pub fn is_plain(&self) -> bool {
        self.inner.is_empty() && self.iterations.is_empty()
    }
}

/// The bundles that came out of macros and repetitions, by address.
pub type Expansions = BTreeMap<BundleAddress, Expansion>;
