//! Random operands of the kernels.

use super::{Operands, StarKernel};
use cp2_kernels::star::{ColumnProcedure, ColumnRequest, SliceLayout};
use cp2_reference::star as reference;
use cp2_session::random::split_mix_64;

/// Returns random operands. Of a matrix that is closed, one bit in 256 is set, so that a part of the closure is.
pub(super) fn operands(kernel: StarKernel, (rows, columns): (usize, usize), seed: u64) -> Operands {
    let mut state = seed;
    let is_sparse = matches!(kernel, StarKernel::Closure(_));
    let mut slice = || {
        let bits: Vec<bool> = (0..rows)
            .map(|_| match is_sparse {
                true => split_mix_64(&mut state).is_multiple_of(256),
                false => split_mix_64(&mut state).is_multiple_of(2),
            })
            .collect();
        reference::slice(rows, |row| bits[row])
    };
    let mut table = || (0..columns).map(|_| slice()).collect::<Vec<_>>();
    let (table, other) = (table(), if is_sparse { Vec::new() } else { table() });
    let x = match kernel {
        // The procedure has no control slice: it looks at all rows.
        StarKernel::Columns(ColumnProcedure::Apart, _) => reference::slice(rows, |_| true),
        _ => slice(),
    };
    let word = (0..columns).map(|_| split_mix_64(&mut state).is_multiple_of(2)).collect();
    let request = ColumnRequest { table, other, word, x };
    Operands { layout: SliceLayout::new(rows), request }
}
