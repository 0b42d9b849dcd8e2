//! Undefined bits of the results of arithmetic operations: those that depend on operands that are undefined in part.
//! Masks are by quarter and section; every operation has its rule, so that a new one does not compile without.

use super::mask::{self, EVERYWHERE, HI, LO, Mask};
use cp2_emu::state::Quad;
use cp2_isa::{Arith, Halves, Inst};

/// The undefined bits of the registers that an operation names, and the values of two of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands<'a> {
    pub(super) d: Mask,
    /// Register S and the next one.
    pub(super) s: [Mask; 2],
    /// Register T and the next one.
    pub(super) t: [Mask; 2],
    /// Whether S and T are one register.
    pub(super) is_same: bool,
    /// Whether the angle of the coefficient is undefined.
    pub(super) angle: bool,
    /// Sections in which FCCR comes from undefined values.
    pub(super) conditions: u8,
    pub(super) values: [&'a Quad; 2],
}

/// Undefined bits of the results of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) d: Mask,
    pub(super) s: Mask,
    pub(super) q: Mask,
    /// Sections in which the condition codes of a comparison are undefined.
    pub(super) codes: [u8; 2],
}

fn d(d: Mask) -> Outcome {
    Outcome { d, ..Outcome::default() }
}

/// Returns the bits of a mask in these halves.
fn half(mask: Mask, half: Halves) -> Mask {
    mask & mask::of_halves(half)
}

/// Returns the sections in which something is undefined, as the halves `to`.
fn sections_as(mask: Mask, to: Halves) -> Mask {
    mask::by_section(mask) & mask::of_halves(to)
}

/// Returns the bits that an operation leaves undefined.
#[expect(
    clippy::too_many_lines,
    reason = "one row for every operation: apart, a new operation would compile without its row"
)]
pub(super) fn outcome(inst: &Inst<Arith>, o: &Operands<'_>) -> Outcome {
    let ([s, s1], [t, t1]) = (o.s, o.t);
    let immediate = inst.values[2];
    let whole = mask::by_section;
    let angle = if o.angle { mask::ALL } else { 0 };
    match inst.op {
        Arith::Nop | Arith::Clear | Arith::Section => Outcome::default(),
        Arith::C => comparison(inst, s, t),
        Arith::Copy => d(s),
        Arith::Swaphl => d(mask::swapped(s)),
        Arith::Swap64 => Outcome { d: s, s: o.d, ..Outcome::default() },
        Arith::Li3 => d(o.d & !mask::quarter(3)),
        Arith::Li2 => d(o.d & !mask::quarter(2)),
        Arith::Li1 => d(o.d & !mask::quarter(1)),
        Arith::Li0 => d(o.d & !mask::quarter(0)),
        Arith::Mfc => d(mask::of_sections(o.conditions) & LO),
        // The control register is told apart.
        Arith::Mtc | Arith::Amtsa => Outcome::default(),
        Arith::Cadd | Arith::Csub | Arith::Psadd | Arith::Pssub | Arith::Psmul => {
            d(mask::by_half(s | t))
        }
        Arith::Cmul | Arith::Chmul => d(whole(s | t)),
        Arith::Cmuli | Arith::Cmulni => d(whole(s)),
        Arith::Caddsub | Arith::Psaddsub => {
            let both = mask::by_half(s | t);
            Outcome { d: both, q: both, ..Outcome::default() }
        }
        Arith::Cneg | Arith::Psneg | Arith::Psabs | Arith::Cconj => d(mask::by_half(s)),
        Arith::Cmadd | Arith::Cmsub | Arith::Chmadd | Arith::Chmsub => {
            d(mask::by_half(o.d) | whole(s | t))
        }
        Arith::Psmadd | Arith::Psmsub => d(mask::by_half(o.d | s | t)),
        Arith::Cbutterfly => butterfly(o.d, whole(s) | angle),
        Arith::Cbutterfly2 => butterfly(o.d, whole(s | t)),
        Arith::Mvmul
        | Arith::Mtvmul
        | Arith::Mvmadd
        | Arith::Mtvmadd
        | Arith::Mvmsub
        | Arith::Mtvmsub => matrix(inst.op, o),
        Arith::Mtrans => Outcome {
            d: s & HI | mask::swapped(t & HI),
            q: mask::swapped(s & LO) | t & LO,
            ..Outcome::default()
        },
        Arith::Qsdot => {
            let mode = inst.values[inst.op.row().operands.len() - 1];
            let to = Halves::named(mode);
            d(half(o.d, to.complement()) | sections_as(s | s1 | t | t1, to))
        }
        Arith::Psgetexp | Arith::Psgetman | Arith::Pwtops | Arith::Pstopw => d(mask::by_half(s)),
        Arith::Pscopysign | Arith::Psscale => d(mask::by_half(s | t)),
        Arith::Getcoeff => d(angle),
        Arith::Add => d(mask::by_half(s | t)),
        Arith::Sub if o.is_same => Outcome::default(),
        Arith::Sub => d(mask::by_half(s | t)),
        Arith::Abs | Arith::Neg | Arith::Addi | Arith::Subi => d(mask::by_half(s)),
        Arith::Inci | Arith::Deci => d(mask::by_half(o.d)),
        Arith::And => d(masked(o, 0)),
        Arith::Or => d(masked(o, u16::MAX)),
        Arith::Xor if o.is_same => Outcome::default(),
        Arith::Xor => d(s | t),
        Arith::Not => d(s),
        Arith::Lshift | Arith::Ashift => d(mask::by_half(s) | whole(t & LO)),
        Arith::Lshifti => d(mask::shifted(s, immediate, false)),
        Arith::Ashifti => d(mask::shifted(s, immediate, true)),
        Arith::Split8 => d(mask::low_quarter_decides(s)),
        Arith::Split16 => d(mask::high_quarter_decides(s)),
        Arith::Split32 => d(mask::swapped(s & HI)),
        Arith::Extsign8h => d(o.d),
        Arith::Extsign8w | Arith::Extsign16w => d(mask::low_quarter_decides(o.d)),
        Arith::Join8 => d(mask::low_quarters(o.d | s)),
        Arith::Join16 => d(mask::joined(o.d, s)),
        Arith::Join32 => d(o.d & LO | mask::swapped(s & LO)),
        Arith::Unpck16wstops => {
            Outcome { d: unpacked(t, [2, 3]), s: unpacked(t, [0, 1]), ..Outcome::default() }
        }
        Arith::Recip | Arith::Sinc | Arith::Atanc | Arith::Log2c | Arith::Exp2 | Arith::Rsqrt => {
            d(function(inst, s))
        }
        Arith::Rrcossin => d(mask::by_half(mask::low_in_both(s))),
        Arith::Rrsin | Arith::Rrcos => d(mask::by_half(s)),
        Arith::Rrlog2 => {
            let s = mask::by_half(s);
            Outcome { d: s, q: s, ..Outcome::default() }
        }
    }
}

