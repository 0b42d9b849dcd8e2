//! Recursive searches by `cp2 gpu run`.

use super::report;
use crate::kit::{Folder, unwrapped};
use serde_json::Value;

/// Options of a small device, so that tests take little time.
const SMALL: &str = "--items 8 --groups 3";

const LARGE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
const SOLUTION: &str =
    "293864715846517932571239468418753629735926184962481357154372896689145273327698541";

/// Returns the only search of a report.
fn search(folder: &Folder, arguments: &str) -> Value {
    let found = report(folder, &format!("run {arguments} {SMALL}"), "gpu-search");
    assert_eq!(found["searches"].as_array().unwrap().len(), 1, "{found}");
    found["searches"][0].clone()
}

#[test]
fn gpu_searches_have_the_values_and_nodes_of_the_host() {
    let folder = Folder::new();
    folder.write("rows.txt", "columns 7\n0 3 6\n0 3\n3 4 6\n2 4 5\n1 2 5 6\n1 6\n");
    for (arguments, value, nodes) in [
        ("queens --board 8 --queens 6", 22708, 53281),
        ("queens --stack private --dealing cyclic --depth 3", 92, 2057),
        ("tree --width 4 --levels 5 --rounds 8", 1_644_339_312_u64, 1365),
        ("tree --width 4 --levels 5 --rounds 8 --linked --stack local", 1_644_339_312, 1365),
        ("cover rows.txt", 1, 6),
        ("fibonacci 15", 610, 1219),
    ] {
        let found = search(&folder, &format!("{arguments} --verify"));
        assert_eq!(found["verified"], true, "{found}");
        assert_eq!(found["value"], value, "{found}");
        assert_eq!(found["nodes"], nodes, "{found}");
    }
    let found = search(&folder, "tree --width 2 --levels 2 --search 2 --verify");
    assert_eq!((&found["value"], &found["found"]), (&5.into(), &true.into()));
    let found = search(&folder, "tree --width 2 --levels 2 --search 9 --verify");
    assert_eq!((&found["value"], &found["found"]), (&7.into(), &false.into()));
    let text = folder.expect(0, &format!("gpu run queens --board 6 {SMALL}"));
    assert!(text.contains("queens 6 on 6 x 6: 4 (placements)\n  153 nodes"), "{text}");
}

#[test]
fn gpu_puzzles_are_solved_a_line_each() {
    let folder = Folder::new();
    folder.write("p.txt", format!("# two\n{LARGE}\n..3.1........4.2\n"));
    for rule in ["first", "fewest"] {
        let arguments = format!("run sudoku p.txt --rule {rule} --verify {SMALL}");
        let found = report(&folder, &arguments, "gpu-search");
        let solved = |at: usize| &found["searches"][at];
        assert_eq!(solved(0)["solution"], SOLUTION, "{found}");
        assert_eq!(solved(1)["solution"], "4231132421433412");
        assert_eq!((&solved(0)["verified"], &solved(0)["found"]), (&true.into(), &true.into()));
        let found = report(&folder, &format!("{arguments} --goal count"), "gpu-search");
        assert_eq!(found["searches"][0]["nodes"], if rule == "first" { 13106 } else { 54 });
        assert_eq!(found["searches"][1]["verified"], true);
    }
    let made = "sudoku --generate 1 --rows 4 --clues 6 --seed 3 --write made.txt --verify";
    let found = search(&folder, made);
    assert_eq!(found["subject"], "puzzle of seed 3");
    let again = search(&folder, "sudoku made.txt --verify");
    assert_eq!(found["solution"], again["solution"]);
}

#[test]
fn gpu_searches_stop_at_a_time_and_go_on() {
    let folder = Folder::new();
    // Several seconds of one work-item after the other.
    let shape = "queens --board 15 --depth 3 --items 2 --groups 1 --stack local";
    let command = format!("gpu run {shape} --time-limit 1 --checkpoint s.json --json");
    let text = folder.expect(5, &command);
    let stopped: Value = serde_json::from_str(&text).unwrap();
    let note = stopped["notes"][0].as_str().unwrap_or_default();
    assert!(note.starts_with("the time is over: ") && note.contains("--resume s.json"), "{note}");
    let found = report(&folder, &format!("run {shape} --resume s.json"), "gpu-search");
    let found = &found["searches"][0];
    assert_eq!((&found["value"], &found["whole"]), (&2_279_184.into(), &true.into()));
    // What had ended when it was resumed makes no nodes, so that there is no rate.
    let ended = "queens --board 8 --items 2 --groups 1 --checkpoint e.json";
    let text = folder.expect(0, &format!("gpu run {ended}"));
    assert!(text.contains(" nodes/s"), "{text}");
    let text = folder.expect(0, &format!("gpu run {ended} --resume e.json"));
    assert!(
        text.contains(": 92 (") && text.contains("; no context was left to be solved"),
        "{text}"
    );
    assert!(!text.contains("nodes/s"), "{text}");
    let before = &stopped["searches"][0];
    assert_eq!((&before["whole"], &found["done"]), (&false.into(), &found["contexts"]));
    let text = folder.expect(3, "gpu run queens --board 11 --resume s.json");
    assert!(
        unwrapped(&text).contains("s.json: a checkpoint of another search, queens 15"),
        "{text}"
    );
    folder.write("t.json", "{\"schema\": \"cp2-gpu-search-state-1\", \"done\": -1}");
    let text = folder.expect(3, "gpu run queens --resume t.json");
    assert!(unwrapped(&text).contains("t.json: `"), "{text}");
}

