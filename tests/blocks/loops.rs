//! The fast engine against the reference engine on loops: address sets that come near each other, near
//! the border of the banks and round the end of memory, angles that recur or do not, numbers that are
//! unusual now and then. Programs of all kinds are compared in `engines`.

use cp2_emu::Cp2;
use cp2_fast::{Fast, NativeIsa, what_differs};
use cp2_isa::{BundleAddress, Core};
use cp2_tests::{SplitMix64, at_random};
use std::fmt::Write as _;

/// Returns a step of an address set, small as a rule; two of the others nearly go round memory.
fn step(s: &mut SplitMix64, core: &Core) -> i64 {
    if s.one_in(20) {
        let half = core.lmem_words() as i64 / 2;
        return [half - 1, half - 2, 1 - half, -half][s.below(4) as usize];
    }
    let widest = [1, 2, 4, 16, 128][s.below(5) as usize];
    s.below(2 * widest + 1) as i64 - widest as i64
}

/// Returns a place near 0, near a border of banks, near the other places, or anywhere.
pub(crate) fn place(s: &mut SplitMix64, core: &Core) -> u64 {
    let (words, bank) = (core.lmem_words() as u64, core.bank_words() as u64);
    match s.below(4) {
        0 => s.below(40),
        1 => (words / 2 / bank * bank + words - 20 + s.below(40)) % words,
        2 => bank / 4 + s.below(64),
        _ => s.below(words),
    }
}

fn exchange(s: &mut SplitMix64, core: &Core, text: &mut String) {
    let (set, f) = (s.below(5), 2 * s.below(31));
    let single = f + s.below(2);
    let (mode, address) = match s.below(5) {
        0 => ("np", format!("(r{set})+n{set}")),
        1 => ("nm", format!("(r{set})-n{set}")),
        _ => ("o", format!("(r{set}){:+}", step(s, core))),
    };
    let _ = match s.below(12) {
        0..4 => write!(text, "ld{mode} f{f}, {address}"),
        4 => write!(text, "lw{mode} f{single}, {address}"),
        5..8 => write!(text, "sd{mode} f{f}, {address}"),
        8 => write!(text, "sw{mode} f{single}, {address}"),
        9 => write!(text, "swi f{single}, {}", place(s, core)),
        10 => match s.below(6) {
            0 => write!(text, "move rstep, g{}", 3 + s.below(4)),
            1 => write!(text, "move rind, g{}", 3 + s.below(4)),
            2 => write!(text, "seti g{}, {}", 3 + s.below(4), s.below(1 << 16)),
            3 => write!(text, "move g{}, i{}", 3 + s.below(4), s.below(4)),
            4 => write!(text, "move i{}, g{}", s.below(4), 3 + s.below(4)),
            _ => write!(text, "seti a{set}, {}", place(s, core)),
        },
        _ => match s.below(5) {
            0 => write!(text, "updaddr (r{set}){:+}", step(s, core)),
            1 => write!(text, "mtfpr f{single}, g{}, s{}", 3 + s.below(4), s.below(4)),
            2 => write!(text, "mffpr g{}, f{single}, s{}", 3 + s.below(4), s.below(4)),
            _ => write!(text, "nop"),
        },
    };
}

/// Elementary functions and reductions. Numbers near 1 are in the domains of the first `TAME_FUNCTIONS` of them.
const FUNCTIONS: [&str; 10] =
    ["recip", "exp2", "rrsin", "rrcos", "rrcossin", "rrlog2", "sinc", "atanc", "log2c", "rsqrt"];
const TAME_FUNCTIONS: usize = 6;

fn function(s: &mut SplitMix64, name: &str, [d, a, q]: [&str; 3]) -> String {
    match name {
        "rrlog2" => format!("{name} {d}, {a}, {q}"),
        _ if name.starts_with("rr") => format!("{name} {d}, {a}"),
        _ => format!("{name} {d}.{}, {a}.{}", s.of(&["hi", "lo"]), s.of(&["hi", "lo"])),
    }
}

fn arithmetic(s: &mut SplitMix64, functions: &[&str]) -> String {
    // Four different registers: destinations must differ.
    let first = s.below(62);
    let other = |n: u64| format!("f{}", (first + n) % 62);
    let (d, a, b, q) =
        (other(0), other(1 + s.below(20)), other(21 + s.below(20)), other(41 + s.below(20)));
    if !functions.is_empty() && s.one_in(5) {
        let name = s.of(functions);
        return function(s, name, [&d, &a, &q]);
    }
    match s.below(9) {
        0..3 => format!("cbutterfly {d}, {a}"),
        3 => format!("caddsub {d}, {a}, {b}, {q}"),
        4 => format!("psmul {d}, {a}, {b}"),
        5 => format!("pssub {d}, {a}, {b}"),
        6 => format!("getcoeff {d}"),
        7 => format!("copy {d}, {a}"),
        _ => "nop".to_owned(),
    }
}

