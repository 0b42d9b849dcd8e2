//! `cp2 run` with a program for the bare control processor: it drives CP2 and the channel.

use super::process::{stopped, told};
use crate::args::{self, CacheChoice, Format, Run};
use crate::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::recording::{self, RecordingFile};
use crate::{files, machine, program};
use cp2_k64::core::Core;
use cp2_k64::devices::Devices;
use cp2_k64::elf::{BadElf, Program, is_mips};
use cp2_k64::isa::Release;
use cp2_k64::machine::{End, Processor};
use cp2_k64::timing::Cause;
use cp2_system::Board;
use cp2_system::gdb::{self, Ended, Line};
use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

/// The machine of a program that names none.
const MACHINE: &str = "vm7";

/// The bytes of a program for the control processor, if the file is one.
pub(super) fn program(arguments: &Run) -> Option<Vec<u8>> {
    let path = arguments.program.as_deref().filter(|path| *path != Path::new("-"))?;
    // A pipe can be read once only, and is none. What cannot be read is told by whoever reads it next.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let bytes = (arguments.format == Format::Auto).then(|| files::read(path).ok()).flatten()?;
    is_mips(&bytes).then_some(bytes)
}

pub(super) fn run(arguments: &Run, bytes: &[u8]) -> Outcome {
    refuse(arguments)?;
    let name = arguments.program.clone().unwrap_or_default().display().to_string();
    let bad = |e: BadElf| bad_input(format!("{name}: {e}"));
    let program = Program::read(bytes).map_err(bad)?;
    let mut choice = arguments.start.machine.clone();
    choice.machine.get_or_insert(MACHINE.to_owned());
    let Some(config) = machine::config(&choice)? else { return Err(usage("no machine")) };
    let inputs = [arguments.program.as_deref()];
    files::check(&inputs, &[arguments.record.as_deref()])?;
    let header = recording::header(Some(&config), config.core());
    let record = arguments.record.as_deref();
    let recording = record.map(|path| RecordingFile::create(path, &header)).transpose()?;
    let mut engine = arguments.engine.build();
    if let Some(recording) = &recording {
        engine = recording.recorder().around(engine);
    }
    let devices = Devices::new(program.entry, Box::new(std::io::stdout()));
    let board = Board::new(&config, engine, devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R2).map_err(bad)?;
    if !arguments.process.functional {
        processor.core.keep_time(cp2_system::costs(&config));
    }
    if let Some(port) = arguments.process.gdb {
        match debugged(&mut processor, (port, config.core()))? {
            Ended::Exit(code) => return Ok(Exit::Program(code)),
            Ended::Killed => return Ok(Exit::Success),
            Ended::Detached => {}
        }
    }
    let end = processor.run(arguments.start.max_cycles);
    files::print(b"")?;
    if let Some(recording) = recording {
        cp2_system::leave(&mut processor);
        recording.finish()?;
    }
    let core = &processor.core;
    if arguments.process.time {
        complain(time(core));
    }
    Ok(match end {
        End::Exit(code) => Exit::Program(code),
        End::Exception { exception, is_delayed } => told(&name, bytes, core, exception, is_delayed),
        End::Fault(text) => {
            complain(format!("cp2: error: {name}: {text}"));
            stopped(&name, bytes, core, "the processor was");
            Exit::Guest
        }
        // Nobody sets a breakpoint here.
        End::Limit | End::Breakpoint | End::Outside => {
            let cycles = arguments.start.max_cycles;
            stopped(&name, bytes, core, &format!("did not end within {cycles} cycles, and was"));
            Exit::Limit
        }
        End::Hang => {
            stopped(&name, bytes, core, "waits for an interrupt that cannot come,");
            complain("no kernel runs, the channel is still, and the timer is masked");
            Exit::Limit
        }
    })
}

/// What a run took.
fn time(core: &Core) -> String {
    let mut text = format!("{:>12} cycles, {} instructions", core.cycle(), core.n_instructions);
    let Some(timing) = &core.timing else { return text };
    for cause in Cause::ALL.into_iter().filter(|cause| timing.stalled(*cause) > 0) {
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

/// Waits for gdb on the loopback interface, and lets it debug the program.
fn debugged(processor: &mut Processor, (port, machine): (u16, &cp2_isa::Core)) -> Outcome<Ended> {
    let failed = |e: std::io::Error| bad_input(format!("--gdb {port}: {e}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    complain(format!("cp2: waiting for gdb: target remote :{port}"));
    let (connection, _) = listener.accept().map_err(failed)?;
    gdb::serve(processor, connection, &mut |path| lines(path, machine))
        .map_err(|e| bad_input(format!("gdb: {e}")))
}

/// The lines of a program of CP2, for breakpoints in it.
fn lines(path: &str, core: &cp2_isa::Core) -> Result<Vec<Line>, String> {
    let cache = CacheChoice { no_cache: false };
    let program = args::Program { program: path.into(), format: Format::Auto, cache };
    let image = program::load(&program, core).map_err(|failure| failure.plain())?.image;
    let lines = image.lines.iter().filter_map(|(address, place)| {
        let file = image.files.get(place.file as usize)?.clone();
        Some(Line { address: *address, file, line: place.line })
    });
    Ok(lines.collect())
}

/// Refuses options that are for programs of CP2 alone.
fn refuse(arguments: &Run) -> Outcome<()> {
    let start = &arguments.start;
    let given = [
        ("--init", start.init.is_some()),
        ("--load", !start.arrays.load.is_empty()),
        ("--store", !start.arrays.store.is_empty()),
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
    if arguments.record.is_some() && arguments.process.gdb.is_some() {
        return Err(usage(
            "--record and --gdb: a debugger goes back, and a recording only goes on",
        ));
    }
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(usage(format!(
            "{option} is for programs of CP2; this one is for the control processor"
        ))),
        None => Ok(()),
    }
}
