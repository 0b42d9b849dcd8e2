//! The elementary functions and argument reductions of the engine against a second computation from the
//! reference text (`elementary/`), on every mantissa; and that computation against the worked examples.

mod elementary;
#[path = "elementary/examples.rs"]
mod examples;

use cp2_emu::arith::{self, Lane, LaneResult};
use cp2_isa::{Arith, Inst};
use cp2_tests::on_all_cores;
use elementary::table::{ROWS, Row, Table};
use elementary::{Computed, Operands, Rounding, execute, flag};

const FRACTIONS: u32 = 1 << 23;
const SIGN: u32 = 1 << 31;
const MODES: [Rounding; 4] = [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down];

fn word(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Returns the operation on registers that are all different.
fn inst(op: Arith, selector: u8) -> Inst<Arith> {
    let selector = i32::from(selector);
    match op {
        Arith::Rrlog2 => Inst::new(op, &[1, 2, 3]),
        Arith::Rrcossin | Arith::Rrsin | Arith::Rrcos => Inst::new(op, &[1, 2]),
        _ => Inst::new(op, &[2 + (selector >> 1), 4 + (selector & 1)]),
    }
}

fn engine(op: Arith, with: &Operands) -> Computed {
    let rounding = arith::Rounding::from_mode(with.rounding);
    let lane = Lane { d: with.d, s: with.s, rounding, ..Lane::default() };
    let LaneResult { d, q, flags, .. } = arith::execute(&inst(op, with.selector), &lane);
    let q = if op == Arith::Rrlog2 { q } else { 0 };
    Computed { d, q, flags: flags.bits() }
}

/// Modes by name, so that no numbering is taken for granted.
trait FromMode {
    fn from_mode(mode: Rounding) -> Self;
}

impl FromMode for arith::Rounding {
    fn from_mode(mode: Rounding) -> Self {
        match mode {
            Rounding::Nearest => Self::Nearest,
            Rounding::Zero => Self::Zero,
            Rounding::Up => Self::Up,
            Rounding::Down => Self::Down,
        }
    }
}

/// Operations compared and the first disagreements, as text.
#[derive(Default)]
struct Tally {
    compared: u64,
    wrong: u64,
    shown: Vec<String>,
}

impl Tally {
    fn compare(&mut self, op: Arith, with: &Operands) {
        self.compared += 1;
        let expected = execute(op, with).expect("an elementary operation");
        let got = engine(op, with);
        if got != expected {
            self.wrong += 1;
            if self.shown.len() < 5 {
                self.shown.push(format!("{op:?} {with:x?}: {got:x?}, not {expected:x?}"));
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.compared += other.compared;
        self.wrong += other.wrong;
        self.shown.extend(other.shown);
        self
    }
}

/// Calls `part` on all cores with a tally, the first number and the step; fails if anything disagrees.
fn sweep(part: impl Fn(&mut Tally, u32, usize) + Sync) {
    let tallies = on_all_cores(|first, step| {
        let mut tally = Tally::default();
        part(&mut tally, first as u32, step);
        tally
    });
    let tally = tallies.into_iter().fold(Tally::default(), Tally::merge);
    println!("{} operations compared", tally.compared);
    assert!(tally.compared > 0);
    assert!(tally.wrong == 0, "{} differ:\n{}", tally.wrong, tally.shown.join("\n"));
}

/// Compares a function on one float; the halves change with it.
fn one_half(tally: &mut Tally, op: Arith, x: u32) {
    let selector = (x % 4) as u8;
    let s = if selector & 1 == 1 { word(x, 0x4040_0000) } else { word(0x4040_0000, x) };
    tally.compare(op, &Operands { d: 0x1111_1111_2222_2222, s, selector, ..Operands::default() });
}

/// Compares an operation on every fraction with a biased exponent and a sign.
fn every_fraction(op: Arith, high: &[u32]) {
    sweep(|tally, first, step| {
        for high in high {
            for fraction in (first..FRACTIONS).step_by(step) {
                one_half(tally, op, high << 23 | fraction);
            }
        }
    });
}

/// Returns the high nine bits of a negative float.
const fn negative(exponent: u32) -> u32 {
    0x100 | exponent
}

/// Returns the CRC-32 (IEEE) of a table, each number as 32 bits, little-endian.
fn crc32(rows: &[Row; ROWS]) -> u32 {
    let bytes = rows.iter().flatten().flat_map(|c| c.to_le_bytes());
    !bytes.fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc: u32, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

#[test]
fn tables_come_from_the_rule() {
    let ends = [
        ([67_108_862, -65_534, 1013], [33_686_017, -16_513, 130], 0xee27_d271),
        ([67_108_865, 32_768, -128], [94_720_721, 23_216, -46], 0x3ae6_9bf7),
        ([94_906_265, 46_341, -180], [133_955_328, 32_832, -64], 0xf920_7061),
        ([96_817_625, -47_273, 487], [67_255_363, -18_363, 101], 0x6750_feed),
        ([67_108_863, 45_426, 247], [133_492_875, 90_361, 491], 0xfe75_2c2e),
        ([105_414_356, 0, -661], [67_632_187, -65_294, -243], 0xf71a_9dd6),
        ([42_722_829, 0, -217], [33_649_781, -11_930, 23], 0xb8e2_278b),
    ];
    for (table, (first, last, crc)) in Table::ALL.into_iter().zip(ends) {
        let rows = table.rows();
        assert_eq!((rows[0], rows[127]), (first, last), "{table:?}");
        assert_eq!(crc32(rows), crc, "{table:?}");
    }
}

#[test]
fn the_second_computation_gives_the_worked_examples() {
    for (op, with, expected) in examples::all() {
        assert_eq!(execute(op, &with), Some(expected), "{op:?} {with:x?}");
    }
    assert_eq!(Table::Recip.rows()[73], [42_735_993, -26_577, 263]);
}

#[test]
fn the_engine_gives_the_worked_examples() {
    for (op, with, expected) in examples::all() {
        assert_eq!(engine(op, &with), expected, "{op:?} {with:x?}");
    }
}

/// The text's own count of what is far from the exact value, rounded to nearest.
#[test]
fn distances_from_the_exact_value_are_those_of_the_text() {
    let far = |op, high: u32, exact: fn(f64) -> f64| -> (u32, u32) {
        let parts = on_all_cores(|first, step| {
            let mut found = (0, 0);
            for fraction in (first as u32..FRACTIONS).step_by(step) {
                let x = high << 23 | fraction;
                let with = Operands { s: word(x, x), ..Operands::default() };
                let computed = execute(op, &with).expect("a function").d as u32;
                let nearest = (exact(f64::from(f32::from_bits(x))) as f32).to_bits();
                let distance = computed.abs_diff(nearest);
                found.0 = distance.max(found.0);
                found.1 += u32::from(distance == 2);
            }
            found
        });
        parts.into_iter().fold((0, 0), |a, b| (a.0.max(b.0), a.1 + b.1))
    };
    assert_eq!(far(Arith::Recip, 127, |x| 1.0 / x), (2, 1));
    assert_eq!(
        far(Arith::Log2c, 127, |x| if x == 1.0 { 1.0 / 2f64.ln() } else { x.log2() / (x - 1.0) }).0,
        1
    );
    assert_eq!(far(Arith::Sinc, 126, |x| (std::f64::consts::FRAC_PI_2 * x).sin() / x).0, 1);
    assert_eq!(far(Arith::Atanc, 126, |x| x.atan() / std::f64::consts::FRAC_PI_2 / x).0, 1);
}

#[test]
fn recip_and_log2c_agree_on_every_fraction() {
    every_fraction(Arith::Recip, &[127, negative(130)]);
    every_fraction(Arith::Log2c, &[127]);
}

#[test]
fn rsqrt_agrees_on_every_fraction_of_both_parities() {
    every_fraction(Arith::Rsqrt, &[127, 128]);
}

#[test]
fn exp2_agrees_on_every_fraction() {
    let near_one = [125, 126, 127, negative(125), negative(126), negative(127)];
    every_fraction(Arith::Exp2, &near_one);
}

#[test]
fn sinc_and_atanc_agree_on_every_fraction() {
    for op in [Arith::Sinc, Arith::Atanc] {
        every_fraction(op, &[negative(120), 124, 125, 126]);
    }
}

fn reduced(s: u64, rounding: Rounding) -> Operands {
    Operands { s, rounding, ..Operands::default() }
}

/// Compares every reduction of a pair of floats; the mode changes with them.
fn pair(tally: &mut Tally, hi: u32, lo: u32) {
    let rounding = MODES[(hi % 4) as usize];
    for op in [Arith::Rrsin, Arith::Rrcos, Arith::Rrlog2] {
        tally.compare(op, &reduced(word(hi, lo), rounding));
    }
    tally.compare(Arith::Rrcossin, &reduced(word(lo, hi), rounding));
}

#[test]
fn reductions_agree_on_every_fraction() {
    sweep(|tally, first, step| {
        // Two exponents at a time, of different signs.
        for (hi, lo) in [(126, negative(127)), (negative(128), 129)] {
            for fraction in (first..FRACTIONS).step_by(step) {
                pair(tally, hi << 23 | fraction, lo << 23 | fraction);
            }
        }
    });
}

/// The reduction rrcos rounds below 1 only.
#[test]
fn rrcos_agrees_on_every_fraction_in_every_rounding_mode() {
    sweep(|tally, first, step| {
        for fraction in (first..FRACTIONS).step_by(step) {
            let s = word(125 << 23 | fraction, negative(120) << 23 | fraction);
            for rounding in MODES {
                tally.compare(Arith::Rrcos, &reduced(s, rounding));
            }
        }
    });
}

/// Operations of one float and those of two, at any exponent and with either sign.
#[test]
fn everything_agrees_at_all_exponents() {
    use Arith::{Atanc, Exp2, Log2c, Recip, Rsqrt, Sinc};
    sweep(|tally, first, step| {
        for high in (first..512).step_by(step) {
            // Fractions near both ends, and some from between.
            let ends = (0..64).chain(FRACTIONS - 64..FRACTIONS);
            for fraction in ends.chain((0..FRACTIONS).step_by(4093)) {
                let x = high << 23 | fraction;
                for op in [Recip, Rsqrt, Log2c, Exp2, Sinc, Atanc] {
                    one_half(tally, op, x);
                }
                pair(tally, x, x.rotate_left(9));
            }
        }
    });
}

/// Returns zeros, denormals, infinities, NaNs, and the limits of every domain with their neighbours.
fn specials() -> Vec<u32> {
    let magnitudes = [
        0x0000_0000,
        0x0000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x3280_0000,
        0x3300_0000,
        0x3380_0000,
        0x3f00_0000,
        0x3f80_0000,
        0x4000_0000,
        0x4040_0000,
        0x4080_0000,
        0x42fc_0000,
        0x42fe_0000,
        0x4300_0000,
        0x4b00_0000,
        0x4b80_0000,
        0x4c80_0000,
        0x7e00_0000,
        0x7e80_0000,
        0x7f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
    ];
    let near = |m: u32| [m.saturating_sub(1), m, m + 1];
    let all = magnitudes.into_iter().flat_map(near).flat_map(|m| [m, m | SIGN]);
    all.collect()
}

#[test]
fn special_values_agree_in_both_halves_with_every_selector() {
    sweep(|tally, first, step| {
        for &hi in specials().iter().skip(first as usize).step_by(step) {
            for lo in specials() {
                for op in Arith::ALL {
                    for (selector, rounding) in (0..4).zip(MODES) {
                        let with =
                            Operands { d: word(lo, hi), s: word(hi, lo), selector, rounding };
                        if execute(*op, &with).is_some() {
                            tally.compare(*op, &with);
                        }
                    }
                }
            }
        }
    });
}

/// The half that is not selected raises E and V in recip and sinc, and nothing in the others.
#[test]
fn the_other_half_raises_flags_in_recip_and_sinc_alone() {
    use Arith::{Atanc, Exp2, Log2c, Recip, Rsqrt, Sinc};
    for op in [Recip, Sinc, Atanc, Log2c, Exp2, Rsqrt] {
        let flags = |hi| {
            let with = Operands { s: word(hi, 0x3f80_0000), ..Operands::default() };
            execute(op, &with).expect("a function").flags
        };
        let [alone, denormal, nan] = [0x3f80_0000, 1, 0x7fc0_0000].map(flags);
        let looks = matches!(op, Recip | Sinc);
        assert_eq!(denormal, if looks { alone | flag::E } else { alone }, "{op:?}");
        assert_eq!(nan, if looks { flag::V } else { alone }, "{op:?}");
    }
}