/// Returns the outcome of a butterfly: both the sum and the difference depend on the product.
fn butterfly(first: Mask, product: Mask) -> Outcome {
    let both = mask::by_half(first) | product;
    Outcome { d: both, s: both, ..Outcome::default() }
}

/// Returns the undefined bits of `and` or `or`: a quarter that is defined and has the pattern `deciding` decides the
/// result, whatever the other operand is there.
fn masked(o: &Operands<'_>, deciding: u16) -> Mask {
    let [s, t] = [o.s[0], o.t[0]];
    let [by_s, by_t] = o.values.map(|value| mask::quarters_with(value, deciding));
    (s | t) & !(by_s & !s) & !(by_t & !t)
}

/// Returns two quarters of T as whole halves, the first as the low one.
fn unpacked(t: Mask, [low, high]: [u32; 2]) -> Mask {
    mask::quarter_as_half(t, low, Halves::LO) | mask::quarter_as_half(t, high, Halves::HI)
}

/// Returns the outcome of products of a matrix of two rows by a vector.
fn matrix(op: Arith, o: &Operands<'_>) -> Outcome {
    let ([first, next], [vector, _]) = (o.s, o.t);
    let in_high = |mask| sections_as(mask, Halves::HI);
    let in_low = |mask| sections_as(mask, Halves::LO);
    // Transposed: the halves of the rows are the columns.
    let columns = |a: Mask, b: Mask| {
        in_high(a & HI | vector & HI | b & HI | vector & LO)
            | in_low(a & LO | vector & HI | b & LO | vector & LO)
    };
    let rows = |a: Mask, b: Mask| in_high(a | vector) | in_low(b | vector);
    let kept = mask::by_half(o.d);
    match op {
        Arith::Mvmul => Outcome { q: rows(first, o.d), ..Outcome::default() },
        Arith::Mtvmul => Outcome { q: columns(first, o.d), ..Outcome::default() },
        Arith::Mtvmadd | Arith::Mtvmsub => d(kept | columns(first, next)),
        _ => d(kept | rows(first, next)),
    }
}

/// Returns the undefined bits of a function from one half of S to one half of D, whose other half is not written.
fn function(inst: &Inst<Arith>, s: Mask) -> Mask {
    let [to, from] = [inst.values[0], inst.values[1]].map(Halves::named);
    let found = half(mask::by_half(s), from);
    if to == from { found } else { mask::swapped(found) }
}

