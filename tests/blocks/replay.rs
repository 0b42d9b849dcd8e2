//! The fast engine against the reference engine where it takes back what it has done: loops in a row that load from some
//! words and store to the same ones or to others, near each other in one bank, with unusual numbers in memory now and then. The
//! machine is stopped on the way, anywhere, and compared: a word of local memory that was overwritten too early is found.

use crate::entries::under_way;
use cp2_emu::state::status;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Difference, Engine as _, Goal, Machine};
use cp2_fast::{NativeIsa, Translator};
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions};
use cp2_tests::{SplitMix64, at_random};
use std::fmt::Write as _;

/// Number of address sets of a program.
const SETS: u64 = 4;

/// Address sets of a loop, from which it loads and to which it stores, and by how much each of them steps in an access.
struct Phase {
    from: [u64; 2],
    to: u64,
    steps: [i64; SETS as usize],
    /// Whether a store may leave something of a word as it was.
    has_partial_stores: bool,
}

impl Phase {
    fn random(s: &mut SplitMix64, has_partial_stores: bool) -> Self {
        let from = s.below(SETS);
        Self {
            from: [from, if s.one_in(3) { s.below(SETS) } else { from }],
            to: s.below(SETS),
            steps: [(); SETS as usize].map(|()| [1, 2, 2, 2, 2, 4, 6, -2][s.below(8) as usize]),
            has_partial_stores: has_partial_stores && s.one_in(2),
        }
    }

    /// Writes an access, or nothing. Some stores of a loop that may leave something of a word obey a predicate.
    fn exchange(&self, s: &mut SplitMix64, text: &mut String) {
        let (f, set) = (2 * s.below(16), self.from[s.below(2) as usize]);
        let address = |set: u64| format!("(r{set}){:+}", self.steps[set as usize]);
        let _ = match s.below(8) {
            0..3 => write!(text, "ldo f{f}, {}", address(set)),
            3..6 => write!(text, "sdo f{}, {}", 32 + f % 28, address(self.to)),
            6 if self.has_partial_stores => {
                write!(text, "csdo f{}, {}", 32 + f % 28, address(self.to))
            }
            6 => write!(text, "swo f{}, {}", 32 + f % 28, address(self.to)),
            _ => write!(text, "nop"),
        };
    }
}

/// Returns an operation from registers that are loaded to registers that are stored, so that numbers grow slowly.
fn arithmetic(s: &mut SplitMix64) -> String {
    let [a, b] = [(); 2].map(|()| s.below(32));
    let d = 32 + s.below(14);
    match s.below(7) {
        0 => "nop".to_owned(),
        1 => format!("psmul f{d}, f{a}, f{b}"),
        2 => format!("pssub f{d}, f{a}, f{b}"),
        3 => format!("copy f{d}, f{a}"),
        4 => format!("caddsub f{d}, f{a}, f{b}, f{}", d + 14),
        5 => format!("c.lt.s cc1, f{a}, f{d}"),
        _ => format!("psadd f{d}, f{a}, f{b}"),
    }
}

/// Returns a place near others in one bank, or anywhere in one case of six.
fn place(s: &mut SplitMix64, core: &Core, near: u64) -> u64 {
    let part = s.below(3) * core.bank_words() as u64 / 4;
    let most = [1, 8, 60][s.below(3) as usize];
    if s.one_in(6) { s.below(core.lmem_words() as u64) } else { near + part + s.below(most) }
}

/// Returns a program of some loops in a row, and a loop around them. Stores may obey predicates, if the core has such.
fn source(s: &mut SplitMix64, core: &Core, has_partial_stores: bool) -> String {
    let mut text = String::from("        .kernel replay\n");
    let bank = core.bank_words() as u64;
    let near = s.below(core.banks() as u64) * bank + s.below(bank / 4);
    for k in 0..SETS {
        let _ = writeln!(text, "        | seti a{k}, {}", place(s, core, near));
    }
    let _ = writeln!(text, "        | doi {}, outer", 1 + s.below(6));
    for number in 0..1 + s.below(4) {
        let phase = Phase::random(s, has_partial_stores);
        for set in (0..SETS).filter(|_| s.one_in(2)).collect::<Vec<_>>() {
            let place = place(s, core, near);
            let _ = match s.below(3) {
                // An address that only the run knows, and words that are read there.
                0 => writeln!(
                    text,
                    "        | seti g3, {place}\n        | nop\n        | nop\n        | move a{set}, g3\n\
                     \u{20}       | nop\n        | nop\n        | ldo f{}, (r{set})+2",
                    2 * s.below(31)
                ),
                _ => writeln!(text, "        | seti a{set}, {place}"),
            };
        }
        let _ = writeln!(text, "        | seti g2, {}", 1 + s.below(150));
        let _ = writeln!(text, "        | nop\n        | do g2, inner{number}");
        let length = 3 + s.below(12);
        for k in 0..length {
            let label = if k + 2 == length { format!("inner{number}:") } else { String::new() };
            let mut second = String::new();
            phase.exchange(s, &mut second);
            let predicate = if second.starts_with('c') { "if(cc1) " } else { "" };
            let arithmetic = if predicate.is_empty() { arithmetic(s) } else { "nop".to_owned() };
            let _ = writeln!(text, "{label:<8}{predicate}{arithmetic} | {second}");
        }
        text.push_str("        | nop\n");
    }
    text.push_str("outer:  | nop\n        | nop\n        | sync\n        | stopi 0\n");
    text
}

