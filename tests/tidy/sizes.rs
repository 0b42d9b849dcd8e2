//! How large things may be: files, folders, structs; and that every file is a part of something. Functions are clippy's
//! business (`too-many-lines-threshold` in `clippy.toml`).

use super::{files, root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most lines of a file.
const LINES: usize = 500;
/// Most files of a folder.
const FILES: usize = 20;
/// Most folders at the top.
const TOP: usize = 18;
/// Most fields of a struct.
const FIELDS: usize = 12;

/// Folders of data and pages, which are lists.
const LISTS: [&str; 4] =
    ["assembler/codes", "emulator/k64/tests/fixtures", "specs/src", "specs/schemas"];

/// Structs that are tables: each field is a row of what it stands for, which has no parts.
const TABLES: [(&str, &str); 12] = [
    ("assembler/sched/src/report.rs BlockReport", "the rows of a report"),
    (
        "assembler/sched/src/stored.rs StoredBlock",
        "what is kept of a block, in the order of the bytes",
    ),
    ("cli/src/args.rs Run", "the options of a command, in the order of its help"),
    ("cli/src/args/dma.rs Dma", "the options of a command, in the order of its help"),
    (
        "emulator/fast/src/abi/context.rs Context",
        "what translated code finds at fixed displacements",
    ),
    ("emulator/fast/src/abi/context.rs Live", "the registers of the machine"),
    ("emulator/k64/src/cp0.rs Cp0", "the registers of the machine"),
    ("emulator/portable/src/checkpoint.rs Registers", "the registers of the machine"),
    ("emulator/src/state.rs State", "the registers and memories of the machine"),
    ("gui/src/main.rs Arguments", "the options of a command, in the order of its help"),
    ("programs/workloads/src/workload/counted.rs CountRow", "the rows of a report"),
    ("tests/oracle/times.rs Times", "the latencies of the machine"),
];

/// A path from the root of the tree.
fn within(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Folders with the files that are directly in them.
fn folders() -> BTreeMap<String, usize> {
    let mut all = Vec::new();
    files(&root(), "", &mut all);
    let mut folders = BTreeMap::new();
    for path in all {
        let folder = path.parent().map(within).unwrap_or_default();
        let is_kept = !folder.contains("snapshots") && !folder.contains("fuzz/corpus");
        if is_kept && !folder.contains("fuzz/artifacts") {
            *folders.entry(folder).or_default() += 1;
        }
    }
    folders
}

#[test]
fn files_have_one_purpose() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= LINES, "{}: {lines} lines; split it", within(&path));
    }
}

#[test]
fn folders_are_rooms_that_one_look_takes_in() {
    for (folder, n) in folders() {
        let is_list = LISTS.iter().any(|list| folder.starts_with(list));
        let is_data = ["tests/files", "tests/hostile/found"].iter().any(|f| folder.starts_with(f));
        assert!(n <= FILES || is_list || is_data, "{folder}: {n} files; make rooms of them");
    }
    let top: Vec<PathBuf> = std::fs::read_dir(root())
        .expect("the tree")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && !path.ends_with("target"))
        .filter(|path| !within(path).starts_with('.'))
        .collect();
    assert!(top.len() <= TOP, "{} folders at the top", top.len());
}

/// The structs of a source, each with its line and how many fields it has: as rustfmt writes them, a struct ends in the column
/// where it begins.
fn structs(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        let words = rest.split_whitespace().skip_while(|word| word.starts_with("pub"));
        let words: Vec<&str> = words.collect();
        let ["struct", name, ..] = words[..] else { continue };
        let name = name.split(['<', '(', ';', ':']).next().unwrap_or_default().to_owned();
        let end = format!("{indent}}}");
        let body = lines[at + 1..].iter().take_while(|line| **line != end);
        let inner = format!("{indent}    ");
        let is_field = |line: &&&str| {
            let Some(field) = line.strip_prefix(inner.as_str()) else { return false };
            let field = field.strip_prefix("pub").map_or(field, |rest| {
                rest.strip_prefix('(').and_then(|r| r.split_once(") ")).map_or(rest, |(_, r)| r)
            });
            let name = field.trim_start().split(": ").next().unwrap_or_default();
            field.contains(": ") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if rest.ends_with('{') {
            found.push((name, at + 1, body.filter(is_field).count()));
        }
    }
    found
}

#[test]
fn structs_have_named_parts() {
    let mut tables: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
    for (path, text) in sources() {
        for (name, line, n) in structs(&text) {
            let known = format!("{} {name}", within(&path));
            let is_table = tables.iter().position(|table| *table == known);
            if n > FIELDS {
                assert!(is_table.is_some(), "{known}: {n} fields at line {line}; give it parts");
                is_table.map(|k| tables.remove(k));
            }
        }
    }
    assert!(tables.is_empty(), "there is no such table: {tables:?}");
}

#[test]
fn fields_are_counted() {
    let text = "pub(crate) struct A<T> {\n    /// A: b.\n    pub(super) a: T,\n    b: u8,\n    pub c: u8,\n}\nstruct B(u8);\n";
    assert_eq!(structs(text), [("A".to_owned(), 1, 3)]);
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part.as_os_str() == ".." {
            true => drop(plain.pop()),
            false => plain.push(part),
        }
        plain
    })
}

/// The files that a source may mean by its declarations of modules.
fn declared(path: &Path, text: &str, found: &mut BTreeSet<PathBuf>) {
    let near = path.parent().unwrap_or(path);
    for line in text.lines().map(str::trim) {
        if let Some(given) = line.strip_prefix("#[path = \"").and_then(|l| l.strip_suffix("\"]")) {
            found.insert(plain(&near.join(given)));
        }
        let name = line.strip_suffix(';').and_then(|l| l.rsplit_once("mod ")).map(|(_, name)| name);
        for folder in name.map(|_| [near.to_owned(), path.with_extension("")]).into_iter().flatten()
        {
            let name = name.unwrap_or_default();
            found.extend([folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]);
        }
    }
}

/// Sources that no other one declares as a module, and that are no program of their own, are never compiled.
#[test]
fn every_file_is_compiled() {
    let mut known = BTreeSet::new();
    let all = sources();
    all.iter().for_each(|(path, text)| declared(path, text, &mut known));
    let mut manifests = Vec::new();
    files(&root(), "Cargo.toml", &mut manifests);
    for manifest in manifests {
        let text = std::fs::read_to_string(&manifest).expect("UTF-8");
        let folder = manifest.parent().unwrap_or(&manifest);
        for (_, rest) in text.lines().filter_map(|line| line.split_once("path = \"")) {
            let path = rest.split('"').next().unwrap_or_default();
            known.insert(plain(&folder.join(path)));
        }
    }
    for (path, _) in all {
        let name = path.file_name().unwrap_or_default();
        let folder = path.parent().unwrap_or(&path);
        let is_root = ["main.rs", "lib.rs", "build.rs"].iter().any(|root| name == *root)
            || ["examples", "benches", "tests"].iter().any(|own| folder.ends_with(own));
        assert!(is_root || known.contains(&path), "{}: no module of anything", within(&path));
    }
}
