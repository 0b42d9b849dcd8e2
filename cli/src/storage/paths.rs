//! Paths: where links lead, and the failure to write a file.

use crate::process::exit::{Failure, bad_input};
use std::path::{Path, PathBuf};

/// Most symbolic links that lead to one file.
const MOST_LINKS: usize = 40;

/// Returns the path to which links lead from a path, though there may be nothing yet.
pub(crate) fn target(path: &Path) -> std::io::Result<PathBuf> {
    if let Ok(found) = std::fs::canonicalize(path) {
        return Ok(found);
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&target) {
            Ok(to) => target = folder(&target).join(to),
            Err(_) => return Ok(target),
        }
    }
    Err(std::io::Error::other(format!("it leads through more than {MOST_LINKS} symbolic links")))
}

/// Returns the folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the failure to write a file.
pub(crate) fn cannot_write(path: &Path, e: impl std::fmt::Display) -> Failure {
    bad_input(format!("cannot write {}: {e}", path.display()))
}
