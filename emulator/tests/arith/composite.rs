//! Operations of several float steps against the same steps by SoftFloat, flags merged.

use crate::reference::Soft;
use crate::values::*;
use cp2_emu::arith::{Lane, LaneResult};
use cp2_isa::Arith;
use proptest::prelude::*;

const SIGN: u64 = 1 << 31;

fn pair(f: &mut Soft, step: fn(&mut Soft, u32, u32) -> u32, s: u64, t: u64) -> u64 {
    let ((a, b), (c, d)) = (halves(s), halves(t));
    join(step(f, a, c), step(f, b, d))
}

fn add(f: &mut Soft, s: u64, t: u64) -> u64 {
    pair(f, Soft::add, s, t)
}

fn sub(f: &mut Soft, s: u64, t: u64) -> u64 {
    pair(f, Soft::sub, s, t)
}

/// Multiplies complex numbers, with the real part in hi.
fn cmul(f: &mut Soft, s: u64, t: u64) -> u64 {
    let ((sr, si), (tr, ti)) = (halves(s), halves(t));
    let re = (f.mul(sr, tr), f.mul(si, ti));
    let im = (f.mul(sr, ti), f.mul(si, tr));
    join(f.sub(re.0, re.1), f.add(im.0, im.1))
}

fn dot(f: &mut Soft, row: u64, v: u64) -> u32 {
    let ((a, b), (c, d)) = (halves(row), halves(v));
    let (p, q) = (f.mul(a, c), f.mul(b, d));
    f.add(p, q)
}

fn matrix(f: &mut Soft, first: u64, second: u64, v: u64) -> u64 {
    join(dot(f, first, v), dot(f, second, v))
}

fn columns(first: u64, second: u64) -> (u64, u64) {
    let ((a, b), (c, d)) = (halves(first), halves(second));
    (join(a, c), join(b, d))
}

/// Results of an operation by the words of [L] 3: new D, S, Q.
#[derive(Default)]
struct Words {
    d: Option<u64>,
    s: Option<u64>,
    q: Option<u64>,
}

fn d(d: u64) -> Words {
    Words { d: Some(d), ..Words::default() }
}

fn q(q: u64) -> Words {
    Words { q: Some(q), ..Words::default() }
}

fn butterfly(f: &mut Soft, x: &Lane, w: u64) -> Words {
    let t = cmul(f, x.s, w);
    Words { d: Some(add(f, x.d, t)), s: Some(sub(f, x.d, t)), q: None }
}

fn expected(op: Arith, f: &mut Soft, x: &Lane) -> Words {
    let conj = x.t ^ SIGN;
    match op {
        Arith::Cadd => d(add(f, x.s, x.t)),
        Arith::Csub => d(sub(f, x.s, x.t)),
        Arith::Caddsub | Arith::Psaddsub => {
            Words { d: Some(add(f, x.s, x.t)), s: None, q: Some(sub(f, x.s, x.t)) }
        }
        Arith::Cneg => d(join(f.neg(halves(x.s).0), f.neg(halves(x.s).1))),
        Arith::Cconj => d(join(f.with_sign(halves(x.s).0, |sign| sign), f.neg(halves(x.s).1))),
        Arith::Cmul => d(cmul(f, x.s, x.t)),
        Arith::Chmul => d(cmul(f, x.s, conj)),
        Arith::Cmuli => d(cmul(f, x.s, join(0, 0x3f80_0000))),
        Arith::Cmulni => d(cmul(f, x.s, join(0, 0xbf80_0000))),
        Arith::Cmadd | Arith::Cmsub | Arith::Chmadd | Arith::Chmsub => {
            let hermitian = matches!(op, Arith::Chmadd | Arith::Chmsub);
            let product = cmul(f, x.s, if hermitian { conj } else { x.t });
            let plus = matches!(op, Arith::Cmadd | Arith::Chmadd);
            d(if plus { add(f, x.d, product) } else { sub(f, x.d, product) })
        }
        Arith::Cbutterfly => butterfly(f, x, x.coefficient),
        Arith::Cbutterfly2 => butterfly(f, x, x.t),
        Arith::Psmadd => {
            let product = pair(f, Soft::mul, x.s, x.t);
            d(add(f, x.d, product))
        }
        Arith::Psmsub => {
            let product = pair(f, Soft::mul, x.s, x.t);
            d(sub(f, x.d, product))
        }
        Arith::Mvmul => q(matrix(f, x.s, x.d, x.t)),
        Arith::Mtvmul => {
            let (first, second) = columns(x.s, x.d);
            q(matrix(f, first, second, x.t))
        }
        Arith::Mvmadd | Arith::Mvmsub | Arith::Mtvmadd | Arith::Mtvmsub => {
            let transposed = matches!(op, Arith::Mtvmadd | Arith::Mtvmsub);
            let (first, second) = if transposed { columns(x.s, x.s_next) } else { (x.s, x.s_next) };
            let product = matrix(f, first, second, x.t);
            let plus = matches!(op, Arith::Mvmadd | Arith::Mtvmadd);
            d(if plus { add(f, x.d, product) } else { sub(f, x.d, product) })
        }
        _ => unreachable!("{op:?} is not in the list"),
    }
}

