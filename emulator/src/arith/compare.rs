//! Comparisons of halves of registers. Denormals are read as zero, and no flag is raised. `[L]` 4.2

use super::float::{SIGN, flushed, is_nan};
use super::word::{hi, lo};
use cp2_isa::Comparison;
use std::cmp::Ordering;

/// Returns the order of two numbers, if neither is NaN.
fn float_order(a: u32, b: u32) -> Option<Ordering> {
    let key = |x: u32| {
        let magnitude = (x & !SIGN) as i32;
        if x & SIGN == 0 { magnitude } else { -magnitude }
    };
    let (a, b) = (flushed(a), flushed(b));
    (!is_nan(a) && !is_nan(b)).then(|| key(a).cmp(&key(b)))
}

fn int_order(a: u32, b: u32) -> Option<Ordering> {
    Some((a as i32).cmp(&(b as i32)))
}

/// Whether the relation of the encoding holds.
fn holds(relation: u8, order: Option<Ordering>) -> bool {
    match relation {
        0 => true,
        1 => order.is_none(),
        2 => order == Some(Ordering::Less),
        3 => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        4 => order == Some(Ordering::Equal),
        5 => order != Some(Ordering::Equal),
        6 => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Compares two registers of a section, S with T, and returns whether the relation of the comparison holds: first of
/// the low halves, then of the high halves. The second is false for formats that compare the low halves only.
#[inline]
pub fn compare(comparison: Comparison, s: u64, t: u64) -> [bool; 2] {
    let Comparison { relation, format, .. } = comparison;
    let order = if format.is_integer() { int_order } else { float_order };
    let low = holds(relation, order(lo(s), lo(t)));
    [low, format.is_pairwise() && holds(relation, order(hi(s), hi(t)))]
}
