//! The fast engine against the reference engine on elementary functions and argument reduction: all
//! operations, halves and rounding modes, with operands in their domains and outside, and the flag I
//! before it is known.

use cp2_emu::arith::{Lane, execute};
use cp2_emu::state::status;
use cp2_emu::{Cp2, Difference, End};
use cp2_fast::{Fast, NativeIsa, what_differs};
use cp2_isa::{BundleAddress, Core, decode};
use cp2_tests::SplitMix64;
use std::fmt::Write as _;

const NATIVE_ISAS: [NativeIsa; 2] = [NativeIsa::Avx2, NativeIsa::Avx512];
const SIGN: u32 = 1 << 31;
const ONE: u32 = 0x3f80_0000;
/// Words of local memory that a kernel reads; each pass takes some of them.
const WORDS: u64 = 2000;
const WORDS_OF_A_PASS: u64 = 4;

/// Operations by name, and whether each has selectors of halves.
const OPERATIONS: [(&str, bool); 10] = [
    ("recip", true),
    ("sinc", true),
    ("atanc", true),
    ("log2c", true),
    ("exp2", true),
    ("rsqrt", true),
    ("rrcossin", false),
    ("rrsin", false),
    ("rrcos", false),
    ("rrlog2", false),
];

/// Returns the text of an operation from register `s` to `d`, and to `q` if it has a second result.
fn operation((name, has_halves): (&str, bool), halves: u64, [d, s, q]: [u64; 3]) -> String {
    let half = |k: u64| if halves >> k & 1 == 1 { "hi" } else { "lo" };
    match name {
        _ if has_halves => format!("{name} f{d}.{}, f{s}.{}", half(1), half(0)),
        "rrlog2" => format!("{name} f{d}, f{s}, f{q}"),
        _ => format!("{name} f{d}, f{s}"),
    }
}

/// Word of local memory from which on a kernel stores its results; second results, of operations that have them, lie from
/// `SECOND_RESULTS` on.
const RESULTS: usize = 4096;
const SECOND_RESULTS: usize = 6144;

/// Returns a kernel with a loop that applies an operation to all words and stores the results.
fn kernel(op: (&str, bool), halves: u64) -> String {
    let mut text = format!(
        "        .kernel functions
        | seti a0, 0
        | seti a1, {RESULTS}
        | seti a2, {SECOND_RESULTS}
        | seti g1, {}
        | nop
        | do g1, last
",
        WORDS / WORDS_OF_A_PASS
    );
    for k in 0..WORDS_OF_A_PASS {
        let _ = writeln!(text, "        | lwo f{k}, (r0)+1");
    }
    text += &"        | nop\n".repeat(4);
    for k in 0..WORDS_OF_A_PASS {
        let _ = writeln!(text, "        {} | nop", operation(op, halves, [10 + k, k, 20 + k]));
    }
    text += &"        | nop\n".repeat(8);
    for k in 0..WORDS_OF_A_PASS {
        let _ = writeln!(text, "        | swo f{}, (r1)+1", 10 + k);
    }
    for k in 0..WORDS_OF_A_PASS {
        let label = if k == WORDS_OF_A_PASS - 2 { "last:" } else { "" };
        let _ = writeln!(text, "{label:<8}| swo f{}, (r2)+1", 20 + k);
    }
    text + "        | sync\n        | stopi 0\n"
}

/// Returns a float with this biased exponent, often near a number of few digits.
fn with_exponent(s: &mut SplitMix64, exponent: u64) -> u32 {
    let digits = match s.below(4) {
        0 => (s.bits() & 0x7f_0000).wrapping_add(s.below(5)).wrapping_sub(2) & 0x7f_ffff,
        1 => s.below(3),
        _ => s.bits() & 0x7f_ffff,
    };
    (exponent << 23 | digits) as u32
}

/// Returns a number between two biased exponents, the second not included.
fn between(s: &mut SplitMix64, first: u64, end: u64) -> u32 {
    let exponent = first + s.below(end - first);
    with_exponent(s, exponent)
}

/// Returns an operand that translated code handles alone.
fn usual(s: &mut SplitMix64, name: &str) -> u32 {
    let sign = (s.bits() as u32) & SIGN;
    match name {
        "recip" if s.one_in(8) => ONE,
        "recip" => sign | between(s, 1, 253),
        "rsqrt" => between(s, 1, 255),
        "log2c" => with_exponent(s, 127),
        "exp2" => match s.below(4) {
            0 => (s.below(254) as f32 - 126.0).to_bits(),
            1 => sign | between(s, 90, 126),
            2 => sign | between(s, 126, 132),
            _ => (s.below(254 << 16) as f32 / 65536.0 - 126.0).to_bits(),
        },
        "sinc" | "atanc" => match s.below(8) {
            0 => sign,
            1 => sign | ONE,
            2 => sign | between(s, 1, 100),
            _ => sign | between(s, 100, 127),
        },
        "rrlog2" if s.one_in(8) => sign,
        "rrlog2" => sign | between(s, 1, 255),
        _ => match s.below(8) {
            0 => sign | (s.below(64) as f32).to_bits(),
            1 => sign | between(s, 1, 158),
            _ => sign | between(s, 98, 155),
        },
    }
}

