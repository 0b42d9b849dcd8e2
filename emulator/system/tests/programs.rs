//! Programs in C on the control processor: they drive CP2 and its channel. `programs/c/build.sh` makes them anew.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::{MachineConfig, Reference};
use cp2_k64::devices::Devices;
use cp2_k64::elf::Program;
use cp2_k64::isa::Release;
use cp2_k64::machine::{End, Processor};
use cp2_system::Board;
use std::any::Any;
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a program of `programs/c/built`: how it ended, what it printed, the processor.
fn run(name: &str, machine: &str) -> (End, String, Processor) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/built");
    let program = Program::read(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let config = MachineConfig::preset(machine).unwrap();
    let output = Kept::default();
    let devices = Devices::new(program.entry, Box::new(output.clone()));
    let board = Board::new(&config, Box::new(Reference), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R1).unwrap();
    let end = processor.run(100_000_000);
    let text = String::from_utf8(output.0.borrow().clone()).unwrap();
    (end, text, processor)
}

#[test]
fn registers_stalls_interrupts_and_shared_memory() {
    for machine in ["vm7", "vm9"] {
        let (end, text, processor) = run("coprocessor.elf", machine);
        assert_eq!(end, End::Exit(0), "{text}");
        assert_eq!(text, include_str!("../../../programs/c/built/coprocessor.txt"), "{machine}");
        let outside: &dyn Any = &*processor.core.privileged.as_ref().unwrap().outside;
        assert_eq!(outside.downcast_ref::<Board>().unwrap().n_kernels(), 4);
    }
}

#[test]
fn a_run_is_the_same_every_time_to_the_cycle() {
    let cycles = |machine| run("coprocessor.elf", machine).2.core.cycle();
    assert_eq!(cycles("vm7"), cycles("vm7"));
}

#[test]
fn a_kernel_without_meaning_ends_the_run() {
    let (end, text, _) = run("fault.elf", "vm7");
    assert_eq!(text, "before\n");
    let End::Fault(message) = end else { panic!("{end:?}") };
    assert!(message.starts_with("CP2: "), "{message}");
}

#[test]
fn a_transfer_beyond_memory_ends_the_run() {
    let (end, text, _) = run("transfer.elf", "vm7");
    assert_eq!(text, "before\n");
    let End::Fault(message) = end else { panic!("{end:?}") };
    assert!(message.starts_with("the DMA channel: "), "{message}");
}
