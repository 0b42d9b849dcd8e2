//! `cp2 debug`: commands of the command line and of standard input.

use crate::kit::Folder;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

const KERNEL: &str = "\
        .kernel count
        seti    g1, 5
again:  updaddr (r1)+1
        updaddr (r1)+1
        nop
        stopi   0
";

#[test]
fn debug_does_the_commands_of_the_command_line_in_turn() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    let told = folder.expect(0, "debug count.s -x loops -x step -x quit -x where");
    assert_eq!(
        told,
        "no hardware loop is active\ncycle 1  @1  again  count.s:3  | updaddr (r1)+1\n     3  again:  updaddr (r1)+1\n"
    );
    assert!(
        folder.expect(2, "debug count.s -x fly -x where").contains("there is no command `fly`")
    );
}

#[test]
fn debug_reads_commands_and_tells_wrong_ones() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    let (code, told) =
        folder.piped("debug count.s", b"b again\nc\n\np a1\nop 2\nback\nprint a1\nq\nfoo\n");
    assert_eq!(code, Some(0), "{told}");
    for line in [
        "cycle 0  @0  count  count.s:2  | seti g1, 5",
        "breakpoint 1: again",
        "@1  again  count.s:3  | updaddr (r1)+1",
        "     3  again:  updaddr (r1)+1",
        "a1 = 0",
        "a1 = 2",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (code, told) = folder.piped("debug count.s", b"stp\nc\n");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("cp2: error: there is no command `stp`; did you mean `step`?"), "{told}");
    assert!(told.contains("the run ends here"), "{told}");
}

#[test]
fn debug_takes_recordings_and_refuses_what_is_none() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    folder.expect(0, "run count.s --record run.cp2rec");
    let told = folder.expect(0, "debug run.cp2rec -x continue -x back");
    assert!(told.contains("the run ends here") && told.contains("count.s:6"), "{told}");
    assert!(told.contains("stopi   0"), "the recording keeps its source: {told}");
    let told = folder.expect(3, "debug gone.s -x where");
    assert!(told.contains("gone.s"), "{told}");
    let told = folder.expect(2, "debug");
    assert!(told.contains("<RUN>"), "{told}");
    let told = folder.expect(2, "debug --dap count.s -x where");
    assert!(told.contains("--dap") && told.contains("cannot be used with"), "{told}");
    let told = folder.expect(2, "debug run.cp2rec --arg n=3 -x where");
    assert!(told.contains("--arg"), "{told}");
}

const PAGE: &str = include_str!("../../../../specs/src/debugger.md");

/// Every command line of the page does what it says, from the root of the repository.
#[test]
fn examples_of_the_page_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let lines: Vec<&str> = PAGE.lines().filter(|line| line.starts_with("cp2 debug ")).collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let line = line.replacen("cp2", env!("CARGO_BIN_EXE_cp2"), 1);
        let mut shell = Command::new("sh");
        let shell = shell.arg("-c").arg(&line).current_dir(&root).stdin(Stdio::null());
        let ran = shell.output().expect("a shell");
        let told = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && told.contains("cycle "), "{line}: {ran:?}");
    }
}

/// The page has the commands that `help` lists, with their short names, and no others.
#[test]
fn the_page_has_the_commands_of_help() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    let help = folder.expect(0, "debug count.s -x help");
    let commands = help.lines().take_while(|line| !line.starts_with("An empty line"));
    let listed = commands.flat_map(|line| [line[..12].trim(), line[12..16].trim()]);
    let listed: BTreeSet<&str> = listed.filter(|name| !name.is_empty()).collect();
    let table = PAGE.split("## ").next().unwrap_or_default();
    let columns = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let quoted = columns.flat_map(|column| column.split('`').skip(1).step_by(2));
    let words = quoted.map(|text| text.split(' ').next().unwrap_or_default());
    let is_name =
        |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let told: BTreeSet<&str> = words.filter(is_name).collect();
    assert_eq!(told, listed);
}

/// Each way of writing a value that the page lists is one.
#[test]
fn values_of_the_page_are_values() {
    let folder = Folder::new();
    let kernel = "        .kernel k\n        .array  x, in, float32, 8\n        seti    a0, x\n        stopi   0\n        .lmem   all\nx:      .complex 1, 2, 3, 4, 5, 6, 7, 8\n";
    folder.write("k.s", kernel);
    let section = PAGE.split("## Values").nth(1).unwrap_or_default();
    let table = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let values = table.flat_map(|column| column.split('`').step_by(2));
    // The array of the test is one of floats with one axis, and the machine has CP2 alone.
    let is_other = |text: &&str| ["].re", "].im", "][", "memory["].iter().any(|p| text.contains(p));
    let values: Vec<&str> = values.filter(|text| !is_other(text)).collect();
    assert!(values.len() >= 11, "{values:?}");
    let commands: String = values.iter().map(|value| format!("print {value}\n")).collect();
    let (code, told) = folder.piped("debug k.s", format!("step\n{commands}").as_bytes());
    assert_eq!(code, Some(0), "{told}");
    for expected in ["x[7] = 8", "x[7].s2 = 8", "x[2] = 3", "[100].hi.s3 = 00000000 (0)"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}
