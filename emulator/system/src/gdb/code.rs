//! Source positions of CP2's bundles: lines of sources that the user has named, and breakpoints at them.

use cp2_isa::BundleAddress;
use std::collections::BTreeMap;

/// Source line of a bundle of CP2, for showing where CP2 is and for breakpoints at lines in a session with gdb.
/// [`ReadLines`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Address of the bundle in instruction memory.
    pub address: BundleAddress,
    /// Name of the source file from which the bundle comes.
    pub file: String,
    /// Number of the line, counted from 1.
    pub line: u32,
}

/// Function that reads the file of a CP2 program, source or object, by its name, and returns the source lines of its
/// bundles, or a text that says what is wrong with it.
pub type ReadLines<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<SourceLine>, String>;

/// Lines of all programs that the user has named.
pub(super) struct Code<'a> {
    read: ReadLines<'a>,
    lines: BTreeMap<BundleAddress, (String, u32)>,
}

impl<'a> Code<'a> {
    pub(super) fn new(read: ReadLines<'a>) -> Self {
        Self { read, lines: BTreeMap::new() }
    }

    /// Reads a program, whose first bundle lies at an address if one is given, and tells for how many bundles it has lines.
    pub(super) fn source(&mut self, path: &str, at: Option<u16>) -> Result<String, String> {
        let lines = (self.read)(path)?;
        let first = lines.iter().map(|line| line.address.0).min().ok_or("no bundle has a line")?;
        for SourceLine { address, file, line } in &lines {
            let address = (address.0 - first).checked_add(at.unwrap_or(first));
            let address = address.ok_or("the program ends beyond instruction memory")?;
            self.lines.insert(BundleAddress(address), (file.clone(), *line));
        }
        Ok(format!("{} bundles from {} on", lines.len(), at.unwrap_or(first)))
    }

    /// Returns the text of a bundle's address with its line, if that is known.
    pub(super) fn place(&self, address: BundleAddress) -> String {
        match self.lines.get(&address) {
            Some((file, line)) => format!("bundle {} ({file}:{line})", address.0),
            None => format!("bundle {}", address.0),
        }
    }

    /// Returns the bundle that `*ADDRESS` or `FILE:LINE` means: the first one of a line, or of the next line that has one.
    pub(super) fn find(&self, place: &str) -> Result<BundleAddress, String> {
        if let Some(address) = place.strip_prefix('*') {
            let address =
                address.parse().map_err(|_| format!("`{address}` is not a decimal address"))?;
            return Ok(BundleAddress(address));
        }
        let wrong = || format!("`{place}` is neither *ADDRESS nor FILE:LINE");
        let (file, line) = place.rsplit_once(':').ok_or_else(wrong)?;
        let line: u32 = line.parse().map_err(|_| wrong())?;
        let of_file = self.lines.iter().filter(|(_, (name, _))| is_file(name, file));
        let behind = of_file.filter(|(_, (_, at))| *at >= line);
        let found = behind.min_by_key(|(address, (_, at))| (*at, **address));
        found.map(|(address, _)| *address).ok_or_else(|| {
            format!("no bundle comes from line {line} of {file} or a later one; `monitor source` names programs of CP2")
        })
    }
}

/// Whether a file is meant by a name: all of it, or its last parts.
fn is_file(file: &str, name: &str) -> bool {
    file == name || file.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'))
}