/// Returns any operand: at the edge of a rule, or of any kind.
fn wild(s: &mut SplitMix64, name: &str) -> u32 {
    const EDGES: [u32; 14] = [
        0x0000_0000, // zero, denormals, the least normal number
        0x0080_0000,
        0x3300_0000, // 2^-25, 2^-24
        0x3380_0000,
        0x3f00_0000,
        0x3f80_0000,
        0x4000_0000,
        0x42fc_0000, // 126, 128
        0x4300_0000,
        0x4f00_0000, // 2^31
        0x7e80_0000, // 2^126
        0x7f00_0000,
        0x7f80_0000, // infinity, NaN
        0x7fff_ffff,
    ];
    match s.below(4) {
        0 => s.bits() as u32,
        1 => usual(s, name),
        _ => {
            let edge = EDGES[s.below(EDGES.len() as u64) as usize];
            let near = edge.wrapping_add(s.below(5) as u32).wrapping_sub(2) & !SIGN;
            near | (s.bits() as u32) & SIGN
        }
    }
}

/// Returns a machine with operands in local memory; one word in `unusual` has a wild one.
fn machine(text: &str, name: &str, rounding: u64, unusual: u64, s: &mut SplitMix64) -> Cp2 {
    let mut cp2 = cp2_tests::machine(text);
    for word in cp2.state.lmem.iter_mut().take(WORDS as usize).flatten() {
        let mut half = || u64::from(if s.one_in(unusual) { wild(s, name) } else { usual(s, name) });
        *word = half() << 32 | half();
    }
    cp2.state.control = rounding;
    cp2
}

fn know_inexact(cp2: &mut Cp2) {
    cp2.state.fcsr = [1 << 2; 4];
    cp2.state.status |= 1 << status::FPE_SHIFT;
}

/// Runs a machine on both engines; returns its cycles, and those that were translated for every instruction set.
fn compare(cp2: &Cp2, what: &str) -> [u64; 2] {
    let mut reference = cp2.clone();
    let expected = reference.run_untraced(BundleAddress(0), 10_000_000);
    assert_eq!(expected.end, End::Stopped(0), "{what}");
    let translated = NATIVE_ISAS.map(|native_isa| {
        let mut fast = Fast::with_native(Some(native_isa), cp2.clone());
        let run = fast.run_untraced(BundleAddress(0), 10_000_000);
        let different = what_differs((&reference, &expected), (fast.cp2(), &run));
        assert_eq!(different, None, "{what}, {native_isa:?}");
        fast.translated_cycles()
    });
    [expected.stats.cycles, translated[0].min(translated[1])]
}

#[test]
fn usual_operands_stay_in_translated_code() {
    for op in OPERATIONS {
        for case in 0..4 {
            // Every mode, and all pairs of halves.
            let text = kernel(op, case);
            let mut cp2 = machine(&text, op.0, case, u64::MAX, &mut SplitMix64(case));
            know_inexact(&mut cp2);
            let [cycles, translated] = compare(&cp2, op.0);
            let share = translated as f64 / cycles as f64;
            assert!(!cp2_fast::is_supported() || share > 0.97, "{} {case}: {share}", op.0);
        }
    }
}

#[test]
fn unusual_operands_are_left_to_the_reference_engine() {
    for op in OPERATIONS {
        for case in 0..16 {
            let text = kernel(op, case % 4);
            let mut s = SplitMix64(100 + case);
            let unusual = [2, 30, 1000, 8000][case as usize / 4];
            let mut cp2 = machine(&text, op.0, case / 2 % 4, unusual, &mut s);
            if case & 1 == 0 {
                know_inexact(&mut cp2);
            }
            compare(&cp2, op.0);
        }
    }
}

/// Puts operands from `first` on into all words and sections, in both halves.
fn fill(cp2: &mut Cp2, first: u32) {
    let words = cp2.state.lmem.iter_mut().take(WORDS as usize).flatten();
    for (x, word) in (first..).zip(words) {
        *word = u64::from(x) << 32 | u64::from(x);
    }
}

