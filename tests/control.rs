//! Procedures in C on the control processor: what they compute is what those of the Rust host compute, to the bit.
//! `programs/c/build.sh` makes the programs anew.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::MachineConfig;
use cp2_k64::devices::Devices;
use cp2_k64::elf::ElfProgram;
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_kernels::sparse::RowOrder;
use cp2_procedures::fft;
use cp2_procedures::multigrid;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::sparse::{MatrixFormat, ProductPlan, multiply};
use cp2_session::sparse::Csr;
use cp2_session::{Engine, Environment, Execution};
use cp2_system::{Board, costs};
use num_complex::Complex32;
use std::io::Write;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Time that instructions take.
#[derive(Clone, Copy, PartialEq)]
enum Time {
    /// A cycle for each instruction.
    Functional,
    /// Cycles of the machine file for each instruction.
    Kept,
}

/// Runs a program of `programs/c/built`, which has to end with 0; returns what it printed, and the processor.
fn run(name: &str, config: &MachineConfig, engine: Engine, time: Time) -> (String, Processor) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/c/built");
    let program = ElfProgram::read(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let output = Kept::default();
    let devices = Devices::new(program.entry, Box::new(output.clone()));
    let board = Board::new(config, Environment::new().engine(engine), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R1).unwrap();
    if time == Time::Kept {
        processor.core.keep_time(costs(config));
    }
    let end = processor.run(1_000_000_000);
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert_eq!(end, MachineEnd::Exit(0), "{text}");
    (text, processor)
}

/// Returns a number that a program has printed behind its name.
fn value(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
}

/// The sequence that the examples take their numbers from.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 * (1.0 / 8_388_608.0) - 1.0
    }
}

/// Compares numbers in memory from a physical address on, as the processor sees them, with others; returns the first place
/// that differs.
fn difference(processor: &mut Processor, address: u64, expected: &[f32]) -> Option<usize> {
    const UNMAPPED: u64 = 0x9800_0000_0000_0000;
    let mut bytes = vec![0; 4 * expected.len()];
    processor.core.read_bytes(UNMAPPED | address, &mut bytes).unwrap();
    let numbers = bytes.as_chunks().0.iter().map(|&bytes| u32::from_be_bytes(bytes));
    numbers.zip(expected).position(|(found, expected)| found != expected.to_bits())
}

/// Runs a program without time and with it, on both engines; returns the cycles that it prints of its parts, without time and
/// with it, and what it printed and left last.
fn run_all(
    name: &str,
    config: &MachineConfig,
    parts: [&str; 2],
) -> ([[u64; 2]; 2], String, Processor) {
    let cycles = |text: &str| parts.map(|part| value(text, part));
    let functional = run(name, config, Engine::Fast, Time::Functional).0;
    let (text, processor) = run(name, config, Engine::Fast, Time::Kept);
    assert_eq!(run(name, config, Engine::Reference, Time::Kept).0, text, "both engines");
    ([cycles(&functional), cycles(&text)], text, processor)
}

#[test]
fn a_long_fft_from_c_is_that_of_the_rust_host() {
    const POINTS: usize = 8192;
    let mut sequence = Sequence(1);
    let mut next = || Complex32::new(sequence.float(), sequence.float());
    let vectors: Vec<Complex32> = (0..2 * POINTS).map(|_| next()).collect();
    // Both passes without time and with it; the Rust host. `specs/src/k64.md` has the comparison.
    let expected = [
        ("vm7", [[40928, 35486], [59888, 52986]], 86137),
        ("vm9", [[63090, 48366], [63084, 46356]], 120585),
    ];
    for (machine, expected, of_host) in expected {
        let config = MachineConfig::preset(machine).unwrap();
        let (cycles, text, mut processor) = run_all("fft.elf", &config, ["first", "second"]);
        let execution = Execution::on(*config.core());
        let options = fft::Options { execution, ..fft::Options::default() };
        let report = fft::run(config, POINTS, &vectors, &options, &mut |_, _| {}).unwrap();
        let output: Vec<_> = report.output.iter().flat_map(|x| [x.re, x.im]).collect();
        assert_eq!(difference(&mut processor, value(&text, "array"), &output), None);
        assert_eq!((cycles, report.cost.cycles()), (expected, of_host), "{machine}");
    }
}

/// Returns the matrix and the vector of `programs/c/examples/spmv.c`.
fn sparse() -> (Csr, Vec<f32>) {
    const ORDER: usize = 1024;
    let mut sequence = Sequence(1);
    let mut entries = Vec::new();
    for row in 0..ORDER {
        let count = 40 + (sequence.next() >> 33) as usize % 41;
        for k in 0..count {
            let from = k * ORDER / count;
            let share = (k + 1) * ORDER / count - from;
            let column = from + (sequence.next() >> 33) as usize % share;
            entries.push((row, column, sequence.float()));
        }
    }
    let matrix = Csr::from_entries(ORDER, ORDER, &entries).unwrap();
    (matrix, (0..ORDER).map(|_| sequence.float()).collect())
}

