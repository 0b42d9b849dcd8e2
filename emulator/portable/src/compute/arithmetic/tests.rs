//! Results and flags of the arithmetic half, held against the reference.

use super::*;
use crate::compute::flags::{Seen, flags_of_sections};
use crate::compute::lanes::Watched;
use cp2_emu::arith::{self, Flags, Values};
use cp2_isa::Inst;

/// Numbers at the edges of the ranges in which native arithmetic can be taken, and at those of the format.
const EDGES: [u32; 20] = [
    0,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    LEAST_TERM - 1,
    LEAST_TERM,
    LEAST_FACTOR - 1,
    LEAST_FACTOR,
    LEAST_FACTOR + 1,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x5f80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fff_ffff,
];

struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ z >> 27
    }

    fn half(&mut self) -> u32 {
        let bits = self.bits();
        let sign = (bits as u32) & 1 << 31;
        sign | match bits >> 33 & 7 {
            0 => EDGES[(bits >> 40) as usize % EDGES.len()],
            1 => (bits >> 32) as u32 & 0x7fff_ffff,
            // Products at the edge of underflow.
            2 => 0x2000_0000 + (bits as u32 & 0x01ff_ffff),
            // Few bits, so that results are exact.
            3 => 0x3f80_0000 + (bits as u32 & 0x0170_0000),
            _ => 0x3e80_0000 + (bits as u32 & 0x01ff_ffff),
        }
    }

    fn quad(&mut self) -> Quad {
        std::array::from_fn(|_| u64::from(self.half()) << 32 | u64::from(self.half()))
    }
}

fn composed_operations() -> impl Iterator<Item = Arith> {
    use Arith as A;
    let first = Arith::ALL.iter().copied();
    first.filter(|op| {
        (A::Cadd as usize..=A::Mtvmsub as usize).contains(&(*op as usize)) || *op == A::Pscopysign
    })
}

/// Returns the results of `arith::execute` in a section, in their order.
fn expected(op: Arith, seen: &Seen, s: usize) -> (u64, Option<u64>, Flags) {
    let o = arith::execute(&Inst::new(op, &[]), &seen.lane(s));
    let other = match second(op) {
        Some(Role::S) => Some(o.s),
        Some(_) => Some(o.q),
        None => None,
    };
    (if writes_q_alone(op) { o.q } else { o.d }, other, o.flags)
}

#[test]
fn what_native_arithmetic_gives_is_what_one_section_computes() {
    let mut numbers = Numbers(7);
    let (mut right, mut proven) = (0, 0);
    for op in composed_operations() {
        for round in 0..6000 {
            let rounding = Rounding::of(round);
            let [d, s, t, s_next] = [(); 4].map(|()| numbers.quad());
            let coefficient = arith::coefficient(numbers.bits() as u16, false);
            let t_next = [0; SECTIONS];
            let seen = Seen { d, s, t, s_next, t_next, coefficient, rounding };
            if rounding == Rounding::Nearest {
                let mut found = [Quad::default(); 2];
                let operands = [&d, &s, &t, &s_next];
                let is_right = guess(op, &reads(op), operands, coefficient, &mut found);
                for k in (0..SECTIONS).filter(|_| is_right) {
                    let (first, second, flags) = expected(op, &seen, k);
                    assert!(Flags::I.contains(flags), "{op:?} {seen:x?}: {flags:?}");
                    assert_eq!(found[0][k], first, "{op:?} {seen:x?}");
                    let other = second.is_some().then_some(found[1][k]);
                    assert_eq!(other, second, "{op:?} {seen:x?}");
                    right += 1;
                }
            }
            let mut unit = Watched::new(rounding);
            let operands = Operands {
                d: Word::of(&d),
                s: Word::of(&s),
                t: Word::of(&t),
                s_next: Word::of(&s_next),
                coefficient: Word::splat(coefficient),
            };
            let Values { d, s, q } = composed(op, &mut unit, operands);
            for k in (0..SECTIONS).filter(|&k| !unit.is_unusual(k)) {
                let (first, other, flags) = expected(op, &seen, k);
                let found = if writes_q_alone(op) { q } else { d };
                assert_eq!(found.quad()[k], first, "{op:?} {seen:x?}");
                let found = if second(op) == Some(Role::S) { s } else { q };
                assert!(other.is_none_or(|x| x == found.quad()[k]), "{op:?} {seen:x?}");
                let inexact = if unit.is_inexact(k) { Flags::I } else { Flags::empty() };
                assert_eq!(flags, inexact, "{op:?} {seen:x?}");
                proven += 1;
            }
        }
    }
    assert!(right > 10_000 && proven > 100_000, "{right}, {proven}");
}

/// The flags of all sections together are those of the sections one by one, also on a coefficient that is not the same in all.
#[test]
fn flags_of_all_sections_are_those_of_each() {
    let mut numbers = Numbers(5);
    let mut told = 0;
    for op in Arith::ALL.iter().copied() {
        for round in 0..2000 {
            let [d, s, t, s_next, coefficient] = [(); 5].map(|()| numbers.quad());
            let operands = Operands { d, s, t, s_next, coefficient };
            let rounding = Rounding::of(round);
            let Some(flags) = flags_of_sections(op, &operands, rounding) else { continue };
            told += 1;
            for k in 0..SECTIONS {
                let seen = Seen {
                    d,
                    s,
                    t,
                    s_next,
                    coefficient: coefficient[k],
                    rounding,
                    ..Seen::default()
                };
                let (_, _, expected) = expected(op, &seen, k);
                assert_eq!(flags[k], expected, "{op:?} {seen:x?}");
            }
        }
    }
    assert!(told > 2000, "{told}");
}

/// The steps that find the rest of a sum may overflow with the largest number although the sum does not.
#[test]
fn sums_with_the_largest_number_are_those_of_one_section() {
    let mut numbers = Numbers(11);
    for round in 0..40_000 {
        let rounding = Rounding::of(round);
        let largest: u32 = 0x7f7f_ffff;
        let other = 0xf200_0000 | numbers.bits() as u32 & 0x0dff_ffff;
        let word = [u64::from(largest) << 32 | u64::from(largest | 1 << 31); SECTIONS];
        let with = [u64::from(other) << 32 | u64::from(other ^ 1 << 31); SECTIONS];
        for (s, t) in [(word, with), (with, word)] {
            let seen = Seen { s, t, rounding, ..Seen::default() };
            let mut unit = Watched::new(rounding);
            let zero = Word::splat(0);
            let operands = Operands {
                d: zero,
                s: Word::of(&s),
                t: Word::of(&t),
                s_next: zero,
                coefficient: zero,
            };
            let sum = composed(Arith::Psadd, &mut unit, operands).d.quad();
            let (expected, _, _) = expected(Arith::Psadd, &seen, 0);
            assert!(unit.is_unusual(0) || sum[0] == expected, "{rounding:?} {other:x}");
        }
    }
}

/// Native arithmetic can be taken for all operations on numbers near 1.
#[test]
fn tame_numbers_are_left_to_native_arithmetic() {
    let word = |k: u64| (0x3f80_0000 + 77 * k) << 32 | (0xbf90_0000 + 33 * k);
    let [d, s, t, s_next] = [1, 2, 3, 4].map(|k| [word(k), 0, word(9 * k), word(k + 5)]);
    for op in composed_operations() {
        let (operands, one) = ([&d, &s, &t, &s_next], 0x3f80_0000_0000_0000);
        assert!(guess(op, &reads(op), operands, one, &mut Default::default()), "{op:?}");
    }
}
