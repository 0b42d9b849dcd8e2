//! The arithmetic half of a bundle. What an operation consists of stands in `cp2_emu::arith`; here it is
//! executed for all sections at once.

use crate::decode::{Code, Step, second};
use crate::hot::Hot;
use crate::lanes::{Plain, Word, any, each, either};
use crate::ring::{Codes, Fprs};
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

/// An operand, if the operation reads it, else any word. Notes where it is too small.
#[inline(always)]
fn operand(
    fpr: &Fprs,
    (is_read, number, other): (bool, u8, Word),
    reads: &Reads,
    bad: &mut [u32; SECTIONS],
) -> Word {
    if !is_read {
        return other;
    }
    let word = Word::of(&fpr[usize::from(number)]);
    *bad = either(*bad, word.below(reads.least));
    if reads.signs {
        *bad = either(*bad, word.special());
    }
    word
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
    let s = Word::of(&fpr[usize::from(step.s)]);
    let mut bad = s.below(reads.least);
    let d = operand(fpr, (reads.d, step.d, s), &reads, &mut bad);
    let t = operand(fpr, (reads.t, step.t, s), &reads, &mut bad);
    let s_next = operand(fpr, (reads.s_next, step.s + 1, s), &reads, &mut bad);
    let operands = Operands { d, s, t, s_next, coefficient: Word::splat(word) };
    let Values { d, s, q } = composed(op, &mut Plain, operands);
    let first = if writes_q_alone(op) { q } else { d };
    let other = match second(op) {
        Some(Role::S) => Some(s),
        Some(_) => Some(q),
        None => None,
    };
    bad = either(bad, first.special());
    if let Some(other) = other {
        bad = either(bad, other.special());
    }
    if any(bad) {
        return unusual::watched(hot, code, state, at, (enabled, word));
    }
    keep(hot, code, state, at, (&reads, enabled, word));
    hot.plan(step, 0, enabled, &first.quad());
    if let Some(other) = other {
        hot.plan(step, 1, enabled, &other.quad());
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
