//! The fast and the portable engine against the reference engine: kernels and random programs, everything
//! compared.

#[allow(dead_code, reason = "only the generator of programs is used here")]
mod oracle;

use cp2_emu::machine::{Divergence, compare as compare_once, what_differs};
use cp2_emu::trace::{Event, NoObserver};
use cp2_emu::{Cp2, Difference, End, Engine, Machine, RunResult, State};
use cp2_fast::{Fast, NativeIsa, Translator};
use cp2_isa::{Arith, BundleAddress, BundleBits, Core, CoreNumbers, Exch, decode, encode};
use cp2_kernels::fft;
use cp2_portable::Portable;
use cp2_tests::{SplitMix64, Translations, add, at_random};
use oracle::extended::extended;
use oracle::random::generate::{Program, program};

/// Changes of a generated program, so that translated code gets far.
struct Variant {
    /// Whether numbers are not far from 1, mostly behind the first inexact results.
    tame: bool,
    /// Whether loops go round often.
    long: bool,
}

/// Numbers of a tame program, and the elementary functions whose domains they are in.
struct Numbers {
    /// Bits that are random in both halves, and the exponent.
    random: u64,
    exponent: u64,
    functions: &'static [Arith],
}

const NUMBERS: [Numbers; 3] = {
    use Arith as A;
    [
        Numbers {
            random: 0x803f_ffff,
            exponent: 0x3f80_0000,
            functions: &[A::Recip, A::Exp2, A::Rrsin, A::Rrcos, A::Rrcossin, A::Rrlog2],
        },
        Numbers {
            random: 0x003f_ffff,
            exponent: 0x3f80_0000,
            functions: &[A::Recip, A::Log2c, A::Rsqrt, A::Exp2, A::Rrlog2, A::Rsqrt],
        },
        Numbers {
            random: 0x803f_ffff,
            exponent: 0x3f00_0000,
            functions: &[A::Sinc, A::Atanc, A::Rrsin, A::Rrcos, A::Rrcossin, A::Sinc],
        },
    ]
};

impl Numbers {
    fn word(&self, sequence: &mut SplitMix64) -> u64 {
        let both = |half: u64| half << 32 | half;
        sequence.bits() & both(self.random) | both(self.exponent)
    }

    /// Returns one of the operations that keep these numbers tame.
    fn operation(&self, sequence: &mut SplitMix64) -> Arith {
        let of = |all: &[Arith], k: u64| all[k as usize % all.len()];
        let k = sequence.below(1 << 16);
        if sequence.one_in(5) { of(self.functions, k) } else { of(&TAME, k) }
    }
}

/// Operations that keep numbers not far from 1, most of them at least; some stand more than once.
const TAME: [Arith; 31] = {
    use Arith as A;
    [
        A::Copy,
        A::Swaphl,
        A::Mtrans,
        A::Psneg,
        A::Cneg,
        A::Cconj,
        A::Psabs,
        A::Pscopysign,
        A::Swap64,
        A::Clear,
        A::Getcoeff,
        A::C,
        A::And,
        A::Or,
        A::C,
        A::Getcoeff,
        A::Cadd,
        A::Csub,
        A::Psadd,
        A::Pssub,
        A::Caddsub,
        A::Psaddsub,
        A::Cbutterfly,
        A::Cbutterfly,
        A::Psmul,
        A::Cmul,
        A::Chmul,
        A::Mvmul,
        A::Mtvmul,
        A::Psmsub,
        A::Qsdot,
    ]
};

/// Replaces the operations of a word, mostly, if they would make numbers wild or leave translated code.
fn tamed(word: BundleBits, numbers: &Numbers, sequence: &mut SplitMix64) -> BundleBits {
    let Ok(bundle) = decode(word, &Core::CP2) else { return word };
    let mut word = word;
    if !TAME.contains(&bundle.arith.op) && bundle.arith.op != Arith::Nop && sequence.below(16) > 0 {
        let op = numbers.operation(sequence);
        word = word & !(0xff << 56) | BundleBits::from(op.row().code) << 56;
    }
    let leaves =
        matches!(bundle.exch.op, Exch::Move | Exch::Mtfpr | Exch::CheckDma | Exch::StartDma);
    if leaves && sequence.below(16) > 0 {
        word &= !(0x3f << 23);
    }
    if decode(word, &Core::CP2).is_ok() { word } else { 0 }
}

