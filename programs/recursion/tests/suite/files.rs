//! Files of tasks, and puzzles made from a seed.

use cp2_recursion::tasks::{NextCell, Sudoku, SudokuGoal};
use cp2_recursion::{PuzzleShape, read_cover, read_puzzles, run};

const SMALL: &str = "..3.1........4.2";

fn puzzles(text: &str) -> Result<Vec<(usize, Sudoku)>, String> {
    read_puzzles(text, NextCell::First, SudokuGoal::Count).map_err(|e| e.to_string())
}

#[test]
fn puzzles_stand_one_a_line_between_comments() {
    let all = puzzles(&format!("# two\n\n{SMALL}   # with one solution\n  {SMALL}\r\n")).unwrap();
    assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4]);
    assert!(all.iter().all(|(_, puzzle)| puzzle.text() == SMALL));
}

#[test]
fn lines_that_are_no_puzzle_are_told_with_row_and_column() {
    let message = |text: &str| puzzles(text).unwrap_err();
    assert!(message("# none\n").starts_with("there is no puzzle; give one in each line"));
    let text = format!("{SMALL}\n..3.1....5...4.2\n");
    assert!(message(&text).starts_with("line 2: row 3, column 2: `5` is no number"));
    assert!(message("12").starts_with("line 1: a puzzle of 2 cells"));
}

#[test]
fn puzzles_whose_cells_have_no_number_are_told() {
    let check = |text: &str| {
        let puzzle = Sudoku::parse(text, NextCell::First, SudokuGoal::First).unwrap();
        puzzle.check_cells().map_err(|e| e.to_string())
    };
    assert_eq!(check(SMALL), Ok(()));
    // 1 2 3 in the first row, 4 in the last column.
    let error = check("123....4........").unwrap_err();
    assert!(error.starts_with("row 1, column 4: no number fits this cell"), "{error}");
    // 4 is left for the last cells of the first row and of the last one, which are in one column.
    let error = check("123.........312.").unwrap_err();
    assert!(error.starts_with("row 4, column 4: no number fits this cell once"), "{error}");
}

#[test]
fn puzzles_of_a_seed_have_one_solution_and_the_clues_asked_for() {
    for (rows, clues) in [(4, 6), (9, 30), (16, 140)] {
        let shape = PuzzleShape::new(rows, clues).unwrap();
        for seed in 0..3 {
            let text = shape.generate(seed).unwrap();
            assert_eq!(shape.generate(seed).unwrap(), text);
            assert_ne!(shape.generate(seed + 1).unwrap(), text);
            assert_eq!(text.chars().filter(|c| *c != '.').count(), clues);
            let puzzle = Sudoku::parse(&text, NextCell::Fewest, SudokuGoal::Count).unwrap();
            assert_eq!(puzzle.check_cells(), Ok(()));
            assert_eq!(run(&puzzle, puzzle_room(&puzzle)).unwrap().value, 1, "{text}");
        }
    }
}

fn puzzle_room(puzzle: &Sudoku) -> usize {
    puzzle.text().chars().filter(|c| *c == '.').count() + 1
}

#[test]
fn puzzles_that_cannot_be_made_are_refused() {
    let message = |rows, clues| match PuzzleShape::new(rows, clues) {
        Err(error) => error.to_string(),
        Ok(shape) => shape.generate(1).unwrap_err().to_string(),
    };
    assert_eq!(message(10, 5), "puzzles of 10 rows; a puzzle has 4, 9 or 16");
    assert_eq!(message(9, 82), "82 clues in a puzzle of 81 cells; it has 1 to 81");
    let error = message(9, 5);
    assert!(error.starts_with("the puzzle of seed 1 has "), "{error}");
    assert!(error.contains("and 5 were asked for"), "{error}");
}

#[test]
fn covers_are_read_a_row_a_line() {
    let task = read_cover("columns 7\n0 3 6 # A\n0 3\n3 4 6\n2 4 5\n1 2 5 6\n1 6\n").unwrap();
    assert_eq!(run(&task, 8).unwrap().value, 1);
    let message = |text: &str| read_cover(text).unwrap_err().to_string();
    assert!(message("# nothing\n").starts_with("there is no row"));
    let error = message("0 1\n0  x1\n");
    assert!(error.starts_with("line 2, character 4: `x1` is no column; columns are"), "{error}");
    assert!(message("0 64\n").starts_with("line 1, character 3: `64` is no column"));
    let error = message("columns 3\n0 1\n2 3\n");
    assert!(
        error.starts_with("line 3, character 3: there is no column 3; the cover has 3 columns"),
        "{error}"
    );
    for (text, told) in [
        ("columns 65\n", "line 1: `columns 65`"),
        ("columns 3\ncolumns\t2\n", "line 2: `columns\t2`"),
        ("0 1\ncolumns 3\n", "line 2: `columns 3`"),
    ] {
        assert!(message(text).starts_with(&format!("{told} is no number of columns")), "{text}");
    }
}
