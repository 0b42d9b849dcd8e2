//! Results of the kernels against the same questions asked of every row by itself.

use super::{Results, StarKernel};
use cp2_kernels::star::{ColumnProcedure, ColumnRequest, CopyProcedure, SliceLayout};
use cp2_reference::star as reference;

/// Returns the row that is read or written: one of the last section that has rows, in the high half of its word if it is that long.
pub(super) fn row_of(layout: SliceLayout) -> usize {
    layout.rows() - 1
}

/// Returns how many rows of what was copied, or bits of a row that was read, are not those of the operands.
pub(super) fn wrong_copies(
    kernel: StarKernel,
    (rows, request): (usize, &ColumnRequest),
    results: &Results,
) -> usize {
    let word = number(&request.word);
    let table = reference::numbers(&request.table, rows);
    let of_row = row_of(SliceLayout::new(rows));
    if kernel == StarKernel::Row(false) {
        let expected = |column: usize| reference::bit(&request.table[column], of_row);
        let columns = 0..request.table.len();
        return columns
            .filter(|&column| reference::bit(&results.slice, column) != expected(column))
            .count();
    }
    let found = reference::numbers(&results.table, rows);
    let expected = |row: usize| match kernel {
        StarKernel::Copies(CopyProcedure::Word) if reference::bit(&request.x, row) => word,
        StarKernel::Copies(CopyProcedure::Word | CopyProcedure::Clear) => 0,
        StarKernel::Row(_) if row == of_row => word,
        _ => table[row],
    };
    (0..rows).filter(|&row| found[row] != expected(row)).count()
}

/// Returns the number of a word, whose first bit is the most significant.
fn number(word: &[bool]) -> u64 {
    word.iter().fold(0, |sum, &bit| sum << 1 | u64::from(bit))
}

/// Returns how many rows of a procedure's results differ from the same question asked of every row.
pub(super) fn wrong_rows(
    (procedure, is_of_word): (ColumnProcedure, bool),
    (rows, request): (usize, &ColumnRequest),
    results: &Results,
) -> usize {
    use ColumnProcedure as P;
    let modulus = 1_u64 << request.table.len();
    let word = number(&request.word);
    let table = reference::numbers(&request.table, rows);
    let other = match is_of_word {
        true => vec![word; rows],
        false => reference::numbers(&request.other, rows),
    };
    let found = reference::numbers(&results.table, rows);
    let is_wrong = |&row: &usize| {
        // A word that is merged goes into the table.
        let (t, f) = match (procedure, is_of_word) {
            (P::Merge, true) => (other[row], table[row]),
            _ => (table[row], other[row]),
        };
        let is_inside = reference::bit(&request.x, row);
        let (number, others, holds) = match procedure {
            P::Equal => (0, 0, t == f),
            P::Less => (0, 0, t < f),
            P::Greater | P::Apart => (0, 0, t > f),
            P::AddInside => ((t + f) % modulus, t, t + f >= modulus),
            P::SubtractInside => ((t + modulus - f) % modulus, t, t < f),
            P::Add => ((t + f) % modulus, 0, t + f >= modulus),
            P::Subtract => ((t + modulus - f) % modulus, 0, t < f),
            P::Merge => (t, f, false),
        };
        let number = if is_inside { number } else { others };
        let is_table_wrong = procedure.gives_table() && found[row] != number;
        let is_slice_wrong =
            procedure.has_carry() && reference::bit(&results.slice, row) != (is_inside && holds);
        let is_other_wrong =
            procedure == P::Apart && reference::bit(&results.other, row) != (is_inside && t < f);
        is_table_wrong || is_slice_wrong || is_other_wrong
    };
    (0..rows).filter(is_wrong).count()
}
