//! `cp2 run --user`: a Linux program on the control processor.

use super::debugger;
use crate::args::Run;
use crate::process::exit::{Exit, Outcome, bad_input, complain};
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use cp2_k64::core::Cpu;
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::exception::Exception;
use cp2_k64::isa::{Release, decode, disassemble};
use cp2_k64::registers::{HI, LO};
use cp2_k64::user::{Process, ProcessEnd, ProcessSetup, Streams};
use cp2_system::gdb::{self, SessionEnd};
use std::fmt::Write as _;

/// Signal of a program that writes where nobody reads.
const SIGPIPE: u8 = 13;
/// Number of instructions after which signals of the user are looked for.
const SLICE: u64 = 1 << 27;
/// Memory of a process in MiB if nobody says another.
const MEMORY: u64 = 1024;

pub(super) fn run(arguments: &Run) -> Outcome {
    // The option wants a program, unless the configuration is printed, with which it conflicts.
    let path = arguments.program.clone().unwrap_or_default();
    let name = path.display().to_string();
    let bytes = files::read(&path)?;
    let bad = |e: cp2_k64::elf::ElfError| bad_input(format!("{name}: {e}"));
    let program = ElfProgram::read(&bytes).map_err(bad)?;
    if program.entry >> 63 != 0 {
        return Err(bad_input(format!(
            "{name}: a program for the bare machine; run it without --user"
        )));
    }
    let choice = &arguments.process;
    let guest = Guest { name: &name, bytes: &bytes, release: choice.release };
    let setup = ProcessSetup {
        arguments: std::iter::once(path.clone().into())
            .chain(choice.arguments.iter().cloned())
            .collect(),
        environment: choice.environment(),
        memory: choice.memory.unwrap_or(MEMORY) << 20,
        folder: choice.folder.clone(),
        release: choice.release,
    };
    let streams = Streams { input: Box::new(Interruptible), ..Streams::standard() };
    let mut process = Process::new(&program, &setup, streams).map_err(bad)?;
    let debugged = choice.gdb.map(|port| debug(&mut process, port)).transpose()?.flatten();
    let limit = choice.max_instructions.unwrap_or(u64::MAX);
    let end = match debugged.map_or_else(|| run_until(&mut process, limit), Ok) {
        Ok(end) => end,
        Err(signal) => {
            let n = process.core.n_instructions;
            guest.stopped(&process.core, &format!("interrupted after {n} instructions"));
            return Ok(signals::exit(signal));
        }
    };
    Ok(match end {
        ProcessEnd::Exit(code) => Exit::Program(code),
        ProcessEnd::Signal(signal) => {
            // Nobody reads what a program wrote: nobody wants to know of it either.
            if signal != SIGPIPE {
                complain(format!("cp2: error: {name}: signal {signal} ended the program"));
            }
            Exit::Program(signal.saturating_add(128))
        }
        ProcessEnd::Exception { exception, is_delayed } => {
            guest.exception(&process.core, exception, is_delayed)
        }
        ProcessEnd::Limit => {
            let n = process.core.n_instructions;
            guest.stopped(&process.core, &format!("stopped after {n} instructions"));
            Exit::Limit
        }
    })
}

/// Lets gdb debug a process; returns how that ended, or nothing if gdb has left it.
fn debug(process: &mut Process, port: u16) -> Outcome<Option<ProcessEnd>> {
    let connection = debugger::wait(port)?;
    let ended = gdb::serve_process(process, connection);
    Ok(match ended.map_err(|e| bad_input(format!("gdb: {e}")))? {
        SessionEnd::Exit(code) => Some(ProcessEnd::Exit(code)),
        SessionEnd::Signal(number) => Some(ProcessEnd::Signal(number)),
        // As a program of the bare machine that gdb kills.
        SessionEnd::Killed => Some(ProcessEnd::Exit(0)),
        SessionEnd::Detached => None,
    })
}

/// Runs a process up to so many instructions; the signal that came, if one did.
fn run_until(process: &mut Process, limit: u64) -> Result<ProcessEnd, i32> {
    let finishing = Finishing::begin();
    loop {
        let until = limit.min(process.core.n_instructions.saturating_add(SLICE));
        match process.run(until) {
            ProcessEnd::Limit if until < limit => finishing.came().map_or(Ok(()), Err)?,
            end => return Ok(end),
        }
    }
}

