//! Queens on a board: placements in which no queen attacks another one.

use crate::task::{FrameFields, StepOutcome, Task, TaskFrame};
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

impl Task for Queens {
    fn fields(&self) -> FrameFields {
        FrameFields {
            parameters: &["row", "left", "columns", "rising", "falling"],
            locals: &["free", "count"],
        }
    }

    fn root(&self) -> Vec<u32> {
        vec![0, self.queens, 0, 0, 0]
    }

    fn deepest(&self) -> usize {
        self.board as usize + 1
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let [row, left, columns, rising, falling, free, count, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let board = w.constant(((1 << self.board) - 1) << 1);
        // Where the function has just been called: the columns that are free, and bit 0 if the row may stay empty.
        let is_entered = w.is(frame.state, 0);
        let is_placed = w.is_zero(left);
        let attacked = w.or(columns, rising);
        let attacked = w.or(attacked, falling);
        let safe = w.not(attacked);
        let mut places = w.and(safe, board);
        let rows = w.constant(self.board);
        let rows = w.sub(rows, row);
        let may_skip = w.is_less(left, rows);
        let skip = w.and(may_skip, one);
        places = w.or(places, skip);
        let has_left = w.not(is_placed);
        places = w.and(places, has_left);
        let free = w.select(is_entered, places, free);
        let own = w.and(is_placed, one);
        let more = w.add(count, frame.returned);
        let count = w.select(is_entered, own, more);
        // The next place.
        let place = w.lowest(free);
        let is_done = w.is_zero(free);
        let queen_column = w.and(place, board);
        let is_empty_row = w.is_zero(queen_column);
        let takes = w.not(is_empty_row);
        let taken = w.and(takes, one);
        let mut fields = frame.fields;
        fields[5] = w.xor(free, place);
        fields[6] = count;
        let mut arguments = [zero; crate::task::MOST_FIELDS];
        arguments[0] = w.add(row, one);
        arguments[1] = w.sub(left, taken);
        arguments[2] = w.or(columns, queen_column);
        let up = w.or(rising, queen_column);
        arguments[3] = w.shift_left(up, 1);
        let down = w.or(falling, queen_column);
        arguments[4] = w.shift_right(down, 1);
        StepOutcome { calls: w.not(is_done), is_done, state: one, fields, arguments, value: count }
    }
}
