//! `cp2 run`.

use crate::args;
use crate::input::arrays::{NothingGiven, Wanted};
use crate::input::recording::{self, RecordingFile};
use crate::input::trace_file::{self, Request, TraceFile, Watcher};
use crate::input::{machine, program, start};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use crate::storage::files::Output;
use cp2_analysis::profile::ProfileReport;
use cp2_asm::image::Image;
use cp2_asm::sites::BundleNames;
use cp2_emu::machine::Key;
use cp2_emu::{End, MachineConfig};
use cp2_isa::{Core, bundle_digits};
use cp2_session::{Cancellation, Environment, Program, Run, Setup, arrays};
use cp2_workloads::workload::counts;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

mod bare;
#[cfg(feature = "cluster")]
pub(super) use bare::LoadedKernels;
mod check;
mod debugger;
mod process;
mod profile;

pub(crate) fn run(arguments: &args::Run) -> Outcome {
    traced(arguments, Request::of_run(&arguments.trace), false)
}

/// Runs a program and writes a trace that was asked for; `is_trace_all` means that the trace is all that was.
pub(crate) fn traced(
    arguments: &args::Run,
    request: Option<Request>,
    is_trace_all: bool,
) -> Outcome {
    if let Some(outcome) = elsewhere(arguments, is_trace_all) {
        return outcome;
    }
    let (start, dump) = (&arguments.start, arguments.dump.as_deref());
    if is_machine_alone(arguments)? {
        return Ok(Exit::Success);
    }
    let wanted = Wanted::read(&start.arrays, &start.arg)?;
    check_files(arguments, (&wanted, request.as_ref().map(|request| request.path.as_path())))?;
    let (config, core) = machine::with_core(&start.machine)?;
    let loaded = load(arguments, &core)?;
    if arguments.interface {
        return interface(arguments, loaded.image());
    }
    let (prepared, results) =
        start::ready(&loaded, config.as_ref(), (start, &wanted), NothingGiven::Told)?;
    // From here on a signal ends the run, not the command: it still writes what it promised.
    let finishing = Finishing::begin();
    // Opened before the run, so that a place that cannot be written costs no work.
    let open =
        |path: Option<&Path>| path.filter(|p| !files::is_standard(p)).map(Output::open).transpose();
    let (output, folded) = (open(dump)?, open(arguments.profile.profile_folded.as_deref())?);
    let header = recording::header(config.as_ref(), &core);
    let record = arguments.record.as_deref();
    let recording = record.map(|path| RecordingFile::create(path, &header)).transpose()?;
    let setup = setup(arguments, recording.as_ref());
    // Translated code of a user's program is not kept for other processes: most edits make it useless.
    let run = Run::new(&Environment::new(), prepared, &setup)?;
    let mut watcher = watcher(request, loaded.image(), &core, config.as_ref())?;
    let outcome = execute(run, &mut watcher, &finishing);
    let has_begun = watcher.has_begun();
    let traced = watcher.close();
    if let Some(path) = dump {
        files::finish(output, path, format!("{:#}\n", outcome.state()).as_bytes())?;
    }
    let is_read = traced?;
    recording.map(RecordingFile::finish).transpose()?;
    let signal = finishing.came();
    let found = outcome.checked.clone().map(check::CheckFindings);
    if let Some(found) = &found
        && found.tell()?
    {
        return found.broken(arguments.json, &outcome.stats);
    }
    let cp2 = &outcome.machine.cp2;
    if matches!(outcome.end, End::Stopped(_)) {
        results.write(&cp2.state)?;
    }
    let profile = profile::report((loaded.image(), loaded.sources()), &core, cp2);
    let is_quiet = is_trace_all || wanted.takes_standard_output();
    let extra = (profile.as_ref(), found.as_ref());
    report(arguments, config.as_ref(), &core, (&outcome, signal, is_quiet), extra)?;
    let stacks = || profile::stacks(loaded.image(), &core, cp2);
    profile::finish(arguments, profile.as_ref(), loaded.sources(), (folded, stacks))?;
    if is_trace_all && !has_begun {
        return Err(empty_trace(outcome.stats.cycles));
    }
    Ok(match exit(&outcome.end, signal) {
        _ if !is_read => Exit::Pipe,
        Exit::Success if found.is_some_and(|found| !found.0.is_clean()) => Exit::Check,
        exit => exit,
    })
}

