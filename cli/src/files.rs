//! Files: reading with a clear error, writing whole or not at all.

use crate::exit::{Outcome, bad_input, usage};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Longest input that is read, bytes: a device without an end must not fill memory.
const LONGEST: u64 = 1 << 30;
/// Longest checkpoint that is read: memories have 4 GiB at most, and a host keeps what it has read of them.
const LONGEST_CHECKPOINT: u64 = 1 << 34;

/// Refuses files that do not go together, before any work: two inputs from standard input, two outputs to
/// one file, an output that would replace an input, an output that cannot be written.
pub(crate) fn check(inputs: &[Option<&Path>], outputs: &[Option<&Path>]) -> Outcome<()> {
    let (inputs, outputs) = (inputs.iter().flatten(), outputs.iter().flatten());
    if inputs.clone().filter(|p| is_standard(p)).count() > 1 {
        return Err(usage("standard input (`-`) is asked for twice"));
    }
    let mut seen: Vec<&Path> = Vec::new();
    for output in outputs.clone() {
        if seen.iter().any(|other| is_same(other, output)) {
            let name = if is_standard(output) {
                "standard output (`-`)".into()
            } else {
                output.display().to_string()
            };
            return Err(usage(format!("two outputs go to {name}; give each its own file")));
        }
        seen.push(output);
        check_apart(inputs.clone().copied(), output)?;
    }
    outputs.into_iter().try_for_each(|output| check_writable(output))
}

/// Refuses an output that would replace an input.
pub(crate) fn check_apart<'a>(
    mut inputs: impl Iterator<Item = &'a Path>,
    output: &Path,
) -> Outcome<()> {
    let replaces =
        |input: &&Path| !is_standard(output) && is_file(output) && is_same(input, output);
    match inputs.find(replaces) {
        None => Ok(()),
        Some(input) => Err(usage(format!(
            "{} would replace the input {}; give the output a name of its own",
            output.display(),
            input.display()
        ))),
    }
}

/// Whether two paths lead to one file, or are the same standard stream.
fn is_same(a: &Path, b: &Path) -> bool {
    if is_standard(a) || is_standard(b) {
        return a == b;
    }
    a == b || matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}

/// Where a file is, or will be: its folder exists.
fn place(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().or_else(|| {
        let folder = std::fs::canonicalize(folder(path)).ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether it is a file, or nothing yet; not a device or a pipe.
fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir())
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    let result = if is_standard(path) {
        limited(std::io::stdin().lock())
    } else {
        std::fs::File::open(path).and_then(limited)
    };
    result.map_err(|e| bad_input(format!("cannot read {}: {e}", path.display())))
}

/// The text of a file that another one names.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::File::open(path).and_then(limited)?;
    String::from_utf8(bytes)
        .map_err(|e| std::io::Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// The bytes of a checkpoint, which are about as many as the memory of the machine.
pub(crate) fn read_checkpoint(path: &Path) -> Outcome<Vec<u8>> {
    let file = std::fs::File::open(path);
    let bytes = file.and_then(|file| limited_to(file, LONGEST_CHECKPOINT));
    bytes.map_err(|e| bad_input(format!("cannot read {}: {e}", path.display())))
}

/// All bytes of a reader, at most [`LONGEST`].
fn limited(reader: impl Read) -> std::io::Result<Vec<u8>> {
    limited_to(reader, LONGEST)
}

fn limited_to(reader: impl Read, longest: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        let message = format!("it has more than {} MiB, the most that is read", longest >> 20);
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// A file that is being written.
///
/// A regular file appears whole or not at all: it is written under a temporary name in its folder
/// and renamed. Devices and pipes cannot be replaced like that and are written directly; a link
/// stays, and what it points to is written.
pub(crate) enum Output {
    /// A temporary file, its place in the list of those, and the path that it will have.
    Whole(tempfile::NamedTempFile, Listed, PathBuf),
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
            _ => {
                let (file, listed) = temporary(path, &target)?;
                Ok(Self::Whole(file, listed, target))
            }
        }
    }

    /// Gives a finished file its name.
    pub(crate) fn commit(self, path: &Path) -> Outcome<()> {
        match self {
            Self::Direct(_) => Ok(()),
            Self::Whole(file, _listed, target) => {
                file.persist(target).map(drop).map_err(|e| cannot_write(path, e.error))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Whole(file, ..) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Whole(file, ..) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::Whole(file, ..) => file.seek(to),
            Self::Direct(file) => file.seek(to),
        }
    }
}

/// The temporary files that have no name of their own yet. Whoever holds the lock may make or remove some.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of a process that ends now. None can be made from then on.
pub(crate) fn remove_unfinished() {
    let mut all = unfinished();
    for path in std::mem::take(&mut *all) {
        // One that is gone already is as it should be.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(all);
}

/// The path of a temporary file in the list of those.
pub(crate) struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Writes a file; see [`Output`].
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let output = if is_standard(path) { None } else { Some(Output::open(path)?) };
    finish(output, path, bytes)
}

/// Whether a file could be written, so that long work is not done for nothing. Devices and pipes are
/// left alone.
fn check_writable(path: &Path) -> Outcome<()> {
    if is_standard(path) || !is_file(path) {
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
fn temporary(path: &Path, target: &Path) -> Outcome<(tempfile::NamedTempFile, Listed)> {
    let folder = folder(target);
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
    let mut all = unfinished();
    let file = builder.tempfile_in(folder).map_err(|e| match e.raw_os_error() {
        Some(code) => cannot_write(path, std::io::Error::from_raw_os_error(code)),
        None if e.kind() == ErrorKind::NotFound => {
            cannot_write(path, format!("there is no folder {}", folder.display()))
        }
        None => cannot_write(path, e.kind()),
    })?;
    all.insert(file.path().to_owned());
    let listed = Listed(file.path().to_owned());
    Ok((file, listed))
}

/// The failure to write a file.
pub(crate) fn cannot_write(path: &Path, e: impl std::fmt::Display) -> crate::exit::Failure {
    bad_input(format!("cannot write {}: {e}", path.display()))
}

/// Writes to standard output. A reader that went away is no error.
pub(crate) fn print(bytes: &[u8]) -> Outcome<()> {
    print_from(bytes)
}

/// The same from a reader.
pub(crate) fn print_from(mut from: impl Read) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match std::io::copy(&mut from, &mut out).and_then(|_| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(bad_input(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
