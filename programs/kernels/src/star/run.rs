//! Runs of the kernels on CP2 alone: slices and tables to local memory, the call, results back. Slices are words of 64 rows.

use super::blocked::BlockedClosure;
use super::closure::closure_source;
use super::columns::ColumnKernel;
use super::copies::{CopyKernel, CopyProcedure};
use super::exchange::SectionExchange;
use super::find::OverRows;
use super::layout::SliceLayout;
use super::row::RowKernel;
use super::search::SearchKernel;
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// Refuses what takes more words of a section than local memory has.
fn check_memory(words: usize, core: &Core) -> Result<(), KernelError> {
    if words <= core.lmem_words() {
        return Ok(());
    }
    let limit = format!("at most {}, so take fewer rows or columns", core.lmem_words());
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
    /// Second slice of results; empty if there is none.
    pub other: Vec<u64>,
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
    check_memory(slice + kernel.result_slices() * w, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(), on)?;
    let lmem = &mut cp2.state().lmem;
    layout.write_all(lmem, &request.table);
    match kernel.is_of_word {
        true => write_word(&mut lmem[table..], &request.word),
        false => layout.write_all(&mut lmem[table..], &request.other),
    }
    layout.write(&mut lmem[x..], &request.x);
    let stats = cp2.call(entry, &[0, table, x, result, slice])?;
    let (lmem, procedure) = (&cp2.state().lmem, kernel.procedure);
    let slice = |number: usize| match number < kernel.result_slices() {
        true => layout.read(&lmem[slice + number * w..]),
        false => Vec::new(),
    };
    Ok(ColumnOutcome {
        table: if procedure.gives_table() {
            layout.read_all(&lmem[result..], columns)
        } else {
            Vec::new()
        },
        slice: slice(0),
        other: slice(1),
        cycles: stats.cycles,
    })
}

/// Writes a word for each bit: all ones or all zeros.
fn write_word(lmem: &mut [Quad], word: &[bool]) {
    let bits = word.iter().zip(lmem);
    bits.for_each(|(&bit, place)| *place = [if bit { u64::MAX } else { 0 }; 4]);
}

/// Runs a procedure that copies: of `request` it takes the table, the word, or nothing, and the control slice; returns the columns of the
/// table of results, and the cycles. What was in the place of results before is ones, so that nothing is found there by chance.
///
/// # Errors
/// The tables do not fit local memory, or the run does not end.
pub fn copy(
    kernel: CopyKernel,
    request: &ColumnRequest,
    on: &Execution,
) -> Result<(Vec<Vec<u64>>, u64), KernelError> {
    kernel.check()?;
    let (layout, w) = (kernel.layout, kernel.layout.words());
    let x = kernel.operand_words().next_multiple_of(2);
    let (result, words) = (x + w, kernel.columns * w);
    check_memory(result + words, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.procedure.name(), &kernel.source(), on)?;
    let lmem = &mut cp2.state().lmem;
    match kernel.procedure {
        CopyProcedure::Clear => {}
        CopyProcedure::Word => write_word(lmem, &request.word),
        CopyProcedure::Table => layout.write_all(lmem, &request.table),
    }
    layout.write(&mut lmem[x..], &request.x);
    lmem[result..result + words].fill([u64::MAX; 4]);
    let stats = cp2.call(entry, &[0, x, result])?;
    Ok((layout.read_all(&cp2.state().lmem[result..], kernel.columns), stats.cycles))
}

/// Addresses of a run of a row: of the word of the row in the first column, of the mask, of the row as a word, and the number of its bit
/// in a half of its word.
fn prepare_row(
    (kernel, row): (RowKernel, usize),
    table: &[Vec<u64>],
    (cp2, core): (&mut KernelRunner, &Core),
) -> Result<[usize; 4], KernelError> {
    let (layout, words) = (kernel.layout, kernel.columns * kernel.layout.words());
    check_memory(words + 2 + kernel.row_words(), core)?;
    let (section, word, bit) = layout.place(row);
    let lmem = &mut cp2.state().lmem;
    layout.write_all(lmem, table);
    lmem[words] = [0; SECTIONS];
    lmem[words][section] = 1 << bit;
    Ok([word, words, words + 2, bit % 32])
}

