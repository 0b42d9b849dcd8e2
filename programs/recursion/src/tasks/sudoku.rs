//! Sudoku: each number once in every row, column and block.

use crate::driver::{SearchLane, StackOverflow};
use crate::grid::{Grid, SYMBOLS, places, symbol_of};
use crate::task::{FrameFields, MOST_FIELDS, StepOutcome, Task, TaskArray, TaskFrame};
use crate::words::StepWords;
use std::fmt;

/// Rule by which the next empty cell is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextCell {
    /// The first one in reading order.
    First,
    /// The one with the fewest numbers that fit, the first of equals. Each cell is looked at in a step of its own.
    Fewest,
}

/// Aim of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SudokuGoal {
    /// 1 if there is a solution, which the grid of the lane has then.
    First,
    /// The number of solutions.
    Count,
}

/// A puzzle of b^2 rows, columns and blocks of b x b cells, b from 2 to 4, with its rule and aim. Numbers are tried from the lowest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sudoku {
    base: usize,
    /// Numbers of the cells, row by row from 1 on, 0 where a cell is empty.
    cells: Vec<u32>,
    next_cell: NextCell,
    goal: SudokuGoal,
}

/// A text that is no puzzle. Rows and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SudokuError {
    /// The number of cells is not that of a square of 4, 9 or 16 rows.
    Cells(usize),
    /// A character is no number of a puzzle of so many rows.
    Symbol {
        /// The character.
        symbol: char,
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: usize,
        /// Rows of the puzzle.
        rows: usize,
    },
    /// A number stands in a row, column or block a second time.
    Twice {
        /// Number, as it is written.
        symbol: char,
        /// Row of the second cell.
        row: usize,
        /// Column of the second cell.
        column: usize,
    },
    /// No number fits a cell once those that leave no choice are filled.
    Stuck {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: usize,
    },
}

impl fmt::Display for SudokuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells(count) => write!(
                f,
                "a puzzle of {count} cells; a puzzle has 16, 81 or 256 cells, row by row, with `.` for empty ones"
            ),
            Self::Symbol { symbol, row, column, rows } => write!(
                f,
                "row {row}, column {column}: `{symbol}` is no number of a puzzle of {rows} rows; numbers are 1 to {}, and `.` is an empty cell",
                symbol_of(*rows as u32)
            ),
            Self::Twice { symbol, row, column } => write!(
                f,
                "row {row}, column {column}: {symbol} is in this row, column or block already, so the puzzle has no solution"
            ),
            Self::Stuck { row, column } => write!(
                f,
                "row {row}, column {column}: no number fits this cell once the cells that leave no choice are filled, so the puzzle has no solution"
            ),
        }
    }
}

impl std::error::Error for SudokuError {}

/// Places of the arrays of the task.
const ROWS: usize = 0;
const COLUMNS: usize = 1;
const BLOCKS: usize = 2;
const GRID: usize = 3;
const ROW_OF: usize = 4;
const COLUMN_OF: usize = 5;
const BLOCK_OF: usize = 6;
const EMPTY: usize = 7;

impl Sudoku {
    /// Returns what is wanted: the first solution, or the number of all.
    pub fn goal(&self) -> SudokuGoal {
        self.goal
    }

    /// Returns the first solution, as the puzzle is written, by the search of one lane of the host; the puzzle has to have one, and the
    /// task has to be to find it.
    ///
    /// # Errors
    /// The search has more frames than the task says.
    pub fn first_solution(&self) -> Result<String, StackOverflow> {
        let mut lane = SearchLane::new(self, 0, self.deepest());
        lane.solve(&self.root())?;
        Ok(self.solution(&lane.words.arrays))
    }

    /// Reads a puzzle: its cells row by row, 1 to 9 and A to G, with a point for an empty cell.
    ///
    /// # Errors
    /// The text has not 16, 81 or 256 cells, a cell is no number of such a puzzle, or a number stands twice where it may stand once.
    pub fn parse(text: &str, next_cell: NextCell, goal: SudokuGoal) -> Result<Self, SudokuError> {
        let count = text.chars().count();
        let base = (2..=4).find(|base: &usize| base.pow(4) == count);
        let base = base.ok_or(SudokuError::Cells(count))?;
        let rows = base * base;
        let mut task = Self { base, cells: Vec::new(), next_cell, goal };
        for (at, symbol) in text.chars().enumerate() {
            let number = SYMBOLS[..=rows].iter().position(|&known| char::from(known) == symbol);
            let (row, column) = (at / rows + 1, at % rows + 1);
            let number = number.ok_or(SudokuError::Symbol { symbol, row, column, rows })? as u32;
            let [r, c, b] = task.places(at);
            let is_twice = (0..at).any(|other| {
                let [r2, c2, b2] = task.places(other);
                task.cells[other] == number && (r == r2 || c == c2 || b == b2)
            });
            if number > 0 && is_twice {
                return Err(SudokuError::Twice { symbol, row, column });
            }
            task.cells.push(number);
        }
        Ok(task)
    }

