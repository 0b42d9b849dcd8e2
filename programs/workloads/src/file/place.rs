//! The place of a workload file among other files, and the codes of what is wrong with it.

use super::Surroundings;
use cp2_toml::FieldReader;
use std::ops::Range;

/// Codes of the diagnostics about workload files, beside those about all TOML files.
pub(super) mod codes {
    /// Code of the diagnostic that a file cannot be read, or is not of the form that it should have.
    pub(crate) const FILE: &str = "C0901";
    /// Code of the diagnostic that an array has values that its type cannot hold.
    pub(crate) const ARRAY: &str = "C0902";
    /// Code of the diagnostic that something of this name does not exist: a shipped kernel, an extension.
    pub(crate) const NAME: &str = "C0903";
    /// Code of the diagnostic that a loop or a range of a page scheme is not understood, or does not fit its array.
    pub(crate) const PAGES: &str = "C0904";
}

/// The place of a workload file among other files.
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) surroundings: &'a dyn Surroundings,
    /// Whether the file has passes, so that its arrays lie in system memory.
    pub(super) has_passes: bool,
    /// Names of the variants that have been read.
    pub(super) variants: Vec<&'a str>,
}

impl Place<'_> {
    /// Returns the name and the bytes of the file at `path`; refuses the path at `span` if it cannot be read.
    pub(super) fn read(
        &self,
        reader: &mut FieldReader,
        path: &str,
        span: Range<usize>,
    ) -> Option<(String, Vec<u8>)> {
        match self.surroundings.read(self.path, path) {
            Ok(file) => Some(file),
            Err(message) => {
                let help = "paths are seen from the folder of the workload file";
                reader.refuse(codes::FILE, span, message, help);
                None
            }
        }
    }
}
