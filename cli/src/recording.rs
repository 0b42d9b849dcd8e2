//! Recordings as files: where they are written, and opening them.

use crate::exit::{Outcome, bad_input, usage};
use crate::files;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_programs::Engine;
use cp2_recording::{Header, Recorder, Recording};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A recording that is being written. Unlike every other output it grows under its own name, so that what
/// is there can be read when the run is killed.
pub(crate) struct RecordingFile {
    path: PathBuf,
    recorder: &'static Recorder,
}

/// What a recording says of itself, but for its program.
pub(crate) fn header(config: Option<&MachineConfig>, core: &Core) -> Header {
    Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        machine: config.map(MachineConfig::dump),
        core: *core.numbers(),
        program: None,
        inputs: Vec::new(),
    }
}

impl RecordingFile {
    /// Begins a recording.
    pub(crate) fn create(path: &Path, header: &Header) -> Outcome<Self> {
        if files::is_standard(path) {
            return Err(usage("--record -: a recording is a file; give it a name"));
        }
        let file = File::create(path).map_err(|e| files::cannot_write(path, e))?;
        let recorder = Recorder::new(Box::new(file), header);
        let recorder = recorder.map_err(|e| files::cannot_write(path, e))?;
        // A process records one run.
        Ok(Self { path: path.to_owned(), recorder: Box::leak(Box::new(recorder)) })
    }

    /// What writes it.
    pub(crate) fn recorder(&self) -> &'static Recorder {
        self.recorder
    }

    /// Ends it, with the run.
    pub(crate) fn finish(self) -> Outcome<()> {
        let done = self.recorder.finish();
        done.map(drop).map_err(|e| files::cannot_write(&self.path, e))
    }
}

/// Whether a path is that of a recording: by its name, or by what is there.
pub(crate) fn is_one(path: &Path) -> bool {
    let mut first = Vec::new();
    // What cannot be read is told where it is needed.
    let _ = File::open(path).map(|file| file.take(16).read_to_end(&mut first));
    path.extension().is_some_and(|ending| ending == "cp2rec") || cp2_recording::is_recording(&first)
}

/// Opens a recording to look at it.
pub(crate) fn open(path: &Path) -> Outcome<Recording> {
    if files::is_standard(path) {
        return Err(usage("a recording is read from a file, not from standard input"));
    }
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(|e| place(&e))?;
    let recording = Recording::open(file, Engine::default().build()).map_err(|e| place(&e))?;
    if !recording.is_whole() {
        crate::exit::complain(format!(
            "cp2: {}: the recording was interrupted; it goes up to its last checkpoint, cycle {}",
            path.display(),
            recording.cycles().end()
        ));
    }
    Ok(recording)
}
