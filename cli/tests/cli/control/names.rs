//! Kernels, labels and lines of CP2 in runs of a program of the control processor.

use super::process::with_example;
use crate::kit::Folder;
use serde_json::Value;
use std::path::Path;

/// Returns the text of a source of the examples in C.
fn source(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/c/examples");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Returns a folder with a program whose kernels take turns at one place of instruction memory, with the source of the
/// one that it does not carry, and with a recording.
fn with_turns(options: &str) -> (Folder, String) {
    let folder = with_example("turns.elf");
    folder.write("third.s", source("turns_third.s"));
    let told = folder.expect(4, &format!("run turns.elf --record t.cp2rec {options}"));
    (folder, told)
}

/// Returns cycles and kernel of the lines of an account, as `FILE:LINE KERNEL CYCLES`.
fn lines(folder: &Folder, recording: &str) -> Vec<String> {
    let output = folder.cp2(&format!("stats {recording} --json"));
    let account: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = account["profile"]["lines"].as_array().unwrap();
    let line = |line: &Value| {
        let file = line["file"].as_str().map_or("", |file| file.rsplit('/').next().unwrap());
        format!("{file}:{} {} {}", line["line"], line["kernel"].as_str().unwrap(), line["cycles"])
    };
    let mut lines: Vec<String> = lines.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn an_object_that_a_program_carries_names_its_kernels() {
    let folder = with_example("scale.elf");
    folder.expect(0, "run scale.elf --record s.cp2rec");
    let lines = lines(&folder, "s.cp2rec");
    assert!(lines.iter().any(|line| line.starts_with("scale.s:13 scale ")), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("scale.s:")), "{lines:?}");
    assert!(folder.expect(0, "stats s.cp2rec --verify").contains("scale"));
    folder.expect(0, "report s.cp2rec -o s.html");
    assert!(std::fs::read_to_string(folder.path("s.html")).unwrap().contains("scale.s"));
}

#[test]
fn kernels_that_take_turns_have_their_own_lines() {
    let (folder, told) = with_turns("--cp2 third.s@16");
    assert!(told.starts_with("2\n1\n"), "{told}");
    assert!(told.contains("turns.elf: bundle 18 of CP2 is third.s:5 (away)"), "{told}");
    let expected = [
        "third.s:3 third 1",
        "third.s:4 third 1",
        "turns_first.s:3 first 2",
        "turns_first.s:4 first 2",
        "turns_first.s:5 first 2",
        "turns_first.s:6 first 16",
        "turns_first.s:7 first 16",
        "turns_first.s:8 first 16",
        "turns_first.s:9 first 2",
        "turns_second.s:10 second 1",
        "turns_second.s:11 second 1",
        "turns_second.s:3 second 1",
        "turns_second.s:4 second 1",
        "turns_second.s:5 second 1",
        "turns_second.s:6 second 1",
        "turns_second.s:7 second 1",
        "turns_second.s:8 second 1",
        "turns_second.s:9 second 1",
    ];
    assert_eq!(lines(&folder, "t.cp2rec"), expected);
    let text = folder.expect(0, "stats t.cp2rec --verify");
    // The recording has the text of a source, but not of an object.
    assert!(text.contains("seti") && text.contains("second: middle"), "{text}");
}

/// Returns the cycles of an operation in a trace, by a part of its text.
fn cycles_of(trace: &str, operation: &str) -> Vec<u64> {
    let rows = trace.lines().filter(|row| row.contains(operation));
    rows.map(|row| row.split(',').nth(1).unwrap().parse().unwrap()).collect()
}

#[test]
fn a_cycle_has_the_names_of_the_kernel_that_was_there() {
    let (folder, _) = with_turns("--cp2 third.s@16");
    folder.expect(0, "trace t.cp2rec -o all.csv");
    let all = std::fs::read_to_string(folder.path("all.csv")).unwrap();
    for (operation, line) in [("seti g3", "turns_first.s,3"), ("seti g4", "turns_second.s,3")] {
        assert!(all.lines().filter(|row| row.contains(operation)).all(|row| row.contains(line)));
    }
    // Bundle 0 is of the first kernel, of the second, and of the first again.
    let first = cycles_of(&all, "seti g3");
    let second = cycles_of(&all, "seti g4");
    assert_eq!((first.len(), second.len()), (2, 1));
    assert!(first[0] < second[0] && second[0] < first[1], "{first:?} {second:?}");
    for (cycle, line) in [
        (first[0], "turns_first.s:3 (first)"),
        (second[0], "turns_second.s:3 (second)"),
        (first[1], "turns_first.s:3 (first)"),
    ] {
        let why = folder.expect(0, &format!("why t.cp2rec --cycle {cycle}"));
        assert!(why.contains(line), "{why}");
        let window = format!("trace t.cp2rec --cycles {cycle}..{} -o w.csv", cycle + 2);
        assert_eq!(folder.expect(0, &window), "");
        let rows = std::fs::read_to_string(folder.path("w.csv")).unwrap();
        assert!(rows.contains(line.split(':').next().unwrap()), "{rows}");
    }
    // A verification counts on its way what each of them costs.
    assert_eq!(folder.expect(0, "stats t.cp2rec"), folder.expect(0, "stats --verify t.cp2rec"));
    // What the second kernel has computed, seen from the first.
    let value = folder.expect(0, &format!("why t.cp2rec --value g6@{}", first[1] + 8));
    assert!(
        value.contains("turns_second.s:5 (middle)") && value.contains("turns_second.s:3"),
        "{value}"
    );
}

#[test]
fn other_bundles_have_no_names() {
    // At another place, another version, and a kernel that was never loaded.
    let other = source("turns_third.s").replace("60000", "60001");
    let folder = with_example("turns.elf");
    folder.write("third.s", source("turns_third.s"));
    folder.write("other.s", other);
    for option in ["--cp2 third.s", "--cp2 third.s@17", "--cp2 other.s@16"] {
        let told = folder.expect(4, &format!("run turns.elf --record t.cp2rec {option}"));
        assert!(told.contains("CP2: bundle 18") && !told.contains("of CP2 is"), "{told}");
        let output = folder.cp2("stats t.cp2rec --json");
        let account: Value = serde_json::from_slice(&output.stdout).unwrap();
        let lines = account["profile"]["lines"].to_string();
        assert!(lines.contains("turns_first.s"), "{option}: {lines}");
        assert!(!lines.contains("third.s") && !lines.contains("other.s"), "{option}: {lines}");
    }
}

#[test]
fn programs_that_are_none_are_refused() {
    let (folder, _) = with_turns("");
    folder.write("bad.s", ".kernel k\n nonsense\n");
    for (options, code, message) in [
        ("--cp2 none.s", 3, "cannot read none.s"),
        ("--cp2 bad.s", 3, "nonsense"),
        ("--cp2 third.s@x", 2, "write FILE@ADDRESS"),
        ("--cp2 third.s@70000", 2, "write FILE@ADDRESS"),
        ("--cp2 third.s@8190", 3, "ends beyond instruction memory"),
        ("--cp2 turns.elf", 3, "a program for the control processor"),
        ("--cp2 third.s@16 --record third.s", 2, "would replace the input third.s"),
        ("--cp2 third.s@16 --user", 2, "cannot be used with"),
    ] {
        let text = folder.expect(code, &format!("run turns.elf {options}"));
        assert!(text.contains(message), "{options}: {text}");
    }
    let text = folder.expect(2, "run third.s --cp2 third.s");
    assert!(text.contains("--cp2 is for programs of the control processor"), "{text}");
}
