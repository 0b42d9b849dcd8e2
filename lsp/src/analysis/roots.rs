//! Texts that are included: by which text of their folder, and what is told of one that nobody is known to include.

use super::files::{Stamp, stamp};
use cp2_asm::diagnostic::Diagnostic;
use cp2_asm::without_comment;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Most files of a folder that are looked through, and most bytes of one: a larger one is no source that a person writes.
const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 4 << 20;
/// Most inclusions, one within the other, that are followed.
const DEPTH: usize = 16;

/// Codes of findings that hold for a text whatever includes it.
const CERTAIN: [&str; 21] = [
    "C0101", "C0103", "C0105", "C0106", "C0107", "C0109", "C0110", "C0203", "C0302", "C0303",
    "C0304", "C0306", "C0307", "C0308", "C0309", "C0310", "C0311", "C0313", "C0315", "C0401",
    "C0408",
];

/// A file as it was when it was looked through, and the paths that it includes.
type KnownInclusions = (Stamp, Arc<[PathBuf]>);

/// Paths that files include, as long as the files do not change.
#[derive(Debug, Default)]
pub(crate) struct Inclusions {
    known: Mutex<BTreeMap<PathBuf, KnownInclusions>>,
}

/// Returns the file that a line includes.
fn included(line: &str) -> Option<&str> {
    let code = without_comment(line);
    let rest = code.split_once(".include")?.1.trim_start().strip_prefix('"')?;
    Some(rest.split_once('"')?.0)
}

/// Returns the paths that a text of a path includes.
fn paths_in(path: &Path, text: &str) -> Arc<[PathBuf]> {
    let name = path.to_string_lossy();
    text.lines().filter_map(included).map(|file| cp2_files::path_beside(&name, file)).collect()
}

/// Whether a file may be assembly: no directory, no file of another kind by its ending.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "s" || end == "inc")
}

impl Inclusions {
    fn of(&self, path: &Path) -> Arc<[PathBuf]> {
        let now = stamp(path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, paths)) = known.get(path).filter(|(before, _)| *before == now) {
            return Arc::clone(paths);
        }
        let is_small = now.is_some_and(|(_, bytes)| bytes <= MOST_BYTES);
        let text = is_small.then(|| cp2_files::regular(path).and_then(cp2_files::text));
        let paths = match text {
            Some(Ok(text)) => paths_in(path, &text),
            _ => Arc::default(),
        };
        known.insert(path.to_owned(), (now, Arc::clone(&paths)));
        paths
    }

    /// Returns the file of the folder of a path that includes it, directly or through others: the first by name that nothing there includes.
    /// `open` returns the text of a file as it is open in the editor.
    pub(super) fn root_of(
        &self,
        path: &Path,
        open: &dyn Fn(&Path) -> Option<Arc<str>>,
    ) -> Option<PathBuf> {
        let entries = std::fs::read_dir(path.parent()?).ok()?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|p| is_source(p));
        let mut files: Vec<PathBuf> = files.take(MOST_FILES).collect();
        files.sort();
        let inclusions: Vec<(&PathBuf, Arc<[PathBuf]>)> = files
            .iter()
            .map(|file| match open(file) {
                Some(text) => (file, paths_in(file, &text)),
                None => (file, self.of(file)),
            })
            .collect();
        let includer = |path: &Path| {
            let mut all = inclusions.iter();
            let found = all.find(|(file, paths)| *file != path && paths.iter().any(|p| p == path));
            found.map(|(file, _)| (*file).clone())
        };
        let mut root = includer(path)?;
        for _ in 0..DEPTH {
            match includer(&root) {
                Some(next) if next != path => root = next,
                // Files that include each other have no root.
                Some(_) => return None,
                None => return Some(root),
            }
        }
        None
    }
}

/// Whether a text is written to be included, by the ending of its name.
pub(super) fn is_part(path: Option<&Path>) -> bool {
    path.and_then(Path::extension).is_some_and(|end| end == "inc")
}

/// Returns the findings of an included text that hold whatever includes it.
pub(super) fn certain(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all = diagnostics;
    all.retain(|finding| CERTAIN.contains(&finding.code));
    all.iter_mut().for_each(|finding| finding.left_out = 0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_an_included_file_is_found_in_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("a.inc", "nop\n"),
            ("b.inc", "x: .include \"./a.inc\" ; one\n"),
            ("k.s", ".include \"b.inc\"\n"),
            ("l.s", "; .include \"a.inc\"\n"),
            ("m.inc", ".include \"n.inc\"\n"),
            ("n.inc", ".include \"m.inc\"\n"),
        ] {
            std::fs::write(path(name), text).expect("a file");
        }
        let inclusions = Inclusions::default();
        let root = |name: &str| inclusions.root_of(&path(name), &|_| None);
        assert_eq!(root("a.inc"), Some(path("k.s")));
        assert_eq!(root("b.inc"), Some(path("k.s")));
        assert_eq!(root("k.s"), None);
        assert_eq!(root("m.inc"), None, "a circle");
        let open =
            |wanted: &Path| (wanted == path("l.s")).then(|| Arc::from(".include \"b.inc\"\n"));
        std::fs::remove_file(path("k.s")).expect("a file");
        assert_eq!(inclusions.root_of(&path("a.inc"), &open), Some(path("l.s")));
    }
}
