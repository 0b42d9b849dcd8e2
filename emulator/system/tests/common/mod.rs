//! Programs of `programs/c/built` on a board.

use cp2_emu::{MachineConfig, ReferenceEngine};
use cp2_k64::devices::Devices;
use cp2_k64::elf::ElfProgram;
use cp2_k64::isa::Release;
use cp2_k64::machine::Processor;
use cp2_system::{Board, costs};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Output that a program has printed.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lets instructions take their time from now on.
pub(crate) fn keep_time(processor: &mut Processor, machine: &str) {
    processor.core.keep_time(costs(&MachineConfig::preset(machine).unwrap()));
}

/// Loads a program; returns the processor at its begin, and what will be printed.
pub(crate) fn load(name: &str, machine: &str) -> (Processor, Kept) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/built");
    let program = ElfProgram::read(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let config = MachineConfig::preset(machine).unwrap();
    let output = Kept::default();
    let devices = Devices::new(program.entry, Box::new(output.clone()));
    let board = Board::new(&config, Box::new(ReferenceEngine), devices);
    (Processor::new(&program, Box::new(board), Release::R1).unwrap(), output)
}
