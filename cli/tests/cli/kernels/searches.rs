//! Recursive searches on CP2 and on machines: values, puzzles, what cannot be honoured, and long searches that go on.

use crate::kit::{self, Folder, unwrapped};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Option with which lanes have stacks of their own.
const OWN: &str = "--enable section-addressing";
/// A puzzle, and its only solution.
const PUZZLE: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// A grid of 4 rows without a number.
const SMALL_OPEN: &str = "................";
const UNSOLVABLE: &str =
    ".3.6.........95...4..3..5..8....142..268.3.9..1..2..56...53.2..28..1......5......";
const SOLUTION: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

fn report(folder: &Folder, arguments: &str) -> serde_json::Value {
    let text = folder.expect(0, &format!("kernels run {arguments} --json"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn searches_have_the_counts_of_the_tables_on_cp2_and_on_machines() {
    let folder = Folder::new();
    let queens = "queens --board 8 --queens 6";
    for (arguments, value, nodes) in [
        (queens.to_owned(), 22708, 53281),
        (format!("{queens} {OWN} --machine vm9"), 22708, 53281),
        (format!("{queens} --stacks registers --machine vm7 --enable more-fprs=128"), 22708, 53281),
        (format!("fibonacci --number 12 {OWN}"), 144, 287),
        (format!("tree --find 2 --width 2 --levels 2 {OWN}"), 5, 5),
        (format!("sudoku --size 4x4 --stop {OWN}"), 1, 0),
    ] {
        let report = report(&folder, &arguments);
        assert_eq!((&report["wrong"], &report["value"]), (&0.0.into(), &value.into()), "{report}");
        if nodes > 0 {
            assert_eq!(report["nodes"], nodes, "{arguments}");
        }
    }
}

#[test]
fn puzzles_come_from_files_and_solutions_are_shown() {
    let folder = Folder::new();
    folder.write("p.txt", format!("# one\n{}\n\n{PUZZLE}\n", PUZZLE.replace('5', ".")));
    let run = format!("kernels run sudoku --puzzles p.txt {OWN}");
    let text = folder.expect(0, &format!("{run} --puzzle 2 --machine vm9"));
    assert!(text.contains(SOLUTION) && text.contains("equal to the host"), "{text}");
    let solved = report(&folder, &format!("sudoku --puzzles p.txt {OWN} --puzzle 2 --depth 3"));
    assert_eq!(solved["solution"], SOLUTION, "the host's, if no lane has it any more");
    let tree = report(&folder, &format!("tree --find 2 --width 2 --levels 2 {OWN}"));
    assert_eq!((&tree["found"], tree.get("solution")), (&true.into(), None));
    let tree = report(&folder, &format!("tree --find 9 --width 2 --levels 2 {OWN}"));
    assert_eq!((&tree["found"], &tree["value"]), (&false.into(), &7.into()));
    for (puzzles, options, sentence) in [
        (PUZZLE.replacen('3', "x", 1), "", "p.txt: line 1: row 1, column 2: `x` is no number"),
        (PUZZLE.replacen('3', "5", 1), "", "p.txt: line 1: row 1, column 2: 5 is in this row"),
        ("123".to_owned(), "", "p.txt: line 1: a puzzle of 3 cells"),
        (String::new(), "", "p.txt: there is no puzzle"),
        (PUZZLE.to_owned(), "--puzzle 2", "p.txt: puzzle 2 of a file of 1"),
        // Each cell has a number at the begin.
        (
            format!("# one\n{UNSOLVABLE}"),
            "",
            "p.txt: line 2: the puzzle has no solution; the search for one made",
        ),
        // The last cell of the first row has no number left.
        (format!("\n12345678.........9{}", ".".repeat(63)), "", "p.txt: line 2: row 1, column 9"),
    ] {
        folder.write("p.txt", puzzles);
        let refused = unwrapped(&folder.expect(3, &format!("{run} {options}")));
        assert!(refused.contains(sentence), "{refused}");
    }
    // Without a number the others may be put in its place.
    folder.write("p.txt", format!("\n{SMALL_OPEN}\n"));
    let run_all = format!("kernels run sudoku --puzzles p.txt --goal count {OWN}");
    let text = unwrapped(&folder.expect(0, &run_all));
    assert!(text.contains("note: the puzzle in line 2 has 288 solutions; a proper one"), "{text}");
    folder.write("c.txt", "columns 4\n0 1\n2 9\n");
    let run = format!("kernels run cover --rows-file c.txt {OWN}");
    let refused = folder.expect(3, &run);
    assert!(refused.contains("c.txt: line 3"), "{refused}");
    for text in ["columns 65\n0\n", "columns\t4\ncolumns 3\n0\n", "0 1\ncolumns 3\n"] {
        folder.write("c.txt", text);
        let refused = unwrapped(&folder.expect(3, &run));
        assert!(refused.contains("is no number of columns; `columns N`, 1 to 64"), "{refused}");
    }
}

#[test]
fn searches_that_cannot_be_are_refused_with_a_sentence() {
    let folder = Folder::new();
    for (code, arguments, sentence) in [
        (3, "queens --board 5 --queens 9", "9 queens on a board of 5 rows"),
        (2, "queens --board 99", "it takes from 1 to 30 rows"),
        (3, "queens --board 16 --queens 16 --depth 5", "hand over at a lesser depth"),
        (3, "queens --stacks own", "need --enable section-addressing"),
        (3, "tree --find 3 --stacks common", "calls return nothing and lanes have no arrays"),
        (2, "queens --stop", "--stop"),
        (2, "tree --find 3 --stop", "--stop"),
        (3, "sudoku --goal count --stop --enable section-addressing", "give one of them"),
        (3, "queens --set core.fprs=16", "needs more than 16 registers"),
        (3, "sudoku --machine vm7", "section-addressing"),
        (3, "queens --stacks registers --slots 2", "a section works on one stack"),
        (3, "queens --stacks registers --depth 0 --board 30 --queens 30", "--enable more-fprs=128"),
        (
            3,
            "queens --frames 1 --depth 1",
            "section 0 overflowed; give stacks more frames by --frames",
        ),
        (2, "tree --find 3 --rounds 2", "--rounds cannot be used with --find: it would have no"),
        (3, "queens --stores predicated", "conditional stores need --enable conditional-memory"),
        (5, "queens --board 9 --queens 9 --max-cycles 100000", "100000 cycles"),
        (2, "queens --time-limit 1", "--machine"),
        (2, "queens --machine vm9 --time-limit 0", "0 is not in 1.."),
    ] {
        let refused = unwrapped(&folder.expect(code, &format!("kernels run {arguments}")));
        assert!(refused.contains(sentence), "{arguments}: {refused}");
    }
}

#[test]
fn a_search_that_takes_too_long_stops_and_says_what_to_do() {
    let folder = Folder::new();
    // Minutes of simulation.
    let run = "kernels run queens --board 17 --queens 17 --machine vm9";
    let text = folder.expect(5, &format!("{run} {OWN} --time-limit 1 --checkpoint s.chk"));
    assert!(text.contains("--resume continues from the checkpoint"), "{text}");
    let text = unwrapped(&text);
    assert!(
        text.contains(" cycles, when lanes had begun with ") && text.contains(" contexts; "),
        "{text}"
    );
    assert_eq!(folder.names(), ["s.chk"]);
}

/// The process is killed between two calls of the kernel, and what goes on from there gives the same bytes.
#[test]
#[cfg(unix)]
fn a_search_that_is_killed_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    let run = "kernels run queens --board 12 --queens 12 --machine vm9 --json";
    let whole = folder.cp2(run).stdout;
    let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .env("CP2_CACHE_DIR", kit::schedules())
        .args(format!("{run} --checkpoint run.chk --interval 0").split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    while !folder.path("run.chk").exists() {
        assert!(since.elapsed() < Duration::from_secs(120), "no checkpoint");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let again = folder.cp2(&format!("{run} --resume run.chk"));
    assert_eq!(String::from_utf8_lossy(&again.stderr), "");
    assert!(whole == again.stdout);
}