const OPERATIONS: [Arith; 24] = [
    Arith::Cadd,
    Arith::Csub,
    Arith::Caddsub,
    Arith::Psaddsub,
    Arith::Cneg,
    Arith::Cconj,
    Arith::Cmul,
    Arith::Chmul,
    Arith::Cmuli,
    Arith::Cmulni,
    Arith::Cmadd,
    Arith::Cmsub,
    Arith::Chmadd,
    Arith::Chmsub,
    Arith::Cbutterfly,
    Arith::Cbutterfly2,
    Arith::Psmadd,
    Arith::Psmsub,
    Arith::Mvmul,
    Arith::Mtvmul,
    Arith::Mvmadd,
    Arith::Mvmsub,
    Arith::Mtvmadd,
    Arith::Mtvmsub,
];

fn agrees(words: &Words, got: &LaneResult) -> bool {
    let same = |expected: Option<u64>, got: u64| expected.is_none_or(|value| value == got);
    same(words.d, got.d) && same(words.s, got.s) && same(words.q, got.q)
}

fn check(x: &Lane) -> Result<(), TestCaseError> {
    for op in OPERATIONS {
        for rounding in MODES {
            let x = Lane { rounding, ..*x };
            let got = run(op, &x);
            let mut soft = Soft::new(rounding);
            let words = expected(op, &mut soft, &x);
            prop_assert!(agrees(&words, &got), "{:?} {:x?} gives {:x?}", op, x, got);
            prop_assert_eq!(got.flags, soft.flags(), "{:?} {:x?}", op, x);
        }
    }
    for mode in [0, 1] {
        for rounding in MODES {
            let x = Lane { rounding, ..*x };
            let got = run_with(Arith::Qsdot, &[0, 0, 0, mode], &x);
            let mut f = Soft::new(rounding);
            let (first, second) = (dot(&mut f, x.s, x.t), dot(&mut f, x.s_next, x.t_next));
            let sum = f.add(first, second);
            let (hi, lo) = halves(x.d);
            let expected = if mode == 0 { join(hi, sum) } else { join(sum, lo) };
            prop_assert_eq!((got.d, got.flags), (expected, f.flags()), "qsdot {:x?}", x);
        }
    }
    Ok(())
}

/// Scales the numbers of a lane to about the same size, so that the steps round, cancel and stay in range.
fn tame(x: Lane) -> Lane {
    let one = |bits: u32| bits & 0x807f_ffff | (120 + (bits >> 23 & 15)) << 23;
    let two = |word: u64| join(one(halves(word).0), one(halves(word).1));
    Lane {
        d: two(x.d),
        s: two(x.s),
        t: two(x.t),
        s_next: two(x.s_next),
        t_next: two(x.t_next),
        coefficient: two(x.coefficient),
        ..x
    }
}

proptest! {
    #![proptest_config(config(15_000))]

    #[test]
    fn any_numbers(x in lane()) {
        check(&x)?;
    }

    #[test]
    fn numbers_of_one_size(x in lane()) {
        check(&tame(x))?;
    }
}