/// Refuses a row that a table does not have; rows count from 0.
fn check_row(kernel: RowKernel, row: usize) -> Result<(), KernelError> {
    if row < kernel.layout.rows() {
        return Ok(());
    }
    let limit = format!("less than {}, for rows count from 0", kernel.layout.rows());
    Err(KernelError::Parameter { what: "row of a table", value: row, limit })
}

/// Reads a row, which counts from 0, of a table, given as its columns; returns its bits as words of 64, the first column's in the least
/// significant bit, and the cycles.
///
/// # Errors
/// There is no such row, the table does not fit local memory, or the run does not end.
pub fn read_row(
    kernel: RowKernel,
    table: &[Vec<u64>],
    row: usize,
    on: &Execution,
) -> Result<(Vec<u64>, u64), KernelError> {
    check_row(kernel, row)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(), on)?;
    let arguments = prepare_row((kernel, row), table, (&mut cp2, &on.core))?;
    let stats = cp2.call(entry, &arguments)?;
    let words = kernel.columns.div_ceil(64);
    let result = &cp2.state().lmem[arguments[2]..][..words];
    Ok((result.iter().map(|word| word[0]).collect(), stats.cycles))
}

/// Writes a row, which counts from 0, of a table, given as its columns; returns the columns of the table that comes of it, and the cycles.
///
/// # Errors
/// There is no such row, the table does not fit local memory, or the run does not end.
pub fn write_row(
    kernel: RowKernel,
    (table, word): (&[Vec<u64>], &[bool]),
    row: usize,
    on: &Execution,
) -> Result<(Vec<Vec<u64>>, u64), KernelError> {
    check_row(kernel, row)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(), &kernel.source(), on)?;
    let [at, mask, bits, _] = prepare_row((kernel, row), table, (&mut cp2, &on.core))?;
    write_word(&mut cp2.state().lmem[bits..], word);
    let stats = cp2.call(entry, &[at, mask, bits])?;
    Ok((kernel.layout.read_all(&cp2.state().lmem, kernel.columns), stats.cycles))
}

/// Runs an operation with a result over all rows; returns the result, and the cycles.
///
/// # Errors
/// The slice does not fit local memory, or the run does not end.
pub fn over_rows(
    (kernel, way): (OverRows, SectionExchange),
    layout: SliceLayout,
    x: &[u64],
    on: &Execution,
) -> Result<(usize, u64), KernelError> {
    OverRows::check(layout)?;
    check_memory(layout.words() + 1, &on.core)?;
    let (mut cp2, entry) = KernelRunner::with(kernel.name(way), &kernel.source(layout, way), on)?;
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

    /// Returns an error of the assembler with the number of rows, on which the length of the kernels depends.
    pub fn explained(self, layout: SliceLayout, error: KernelError) -> KernelError {
        let KernelError::TooLong { available, .. } = error else { return error };
        let (rows, halves) = (layout.rows(), layout.rows().div_ceil(32));
        let limit = format!(
            "less: the code for {halves} halves of words that have pivots is longer than the {available} bundles of instruction memory; \
             star_closure has less for each, star_closure_pages the same for all"
        );
        KernelError::Parameter { what: "number of rows", value: rows, limit }
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

    /// Returns the way to run the closure of a matrix of so many rows: where no limit of cycles is given, it is the usual one, or twice the
    /// fewest cycles if that is more.
    pub fn execution(self, layout: SliceLayout, on: &Execution) -> Execution {
        let least = self.bound(layout) * (layout.rows() as f64).powi(2);
        let max_cycles = on.max_cycles.unwrap_or(Execution::MAX_CYCLES.max(2 * least as u64));
        Execution { max_cycles: Some(max_cycles), ..on.clone() }
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
    let on = &form.execution(layout, on);
    let (mut cp2, entry) = KernelRunner::with(form.name(), &form.source(layout), on)
        .map_err(|error| form.explained(layout, error))?;
    layout.write_all(&mut cp2.state().lmem, columns);
    let stats = cp2.call(entry, &[])?;
    Ok((layout.read_all(&cp2.state().lmem, columns.len()), stats.cycles))
}
