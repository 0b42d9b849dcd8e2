//! Tasks of searches as a user chooses them by options.

use crate::workload::options;
use cp2_recursion::tasks::{
    AnyTask, ComputedTree, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal,
    TreeShape,
};
use cp2_recursion::{PuzzleShape, read_cover, read_puzzles};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::workload::{OptionKind, OptionValues, WorkloadOption};

/// A kind of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskKind {
    /// Placements of queens on a board.
    Queens,
    /// A walk through a tree.
    Tree,
    /// A puzzle.
    Sudoku,
    /// Exact covers.
    Cover,
    /// A number of Fibonacci.
    Fibonacci,
}

/// A cover where no file is given.
const COVER: &str = include_str!("cover.txt");

/// Returns the error for a task that there is none of.
fn wrong(error: &impl ToString) -> KernelError {
    RequestError::Task(error.to_string()).into()
}

/// Returns the error for a file that is none of the task's.
fn wrong_text(option: &'static str, error: &impl ToString) -> KernelError {
    KernelError::Text { option, reason: error.to_string() }
}

impl TaskKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 5] =
        [Self::Queens, Self::Tree, Self::Sudoku, Self::Cover, Self::Fibonacci];

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Queens => "queens",
            Self::Tree => "tree",
            Self::Sudoku => "sudoku",
            Self::Cover => "cover",
            Self::Fibonacci => "fibonacci",
        }
    }

    /// Returns what is solved, in a few words.
    pub(crate) fn summary(self) -> &'static str {
        match self {
            Self::Queens => "number of placements of queens on a board, by backtracking",
            Self::Tree => "sum of a tree, or search in it",
            Self::Sudoku => "solutions of a sudoku, by backtracking",
            Self::Cover => "number of exact covers, by backtracking",
            Self::Fibonacci => "a number of Fibonacci, by its recursion",
        }
    }

    /// Returns the extension without which no lane can do the task: elements of arrays at an index of each lane, returned values.
    pub(crate) fn needs(self) -> Option<&'static str> {
        match self {
            Self::Queens | Self::Tree => None,
            Self::Sudoku | Self::Cover | Self::Fibonacci => Some("section-addressing"),
        }
    }

    /// Returns the options of the task.
    pub(crate) fn options(self) -> Vec<WorkloadOption> {
        match self {
            Self::Queens => vec![
                WorkloadOption::number("board", "rows", Some(8), 30, "Rows of the board"),
                WorkloadOption::number(
                    "queens",
                    "queens",
                    None,
                    30,
                    "Queens; as many as rows if absent",
                ),
            ],
            Self::Tree => tree_options(),
            Self::Sudoku => sudoku_options(),
            Self::Cover => vec![WorkloadOption::new(
                "rows-file",
                OptionKind::ReadText,
                "File of an exact cover: in each line the columns of a row, from 0; a small one if absent",
            )],
            Self::Fibonacci => vec![WorkloadOption::number(
                "number",
                "",
                Some(15),
                40,
                "Which number of Fibonacci",
            )],
        }
    }

    /// Returns the task that options describe.
    ///
    /// # Errors
    /// There is no such task: a sentence.
    pub(crate) fn task(self, values: &OptionValues) -> Result<AnyTask, KernelError> {
        let number = |name: &str, or: u64| values.number(name).unwrap_or(or);
        Ok(match self {
            Self::Queens => {
                let board = number("board", 8) as u32;
                let queens = number("queens", u64::from(board)) as u32;
                AnyTask::Queens(Queens::new(board, queens).map_err(|e| wrong(&e))?)
            }
            Self::Tree => {
                let [width, levels, rounds] = [("width", 4), ("levels", 5), ("rounds", 8)]
                    .map(|(name, or)| number(name, or) as u32);
                let shape = TreeShape::new(width, levels, rounds).map_err(|e| wrong(&e))?;
                let find = values.number("find");
                let goal = find.map_or(TreeGoal::Sum, |node| TreeGoal::Search(node as u32));
                match values.has("linked") {
                    true => AnyTask::LinkedTree(LinkedTree { shape, goal }),
                    false => AnyTask::ComputedTree(ComputedTree { shape, goal }),
                }
            }
            Self::Sudoku => {
                let puzzle = sudoku(values)?;
                puzzle.check_cells().map_err(|e| match line(values) {
                    Some(line) => wrong_text("puzzles", &format!("line {line}: {e}")),
                    None => wrong(&e),
                })?;
                AnyTask::Sudoku(puzzle)
            }
            Self::Cover => {
                let text = values.text("rows-file").unwrap_or(COVER);
                AnyTask::ExactCover(read_cover(text).map_err(|e| wrong_text("rows-file", &e))?)
            }
            Self::Fibonacci => AnyTask::Fibonacci(Fibonacci(number("number", 15) as u32)),
        })
    }
}

