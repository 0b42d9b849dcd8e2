//! `cp2 fmt`.

use crate::kit::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MESSY: &str = "top:seti a0,0 ; begin\n\n\n  | stopi 0\n";
const NEAT: &str = "top:    seti    a0, 0                   ; begin\n\n        | stopi 0\n";

#[test]
fn sources_are_laid_out_in_place() {
    let folder = Folder::new();
    let paths = [folder.write("a.s", MESSY), folder.write("b.s", NEAT)];
    let before = std::fs::metadata(&paths[1]).unwrap().modified().unwrap();
    assert_eq!(folder.expect(0, "fmt a.s b.s"), "");
    paths.iter().for_each(|path| assert_eq!(std::fs::read_to_string(path).unwrap(), NEAT));
    assert_eq!(std::fs::metadata(&paths[1]).unwrap().modified().unwrap(), before, "not written");
}

#[test]
fn a_check_names_the_first_line_that_would_change() {
    let folder = Folder::new();
    let path = folder.write("a.s", MESSY);
    folder.write("b.s", NEAT);
    folder.write("c.s", "        nop\n\n");
    let told = folder.expect(1, "fmt --check a.s b.s c.s");
    let first = "a.s:1: would change\n  - top:seti a0,0 ; begin\n  + top:    seti    a0, 0                   ; begin\n";
    let last = "c.s:2: the ends of lines or of the file would change\n";
    assert_eq!(told, format!("{first}{last}"));
    assert_eq!(std::fs::read_to_string(path).unwrap(), MESSY);
    assert_eq!(folder.expect(0, "fmt --check b.s"), "");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = Folder::new();
    let path = folder.write("a.s", MESSY);
    let output = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .args(["fmt", "-"])
        .stdin(Stdio::from(std::fs::File::open(path).unwrap()))
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), NEAT);
}

#[test]
fn programs_of_the_star_machine_are_laid_out_too() {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/star");
    let program = sources_in(&root, "star").into_iter().next().unwrap();
    let neat = std::fs::read_to_string(&program).unwrap();
    let path = folder.write("a.star", neat.replace("    ", "\t"));
    folder.expect(0, "fmt a.star");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), neat);
    folder.write("b.star", "procedure (");
    let told = folder.expect(3, "fmt a.star b.star");
    assert!(told.contains("b.star:1:"), "{told}");
}

#[test]
fn what_is_no_source_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let path = folder.write("a.s", MESSY);
    folder.write("b.s", b"nop\n\xff\xfe\n");
    let told = folder.expect(3, "fmt a.s b.s");
    assert!(told.contains("b.s:2: this is no UTF-8 text"), "{told}");
    let told = folder.expect(3, "fmt a.s none.s");
    assert!(told.contains("none.s"), "{told}");
    let toml = folder.write("work.toml", "a=1\n");
    let told = folder.expect(3, "fmt a.s work.toml");
    assert!(told.contains("work.toml is no source by its name"), "{told}");
    assert_eq!(std::fs::read_to_string(toml).unwrap(), "a=1\n");
    assert_eq!(std::fs::read_to_string(path).unwrap(), MESSY);
}

#[test]
fn the_examples_and_the_templates_have_their_layout() {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for place in ["examples", "programs/workloads/src/project", "programs/c/examples"] {
        for file in sources_in(&root.join(place), "s") {
            folder.expect(0, &format!("fmt --check {}", file.display()));
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}

/// Returns the files with an ending in a folder and those below.
fn sources_in(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.is_dir() {
        true => sources_in(&path, end),
        false if path.extension().is_some_and(|own| own == end) => vec![path],
        false => Vec::new(),
    };
    entries.flat_map(of).collect()
}
