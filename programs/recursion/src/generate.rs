//! Puzzles made from a seed: a full grid whose rows, columns and numbers are permuted, from which clues are taken while there is one solution.

use crate::grid::{Grid, symbol_of};
use crate::random::Random;
use std::fmt;

/// Shape of puzzles that are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleShape {
    base: usize,
    clues: usize,
}

/// A puzzle that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateError {
    /// There are no puzzles of so many rows.
    Rows(usize),
    /// A puzzle has more clues than cells, or fewer than one; clues and cells.
    Clues(usize, usize),
    /// No clue of a puzzle can be taken without a second solution, or with a solution that is found in time.
    TooFew {
        /// Clues that were asked for.
        clues: usize,
        /// Clues of the puzzle.
        reached: usize,
        /// Seed of the puzzle.
        seed: u64,
    },
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => write!(f, "puzzles of {rows} rows; a puzzle has 4, 9 or 16"),
            Self::Clues(clues, cells) => {
                write!(f, "{clues} clues in a puzzle of {cells} cells; it has 1 to {cells}")
            }
            Self::TooFew { clues, reached, seed } => write!(
                f,
                "the puzzle of seed {seed} has {reached} clues when none can be taken any more, and {clues} were asked for; give more clues or another seed"
            ),
        }
    }
}

impl std::error::Error for GenerateError {}

impl PuzzleShape {
    /// Returns the shape of puzzles of so many rows with so many clues.
    ///
    /// # Errors
    /// There are no such puzzles.
    pub fn new(rows: usize, clues: usize) -> Result<Self, GenerateError> {
        let base = (2..=4).find(|base| base * base == rows).ok_or(GenerateError::Rows(rows))?;
        if clues == 0 || clues > rows * rows {
            return Err(GenerateError::Clues(clues, rows * rows));
        }
        Ok(Self { base, clues })
    }

    /// Returns the puzzle of a seed, row by row, with one solution.
    ///
    /// # Errors
    /// There is none with so few clues.
    pub fn generate(&self, seed: u64) -> Result<String, GenerateError> {
        let mut random = Random(seed);
        let mut cells = self.grid(&mut random);
        let mut clues = cells.len();
        for cell in random.permuted(cells.len()) {
            if clues == self.clues {
                break;
            }
            let number = std::mem::take(&mut cells[cell]);
            // The number that is taken is not tried: a second solution has another one there.
            if Grid::new(self.base, &cells).has_other(cell, number) {
                cells[cell] = number;
            } else {
                clues -= 1;
            }
        }
        if clues > self.clues {
            return Err(GenerateError::TooFew { clues: self.clues, reached: clues, seed });
        }
        Ok(cells.iter().map(|&number| symbol_of(number)).collect())
    }

    /// Returns a full grid: bands, rows in bands, columns likewise and numbers of the plainest one, permuted.
    fn grid(&self, random: &mut Random) -> Vec<u32> {
        let (base, rows) = (self.base, self.base * self.base);
        let numbers = random.permuted(rows);
        let mut lines = || -> Vec<usize> {
            let bands = random.permuted(base);
            bands
                .iter()
                .flat_map(|band| random.permuted(base).into_iter().map(move |at| band * base + at))
                .collect()
        };
        let (ys, xs) = (lines(), lines());
        let number =
            |y: usize, x: usize| numbers[(base * (y % base) + y / base + x) % rows] as u32 + 1;
        ys.iter()
            .flat_map(|&y| xs.iter().map(move |&x| (y, x)))
            .map(|(y, x)| number(y, x))
            .collect()
    }
}
