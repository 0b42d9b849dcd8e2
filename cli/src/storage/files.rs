//! Files: reading with a clear error, writing whole or not at all.

use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::paths::{folder, target};
use cp2_isa::Bytes;
use cp2_recording::checkpoint;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

pub(crate) use crate::storage::output::Output;
pub(crate) use crate::storage::paths::cannot_write;

/// Whether a path stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Most bytes of an input that is read: a device without an end must not fill memory.
const LONGEST: u64 = 1 << 30;

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

/// Whether the name of a file is that of a TOML file, in letters of either case.
pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// Whether a path leads to a file or a folder, or to nothing yet; not to a device or a pipe.
fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir())
}

/// Reads the bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    let result =
        if is_standard(path) { limited(std::io::stdin().lock()) } else { all_of(path, LONGEST) };
    result.map_err(|e| cannot_read(path, &e))
}

/// Reads a file that another one names; devices and pipes are refused, since nobody can tell when they end.
pub(crate) fn read_regular(path: &Path) -> Outcome<Vec<u8>> {
    let result = open_regular(path).and_then(|file| {
        check_length(&file, LONGEST)?;
        limited_to(file, LONGEST)
    });
    result.map_err(|e| cannot_read(path, &e))
}

/// Reads the text of a file that another one names.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let bytes = all_of(path, LONGEST)?;
    String::from_utf8(bytes)
        .map_err(|e| std::io::Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// Reads the bytes of a checkpoint of a machine with `memory` bytes of memory, of which it has a copy and what its host has
/// read.
pub(crate) fn read_checkpoint(path: &Path, memory: Bytes) -> Outcome<Vec<u8>> {
    let read = || {
        let file = open_regular(path)?;
        let mut bytes = Vec::new();
        (&file).take(checkpoint::HEAD as u64).read_to_end(&mut bytes)?;
        if checkpoint::is_checkpoint(&bytes) {
            let longest = checkpoint::longest(memory);
            check_length(&file, longest)?;
            bytes.extend(limited_to(file, longest)?);
        }
        Ok(bytes)
    };
    read().map_err(|e| cannot_read(path, &e))
}

/// Opens a file that holds its bytes itself: no device, and no pipe, for which one would wait.
pub(crate) fn open_regular(path: &Path) -> std::io::Result<File> {
    let check = |data: std::fs::Metadata| match data.is_file() {
        true => Ok(()),
        false => Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    };
    check(std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

fn cannot_read(path: &Path, e: &std::io::Error) -> crate::process::exit::Failure {
    bad_input(format!("cannot read {}: {e}", path.display()))
}

/// Reads all bytes of a file, at most `longest`.
fn all_of(path: &Path, longest: u64) -> std::io::Result<Vec<u8>> {
    let file = File::open(path)?;
    check_length(&file, longest)?;
    limited_to(file, longest)
}

/// Refuses a file that says itself that it is too long, before anything of it is read.
fn check_length(file: &File, longest: u64) -> std::io::Result<()> {
    if file.metadata()?.len() > longest { Err(too_long(longest)) } else { Ok(()) }
}

fn too_long(longest: u64) -> std::io::Error {
    let message = format!("it has more than {} MiB, the limit", longest >> 20);
    std::io::Error::new(ErrorKind::FileTooLarge, message)
}

/// Reads all bytes of a reader, at most [`LONGEST`].
fn limited(reader: impl Read) -> std::io::Result<Vec<u8>> {
    limited_to(reader, LONGEST)
}

fn limited_to(reader: impl Read, longest: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(too_long(longest));
    }
    Ok(bytes)
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
