//! `cp2 trace`: a window of a recording, or of a program that is run for it, for people and other tools.

use crate::args::{Cycles, Format as Form, ProcessChoice, ProfileChoice, Run, Trace, TraceChoice};
use crate::input::trace_file::{self, Request, TraceFile};
use crate::input::{machine, recording, start, workload};
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_asm::sites::NamesByCycle;
use cp2_emu::machine::Act;
use cp2_emu::trace::Observer;
use cp2_emu::{Machine, MachineConfig};
use cp2_isa::{Core, Cycle};
use cp2_recording::{Follower, Recording};
use cp2_session::{Engine, recorded};
use cp2_trace::{Content, Selection, TraceFormat};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn trace(arguments: &Trace) -> Outcome {
    let path = &arguments.input;
    files::check(&[Some(path)], &[arguments.output.as_deref()])?;
    if recording::is_one(path) {
        start::only_for_programs(&arguments.start, "")?;
        let recording = recording::open(path)?;
        let request = request(arguments, recording.core())?;
        return of_recording(arguments, request, recording);
    }
    if workload::is_file(path) {
        let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
        let recorded = workload::recorded(path, &arguments.start, output)?;
        let request = request(arguments, recorded.recording.core())?;
        return of_recording(arguments, request, recorded.recording);
    }
    let (_, core) = machine::with_core(&arguments.start.machine)?;
    crate::commands::run::traced(&run(arguments), Some(request(arguments, &core)?), true)
}

/// Returns the arguments of a run of which nothing but the trace is wanted.
fn run(arguments: &Trace) -> Run {
    Run {
        program: Some(arguments.input.clone()),
        process: ProcessChoice::default(),
        format: Form::Auto,
        start: arguments.start.clone(),
        dump_config: false,
        dump: None,
        interface: false,
        engine: Engine::default(),
        trace: TraceChoice {
            trace: None,
            trace_values: false,
            trace_cycles: None,
            trace_limit: arguments.limit,
        },
        profile: ProfileChoice { profile: false, profile_folded: None },
        record: None,
        check: false,
        json: false,
    }
}

fn request(arguments: &Trace, core: &Core) -> Outcome<Request> {
    let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let format = match arguments.format {
        Some(format) => format,
        None if files::is_standard(&path) => TraceFormat::Text,
        None => trace_file::format_of(&path).ok_or_else(|| unknown_ending(&path))?,
    };
    if files::is_standard(&path) && !format.is_stream() {
        return Err(usage(format!(
            "--format {}: this form cannot go to standard output; give a file with -o",
            format.name()
        )));
    }
    let mut selection = Selection::default();
    let wrong = |option: &str, e: String| usage(format!("{option} {e}"));
    for lines in &arguments.lines {
        selection.add_lines(lines).map_err(|e| wrong("--lines", e))?;
    }
    for registers in &arguments.registers {
        selection.add_registers(registers, core).map_err(|e| wrong("--registers", e))?;
    }
    if let Some(sections) = &arguments.sections {
        selection.set_sections(sections).map_err(|e| wrong("--sections", e))?;
    }
    Ok(Request {
        path,
        format,
        content: Content::Everything,
        values: arguments.values,
        cycles: arguments.cycles.unwrap_or(Cycles::ALL),
        limit: arguments.limit,
        limit_option: "--limit",
        selection,
    })
}

fn unknown_ending(path: &Path) -> crate::process::exit::Failure {
    let endings = TraceFormat::ALL.map(|format| format!(".{}", format.endings()[0])).join(", ");
    let names = TraceFormat::ALL.map(TraceFormat::name).join(", ");
    usage(format!(
        "{}: no form of traces has this ending; the endings are {endings}; or give --format ({names})",
        path.display()
    ))
}

fn of_recording(arguments: &Trace, request: Request, mut recording: Recording) -> Outcome {
    let path = &arguments.input;
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
    let Cycles { start, end: to } = request.cycles;
    let from =
        if arguments.cycles.is_none_or(|cycles| cycles.start == 0) { begin } else { Cycle(start) };
    let to = Cycle(to);
    if from >= end || from < begin {
        return Err(place(&format!(
            "there is no cycle {from}: the recording has cycles {begin} to {end}, the last excluded"
        )));
    }
    if to > end && to != Cycle::NEVER {
        complain(format!(
            "cp2: note: {}: the run ends before cycle {end}, and the trace with it",
            path.display()
        ));
    }
    let core = *recording.core();
    let turns = recorded::by_code(&mut recording).map_err(|e| place(&e))?;
    let images = turns.iter().map(|names| &names.programs.image);
    request.check_lines(images.clone(), &core)?;
    let names = images.zip(turns.iter().map(|names| names.cycles.clone()));
    let names = NamesByCycle::new(names, &core);
    let config = recording.header().machine.as_deref().map(MachineConfig::parse).transpose();
    let config = config.map_err(|e| place(&e))?;
    let mut trace = TraceFile::open(request, names, &core, trace_file::clock(config.as_ref()))?;
    let progress = Progress::new("cycles", to.min(end) - from);
    let mut shown = Shown { follower: &mut trace.tracer, progress, from };
    recording.follow(from..to, &mut shown).map_err(|e| place(&e))?;
    drop(shown);
    Ok(if trace.close()? { Exit::Success } else { Exit::Pipe })
}

/// Follower with a bar that shows how far it is.
struct Shown<'a> {
    follower: &'a mut dyn Follower,
    progress: Progress,
    from: Cycle,
}

impl Follower for Shown<'_> {
    fn begin(&mut self, machine: &Machine) {
        self.follower.begin(machine);
    }

    fn act(&mut self, act: &Act) {
        self.follower.act(act);
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.follower.observer()
    }

    fn cycle(&mut self, machine: &mut Machine) -> ControlFlow<()> {
        let done = machine.cycle().saturating_since(self.from);
        if done.is_multiple_of(4096) {
            self.progress.at(done);
        }
        self.follower.cycle(machine)
    }

    fn end(&mut self, machine: &mut Machine) {
        self.follower.end(machine);
    }
}
