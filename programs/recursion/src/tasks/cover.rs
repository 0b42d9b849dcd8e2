//! Exact covers: choices of rows that have each column exactly once.

use crate::task::{FrameFields, MOST_FIELDS, StepOutcome, Task, TaskArray, TaskFrame};
use crate::words::StepWords;
use std::fmt;

/// The number of exact covers of up to 64 columns. The lowest column that is not covered is covered next, by its rows in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactCover {
    columns: u32,
    /// Rows whose lowest column is this one, as the bits of their columns.
    by_lowest: Vec<Vec<u64>>,
}

/// A row or a number of columns for which there is no task. Rows and columns count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverError {
    /// There are no columns, or more than 64.
    Columns(usize),
    /// A row names a column that is not there, or none; row, column and columns.
    Row(usize, Option<usize>, usize),
}

impl fmt::Display for CoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns(count) => write!(f, "a cover of {count} columns; there are 1 to 64"),
            Self::Row(row, None, _) => write!(f, "row {row} has no column; give it one or more"),
            Self::Row(row, Some(column), columns) => {
                write!(f, "row {row} has column {column}; columns are 0 to {}", columns - 1)
            }
        }
    }
}

impl std::error::Error for CoverError {}

/// Places of the arrays of the task.
const BITS: [usize; 2] = [0, 1];
const FIRST: usize = 2;
const LAST: usize = 3;
const ROWS: [usize; 2] = [4, 5];

impl ExactCover {
    /// Makes the task of covering so many columns by rows, each a list of columns.
    ///
    /// # Errors
    /// There are no columns or more than 64, or a row is empty or has a column that is not there.
    pub fn new(columns: usize, rows: &[Vec<usize>]) -> Result<Self, CoverError> {
        if columns == 0 || columns > 64 {
            return Err(CoverError::Columns(columns));
        }
        let mut by_lowest = vec![Vec::new(); columns];
        for (number, row) in rows.iter().enumerate() {
            let Some(&lowest) = row.iter().min() else {
                return Err(CoverError::Row(number, None, columns));
            };
            if let Some(&column) = row.iter().find(|&&column| column >= columns) {
                return Err(CoverError::Row(number, Some(column), columns));
            }
            by_lowest[lowest].push(row.iter().fold(0, |bits, column| bits | 1_u64 << column));
        }
        Ok(Self { columns: columns as u32, by_lowest })
    }
}

/// Returns the two halves of an element, and what the frame's columns have in common with them.
fn common<W: StepWords>(
    w: &mut W,
    frame: &TaskFrame<W::Word>,
    arrays: [usize; 2],
    index: W::Word,
) -> ([W::Word; 2], W::Word) {
    let parts = arrays.map(|array| w.load(array, index));
    let both = [0, 1].map(|half| w.and(parts[half], frame.fields[half]));
    (parts, w.or(both[0], both[1]))
}

impl ExactCover {
    /// The step that looks whether a column is covered; behind the last one everything is.
    fn seek<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [_, _, column, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let is_done = w.is(column, self.columns);
        let (_, covers) = common(w, &frame, BITS, column);
        let is_covered = w.is_set(covers);
        let next = w.add(column, one);
        let mut fields = frame.fields;
        fields[2] = w.select(is_covered, next, column);
        fields[3] = w.load(FIRST, column);
        StepOutcome {
            calls: zero,
            is_last: zero,
            is_done,
            state: w.select(is_covered, zero, one),
            fields,
            arguments: [zero; MOST_FIELDS],
            value: w.and(is_done, one),
        }
    }

    /// The step that takes the next row of the column, if it covers nothing that is covered.
    fn cover<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [low, high, column, at, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let last = w.load(LAST, column);
        let is_done = w.is_equal(at, last);
        let (row, covers) = common(w, &frame, ROWS, at);
        let is_disjoint = w.is_zero(covers);
        let is_there = w.not(is_done);
        let calls = w.and(is_disjoint, is_there);
        let next = w.add(at, one);
        let is_next_last = w.is_equal(next, last);
        let mut fields = frame.fields;
        fields[3] = next;
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.or(low, row[0]);
        arguments[1] = w.or(high, row[1]);
        arguments[2] = w.add(column, one);
        StepOutcome {
            calls,
            is_last: w.and(calls, is_next_last),
            is_done,
            state: one,
            fields,
            arguments,
            value: zero,
        }
    }
}

impl Task for ExactCover {
    fn fields(&self) -> FrameFields {
        FrameFields { parameters: &["low", "high", "column"], locals: &["at"] }
    }

    fn root(&self) -> Vec<u32> {
        vec![0, 0, 0]
    }

    fn arrays(&self) -> Vec<TaskArray> {
        let array = |name, words| TaskArray { name, words, is_own: false };
        let halves = |bits: &[u64]| {
            let low = bits.iter().map(|bits| *bits as u32).collect();
            (low, bits.iter().map(|bits| (bits >> 32) as u32).collect())
        };
        let bits: Vec<u64> = (0..self.columns).map(|column| 1 << column).collect();
        let ((low, high), (row_low, row_high)) = (halves(&bits), halves(&self.by_lowest.concat()));
        let mut ends = Vec::new();
        let mut all = 0;
        for rows in &self.by_lowest {
            all += rows.len() as u32;
            ends.push(all);
        }
        let begins = std::iter::once(0).chain(ends.iter().copied()).take(ends.len()).collect();
        vec![
            array("bit, low", low),
            array("bit, high", high),
            array("first row", begins),
            array("behind the last row", ends),
            array("row, low", row_low),
            array("row, high", row_high),
        ]
    }

    fn deepest(&self) -> usize {
        self.columns as usize + 1
    }

    fn is_sum(&self) -> bool {
        true
    }

    /// The program of the control processor looks at all rows in a node, so that its cycles grow with their number; they were measured of 49 rows, 183.2 for a node.
    fn host_cycles(&self) -> Option<f64> {
        Some(3.74 * self.by_lowest.iter().map(Vec::len).sum::<usize>() as f64)
    }

    /// State 0 looks for the next column that is not covered, state 1 for a row that covers it.
    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let is_seeking = w.is_zero(frame.state);
        StepOutcome::choose(w, is_seeking, |w| self.seek(w, frame), |w| self.cover(w, frame))
    }
}
