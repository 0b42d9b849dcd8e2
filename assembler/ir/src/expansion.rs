//! The way from source lines to bundles through macros and repetitions, for messages about one of the many bundles that
//! a line became.

use crate::diagnostic::Span;
use cp2_isa::BundleAddress;
use std::collections::BTreeMap;

/// The macro calls and repetitions through which a line of source became a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Lines within the macros that were called, from the outermost macro to the innermost, each with a text for
    /// messages.
    pub inner: Vec<(Span, String)>,
    /// Texts with the number of the iteration, one for each repetition around the line.
    pub iterations: Vec<String>,
}

impl Expansion {
    /// Returns true if the bundle stands in a file as it is, outside macros and repetitions.
    pub fn is_plain(&self) -> bool {
        self.inner.is_empty() && self.iterations.is_empty()
    }
}

/// The expansions of the bundles that came out of macros and repetitions, by bundle address; others are absent.
pub type Expansions = BTreeMap<BundleAddress, Expansion>;