fn changed(mut program: Program, variant: &Variant, sequence: &mut SplitMix64) -> Program {
    if variant.tame {
        let numbers = &NUMBERS[sequence.below(3) as usize];
        let State { fpr, lmem, .. } = &mut program.state;
        for word in fpr.iter_mut().chain(lmem.iter_mut()).flatten() {
            *word = numbers.word(sequence);
        }
        let (base, end) = (usize::from(program.base), usize::from(program.end));
        if sequence.below(4) > 0 {
            for word in &mut program.state.iram[base..end] {
                *word = tamed(*word, numbers, sequence);
            }
        }
        // In some programs the first inexact results are still to come.
        if sequence.below(4) > 0 {
            program.state.fcsr.iter_mut().for_each(|fcsr| *fcsr |= 4);
            program.state.status |= 1 << 16;
        }
    }
    if variant.long {
        for word in &mut program.state.iram[usize::from(program.base)..usize::from(program.end)] {
            if let Ok(mut bundle) = decode(*word, &Core::CP2)
                && bundle.exch.op == Exch::Doi
            {
                bundle.exch.values[0] = sequence.below(40) as i32;
                *word = encode(&bundle);
            }
        }
        program.state.gpr[4..7].iter_mut().for_each(|count| *count = sequence.below(200));
        if program.limit > 900 {
            program.limit = 12_000;
        }
    }
    program
}

/// Runs a machine in pieces, so that the engine is left and entered in the middle.
fn run_in_pieces(
    engine: &mut dyn Engine,
    machine: &mut Machine,
    (start, limit): (BundleAddress, u64),
    sequence: &mut SplitMix64,
) -> RunResult {
    machine.start_kernel(start);
    let mut until = 0;
    let end = loop {
        until = limit.min(until + 1 + sequence.below(3000));
        match engine.advance_kernel(machine, until, &mut NoObserver) {
            Some(end) => break end,
            None if until == limit => break End::CycleLimit(limit),
            None => {}
        }
    };
    machine.finish_kernel(end)
}

/// Operations of the exchange half.
const OPERATIONS: usize = Exch::ALL.len();
/// Bundles and cycles of a run, the cycles that translated code did, and the operations of the exchange half that
/// issued, by their place in [`Exch::ALL`].
type Counts = [u64; 3 + OPERATIONS];

/// Returns a machine of this core that holds a program.
fn machine(program: &Program, core: &Core) -> Cp2 {
    let mut cp2 = Cp2::new(*core);
    cp2.state = at_random::state_on(core, &program.state);
    cp2
}

/// The engines that are compared with the reference engine.
struct Engines {
    fast: Translator,
    portable: Portable,
}

/// Runs a program in pieces on the engines; returns what differs from the reference engine, and the counts of the run.
fn difference(
    program: &Program,
    core: &Core,
    engines: &mut Engines,
    sequence: &mut SplitMix64,
) -> (Option<String>, Counts) {
    let mut reference = machine(program, core);
    if sequence.one_in(3) {
        reference.keep_profile();
    }
    let before = Machine::alone(reference.clone());
    let call = (BundleAddress(program.start), program.limit);
    let expected = reference.run_untraced(call.0, call.1);
    let Engines { fast, portable } = engines;
    let both: [&mut dyn Engine; 2] = [fast, portable];
    let found = both.into_iter().find_map(|engine| {
        let mut machine = before.clone();
        let run = run_in_pieces(engine, &mut machine, call, sequence);
        let what = what_differs((&reference, &expected), (&machine.cp2, &run))?;
        Some(format!("{}: {what}", engine.name()))
    });
    let mut counts = [0; 3 + OPERATIONS];
    let stats = &expected.stats;
    counts[..3].copy_from_slice(&[stats.bundles(), stats.cycles, fast.translated_cycles()]);
    counts[3..].copy_from_slice(&stats.exchange);
    (found, counts)
}

/// Describes a run that differs while one cycle less does not, with the trace of its last cycles.
fn report(number: u64, program: &Program, core: &Core) -> String {
    let mut reference = machine(program, core);
    let engines: [Box<dyn Engine>; 2] = [Box::<Translator>::default(), Box::<Portable>::default()];
    let first = engines.into_iter().find_map(|mut engine| {
        let start = BundleAddress(program.start);
        compare_once(engine.as_mut(), &reference, start, program.limit).err()
    });
    let (limit, found) = match first {
        Some(Divergence { cycles, what }) => (cycles, what),
        None => (program.limit, "only in pieces".to_owned()),
    };
    let mut lines = Vec::new();
    let mut sink = |event: &Event| lines.push(event.line("", true));
    reference.run(BundleAddress(program.start), limit, &mut sink);
    let last = lines.len().saturating_sub(60);
    let core = core.changes().join(", ");
    format!("program {number} on {core}, limit {limit}: {found}\n{}", lines[last..].join("\n"))
}

