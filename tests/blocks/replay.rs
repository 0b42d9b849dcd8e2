//! The fast engine against the reference engine where it takes back what it has done: loops in a row that load from some
//! words and store to the same ones or to others, near each other in one bank, with unusual numbers in memory now and then. The
//! machine is stopped on the way, anywhere, and compared: a word of local memory that was overwritten too early is found.

use crate::entries::compare_on_the_way;
use crate::loops::place;
use cp2_emu::Cp2;
use cp2_emu::state::status;
use cp2_isa::{Core, CoreNumbers, Extensions};
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
        Self {
            from: [(); 2].map(|()| s.below(SETS)),
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
            6 if self.has_partial_stores => write!(text, "csdo f{}, {}", 32 + f % 28, address(self.to)),
            6 => write!(text, "swo f{}, {}", 32 + f % 28, address(self.to)),
            _ => write!(text, "nop"),
        };
    }
}

/// Returns an operation from registers that are loaded to registers that are stored, so that numbers grow slowly.
fn arithmetic(s: &mut SplitMix64) -> String {
    let [a, b] = [(); 2].map(|()| s.below(32));
    let d = 32 + s.below(14);
    match s.below(6) {
        0 => "nop".to_owned(),
        1 => format!("psmul f{d}, f{a}, f{b}"),
        2 => format!("pssub f{d}, f{a}, f{b}"),
        3 => format!("copy f{d}, f{a}"),
        4 => format!("caddsub f{d}, f{a}, f{b}, f{}", d + 14),
        _ => format!("psadd f{d}, f{a}, f{b}"),
    }
}

/// Returns a program of some loops in a row, and a loop around them. Stores may obey predicates, if the core has such.
fn source(s: &mut SplitMix64, core: &Core, has_partial_stores: bool) -> String {
    let mut text = String::from("        .kernel replay\n");
    let bank = core.bank_words() as u64;
    let near = s.below(core.banks() as u64) * bank + s.below(bank / 2);
    let near_place = |s: &mut SplitMix64| {
        let most = [8, 100, bank / 3][s.below(3) as usize];
        if s.one_in(5) { place(s, core) } else { near + s.below(most) }
    };
    for k in 0..SETS {
        let _ = writeln!(text, "        | seti a{k}, {}", near_place(s));
    }
    let _ = writeln!(text, "        | doi {}, outer", 1 + s.below(4));
    for number in 0..1 + s.below(3) {
        let phase = Phase::random(s, has_partial_stores);
        for set in (0..SETS).filter(|_| s.one_in(3)).collect::<Vec<_>>() {
            let _ = writeln!(text, "        | seti a{set}, {}", near_place(s));
        }
        let _ = writeln!(text, "        | seti g2, {}", 1 + s.below(150));
        let _ = writeln!(text, "        | nop\n        | do g2, inner{number}");
        let length = 3 + s.below(24);
        for k in 0..length {
            let label = if k + 2 == length { format!("inner{number}:") } else { String::new() };
            let mut second = String::new();
            phase.exchange(s, &mut second);
            let predicate = if second.starts_with('c') { "if(cc1) " } else { "" };
            let _ = writeln!(text, "{label:<8}{predicate}{} | {second}", arithmetic(s));
        }
        text.push_str("        | nop\n");
    }
    text.push_str("outer:  | nop\n        | nop\n        | sync\n        | stopi 0\n");
    text
}

fn prepared(number: u64) -> (String, Cp2) {
    let mut s = SplitMix64(number);
    let conditional = CoreNumbers {
        extensions: Extensions::CONDITIONAL_MEMORY,
        ..*Core::CP2.numbers()
    };
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

#[test]
fn what_is_taken_back_is_never_seen() {
    let numbers = cp2_tests::program_numbers(400);
    let compare = |number| compare_on_the_way(number, &prepared(number));
    let [bundles, cycles, translated] = cp2_tests::sum_over(&numbers, compare);
    let n = numbers.count();
    println!("{n} programs, {bundles} bundles, {cycles} cycles, translated {translated}");
    assert!(!cp2_fast::is_supported() || translated > cycles / 2, "{translated} of {cycles}");
}