/// Whether `--dump-config` asked for nothing but the machine, which is printed then.
fn is_machine_alone(arguments: &args::Run) -> Outcome<bool> {
    if !arguments.dump_config {
        return Ok(false);
    }
    let Some(config) = machine::config(&arguments.start.machine)? else { return Ok(false) };
    files::print(config.dump().as_bytes())?;
    Ok(true)
}

/// Loads the program, which `--check` holds to its promises and therefore has to have them.
fn load(arguments: &args::Run, core: &Core) -> Outcome<Program> {
    // The arguments need a program wherever the machine is not only printed.
    let program = arguments.program.clone().unwrap_or_default();
    let (format, cache) = (arguments.format, arguments.start.cache);
    let loaded = program::load(&args::Program { program, format, cache }, core)?;
    if arguments.check && !loaded.has_promises() {
        return Err(usage("--check: `.hex` has no promises; give the source or an object"));
    }
    Ok(loaded)
}

/// Returns the setup of the run that the arguments ask for.
fn setup(arguments: &args::Run, recording: Option<&RecordingFile>) -> Setup {
    Setup {
        engine: arguments.engine,
        max_cycles: start::limit(&arguments.start),
        is_checked: arguments.check,
        is_profiled: profile::is_wanted(arguments),
        recorder: recording.map(|recording| recording.recorder().clone()),
        ..Setup::default()
    }
}

/// Runs a program of the control processor, as a process or on the bare machine. Returns none for a program of CP2, after
/// it has refused options of the control processor.
fn elsewhere(arguments: &args::Run, is_trace_all: bool) -> Option<Outcome> {
    if arguments.process.user {
        return Some(process::run(arguments));
    }
    if let Some(option) = arguments.process.given_for_linux() {
        return Some(Err(usage(format!("{option}: only a Linux program has it; give --user too"))));
    }
    if !is_trace_all && let Some(bytes) = bare::program(arguments) {
        return Some(bare::run(arguments, &bytes));
    }
    let option = arguments.process.given()?;
    let why = "is for programs of the control processor; this one is for CP2";
    Some(Err(usage(format!("{option} {why}"))))
}

/// Returns the failure of a trace that has nothing, of a run of `cycles` cycles.
fn empty_trace(cycles: u64) -> Failure {
    bad_input(format!(
        "the trace is empty: --cycles begins after the end of the run, which has cycles 0 to {cycles}, the last excluded"
    ))
}

/// Refuses files that are read and written at once, or written twice.
fn check_files(arguments: &args::Run, (wanted, trace): (&Wanted, Option<&Path>)) -> Outcome<()> {
    let start = &arguments.start;
    let json = arguments.json.then_some(Path::new("-"));
    let (mut inputs, stores) = start::files(start, wanted);
    inputs.push(arguments.program.as_deref());
    let (dump, record) = (arguments.dump.as_deref(), arguments.record.as_deref());
    let folded = arguments.profile.profile_folded.as_deref();
    let mut outputs = vec![dump, trace, record, profile::output(arguments), folded, json];
    outputs.extend(stores);
    files::check(&inputs, &outputs)
}

/// Creates the watcher that traces the run, if a trace is asked for.
fn watcher<'a>(
    request: Option<Request>,
    image: &'a Image,
    core: &Core,
    config: Option<&MachineConfig>,
) -> Outcome<Watcher<'a>> {
    let clock = trace_file::clock(config);
    let open = |request: Request| {
        request.check_lines(std::iter::once(image), core)?;
        TraceFile::open(request, BundleNames::new(image, core).into(), core, clock)
    };
    Ok(Watcher::new(request.map(open).transpose()?))
}

