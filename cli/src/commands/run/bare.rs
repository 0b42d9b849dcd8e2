//! `cp2 run` with a program for the bare control processor: it drives CP2 and the channel.

mod arrays;
mod kernels;

use super::debugger;
use super::process::{Awaited, Guest, state};
use crate::args::{self, CacheChoice, Format, Run};
use crate::input::arrays::Wanted;
use crate::input::recording::{self, RecordingFile};
use crate::input::{machine, program, start};
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use arrays::MemoryArrays;
use cp2_emu::MachineConfig;
use cp2_k64::core::Cpu;
use cp2_k64::devices::Devices;
use cp2_k64::elf::{ElfProgram, is_mips};
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::timing::StallCause;
use cp2_session::Environment;
use cp2_system::Board;
use cp2_system::gdb::{self, SessionEnd, SourceLine};
pub(in crate::commands) use kernels::LoadedKernels;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Name of the machine of a program that names none.
const MACHINE: &str = "vm7";
/// Most cycles of a program that has no other limit.
const MOST_CYCLES: u64 = 10_000_000_000;
/// Number of cycles between two looks at signals.
const SHARE: u64 = 1 << 25;

/// End of a run: by itself, by gdb or by a signal.
enum Over {
    /// The run ended by itself.
    Ended(MachineEnd),
    /// The debugger gdb ended the run.
    Killed,
    /// A signal ended the run.
    Signal(i32),
}

/// Returns the bytes of a program for the control processor, if the file is one.
pub(super) fn program(arguments: &Run) -> Option<Vec<u8>> {
    let path = arguments.program.as_deref().filter(|path| *path != Path::new("-"))?;
    // A pipe can be read once only, and is none. What cannot be read is told by whoever reads it next.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let bytes = (arguments.format == Format::Auto).then(|| files::read(path).ok()).flatten()?;
    is_mips(&bytes).then_some(bytes)
}

pub(super) fn run(arguments: &Run, bytes: &[u8]) -> Outcome {
    refuse(arguments)?;
    let start = &arguments.start;
    let wanted = Wanted::of_memory(&start.arrays.load, &start.arrays.store)?;
    check_files(arguments, &wanted)?;
    let name = arguments.program.clone().unwrap_or_default().display().to_string();
    let program = ElfProgram::read(bytes).map_err(|e| bad_input(format!("{name}: {e}")))?;
    let config = config(arguments)?;
    let kernels = LoadedKernels::read(arguments, (&name, bytes), config.core())?;
    let header = recording::header(Some(&config), config.core());
    let record = arguments.record.as_deref();
    // From here on a signal ends the run, not the command: its recording is finished. A debugger is asked instead.
    let _finishing = arguments.process.gdb.is_none().then(Finishing::begin);
    let recording = record.map(|path| RecordingFile::create(path, &header)).transpose()?;
    let release = arguments.process.release;
    let guest = Guest { name: &name, bytes, release };
    let mut processor = processor(arguments, guest, (&program, &config), recording.as_ref())?;
    let board = Board::of(&processor).ok_or_else(|| usage("no machine"))?;
    let arrays = MemoryArrays::ready(&wanted, (&program, bytes), board)?;
    if let Some(recording) = &recording {
        kernels.keep_in(recording.recorder())?;
    }
    arrays.load(&mut processor);
    let limit = start.max_cycles.unwrap_or(MOST_CYCLES);
    let over = match to_main(&mut processor, &arrays, limit) {
        Some(over) => over,
        None => from_main(arguments, &mut processor, config.core(), limit)?,
    };
    files::print(b"")?;
    if let Some(recording) = recording {
        cp2_system::release(&mut processor);
        recording.finish()?;
    }
    if matches!(over, Over::Ended(MachineEnd::Exit(_))) {
        arrays.store(&mut processor)?;
    }
    if arguments.process.time {
        complain(time(&processor.core));
    }
    Ok(report_end(guest, (&processor, &kernels), (over, limit)))
}

/// Tells which line the bundle comes from that made a fault, or at which a kernel was stopped.
fn tell_bundle(guest: Guest<'_>, processor: &Processor, kernels: &LoadedKernels) {
    let Some(board) = Board::of(processor) else { return };
    let Some(at) = board.current_bundle() else { return };
    let name = guest.name;
    complain(match kernels.place(&board.machine().cp2, at) {
        Some(place) => format!("cp2: {name}: bundle {at} of CP2 is {place}"),
        None => {
            format!("cp2: {name}: CP2 is at bundle {at}, of a program that is not known (--cp2)")
        }
    });
}

