//! Files: reading with a clear error, writing whole or not at all.

use crate::exit::{Outcome, bad_input};
use std::io::{Read, Write};
use std::path::Path;

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    let result = if is_standard(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    result.map_err(|e| bad_input(format!("cannot read {}: {e}", path.display())))
}

/// Writes a file by way of a temporary one beside it, so that it is whole or not there.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    if is_standard(path) {
        return print(bytes);
    }
    let mut file = temporary(path)?;
    file.write_all(bytes).map_err(|e| cannot_write(path, e))?;
    commit(file, path)
}

/// A temporary file in the folder of `path`.
pub(crate) fn temporary(path: &Path) -> Outcome<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cp2-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The usual permissions of a new file; the process's umask takes its share.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|e| cannot_write(path, e))
}

/// Gives a finished temporary file its name.
pub(crate) fn commit(file: tempfile::NamedTempFile, path: &Path) -> Outcome<()> {
    file.persist(path).map(|_| ()).map_err(|e| cannot_write(path, e.error))
}

/// The failure to write a file.
pub(crate) fn cannot_write(path: &Path, e: impl std::fmt::Display) -> crate::exit::Failure {
    bad_input(format!("cannot write {}: {e}", path.display()))
}

/// Writes to standard output. A reader that went away is no error.
pub(crate) fn print(bytes: &[u8]) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(bad_input(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
