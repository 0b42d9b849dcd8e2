//! Places in source files as images keep them: without the text.

/// A place in a source file; line and column count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePosition {
    /// Index into [`crate::image::Image::files`].
    pub file: u32,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}
