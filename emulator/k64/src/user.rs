//! Linux programs on the control processor: a process with its memory, its system calls, and what it may see of the
//! native machine, the computer on which the emulator runs.

mod alternate;
mod calls;
mod debug;
mod directory;
mod errno;
mod files;
mod folder;
mod locks;
mod pipe;
mod row;
mod shared;
mod signals;
mod start;

pub(crate) use calls::page as table_of_calls;

use crate::core::Cpu;
use crate::elf::{ElfError, ElfProgram};
use crate::engine::{CpuEngine, RunLimit, Stop};
use crate::exception::Exception;
use crate::isa::Release;
use crate::memory::Memory;
use debug::Debugging;
pub use debug::ProcessStop;
use files::Files;
use locks::Locks;
use shared::Shared;
use signals::Signals;
use std::ffi::OsString;
use std::io::{Read, Write};

/// Settings with which a Linux process is started: its arguments, its limit of memory, its files, and the architecture.
pub struct ProcessSetup {
    /// Arguments of the process (`argv`), the first of which is the name of the program by convention.
    pub arguments: Vec<OsString>,
    /// Environment of the process, texts `NAME=VALUE`.
    pub environment: Vec<OsString>,
    /// Largest memory of the process, in bytes; only whole pages of 4096 bytes count.
    pub memory: u64,
    /// Folder of the native machine that the process sees as `/`. Without it the process can open no files.
    pub folder: Option<std::path::PathBuf>,
    /// Release of MIPS64 whose instructions the process may use.
    pub release: Release,
}

/// Standard streams of a Linux process, as readers and writers of the native machine.
pub struct Streams {
    /// Standard input: what the process reads from file descriptor 0 comes from there.
    pub input: Box<dyn Read>,
    /// Standard output: what the process writes to file descriptor 1 goes there.
    pub output: Box<dyn Write>,
    /// Standard error: what the process writes to file descriptor 2 goes there.
    pub error: Box<dyn Write>,
}

impl Streams {
    /// Returns the standard streams of the native process.
    pub fn standard() -> Self {
        Self {
            input: Box::new(std::io::stdin()),
            output: Box::new(std::io::stdout()),
            error: Box::new(std::io::stderr()),
        }
    }
}

/// Reason why a run of a Linux process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// The process ended itself by a system call, with this exit code.
    Exit(u8),
    /// A signal ended the process, the one with this number: one that it sent itself, an alarm, or that of a write where
    /// nobody reads.
    Signal(u8),
    /// An instruction could not be done; the core is as before the instruction.
    Exception {
        /// Exception that was raised.
        exception: Exception,
        /// Whether the instruction stands in the delay slot of the branch at `pc`; if not, it is the instruction at
        /// `pc`.
        is_delayed: bool,
    },
    /// The limit of instructions of [`Process::run`] was reached, or a read of standard input was interrupted
    /// ([`std::io::ErrorKind::Interrupted`]). The process can go on, and reads again then.
    Limit,
}

/// A Linux process that runs a program in user mode on a core of the control processor, with emulated system calls.
pub struct Process {
    /// Core with the registers and the memory of the process.
    pub core: Cpu,
    engine: CpuEngine,
    files: Files,
    streams: Streams,
    heap: Heap,
    random: u64,
    /// Nanoseconds that the process has slept.
    slept: u64,
    signals: Signals,
    /// Locks on ranges of files.
    locks: Locks,
    debugging: Debugging,
    /// Whether a wait for standard input was interrupted: the call is to be done again when the process goes on.
    is_interrupted: bool,
}

/// Addresses at which a process is given memory.
struct Heap {
    start: u64,
    end: u64,
    next_mapping: u64,
    /// Files that are shared with memory.
    shared: Vec<Shared>,
}

impl Process {
    /// Creates a process that is about to do the first instruction of `program`: the program is loaded, and arguments
    /// and auxiliary vector are on the stack.
    ///
    /// # Errors
    /// Returns an error if the program is a 32-bit ELF file, it does not fit into memory, its arguments do not fit on
    /// the stack, or the folder cannot be opened.
    pub fn new(
        program: &ElfProgram,
        setup: &ProcessSetup,
        streams: Streams,
    ) -> Result<Self, ElfError> {
        let mut core = Cpu::new(Memory::new(setup.memory));
        let end = start::load(&mut core, program, setup)?;
        let files =
            Files::open(setup.folder.as_deref()).map_err(|e| start::bad_folder(setup, &e))?;
        let (next_mapping, shared) = (start::MAPPINGS, Vec::new());
        let heap = Heap { start: end, end, next_mapping, shared };
        let engine = CpuEngine::new(setup.release);
        let (random, signals) = (0x9e37_79b9_7f4a_7c15, Signals::new());
        let (debugging, locks) = (Debugging::default(), Locks::default());
        let mut process = Self {
            core,
            engine,
            files,
            streams,
            heap,
            random,
            slept: 0,
            signals,
            locks,
            debugging,
            is_interrupted: false,
        };
        process.map_return();
        Ok(process)
    }

    /// Runs the process until it ends or cannot go on, or until it has completed `limit` instructions since its start
    /// (a few more at most, up to the end of a translated block). Returns the reason, and flushes the standard streams.
    /// A process that stopped at the limit can go on.
    pub fn run(&mut self, limit: u64) -> ProcessEnd {
        loop {
            let until = limit.min(self.alarm_at());
            let stop = match until == limit {
                true => self.engine.run_exactly(&mut self.core, until),
                false => self.engine.run(&mut self.core, RunLimit::instructions(until)),
            };
            match stop {
                // No breakpoint is set in a process.
                Stop::Limit | Stop::Breakpoint => {
                    if self.core.n_instructions >= limit {
                        return self.end(ProcessEnd::Limit);
                    }
                }
                Stop::Exception { exception: Exception::Syscall, is_delayed: false } => {
                    self.core.n_instructions += 1;
                    self.core.pc = self.core.pc.wrapping_add(4);
                    if let Some(end) = self.call() {
                        return self.end(end);
                    }
                    if std::mem::take(&mut self.is_interrupted) {
                        return self.end(ProcessEnd::Limit);
                    }
                }
                Stop::Exception { exception, is_delayed } => {
                    if !self.fault(exception) {
                        return self.end(ProcessEnd::Exception { exception, is_delayed });
                    }
                }
            }
            self.ring();
            if let Some(end) = self.deliver() {
                return self.end(end);
            }
        }
    }

    /// Returns the number of completed instructions at which the alarm comes.
    fn alarm_at(&self) -> u64 {
        self.signals.alarm.map_or(u64::MAX, |(at, _)| at.saturating_sub(self.slept))
    }

    fn end(&mut self, end: ProcessEnd) -> ProcessEnd {
        // A file that takes no more is as it was; there is nobody left to tell.
        let _ = self.store_shared();
        // The reader of the output sees when it fails.
        let _ = self.streams.output.flush();
        let _ = self.streams.error.flush();
        end
    }
}
