//! Subjects that commands look at: a recording, or a program, which is run and recorded in memory first.

use crate::args::{Format, Program, Start};
use crate::input::arrays::{NothingGiven, Wanted};
use crate::input::programs::Programs;
use crate::input::{machine, program, recording, start, workload};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::storage::files;
use cp2_analysis::accounting::AccountError;
use cp2_asm::diagnostic::Sources;
use cp2_emu::End;
use cp2_isa::Cycle;
use cp2_lab::recorded::RecordedWorkload;
use cp2_recording::{Recorder, Recording, RecordingInMemory, Verification};
use cp2_session::{Cancellation, Engine, Environment, Run, Setup};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

/// Run that can be looked at, with the names of its program.
pub(crate) struct Subject {
    /// Name of the run in messages.
    pub(crate) name: String,
    pub(crate) recording: Recording,
    /// Programs that took turns in instruction memory.
    pub(crate) programs: Programs,
    /// Lines of the source of the program.
    pub(crate) lines: Lines,
    /// Whether the run comes from a recording file.
    is_recorded: bool,
}

/// Lines of source: texts of a program that was assembled now, else of files as they are now.
pub(crate) struct Lines {
    sources: Sources,
    /// Lines of files that have been asked for, by the name of the file; none for one that is not there.
    read: RefCell<HashMap<String, Vec<String>>>,
}

/// Opens a recording, or runs a program, with what is given for it; the command writes to `output`.
pub(crate) fn open(path: &Path, start: &Start, output: &Path) -> Outcome<Subject> {
    open_while(path, start, output, &|| false)
}

/// Opens a recording, or runs a program, as [`open`] does, unless `is_over` tells meanwhile that nobody wants the run any more.
pub(crate) fn open_while(
    path: &Path,
    start: &Start,
    output: &Path,
    is_over: &dyn Fn() -> bool,
) -> Outcome<Subject> {
    if recording::is_one(path) {
        start::only_for_programs(start, "")?;
        return recorded(path, None);
    }
    if workload::is_file(path) {
        return of_workload(path, start, output);
    }
    let wanted = Wanted::read(&start.arrays, &start.arg)?;
    let (mut inputs, mut outputs) = start::files(start, &wanted);
    inputs.push(Some(path));
    outputs.push(Some(output));
    files::check(&inputs, &outputs)?;
    run(path, start, &wanted, is_over)
}

/// Opens a recording, or runs a program, as [`open`] does, and simulates the run again, to compare it with what was recorded.
/// An account needs the costs of bundles, which can be counted on the way.
pub(crate) fn open_verified(
    path: &Path,
    start: &Start,
    output: &Path,
    extent: Verification,
) -> Outcome<Subject> {
    if recording::is_one(path) {
        start::only_for_programs(start, "")?;
        return recorded(path, Some(extent));
    }
    let mut subject = open(path, start, output)?;
    subject.recording.verify().map_err(|e| Subject::failed(&subject.name, &e))?;
    Ok(subject)
}

/// Opens two recordings or programs, each with what is given for it; the command prints.
pub(crate) fn open_both(paths: [&Path; 2], starts: [&Start; 2]) -> Outcome<[Subject; 2]> {
    let read = |start: &Start| Wanted::read(&start.arrays, &start.arg);
    let wanted = [read(starts[0])?, read(starts[1])?];
    let (mut inputs, mut outputs) = (Vec::new(), vec![Some(Path::new("-"))]);
    for (path, (start, wanted)) in paths.into_iter().zip(starts.into_iter().zip(&wanted)) {
        inputs.push(Some(path));
        if !recording::is_one(path) {
            let (more, stores) = start::files(start, wanted);
            inputs.extend(more);
            outputs.extend(stores);
        }
    }
    files::check(&inputs, &outputs)?;
    let open = |k: usize| match () {
        () if recording::is_one(paths[k]) => recorded(paths[k], None),
        () if workload::is_file(paths[k]) => of_workload(paths[k], starts[k], Path::new("-")),
        () => run(paths[k], starts[k], &wanted[k], &|| false),
    };
    Ok([open(0)?, open(1)?])
}

/// Opens a recording; verifies it first if an extent is given.
fn recorded(path: &Path, verified: Option<Verification>) -> Outcome<Subject> {
    let name = path.display().to_string();
    let mut recording = recording::open(path)?;
    let (programs, sources) = match verified {
        Some(extent) => {
            let found = |recording: &mut Recording| Programs::of(recording, &name);
            let verified = recording.verify_beside(found, extent);
            verified.map_err(|e| Subject::failed(&name, &e))?
        }
        None => Programs::of(&mut recording, &name),
    }?;
    Ok(Subject { name, recording, programs, lines: Lines::of(sources), is_recorded: true })
}

/// Runs the workload of a file, the best of its variants, and records the run in memory.
fn of_workload(path: &Path, start: &Start, output: &Path) -> Outcome<Subject> {
    let name = path.display().to_string();
    let recorded = workload::recorded(path, start, output)?;
    let RecordedWorkload { mut recording, outcome, .. } = recorded;
    let (programs, sources) = Programs::of(&mut recording, &name)?;
    if let Some(complaint) = outcome.verdict.complaint {
        complain(format!("cp2: note: {name}: {complaint}"));
    }
    Ok(Subject { name, recording, programs, lines: Lines::of(sources), is_recorded: false })
}

