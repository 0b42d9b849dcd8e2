//! Runs of the kernels on CP2 alone: slices and tables to local memory, the call, results back. Slices are words of 64 rows.

use super::blocked::BlockedClosure;
use super::closure::closure_source;
use super::columns::ColumnKernel;
use super::find::OverRows;
use super::layout::SliceLayout;
use super::search::SearchKernel;
use cp2_isa::Core;
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// Refuses what takes more words of a section than local memory has.
fn check_memory(words: usize, core: &Core) -> Result<(), KernelError> {
    if words <= core.lmem_words() {
        return Ok(());
    }
    let limit = format!("at most {}", core.lmem_words());
    Err(KernelError::Parameter { what: "words of local memory", value: words, limit })
}

/// Runs a search on a table, given as its columns, in the rows of `x`; returns the rows that were found, and the cycles.
///
/// # Errors
/// The table does not fit local memory, has more columns than the form takes, or the run does not end.
pub fn search(
    kernel: SearchKernel,
    table: &[Vec<u64>],
    x: &[u64],
    on: &Execution,
) -> Result<(Vec<u64>, u64), KernelError> {
    kernel.check()?;
    let (layout, w) = (kernel.layout, kernel.layout.words());
    let slices = kernel.columns * w;
    check_memory(slices + 2 * w, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(), on)?;
    let lmem = &mut cp2.state().lmem;
    layout.write_all(lmem, table);
    layout.write(&mut lmem[slices..], x);
    let stats = cp2.call(entry, &[0, slices, slices + w])?;
    Ok((layout.read(&cp2.state().lmem[slices + w..]), stats.cycles))
}

/// Operands of a procedure on columns: tables as their columns, and a word, if one operand is a word, as its bits.
#[derive(Clone, Debug, Default)]
pub struct ColumnRequest {
    /// Columns of the operand that is a table in both forms.
    pub table: Vec<Vec<u64>>,
    /// Columns of the other operand; empty if that is a word.
    pub other: Vec<Vec<u64>>,
    /// Bits of the word, the first column's first.
    pub word: Vec<bool>,
    /// Control slice.
    pub x: Vec<u64>,
}

/// Results of a procedure on columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnOutcome {
    /// Columns of the table of results; empty if there is none.
    pub table: Vec<Vec<u64>>,
    /// Slice of results; empty if there is none.
    pub slice: Vec<u64>,
    /// Cycles of the run of the kernel.
    pub cycles: u64,
}

/// Runs a procedure on columns.
///
/// # Errors
/// The tables do not fit local memory, or the run does not end.
pub fn go_through(
    kernel: ColumnKernel,
    request: &ColumnRequest,
    on: &Execution,
) -> Result<ColumnOutcome, KernelError> {
    let (layout, w, columns) = (kernel.layout, kernel.layout.words(), kernel.columns);
    kernel.check()?;
    let table = columns * w;
    let x = table + kernel.second_words().next_multiple_of(2);
    let (result, slice) = (x + w, x + w + if kernel.procedure.gives_table() { table } else { 0 });
    check_memory(slice + w, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(), on)?;
    let lmem = &mut cp2.state().lmem;
    layout.write_all(lmem, &request.table);
    match kernel.is_of_word {
        true => {
            let bits = request.word.iter().zip(&mut lmem[table..]);
            bits.for_each(|(&bit, place)| *place = [if bit { u64::MAX } else { 0 }; 4]);
        }
        false => layout.write_all(&mut lmem[table..], &request.other),
    }
    layout.write(&mut lmem[x..], &request.x);
    let stats = cp2.call(entry, &[0, table, x, result, slice])?;
    let (lmem, procedure) = (&cp2.state().lmem, kernel.procedure);
    Ok(ColumnOutcome {
        table: if procedure.gives_table() {
            layout.read_all(&lmem[result..], columns)
        } else {
            Vec::new()
        },
        slice: if procedure.has_carry() { layout.read(&lmem[slice..]) } else { Vec::new() },
        cycles: stats.cycles,
    })
}

/// Runs an operation with a result over all rows; returns the result, and the cycles.
///
/// # Errors
/// The slice does not fit local memory, or the run does not end.
pub fn over_rows(
    kernel: OverRows,
    layout: SliceLayout,
    x: &[u64],
    on: &Execution,
) -> Result<(usize, u64), KernelError> {
    OverRows::check(layout)?;
    check_memory(layout.words() + 1, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(layout), on)?;
    layout.write(&mut cp2.state().lmem, x);
    let stats = cp2.call(entry, &[0, layout.words()])?;
    let results = cp2.state().lmem[layout.words()].map(|word| word as u32);
    Ok((results[0] as usize, stats.cycles))
}

/// The way to a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureForm {
    /// A pass for each pivot.
    OnePivot,
    /// A pass for each block of so many pivots, 4 or 8.
    Block(usize),
}

impl ClosureForm {
    /// Returns the name of the kernel.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnePivot => "star_closure",
            Self::Block(4) => "star_closure4",
            Self::Block(_) => "star_closure8",
        }
    }

    /// Checks that local memory and registers hold a matrix of so many rows with all else.
    ///
    /// # Errors
    /// They do not: how many words or registers, and the limit.
    pub fn check(self, layout: SliceLayout, core: &Core) -> Result<(), KernelError> {
        match self {
            Self::OnePivot => check_memory(layout.rows() * layout.words(), core),
            Self::Block(pivots) => {
                let blocked = BlockedClosure { layout, pivots };
                check_memory(blocked.memory(), core)?;
                blocked.check()
            }
        }
    }

    /// Returns the text of the kernel for matrices of so many rows.
    pub fn source(self, layout: SliceLayout) -> String {
        match self {
            Self::OnePivot => closure_source(layout),
            Self::Block(pivots) => BlockedClosure { layout, pivots }.source(),
        }
    }

    /// Returns the fewest cycles of a column for a pivot: the fuller slot of the pass over all columns.
    pub fn bound(self, layout: SliceLayout) -> f64 {
        let w = layout.words();
        match self {
            // Loads, stores, and the two operations that tell all sections of a bit; a test of it, and an `or` for each word.
            Self::OnePivot => (w + 2) as f64,
            // One load more, and a `move` to an address set; the way to the address takes three operations.
            Self::Block(pivots) => (w / 2 * 3 + 2).max(w + 3) as f64 / pivots as f64,
        }
    }
}

/// Closes a matrix, given as its columns; returns the columns of the closure, and the cycles.
///
/// # Errors
/// The matrix does not fit, or the run does not end.
pub fn close(
    form: ClosureForm,
    columns: &[Vec<u64>],
    on: &Execution,
) -> Result<(Vec<Vec<u64>>, u64), KernelError> {
    let layout = SliceLayout::new(columns.len());
    form.check(layout, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(form.name(), &form.source(layout), on)?;
    layout.write_all(&mut cp2.state().lmem, columns);
    let stats = cp2.call(entry, &[])?;
    Ok((layout.read_all(&cp2.state().lmem, columns.len()), stats.cycles))
}
