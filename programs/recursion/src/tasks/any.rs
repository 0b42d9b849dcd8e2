//! Any task of this crate.

use super::{ComputedTree, ExactCover, Fibonacci, LinkedTree, Queens, Sudoku};
use crate::task::{FrameFields, IdleFrame, StepOutcome, Task, TaskArray, TaskFrame};
use crate::words::StepWords;

/// Any task of this crate, where what is solved is chosen by a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyTask {
    /// Placements of queens.
    Queens(Queens),
    /// A walk through a tree whose children are computed.
    ComputedTree(ComputedTree),
    /// A walk through a tree that is linked in memory.
    LinkedTree(LinkedTree),
    /// A puzzle.
    Sudoku(Sudoku),
    /// Exact covers.
    ExactCover(ExactCover),
    /// A number of Fibonacci.
    Fibonacci(Fibonacci),
}

/// Gives an expression of the task that it is.
macro_rules! of {
    ($any:expr, $task:ident => $result:expr) => {
        match $any {
            AnyTask::Queens($task) => $result,
            AnyTask::ComputedTree($task) => $result,
            AnyTask::LinkedTree($task) => $result,
            AnyTask::Sudoku($task) => $result,
            AnyTask::ExactCover($task) => $result,
            AnyTask::Fibonacci($task) => $result,
        }
    };
}

impl Task for AnyTask {
    fn fields(&self) -> FrameFields {
        of!(self, task => task.fields())
    }

    fn root(&self) -> Vec<u32> {
        of!(self, task => task.root())
    }

    fn arrays(&self) -> Vec<TaskArray> {
        of!(self, task => task.arrays())
    }

    fn deepest(&self) -> usize {
        of!(self, task => task.deepest())
    }

    fn is_sum(&self) -> bool {
        of!(self, task => task.is_sum())
    }

    fn idle(&self) -> Option<IdleFrame> {
        of!(self, task => task.idle())
    }

    fn host_cycles(&self) -> Option<f64> {
        of!(self, task => task.host_cycles())
    }

    fn step<W: StepWords>(&self, words: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        of!(self, task => task.step(words, frame))
    }
}
