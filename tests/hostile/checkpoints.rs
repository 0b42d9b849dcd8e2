//! Checkpoints that nobody wrote: a real one, and ones whose content is another with the checksum that belongs to it.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use super::readers::message;
use crate::SplitMix64;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Engine as _, Goal, Machine, MachineConfig, ReferenceEngine};
use cp2_isa::{Core, MemoryAddress};
use cp2_recording::checkpoint::{self, RunIdentity};

/// Bytes before the checksum, and before what it is of.
const SUM: usize = 12;
const HEAD: usize = 16;
/// Cycles that a machine goes on for.
const FURTHER: u64 = 300;

const PROGRAM: &str = "        .kernel steps
        | seti a0, 0
        | seti g1, 900
        | do g1, last
        cmul f8, f6, f20 | ldo f6, (r0)+2
last:   cmul f9, f7, f20 | sdo f8, (r0)
        | nop
        | stopi 3
";

fn origin() -> RunIdentity {
    let [cp2, program, machine] = ["1", "fft3d", "vm7"].map(str::to_owned);
    RunIdentity { cp2, program, machine, inputs: 7 }
}

fn config() -> MachineConfig {
    let mut config = MachineConfig::preset("vm7").expect("a preset");
    config.apply_set("memory.size_mib=1").expect("a size");
    config
}

/// Returns a checkpoint after reset, and ones from the midst of a kernel.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let (cp2, entry) = cp2_session::load::machine_with(
        &cp2_session::Environment::new(),
        &Core::CP2,
        "steps.s",
        PROGRAM,
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let mut machine = Machine::new(&config());
    machine.cp2 = cp2;
    machine.memory.write(MemoryAddress(5000), &[7; 100]).expect("memory");
    machine.start_kernel(entry);
    let written = |machine: &Machine| {
        checkpoint::write(machine, &origin(), b"a host").expect("a state that can be written")
    };
    let mut all = vec![written(&machine)];
    for _ in 0..3 {
        go_on(&mut machine);
        all.push(written(&machine));
    }
    all
}

fn go_on(machine: &mut Machine) {
    let goal = machine.cycle().saturating_add(FURTHER);
    // A fault of the program is an end like another.
    let _ = ReferenceEngine.advance(machine, Goal::cycle(goal), &mut NoObserver);
}

/// Returns a real checkpoint with another content.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let file = &seeds[sequence.below(seeds.len() as u64) as usize];
    let (head, content) = file.split_at(HEAD);
    let (length, content) = content.split_first_chunk().expect("a length");
    let (rest, pages) = content.split_at(u64::from_le_bytes(*length) as usize);
    let mut rest = lz4_flex::decompress_size_prepended(rest).expect("a value");
    let mut pages = pages.to_vec();
    mutate::content(sequence, if sequence.clone().one_in(4) { &mut pages } else { &mut rest });
    let rest = lz4_flex::compress_prepend_size(&rest);
    let content = [&(rest.len() as u64).to_le_bytes()[..], &rest, &pages].concat();
    let sum = crc32fast::hash(&content).to_le_bytes();
    [&head[..SUM], &sum, &content].concat()
}

/// Goes on from a checkpoint as `--resume` does.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let mut machine = Machine::new(&config());
    match checkpoint::read(bytes, &mut machine, &origin()) {
        Err(e) => message(e),
        Ok(_) => {
            go_on(&mut machine);
            Ok(Verdict::Accepted)
        }
    }
}