/// Refuses files that are read and written at once, or written twice.
fn check_files(arguments: &Run, wanted: &Wanted) -> Outcome<()> {
    let (mut inputs, mut outputs) = start::files(&arguments.start, wanted);
    inputs.push(arguments.program.as_deref());
    let kernels = kernels::files(arguments)?;
    inputs.extend(kernels.iter().map(|path| Some(path.as_path())));
    outputs.push(arguments.record.as_deref());
    files::check(&inputs, &outputs)
}

/// Returns the processor with the program in its memory, and CP2 and the channel around it.
fn processor(
    arguments: &Run,
    guest: Guest<'_>,
    (program, config): (&ElfProgram, &MachineConfig),
    recording: Option<&RecordingFile>,
) -> Outcome<Processor> {
    let mut engine = Environment::new().engine(arguments.engine);
    if let Some(recording) = recording {
        engine = recording.recorder().around(engine);
    }
    let devices = Devices::new(program.entry, Box::new(std::io::stdout()))
        .with_input(Box::new(Awaited(std::io::stdin())));
    let board = Board::new(config, engine, devices);
    let made = Processor::new(program, Box::new(board), guest.release);
    let mut processor = made.map_err(|e| {
        let is_low = program.entry >> 62 == 0;
        let hint = if is_low { "; a program for Linux runs with --user" } else { "" };
        bad_input(format!("{}: {e}{hint}", guest.name))
    })?;
    if !arguments.process.functional {
        processor.core.keep_time(cp2_system::costs(config));
    }
    Ok(processor)
}

/// Runs start-up code, if that would set arrays to 0 which are loaded, and loads them. Returns how the run ended before.
fn to_main(processor: &mut Processor, arrays: &MemoryArrays, limit: u64) -> Option<Over> {
    processor.set_breakpoints([arrays.late_at()?].into());
    let over = run_guest(processor, limit);
    processor.set_breakpoints(BTreeSet::new());
    if !matches!(over, Over::Ended(MachineEnd::Breakpoint)) {
        return Some(over);
    }
    arrays.load_late(processor);
    None
}

/// Runs a program whose arrays are loaded, with a debugger if one is asked for.
fn from_main(
    arguments: &Run,
    processor: &mut Processor,
    core: &cp2_isa::Core,
    limit: u64,
) -> Outcome<Over> {
    let Some(port) = arguments.process.gdb else { return Ok(run_guest(processor, limit)) };
    if arguments.record.is_none() {
        processor.keep_history();
    }
    debugged(processor, (port, core), limit)
}

/// Returns the machine, which need not be named.
fn config(arguments: &Run) -> Outcome<MachineConfig> {
    let mut choice = arguments.start.machine.clone();
    choice.machine.get_or_insert(MACHINE.to_owned());
    machine::config(&choice)?.ok_or_else(|| usage("no machine"))
}

/// Runs a program to its end, to a limit of cycles, or up to a signal while those are held.
fn run_guest(processor: &mut Processor, limit: u64) -> Over {
    loop {
        let until = limit.min(processor.core.cycle().saturating_add(SHARE));
        match (processor.run(until), signals::came()) {
            (MachineEnd::Limit, Some(signal)) => return Over::Signal(signal),
            (MachineEnd::Limit, None) if until < limit => {}
            (end, _) => return Over::Ended(end),
        }
    }
}