/// Returns a program of two loops, one in the other.
fn source(s: &mut SplitMix64, core: &Core) -> String {
    let mut text = String::from("        .kernel loops\n");
    let last = core.address_mask();
    for k in 0..5 {
        let _ = writeln!(text, "        | seti a{k}, {}", place(s, core));
        let _ = writeln!(
            text,
            "        | seti n{k}, {}",
            [1, 2, 3, 64, last - 1, last][s.below(6) as usize]
        );
    }
    for k in 3..7 {
        let angle = [0, 0x8000, 0x4000, 0x100, 0x0fff][s.below(5) as usize];
        let _ = writeln!(text, "        | seti g{k}, {angle}");
        let _ = writeln!(text, "        | move i{}, g{k}", k - 3);
    }
    if s.one_in(6) {
        let _ = writeln!(
            text,
            "        | seti m{}, {}",
            s.below(5),
            [0, 63, 1023][s.below(3) as usize]
        );
    }
    if s.one_in(6) {
        let _ =
            writeln!(text, "        | seti g1, 0x{:x}\n        | move rmask, g1", s.below(1 << 16));
    }
    let _ = writeln!(text, "        | doi {}, outer", 1 + s.below(6));
    let _ = writeln!(text, "        | seti g2, {}", 1 + s.below(120));
    let _ = writeln!(text, "        | nop\n        | do g2, inner");
    let length = 3 + s.below(40);
    let functions = &FUNCTIONS[..[0, TAME_FUNCTIONS, TAME_FUNCTIONS, 10][s.below(4) as usize]];
    for k in 0..length {
        let label = if k + 2 == length { "inner:" } else { "" };
        let mut second = String::new();
        exchange(s, core, &mut second);
        let _ = writeln!(text, "{label:<8}{} | {second}", arithmetic(s, functions));
    }
    text.push_str(
        "        | nop\nouter:  | nop\n        | nop\n        | sync\n        | stopi 0\n",
    );
    text
}

fn word(s: &mut SplitMix64, unusual: u64) -> u64 {
    let near_one = s.bits() & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000;
    match s.below(unusual) {
        0 => s.bits(),
        1 => near_one & !(0x7f80_0000 << 32),
        _ => near_one,
    }
}

fn prepared(number: u64) -> (String, Cp2) {
    let mut s = SplitMix64(number);
    let core = at_random::core(&mut s);
    let text = source(&mut s, &core);
    let mut cp2 = at_random::on_core(&core, &cp2_tests::machine(&text));
    let unusual = [u64::MAX, 4000, 40000][s.below(3) as usize];
    cp2.state.control = if s.one_in(2) { 0 } else { s.below(4) };
    for quad in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()) {
        *quad = [0; 4].map(|_| word(&mut s, unusual));
    }
    if !s.one_in(3) {
        // Sticky I everywhere: nothing is left to learn of inexact results.
        cp2.state.fcsr = [1 << 2; 4];
        cp2.state.status |= 1 << cp2_emu::state::status::FPE_SHIFT;
    }
    (text, cp2)
}

fn compare(number: u64) -> [u64; 3] {
    let (text, cp2) = prepared(number);
    let mut reference = cp2.clone();
    let limit = 200_000;
    let expected = reference.run_untraced(BundleAddress(0), limit);
    let mut translated = 0;
    for native_isa in [Some(NativeIsa::Avx2), Some(NativeIsa::Avx512)] {
        let mut fast = Fast::with_native(native_isa, cp2.clone());
        // In pieces, so that runs begin and end anywhere.
        fast.start(BundleAddress(0));
        let mut until = 0;
        let end = loop {
            until += 1 + SplitMix64(number ^ until).below(20_000);
            if let Some(end) = fast.advance(until.min(limit), &mut cp2_emu::trace::NoObserver) {
                break end;
            }
            assert!(until < limit, "program {number} has no end\n{text}");
        };
        let run = fast.finish(end);
        let different = what_differs((&reference, &expected), (fast.cp2(), &run));
        assert_eq!(
            different,
            None,
            "program {number}, {native_isa:?}, {:?}\n{text}",
            cp2.core().changes()
        );
        translated += fast.translated_cycles();
    }
    [expected.stats.bundles(), expected.stats.cycles, translated]
}

#[test]
fn loops_run_alike() {
    let numbers = cp2_tests::program_numbers(400);
    let [bundles, cycles, translated] = cp2_tests::sum_over(&numbers, compare);
    let n = numbers.count();
    println!(
        "{n} programs, {bundles} bundles, {cycles} cycles, translated {translated} for both instruction sets"
    );
    assert!(!cp2_fast::is_supported() || translated > cycles / 2, "{translated} of {cycles}");
}