/// Returns the program of a number for a core at random, and the sequence for what else is random.
fn prepared(number: u64) -> (Program, SplitMix64) {
    let mut sequence = SplitMix64(number);
    let variant = Variant { tame: !number.is_multiple_of(4), long: !number.is_multiple_of(3) };
    let program = changed(program(number), &variant, &mut sequence);
    let core = at_random::core(&mut sequence);
    let core = at_random::larger(&mut sequence, &core);
    let core = at_random::with_bundles(&core, program.end.into());
    (extended(number, Program { core, ..program }), sequence)
}

/// Runs a program on all engines; the error is a report for people.
fn compare(number: u64, engines: &mut Engines) -> Result<Counts, String> {
    let (program, mut sequence) = prepared(number);
    let core = program.core;
    match difference(&program, &core, engines, &mut sequence) {
        (None, counts) => Ok(counts),
        (Some(found), _) => {
            Err(format!("program {number}: {found}\n{}", report(number, &program, &core)))
        }
    }
}

/// Compares every program of `step` from the one at place `first` on, on engines of its own.
fn compare_programs(first: usize, step: usize) -> Result<Counts, String> {
    // Engines with what every such native machine has, and with all that this one has.
    let fast =
        [Some(NativeIsa::Avx2), NativeIsa::detect()].map(Translator::with_native).into_iter();
    let portable = [Portable::baseline(), Portable::default()];
    let engines = fast.zip(portable).map(|(fast, portable)| Engines { fast, portable });
    let mut engines: Vec<Engines> = engines.collect();
    cp2_tests::program_numbers(2500)
        .skip(first)
        .step_by(step)
        .try_fold([0; 3 + OPERATIONS], |sum, number| {
            Ok(add(sum, compare(number, &mut engines[number as usize / step % 2])?))
        })
}

#[test]
fn engines_agree_on_random_programs() {
    let results = cp2_tests::on_all_cores(compare_programs).into_iter();
    let counts = results.map(|result| result.unwrap_or_else(|report| panic!("{report}")));
    let counts = counts.fold([0; 3 + OPERATIONS], add);
    let [bundles, cycles, translated, issued @ ..] = counts;
    let n = cp2_tests::program_numbers(2500).count();
    println!("{n} programs, {bundles} bundles, {cycles} cycles, translated {translated}");
    assert!(!cp2_fast::is_supported() || translated > cycles / 20, "{translated} of {cycles}");
    for (op, n) in Exch::ALL.iter().zip(issued).filter(|(op, _)| !op.row().extension.is_empty()) {
        println!("{:8}{n:8}", op.row().name);
        assert!(n >= 50, "{} issued {n} times", op.row().name);
    }
}

/// Runs a program on one engine after another that keep their translations in one store. Returns how many blocks the first
/// engine translated, and how many the others did.
fn translations(number: u64) -> [u64; 2] {
    let (program, sequence) = prepared(number);
    let mut reference = machine(&program, &program.core);
    let before = Machine::alone(reference.clone());
    let call = (BundleAddress(program.start), program.limit);
    let expected = reference.run_untraced(call.0, call.1);
    let store = Translations::default();
    let native_isa =
        if number.is_multiple_of(2) { Some(NativeIsa::Avx2) } else { NativeIsa::detect() };
    let [first, others @ ..] =
        [sequence.clone(), sequence, SplitMix64(!number)].map(|mut sequence| {
            let mut engine = Translator::with_native(native_isa).keeping(Box::new(store.clone()));
            let mut machine = before.clone();
            let run = run_in_pieces(&mut engine, &mut machine, call, &mut sequence);
            let different = what_differs((&reference, &expected), (&machine.cp2, &run));
            assert_eq!(different, None, "program {number}");
            engine.translations()
        });
    assert_eq!(others[0], 0, "program {number} in the same pieces");
    [first, others.iter().sum()]
}

#[test]
fn blocks_that_were_kept_run_alike() {
    let numbers = cp2_tests::program_numbers(600);
    let [first, others] = cp2_tests::sum_over(&numbers, translations);
    println!("{} programs, {first} translations, {others} in other pieces", numbers.count());
    assert!(!cp2_fast::is_supported() || first > 1000 && others < first, "{first}, {others}");
}