/// Operands of all mantissas: translated code gives what `arith::execute` does, and needs no help.
#[test]
fn all_mantissas_give_the_same() {
    let sweeps = [
        ("recip", 127),
        ("rsqrt", 127),
        ("rsqrt", 128),
        ("log2c", 127),
        ("exp2", 126),
        ("exp2", 127),
        ("exp2", 0x100 | 125),
        ("exp2", 0x100 | 128),
        ("sinc", 126),
        ("sinc", 0x100 | 124),
        ("atanc", 126),
        ("rrsin", 129),
        ("rrcos", 0x100 | 126),
        ("rrcossin", 0x100 | 128),
        ("rrlog2", 140),
    ];
    let sweep = |k: u64| {
        let (name, exponent) = sweeps[k as usize];
        let op = OPERATIONS.into_iter().find(|op| op.0 == name).expect("one of them");
        let text = kernel(op, 0);
        let mut cp2 = cp2_tests::machine(&text);
        let inst = (0..).map(|pc| decode(cp2.state.iram[pc], &Core::CP2).expect("a bundle"));
        let inst = inst.map(|bundle| bundle.arith).find(|inst| inst.op.row().name == name);
        let inst = inst.expect("the operation");
        know_inexact(&mut cp2);
        let mut fast = Fast::new(cp2);
        let (mut cycles, mut translated) = (0, 0);
        let operands = exponent << 23..(exponent + 1) << 23;
        for first in operands.step_by(4 * WORDS as usize) {
            fill(fast.cp2_mut(), first);
            cycles += fast.run_untraced(BundleAddress(0), 1_000_000).stats.cycles;
            translated += fast.translated_cycles();
            let lmem = &fast.cp2().state.lmem;
            let (from, to) = (lmem.iter().flatten(), lmem[RESULTS..].iter().flatten());
            for (&s, &d) in from.zip(to).take(4 * WORDS as usize) {
                let expected = execute(&inst, &Lane { s, ..Lane::default() }).d;
                let kept = if op.1 { 0xffff_ffff } else { u64::MAX };
                assert_eq!((d ^ expected) & kept, 0, "{name} {s:016x} gives {d:016x}");
            }
        }
        assert!(!cp2_fast::is_supported() || translated > cycles / 10 * 9, "{name}");
        [cycles, translated]
    };
    let [cycles, translated] = cp2_tests::sum_over(&(0..sweeps.len() as u64), sweep);
    println!("{} sweeps, {cycles} cycles, translated {translated}", sweeps.len());
}

/// Returns a kernel that does one operation a few times, and is long enough to be translated.
fn short(op: (&str, bool), halves: u64) -> String {
    let mut text = String::from("        .kernel short\n        | doi 3, last\n");
    let _ = writeln!(text, "        {} | nop", operation(op, halves, [1, 0, 2]));
    text += &"        | nop\n".repeat(20);
    text + "last:   | nop\n        | nop\n        | sync\n        | stopi 0\n"
}

/// Flags of single operands, from none raised before: the same in both engines, and an operation that
/// raises nothing needs no reference engine.
#[test]
fn inexact_is_raised_where_it_has_to_be() {
    let is_supported = cp2_fast::is_supported();
    for op in OPERATIONS {
        let text = short(op, 0);
        let mut reference = cp2_tests::machine(&text);
        let mut engines =
            NATIVE_ISAS.map(|native_isa| Fast::with_native(Some(native_isa), reference.clone()));
        let mut s = SplitMix64(7);
        let (mut silent, mut inexact) = (0, 0);
        for case in 0..3000 {
            let mut half = || u64::from(usual(&mut s, op.0));
            let operands = [0; 4].map(|_| half() << 32 | half());
            let prepare = |cp2: &mut Cp2| {
                (cp2.state.fpr[0], cp2.state.fcsr) = (operands, [0; 4]);
                (cp2.state.status, cp2.state.control) = (0, case / 2 % 4);
            };
            prepare(&mut reference);
            let expected = reference.run_untraced(BundleAddress(0), 10_000);
            let raises = reference.state.fcsr != [0; 4];
            *(if raises { &mut inexact } else { &mut silent }) += 1;
            for fast in &mut engines {
                prepare(fast.cp2_mut());
                assert_eq!(fast.run_untraced(BundleAddress(0), 10_000), expected);
                let different = Difference::first(&reference.state, &fast.cp2().state);
                assert_eq!(different, None, "{} {operands:x?}", op.0);
                // What raises I is taken back, and only that.
                let is_translated = fast.translated_cycles() > expected.stats.cycles / 2;
                assert_eq!(is_supported && !raises, is_translated, "{} {operands:x?}", op.0);
            }
        }
        println!("{}: {silent} without I, {inexact} with it", op.0);
    }
}

/// Operands that raise nothing, though their neighbours do, in all sections at once.
#[test]
fn exact_cases_are_translated() {
    for (name, x) in [
        ("recip", ONE),
        ("recip", 0x3f81_0000),
        ("rsqrt", ONE),
        ("exp2", 0),
        ("exp2", SIGN),
        ("exp2", 0xc2fc_0000),
        ("exp2", 0x42fe_0000),
        ("sinc", 0),
        ("sinc", SIGN | ONE),
        ("atanc", SIGN),
        ("atanc", ONE),
        ("rrcos", 0x3e99_999a),
    ] {
        let op = OPERATIONS.into_iter().find(|op| op.0 == name).expect("one of them");
        let mut cp2 = cp2_tests::machine(&short(op, 0));
        cp2.state.fpr[0] = [u64::from(x) << 32 | u64::from(x); 4];
        let [cycles, translated] = compare(&cp2, name);
        assert!(!cp2_fast::is_supported() || translated > cycles / 2, "{name} {x:08x}");
    }
}