    /// Returns row, column and block of a cell, from 0.
    fn places(&self, cell: usize) -> [usize; 3] {
        places(self.base, cell)
    }

    /// Checks that every cell has a number that fits it, once the cells that leave no choice are filled. A puzzle that passes may still have no
    /// solution, which a search tells.
    ///
    /// # Errors
    /// A cell has none, so the puzzle has no solution.
    pub fn check_cells(&self) -> Result<(), SudokuError> {
        let rows = self.base * self.base;
        match Grid::new(self.base, &self.cells).stuck() {
            None => Ok(()),
            Some(cell) => Err(SudokuError::Stuck { row: cell / rows + 1, column: cell % rows + 1 }),
        }
    }

    /// Returns the puzzle as text, row by row.
    pub fn text(&self) -> String {
        self.cells.iter().map(|&number| symbol_of(number)).collect()
    }

    /// Returns the grid of a lane that has found a solution as text, row by row.
    pub fn solution(&self, arrays: &[Vec<u32>]) -> String {
        let number = |bit: &u32| symbol_of(if *bit == 0 { 0 } else { bit.trailing_zeros() + 1 });
        arrays.get(GRID).into_iter().flatten().map(number).collect()
    }

    /// Returns the bits of all numbers.
    fn all_numbers(&self) -> u32 {
        (1 << (self.base * self.base)) - 1
    }

    fn empty_cells(&self) -> Vec<u32> {
        (0..self.cells.len())
            .filter(|&cell| self.cells[cell] == 0)
            .map(|cell| cell as u32)
            .collect()
    }

    /// Returns the numbers that stand in the row, column and block of a cell, and where those are kept.
    fn used<W: StepWords>(&self, w: &mut W, cell: W::Word) -> [(W::Word, W::Word); 3] {
        [(ROW_OF, ROWS), (COLUMN_OF, COLUMNS), (BLOCK_OF, BLOCKS)].map(|(of_cell, kept)| {
            let place = w.load(of_cell, cell);
            (place, w.load(kept, place))
        })
    }

    /// Returns the numbers that fit a cell, one bit each.
    fn fitting<W: StepWords>(&self, w: &mut W, used: [W::Word; 3]) -> W::Word {
        let [row, column, block] = used;
        let all = w.or(row, column);
        let all = w.or(all, block);
        let free = w.not(all);
        let numbers = w.constant(self.all_numbers());
        w.and(free, numbers)
    }

    /// The first step of a call: a cell, by the rule of the first one, or the begin of a look at all. Without an empty cell the puzzle is
    /// solved.
    fn enter<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let filled = frame.fields[0];
        let (zero, one) = (w.constant(0), w.constant(1));
        let is_solved = w.is(filled, self.empty_cells().len() as u32);
        let mut fields = frame.fields;
        let (is_done, state) = match self.next_cell {
            NextCell::First => {
                let cell = w.load(EMPTY, filled);
                let used = self.used(w, cell).map(|(_, numbers)| numbers);
                let free = self.fitting(w, used);
                fields[1..4].copy_from_slice(&[cell, free, zero]);
                let is_stuck = w.is_zero(free);
                (w.or(is_solved, is_stuck), one)
            }
            NextCell::Fewest => {
                let more_than_any = w.constant(33);
                fields[3..6].copy_from_slice(&[zero, zero, more_than_any]);
                (is_solved, w.constant(LOOKS))
            }
        };
        let value = w.and(is_solved, one);
        let arguments = [zero; MOST_FIELDS];
        StepOutcome { calls: zero, is_last: zero, is_done, state, fields, arguments, value }
    }

    /// The step that looks at one cell, and keeps it if it is empty and fewer numbers fit it than any before.
    fn look_at_cell<W: StepWords>(
        &self,
        w: &mut W,
        frame: TaskFrame<W::Word>,
    ) -> StepOutcome<W::Word> {
        let [_, cell, free, _, looked, least, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let looked_at = w.load(EMPTY, looked);
        let number = w.load(GRID, looked_at);
        let is_empty = w.is_zero(number);
        let used = self.used(w, looked_at).map(|(_, numbers)| numbers);
        let fitting = self.fitting(w, used);
        let bits = count_bits(w, fitting);
        let is_less = w.is_less(bits, least);
        let is_better = w.and(is_less, is_empty);
        let next = w.add(looked, one);
        let has_looked = w.is(next, self.empty_cells().len() as u32);
        let looks = w.constant(LOOKS);
        let mut fields = frame.fields;
        fields[1] = w.select(is_better, looked_at, cell);
        fields[2] = w.select(is_better, fitting, free);
        fields[4] = next;
        fields[5] = w.select(is_better, bits, least);
        StepOutcome {
            calls: zero,
            is_last: zero,
            is_done: zero,
            state: w.select(has_looked, one, looks),
            fields,
            arguments: [zero; MOST_FIELDS],
            value: zero,
        }
    }

    /// The step that takes the number back that was tried, tries the next one, and ends if there is none; or, where `is_placing` does
    /// not hold, nothing that stays. A solution that a call has returned ends it as it is.
    fn place<W: StepWords>(
        &self,
        w: &mut W,
        frame: TaskFrame<W::Word>,
        is_placing: W::Word,
    ) -> StepOutcome<W::Word> {
        let [filled, cell, free, tried, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let goes_on = match self.goal {
            SudokuGoal::First => w.is_zero(frame.returned),
            SudokuGoal::Count => w.not(zero),
        };
        let number = w.lowest(free);
        let number = w.and(number, goes_on);
        let changes = w.and(is_placing, goes_on);
        let arrays = [ROWS, COLUMNS, BLOCKS];
        for ((place, numbers), array) in self.used(w, cell).into_iter().zip(arrays) {
            let kept = w.xor(numbers, tried);
            let numbers = w.or(kept, number);
            w.store(array, place, numbers, changes);
        }
        w.store(GRID, cell, number, changes);
        let is_done = w.is_zero(number);
        let mut fields = frame.fields;
        fields[2] = w.xor(free, number);
        fields[3] = number;
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.add(filled, one);
        let value = match self.goal {
            SudokuGoal::First => frame.returned,
            SudokuGoal::Count => zero,
        };
        let calls = w.not(is_done);
        StepOutcome { calls, is_last: zero, is_done, state: one, fields, arguments, value }
    }
}

/// State in which cells are looked at; in state 1 numbers are tried.
const LOOKS: u32 = 2;

/// Returns the number of bits of a word that are set.
fn count_bits<W: StepWords>(w: &mut W, x: W::Word) -> W::Word {
    let mut x = x;
    for (shift, mask) in
        [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff), (16, 0x0000_ffff)]
    {
        let mask = w.constant(mask);
        let low = w.and(x, mask);
        let high = w.shift_right(x, shift);
        let high = w.and(high, mask);
        x = w.add(low, high);
    }
    x
}

