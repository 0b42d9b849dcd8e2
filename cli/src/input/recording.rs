//! Recordings as files: where they are written, and opening them.

use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_recording::{Header, Recorder, Recording};
use cp2_session::{Engine, Environment};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// File of a recording that is being written. Unlike every other output it grows under its own name, so that what is there
/// can be read when the run is killed. Until the run begins nothing is changed there, and a run that is refused before leaves
/// nothing.
pub(crate) struct RecordingFile {
    path: PathBuf,
    recorder: Recorder,
    /// Whether there was a file of this name before.
    existed: bool,
    has_begun: Arc<AtomicBool>,
}

/// Writer of a recording, whose file is opened and locked at once, so that a place that cannot be written costs no work and
/// no other run writes there, and emptied with the first checkpoint.
struct Late {
    file: File,
    before: Vec<u8>,
    has_begun: Arc<AtomicBool>,
}

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_begun.load(Ordering::Relaxed) {
            return self.file.write(bytes);
        }
        self.before.extend_from_slice(bytes);
        // The first checkpoint may have many pages.
        if self.before.len() > Self::MOST {
            self.begin()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.has_begun.load(Ordering::Relaxed) {
            self.begin()?;
        }
        self.file.flush()
    }
}

impl Late {
    /// Most bytes that wait for the begin: far more than a header.
    const MOST: usize = 16 << 20;

    fn begin(&mut self) -> io::Result<()> {
        // A device has no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
            self.file.rewind()?;
        }
        self.file.write_all(&std::mem::take(&mut self.before))?;
        self.has_begun.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Returns the command line of this process; what is no text in it is shown as well as it can be.
pub(crate) fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the header of a recording, which says all of it but for its program.
pub(crate) fn header(config: Option<&MachineConfig>, core: &Core) -> Header {
    Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        machine: config.map(MachineConfig::dump),
        core: *core.numbers(),
        inputs: Vec::new(),
    }
}

impl RecordingFile {
    /// Begins a recording.
    pub(crate) fn create(path: &Path, header: &Header) -> Outcome<Self> {
        if files::is_standard(path) {
            return Err(usage(
                "--record -: a recording cannot go to standard output; give the name of a file",
            ));
        }
        let (existed, has_begun) = (path.symlink_metadata().is_ok(), Arc::default());
        let file = locked(path).map_err(|e| files::cannot_write(path, e))?;
        let (path, before) = (path.to_owned(), Vec::new());
        let late = Late { file, before, has_begun: Arc::clone(&has_begun) };
        let recorder = Recorder::new(Box::new(late), header);
        let recorder = recorder.map_err(|e| files::cannot_write(&path, e))?;
        Ok(Self { path, recorder, existed, has_begun })
    }

    /// Returns the recorder that writes the recording.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Ends the recording, with the run, if that has begun.
    pub(crate) fn finish(self) -> Outcome<()> {
        if !self.has_begun.load(Ordering::Relaxed) {
            return Ok(());
        }
        let done = self.recorder.finish();
        done.map(drop).map_err(|e| files::cannot_write(&self.path, e))
    }
}

impl Drop for RecordingFile {
    fn drop(&mut self) {
        if !self.existed && !self.has_begun.load(Ordering::Relaxed) {
            // Nothing is lost if it stays.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Opens a file to write that no other process writes until this one ends.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        if !file.metadata()?.is_file() {
            return Ok(file);
        }
        match file.try_lock() {
            // Whoever held it before may have removed it from its folder.
            Ok(()) if is_there(&file, path) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message =
                    "another run records into this file; wait for its end, or give another name";
                return Err(io::Error::other(message));
            }
            Err(TryLockError::Error(e)) => {
                return Err(io::Error::other(format!(
                    "it cannot be locked against other runs: {e}"
                )));
            }
        }
    }
}

/// Whether a file is still the one of this path.
#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let place = |data: std::fs::Metadata| (data.dev(), data.ino());
    let of_path = std::fs::metadata(path).map(place).ok();
    of_path.is_some() && of_path == file.metadata().map(place).ok()
}

/// Returns true: a file that is open cannot be removed from its folder on this system.
#[cfg(not(unix))]
fn is_there(_: &File, _: &Path) -> bool {
    true
}

/// Whether a path is that of a recording: by its name, or by what is there.
pub(crate) fn is_one(path: &Path) -> bool {
    let mut first = Vec::new();
    // What cannot be read is told where it is needed; a pipe can be read only once.
    let _ = cp2_files::open_regular(path).map(|file| file.take(16).read_to_end(&mut first));
    path.extension().is_some_and(|ending| ending == "cp2rec") || cp2_recording::is_recording(&first)
}

/// Opens a recording to look at it.
pub(crate) fn open(path: &Path) -> Outcome<Recording> {
    if files::is_standard(path) {
        return Err(usage("a recording cannot be read from standard input; give a file"));
    }
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let file = cp2_files::open_regular(path).map_err(|e| place(&e))?;
    let recording = Recording::open(file, Environment::new().engine(Engine::default()))
        .map_err(|e| place(&e))?;
    if !recording.is_whole() {
        crate::process::exit::complain(format!(
            "cp2: {}: the recording was interrupted; it goes up to its last checkpoint, cycle {}",
            path.display(),
            recording.cycles().end()
        ));
    }
    Ok(recording)
}
