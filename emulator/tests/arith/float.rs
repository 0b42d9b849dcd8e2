//! Pairwise float operations, conversions and comparisons against SoftFloat.

use crate::reference::{NAN, Soft, order};
use crate::values::*;
use cp2_emu::arith::{Flags, Lane, Rounding};
use cp2_isa::Arith;
use proptest::prelude::*;
use std::cmp::Ordering;

type Step2 = fn(&mut Soft, u32, u32) -> u32;
type Step1 = fn(&mut Soft, u32) -> u32;

const BINARY: [(Arith, Step2); 4] = [
    (Arith::Psadd, Soft::add),
    (Arith::Pssub, Soft::sub),
    (Arith::Psmul, Soft::mul),
    (Arith::Psscale, |soft, a, b| soft.scale(a, (b << 23) as i32 >> 23)),
];

const UNARY: [(Arith, Step1); 4] = [
    (Arith::Psneg, Soft::neg),
    (Arith::Psabs, |soft, a| soft.with_sign(a, |_| 0)),
    (Arith::Pwtops, |soft, a| soft.float_from_int(a as i32)),
    (Arith::Pstopw, Soft::int_from_float),
];

/// Computes both halves of a pairwise operation, their flags merged.
fn pairwise2(step: Step2, s: u64, t: u64, rounding: Rounding) -> (u64, Flags) {
    let mut soft = Soft::new(rounding);
    let ((a, b), (c, d)) = (halves(s), halves(t));
    let result = join(step(&mut soft, a, c), step(&mut soft, b, d));
    (result, soft.flags())
}

fn check2(s: u64, t: u64) -> Result<(), TestCaseError> {
    for (op, step) in BINARY {
        for mode in MODES {
            let got = run_st(op, s, t, mode);
            prop_assert_eq!(
                (got.d, got.flags),
                pairwise2(step, s, t, mode),
                "{:?} {:?} {:016x} {:016x}",
                op,
                mode,
                s,
                t
            );
        }
    }
    Ok(())
}

fn check1(s: u64) -> Result<(), TestCaseError> {
    for (op, step) in UNARY {
        for mode in MODES {
            let got = run_st(op, s, 0, mode);
            let mut soft = Soft::new(mode);
            let (a, b) = halves(s);
            let expected = join(step(&mut soft, a), step(&mut soft, b));
            prop_assert_eq!(
                (got.d, got.flags),
                (expected, soft.flags()),
                "{:?} {:?} {:016x}",
                op,
                mode,
                s
            );
        }
    }
    Ok(())
}

#[test]
fn two_operands_at_the_edges() {
    for a in specials() {
        for b in specials() {
            // The other half raises nothing, so the flags are those of one step.
            check2(join(a, 0x3f80_0000), join(b, 0x4000_0000)).unwrap();
            check2(join(a, b), join(b, a)).unwrap();
        }
    }
}

#[test]
fn one_operand_at_the_edges() {
    for a in specials() {
        check1(join(a, 0)).unwrap();
        check1(join(0, a)).unwrap();
    }
    // Integers around powers of two, where conversion starts to round and to tie.
    for n in 0..32 {
        for near in -130i32..=130 {
            check1(both((1i32 << n).wrapping_add(near) as u32)).unwrap();
        }
    }
}

/// Floats whose integer part rounds: every eighth from -40 to 40, and around 2^22 to 2^31.
#[test]
fn conversion_to_integers_rounds() {
    for eighth in -320..=320 {
        check1(join((eighth as f32 / 8.0).to_bits(), 0)).unwrap();
    }
    for power in 20..32 {
        let bits = 2f32.powi(power).to_bits();
        for near in 0..64 {
            check1(join(bits - near, (bits | 1 << 31) + near)).unwrap();
        }
    }
}