impl Task for Sudoku {
    fn fields(&self) -> FrameFields {
        let locals: &[&str] = match self.next_cell {
            NextCell::First => &["cell", "free", "tried"],
            NextCell::Fewest => &["cell", "free", "tried", "looked", "least"],
        };
        FrameFields { parameters: &["filled"], locals }
    }

    fn root(&self) -> Vec<u32> {
        vec![0]
    }

    fn arrays(&self) -> Vec<TaskArray> {
        let rows = self.base * self.base;
        let mut used = [vec![0; rows], vec![0; rows], vec![0; rows]];
        let mut places = [Vec::new(), Vec::new(), Vec::new()];
        let bit = |number: u32| if number == 0 { 0 } else { 1 << (number - 1) };
        for (cell, &number) in self.cells.iter().enumerate() {
            for (at, place) in self.places(cell).into_iter().enumerate() {
                used[at][place] |= bit(number);
                places[at].push(place as u32);
            }
        }
        let own = |name, words| TaskArray { name, words, is_own: true };
        let shared = |name, words| TaskArray { name, words, is_own: false };
        let ([r, c, b], [row_of, column_of, block_of]) = (used, places);
        vec![
            own("rows", r),
            own("columns", c),
            own("blocks", b),
            own("grid", self.cells.iter().map(|&number| bit(number)).collect()),
            shared("row of", row_of),
            shared("column of", column_of),
            shared("block of", block_of),
            shared("empty", self.empty_cells()),
        ]
    }

    fn deepest(&self) -> usize {
        self.empty_cells().len() + 1
    }

    fn is_sum(&self) -> bool {
        self.goal == SudokuGoal::Count
    }

    /// Cycles were measured of 9 x 9 cells; of others they go by their number.
    fn host_cycles(&self) -> Option<f64> {
        let of_nine = match self.next_cell {
            NextCell::First => 173.3,
            NextCell::Fewest => 1845.9,
        };
        Some(of_nine * self.cells.len() as f64 / 81.0)
    }

    fn step<W: StepWords>(&self, words: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let is_entered = words.is_zero(frame.state);
        let is_placing = words.is(frame.state, 1);
        let enter = |w: &mut W| self.enter(w, frame);
        let place = |w: &mut W| self.place(w, frame, is_placing);
        StepOutcome::choose(words, is_entered, enter, |w| match self.next_cell {
            NextCell::First => place(w),
            NextCell::Fewest => {
                let is_looking = w.is(frame.state, LOOKS);
                StepOutcome::choose(w, is_looking, |w| self.look_at_cell(w, frame), place)
            }
        })
    }
}
