//! One table per rule of [L] 3 and 4, each with the neighbour that the rule no longer covers.

use crate::reference::NAN;
use crate::values::*;
use cp2_emu::arith::{Flags, Lane, Rounding};
use cp2_isa::{Arith, Effects, OperandKind};
use proptest::prelude::*;

const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 1 << 31;
const MIN_NORMAL: u32 = 0x0080_0000;
const MAX: u32 = 0x7f7f_ffff;
const INFINITY: u32 = 0x7f80_0000;
const DENORMAL: u32 = 0x0000_0001;
const NONE: Flags = Flags::empty();

/// Returns result and flags of the low half; the high halves are 1 and raise nothing.
fn low(op: Arith, s: u32, t: u32, rounding: Rounding) -> (u32, Flags) {
    let got = run_st(op, join(ONE, s), join(ONE, t), rounding);
    (got.d as u32, got.flags)
}

fn flags(names: &str) -> Flags {
    Flags::from_name(names).unwrap_or_else(|| {
        names.chars().map(|c| Flags::from_name(&c.to_string()).expect("a flag")).collect()
    })
}

#[test]
fn integer_extremes_saturate_only_in_abs_and_neg() {
    const MIN: u32 = 1 << 31;
    for (op, s, expected) in [
        (Arith::Abs, MIN, 0x7fff_ffff),
        (Arith::Abs, MIN + 1, 0x7fff_ffff),
        (Arith::Abs, MIN + 2, 0x7fff_fffe),
        (Arith::Neg, MIN, 0x7fff_ffff),
        (Arith::Neg, MIN + 1, 0x7fff_ffff),
        (Arith::Neg, 0x7fff_ffff, MIN + 1),
        (Arith::Neg, 0, 0),
    ] {
        assert_eq!(run_st(op, both(s), 0, Rounding::Nearest).d, both(expected), "{op:?} {s:x}");
    }
    assert_eq!(run_st(Arith::Add, both(0x7fff_ffff), both(1), Rounding::Nearest).d, both(MIN));
    assert_eq!(run_st(Arith::Sub, both(MIN), both(1), Rounding::Nearest).d, both(0x7fff_ffff));
}

#[test]
fn shifts_at_the_ends_of_their_range() {
    for (op, value, amount, expected) in [
        (Arith::Lshifti, u32::MAX, 31, 1 << 31),
        (Arith::Lshifti, u32::MAX, -31, 1),
        (Arith::Lshifti, u32::MAX, -32, 0),
        (Arith::Ashifti, u32::MAX, 31, 1 << 31),
        (Arith::Ashifti, 1 << 31, -31, u32::MAX),
        (Arith::Ashifti, 1 << 31, -32, u32::MAX),
        (Arith::Ashifti, 0x7fff_ffff, -32, 0),
        (Arith::Ashifti, 0x1234, 0, 0x1234),
    ] {
        let x = Lane { s: both(value), ..Lane::default() };
        assert_eq!(run_with(op, &[0, 0, amount], &x).d, both(expected), "{op:?} by {amount}");
    }
    // Only six bits of T.lo count, and T.hi not at all.
    let x = Lane { s: both(1), t: join(5, 0xffff_ff40 | 3), ..Lane::default() };
    assert_eq!(run(Arith::Lshift, &x).d, both(8));
}

#[test]
fn a_denormal_result_is_flushed_by_the_mode() {
    // The smallest normal halved, exactly: the flags are raised all the same.
    for (mode, positive, negative) in [
        (Rounding::Nearest, 0, SIGN),
        (Rounding::Zero, 0, SIGN),
        (Rounding::Up, MIN_NORMAL, SIGN),
        (Rounding::Down, 0, MIN_NORMAL | SIGN),
    ] {
        for (op, t) in [(Arith::Psmul, 0x3f00_0000), (Arith::Psscale, -1i32 as u32)] {
            assert_eq!(low(op, MIN_NORMAL, t, mode), (positive, flags("UI")), "{op:?} {mode:?}");
            let minus = MIN_NORMAL | SIGN;
            assert_eq!(low(op, minus, t, mode), (negative, flags("UI")), "{op:?} {mode:?}");
        }
        // A denormal difference of normal numbers, exact too.
        let difference = low(Arith::Pssub, MIN_NORMAL + 1, MIN_NORMAL, mode);
        assert_eq!(difference, (positive, flags("UI")), "{mode:?}");
        // The neighbour: the smallest normal itself.
        assert_eq!(low(Arith::Psscale, 0x0100_0000, -1i32 as u32, mode), (MIN_NORMAL, NONE));
    }
}