/// Returns a machine with 16 random vectors in every section, and the entry of the kernel.
fn loaded(points: usize) -> (Cp2, BundleAddress) {
    fft::loaded(&Core::CP2, points, 16).expect("a length from LENGTHS")
}

#[test]
fn the_fft_kernels_run_alike_and_translated() {
    let lengths = fft::LENGTHS.into_iter();
    let cases =
        lengths.flat_map(|points| [(points, Some(NativeIsa::Avx2)), (points, NativeIsa::detect())]);
    for (points, native_isa) in cases {
        let (mut reference, entry) = loaded(points);
        let mut fast = Fast::with_native(native_isa, reference.clone());
        let expected = reference.run_untraced(entry, 1_000_000);
        let run = fast.run_untraced(entry, 1_000_000);
        assert_eq!(run, expected);
        assert_eq!(Difference::first(&reference.state, &fast.cp2().state), None, "{points} points");
        let translated = fast.translated_cycles();
        assert!(!cp2_fast::is_supported() || translated > run.stats.cycles / 2, "{translated}");
    }
}

/// Counting what every bundle costs takes nothing from translated code.
#[test]
fn a_profile_is_the_same_and_translated() {
    let (mut reference, entry) = loaded(256);
    reference.keep_profile();
    let mut fast = Fast::new(reference.clone());
    let expected = reference.run_untraced(entry, 1_000_000);
    let run = fast.run_untraced(entry, 1_000_000);
    assert_eq!(what_differs((&reference, &expected), (fast.cp2(), &run)), None);
    assert!(fast.cp2().profile().is_some_and(|profile| profile.agrees(&run.stats)));
    let translated = fast.translated_cycles();
    assert!(!cp2_fast::is_supported() || translated > run.stats.cycles / 2, "{translated}");
}

/// Kernels that were generated for other cores are translated there as far as on CP2.
#[test]
fn the_fft_kernels_of_other_cores_run_alike_and_translated() {
    let usual = Core::CP2.numbers();
    let others = [
        CoreNumbers { arithmetic_latency: 4, ..*usual },
        CoreNumbers { arithmetic_latency: 12, load_latency: 6, ..*usual },
        CoreNumbers { arithmetic_latency: 2, load_latency: 2, psprmsgn_latency: 5, ..*usual },
        CoreNumbers { local_memory_words: 4096, banks: 4, ..*usual },
    ];
    for numbers in others {
        let core = Core::new(numbers).expect("numbers within their limits");
        let (mut reference, entry) = fft::loaded(&core, 256, 4).expect("a length from LENGTHS");
        let mut fast = Fast::new(reference.clone());
        let expected = reference.run_untraced(entry, 1_000_000);
        let run = fast.run_untraced(entry, 1_000_000);
        assert_eq!(run, expected, "{:?}", core.changes());
        assert_eq!(Difference::first(&reference.state, &fast.cp2().state), None);
        let translated = fast.translated_cycles();
        assert!(
            !cp2_fast::is_supported() || translated > run.stats.cycles / 10 * 9,
            "{translated}"
        );
    }
}

#[test]
fn machines_side_by_side_give_what_they_give_alone() {
    let machines: Vec<(Cp2, BundleAddress)> = fft::LENGTHS
        .into_iter()
        .map(|points| {
            let (mut cp2, entry) = loaded(points);
            cp2.state.gpr[2] = 1;
            (cp2, entry)
        })
        .collect();
    assert!(machines.iter().all(|(_, entry)| *entry == BundleAddress(0)));
    let mut fast: Vec<Fast> = machines.iter().map(|(cp2, _)| Fast::new(cp2.clone())).collect();
    let runs = cp2_fast::run_all(&mut fast, BundleAddress(0), 1_000_000);
    for ((fast, run), (mut alone, entry)) in fast.iter().zip(runs).zip(machines) {
        assert_eq!(run, alone.run_untraced(entry, 1_000_000));
        assert!(fast.cp2().state == alone.state);
    }
}

#[test]
fn the_portable_path_runs_alike() {
    let (mut reference, entry) = loaded(64);
    let mut fast = Fast::with_native(None, reference.clone());
    assert_eq!(fast.run_untraced(entry, 1_000_000), reference.run_untraced(entry, 1_000_000));
    assert_eq!(Difference::first(&reference.state, &fast.cp2().state), None);
    assert_eq!(fast.translated_cycles(), 0);
}