fn prepared(number: u64) -> (String, Cp2) {
    let mut s = SplitMix64(number);
    let conditional =
        CoreNumbers { extensions: Extensions::CONDITIONAL_MEMORY, ..*Core::CP2.numbers() };
    let (core, plain) = match Core::new(conditional) {
        Ok(core) if s.one_in(4) => (core, core),
        _ => (at_random::core(&mut s), Core::CP2),
    };
    let text = source(&mut s, &core, plain != Core::CP2);
    let mut cp2 = at_random::on_core(&core, &cp2_tests::machine_on(&plain, &text));
    let unusual = [u64::MAX, 100_000, 10_000, 1000][s.below(4) as usize];
    for word in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()).flatten() {
        let near_one = s.bits() & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000;
        *word = if s.one_in(unusual) { s.bits() } else { near_one };
    }
    cp2.state.fccr = [(); 4].map(|()| s.bits() as u8 | 1);
    if !s.one_in(4) {
        cp2.state.fcsr = [1 << 2; 4];
        cp2.state.status |= 1 << status::FPE_SHIFT;
    }
    (text, cp2)
}

/// Runs a program three times on one engine, so that the second run finds translated code, and compares the machine wherever
/// the engine comes back: at a cycle that it was told, or at one of its own behind that. Returns how many bundles and cycles
/// there were and how many cycles were translated.
fn compare(number: u64) -> [u64; 3] {
    let (text, cp2) = prepared(number);
    let mut sums = [0; 3];
    for native_isa in [NativeIsa::Avx2, NativeIsa::Avx512] {
        let mut s = SplitMix64(number);
        let mut engine = Translator::with_native(Some(native_isa));
        let piece = [60, 1000, 100_000][s.below(3) as usize];
        for run in 0..3 {
            let (mut reference, mut machine) = (cp2.clone(), Machine::alone(cp2.clone()));
            reference.start(BundleAddress(0));
            machine.start_kernel(BundleAddress(0));
            while machine.cp2.is_running() {
                let next = machine.cycle() + 1 + s.below(piece);
                let goal = match s.one_in(2) {
                    true => Goal::cycle(next),
                    false => Goal::cycle(next + 1_000_000).or_from(next),
                };
                let place =
                    format!("program {number}, run {run}, {native_isa:?}, {goal:?}\n{text}");
                assert!(engine.advance(&mut machine, goal, &mut NoObserver).is_ok(), "{place}");
                let (fast, cycles) = (&machine.cp2, machine.cp2.stats().cycles);
                reference.advance(cycles, &mut NoObserver);
                assert_eq!(Difference::first(&reference.state, &fast.state), None, "{place}");
                assert_eq!(under_way(fast), under_way(&reference), "{place}");
                assert_eq!(fast.stats(), reference.stats(), "{place}");
            }
            let stats = reference.stats();
            let more = [stats.bundles(), stats.cycles, engine.translated_cycles()];
            sums = std::array::from_fn(|k| sums[k] + more[k]);
        }
    }
    sums
}

#[test]
fn what_is_taken_back_is_never_seen() {
    let numbers = cp2_tests::program_numbers(400);
    let [bundles, cycles, translated] = cp2_tests::sum_over(&numbers, compare);
    let n = numbers.count();
    println!("{n} programs, {bundles} bundles, {cycles} cycles, translated {translated}");
    assert!(!cp2_fast::is_supported() || translated > cycles / 2, "{translated} of {cycles}");
}
