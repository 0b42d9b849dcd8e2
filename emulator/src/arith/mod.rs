//! What the arithmetic operations compute in one section. When values are read and written, and
//! predicates, are the engine's business; no cycle appears here.

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
pub use composed::{Operands, Values, composed};
pub use cp2_isa::rules::flags::Flags;
pub use cp2_isa::rules::rounding::Rounding;
pub use unit::Unit;

use cp2_isa::{Arith, Inst};
use float::Fpu;
use integer as int;
use word::{half, with_half};

/// What an operation sees in one section. Operands that it lacks are not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Register D before the operation.
    pub d: u64,
    /// Register S.
    pub s: u64,
    /// Register T.
    pub t: u64,
    /// The register after S.
    pub s_next: u64,
    /// The register after T.
    pub t_next: u64,
    /// Coefficient at RIND.
    pub coefficient: u64,
    /// Section number.
    pub section: u8,
    /// Rounding mode.
    pub rounding: Rounding,
}

/// What an operation produces in one section. Which registers it writes, the table tells; the
/// values of the others mean nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// New D. For an operation that writes one half, only that half counts.
    pub d: u64,
    /// New S.
    pub s: u64,
    /// New Q.
    pub q: u64,
    /// Results of a comparison, for cc1 and cc1 + 1.
    pub conditions: [bool; 2],
    /// Exceptions, already reduced by the rule that V leaves only V and E.
    pub flags: Flags,
}

