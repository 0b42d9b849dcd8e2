//! Sudoku: each number once in every row, column and block.

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
        }
    }
}

impl std::error::Error for SudokuError {}

const SYMBOLS: &[u8] = b".123456789ABCDEFG";

fn symbol_of(number: u32) -> char {
    SYMBOLS.get(number as usize).map_or('?', |&symbol| char::from(symbol))
}

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
        let (base, rows) = (self.base, self.base * self.base);
        let (row, column) = (cell / rows, cell % rows);
        [row, column, row / base * base + column / base]
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

    /// Takes the number that was tried back, tries the next one, and ends if there is none. `entered` says where a cell has just been
    /// chosen, `solved` where there is none to choose.
    fn place<W: StepWords>(
        &self,
        w: &mut W,
        [entered, solved]: [W::Word; 2],
        [cell, free, tried, count, returned]: [W::Word; 5],
    ) -> Placed<W::Word> {
        let (zero, one) = (w.constant(0), w.constant(1));
        let used = self.used(w, cell);
        let kept = used.map(|(_, numbers)| w.xor(numbers, tried));
        let fitting = self.fitting(w, kept);
        let free = w.select(entered, fitting, free);
        let free = w.select(solved, zero, free);
        let own = w.and(solved, one);
        // Of a task whose values are sums a step gives only what it adds.
        let (value, is_found) = match self.goal {
            SudokuGoal::First => {
                let more = w.add(count, returned);
                let value = w.select(entered, own, more);
                (value, w.is_set(value))
            }
            SudokuGoal::Count => (own, zero),
        };
        let goes_on = w.not(is_found);
        let number = w.lowest(free);
        let number = w.and(number, goes_on);
        let is_tried = w.not(solved);
        for ((place, _), (numbers, array)) in
            used.into_iter().zip(kept.into_iter().zip([ROWS, COLUMNS, BLOCKS]))
        {
            let numbers = w.xor(numbers, number);
            w.store(array, place, numbers, is_tried);
        }
        let changes = w.and(is_tried, goes_on);
        w.store(GRID, cell, number, changes);
        Placed { calls: w.is_set(number), free: w.xor(free, number), number, value }
    }

    fn step_first<W: StepWords>(
        &self,
        w: &mut W,
        frame: TaskFrame<W::Word>,
    ) -> StepOutcome<W::Word> {
        let [filled, cell, free, tried, count, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let is_entered = w.is(frame.state, 0);
        let is_last = w.is(filled, self.empty_cells().len() as u32);
        let is_solved = w.and(is_entered, is_last);
        let first = w.load(EMPTY, filled);
        let cell = w.select(is_entered, first, cell);
        let placed =
            self.place(w, [is_entered, is_solved], [cell, free, tried, count, frame.returned]);
        let mut fields = frame.fields;
        fields[1..5].copy_from_slice(&[cell, placed.free, placed.number, placed.value]);
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.add(filled, one);
        let (calls, value) = (placed.calls, placed.value);
        let is_done = w.not(calls);
        StepOutcome { calls, is_last: zero, is_done, state: one, fields, arguments, value }
    }

    /// The step of [`NextCell::Fewest`]. Before a cell is chosen each empty one is looked at: state 2 looks, state 3 has chosen.
    fn step_fewest<W: StepWords>(
        &self,
        w: &mut W,
        frame: TaskFrame<W::Word>,
    ) -> StepOutcome<W::Word> {
        let [filled, cell, free, tried, looked, least, count, ..] = frame.fields;
        let (zero, one) = (w.constant(0), w.constant(1));
        let cells = self.empty_cells().len() as u32;
        let is_entered = w.is(frame.state, 0);
        let is_last = w.is(filled, cells);
        let is_solved = w.and(is_entered, is_last);
        let begins = w.not(is_last);
        let begins = w.and(is_entered, begins);
        let is_looking = w.is(frame.state, 2);
        let looks = w.or(begins, is_looking);
        // One cell is looked at.
        let more_than_any = w.constant(33);
        let least = w.select(begins, more_than_any, least);
        let looked_at = w.load(EMPTY, looked);
        let number = w.load(GRID, looked_at);
        let is_empty = w.is_zero(number);
        let used = self.used(w, looked_at).map(|(_, numbers)| numbers);
        let fitting = self.fitting(w, used);
        let bits = count_bits(w, fitting);
        let is_less = w.is_less(bits, least);
        let is_better = w.and(is_less, is_empty);
        let is_better = w.and(is_better, looks);
        let cell = w.select(is_better, looked_at, cell);
        let least = w.select(is_better, bits, least);
        let step = w.and(looks, one);
        let looked = w.add(looked, step);
        let has_looked = w.is(looked, cells);
        // The chosen cell takes its numbers.
        let is_chosen = w.is(frame.state, 3);
        let takes = w.or(is_chosen, is_solved);
        let places = w.not(looks);
        let solved = w.or(is_solved, looks);
        let placed = self.place(w, [takes, solved], [cell, free, tried, count, frame.returned]);
        let (two, three) = (w.constant(2), w.constant(3));
        let looks_on = w.select(has_looked, three, two);
        let mut fields = frame.fields;
        fields[1] = cell;
        fields[2] = w.select(looks, zero, placed.free);
        fields[3] = w.select(looks, zero, placed.number);
        (fields[4], fields[5]) = (looked, least);
        let value = w.select(looks, zero, placed.value);
        fields[6] = value;
        let mut arguments = [zero; MOST_FIELDS];
        arguments[0] = w.add(filled, one);
        let calls = w.and(placed.calls, places);
        let ends = w.not(placed.calls);
        let is_done = w.and(ends, places);
        let state = w.select(looks, looks_on, one);
        StepOutcome { calls, is_last: zero, is_done, state, fields, arguments, value }
    }
}

/// Result of trying a number.
struct Placed<V> {
    /// Truth value: a number was tried.
    calls: V,
    /// Numbers that are left to try.
    free: V,
    /// Bit of the number, 0 if there was none.
    number: V,
    /// Solutions so far, or those that the step adds.
    value: V,
}

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
        // The number of solutions so far comes last; where values are sums there is none.
        let locals: &[&str] = match self.next_cell {
            NextCell::First => &["cell", "free", "tried", "count"],
            NextCell::Fewest => &["cell", "free", "tried", "looked", "least", "count"],
        };
        let locals = &locals[..locals.len() - usize::from(self.is_sum())];
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

    fn step<W: StepWords>(&self, words: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        match self.next_cell {
            NextCell::First => self.step_first(words, frame),
            NextCell::Fewest => self.step_fewest(words, frame),
        }
    }
}