/// Standard input of a Linux program; a signal that comes while it is waited for interrupts the wait, so that the command can
/// tell where the program was.
struct Interruptible;

#[cfg(unix)]
impl std::io::Read for Interruptible {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        let input = std::io::stdin();
        loop {
            let n = poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&LOOK));
            if signals::came().is_some() {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            match n {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // Not by the standard library, whose buffer would hide bytes from `poll`.
                _ => return Ok(rustix::io::read(&input, &mut *bytes)?),
            }
        }
    }
}

#[cfg(not(unix))]
impl std::io::Read for Interruptible {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        Awaited(std::io::stdin()).read(bytes)
    }
}

/// Standard input; a signal that comes while it is waited for ends the command.
pub(super) struct Awaited(pub(super) std::io::Stdin);

impl std::io::Read for Awaited {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let are_held = signals::hold(false);
        let read = self.0.read(bytes);
        signals::hold(are_held);
        read
    }
}

/// Program that messages tell of: its name, its file with symbols and lines, and what it runs on.
#[derive(Clone, Copy)]
pub(super) struct Guest<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) release: Release,
}

impl Guest<'_> {
    /// Tells of an instruction that could not be done, with the state; returns the exit code.
    pub(super) fn exception(self, core: &Cpu, exception: Exception, is_delayed: bool) -> Exit {
        let slot = if is_delayed { ", in the delay slot of the branch" } else { "" };
        let later = if self.is_later(exception) { ", of release 2" } else { "" };
        let place = self.place(core);
        complain(format!("cp2: error: {}: {exception}{later}{slot}; pc {place}", self.name));
        complain(state(core));
        if is_delayed {
            complain(instruction("slot", core, core.pc.wrapping_add(4)));
        }
        // A program may not hold what is no instruction; all else it does.
        if matches!(exception, Exception::Reserved(_)) { Exit::BadInput } else { Exit::Guest }
    }

    /// Tells of an error outside of the processor, and where the program was.
    pub(super) fn error(self, core: &Cpu, text: &str) {
        complain(format!("cp2: error: {}: {text}", self.name));
        self.stopped(core, "the processor was");
    }

    /// Tells where a program stood when it was stopped.
    pub(super) fn stopped(self, core: &Cpu, why: &str) {
        complain(format!("cp2: {}: {why} at {}", self.name, self.place(core)));
    }

    /// Returns the program counter with function and line.
    fn place(self, core: &Cpu) -> String {
        let place = Symbolizer::read(self.bytes).describe(core.pc);
        format!("{:#x} {place}", core.pc).trim_end().to_owned()
    }

    /// Whether an instruction is unknown because the processor has release 1.
    fn is_later(self, exception: Exception) -> bool {
        let Exception::Reserved(word) = exception else { return false };
        self.release == Release::R1 && decode(word, Release::R2).is_some()
    }
}

/// Returns the text for the registers, those of coprocessor 0 that tell of exceptions, and the instruction at the program
/// counter.
pub(super) fn state(core: &Cpu) -> String {
    let mut text = String::new();
    let mut row = |i: usize, name: &str, value: u64| {
        let end = if i % 4 == 3 { "\n" } else { "  " };
        let _ = write!(text, "{name:>4} {value:016x}{end}");
    };
    for (i, value) in core.registers.general().iter().enumerate() {
        row(i, cp2_k64::isa::disassemble::GPR_NAMES[i], *value);
    }
    for (i, value) in core.registers.float().iter().enumerate() {
        row(i, &format!("f{i}"), *value);
    }
    let _ = writeln!(text, "  hi {:016x}    lo {:016x}", core.registers[HI], core.registers[LO]);
    if let Some(privileged) = &core.privileged {
        let cp0 = &privileged.cp0;
        let (status, cause) = (cp0.status(), cp0.cause());
        let _ = writeln!(
            text,
            "Status {status:08x}  Cause {cause:08x}  EPC {:016x}  BadVAddr {:016x}",
            cp0.epc, cp0.bad_address
        );
    }
    text + &instruction("pc", core, core.pc)
}

/// Returns a line with the instruction at an address, behind a name for the address.
fn instruction(name: &str, core: &Cpu, address: u64) -> String {
    let word = core.memory.read(address, 4).ok().and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let word = word.map(u32::from_be_bytes).map(|w| disassemble(w, address, Release::R2));
    format!("{name:>4} {address:016x}  {}", word.unwrap_or_default())
}
