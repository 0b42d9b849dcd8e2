//! A table evaluated at an argument (elementary, section 3).

use super::Flagged;
use super::number::{Rounding, flags, float};
use super::table::Table;

/// Returns `small` at T = 0, else the quadratic of the row at T / 2^24, truncated.
pub(super) fn evaluate(table: Table, t: u32, small: u32) -> Flagged {
    assert!(t < 1 << 24);
    if t == 0 {
        return (small, flags::I);
    }
    let [c0, c1, c2] = table.rows()[(t >> 17) as usize].map(i128::from);
    let u = i128::from(t & 0x1_ffff);
    let value = (c0 << 32) + ((c1 * u) << 18) + c2 * u * u;
    let (bits, dropped) = float(value.unsigned_abs(), 58, Rounding::Zero);
    // An odd result counts as inexact, too.
    (bits, if dropped || bits & 1 == 1 { flags::I } else { 0 })
}
