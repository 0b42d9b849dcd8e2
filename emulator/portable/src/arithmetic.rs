//! The arithmetic half of a bundle. What an operation consists of stands in `cp2_emu::arith`; here it is
//! executed for all sections at once.

use crate::decode::{Code, Step, second};
use crate::hot::Hot;
use crate::lanes::{Marks, Plain, Word, any, below, each, either, special};
use crate::ring::Codes;
use crate::unusual::{self, writes_q_alone};
use cp2_emu::arith::{self, Operands, Rounding, Values, compare, composed, integer};
use cp2_emu::state::{CONTROL_INVERSE, Quad, State};
use cp2_isa::rules::angle;
use cp2_isa::{Arith, Role, SECTIONS};

/// Operands at least so large, or zero, make every product, every sum of products and every sum with one
/// normal or zero: products are multiples of 2^-125 then.
const LEAST_FACTOR: u32 = 76 << 23;
/// The same of sums of operands, which are multiples of 2^-125 themselves.
const LEAST_TERM: u32 = 25 << 23;
/// The same of operations on signs.
const LEAST_NORMAL: u32 = 1 << 23;

/// What a composed operation reads besides S.
struct Reads {
    d: bool,
    t: bool,
    s_next: bool,
    coefficient: bool,
    /// The least operand.
    least: u32,
    /// Its operands may be special and no result shows it.
    signs: bool,
}

#[inline(always)]
const fn reads(op: Arith) -> Reads {
    use Arith as A;
    let signs = matches!(op, A::Cneg | A::Cconj | A::Psneg | A::Psabs | A::Pscopysign);
    let sums = matches!(op, A::Cadd | A::Csub | A::Caddsub | A::Psadd | A::Pssub | A::Psaddsub);
    Reads {
        d: matches!(
            op,
            A::Cmadd
                | A::Cmsub
                | A::Chmadd
                | A::Chmsub
                | A::Cbutterfly
                | A::Cbutterfly2
                | A::Psmadd
                | A::Psmsub
                | A::Mvmul
                | A::Mtvmul
                | A::Mvmadd
                | A::Mtvmadd
                | A::Mvmsub
                | A::Mtvmsub
        ),
        t: !matches!(
            op,
            A::Cneg | A::Cconj | A::Cmuli | A::Cmulni | A::Psneg | A::Psabs | A::Cbutterfly
        ),
        s_next: matches!(op, A::Mvmadd | A::Mtvmadd | A::Mvmsub | A::Mtvmsub),
        coefficient: matches!(op, A::Cbutterfly),
        least: if signs {
            LEAST_NORMAL
        } else if sums {
            LEAST_TERM
        } else {
            LEAST_FACTOR
        },
        signs,
    }
}

/// Executes the arithmetic half of the bundle at `at`, which is not `mfc` or `mtc`.
#[inline(always)]
pub(crate) fn execute(hot: &mut Hot, code: &Code, state: &mut State, at: usize) {
    use Arith as A;
    let step = &code.steps[at];
    if step.arith == A::Nop {
        return;
    }
    let enabled = hot.enabled(step.code);
    if step.code != 0 && enabled != crate::ring::ALL {
        hot.counts.masked(at, enabled);
    }
    /// A composed operation, for each of those that are the same.
    macro_rules! on_lanes {
        ($($op:ident),*) => {
            match step.arith {
                A::Psadd => lanes(hot, code, state, at, A::Cadd, enabled),
                A::Pssub => lanes(hot, code, state, at, A::Csub, enabled),
                A::Psaddsub => lanes(hot, code, state, at, A::Caddsub, enabled),
                A::Psneg => lanes(hot, code, state, at, A::Cneg, enabled),
                $(A::$op => lanes(hot, code, state, at, A::$op, enabled),)*
                _ => bits(hot, code, state, at, enabled),
            }
        };
    }
    on_lanes!(
        Cadd,
        Csub,
        Caddsub,
        Cneg,
        Cconj,
        Cmul,
        Cmadd,
        Cmsub,
        Cmuli,
        Cmulni,
        Chmul,
        Chmadd,
        Chmsub,
        Cbutterfly,
        Cbutterfly2,
        Psabs,
        Psmul,
        Psmadd,
        Psmsub,
        Pscopysign,
        Mvmul,
        Mtvmul,
        Mvmadd,
        Mtvmadd,
        Mvmsub,
        Mtvmsub
    );
}

/// The coefficient at RIND, which steps.
#[inline(always)]
fn coefficient(state: &mut State) -> u64 {
    let State { rind, rstep, rmask, control, .. } = *state;
    state.rind = angle::stepped(rind, rstep, rmask);
    arith::coefficient(rind, control & CONTROL_INVERSE != 0)
}

/// What host arithmetic gives.
#[derive(Clone, Copy, Debug)]
struct Guess {
    first: Quad,
    second: Option<Quad>,
    /// Nothing but Inexact can have been raised in any section, and rounding to nearest is right.
    is_right: bool,
}

