//! Files around a text: those that are open in the editor as they are there, others from the disk; and which files a text depends on.

use cp2_session::npy::Array;
use cp2_workloads::file::{CommandVerdict, Surroundings};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Texts that are open in the editor, by the paths of their files.
pub(crate) type OpenTexts = Arc<HashMap<PathBuf, Arc<str>>>;

/// State of a file on the disk, as far as it tells a change; `None` for one that is not there.
pub(crate) type Stamp = Option<(SystemTime, u64)>;

/// Files that a text depends on, those that are missing too, each as it was when it was read.
pub(crate) type FilesRead = BTreeMap<PathBuf, Stamp>;

/// Returns the state of a file.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// The files around a text.
#[derive(Clone)]
pub(crate) struct FilesAround {
    /// Name of the file of the text itself, which loaders call by nothing.
    document: String,
    open: OpenTexts,
    read: Arc<Mutex<FilesRead>>,
}

impl FilesAround {
    pub(crate) fn new(document: &str, open: &OpenTexts) -> Self {
        Self { document: document.to_owned(), open: Arc::clone(open), read: Arc::default() }
    }

    /// Returns the files that were asked for.
    pub(crate) fn files_read(&self) -> FilesRead {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns name and content of a file that the file `from` names; `read_file` reads one that is not open in the editor.
    fn content<T>(
        &self,
        (from, path): (&str, &str),
        of_open: impl Fn(&str) -> T,
        read_file: impl Fn(&Path) -> std::io::Result<T>,
    ) -> Result<(String, T), String> {
        let from = if from.is_empty() { &self.document } else { from };
        if from.is_empty() {
            return Err("a text that is in no file names no other".to_owned());
        }
        let path = cp2_files::path_beside(from, path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked at before it is read: a change between the two is found later.
        read.insert(path.clone(), stamp(&path));
        let name = path.to_string_lossy().into_owned();
        if let Some(text) = self.open.get(&path) {
            return Ok((name, of_open(text)));
        }
        // No thread waits for the file with the list of files in its hands.
        drop(read);
        Ok((name, read_file(&path).map_err(|error| error.to_string())?))
    }

    /// Returns name and text of a file that the file `from` includes.
    pub(crate) fn text(&self, from: &str, path: &str) -> Result<(String, String), String> {
        self.content((from, path), str::to_owned, cp2_files::included)
    }
}

/// The files around a workload file. No program is started.
impl Surroundings for FilesAround {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        self.content((from, path), |text| text.as_bytes().to_vec(), cp2_files::regular)
    }

    fn run(&self, _: &str, _: &[String], _: &[(String, Array)]) -> CommandVerdict {
        CommandVerdict::NotRun
    }
}
