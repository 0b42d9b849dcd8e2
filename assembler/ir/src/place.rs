//! Source positions as images keep them: without the text of the file.

/// A position in a source file: file, line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePosition {
    /// Index of the file's name in [`crate::image::Image::files`].
    pub file: u32,
    /// Line in the source file, from 1.
    pub line: u32,
    /// Column in the source line in characters, from 1.
    pub column: u32,
}