/// A composed operation with host arithmetic on D, S, T and the register after S.
#[inline(always)]
fn guess(op: Arith, reads: &Reads, [d, s, t, s_next]: [&Quad; 4], coefficient: u64) -> Guess {
    let mut bad = below(s, reads.least);
    let d = operand(d, (reads.d, s), reads, &mut bad);
    let t = operand(t, (reads.t, s), reads, &mut bad);
    let s_next = operand(s_next, (reads.s_next, s), reads, &mut bad);
    let (s, coefficient) = (Word::of(s), Word::splat(coefficient));
    let Values { d, s, q } = composed(op, &mut Plain, Operands { d, s, t, s_next, coefficient });
    let first = if writes_q_alone(op) { q.quad() } else { d.quad() };
    let second = match second(op) {
        Some(Role::S) => Some(s.quad()),
        Some(_) => Some(q.quad()),
        None => None,
    };
    bad = either(bad, special(&first));
    if let Some(second) = &second {
        bad = either(bad, special(second));
    }
    Guess { first, second, is_right: !any(bad) }
}

/// An operand, if the operation reads it, else another one. Marks where it is too small.
#[inline(always)]
fn operand(quad: &Quad, (is_read, other): (bool, &Quad), reads: &Reads, bad: &mut Marks) -> Word {
    if !is_read {
        return Word::of(other);
    }
    *bad = either(*bad, below(quad, reads.least));
    if reads.signs {
        *bad = either(*bad, special(quad));
    }
    Word::of(quad)
}

/// A composed operation with host arithmetic, if that can be taken.
#[inline(always)]
fn lanes(hot: &mut Hot, code: &Code, state: &mut State, at: usize, op: Arith, enabled: u8) {
    let (step, reads) = (&code.steps[at], reads(op));
    let word = if reads.coefficient { coefficient(state) } else { 0 };
    if !hot.flow.is_usual {
        return unusual::watched(hot, code, state, at, (enabled, word));
    }
    let fpr = &hot.flow.fpr;
    let operands = [
        &fpr[usize::from(step.d)],
        &fpr[usize::from(step.s)],
        &fpr[usize::from(step.t)],
        &fpr[usize::from(step.s) + 1],
    ];
    let guess = guess(op, &reads, operands, word);
    if !guess.is_right {
        return unusual::watched(hot, code, state, at, (enabled, word));
    }
    keep(hot, code, state, at, (&reads, enabled, word));
    hot.plan(step, 0, enabled, &guess.first);
    if let Some(second) = &guess.second {
        hot.plan(step, 1, enabled, second);
    }
}

/// Keeps the operands of an operation for its flags.
#[inline(always)]
fn keep(
    hot: &mut Hot,
    code: &Code,
    state: &mut State,
    at: usize,
    (reads, enabled, coefficient): (&Reads, u8, u64),
) {
    let step: &Step = &code.steps[at];
    if enabled == 0 {
        return;
    }
    hot.make_room(state, code);
    let fpr = &hot.flow.fpr;
    hot.flow.deferred.push(hot.flow.cycle, at, enabled, |seen| {
        seen.s = fpr[usize::from(step.s)];
        if reads.d {
            seen.d = fpr[usize::from(step.d)];
        }
        if reads.t {
            seen.t = fpr[usize::from(step.t)];
        }
        if reads.s_next {
            seen.s_next = fpr[usize::from(step.s + 1)];
        }
        seen.coefficient = coefficient;
        seen.rounding = Rounding::Nearest;
    });
}

