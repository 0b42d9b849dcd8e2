//! Programs of the control processor that no linker made.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use super::readers::message;
use super::seeds::in_project;
use crate::SplitMix64;
use cp2_emu::{MachineConfig, ReferenceEngine};
use cp2_k64::devices::Devices;
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_system::Board;

/// Cycles that a program gets.
const LIMIT: u64 = 20_000;

/// Returns small executables.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let fixtures = "emulator/k64/tests/fixtures";
    let built = "programs/c/built";
    [
        (fixtures, "words"),
        (fixtures, "faults"),
        (fixtures, "unhandled"),
        (built, "coprocessor"),
        (built, "fault"),
    ]
    .iter()
    .flat_map(|(folder, name)| std::fs::read(in_project(folder).join(format!("{name}.elf"))))
    .collect()
}

/// Returns an executable whose headers say something else than those of a real one.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut file = seeds[sequence.below(seeds.len() as u64) as usize].clone();
    let begin = match sequence.below(3) {
        // The header of the file, with the first ones of segments.
        0 => 0,
        1 => 64,
        // The headers of sections stand at the end.
        _ => file.len().saturating_sub(64 * 12),
    };
    for _ in 0..=sequence.below(4) {
        let at = begin + sequence.below(160) as usize;
        mutate::pattern(&mut file, at, sequence);
    }
    file
}

/// Returns a machine of 16 MiB with a program at its begin.
pub(super) fn processor(program: &ElfProgram) -> Result<Processor, String> {
    let mut config = MachineConfig::preset("vm7").ok_or("vm7 is gone")?;
    config.apply_set("memory.size_mib=16").map_err(|e| e.problems.join("\n"))?;
    let devices = Devices::new(program.entry, Box::new(std::io::sink()));
    let board = Board::new(&config, Box::new(ReferenceEngine), devices);
    Processor::new(program, Box::new(board), Release::R1).map_err(|e| e.to_string())
}

/// Loads a program and runs it for a while; errors tell places in it.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let program = match ElfProgram::read(bytes) {
        Ok(program) => program,
        Err(e) => return message(e),
    };
    let mut processor = match processor(&program) {
        Ok(processor) => processor,
        Err(e) => return message(e),
    };
    let end = processor.run(LIMIT);
    let places = Symbolizer::read(bytes);
    for address in [program.entry, processor.core.pc, 0, u64::MAX] {
        drop(places.describe(address));
    }
    match end {
        MachineEnd::Fault(what) => message(what),
        _ => Ok(Verdict::Accepted),
    }
}
