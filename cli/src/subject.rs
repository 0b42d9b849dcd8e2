//! What is looked at: a recording, or a program, which is run and recorded in memory first.

use crate::args::{CacheChoice, Format, MachineChoice, Program, Subject as Choice};
use crate::exit::{Exit, Failure, Outcome, bad_input, complain, usage};
use crate::{files, machine, program, recording};
use cp2_asm::diagnostic::Sources;
use cp2_asm::image::Image;
use cp2_emu::{Cp2, End, Machine};
use cp2_isa::{BundleAddress, Cycle};
use cp2_programs::Engine;
use cp2_programs::recorded::{self, Recorded};
use cp2_recording::{Recorder, Recording};
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A run that can be looked at, and the names of its program.
pub(crate) struct Subject {
    /// What it is called in messages.
    pub(crate) name: String,
    pub(crate) recording: Recording,
    pub(crate) image: Image,
    /// The lines of its source.
    pub(crate) lines: Lines,
}

/// Lines of source: texts of a program that was assembled now, else of files as they are now.
pub(crate) struct Lines(Sources);

/// Bytes that a recorder writes.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<Vec<u8>>>);

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// As [`open`]; the choice may be meant for another one beside it.
pub(crate) fn open_beside(path: &Path, choice: &Choice) -> Outcome<Subject> {
    if recording::is_one(path) { recorded(path) } else { run(path, choice, &choice.machine) }
}

/// Opens a recording, or runs a program.
pub(crate) fn open(path: &Path, choice: &Choice) -> Outcome<Subject> {
    let is_changed = !choice.machine.is_default() || choice.init.is_some();
    if recording::is_one(path) && is_changed {
        return Err(usage(format!(
            "{}: a recording says what it ran on; --machine, --enable, --set and --init are for programs",
            path.display()
        )));
    }
    open_beside(path, choice)
}

fn recorded(path: &Path) -> Outcome<Subject> {
    let name = path.display().to_string();
    let mut recording = recording::open(path)?;
    let failed = |e: &dyn std::fmt::Display| bad_input(format!("{name}: {e}"));
    let Recorded { mut image, sources } = recorded::of(&mut recording).map_err(|e| failed(&e))?;
    if image.kernels.is_empty() {
        let last = *recording.cycles().end();
        recording.seek(last).map_err(|e| failed(&e))?;
        image = cp2_analysis::program::of_memory(recording.state());
    }
    Ok(Subject { name, recording, image, lines: Lines(sources) })
}

/// Runs a program from its first bundle and records that in memory.
fn run(path: &Path, choice: &Choice, machine: &MachineChoice) -> Outcome<Subject> {
    let name = path.display().to_string();
    let config = machine::config(machine)?;
    let core = match &config {
        Some(config) => *config.core(),
        None => machine::core_alone(&machine.changes)?,
    };
    let program = Program {
        program: path.to_owned(),
        format: Format::Auto,
        cache: CacheChoice { no_cache: false },
    };
    let program::Loaded { image, sources, .. } = program::load(&program, &core)?;
    let mut machine = match &config {
        Some(config) => Machine::new(config),
        None => Machine::alone(Cp2::new(core)),
    };
    cp2_programs::load::load(&image, &mut machine.cp2);
    if let Some(path) = &choice.init {
        let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let value = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
        machine.cp2.state.load_json(&core, &value).map_err(|e| place(&e))?;
    }
    let header = recording::header(config.as_ref(), &core);
    let tape = Tape::default();
    let failed = |e: &dyn std::fmt::Display| Failure {
        exit: Exit::Internal,
        message: format!("{name}: recording it in memory: {e}"),
    };
    let recorder = Recorder::new(Box::new(tape.clone()), &header).map_err(|e| failed(&e))?;
    recorded::keep(&recorder, &image, &sources).map_err(|e| bad_input(e.to_string()))?;
    let mut engine = recorder.around(Engine::default().build());
    let entry = image.kernels.first().map_or(BundleAddress::default(), |kernel| kernel.start);
    let result =
        engine.run_kernel(&mut machine, entry, choice.max_cycles, &mut cp2_emu::trace::Off);
    engine.leave(&mut machine);
    recorder.finish().map_err(|e| failed(&e))?;
    match &result.end {
        End::Stopped(_) | End::Interrupted => {}
        End::CycleLimit(limit) => complain(format!(
            "cp2: note: {name} did not stop within {limit} cycles (--max-cycles); what is told ends there"
        )),
        End::Fault(fault) => complain(format!("cp2: note: {name} ended with an error: {fault}")),
    }
    let bytes = std::mem::take(&mut *tape.0.lock().unwrap_or_else(PoisonError::into_inner));
    let recording = Recording::open(Cursor::new(bytes), Engine::default().build());
    Ok(Subject {
        recording: recording.map_err(|e| failed(&e))?,
        name,
        image,
        lines: Lines(sources),
    })
}

impl Subject {
    /// The failure that an error of the recording is.
    pub(crate) fn failed(name: &str, e: &dyn std::fmt::Display) -> Failure {
        bad_input(format!("{name}: {e}"))
    }

    /// Refuses a cycle that the run does not have.
    pub(crate) fn check(&self, cycle: Cycle) -> Outcome<()> {
        let all = self.recording.cycles();
        if all.contains(&cycle) {
            return Ok(());
        }
        let (first, last) = (all.start(), all.end());
        Err(bad_input(format!(
            "{}: there is no cycle {cycle}; the run has {first} to {last}",
            self.name
        )))
    }
}

impl Lines {
    /// The text of a line, without its comment, if there is one.
    pub(crate) fn line(&self, file: &str, line: u32) -> Option<String> {
        let at = line.checked_sub(1)? as usize;
        let found = match self.0.names().position(|name| name == file) {
            Some(place) => {
                let text = self.0.text(u32::try_from(place).ok()?);
                text.lines().nth(at).map(str::to_owned)
            }
            None => std::fs::read_to_string(file).ok()?.lines().nth(at).map(str::to_owned),
        };
        found.map(|line| cp2_asm::without_comment(&line).to_owned())
    }
}