/// Tells how a run came to its end, and returns the exit code.
fn report_end(
    guest: Guest<'_>,
    (processor, kernels): (&Processor, &LoadedKernels),
    (over, limit): (Over, u64),
) -> Exit {
    let core = &processor.core;
    let tell_bundle = || tell_bundle(guest, processor, kernels);
    let end = match over {
        Over::Ended(end) => end,
        Over::Killed => return Exit::Success,
        Over::Signal(signal) => {
            guest.stopped(core, &format!("interrupted after {} cycles", core.cycle()));
            tell_bundle();
            return signals::exit(signal);
        }
    };
    match end {
        MachineEnd::Exit(code) => Exit::Program(code),
        MachineEnd::Exception { exception, is_delayed } => {
            guest.exception(core, exception, is_delayed)
        }
        MachineEnd::Fault(text) => {
            guest.error(core, &text);
            tell_bundle();
            complain(whole_state(processor));
            Exit::Guest
        }
        // Nobody sets a breakpoint or watchpoint here.
        MachineEnd::Limit
        | MachineEnd::Breakpoint
        | MachineEnd::Watchpoint(_)
        | MachineEnd::Outside
        | MachineEnd::Request => {
            guest.stopped(
                core,
                &format!("did not end within {limit} cycles (--max-cycles), and was"),
            );
            tell_bundle();
            Exit::Limit
        }
        MachineEnd::Hang => {
            guest.stopped(core, "waits for an interrupt that can never come,");
            complain("no kernel runs, the channel is idle, and the timer is masked");
            complain(whole_state(processor));
            Exit::Limit
        }
    }
}

/// Returns the text for the registers of the processor, and for what CP2 and the channel do.
fn whole_state(processor: &Processor) -> String {
    let board = Board::of(processor).map(Board::describe).unwrap_or_default();
    format!("{}\n{}", state(&processor.core), board.trim_end())
}

/// Returns the text for the cycles, instructions, stalls and misses of a run.
fn time(core: &Cpu) -> String {
    let mut text = format!("{:>12} cycles, {} instructions", core.cycle(), core.n_instructions);
    let Some(timing) = &core.timing else { return text };
    for cause in StallCause::ALL.into_iter().filter(|cause| timing.stalled(*cause) > 0) {
        let _ = write!(text, "\n{:>12} {}", timing.stalled(cause), cause.name());
    }
    let misses = timing.misses();
    let lines = [
        (misses.instructions, "misses of the first cache of instructions"),
        (misses.data, "misses of the first cache of data"),
        (misses.second, "lines from memory"),
    ];
    for (count, name) in lines {
        let _ = write!(text, "\n{count:>12} {name}");
    }
    text
}

/// Waits for gdb on the loopback interface, and lets it debug the program, which goes on if gdb leaves.
fn debugged(
    processor: &mut Processor,
    (port, machine): (u16, &cp2_isa::Core),
    limit: u64,
) -> Outcome<Over> {
    let connection = debugger::wait(port)?;
    let ended = gdb::serve(processor, connection, &mut |path| lines(path, machine))
        .map_err(|e| bad_input(format!("gdb: {e}")))?;
    Ok(match ended {
        SessionEnd::Exit(code) => Over::Ended(MachineEnd::Exit(code)),
        // No signal of Linux ends a program of the bare machine.
        SessionEnd::Killed | SessionEnd::Signal(_) => Over::Killed,
        SessionEnd::Detached => {
            let _finishing = Finishing::begin();
            run_guest(processor, limit)
        }
    })
}

/// Returns the lines of a program of CP2, for breakpoints in it.
fn lines(path: &str, core: &cp2_isa::Core) -> Result<Vec<SourceLine>, String> {
    let cache = CacheChoice { no_cache: false };
    let program = args::Program { program: path.into(), format: Format::Auto, cache };
    let program = program::load(&program, core).map_err(|failure| failure.plain())?;
    let image = program.image();
    let lines = image.lines.iter().filter_map(|(address, place)| {
        let file = image.files.get(place.file as usize)?.clone();
        Some(SourceLine { address: *address, file, line: place.line })
    });
    Ok(lines.collect())
}

/// Refuses options that are for programs of CP2 alone.
fn refuse(arguments: &Run) -> Outcome<()> {
    let start = &arguments.start;
    let given = [
        ("--init", start.init.is_some()),
        ("--arg", !start.arg.is_empty()),
        ("--entry", start.entry.is_some()),
        ("--dump", arguments.dump.is_some()),
        ("--trace", arguments.trace.trace.is_some()),
        ("--profile", arguments.profile.profile),
        ("--profile-folded", arguments.profile.profile_folded.is_some()),
        ("--check", arguments.check),
        ("--interface", arguments.interface),
        ("--json", arguments.json),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(usage(format!(
            "{option} is for programs of CP2; this one is for the control processor"
        ))),
        None => Ok(()),
    }
}