#[test]
fn gpu_searches_that_cannot_be_are_told() {
    let folder = Folder::new();
    folder.write("twice.txt", "..3.1........4.2\n3.3.1........4.2\n");
    folder.write("two.txt", "..3.1........4.2\n..3.1........4.2\n");
    folder.write("stuck.txt", "123.........312.\n");
    folder.write("rows.txt", "0 1\n1 x\n");
    for (code, arguments, sentence) in [
        (3, "queens --board 5 --queens 6", "6 queens on a board of 5 rows; each row has one"),
        (3, "queens --board 40", "a board of 40 rows; a board has 1 to 30 rows"),
        (3, "queens --frames 2 --depth 1", "in group 0, overflowed: a call at depth 2"),
        (3, "queens --items 1000000", "groups of 1000000 work-items; a group"),
        (3, "queens --board 30 --queens 15 --depth 7", "hand contexts over at a smaller depth"),
        (3, "queens --device 99", "there is no device 99"),
        (3, "sudoku twice.txt", "twice.txt: line 2: row 1, column 3: 3 is in this row"),
        (3, "sudoku stuck.txt", "stuck.txt: line 1: row 4, column 4: no number fits this cell"),
        (3, "sudoku --generate 1 --rows 10", "puzzles of 10 rows; a puzzle has 4, 9 or 16"),
        (3, "cover rows.txt", "rows.txt: line 2, character 3: `x` is no column"),
        (3, "fibonacci 9 --stack shared", "calls of this task return values"),
        (2, "sudoku two.txt --checkpoint s.json", "--checkpoint: 2 puzzles; a checkpoint is of"),
        (2, "sudoku two.txt --clues 20", "'[FILE]' cannot be used with '--clues"),
        (2, "sudoku two.txt --seed 20", "cannot be used with"),
        (2, "sudoku two.txt --rows 4", "cannot be used with"),
        (2, "sudoku two.txt --write made.txt", "cannot be used with"),
        (2, "tree --search 3 --rounds 2", "cannot be used with"),
        (2, "queens --frames 0", "0 is not in 1.."),
        (2, "queens --fused", "unexpected argument '--fused'"),
        (2, "mg --board 8", "unexpected argument '--board'"),
        (2, "sudoku", "<FILE>"),
        (2, "fibonacci 48", "48 is not in 1..=47"),
    ] {
        let text = unwrapped(&folder.expect(code, &format!("gpu run {arguments}")));
        assert!(text.contains(sentence), "{arguments}: {text}");
    }
    // Every cell has a number that fits it until a choice is made.
    folder.write("none.txt", "4.....1......1.4\n");
    let text = folder.expect(1, &format!("gpu run sudoku none.txt --verify {SMALL}"));
    assert!(text.contains("note: none.txt: line 1: the puzzle has no solution"), "{text}");
    folder.write("open.txt", format!("\n{}\n", ".".repeat(16)));
    let text = folder.expect(0, &format!("gpu run sudoku open.txt --goal count {SMALL}"));
    let note = "note: open.txt: line 2: the puzzle has 288 solutions; a proper one has one";
    assert!(unwrapped(&text).contains(note), "{text}");
}

/// The commands that the page of searches shows.
#[test]
fn gpu_commands_of_the_page_of_searches_run() {
    let folder = Folder::new();
    let page = format!("{}/../specs/src/recursion.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let commands = page.lines().filter_map(|line| line.strip_prefix("cp2 gpu "));
    let commands: Vec<&str> = commands.map(|line| line.split("   ").next().unwrap()).collect();
    assert!(commands.len() > 3, "{commands:?}");
    for command in commands {
        let text = folder.expect(0, &format!("gpu {command} {SMALL}"));
        assert!(text.contains(" nodes, ") && text.contains("lane efficiency"), "{text}");
    }
}