/// An operation on bits or integers of each word, or one that is done section by section.
#[inline(always)]
fn bits(hot: &mut Hot, code: &Code, state: &mut State, at: usize, enabled: u8) {
    use Arith as A;
    let step = &code.steps[at];
    let fpr = |n: u8| hot.flow.fpr[usize::from(n)];
    let (d, s, t) = (fpr(step.d), fpr(step.s), fpr(step.t));
    let [_, v1, v2, ..] = code.bundle(at).arith.values;
    macro_rules! every {
        ($f:expr) => {{
            let f = $f;
            let value: Quad = each!(k => f(d[k], s[k], t[k]));
            hot.plan(step, 0, enabled, &value)
        }};
    }
    match step.arith {
        A::Copy => hot.plan(step, 0, enabled, &s),
        A::Clear => {
            hot.plan(step, 0, enabled, &[0; SECTIONS]);
            hot.plan(step, 1, enabled, &[0; SECTIONS]);
        }
        A::Swap64 => {
            hot.plan(step, 0, enabled, &s);
            hot.plan(step, 1, enabled, &d);
        }
        A::Getcoeff => {
            let word = coefficient(state);
            hot.plan(step, 0, enabled, &[word; SECTIONS]);
        }
        A::C => comparison(hot, code, at, enabled, (s, t)),
        A::Swaphl => every!(|_, s, _| integer::swap_halves(s)),
        A::Li3 => every!(|d, _, _| integer::with_quarter(d, 3, v1)),
        A::Li2 => every!(|d, _, _| integer::with_quarter(d, 2, v1)),
        A::Li1 => every!(|d, _, _| integer::with_quarter(d, 1, v1)),
        A::Li0 => every!(|d, _, _| integer::with_quarter(d, 0, v1)),
        A::Add => every!(|_, s, t| integer::add(s, t)),
        A::Sub => every!(|_, s, t| integer::sub(s, t)),
        A::Abs => every!(|_, s, _| integer::abs(s)),
        A::Neg => every!(|_, s, _| integer::neg(s)),
        A::Addi => every!(|_, s, _| integer::add(s, integer::splat(v2))),
        A::Subi => every!(|_, s, _| integer::sub(s, integer::splat(v2))),
        A::Inci => every!(|d, _, _| integer::add(d, integer::splat(v1))),
        A::Deci => every!(|d, _, _| integer::sub(d, integer::splat(v1))),
        A::And => every!(|_, s: u64, t: u64| s & t),
        A::Or => every!(|_, s: u64, t: u64| s | t),
        A::Xor => every!(|_, s: u64, t: u64| s ^ t),
        A::Not => every!(|_, s: u64, _| !s),
        A::Lshift => every!(|_, s, t| integer::shift_logical(s, integer::amount(t))),
        A::Lshifti => every!(|_, s, _| integer::shift_logical(s, v2)),
        A::Ashift => every!(|_, s, t| integer::shift_arithmetic(s, integer::amount(t))),
        A::Ashifti => every!(|_, s, _| integer::shift_arithmetic(s, v2)),
        A::Split16 => every!(|_, s, _| integer::split16(s)),
        A::Split32 => every!(|_, s, _| integer::split32(s)),
        A::Extsign16w => every!(|d, _, _| integer::extend_quarters(d)),
        A::Join16 => every!(|d, s, _| integer::join16(d, s)),
        A::Join32 => every!(|d, s, _| integer::join32(d, s)),
        _ => unusual::any(hot, code, state, at, (enabled, 0)),
    }
}

/// A comparison.
#[inline(always)]
fn comparison(hot: &mut Hot, code: &Code, at: usize, enabled: u8, (s, t): (Quad, Quad)) {
    let Some(comparison) = code.bundle(at).arith.comparison() else { return };
    let (mut codes, mut values): (Codes, Codes) = (0, 0);
    for k in (0..SECTIONS).filter(|k| enabled >> k & 1 == 1) {
        let place = u32::from(comparison.cc) + 8 * k as u32;
        let [low, high] = compare::compare(comparison, s[k], t[k]);
        codes |= 1 << place;
        values |= Codes::from(low) << place;
        if comparison.codes() == 2 {
            codes |= 2 << place;
            values |= Codes::from(high) << (place + 1);
        }
    }
    if codes != 0 {
        let visible = hot.flow.cycle + hot.distances.condition;
        hot.flow.ring.plan_codes(visible, codes, values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Seen;
    use crate::lanes::Watched;
    use cp2_emu::arith::Flags;
    use cp2_isa::Inst;

    /// Numbers at the edges of what the guesses rest on, and at those of the format.
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
            (A::Cadd as usize..=A::Mtvmsub as usize).contains(&(*op as usize))
                || *op == A::Pscopysign
        })
    }

    /// What `arith::execute` gives in a section, in the order of results.
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
    fn what_is_taken_from_the_host_is_what_one_section_computes() {
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
                    let guess = guess(op, &reads(op), [&d, &s, &t, &s_next], coefficient);
                    for k in (0..SECTIONS).filter(|_| guess.is_right) {
                        let (first, second, flags) = expected(op, &seen, k);
                        assert!(Flags::I.contains(flags), "{op:?} {seen:x?}: {flags:?}");
                        assert_eq!(guess.first[k], first, "{op:?} {seen:x?}");
                        assert_eq!(guess.second.map(|w| w[k]), second, "{op:?} {seen:x?}");
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
                for k in (0..SECTIONS).filter(|&k| !unit.unusual[k]) {
                    let (first, other, flags) = expected(op, &seen, k);
                    let found = if writes_q_alone(op) { q } else { d };
                    assert_eq!(found.quad()[k], first, "{op:?} {seen:x?}");
                    let found = if second(op) == Some(Role::S) { s } else { q };
                    assert!(other.is_none_or(|x| x == found.quad()[k]), "{op:?} {seen:x?}");
                    let inexact = if unit.inexact[k] { Flags::I } else { Flags::empty() };
                    assert_eq!(flags, inexact, "{op:?} {seen:x?}");
                    proven += 1;
                }
            }
        }
        assert!(right > 10_000 && proven > 100_000, "{right}, {proven}");
    }

    /// Numbers near 1 are what the guesses are made for.
    #[test]
    fn tame_numbers_are_taken_from_the_host() {
        let word = |k: u64| (0x3f80_0000 + 77 * k) << 32 | (0xbf90_0000 + 33 * k);
        let [d, s, t, s_next] = [1, 2, 3, 4].map(|k| [word(k), 0, word(9 * k), word(k + 5)]);
        for op in composed_operations() {
            let guess = guess(op, &reads(op), [&d, &s, &t, &s_next], 0x3f80_0000_0000_0000);
            assert!(guess.is_right, "{op:?}");
        }
    }
}