/// Runs a program with its data and records the run in memory.
fn run(
    path: &Path,
    start: &Start,
    wanted: &Wanted,
    is_over: &dyn Fn() -> bool,
) -> Outcome<Subject> {
    let name = path.display().to_string();
    let (config, core) = machine::with_core(&start.machine)?;
    let program = Program { program: path.to_owned(), format: Format::Auto, cache: start.cache };
    let program = program::load(&program, &core)?;
    let (prepared, results) =
        start::ready(&program, config.as_ref(), (start, wanted), NothingGiven::Refused)?;
    let header = recording::header(config.as_ref(), &core);
    let tape = RecordingInMemory::default();
    let failed = |e: &dyn std::fmt::Display| Failure {
        exit: Exit::Internal,
        message: format!("{name} could not be recorded in memory: {e}"),
    };
    let recorder = Recorder::new(Box::new(tape.clone()), &header).map_err(|e| failed(&e))?;
    let max_cycles = start::limit(start);
    let setup = Setup { max_cycles, recorder: Some(recorder.clone()), ..Setup::default() };
    let mut run = Run::new(&Environment::new(), prepared, &setup)?;
    let cancellation = Cancellation::default();
    let end = run.to_end(&cancellation, &mut |_| {
        if is_over() {
            cancellation.cancel();
        }
    });
    let outcome = run.finish(end);
    if is_over() {
        return Err(bad_input(format!("{name}: the run was ended, for nobody wants it any more")));
    }
    recorder.finish().map_err(|e| failed(&e))?;
    match &outcome.end {
        End::Stopped(_) => results.write(&outcome.machine.cp2.state)?,
        End::Interrupted => {}
        End::CycleLimit(limit) => complain(format!(
            "cp2: note: {name} did not stop within {limit} cycles (--max-cycles); the report ends there"
        )),
        End::Fault(fault) => complain(format!("cp2: note: {name} ended with an error: {fault}")),
    }
    let bytes = tape.take();
    let recording =
        Recording::open(Cursor::new(bytes), Environment::new().engine(Engine::default()));
    let recording = recording.map_err(|e| failed(&e))?;
    Ok(Subject {
        programs: Programs::of_one(program.image(), program.sources(), &recording),
        recording,
        name,
        lines: Lines::of(program.sources().clone()),
        is_recorded: false,
    })
}

impl Subject {
    /// Returns the failure for an error of the recording.
    pub(crate) fn failed(name: &str, e: &dyn std::fmt::Display) -> Failure {
        bad_input(format!("{name}: {e}"))
    }

    /// Returns the failure that there is no account of a run. Sums that do not come out of a file are the file's fault, as
    /// what it says of a run is no other run's; out of a run that was made now they are that of cp2.
    pub(crate) fn without_account(name: &str, is_recorded: bool, e: &AccountError) -> Failure {
        match e {
            AccountError::Recording(e) => Self::failed(name, e),
            AccountError::Sums(_) if is_recorded => bad_input(format!(
                "{name}: this recording is damaged, {e}; copy it again, or record again"
            )),
            AccountError::Sums(_) => {
                Failure { exit: Exit::Internal, message: format!("cp2: error: {name}: {e}") }
            }
        }
    }

    /// Whether the run comes from a recording file.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Refuses a cycle that the run does not have.
    pub(crate) fn check(&self, cycle: Cycle) -> Outcome<()> {
        let all = self.recording.cycles();
        if all.contains(&cycle) {
            return Ok(());
        }
        let (first, last) = (all.start(), all.end());
        Err(bad_input(format!(
            "{}: there is no cycle {cycle}; the run has cycles {first} to {last}",
            self.name
        )))
    }
}

impl Lines {
    fn of(sources: Sources) -> Self {
        Self { sources, read: RefCell::default() }
    }

    /// Returns the texts of the source, of files as they are now where the run has none.
    pub(crate) fn into_sources(self) -> Sources {
        self.sources
    }

    /// Returns the text of a line, without its comment, if there is one.
    pub(crate) fn line(&self, file: &str, line: u32) -> Option<String> {
        let at = line.checked_sub(1)? as usize;
        let mut read = self.read.borrow_mut();
        if !read.contains_key(file) {
            read.insert(file.to_owned(), self.lines_of(file));
        }
        read.get(file)?.get(at).map(|line| cp2_asm::without_comment(line).to_owned())
    }

    fn lines_of(&self, file: &str) -> Vec<String> {
        let split = |text: &str| text.lines().map(str::to_owned).collect();
        let place = self.sources.names().position(|name| name == file);
        match place.and_then(|place| u32::try_from(place).ok()) {
            Some(place) => split(self.sources.text(place)),
            None => std::fs::read_to_string(file).map(|text| split(&text)).unwrap_or_default(),
        }
    }
}
