//! Programs decoded from bytes: the fast engine and the portable one in both its builds do what the reference engine does.

use super::kinds::{Judgement, Verdict};
use crate::SplitMix64;
use cp2_emu::machine::compare;
use cp2_emu::{Cp2, Engine};
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, BundleBits, Core, CoreNumbers, Extensions};
use cp2_portable::Portable;
use cp2_session::load::machine_with;
use cp2_session::workload::Platform;
use cp2_workloads::workload::with_extensions;

/// Cycles granted to a program.
const LIMIT: u64 = 2000;
/// Largest number of bundles that are read of an input.
const BUNDLES: usize = 512;
/// Low halves of first words: nearest rounding with and without inexact results before, another rounding mode, a mask
/// of sets.
const HEADS: [u64; 4] = [4, 0, 5, 0xffff_0004];

/// Returns the core that a number stands for: the unmodified one for 0.
fn core(bits: u32) -> Core {
    if bits == 0 {
        return Core::CP2;
    }
    let number = |at: u32, width: u32| bits >> at & ((1 << width) - 1);
    let extensions = Extensions::from_bits_truncate(number(17, 15) as u16);
    let numbers = CoreNumbers {
        fprs: if extensions.contains(Extensions::MORE_FPRS) { 128 } else { 64 },
        arithmetic_latency: 2 + number(0, 4),
        load_latency: 2 + number(4, 3),
        psprmsgn_latency: 1 + number(7, 3),
        mtfpr_latency: 1 + number(10, 3),
        local_memory_words: 1024 << number(13, 2),
        banks: 1 << number(15, 2),
        extensions: extensions - Extensions::MORE_FPRS,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).unwrap_or_default()
}

/// Returns the number that stands for a core, as far as there is one.
fn bits(core: &Core) -> u32 {
    let numbers = core.numbers();
    (numbers.arithmetic_latency - 2)
        | (numbers.load_latency - 2) << 4
        | (numbers.psprmsgn_latency - 1) << 7
        | (numbers.mtfpr_latency - 1) << 10
        | (numbers.local_memory_words / 1024).ilog2().min(3) << 13
        | numbers.banks.ilog2() << 15
        | u32::from(core.extensions().bits()) << 17
}

/// Returns the number of words of a bundle.
fn words_of(core: &Core) -> usize {
    if core.extensions().contains(Extensions::MORE_FPRS) { 2 } else { 1 }
}

/// Returns the kernels that are bundles as they stand, each on the core that it needs. Others take the scheduler too long.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for kernel in cp2_workloads::catalogue::workloads(Platform::Cp2) {
        let core = with_extensions(&Core::CP2, &kernel.needs());
        // Code that is made for each matrix has no text of its own.
        let Ok(source) = kernel.source(&core) else { continue };
        if source.contains(".linear") && source.len() > 6000 {
            continue;
        }
        let (cp2, _) =
            machine_with(&cp2_session::Environment::new(), &core, &kernel.about().name, &source)
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.about().name));
        let iram = &cp2.state.iram;
        let used = iram.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        for head in HEADS {
            all.push(input(&core, head, &iram[..used.min(BUNDLES)]));
        }
    }
    all
}

fn input(core: &Core, head: u64, bundles: &[BundleBits]) -> Vec<u8> {
    let number = if *core == Core::CP2 { 0 } else { bits(core) };
    let mut bytes = (head | u64::from(number) << 32).to_le_bytes().to_vec();
    bundles.iter().for_each(|bits| bytes.extend(&bits.to_le_bytes()[..8 * words_of(core)]));
    bytes
}

/// Returns a few bundles of a kernel between random ones, on another core.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let kernel = &seeds[sequence.below(seeds.len() as u64) as usize];
    let mut bytes = kernel[..kernel.len().min(8 * 64)].to_vec();
    if sequence.one_in(2) {
        bytes[4..8].copy_from_slice(&(sequence.bits() as u32).to_le_bytes());
    }
    for _ in 0..sequence.below(8) {
        let at = 8 + 8 * sequence.below(bytes.len() as u64 / 8) as usize;
        let at = at.min(bytes.len());
        bytes.splice(at..at, sequence.bits().to_le_bytes());
    }
    bytes
}

/// Returns a machine with a program whose words are its data, too.
fn machine(bytes: &[u8]) -> Option<Cp2> {
    let (words, _) = bytes.as_chunks();
    let (head, words) = words.split_first()?;
    let head = u64::from_le_bytes(*head);
    let mut cp2 = Cp2::new(core((head >> 32) as u32));
    cp2.state.control = head & 3;
    cp2.state.rmask = (head >> 16) as u16;
    // Half of the inputs begin behind the first inexact results, where translated code gets further.
    if head & 4 != 0 {
        cp2.state.fcsr = [4; 4];
        cp2.state.status = 1 << 16;
    }
    let core = *cp2.core();
    for (k, bundle) in words.chunks(words_of(&core)).take(BUNDLES).enumerate() {
        let word = u64::from_le_bytes(bundle[0]);
        let upper = bundle.get(1).map_or(0, |upper| u64::from_le_bytes(*upper));
        cp2.state.iram[k] = BundleBits::from(word) | BundleBits::from(upper) << 64;
        cp2.state.lmem[k] = [
            word,
            word.rotate_left(8),
            word & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000,
            !word,
        ];
        cp2.state.fpr[k % 64] = cp2.state.lmem[k];
    }
    Some(cp2)
}

/// Runs a program on all engines.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let Some(cp2) = machine(bytes) else { return Ok(Verdict::NoText) };
    let engines: [Box<dyn Engine>; 3] =
        [Box::<Translator>::default(), Box::<Portable>::default(), Box::new(Portable::baseline())];
    let mut verdict = Verdict::Accepted;
    for mut engine in engines {
        match compare(engine.as_mut(), &cp2, BundleAddress(0), LIMIT) {
            Err(divergence) => return Err(format!("{}: {divergence}", engine.name())),
            Ok(run) if matches!(run.end, cp2_emu::End::Fault(_)) => verdict = Verdict::Refused,
            Ok(_) => {}
        }
    }
    Ok(verdict)
}
