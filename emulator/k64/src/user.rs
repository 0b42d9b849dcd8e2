//! Linux programs: a process with its memory, its system calls, and what it may see of the native machine.

mod calls;
mod errno;
mod files;
mod folder;
mod start;

use crate::core::Cpu;
use crate::elf::{ElfError, ElfProgram};
use crate::engine::{CpuEngine, Stop, Until};
use crate::exception::Exception;
use crate::isa::Release;
use crate::memory::Memory;
use files::Files;
use std::io::{Read, Write};

/// Environment in which a Linux process is started: arguments, memory, folder, architecture.
pub struct ProcessSetup {
    /// Arguments of the process, the first of which is its name.
    pub arguments: Vec<String>,
    /// Limit of the memory of the process, in bytes.
    pub memory: u64,
    /// Folder of the native machine that the process sees as `/`; without it the process sees no files.
    pub folder: Option<std::path::PathBuf>,
    /// Release of the architecture.
    pub release: Release,
}

/// Standard streams of a process, as readers and writers of the native machine.
pub struct Streams {
    /// Standard input: what the process reads from file descriptor 0 comes from there.
    pub input: Box<dyn Read>,
    /// Standard output: what the process writes to file descriptor 1 goes there.
    pub output: Box<dyn Write>,
    /// Standard error: what the process writes to file descriptor 2 goes there.
    pub error: Box<dyn Write>,
}

/// The reason why a run of a process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// Exit by the process itself, with this code.
    Exit(u8),
    /// End by a signal that the process sent itself.
    Signal(u8),
    /// End by an instruction that could not be done; the core is as before it.
    Exception {
        /// Exception that was raised.
        exception: Exception,
        /// Whether the instruction stands in the delay slot of the branch at `pc`.
        is_delayed: bool,
    },
    /// The limit of instructions was reached.
    Limit,
}

/// Process: a Linux program that runs.
pub struct Process {
    /// Registers and memory of the process.
    pub core: Cpu,
    engine: CpuEngine,
    files: Files,
    streams: Streams,
    heap: Heap,
    random: u64,
    /// Nanoseconds that the process has slept.
    slept: u64,
}

/// Addresses at which a process is given memory.
struct Heap {
    start: u64,
    end: u64,
    next_mapping: u64,
}

impl Process {
    /// Creates a process before its first instruction.
    ///
    /// # Errors
    /// If the program does not fit, or the folder cannot be opened.
    pub fn new(
        program: &ElfProgram,
        setup: &ProcessSetup,
        streams: Streams,
    ) -> Result<Self, ElfError> {
        let mut core = Cpu::new(Memory::new(setup.memory));
        let end = start::load(&mut core, program, &setup.arguments)?;
        let files =
            Files::open(setup.folder.as_deref()).map_err(|e| start::bad_folder(setup, &e))?;
        let heap = Heap { start: end, end, next_mapping: start::MAPPINGS };
        let engine = CpuEngine::new(setup.release);
        Ok(Self { core, engine, files, streams, heap, random: 0x9e37_79b9_7f4a_7c15, slept: 0 })
    }

    /// Runs the process to its end, or until it has done so many instructions.
    pub fn run(&mut self, limit: u64) -> ProcessEnd {
        loop {
            match self.engine.run(&mut self.core, Until::instructions(limit)) {
                // No breakpoint is set in a process.
                Stop::Limit | Stop::Breakpoint => return self.end(ProcessEnd::Limit),
                Stop::Exception { exception: Exception::Syscall, is_delayed: false } => {
                    self.core.n_instructions += 1;
                    self.core.pc = self.core.pc.wrapping_add(4);
                    if let Some(end) = self.call() {
                        return self.end(end);
                    }
                }
                Stop::Exception { exception, is_delayed } => {
                    return self.end(ProcessEnd::Exception { exception, is_delayed });
                }
            }
        }
    }

    fn end(&mut self, end: ProcessEnd) -> ProcessEnd {
        // The reader of the output sees when it fails.
        let _ = self.streams.output.flush();
        let _ = self.streams.error.flush();
        end
    }
}
