//! Files: reading with a clear error, writing whole or not at all.

use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::paths::{folder, target};
use cp2_isa::Bytes;
use cp2_recording::checkpoint;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

pub(crate) use crate::storage::output::Output;
pub(crate) use crate::storage::paths::cannot_write;

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses files that do not go together, before any work: two inputs from standard input, two outputs to
/// one file, an output that would replace an input, an output that cannot be written.
pub(crate) fn check(inputs: &[Option<&Path>], outputs: &[Option<&Path>]) -> Outcome<()> {
    let (inputs, outputs) = (inputs.iter().flatten(), outputs.iter().flatten());
    if inputs.clone().filter(|p| is_standard(p)).count() > 1 {
        return Err(usage("standard input (`-`) is given twice"));
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

/// Returns the path at which a file is, or will be: its folder exists.
fn place(path: &Path) -> Option<PathBuf> {
    let path = target(path).ok()?;
    let folder = std::fs::canonicalize(folder(&path)).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Whether a path leads to a file or a folder, or to nothing yet; not to a device or a pipe.
fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir())
}

/// Reads the bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    let result = match is_standard(path) {
        true => cp2_files::limited(std::io::stdin().lock(), cp2_files::LONGEST),
        false => cp2_files::whole(path),
    };
    result.map_err(|e| cannot_read(path, &e))
}

/// Reads the bytes of a checkpoint of a machine with `memory` bytes of memory, of which it has a copy and what its host has
/// read.
pub(crate) fn read_checkpoint(path: &Path, memory: Bytes) -> Outcome<Vec<u8>> {
    let read = || {
        let file = cp2_files::open_regular(path)?;
        let mut bytes = Vec::new();
        (&file).take(checkpoint::HEAD as u64).read_to_end(&mut bytes)?;
        if checkpoint::is_checkpoint(&bytes) {
            let longest = checkpoint::longest(memory);
            cp2_files::check_length(&file, longest)?;
            bytes.extend(cp2_files::limited(file, longest)?);
        }
        Ok(bytes)
    };
    read().map_err(|e| cannot_read(path, &e))
}

/// Returns the failure that a file cannot be read.
pub(crate) fn cannot_read(path: &Path, e: &std::io::Error) -> crate::process::exit::Failure {
    bad_input(format!("cannot read {}: {e}", path.display()))
}

/// Writes a file; see [`Output`].
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let output = if is_standard(path) { None } else { Some(Output::open(path)?) };
    finish(output, path, bytes)
}

/// Checks that a file could be written, so that long work is not done for nothing. Devices and pipes are left alone.
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

/// Writes the whole of files that were opened before: the bytes of all of them, before any gets its name. What goes to standard
/// output is written last.
pub(crate) fn finish_all(files: Vec<(Option<Output>, &Path, Vec<u8>)>) -> Outcome<()> {
    let (mut written, mut printed) = (Vec::new(), Vec::new());
    for (output, path, bytes) in files {
        let Some(mut output) = output else {
            printed.push(bytes);
            continue;
        };
        output.write_all(&bytes).map_err(|e| cannot_write(path, e))?;
        written.push((output, path));
    }
    written.into_iter().try_for_each(|(output, path)| output.commit(path))?;
    printed.iter().try_for_each(|bytes| print(bytes))
}

/// Writes to standard output. It is no error if nobody reads the output any more.
pub(crate) fn print(bytes: &[u8]) -> Outcome<()> {
    print_from(bytes)
}

/// Copies a reader to standard output. It is no error if nobody reads the output any more.
pub(crate) fn print_from(mut from: impl Read) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match std::io::copy(&mut from, &mut out).and_then(|_| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(bad_input(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Prints JSON with a final newline.
pub(crate) fn print_json(value: &serde_json::Value) -> Outcome<()> {
    print(format!("{value:#}\n").as_bytes())
}

/// Makes a new folder with these files, whose paths are seen from it: all of them, or none.
pub(crate) fn create_folder(folder: &Path, files: &[(String, Vec<u8>)]) -> Outcome<()> {
    let trouble = |e: std::io::Error| bad_input(format!("cannot make {}: {e}", folder.display()));
    if folder.symlink_metadata().is_ok() {
        let message = format!("{} exists already; give another name", folder.display());
        return Err(bad_input(message));
    }
    let name = folder.file_name().ok_or_else(|| {
        bad_input(format!("cannot make {}: the path names no folder", folder.display()))
    })?;
    // Under another name until it is whole.
    let unfinished =
        folder.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let write_all = || -> std::io::Result<()> {
        std::fs::create_dir(&unfinished)?;
        for (path, bytes) in files {
            let path = unfinished.join(path);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, bytes)?;
        }
        std::fs::rename(&unfinished, folder)
    };
    write_all().map_err(|e| {
        // What cannot be removed either is told by its name.
        let _ = std::fs::remove_dir_all(&unfinished);
        trouble(e)
    })
}
