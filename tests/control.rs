//! Procedures in C on the control processor: what they compute is what those of the Rust host compute, to the bit.
//! `programs/c/build.sh` makes the programs anew.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::MachineConfig;
use cp2_k64::devices::Devices;
use cp2_k64::elf::Program;
use cp2_k64::isa::Release;
use cp2_k64::machine::{End, Processor};
use cp2_programs::host::fft;
use cp2_programs::{Engine, Execution};
use cp2_system::Board;
use num_complex::Complex32;
use std::any::Any;
use std::cell::RefCell;
use std::io::Write;
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
fn run(name: &str, config: &MachineConfig, engine: Engine) -> (End, String, Processor) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/c/built");
    let program = Program::read(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let output = Kept::default();
    let devices = Devices::new(program.entry, Box::new(output.clone()));
    let board = Board::new(config, engine.build(), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R1).unwrap();
    let end = processor.run(1_000_000_000);
    let text = String::from_utf8(output.0.borrow().clone()).unwrap();
    (end, text, processor)
}

fn board(processor: &Processor) -> &Board {
    let outside: &dyn Any = &*processor.core.privileged.as_ref().unwrap().outside;
    outside.downcast_ref().unwrap()
}

/// A number that a program has printed behind its name.
fn value(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
}

/// The numbers that `programs/c/examples/fft.c` transforms.
fn input(count: usize) -> Vec<Complex32> {
    let mut state = 1u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 * (1.0 / 8_388_608.0) - 1.0
    };
    (0..count).map(|_| Complex32::new(next(), next())).collect()
}

#[test]
fn a_long_fft_from_c_is_that_of_the_rust_host() {
    const POINTS: usize = 8192;
    let config = MachineConfig::preset("vm7").unwrap();
    let (end, text, processor) = run("fft.elf", &config, Engine::Fast);
    assert_eq!(end, End::Exit(0), "{text}");
    let vectors = input(2 * POINTS);
    let options =
        fft::Options { execution: Execution::on(*config.core()), ..fft::Options::default() };
    let report = fft::run(config.clone(), POINTS, &vectors, &options, &mut |_, _| {}).unwrap();
    let memory = &board(&processor).machine().memory;
    let array = value(&text, "array");
    let words = |k: usize| memory.word(array + 8 * k as u64).unwrap();
    let expected =
        report.output.iter().map(|x| u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits()));
    let differs = expected.enumerate().find(|(k, word)| *word != words(*k));
    assert_eq!(differs, None);
    // What the processor does itself: it waits for bundles and transfers as the Rust host does, and more for what
    // that one's fitted costs stand for. `specs/src/k64.md` has the comparison.
    let cycles = [value(&text, "first"), value(&text, "second")];
    assert_eq!(
        (cycles, report.cost.cycles()),
        ([40598, 35106], 86137),
        "both passes, the Rust host"
    );
    let again = run("fft.elf", &config, Engine::Reference).1;
    assert_eq!(again, text, "both engines");
}