/// Returns the line of the puzzle that options take from a file; none if they take none.
pub(super) fn line(values: &OptionValues) -> Option<usize> {
    let all = read_puzzles(values.text("puzzles")?, NextCell::First, SudokuGoal::First).ok()?;
    let wanted = values.number("puzzle").unwrap_or(1) as usize;
    all.get(wanted.checked_sub(1)?).map(|(line, _)| *line)
}

/// Returns the options of trees.
fn tree_options() -> Vec<WorkloadOption> {
    vec![
        WorkloadOption::number("width", "children", Some(4), 1 << 12, "Children of each node"),
        from_zero("levels", "levels", Some(5), 23, "Levels below the root"),
        from_zero(
            "rounds",
            "rounds",
            Some(8),
            64,
            "Rounds of xorshift32 that make the value of a node",
        )
        .replaced_by(&["find"]),
        WorkloadOption::switch(
            "linked",
            "The tree is linked in memory; its children are computed if absent",
        ),
        from_zero(
            "find",
            "",
            None,
            (1 << 24) - 1,
            "Node to search, whose place in preorder is the value; the sum of all values if absent",
        ),
    ]
}

/// Returns the options of puzzles.
fn sudoku_options() -> Vec<WorkloadOption> {
    vec![
        WorkloadOption::new(
            "puzzles",
            OptionKind::ReadText,
            "File of puzzles, one a line, `.` for empty cells; a puzzle made from --seed if absent",
        ),
        WorkloadOption::number(
            "puzzle",
            "",
            Some(1),
            1 << 20,
            "Number of the puzzle in its file, from 1",
        ),
        WorkloadOption::number(
            "clues",
            "clues",
            None,
            256,
            "Clues of a puzzle that is made; 28 of 9x9, 125 of 16x16, 6 of 4x4 if absent",
        )
        .replaced_by(&["puzzles"]),
        WorkloadOption::choice("size", &["9x9", "16x16", "4x4"], "Size of a puzzle that is made")
            .replaced_by(&["puzzles"]),
        options::seed().replaced_by(&["puzzles"]),
        WorkloadOption::choice(
            "rule",
            &["fewest", "first"],
            "Cell that is filled next: the one that fewest numbers fit, or the first empty one",
        ),
        WorkloadOption::choice(
            "goal",
            &["first", "count"],
            "Whether a lane ends with its first solution, or counts all",
        ),
        WorkloadOption::switch(
            "stop",
            "All lanes stop when one has a solution; not with --goal count, which takes all of them",
        ),
    ]
}

/// Returns an option with a number that may be 0.
pub(super) fn from_zero(
    name: &'static str,
    unit: &'static str,
    default: Option<u64>,
    most: u64,
    help: &'static str,
) -> WorkloadOption {
    WorkloadOption::new(name, OptionKind::Number { unit, default, least: 0, most }, help)
}

/// Returns the puzzle that options describe.
fn sudoku(values: &OptionValues) -> Result<Sudoku, KernelError> {
    let rule = match values.choice("rule") {
        Some("first") => NextCell::First,
        _ => NextCell::Fewest,
    };
    let goal = match values.choice("goal") {
        Some("count") => SudokuGoal::Count,
        _ => SudokuGoal::First,
    };
    if values.has("stop") && goal == SudokuGoal::Count {
        return Err(RequestError::Options("--stop ends a search at a solution, and --goal count takes all of them; give one of them").into());
    }
    if let Some(text) = values.text("puzzles") {
        let all = read_puzzles(text, rule, goal).map_err(|e| wrong_text("puzzles", &e))?;
        let wanted = values.number("puzzle").unwrap_or(1) as usize;
        let count = all.len();
        let chosen = all.into_iter().nth(wanted - 1);
        return chosen.map(|(_, puzzle)| puzzle).ok_or_else(|| {
            let reason = format!("puzzle {wanted} of a file of {count}; give 1 to {count}");
            wrong_text("puzzles", &reason)
        });
    }
    if values.number("puzzle").is_some_and(|number| number > 1) {
        return Err(wrong(&"--puzzle takes one of the puzzles of --puzzles, and no file is given"));
    }
    let (rows, usual) = match values.choice("size") {
        Some("16x16") => (16, 125),
        Some("4x4") => (4, 6),
        _ => (9, 28),
    };
    let clues = values.number("clues").unwrap_or(usual);
    let shape = PuzzleShape::new(rows, clues as usize).map_err(|e| wrong(&e))?;
    let text = shape.generate(values.number("seed").unwrap_or(1)).map_err(|e| wrong(&e))?;
    Sudoku::parse(&text, rule, goal).map_err(|e| wrong(&e))
}