/// Sums round right where the smaller operand reaches down to the tie and below it: every gap of exponents.
#[test]
fn sums_at_every_exponent_gap() {
    for gap in 0..60u32 {
        for (a, b) in [(0x3f80_0000u32, 0x3f80_0000u32), (0x3f80_0001, 0x3fc0_0000)] {
            for near in 0..4u32 {
                let small = (b - (gap << 23)).wrapping_add(near).wrapping_sub(2);
                check2(join(a, a | 1 << 31), both(small)).unwrap();
                check2(both(small), join(a, a ^ 1)).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60_000))]

    #[test]
    fn two_operands_at_random(s in word(), t in word()) {
        check2(s, t)?;
    }

    #[test]
    fn one_operand_at_random(s in word()) {
        check1(s)?;
    }

    #[test]
    fn scaling_by_every_power(a in float(), power in -300i32..300) {
        check2(join(a, a ^ 1 << 31), both(power as u32))?;
    }

    #[test]
    fn copysign_at_random(s in word(), t in word()) {
        for mode in MODES {
            let mut soft = Soft::new(mode);
            let (x, y) = (halves(s), halves(t));
            let mut one = |a: u32, b: u32| {
                let sign = soft.with_sign(b, |sign| sign);
                let result = soft.with_sign(a, |_| sign & 1 << 31);
                if sign == NAN { NAN } else { result }
            };
            let expected = join(one(x.0, y.0), one(x.1, y.1));
            let got = run_st(Arith::Pscopysign, s, t, mode);
            prop_assert_eq!((got.d, got.flags), (expected, soft.flags()));
        }
    }

    #[test]
    fn exponent_and_significand_rebuild_the_number(a in float()) {
        let s = join(a, 0x3f80_0000);
        let (exponent, man) = (run_st(Arith::Psgetexp, s, 0, MODES[0]), run_st(Arith::Psgetman, s, 0, MODES[0]));
        let (e, m) = (halves(exponent.d).0, halves(man.d).0);
        prop_assert_eq!(exponent.flags, man.flags);
        if f32::from_bits(a).is_normal() {
            prop_assert!((1.0..2.0).contains(&f32::from_bits(m).abs()));
            let back = run_st(Arith::Psscale, both(m), both(e), MODES[0]);
            prop_assert_eq!(back.d, both(a));
            // psscale takes 9 bits of the exponent, and these are enough.
            prop_assert_eq!(back.flags | exponent.flags, Flags::empty());
        }
    }

    #[test]
    fn unpacked_quarters_are_exact(t in any::<u64>()) {
        for rounding in MODES {
            let got = run(Arith::Unpck16wstops, &Lane { t, rounding, ..Lane::default() });
            let float = |n: u32| f32::from((t >> (16 * n)) as i16).to_bits();
            prop_assert_eq!((got.d, got.s), (join(float(3), float(2)), join(float(1), float(0))));
            prop_assert_eq!(got.flags, Flags::empty());
        }
    }

    #[test]
    fn comparisons_at_random(s in word(), t in word(), same in any::<u8>()) {
        // Random numbers are seldom equal.
        check_comparisons(s, if same % 4 == 0 { s } else { t })?;
    }
}

fn check_comparisons(s: u64, t: u64) -> Result<(), TestCaseError> {
    let (a, b) = (halves(s), halves(t));
    let ints = |a: u32, b: u32| Some((a as i32).cmp(&(b as i32)));
    let orders = [
        (order(a.1, b.1), None),
        (ints(a.1, b.1), None),
        (order(a.1, b.1), Some(order(a.0, b.0))),
        (ints(a.1, b.1), Some(ints(a.0, b.0))),
    ];
    for (format, (low, high)) in orders.into_iter().enumerate() {
        for condition in 0..8 {
            let holds = |order: Option<Ordering>| match condition {
                0 => true,
                1 => order.is_none(),
                2 => order.is_some_and(Ordering::is_lt),
                3 => order.is_some_and(Ordering::is_le),
                4 => order.is_some_and(Ordering::is_eq),
                5 => !order.is_some_and(Ordering::is_eq),
                6 => order.is_some_and(Ordering::is_gt),
                _ => order.is_some_and(Ordering::is_ge),
            };
            let lane = Lane { s, t, ..Lane::default() };
            let got = run_with(Arith::C, &[condition, format as i32, 1], &lane);
            prop_assert_eq!(
                got.conditions[0],
                holds(low),
                "{} {} {:x} {:x}",
                condition,
                format,
                s,
                t
            );
            if let Some(high) = high {
                prop_assert_eq!(got.conditions[1], holds(high));
            }
            prop_assert_eq!(got.flags, Flags::empty());
        }
    }
    Ok(())
}

#[test]
fn comparisons_at_the_edges() {
    for a in specials() {
        for b in specials() {
            check_comparisons(join(a, b), join(b, a)).unwrap();
            check_comparisons(join(a, b), join(b, b)).unwrap();
        }
    }
}