#[test]
fn a_sparse_product_from_c_is_that_of_the_rust_host() {
    let (matrix, x) = sparse();
    let form = MatrixFormat::Sliced { height: 32, order: RowOrder::Given };
    let plan = ProductPlan { form, width: matrix.columns(), cycles: 0 };
    let expected = [
        ("vm7", [[4385360, 265382], [5921020, 271266]], 265930),
        ("vm9", [[4385360, 269232], [2873600, 270062]], 270730),
    ];
    for (machine, expected, of_host) in expected {
        let config = MachineConfig::preset(machine).unwrap();
        let (cycles, text, mut processor) = run_all("spmv.elf", &config, ["convert", "product"]);
        let execution = Execution::on(*config.core());
        let report = multiply(config, &matrix, &x, &plan, &execution, &mut |_, _| {}).unwrap();
        assert_eq!(difference(&mut processor, value(&text, "y"), &report.y), None);
        assert_eq!((cycles, report.cost.cycles()), (expected, of_host), "{machine}");
    }
}

/// All operators of four V-cycles on the grids of class S.
#[test]
fn multigrid_from_c_is_that_of_the_rust_host() {
    // VM9: 200534 and 4792586, the Rust host 4852792.
    let expected = [("vm7", [665412, 1780608], 1832637)];
    for (machine, expected, of_host) in expected {
        let config = MachineConfig::preset(machine).unwrap();
        // One run is long enough; the other examples compare engines and modes.
        let (text, mut processor) = run("mg.elf", &config, Engine::Fast, Time::Kept);
        let cycles = ["plan", "cycles"].map(|part| value(&text, part));
        let execution = Execution::on(*config.core());
        let problem = multigrid::MultigridProblem::new(
            &Environment::new(),
            Class::S,
            Some(multigrid::OperatorForm::Plain),
            true,
        );
        let report = multigrid::run(config, &problem, &execution, &mut |_, _| {}).unwrap();
        let solution = report.solution.unwrap();
        for (name, points) in [("residual", &report.residual), ("solution", &solution)] {
            assert_eq!(difference(&mut processor, value(&text, name), points), None, "{name}");
        }
        assert_eq!(value(&text, "pages"), report.cost.pages as u64);
        // NPB's norm; `specs/src/procedures/multigrid.md` derives how far one in single precision may be from it.
        let norm = value(&text, "norm_times_1e15") as f64 * 1e-15;
        assert!((norm / Class::S.norm() - 1.0).abs() < 1e-4, "{norm}");
        assert_eq!((cycles, report.cost.cycles()), (expected, of_host), "{machine}");
    }
}

/// The fit of the time is as near as `specs/notes/2026-11-23-control-processor-time.md` says: rates in 10^6 operations a
/// second.
#[test]
fn the_time_of_the_processor_is_as_near_to_the_tables_as_the_note_says() {
    let products = [
        "spmv S",
        "spmv 32",
        "spmv 64",
        "spmv 128",
        "spmv 256",
        "spmv 512",
        "spmv 1024",
        "spmv 2048",
    ];
    let vm7 = [11.0, 8.0, 10.0, 11.0, 9.0, 10.0, 10.0, 10.0];
    let vm9 = [209.0, 112.0, 159.0, 223.0, 243.0, 270.0, 288.0, 245.0];
    // Of each machine the clock, MG and products as measured, the farthest and the mean product.
    let expected = [
        ("vm7", 200.0, Some(17.0), Some((vm7, 1.37, 1.14))),
        ("vm9-1200-800", 1200.0, Some(371.0), None),
        ("vm9-1000-700", 1000.0, None, Some((vm9, 1.26, 1.10))),
    ];
    for (machine, megahertz, mg, measured) in expected {
        let config = MachineConfig::preset(machine).unwrap();
        let text = run("reference.elf", &config, Engine::Fast, Time::Kept).0;
        let rate = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            let words: Vec<_> = line.split_whitespace().collect();
            let ["cycles", cycles, "operations", operations] = words[..] else { panic!("{line}") };
            operations.parse::<f64>().unwrap() / cycles.parse::<f64>().unwrap() * megahertz
        };
        if let Some(mg) = mg {
            assert!((rate("mg S ") / mg - 1.0).abs() <= 0.045, "{machine}: {}", rate("mg S "));
        }
        if let Some((measured, farthest, mean)) = measured {
            let ratios: Vec<_> = products
                .iter()
                .zip(measured)
                .map(|(name, m)| rate(&format!("{name} ")) / m)
                .collect();
            let sum: f64 = ratios.iter().sum();
            let most = ratios.iter().copied().fold(0.0, f64::max);
            assert!((most - farthest).abs() < 0.01, "{machine}: {ratios:?}");
            assert!((sum / 8.0 - mean).abs() < 0.01, "{machine}: {ratios:?}");
        }
    }
}