/// Prints the arguments and arrays that the kernels declare.
fn interface(arguments: &args::Run, image: &Image) -> Outcome {
    match arguments.json {
        true => files::print_json(&arrays::program_json(image))?,
        false => files::print(arrays::program_text(image).as_bytes())?,
    }
    Ok(Exit::Success)
}

/// Runs the program to its end or a signal, with a bar of the cycles on a terminal.
fn execute(
    mut run: Run<'_>,
    watcher: &mut Watcher<'_>,
    finishing: &Finishing,
) -> cp2_session::Outcome {
    let (progress, cancellation) = (Progress::counting("cycles"), Cancellation::default());
    let mut tell = |done| {
        progress.at(done);
        if finishing.came().is_some() {
            cancellation.cancel();
        }
    };
    let end = run.watched(watcher, &cancellation, &mut tell);
    run.finish_watched(watcher, end)
}

fn exit(end: &End, signal: Option<i32>) -> Exit {
    match end {
        End::Interrupted => signal.map_or(Exit::Pipe, signals::exit),
        End::Stopped(_) => Exit::Success,
        End::CycleLimit(_) => Exit::Limit,
        End::Fault(_) => Exit::Guest,
    }
}

fn report(
    arguments: &args::Run,
    config: Option<&MachineConfig>,
    core: &Core,
    (run, signal, is_quiet): (&cp2_session::Outcome, Option<i32>, bool),
    (profile, found): (Option<&ProfileReport>, Option<&check::CheckFindings>),
) -> Outcome<()> {
    match &run.end {
        End::Stopped(_) => {}
        End::Interrupted if signal.is_none() => return Ok(()),
        End::Interrupted => {
            complain(format!("cp2: interrupted after {} cycles", run.stats.cycles));
        }
        End::CycleLimit(limit) => complain(format!(
            "cp2: error: the program did not stop within {limit} cycles; raise --max-cycles if it should run longer"
        )),
        End::Fault(fault) => complain(format!("cp2: error: {fault}")),
    }
    let on_standard =
        |path: &Option<std::path::PathBuf>| path.as_deref().is_some_and(files::is_standard);
    if arguments.json {
        let mut value = json!({
            "schema": "cp2-run-1",
            "end": end_json(&run.end),
            "stats": run.stats.to_json(),
        });
        if *core != Core::default() {
            value["core"] = core.changes().into();
        }
        if let Some(config) = config {
            value["machine"] = config.to_json();
        }
        if let Some(profile) = profile.filter(|_| arguments.profile.profile) {
            value["profile"] = profile.to_json();
        }
        if let Some(found) = found {
            value["check"] = found.to_json();
        }
        return files::print_json(&value);
    }
    let outputs = [&arguments.dump, &arguments.trace.trace, &arguments.profile.profile_folded];
    if is_quiet || outputs.into_iter().any(on_standard) {
        return Ok(());
    }
    let mut text = match &run.end {
        End::Stopped(code) => format!("stopped with code {code}\n"),
        _ => String::new(),
    };
    for change in core.changes() {
        let _ = writeln!(text, "core: {change}");
    }
    text += &counts(&run.stats);
    if let Some(config) = config {
        let mhz = config.value(Key::CpuClock);
        let time = run.stats.cycles as f64 / f64::from(mhz);
        let _ = writeln!(text, "{time:>12.3} microseconds on {} at {mhz} MHz", config.name());
    }
    files::print(text.as_bytes())
}

fn end_json(end: &End) -> Value {
    match end {
        End::Stopped(code) => json!({ "kind": "stopped", "stopcode": format!("{code:016x}") }),
        End::Interrupted => json!({ "kind": "interrupted" }),
        End::CycleLimit(limit) => json!({ "kind": "cycle_limit", "limit": limit }),
        End::Fault(fault) => json!({
            "kind": "fault",
            "cycle": fault.cycle,
            "address": fault.address.map(|at| at.0),
            "word": bundle_digits(fault.word),
            "message": fault.kind.to_string(),
        }),
    }
}
