//! Files of tasks: puzzles, one a line, and rows of exact covers, one a line. `#` begins a comment.

use crate::tasks::{CoverError, ExactCover, NextCell, Sudoku, SudokuError, SudokuGoal};
use std::fmt;

/// A text that is no file of tasks. Lines and characters count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskFileError {
    /// A line is no puzzle.
    Puzzle {
        /// Number of the line.
        line: usize,
        /// Reason.
        error: SudokuError,
    },
    /// There is no puzzle.
    NoPuzzle,
    /// A word is no column.
    Column {
        /// Number of the line.
        line: usize,
        /// Place of the word in the line.
        character: usize,
        /// The word.
        word: String,
        /// Columns of the cover, if a line has told them.
        columns: Option<usize>,
    },
    /// A number of columns is none, or the second one.
    Columns {
        /// Number of the line.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// There is no row.
    NoRow,
    /// The rows make no task.
    Cover(CoverError),
}

impl fmt::Display for TaskFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Puzzle { line, error } => write!(f, "line {line}: {error}"),
            Self::NoPuzzle => {
                write!(
                    f,
                    "there is no puzzle; give one in each line, row by row, with `.` for empty cells"
                )
            }
            Self::Column { line, character, word, columns: None } => write!(
                f,
                "line {line}, character {character}: `{word}` is no column; columns are numbers from 0 to 63, with spaces between them, and `columns N` may stand in the first line"
            ),
            Self::Column { line, character, word, columns: Some(columns) } => write!(
                f,
                "line {line}, character {character}: there is no column {word}; the cover has {columns} columns, from 0 on"
            ),
            Self::Columns { line, text } => write!(
                f,
                "line {line}: `{text}` is no number of columns; `columns N`, 1 to 64, may stand once, before the rows"
            ),
            Self::NoRow => {
                write!(f, "there is no row; give one in each line, as the numbers of its columns")
            }
            Self::Cover(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TaskFileError {}

/// Returns the lines of a file that are not empty without their comments, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        (!line.trim().is_empty()).then_some((at + 1, line))
    })
}

/// Reads a file of puzzles, and returns each with the number of its line.
///
/// # Errors
/// A line is no puzzle, or there is none.
pub fn read_puzzles(
    text: &str,
    next_cell: NextCell,
    goal: SudokuGoal,
) -> Result<Vec<(usize, Sudoku)>, TaskFileError> {
    let puzzle = |(line, text): (usize, &str)| match Sudoku::parse(text.trim(), next_cell, goal) {
        Ok(puzzle) => Ok((line, puzzle)),
        Err(error) => Err(TaskFileError::Puzzle { line, error }),
    };
    let all = lines(text).map(puzzle).collect::<Result<Vec<_>, _>>()?;
    if all.is_empty() { Err(TaskFileError::NoPuzzle) } else { Ok(all) }
}

/// Reads a file of an exact cover: in each line the columns of a row. `columns N` in the first line says how many columns there are; without it
/// there are as many as rows name.
///
/// # Errors
/// A word is no column, there is no row, or the rows make no task.
pub fn read_cover(text: &str) -> Result<ExactCover, TaskFileError> {
    let (mut columns, mut rows) = (None, Vec::new());
    for (line, row) in lines(text) {
        if let Some(count) = row.trim().strip_prefix("columns") {
            let number = count.trim().parse().ok().filter(|n| (1..=64).contains(n));
            let number = number.filter(|_| columns.is_none() && rows.is_empty());
            let wrong = || TaskFileError::Columns { line, text: row.trim().to_owned() };
            columns = Some(number.ok_or_else(wrong)?);
            continue;
        }
        rows.push(read_row(line, row, columns)?);
    }
    if rows.is_empty() {
        return Err(TaskFileError::NoRow);
    }
    let named = rows.iter().flatten().max().map_or(0, |most| most + 1);
    ExactCover::new(columns.unwrap_or(named), &rows).map_err(TaskFileError::Cover)
}

/// Reads the columns of a row.
fn read_row(line: usize, text: &str, columns: Option<usize>) -> Result<Vec<usize>, TaskFileError> {
    let word = |word: &str| {
        let place = word.as_ptr() as usize - text.as_ptr() as usize;
        let wrong = |columns| TaskFileError::Column {
            line,
            character: text[..place].chars().count() + 1,
            word: word.to_owned(),
            columns,
        };
        match word.parse() {
            Ok(column) if column >= columns.unwrap_or(64) => Err(wrong(columns)),
            Ok(column) => Ok(column),
            Err(_) => Err(wrong(None)),
        }
    };
    text.split_whitespace().map(word).collect()
}