#[test]
fn overflow_follows_the_mode() {
    for (mode, positive, negative) in [
        (Rounding::Nearest, INFINITY, INFINITY | SIGN),
        (Rounding::Zero, MAX, MAX | SIGN),
        (Rounding::Up, INFINITY, MAX | SIGN),
        (Rounding::Down, MAX, INFINITY | SIGN),
    ] {
        for (op, t) in [(Arith::Psmul, 0x4000_0000), (Arith::Psscale, 1), (Arith::Psadd, MAX)] {
            assert_eq!(low(op, MAX, t, mode), (positive, flags("OI")), "{op:?} {mode:?}");
        }
        for (op, t) in
            [(Arith::Psmul, 0x4000_0000), (Arith::Psscale, 1), (Arith::Psadd, MAX | SIGN)]
        {
            assert_eq!(low(op, MAX | SIGN, t, mode), (negative, flags("OI")), "{op:?} {mode:?}");
        }
        // The neighbours: the largest number, and an infinity that was one before.
        assert_eq!(low(Arith::Psscale, MAX - MIN_NORMAL, 1, mode), (MAX, NONE));
        assert_eq!(low(Arith::Psscale, INFINITY, 1, mode), (INFINITY, NONE));
    }
}

/// Without SoftFloat: products below the smallest normal that do or do not round up to it when
/// the exponent is not bounded.
#[test]
fn tininess_is_detected_after_rounding() {
    // (1 - 2^-24) * 2^-126 has 24 bits: tiny, though a denormal rounding would give 2^-126.
    assert_eq!(low(Arith::Psmul, ONE - 1, MIN_NORMAL, Rounding::Nearest), (0, flags("UI")));
    // m * n / 2^47 in (1 - 2^-25, 1) rounds to 1: not tiny.
    let n_pairs = (1u64 << 23..1 << 24)
        .step_by(17)
        .filter_map(|m| {
            let n = ((1u64 << 47) - 1) / m;
            (n < 1 << 24 && m * n > (1 << 47) - (1 << 22)).then_some((m as u32, n as u32))
        })
        .inspect(|&(m, n)| {
            // m / 2^23 in [1, 2), times n / 2^23 * 2^-127.
            let (a, b) = (m - (1 << 23) + (126 << 23), n - (1 << 23) + (1 << 23));
            let border = |mode| low(Arith::Psmul, a, b, mode);
            assert_eq!(border(Rounding::Nearest), (MIN_NORMAL, Flags::I), "{a:x} {b:x}");
            assert_eq!(border(Rounding::Up), (MIN_NORMAL, Flags::I), "{a:x} {b:x}");
            assert_eq!(border(Rounding::Zero), (0, flags("UI")), "{a:x} {b:x}");
            assert_eq!(border(Rounding::Down), (0, flags("UI")), "{a:x} {b:x}");
        })
        .count();
    assert!(n_pairs > 100, "{n_pairs}");
}

#[test]
fn psscale_takes_nine_signed_bits() {
    for (t, expected) in [(255u32, (INFINITY, "OI")), (256, (0, "UI")), (511, (0x3f00_0000, ""))] {
        let expected = (expected.0, flags(expected.1));
        assert_eq!(low(Arith::Psscale, ONE, t, Rounding::Nearest), expected, "{t}");
        assert_eq!(low(Arith::Psscale, ONE, t | 0xabcd_fe00, Rounding::Nearest), expected, "{t}");
    }
    for (s, expected) in [
        (0, (0, NONE)),
        (SIGN, (SIGN, NONE)),
        (DENORMAL | SIGN, (SIGN, Flags::E)),
        (INFINITY | SIGN, (INFINITY | SIGN, NONE)),
        (0xffc0_0000, (NAN, Flags::V)),
    ] {
        assert_eq!(low(Arith::Psscale, s, 0x100, Rounding::Up), expected, "{s:x}");
    }
}

