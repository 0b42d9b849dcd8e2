//! Results of the arithmetic operations in one section, as functions of their operands. Engines decide when values are
//! read and written, and in which sections; no cycle appears here.

mod coefficient;
pub mod compare;
mod complex;
mod composed;
mod elementary;
mod float;
pub mod integer;
mod matrix;
mod pair;
mod reduction;
pub mod tables;
mod unit;
mod word;

pub use coefficient::coefficient;
pub use composed::{Operands, Values, composed, is_composed};
pub use cp2_isa::rules::flags::Flags;
pub use cp2_isa::rules::rounding::Rounding;
pub use unit::FloatUnit;

use cp2_isa::{Arith, Inst};
use float::Fpu;
use integer as int;
use word::{half, with_half};

/// Operands of an arithmetic operation in one section, which an engine gives to [`execute`]. Those that the operation
/// does not have are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Register D before the operation, for operations that read it as well.
    pub d: u64,
    /// Register S, 64 bits: two 32-bit values, high and low.
    pub s: u64,
    /// Register T, 64 bits: two 32-bit values, high and low.
    pub t: u64,
    /// Register whose number follows that of S, for operations that read a pair.
    pub s_next: u64,
    /// Register whose number follows that of T, for operations that read a pair.
    pub t_next: u64,
    /// Fourier coefficient at the angle in RIND: cosine in the high half, sine in the low half ([`coefficient()`]).
    pub coefficient: u64,
    /// Number of the section, 0 to 3, for the operation whose result it is.
    pub section: u8,
    /// Rounding mode of floating-point operations, from register CONTROL.
    pub rounding: Rounding,
}

/// Results of an arithmetic operation in one section, which [`execute`] returns: new values of registers, condition
/// codes and flags. Values that the operation does not write, by the table of operations, have no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneResult {
    /// New value of register D. If the operation writes one half only, the other half is that of the old D or has no
    /// meaning.
    pub d: u64,
    /// New value of register S, for operations that write S besides D.
    pub s: u64,
    /// New value of register Q, for operations that name one.
    pub q: u64,
    /// Results of a comparison: new values of the condition code that it names and of the next one.
    pub conditions: [bool; 2],
    /// Flags that the operation raises. If V (invalid) is raised, no others remain but E.
    pub flags: Flags,
}

impl LaneResult {
    #[inline]
    fn d(d: u64) -> Self {
        Self { d, ..Self::default() }
    }

    #[inline]
    fn ds((d, s): (u64, u64)) -> Self {
        Self { d, s, ..Self::default() }
    }

    #[inline]
    fn dq((d, q): (u64, u64)) -> Self {
        Self { d, q, ..Self::default() }
    }
}

/// Computes a float operation in the rounding mode of the section.
#[inline]
fn float(x: &Lane, body: impl FnOnce(&mut Fpu) -> LaneResult) -> LaneResult {
    with_flags(Fpu::new(x.rounding), body)
}

/// Computes an operation whose results do not depend on the rounding mode.
#[inline]
fn modeless(body: impl FnOnce(&mut Fpu) -> LaneResult) -> LaneResult {
    with_flags(Fpu::new(Rounding::Nearest), body)
}

#[inline]
fn with_flags(mut unit: Fpu, body: impl FnOnce(&mut Fpu) -> LaneResult) -> LaneResult {
    let outcome = body(&mut unit);
    LaneResult { flags: unit.flags(), ..outcome }
}

/// Computes an elementary function from one half of S to one half of D.
fn function(inst: &Inst<Arith>, x: &Lane, f: fn(&mut Fpu, u32) -> u32) -> LaneResult {
    let [to, from, ..] = inst.values;
    modeless(|u| LaneResult::d(with_half(x.d, to, f(u, half(x.s, from)))))
}

/// Computes an elementary function from one half of S to one half of D, where the other half of S is looked at too, for flags
/// alone. [L] 4.4
fn function_of_both(inst: &Inst<Arith>, x: &Lane, f: fn(&mut Fpu, u32) -> u32) -> LaneResult {
    let [to, from, ..] = inst.values;
    modeless(|u| {
        u.look_at(half(x.s, from ^ 1));
        LaneResult::d(with_half(x.d, to, f(u, half(x.s, from))))
    })
}