/// Returns the sections in which a comparison sets its codes from undefined values.
fn comparison(inst: &Inst<Arith>, s: Mask, t: Mask) -> Outcome {
    let Some(comparison) = inst.comparison() else { return Outcome::default() };
    // The relation that always holds looks at nothing.
    let all = if comparison.relation == 0 { 0 } else { s | t };
    let low = mask::sections(all & LO) & EVERYWHERE;
    let high = mask::sections(all & HI) & EVERYWHERE;
    Outcome { codes: [low, high], ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(op: Arith, values: &[i32], [d, s, t]: [Mask; 3]) -> Outcome {
        of_pairs(op, values, d, [[s, 0], [t, 0]])
    }

    /// Returns the outcome where S, T and the registers behind them are undefined in part.
    fn of_pairs(op: Arith, values: &[i32], d: Mask, [s, t]: [[Mask; 2]; 2]) -> Outcome {
        let zeros = [0; 4];
        let operands = Operands {
            d,
            s,
            t,
            is_same: false,
            angle: false,
            conditions: 0,
            values: [&zeros, &zeros],
        };
        outcome(&Inst::new(op, values), &operands)
    }

    #[test]
    fn pairwise_operations_keep_halves_apart_and_products_do_not() {
        // The low half of section 1.
        let low = 0x0030;
        assert_eq!(of(Arith::Psadd, &[1, 2, 3], [0, low, 0]).d, low);
        assert_eq!(of(Arith::Cmul, &[1, 2, 3], [0, low, 0]).d, 0x00f0);
        assert_eq!(of(Arith::Cmadd, &[1, 2, 3], [low, 0, 0]).d, low);
        assert_eq!(of(Arith::Swaphl, &[1, 2], [0, low, 0]).d, 0x00c0);
        assert_eq!(of(Arith::Join32, &[1, 2], [0x00f0, 0, 0]).d, low);
    }

    #[test]
    fn a_register_is_filled_by_parts() {
        let filled = [Arith::Li3, Arith::Li2, Arith::Li1, Arith::Li0]
            .into_iter()
            .fold(mask::ALL, |d, op| of(op, &[1, 7], [d, 0, 0]).d);
        assert_eq!(filled, 0);
        assert_eq!(of(Arith::Join16, &[1, 2], [0x0002, 0, 0]).d, 0);
    }

    /// A zero of a mask decides; the test's other operand is 0 everywhere, and defined.
    #[test]
    fn masks_hide_what_is_undefined() {
        assert_eq!(of(Arith::And, &[1, 2, 3], [0, mask::ALL, 0]).d, 0);
        assert_eq!(of(Arith::Or, &[1, 2, 3], [0, mask::ALL, 0]).d, mask::ALL);
    }

    #[test]
    fn operands_that_are_undefined_in_one_place_do_not_cancel() {
        // Section 1: a quarter, its half, the low half, all.
        let (quarter, half, all) = (0x0020, 0x0030, 0x00f0);
        assert_eq!(of(Arith::And, &[1, 2, 3], [0, quarter, quarter]).d, quarter);
        assert_eq!(of(Arith::Lshift, &[1, 2, 3], [0, quarter, quarter]).d, all);
        for (s, t) in [([0, 0], [half, half]), ([half, half], [0, 0]), ([half, 0], [0, half])] {
            assert_eq!(of_pairs(Arith::Qsdot, &[1, 2, 4, 0], 0, [s, t]).d, half, "{s:x?} {t:x?}");
        }
    }

    #[test]
    fn a_half_that_is_not_written_stays_as_it_was() {
        let (low, high) = (0x0030, 0x00c0);
        assert_eq!(of(Arith::Recip, &[0, 0, 1, 2], [0, 0, 0]).d, 0);
        assert_eq!(of_pairs(Arith::Qsdot, &[1, 2, 4, 0], high, [[0; 2]; 2]).d, high);
        assert_eq!(of_pairs(Arith::Qsdot, &[1, 2, 4, 1], low, [[0; 2]; 2]).d, low);
        assert_eq!(of_pairs(Arith::Qsdot, &[1, 2, 4, 0], low, [[0; 2]; 2]).d, 0);
    }

    /// A row of a matrix is a register, its columns are the halves of both.
    #[test]
    fn products_by_a_matrix_join_a_row_or_a_column_with_the_vector() {
        let (low, high, all) = (0x0030, 0x00c0, 0x00f0);
        for (d, rows, vector, by_rows, by_columns) in [
            (0, [0, 0], 0, 0, 0),
            (low, [0, 0], 0, low, low),
            (0, [low, 0], 0, high, low),
            (0, [0, low], 0, low, low),
            (0, [high, 0], 0, high, high),
            (0, [0, high], 0, low, high),
            (0, [low, low], 0, all, low),
            (0, [0, 0], low, all, all),
            (0, [0, 0], high, all, all),
            (0, [0, low], low, all, all),
            (high, [low, 0], low, all, all),
            (all, [all, all], all, all, all),
        ] {
            let of = |op| of_pairs(op, &[1, 2, 4], d, [rows, [vector, 0]]).d;
            let case = format!("{d:x} {rows:x?} {vector:x}");
            assert_eq!([Arith::Mvmadd, Arith::Mvmsub].map(of), [by_rows; 2], "{case}");
            assert_eq!([Arith::Mtvmadd, Arith::Mtvmsub].map(of), [by_columns; 2], "{case}");
        }
    }

    #[test]
    fn comparisons_look_at_what_their_format_compares() {
        let inst = |values: &[i32]| of(Arith::C, values, [0, 0x0003, 0]);
        // relation, format, code, S, T
        assert_eq!(inst(&[2, 2, 1, 2, 3]).codes, [1, 0]);
        assert_eq!(inst(&[0, 2, 1, 2, 3]).codes, [0, 0]);
    }
}
