//! `cp2 run` with a program for the bare control processor: it drives CP2 and the channel.

use super::process::{stopped, told};
use crate::args::{Format, Run};
use crate::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::{files, machine};
use cp2_k64::devices::Devices;
use cp2_k64::elf::{BadElf, Program, is_mips};
use cp2_k64::isa::Release;
use cp2_k64::machine::{End, Processor};
use cp2_system::Board;
use cp2_system::gdb::{self, Ended};
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
    let devices = Devices::new(program.entry, Box::new(std::io::stdout()));
    let board = Board::new(&config, arguments.engine.build(), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R2).map_err(bad)?;
    if let Some(port) = arguments.process.gdb {
        match debugged(&mut processor, port)? {
            Ended::Exit(code) => return Ok(Exit::Program(code)),
            Ended::Killed => return Ok(Exit::Success),
            Ended::Detached => {}
        }
    }
    let end = processor.run(arguments.start.max_cycles);
    files::print(b"")?;
    let core = &processor.core;
    Ok(match end {
        End::Exit(code) => Exit::Program(code),
        End::Exception { exception, is_delayed } => told(&name, bytes, core, exception, is_delayed),
        End::Fault(text) => {
            complain(format!("cp2: error: {name}: {text}"));
            stopped(&name, bytes, core, "the processor was");
            Exit::Guest
        }
        // Nobody sets a breakpoint here.
        End::Limit | End::Breakpoint => {
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

/// Waits for gdb on the loopback interface, and lets it debug the program.
fn debugged(processor: &mut Processor, port: u16) -> Outcome<Ended> {
    let failed = |e: std::io::Error| bad_input(format!("--gdb {port}: {e}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    complain(format!("cp2: waiting for gdb: target remote :{port}"));
    let (connection, _) = listener.accept().map_err(failed)?;
    gdb::serve(processor, connection).map_err(|e| bad_input(format!("gdb: {e}")))
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
        ("--record", arguments.record.is_some()),
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