/// Computes an arithmetic operation in one section. For `nop`, and for `mfc`, `mtc` and `amtsa`, whose work engines do,
/// all results are 0.
pub fn execute(inst: &Inst<Arith>, x: &Lane) -> LaneResult {
    use Arith::*;
    let &Lane { d, s, t, .. } = x;
    match inst.op {
        Nop | Mfc | Mtc | Amtsa => LaneResult::default(),
        C => {
            let conditions = inst.comparison().map(|c| compare::compare(c, s, t));
            let conditions = conditions.unwrap_or_default();
            LaneResult { conditions, ..LaneResult::default() }
        }
        Clear => LaneResult::default(),
        Copy => LaneResult::d(s),
        Swap64 => LaneResult::ds((s, d)),
        Section => LaneResult::d(x.section.into()),
        Getcoeff => LaneResult::d(x.coefficient),

        Cadd | Csub | Caddsub | Cneg | Cconj | Cmul | Cmadd | Cmsub | Cmuli | Cmulni | Chmul
        | Chmadd | Chmsub | Cbutterfly | Cbutterfly2 | Psadd | Pssub | Psaddsub | Psneg | Psabs
        | Psmul | Psmadd | Psmsub | Pscopysign | Mvmul | Mtvmul | Mvmadd | Mtvmadd | Mvmsub
        | Mtvmsub => float(x, |f| {
            let operands = Operands { d, s, t, s_next: x.s_next, coefficient: x.coefficient };
            let Values { d, s, q } = composed(inst.op, f, operands);
            LaneResult { d, s, q, ..LaneResult::default() }
        }),

        Psgetexp => float(x, |f| LaneResult::d(pair::exponents(f, s))),
        Psgetman => float(x, |f| LaneResult::d(pair::significands(f, s))),
        Psscale => float(x, |f| LaneResult::d(pair::scale(f, s, t))),
        Pwtops => float(x, |f| LaneResult::d(pair::from_ints(f, s))),
        Pstopw => float(x, |f| LaneResult::d(pair::to_ints(f, s))),
        Unpck16wstops => float(x, |f| LaneResult::ds(pair::unpack16(f, t))),

        Mtrans => LaneResult::dq(matrix::transposed((s, t))),
        Qsdot => float(x, |f| {
            let sum = matrix::dot4(f, (s, x.s_next), (t, x.t_next));
            LaneResult::d(with_half(d, inst.values[3], sum))
        }),

        Li3 | Li2 | Li1 | Li0 | Swaphl | Add | Sub | Abs | Neg | Addi | Subi | Inci | Deci
        | And | Or | Xor | Not | Lshift | Lshifti | Ashift | Ashifti | Split8 | Split16
        | Split32 | Extsign8h | Extsign8w | Extsign16w | Join8 | Join16 | Join32 => {
            LaneResult::d(integer(inst, x))
        }

        Recip => function_of_both(inst, x, elementary::recip),
        Sinc => function_of_both(inst, x, elementary::sinc),
        Atanc => function(inst, x, elementary::atanc),
        Log2c => function(inst, x, elementary::log2c),
        Exp2 => function(inst, x, elementary::exp2),
        Rsqrt => function(inst, x, elementary::rsqrt),
        Rrcossin => float(x, |f| LaneResult::d(reduction::cosine_sine(f, s))),
        Rrsin => modeless(|f| LaneResult::d(word::each(s, |a| reduction::sine(f, a)))),
        Rrcos => float(x, |f| LaneResult::d(word::each(s, |a| reduction::cosine(f, a)))),
        Rrlog2 => modeless(|f| LaneResult::dq(reduction::logarithm(f, s))),
    }
}

/// Returns the new D of an operation on integers, which gives nothing else; 0 for the others.
#[inline]
fn integer(inst: &Inst<Arith>, x: &Lane) -> u64 {
    use Arith as A;
    let &Lane { d, s, t, .. } = x;
    let [_, v1, v2, ..] = inst.values;
    match inst.op {
        A::Li3 => int::with_quarter(d, 3, v1),
        A::Li2 => int::with_quarter(d, 2, v1),
        A::Li1 => int::with_quarter(d, 1, v1),
        A::Li0 => int::with_quarter(d, 0, v1),
        A::Swaphl => int::swap_halves(s),
        A::Add => int::add(s, t),
        A::Sub => int::sub(s, t),
        A::Abs => int::abs(s),
        A::Neg => int::neg(s),
        A::Addi => int::add(s, int::splat(v2)),
        A::Subi => int::sub(s, int::splat(v2)),
        A::Inci => int::add(d, int::splat(v1)),
        A::Deci => int::sub(d, int::splat(v1)),
        A::And => s & t,
        A::Or => s | t,
        A::Xor => s ^ t,
        A::Not => !s,
        A::Lshift => int::shift_logical(s, int::amount(t)),
        A::Lshifti => int::shift_logical(s, v2),
        A::Ashift => int::shift_arithmetic(s, int::amount(t)),
        A::Ashifti => int::shift_arithmetic(s, v2),
        A::Split8 => int::split8(s),
        A::Split16 => int::split16(s),
        A::Split32 => int::split32(s),
        A::Extsign8h => int::extend_bytes_in_quarters(d),
        A::Extsign8w => int::extend_bytes(d),
        A::Extsign16w => int::extend_quarters(d),
        A::Join8 => int::join8(d, s),
        A::Join16 => int::join16(d, s),
        A::Join32 => int::join32(d, s),
        _ => 0,
    }
}