#[test]
fn invalid_masks_all_flags_but_denormal() {
    let inexact = (ONE, 0x3380_0001); // 1 + a bit more than half a unit
    for (hi, lo, expected) in [
        (inexact, (INFINITY, INFINITY | SIGN), "V"),
        ((MAX, MAX), (NAN, ONE), "V"),
        ((DENORMAL, ONE), (NAN, ONE), "VE"),
        ((MAX, MAX), inexact, "OI"),
        ((MAX, MAX), (DENORMAL, ONE), "OIE"),
        // Within one step too.
        ((ONE, ONE), (DENORMAL, NAN), "VE"),
        ((ONE, ONE), (DENORMAL, INFINITY), "E"),
    ] {
        let got = run_st(Arith::Psadd, join(hi.0, lo.0), join(hi.1, lo.1), Rounding::Nearest);
        assert_eq!(got.flags, flags(expected), "{hi:x?} {lo:x?}");
    }
    // A denormal is a zero, so its product with infinity is invalid.
    assert_eq!(low(Arith::Psmul, DENORMAL, INFINITY, Rounding::Nearest), (NAN, flags("VE")));
    assert_eq!(low(Arith::Psmul, MIN_NORMAL, INFINITY, Rounding::Nearest), (INFINITY, NONE));
}

#[test]
fn a_zero_sum_is_negative_only_downward() {
    for mode in MODES {
        let zero = if mode == Rounding::Down { SIGN } else { 0 };
        assert_eq!(low(Arith::Pssub, ONE, ONE, mode), (zero, NONE), "{mode:?}");
        assert_eq!(low(Arith::Psadd, 0, SIGN, mode), (zero, NONE), "{mode:?}");
        assert_eq!(low(Arith::Psadd, DENORMAL, SIGN, mode), (zero, Flags::E), "{mode:?}");
        // The neighbours: zeros of one sign.
        assert_eq!(low(Arith::Psadd, SIGN, SIGN, mode), (SIGN, NONE), "{mode:?}");
        assert_eq!(low(Arith::Psadd, 0, 0, mode), (0, NONE), "{mode:?}");
    }
}

#[test]
fn sign_operations_are_arithmetic_and_moves_are_not() {
    let nan = 0xffc0_0001;
    for op in [Arith::Cneg, Arith::Cconj, Arith::Psneg, Arith::Psabs, Arith::Pscopysign] {
        assert_eq!(low(op, nan, ONE, Rounding::Nearest), (NAN, Flags::V), "{op:?}");
        let (zero, raised) = low(op, DENORMAL, ONE, Rounding::Nearest);
        assert_eq!((zero & !SIGN, raised), (0, Flags::E), "{op:?}");
    }
    // cconj keeps the real part, but as arithmetic.
    let got = run_st(Arith::Cconj, join(DENORMAL | SIGN, ONE), 0, Rounding::Nearest);
    assert_eq!((got.d, got.flags), (join(SIGN, ONE | SIGN), Flags::E));
    // The sign of a NaN is not taken, that of a denormal is.
    assert_eq!(low(Arith::Pscopysign, ONE, nan, Rounding::Nearest), (NAN, Flags::V));
    let copied = low(Arith::Pscopysign, ONE, DENORMAL | SIGN, Rounding::Nearest);
    assert_eq!(copied, (ONE | SIGN, Flags::E));
    let x = Lane { s: join(nan, DENORMAL), t: join(DENORMAL, nan), ..Lane::default() };
    assert_eq!(run(Arith::Copy, &x).d, x.s);
    assert_eq!(run(Arith::Swaphl, &x).d, x.t);
    assert_eq!(run(Arith::Mtrans, &x).d, join(nan, DENORMAL));
}

#[test]
fn exponent_and_significand_of_special_numbers() {
    let minus_127 = -127i32 as u32;
    for (s, exponent, significand, raised) in [
        (0, minus_127, 0, NONE),
        (SIGN, minus_127, SIGN, NONE),
        (DENORMAL | SIGN, minus_127, SIGN, Flags::E),
        (MIN_NORMAL, -126i32 as u32, ONE, NONE),
        (MAX | SIGN, 127, 0xbfff_ffff, NONE),
        (INFINITY | SIGN, 0x7fff_ffff, NAN, Flags::V),
        (0x7f80_0001, 0x7fff_ffff, NAN, Flags::V),
    ] {
        assert_eq!(low(Arith::Psgetexp, s, 0, Rounding::Up), (exponent, raised), "{s:x}");
        assert_eq!(low(Arith::Psgetman, s, 0, Rounding::Up), (significand, raised), "{s:x}");
    }
}

