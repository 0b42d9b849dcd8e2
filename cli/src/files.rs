//! Files: reading with a clear error, writing whole or not at all.

use crate::exit::{Exit, Failure, Outcome, bad_input};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses arguments of which two would read standard input, or two write one file.
pub(crate) fn check_distinct(inputs: &[Option<&Path>], outputs: &[Option<&Path>]) -> Outcome<()> {
    let usage = |message: String| Failure { exit: Exit::Usage, message };
    if inputs.iter().flatten().filter(|p| is_standard(p)).count() > 1 {
        return Err(usage("cp2: error: standard input (`-`) is asked for twice".into()));
    }
    let outputs: Vec<&Path> = outputs.iter().flatten().copied().collect();
    for (i, path) in outputs.iter().enumerate() {
        if outputs[..i].contains(path) {
            let name = if is_standard(path) {
                "standard output (`-`)".into()
            } else {
                path.display().to_string()
            };
            return Err(usage(format!(
                "cp2: error: two outputs go to {name}; give each its own file"
            )));
        }
    }
    Ok(())
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

/// A file that is being written.
///
/// A regular file appears whole or not at all: it is written under a temporary name in its folder
/// and renamed. Devices and pipes cannot be replaced like that and are written directly; a link
/// stays, and what it points to is written.
pub(crate) enum Output {
    /// A temporary file, and the path that it will have.
    Whole(tempfile::NamedTempFile, PathBuf),
    /// A device or a pipe.
    Direct(std::fs::File),
}

impl Output {
    /// Opens `path` for writing.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match std::fs::metadata(&target) {
            Ok(data) if data.is_dir() => Err(cannot_write(path, "it is a folder")),
            Ok(data) if !data.is_file() => {
                let file = std::fs::OpenOptions::new().write(true).open(&target);
                file.map(Self::Direct).map_err(|e| cannot_write(path, e))
            }
            _ => Ok(Self::Whole(temporary(path, &target)?, target)),
        }
    }

    /// Gives a finished file its name.
    pub(crate) fn commit(self, path: &Path) -> Outcome<()> {
        match self {
            Self::Direct(_) => Ok(()),
            Self::Whole(file, target) => {
                file.persist(target).map(|_| ()).map_err(|e| cannot_write(path, e.error))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Whole(file, _) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Whole(file, _) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

/// Writes a file; see [`Output`].
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let output = if is_standard(path) { None } else { Some(Output::open(path)?) };
    finish(output, path, bytes)
}

/// Whether a file could be written, so that long work is not done for nothing. Devices and pipes are
/// left alone.
pub(crate) fn check_writable(path: &Path) -> Outcome<()> {
    let exists_otherwise =
        std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
    if is_standard(path) || exists_otherwise {
        return Ok(());
    }
    Output::open(path).map(drop)
}

/// Writes the whole of a file that was opened before, or standard output.
pub(crate) fn finish(output: Option<Output>, path: &Path, bytes: &[u8]) -> Outcome<()> {
    let Some(mut output) = output else { return print(bytes) };
    output.write_all(bytes).map_err(|e| cannot_write(path, e))?;
    output.commit(path)
}

/// A temporary file in the folder of `target`, with the permissions of an existing one.
fn temporary(path: &Path, target: &Path) -> Outcome<tempfile::NamedTempFile> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cp2-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of a new file otherwise, of which the process's umask takes its share.
        let mode = std::fs::metadata(target).map_or(0o666, |data| data.permissions().mode());
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    // The error's own text names the temporary file.
    builder.tempfile_in(folder).map_err(|e| match e.raw_os_error() {
        Some(code) => cannot_write(path, std::io::Error::from_raw_os_error(code)),
        None if e.kind() == ErrorKind::NotFound => {
            cannot_write(path, format!("there is no folder {}", folder.display()))
        }
        None => cannot_write(path, e.kind()),
    })
}

/// The failure to write a file.
pub(crate) fn cannot_write(path: &Path, e: impl std::fmt::Display) -> crate::exit::Failure {
    bad_input(format!("cannot write {}: {e}", path.display()))
}

/// Writes to standard output. A reader that went away is no error.
pub(crate) fn print(bytes: &[u8]) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(bad_input(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
