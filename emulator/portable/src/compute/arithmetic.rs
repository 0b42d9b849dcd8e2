//! The arithmetic half of a bundle. What an operation consists of stands in `cp2_emu::arith`; here it is
//! executed for all sections at once.

use crate::compute::lanes::{Marks, Plain, Word, each};
use crate::decode::{DecodedBundle, DecodedProgram, second};
use crate::hot::{Flow, Hot};
use crate::ring::{ALL, Codes, Unit};
use crate::unusual::{self, writes_q_alone};
use cp2_emu::arith::{Operands, Rounding, compare, composed, integer};
use cp2_emu::state::{CONTROL_INVERSE, Quad, State};
use cp2_isa::rules::angle;
use cp2_isa::{Arith, Role, SECTIONS};

/// Least magnitude of operands, unless zero, for which every product, every sum of products and every sum with one is normal
/// or zero: products are multiples of 2^-125 then.
const LEAST_FACTOR: u32 = 76 << 23;
/// Least magnitude of operands, unless zero, for which every sum of them is normal or zero: operands are multiples of 2^-125
/// themselves.
const LEAST_TERM: u32 = 25 << 23;
/// Least magnitude of operands, unless zero, for operations on signs: the least normal number.
const LEAST_NORMAL: u32 = 1 << 23;

/// Operands of a composed operation besides S, and the range in which native arithmetic can be taken for it.
struct Reads {
    d: bool,
    t: bool,
    s_next: bool,
    coefficient: bool,
    /// Least magnitude of the operands, unless zero.
    least: u32,
    /// Whether operands may be infinities or NaN without a result that shows it.
    signs: bool,
}

