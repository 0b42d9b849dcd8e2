//! Tasks: Fibonacci's numbers, queens on a board, trees, Sudoku, exact covers.

mod any;
mod cover;
mod fibonacci;
mod queens;
mod sudoku;
mod tree;

pub use any::AnyTask;
pub use cover::{CoverError, ExactCover};
pub use fibonacci::Fibonacci;
pub use queens::{Queens, QueensError};
pub use sudoku::{NextCell, Sudoku, SudokuError, SudokuGoal};
pub use tree::{ComputedTree, LinkedTree, TreeError, TreeGoal, TreeShape};
