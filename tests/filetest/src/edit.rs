//! Changes of a text: what blessing does to a file.

use std::ops::Range;

/// Part of a text that is replaced by another text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    /// Byte at which the part begins.
    start: usize,
    /// Byte behind the part.
    end: usize,
    text: String,
}

impl Edit {
    /// Creates an edit that puts `text` in place of a part.
    pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, text: text.into() }
    }

    /// Creates an edit that takes a part away.
    pub(crate) fn remove(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }

    /// Creates an edit that puts text before a place.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }
}

/// Returns the text with all changes made. Of changes that overlap the first is made.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    edits.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits.into_iter() {
        if edit.start >= at {
            out.push_str(&text[at..edit.start]);
            out.push_str(&edit.text);
            at = edit.end;
        }
    }
    out.push_str(&text[at..]);
    out
}
