//! Operations that are composed of sums, products and signs: the steps of each, written once for every unit of
//! floating-point arithmetic.

use super::unit::FloatUnit;
use super::{complex, matrix, pair};
use cp2_isa::Arith;

/// Operands of an operation that [`composed`] computes. `W` is the word type of its unit ([`FloatUnit::Word`]): the
/// register of one section, or of all sections at once. Operands that the operation does not have are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Operands<W> {
    /// Register D before the operation, for operations that read it as well.
    pub d: W,
    /// Register S: two single-precision numbers.
    pub s: W,
    /// Register T: two single-precision numbers.
    pub t: W,
    /// Register whose number follows that of S, for operations that read a pair.
    pub s_next: W,
    /// Fourier coefficient at the angle in RIND: cosine in the high half, sine in the low half.
    pub coefficient: W,
}

/// Results of an operation that [`composed`] computes: new values of registers. `W` is the word type of its unit
/// ([`FloatUnit::Word`]). Those that the operation does not write are zero.
#[derive(Clone, Copy, Debug)]
pub struct Values<W> {
    /// New value of register D.
    pub d: W,
    /// New value of register S, for operations that write S besides D.
    pub s: W,
    /// New value of register Q, for operations that name one.
    pub q: W,
}

/// Returns whether an operation consists of sums, products and signs, so that [`composed`] computes it.
pub const fn is_composed(op: Arith) -> bool {
    use Arith as A;
    matches!(
        op,
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
            | A::Mtvmsub
    )
}

/// Computes an operation step by step on a unit of floating-point arithmetic, which rounds and raises flags. For
/// operations that do not consist of sums, products and signs all results are zero.
#[inline(always)]
pub fn composed<U: FloatUnit>(op: Arith, u: &mut U, x: Operands<U::Word>) -> Values<U::Word> {
    use Arith as A;
    let Operands { d, s, t, s_next, coefficient } = x;
    let (rows, s2) = ((s, d), (s, s_next));
    let zero = U::join(U::constant(0), U::constant(0));
    let none = Values { d: zero, s: zero, q: zero };
    let only_d = |d| Values { d, ..none };
    let only_q = |q| Values { q, ..none };
    let d_and_s = |(d, s)| Values { d, s, ..none };
    let d_and_q = |(d, q)| Values { d, q, ..none };
    match op {
        A::Cadd | A::Psadd => only_d(pair::add(u, s, t)),
        A::Csub | A::Pssub => only_d(pair::sub(u, s, t)),
        A::Caddsub | A::Psaddsub => d_and_q(pair::addsub(u, s, t)),
        A::Cneg | A::Psneg => only_d(pair::neg(u, s)),
        A::Psabs => only_d(pair::abs(u, s)),
        A::Psmul => only_d(pair::mul(u, s, t)),
        A::Psmadd => only_d(pair::mul_add(u, d, s, t)),
        A::Psmsub => only_d(pair::mul_sub(u, d, s, t)),
        A::Pscopysign => only_d(pair::copysign(u, s, t)),

        A::Cconj => only_d(complex::conj(u, s)),
        A::Cmul => only_d(complex::mul(u, s, t)),
        A::Cmadd => only_d(complex::mul_add(u, d, s, t)),
        A::Cmsub => only_d(complex::mul_sub(u, d, s, t)),
        A::Cmuli => only_d(complex::mul(u, s, complex::imaginary::<U>())),
        A::Cmulni => only_d(complex::mul(u, s, complex::flip::<U>(complex::imaginary::<U>()))),
        A::Chmul => only_d(complex::mul(u, s, complex::flip::<U>(t))),
        A::Chmadd => only_d(complex::mul_add(u, d, s, complex::flip::<U>(t))),
        A::Chmsub => only_d(complex::mul_sub(u, d, s, complex::flip::<U>(t))),
        A::Cbutterfly => d_and_s(complex::butterfly(u, d, s, coefficient)),
        A::Cbutterfly2 => d_and_s(complex::butterfly(u, d, s, t)),

        A::Mvmul => only_q(matrix::mul(u, rows, t)),
        A::Mtvmul => only_q(matrix::mul(u, matrix::columns::<U>(rows), t)),
        A::Mvmadd => only_d(matrix::mul_add(u, d, s2, t)),
        A::Mtvmadd => only_d(matrix::mul_add(u, d, matrix::columns::<U>(s2), t)),
        A::Mvmsub => only_d(matrix::mul_sub(u, d, s2, t)),
        A::Mtvmsub => only_d(matrix::mul_sub(u, d, matrix::columns::<U>(s2), t)),
        _ => none,
    }
}
