//! Queens on a board: placements in which no queen attacks another one.

use crate::task::{FrameFields, IdleFrame, MOST_FIELDS, StepOutcome, Task, TaskFrame};
use crate::words::StepWords;
use std::fmt;

/// The number of placements of `queens` queens on a square board, row by row. In each row leaving it empty comes first, while enough rows
/// are left, then the free columns. A word has a bit for each column, from bit 1 on; bit 0 stands for the empty row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queens {
    board: u32,
    queens: u32,
}

/// A board or a number of queens for which there is no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueensError {
    /// The board has no row, or more columns than a word has bits for.
    Board(u32),
    /// More queens than rows; rows and queens.
    Queens(u32, u32),
}

/// Most rows of a board: a word has a bit for each column and one for the empty row.
const MOST_ROWS: u32 = 30;

impl fmt::Display for QueensError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(board) => {
                write!(f, "a board of {board} rows; a board has 1 to {MOST_ROWS} rows")
            }
            Self::Queens(board, queens) => write!(
                f,
                "{queens} queens on a board of {board} rows; each row has one at most, so give 1 to {board} queens"
            ),
        }
    }
}

impl std::error::Error for QueensError {}

impl Queens {
    /// Makes the task for a board of so many rows.
    ///
    /// # Errors
    /// The board has no row or more than 30, or there is no queen, or there are more than rows.
    pub fn new(board: u32, queens: u32) -> Result<Self, QueensError> {
        match (board, queens) {
            (0, _) | (MOST_ROWS.., _) if board != MOST_ROWS => Err(QueensError::Board(board)),
            _ if queens == 0 || queens > board => Err(QueensError::Queens(board, queens)),
            _ => Ok(Self { board, queens }),
        }
    }
}

impl Queens {
    /// Bits of the columns.
    fn columns(&self) -> u32 {
        ((1 << self.board) - 1) << 1
    }

    /// Bits of a number of rows.
    fn number(&self) -> u32 {
        u32::MAX >> self.board.max(3).leading_zeros()
    }

    /// The first step: columns that are free, bit 0 if the row may stay empty, nothing behind the last queen, which is a placement.
    fn enter<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [left, spare, columns, rising, falling, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let board = w.constant(self.columns());
        let attacked = w.or(columns, rising);
        let attacked = w.or(attacked, falling);
        let attacked = w.and(attacked, board);
        let safe = w.xor(attacked, board);
        let spare = w.within(spare, self.number());
        let may_skip = w.is_set(spare);
        let skip = w.and(may_skip, one);
        let places = w.or(safe, skip);
        let left = w.within(left, self.number());
        let is_placed = w.is_zero(left);
        let has_left = w.not(is_placed);
        let free = w.and(places, has_left);
        let mut fields = frame.fields;
        fields[5] = free;
        StepOutcome {
            calls: zero,
            is_last: zero,
            is_done: w.is_zero(free),
            state: one,
            fields,
            arguments: [zero; MOST_FIELDS],
            value: w.and(is_placed, one),
        }
    }

    /// Every other step: the next place is taken.
    fn place<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [left, spare, columns, rising, falling, free, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let place = w.lowest(free);
        let rest = w.xor(free, place);
        let skip = w.and(place, one);
        let queen = w.xor(place, skip);
        let mut fields = frame.fields;
        fields[5] = rest;
        let mut arguments = [zero; MOST_FIELDS];
        let fewer = w.sub(left, one);
        arguments[0] = w.add(fewer, skip);
        arguments[1] = w.sub(spare, skip);
        arguments[2] = w.or(columns, queen);
        let up = w.or(rising, queen);
        arguments[3] = w.shift_left(up, 1);
        let down = w.or(falling, queen);
        arguments[4] = w.shift_right(down, 1);
        let calls = w.not(zero);
        let is_last = w.is_zero(rest);
        StepOutcome { calls, is_last, is_done: zero, state: one, fields, arguments, value: zero }
    }
}

impl Task for Queens {
    fn fields(&self) -> FrameFields {
        FrameFields {
            parameters: &["left", "spare", "columns", "rising", "falling"],
            locals: &["free"],
        }
    }

    fn root(&self) -> Vec<u32> {
        vec![self.queens, self.board - self.queens, 0, 0, 0]
    }

    fn deepest(&self) -> usize {
        self.board as usize + 1
    }

    fn is_sum(&self) -> bool {
        true
    }

    /// A frame all of whose columns are attacked, with more than one queen left to place, and more places than there are columns.
    fn idle(&self) -> Option<IdleFrame> {
        let places = self.columns() | ((1 << 28) - 2);
        let mut fields = [0; MOST_FIELDS];
        fields[..6].copy_from_slice(&[2, 0, self.columns(), 0, 0, places]);
        Some(IdleFrame { state: 1, fields, steps: places.count_ones() })
    }

    /// Measured with 8 queens on 8 rows (34.4 cycles) and 10 on 10 (34.5), and where rows may be empty with 7 on 10 (28.5), 6 on 8 (29.6) and 7 on 9 (29.9).
    fn host_cycles(&self) -> Option<f64> {
        Some(if self.queens == self.board { 34.4 } else { 29.2 })
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let is_entered = w.is_zero(frame.state);
        StepOutcome::choose(w, is_entered, |w| self.enter(w, frame), |w| self.place(w, frame))
    }
}