impl Reads {
    /// Marks the numbers for which native arithmetic proves nothing.
    #[inline(always)]
    fn outside(&self, marks: Marks, quad: &Quad) -> Marks {
        let marks = marks.below(quad, self.least);
        if self.signs { marks.special(quad) } else { marks }
    }
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
pub(crate) fn execute(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    step: &DecodedBundle,
    at: usize,
) {
    use Arith as A;
    if step.arith == A::Nop {
        return;
    }
    let enabled = hot.enabled(step.arithmetic.code);
    if enabled != ALL {
        hot.counts.masked(at, enabled);
    }
    let at = (step, at);
    /// Executes a composed operation, those with the same steps as one.
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

/// Returns the coefficient at RIND, which steps.
#[inline(always)]
fn coefficient(hot: &mut Hot, state: &mut State) -> u64 {
    let State { rind, rstep, rmask, control, .. } = *state;
    state.rind = angle::stepped(rind, rstep, rmask);
    hot.coefficients.at(rind, control & CONTROL_INVERSE != 0)
}

/// Computes a composed operation with native arithmetic on D, S, T and the register after S. Returns whether the results can be
/// taken: nothing but Inexact can have been raised in any section, if rounding is to nearest.
///
/// Everything is computed before it is checked, and results are written where they stay: so the compiler keeps the halves of
/// all sections together from the operands to the results.
#[inline(always)]
fn guess(
    op: Arith,
    reads: &Reads,
    [d, s, t, s_next]: [&Quad; 4],
    coefficient: u64,
    [first, other]: &mut [Quad; 2],
) -> bool {
    let operands = Operands {
        d: Word::of(if reads.d { d } else { s }),
        s: Word::of(s),
        t: Word::of(if reads.t { t } else { s }),
        s_next: Word::of(if reads.s_next { s_next } else { s }),
        coefficient: Word::splat(coefficient),
    };
    let values = composed(op, &mut Plain, operands);
    let value = if writes_q_alone(op) { values.q } else { values.d };
    value.write(first);
    let mut marks = Marks::NONE.special(first);
    if let Some(role) = second(op) {
        let value = if role == Role::S { values.s } else { values.q };
        value.write(other);
        marks = marks.special(other);
    }
    marks = reads.outside(marks, s);
    if reads.d {
        marks = reads.outside(marks, d);
    }
    if reads.t {
        marks = reads.outside(marks, t);
    }
    if reads.s_next {
        marks = reads.outside(marks, s_next);
    }
    !marks.any()
}

/// Executes a composed operation with native arithmetic, if that can be taken.
#[inline(always)]
fn lanes(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    (step, at): (&DecodedBundle, usize),
    op: Arith,
    enabled: u8,
) {
    let reads = reads(op);
    let word = if reads.coefficient { coefficient(hot, state) } else { 0 };
    if !hot.flow.exactness.is_usual {
        return unusual::watched(hot, code, state, at, (enabled, word));
    }
    let visible = hot.flow.cycle + hot.distances.arithmetic;
    let Flow { fpr, ring, .. } = &mut hot.flow;
    let operands = [
        &fpr[usize::from(step.arithmetic.d)],
        &fpr[usize::from(step.arithmetic.s)],
        &fpr[usize::from(step.arithmetic.t)],
        &fpr[usize::from(step.arithmetic.s.wrapping_add(1))],
    ];
    // Nothing else comes from this unit in that cycle, so they may be written before they are known to be right.
    let results = ring.values(Unit::Arithmetic, visible);
    if !guess(op, &reads, operands, word, results) {
        return unusual::watched(hot, code, state, at, (enabled, word));
    }
    keep(hot, code, state, (step, at), (&reads, enabled, word));
    if enabled != 0 {
        hot.flow.ring.will_land(Unit::Arithmetic, visible, step.arithmetic.results.only(enabled));
    }
}

/// Keeps the operands of an operation for its flags.
#[inline(always)]
fn keep(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    (step, at): (&DecodedBundle, usize),
    (reads, enabled, coefficient): (&Reads, u8, u64),
) {
    if enabled == 0 {
        return;
    }
    hot.make_room(state, code);
    let Flow { fpr, deferred, cycle, .. } = &mut hot.flow;
    let seen = deferred.push(*cycle, at, enabled);
    seen.s = fpr[usize::from(step.arithmetic.s)];
    if reads.d {
        seen.d = fpr[usize::from(step.arithmetic.d)];
    }
    if reads.t {
        seen.t = fpr[usize::from(step.arithmetic.t)];
    }
    if reads.s_next {
        seen.s_next = fpr[usize::from(step.arithmetic.s.wrapping_add(1))];
    }
    if reads.coefficient {
        seen.coefficient = coefficient;
    }
    seen.rounding = Rounding::Nearest;
}

/// Executes an operation on bits or integers of each word, or one that is done section by section.
#[inline(always)]
fn bits(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    (step, at): (&DecodedBundle, usize),
    enabled: u8,
) {
    use Arith as A;
    let fpr = |n: u8| hot.flow.fpr[usize::from(n)];
    let (d, s, t) = (fpr(step.arithmetic.d), fpr(step.arithmetic.s), fpr(step.arithmetic.t));
    let [_, v1, v2, ..] = code.bundle(at).arith.values;
    macro_rules! every {
        ($f:expr) => {{
            let f = $f;
            let value: Quad = each!(k => f(d[k], s[k], t[k]));
            hot.plan(step, enabled, &value, None)
        }};
    }
    match step.arith {
        A::Copy => hot.plan(step, enabled, &s, None),
        A::Clear => hot.plan(step, enabled, &[0; SECTIONS], Some(&[0; SECTIONS])),
        A::Swap64 => hot.plan(step, enabled, &s, Some(&d)),
        A::Getcoeff => {
            let word = coefficient(hot, state);
            hot.plan(step, enabled, &[word; SECTIONS], None);
        }
        A::C => comparison(hot, code, at, enabled, (s, t)),
        A::Swaphl => every!(|_, s, _| integer::swap_halves(s)),
        // The section addresses are written behind the exchange half.
        A::Amtsa => {}
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

/// Executes a comparison.
#[inline(always)]
fn comparison(hot: &mut Hot, code: &DecodedProgram, at: usize, enabled: u8, (s, t): (Quad, Quad)) {
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
mod tests;