#[test]
fn conversion_to_integer_at_the_ends_of_the_range() {
    for (s, expected) in [
        (0x4eff_ffff, (0x7fff_ff80, NONE)),
        (0x4f00_0000, (0x7fff_ffff, Flags::V)), // 2^31
        (0xcf00_0000, (0x8000_0000, NONE)),     // -2^31
        (0xcf00_0001, (0x7fff_ffff, Flags::V)),
        (INFINITY | SIGN, (0x7fff_ffff, Flags::V)),
        (NAN, (0x7fff_ffff, Flags::V)),
        (SIGN, (0, NONE)),
        (DENORMAL, (0, Flags::E)),
    ] {
        for mode in MODES {
            assert_eq!(low(Arith::Pstopw, s, 0, mode), expected, "{s:x} {mode:?}");
        }
    }
    // The smallest normal counts, the denormal above did not.
    assert_eq!(low(Arith::Pstopw, MIN_NORMAL, 0, Rounding::Up), (1, Flags::I));
    assert_eq!(low(Arith::Pstopw, MIN_NORMAL | SIGN, 0, Rounding::Down), (u32::MAX, Flags::I));
}

#[test]
fn multiplication_by_i_follows_the_product() {
    let got = run_st(Arith::Cmuli, join(ONE, 0), 0, Rounding::Nearest);
    assert_eq!((got.d, got.flags), (join(0, ONE), NONE)); // 0 - 0, 1 + 0
    // An infinite part meets the zero of i.
    let got = run_st(Arith::Cmuli, join(INFINITY, ONE), 0, Rounding::Nearest);
    assert_eq!((got.d, got.flags), (join(NAN, INFINITY), Flags::V));
    let got = run_st(Arith::Cmulni, join(0x4000_0000, ONE), 0, Rounding::Nearest);
    assert_eq!((got.d, got.flags), (join(ONE, 0xc000_0000), NONE));
}

/// (1 + e)(1 - e) - 1 is 0 when the product is rounded first, -e^2 when it is fused.
#[test]
fn nothing_is_fused() {
    let x = Lane { d: both(ONE), s: both(ONE + 1), t: both(ONE - 2), ..Lane::default() };
    assert_eq!(run(Arith::Psmsub, &x).d, both(0));
    assert_eq!(run(Arith::Psmsub, &x).flags, Flags::I);
}

#[test]
fn section_gives_its_number() {
    for section in 0..4 {
        let x = Lane { section, d: u64::MAX, ..Lane::default() };
        assert_eq!(run(Arith::Section, &x).d, u64::from(section));
    }
}

#[test]
fn the_engine_executes_mfc_and_mtc() {
    let x = Lane { d: 1, s: 2, t: 3, ..Lane::default() };
    for op in [Arith::Nop, Arith::Mfc, Arith::Mtc] {
        assert_eq!(run(op, &x), cp2_emu::arith::LaneResult::default());
    }
}

proptest! {
    #![proptest_config(config(3_000))]

    /// Every operation keeps the rules: none panics, only those of the table raise flags, V leaves only E, and a flag-raising
    /// result has no denormal and no other NaN.
    #[test]
    fn every_operation_keeps_the_rules(x in lane(), raw in any::<u64>()) {
        for &op in Arith::ALL {
            let row = op.row();
            let operands: Vec<i32> = row.operands.iter().map(|o| o.kind.decode(raw.into())).collect();
            for rounding in MODES {
                let got = run_with(op, &operands, &Lane { rounding, ..x });
                if !row.effects.contains(Effects::FLAGS) {
                    prop_assert_eq!(got.flags, NONE, "{:?}", op);
                    continue;
                }
                if got.flags.contains(Flags::V) {
                    prop_assert!((Flags::V | Flags::E).contains(got.flags), "{:?}", op);
                }
                let integers = matches!(op, Arith::Psgetexp | Arith::Pstopw);
                for (operand, &value) in row.operands.iter().zip(&operands) {
                    let result = match (operand.write, operand.kind) {
                        (true, OperandKind::FprHalf(..)) if value & 1 == 1 => both((got.d >> 32) as u32),
                        (true, OperandKind::FprHalf(..)) => both(got.d as u32),
                        (true, OperandKind::Fpr(cp2_isa::fields::FD)) => got.d,
                        (true, OperandKind::Fpr(cp2_isa::fields::FS)) => got.s,
                        (true, _) => got.q,
                        (false, _) => continue,
                    };
                    // qsdot keeps a half of D, which may be anything.
                    let kept = op == Arith::Qsdot;
                    for bits in [(result >> 32) as u32, result as u32] {
                        let value = f32::from_bits(bits);
                        let fine = !value.is_subnormal() && (!value.is_nan() || bits == NAN);
                        prop_assert!(integers || kept || fine, "{:?} {:08x}", op, bits);
                    }
                }
            }
        }
    }
}
