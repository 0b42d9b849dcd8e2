//! Runs fixtures.
#![allow(dead_code, reason = "each test takes what it needs")]

use cp2_k64::elf::{ElfError, ElfProgram};
use cp2_k64::isa::Release;
use cp2_k64::user::{Process, ProcessEnd, ProcessSetup, Streams};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Output that a test looks at afterwards.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("the output").clone()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the output").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reads the bytes of a fixture.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Creates a process of a program, and its output.
pub(crate) fn process(
    program: &ElfProgram,
    arguments: &[&str],
    folder: Option<&Path>,
) -> Result<(Process, Kept), ElfError> {
    let setup = ProcessSetup {
        arguments: arguments.iter().map(OsString::from).collect(),
        environment: Vec::new(),
        memory: 256 << 20,
        folder: folder.map(Path::to_owned),
        release: Release::R2,
    };
    process_of(program, &setup)
}

/// Creates a process of a program by its settings, and its output.
fn process_of(program: &ElfProgram, setup: &ProcessSetup) -> Result<(Process, Kept), ElfError> {
    let output = Kept::default();
    let streams = Streams {
        input: Box::new(std::io::empty()),
        output: Box::new(output.clone()),
        error: Box::new(std::io::sink()),
    };
    Ok((Process::new(program, setup, streams)?, output))
}

/// Runs a program; returns how it ended, its output, and the process.
pub(crate) fn run(
    name: &str,
    arguments: &[&str],
    folder: Option<&Path>,
) -> (ProcessEnd, Vec<u8>, Process) {
    let program = ElfProgram::read(&fixture(name)).expect("a program");
    let (mut process, output) = process(&program, arguments, folder).expect("a process");
    let end = process.run(2_000_000_000);
    let bytes = output.bytes();
    (end, bytes, process)
}

/// Runs the suite by its settings; returns how it ended, and its output.
pub(crate) fn run_as(setup: &ProcessSetup) -> (ProcessEnd, Vec<u8>) {
    let program = ElfProgram::read(&fixture("suite.elf")).expect("a program");
    let (mut process, output) = process_of(&program, setup).expect("a process");
    let end = process.run(2_000_000_000);
    (end, output.bytes())
}