impl Outcome {
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

/// A float operation in the rounding mode of the section.
#[inline]
fn float(x: &Lane, body: impl FnOnce(&mut Fpu) -> Outcome) -> Outcome {
    with_flags(Fpu::new(x.rounding), body)
}

/// An operation whose results do not depend on the mode.
#[inline]
fn modeless(body: impl FnOnce(&mut Fpu) -> Outcome) -> Outcome {
    with_flags(Fpu::new(Rounding::Nearest), body)
}

#[inline]
fn with_flags(mut unit: Fpu, body: impl FnOnce(&mut Fpu) -> Outcome) -> Outcome {
    let outcome = body(&mut unit);
    Outcome { flags: unit.flags(), ..outcome }
}

/// An elementary function from one half of S to one half of D.
fn function(inst: &Inst<Arith>, x: &Lane, f: fn(&mut Fpu, u32) -> u32) -> Outcome {
    let [to, from, ..] = inst.values;
    modeless(|u| Outcome::d(with_half(x.d, to, f(u, half(x.s, from)))))
}

/// The same of an operation that also looks at the other half of S, for flags alone. [L] 4.4
fn function_of_both(inst: &Inst<Arith>, x: &Lane, f: fn(&mut Fpu, u32) -> u32) -> Outcome {
    let [to, from, ..] = inst.values;
    modeless(|u| {
        u.look_at(half(x.s, from ^ 1));
        Outcome::d(with_half(x.d, to, f(u, half(x.s, from))))
    })
}

/// Executes an operation in one section. `mfc` and `mtc` belong to the engine and produce nothing.
pub fn execute(inst: &Inst<Arith>, x: &Lane) -> Outcome {
    use Arith as A;
    let &Lane { d, s, t, .. } = x;
    let (s2, t2) = ((s, x.s_next), (t, x.t_next));
    let [_, v1, v2, v3, ..] = inst.values;
    match inst.op {
        A::Nop | A::Mfc | A::Mtc | A::Amtsa => Outcome::default(),
        A::C => {
            let conditions = inst.comparison().map(|c| compare::compare(c, s, t));
            let conditions = conditions.unwrap_or_default();
            Outcome { conditions, ..Outcome::default() }
        }
        A::Clear => Outcome::default(),
        A::Copy => Outcome::d(s),
        A::Swaphl => Outcome::d(int::swap_halves(s)),
        A::Swap64 => Outcome::ds((s, d)),
        A::Section => Outcome::d(u64::from(x.section)),
        A::Li3 => Outcome::d(int::with_quarter(d, 3, v1)),
        A::Li2 => Outcome::d(int::with_quarter(d, 2, v1)),
        A::Li1 => Outcome::d(int::with_quarter(d, 1, v1)),
        A::Li0 => Outcome::d(int::with_quarter(d, 0, v1)),
        A::Getcoeff => Outcome::d(x.coefficient),

        A::Cadd
        | A::Csub
        | A::Caddsub
        | A::Cneg
        | A::Cconj
        | A::Cmul
        | A::Cmadd
        | A::Cmsub
        | A::Cmuli
        | A::Cmulni
        | A::Chmul
        | A::Chmadd
        | A::Chmsub
        | A::Cbutterfly
        | A::Cbutterfly2
        | A::Psadd
        | A::Pssub
        | A::Psaddsub
        | A::Psneg
        | A::Psabs
        | A::Psmul
        | A::Psmadd
        | A::Psmsub
        | A::Pscopysign
        | A::Mvmul
        | A::Mtvmul
        | A::Mvmadd
        | A::Mtvmadd
        | A::Mvmsub
        | A::Mtvmsub => float(x, |f| {
            let operands = Operands { d, s, t, s_next: x.s_next, coefficient: x.coefficient };
            let Values { d, s, q } = composed(inst.op, f, operands);
            Outcome { d, s, q, ..Outcome::default() }
        }),

        A::Psgetexp => float(x, |f| Outcome::d(pair::exponents(f, s))),
        A::Psgetman => float(x, |f| Outcome::d(pair::significands(f, s))),
        A::Psscale => float(x, |f| Outcome::d(pair::scale(f, s, t))),
        A::Pwtops => float(x, |f| Outcome::d(pair::from_ints(f, s))),
        A::Pstopw => float(x, |f| Outcome::d(pair::to_ints(f, s))),
        A::Unpck16wstops => float(x, |f| Outcome::ds(pair::unpack16(f, t))),

        A::Mtrans => Outcome::dq(matrix::transposed((s, t))),
        A::Qsdot => float(x, |f| Outcome::d(with_half(d, v3, matrix::dot4(f, s2, t2)))),

        A::Add => Outcome::d(int::add(s, t)),
        A::Sub => Outcome::d(int::sub(s, t)),
        A::Abs => Outcome::d(int::abs(s)),
        A::Neg => Outcome::d(int::neg(s)),
        A::Addi => Outcome::d(int::add(s, int::splat(v2))),
        A::Subi => Outcome::d(int::sub(s, int::splat(v2))),
        A::Inci => Outcome::d(int::add(d, int::splat(v1))),
        A::Deci => Outcome::d(int::sub(d, int::splat(v1))),
        A::And => Outcome::d(s & t),
        A::Or => Outcome::d(s | t),
        A::Xor => Outcome::d(s ^ t),
        A::Not => Outcome::d(!s),
        A::Lshift => Outcome::d(int::shift_logical(s, int::amount(t))),
        A::Lshifti => Outcome::d(int::shift_logical(s, v2)),
        A::Ashift => Outcome::d(int::shift_arithmetic(s, int::amount(t))),
        A::Ashifti => Outcome::d(int::shift_arithmetic(s, v2)),
        A::Split8 => Outcome::d(int::split8(s)),
        A::Split16 => Outcome::d(int::split16(s)),
        A::Split32 => Outcome::d(int::split32(s)),
        A::Extsign8h => Outcome::d(int::extend_bytes_in_quarters(d)),
        A::Extsign8w => Outcome::d(int::extend_bytes(d)),
        A::Extsign16w => Outcome::d(int::extend_quarters(d)),
        A::Join8 => Outcome::d(int::join8(d, s)),
        A::Join16 => Outcome::d(int::join16(d, s)),
        A::Join32 => Outcome::d(int::join32(d, s)),

        A::Recip => function_of_both(inst, x, elementary::recip),
        A::Sinc => function_of_both(inst, x, elementary::sinc),
        A::Atanc => function(inst, x, elementary::atanc),
        A::Log2c => function(inst, x, elementary::log2c),
        A::Exp2 => function(inst, x, elementary::exp2),
        A::Rsqrt => function(inst, x, elementary::rsqrt),
        A::Rrcossin => float(x, |f| Outcome::d(reduction::cosine_sine(f, s))),
        A::Rrsin => modeless(|f| Outcome::d(word::each(s, |a| reduction::sine(f, a)))),
        A::Rrcos => float(x, |f| Outcome::d(word::each(s, |a| reduction::cosine(f, a)))),
        A::Rrlog2 => modeless(|f| Outcome::dq(reduction::logarithm(f, s))),
    }
}
