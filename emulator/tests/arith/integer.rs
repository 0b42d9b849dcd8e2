//! Integer, shift and bit-moving operations against plain formulations in wider types.

use crate::values::*;
use cp2_emu::arith::{Flags, Lane};
use cp2_isa::Arith;
use proptest::prelude::*;

/// Returns words with interesting halves: edges, small numbers, random bits.
fn integers() -> impl Strategy<Value = u64> {
    let edge = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 1 << 31, u32::MAX];
    let half = prop_oneof![prop::sample::select(edge.to_vec()), any::<u32>()];
    (half.clone(), half).prop_map(|(hi, lo)| join(hi, lo))
}

/// Returns the low 32 bits of an exact result per half.
fn exact(s: u64, t: u64, f: impl Fn(i64, i64) -> i64) -> u64 {
    let ((a, b), (c, d)) = (halves(s), halves(t));
    let wide = |x: u32| i64::from(x as i32);
    join(f(wide(a), wide(c)) as u32, f(wide(b), wide(d)) as u32)
}

fn shifted(s: u64, amount: i32, arithmetic: bool) -> u64 {
    let one = |x: u32| {
        let value = if arithmetic { i64::from(x as i32) } else { i64::from(x) };
        let factor = 1i64 << amount.abs();
        (if amount >= 0 { value * factor } else { value.div_euclid(factor) }) as u32
    };
    join(one(halves(s).0), one(halves(s).1))
}

/// Returns the signed byte `n` of a word, 0 the lowest.
fn byte(word: u64, n: usize) -> i32 {
    i32::from(word.to_le_bytes()[n] as i8)
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn arithmetic_and_logic(d in integers(), s in integers(), t in integers(), imm in -2048i32..2048) {
        let x = Lane { d, s, t, ..Lane::default() };
        let immediate = both(imm as u32);
        let saturated = |v: i64| v.min(i64::from(i32::MAX));
        let cases = [
            (Arith::Add, exact(s, t, |a, b| a + b)),
            (Arith::Sub, exact(s, t, |a, b| a - b)),
            (Arith::Abs, exact(s, 0, |a, _| saturated(a.abs()))),
            (Arith::Neg, exact(s, 0, |a, _| saturated(-a))),
            (Arith::Addi, exact(s, immediate, |a, b| a + b)),
            (Arith::Subi, exact(s, immediate, |a, b| a - b)),
            (Arith::And, s & t),
            (Arith::Or, s | t),
            (Arith::Xor, s ^ t),
            (Arith::Not, u64::MAX - s),
        ];
        for (op, expected) in cases {
            let got = run_with(op, &[0, 1, imm], &x);
            prop_assert_eq!((got.d, got.flags), (expected, Flags::empty()), "{:?}", op);
        }
        let wide = imm * 64 + (imm & 63);
        let step = both(wide as u32);
        prop_assert_eq!(run_with(Arith::Inci, &[0, wide], &x).d, exact(d, step, |a, b| a + b));
        prop_assert_eq!(run_with(Arith::Deci, &[0, wide], &x).d, exact(d, step, |a, b| a - b));
    }

    #[test]
    fn shifts_by_every_amount(s in integers(), t in integers()) {
        for amount in -32..32 {
            let (hi, lo) = halves(t);
            let t = join(hi, lo & !63 | amount as u32 & 63);
            let x = Lane { s, t, ..Lane::default() };
            let (logical, arithmetic) = (shifted(s, amount, false), shifted(s, amount, true));
            prop_assert_eq!(run(Arith::Lshift, &x).d, logical);
            prop_assert_eq!(run_with(Arith::Lshifti, &[0, 1, amount], &x).d, logical);
            prop_assert_eq!(run(Arith::Ashift, &x).d, arithmetic);
            prop_assert_eq!(run_with(Arith::Ashifti, &[0, 1, amount], &x).d, arithmetic);
        }
    }

    #[test]
    fn moves_of_bits(d in integers(), s in integers(), t in integers(), imm in any::<u16>()) {
        let x = Lane { d, s, t, section: 3, coefficient: t, ..Lane::default() };
        let (db, sb) = (d.to_be_bytes(), s.to_be_bytes());
        let words = |hi: i32, lo: i32| join(hi as u32, lo as u32);
        let quarter = |n: usize| i32::from((s >> (16 * n)) as i16);
        let extended = |n: usize| i32::from((d >> (16 * n)) as i16);
        let cases = [
            (Arith::Copy, s),
            (Arith::Swaphl, u64::from_be_bytes([sb[4], sb[5], sb[6], sb[7], sb[0], sb[1], sb[2], sb[3]])),
            (Arith::Section, 3),
            (Arith::Getcoeff, t),
            (Arith::Split8, words(byte(s, 5), byte(s, 1))),
            (Arith::Split16, words(quarter(3), quarter(1))),
            (Arith::Split32, u64::from(halves(s).0)),
            (Arith::Extsign8w, words(byte(d, 4), byte(d, 0))),
            (Arith::Extsign16w, words(extended(2), extended(0))),
            (Arith::Join8, u64::from_be_bytes([0, 0, sb[3], db[3], 0, 0, sb[7], db[7]])),
            (Arith::Join16, u64::from_be_bytes([sb[2], sb[3], db[2], db[3], sb[6], sb[7], db[6], db[7]])),
            (Arith::Join32, u64::from_be_bytes([sb[4], sb[5], sb[6], sb[7], db[4], db[5], db[6], db[7]])),
        ];
        for (op, expected) in cases {
            prop_assert_eq!(run(op, &x).d, expected, "{:?}", op);
        }
        let signs: Vec<u8> = (0..4).flat_map(|n| [db[2 * n + 1], if db[2 * n + 1] < 128 { 0 } else { 255 }]).collect();
        let mut bytes = [0; 8];
        for n in 0..4 {
            (bytes[2 * n], bytes[2 * n + 1]) = (signs[2 * n + 1], signs[2 * n]);
        }
        prop_assert_eq!(run(Arith::Extsign8h, &x).d, u64::from_be_bytes(bytes));
        for (op, n) in [(Arith::Li3, 0), (Arith::Li2, 2), (Arith::Li1, 4), (Arith::Li0, 6)] {
            let mut bytes = db;
            bytes[n..n + 2].copy_from_slice(&imm.to_be_bytes());
            prop_assert_eq!(run_with(op, &[0, i32::from(imm)], &x).d, u64::from_be_bytes(bytes));
        }
        let swapped = run(Arith::Swap64, &x);
        prop_assert_eq!((swapped.d, swapped.s), (s, d));
        let cleared = run(Arith::Clear, &x);
        prop_assert_eq!((cleared.d, cleared.s), (0, 0));
        let transposed = run(Arith::Mtrans, &x);
        let ((a, b), (e, f)) = (halves(s), halves(t));
        prop_assert_eq!((transposed.d, transposed.q), (join(a, e), join(b, f)));
    }
}
