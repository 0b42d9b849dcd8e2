//! The tutorial of the book shows what its commands print.

use crate::kit::{Folder, schedules};
use std::path::Path;
use std::process::{Command, Output};

/// Folder of the repository.
fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Copies the files of a folder of the repository, but not those of folders in it.
fn copy(name: &str, folder: &Folder) {
    std::fs::create_dir_all(folder.path(name)).unwrap();
    for entry in std::fs::read_dir(root().join(name)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, folder.path(name).join(path.file_name().unwrap())).unwrap();
        }
    }
}

/// A block of a page between two lines of three backticks.
struct Block<'a> {
    /// Word behind the backticks.
    kind: &'a str,
    text: &'a str,
    /// Whether nothing stands between it and the block before.
    follows: bool,
}

/// Returns the blocks of a page in their order.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut parts = page.split("```");
    let mut between = parts.next();
    let mut found = Vec::new();
    while let (Some(before), Some(inside)) = (between, parts.next()) {
        let (kind, text) = inside.split_once('\n').unwrap();
        found.push(Block { kind, text: text.trim_end(), follows: before.trim().is_empty() });
        between = parts.next();
    }
    found
}

/// Runs a command of a page in the folder.
fn run(folder: &Folder, command: &str) -> Output {
    let words: Vec<&str> = command.split_whitespace().collect();
    let program = match words[0] {
        "cp2" => env!("CARGO_BIN_EXE_cp2"),
        "python3" => "python3",
        _ => panic!("`{command}` is no command of cp2, nor of Python"),
    };
    let mut process = Command::new(program);
    process.current_dir(folder.path("")).env("CP2_CACHE_DIR", schedules());
    process.args(&words[1..]).output().unwrap()
}

/// Makes the changes of a block: its first line names the file, `@@` stands between two places. The lines that stay or go have to be
/// in the file once.
fn change(folder: &Folder, block: &str) {
    let (head, places) = block.split_once('\n').unwrap();
    let name = head.strip_prefix("--- ").unwrap();
    let mut text = std::fs::read_to_string(folder.path(name)).unwrap();
    for place in places.split("@@\n") {
        let side = |left_out: char| {
            let lines = place.lines().filter(|line| !line.starts_with(left_out));
            lines.map(|line| line[1..].to_owned() + "\n").collect::<String>()
        };
        let (old, new) = (side('+'), side('-'));
        assert_eq!(text.matches(&old).count(), 1, "{name} has other lines than the page:\n{old}");
        text = text.replace(&old, &new);
    }
    std::fs::write(folder.path(name), text).unwrap();
}

/// Returns the lines of a printed text, as many as a block shows, that have most words in common with the block.
fn nearest(printed: &str, shown: &str) -> String {
    let (lines, wanted): (Vec<&str>, Vec<&str>) =
        (printed.lines().collect(), shown.lines().collect());
    let common = |(line, wanted): (&&str, &&str)| {
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let all = line.split_whitespace().filter(|word| words.contains(word)).count();
        all + usize::from(line == wanted)
    };
    let score = |at: usize| lines[at..].iter().zip(&wanted).map(common).sum::<usize>();
    // The first of those that are equally near.
    let last = lines.len().saturating_sub(wanted.len());
    let best = (0..=last).rev().max_by_key(|&at| score(at)).unwrap_or_default();
    let end = lines.len().min(best + wanted.len());
    lines[best..end].join("\n").trim_end().to_owned()
}

/// Runs the commands of a page in their order, makes its changes, and compares what it shows: a block of text behind commands is a
/// part of what they printed, as is another one behind that. Returns how many blocks were compared, and the page: where
/// CP2_BLESS is set, with what was printed in place of what is no part of it.
fn follow(page: &str, folder: &Folder) -> (usize, String) {
    let is_blessing = std::env::var_os("CP2_BLESS").is_some();
    let mut blessed = page.to_owned();
    let blocks = blocks(page);
    let (mut printed, mut n_compared) = (None, 0);
    for (at, block) in blocks.iter().enumerate() {
        let is_shown = blocks.get(at + 1).is_some_and(|next| next.kind == "text" && next.follows);
        match (block.kind, printed.take().filter(|_| block.follows)) {
            ("sh", _) => {
                let mut text = String::new();
                for command in block.text.lines() {
                    let output = run(folder, command);
                    assert!(output.status.success() || is_shown, "{command}: {output:?}");
                    assert!(matches!(output.status.code(), Some(0..=3)), "{command}: {output:?}");
                    text += str::from_utf8(&output.stdout).unwrap();
                    text += str::from_utf8(&output.stderr).unwrap();
                }
                printed = Some(text);
            }
            ("text", Some(text)) => {
                if is_blessing && !text.contains(block.text) {
                    let shown = format!("```text\n{}\n", block.text);
                    blessed = blessed
                        .replace(&shown, &format!("```text\n{}\n", nearest(&text, block.text)));
                    n_compared += 1;
                    printed = Some(text);
                    continue;
                }
                assert!(text.contains(block.text), "{}\nis no part of\n{text}", block.text);
                n_compared += 1;
                printed = Some(text);
            }
            ("diff", _) => change(folder, block.text),
            ("toml", _) => {
                let name = block.text.lines().next().and_then(|line| line.strip_prefix("# "));
                folder.write(name.unwrap(), block.text);
            }
            ("asm", _) => {
                let source = std::fs::read_to_string(folder.path("mine/mine.s")).unwrap();
                assert!(source.contains(block.text), "no part of mine.s:\n{}", block.text);
            }
            _ => {}
        }
    }
    (n_compared, blessed)
}

/// Runs the commands of a page of the book, and compares what it shows; where CP2_BLESS is set, writes the page anew.
/// Returns how many blocks were compared.
fn follow_page(name: &str, folder: &Folder) -> usize {
    let path = root().join("specs/src").join(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let (n_compared, blessed) = follow(&page, folder);
    if blessed != page {
        std::fs::write(path, blessed).unwrap();
    }
    n_compared
}

#[test]
fn what_is_printed_takes_the_place_of_the_lines_that_are_nearest() {
    let printed = "cycles us\n  2070  -\n  3100  5\n\ntwo  4096 more\n";
    assert_eq!(nearest(printed, "cycles us\n  2075  -"), "cycles us\n  2070  -");
    assert_eq!(nearest(printed, "two  4000 more"), "two  4096 more");
}

#[test]
fn the_first_steps_show_real_output() {
    let page = std::fs::read_to_string(root().join("specs/src/tutorial.md")).unwrap();
    for name in ["examples/twelve.s", "examples/axpy.s"] {
        let source = std::fs::read_to_string(root().join(name)).unwrap();
        assert!(page.contains(source.trim_end()), "{name}");
    }
    let folder = Folder::new();
    for name in ["examples", "examples/fir", "examples/polynomial", "examples/matvec"] {
        copy(name, &folder);
    }
    let n_compared = follow_page("tutorial.md", &folder);
    assert!(n_compared > 10, "{n_compared} blocks were compared");
}

#[test]
fn a_kernel_of_your_own_is_made_as_the_page_says() {
    let folder = Folder::new();
    let n_compared = follow_page("own-kernel.md", &folder);
    assert!(n_compared > 15, "{n_compared} blocks were compared");
    assert!(std::fs::read_to_string(folder.path("mine/run.html")).unwrap().contains("mine"));
}
