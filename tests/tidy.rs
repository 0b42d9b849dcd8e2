//! Rules of the source tree that no compiler checks.

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/words.rs"]
mod words;
#[path = "tidy/worked.rs"]
mod worked;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Files below a folder with this ending, but for build results.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && name != "target" && name != "book" && !name.starts_with('.') {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root(), ".rs", &mut found);
    found.sort();
    assert!(found.len() > 40, "the sources were not found");
    found.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).expect("UTF-8"))).collect()
}

#[test]
fn every_file_says_what_lives_in_it() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{}: no `//!` line at the top", path.display());
    }
}

#[test]
fn every_allow_has_a_reason() {
    for (path, text) in sources() {
        for (i, line) in text.lines().enumerate() {
            let attribute = line.trim_start();
            let is_one =
                ["#[allow(", "#![allow(", "#[expect("].iter().any(|a| attribute.starts_with(a));
            if is_one {
                let rest: String = text.lines().skip(i).take(5).collect();
                let whole = rest.split(']').next().unwrap_or_default().to_owned();
                assert!(
                    whole.contains("reason ="),
                    "{}:{}: allow without a reason",
                    path.display(),
                    i + 1
                );
            }
        }
    }
}

/// A word that must not stand in a source, put together so that this file does not have it.
fn words(parts: &[[&str; 2]]) -> Vec<String> {
    parts.iter().map(|[a, b]| format!("{a}{b}")).collect()
}

#[test]
fn nothing_is_left_unfinished() {
    let forbidden =
        words(&[["todo", "!("], ["unimplemented", "!("], ["dbg", "!("], ["#[ign", "ore"]]);
    for (path, text) in sources() {
        for word in &forbidden {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn texts_name_no_path_of_a_machine() {
    let forbidden = words(&[["/wo", "rk/"], ["/ho", "me/"], ["/ro", "ot/"]]);
    let mut texts = Vec::new();
    for ending in [".md", ".toml", ".rs", ".s"] {
        files(&root(), ending, &mut texts);
    }
    for path in texts {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        for word in &forbidden {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

/// The folders of the members of the workspace; `FOLDER/*` of the manifest is every crate in that folder.
fn members() -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let line = manifest.lines().find(|l| l.starts_with("members")).expect("members");
    let mut members = Vec::new();
    for member in line.split('"').skip(1).step_by(2) {
        let Some(folder) = member.strip_suffix("/*") else {
            members.push(member.to_owned());
            continue;
        };
        for entry in std::fs::read_dir(root().join(folder)).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.join("Cargo.toml").is_file() {
                let name = path.file_name().unwrap_or_default().display();
                members.push(format!("{folder}/{name}"));
            }
        }
    }
    members.sort();
    members
}

#[test]
fn the_architecture_document_knows_every_member() {
    let document = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document");
    for member in members() {
        assert!(
            document.contains(&format!("`{member}/`")),
            "ARCHITECTURE.md does not name {member}/"
        );
    }
    assert!(document.lines().count() < 300, "ARCHITECTURE.md is longer than 300 lines");
}

/// The README shows the example of embedding as it is run.
#[test]
fn the_readme_has_the_example_of_embedding() {
    let read = |name| std::fs::read_to_string(root().join(name)).expect("a text");
    let (readme, example) = (read("README.md"), read("examples/embed.rs"));
    let code = example.split_once("\n\n").map_or("", |(_, code)| code);
    assert!(
        code.contains("fn main()") && readme.contains(&code.replace("pub fn main", "fn main")),
        "README.md has not examples/embed.rs as it is"
    );
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let files = sources();
    for folder in members() {
        let found = circles::circles(&root().join(&folder).join("src"), &files);
        let names: Vec<Vec<String>> = found
            .iter()
            .map(|knot| knot.iter().map(|module| module.join("::")).collect())
            .collect();
        assert!(names.is_empty(), "{folder}: {names:?}");
    }
}

/// To look for code in the documents of a crate takes seconds, so manifests say where there is none, and nowhere else.
#[test]
fn documents_are_tested_where_they_hold_code() {
    let files = sources();
    // Documents of a program are no tests.
    let is_library = |folder: &String| root().join(folder).join("src/lib.rs").exists();
    for folder in members().into_iter().filter(is_library) {
        let inside = root().join(&folder).join("src");
        let is_code = |line: &str| {
            let line = line.trim_start();
            (line.starts_with("///") || line.starts_with("//!")) && line.contains("```")
        };
        let has_code =
            files.iter().any(|(path, text)| path.starts_with(&inside) && text.lines().any(is_code));
        let manifest = std::fs::read_to_string(root().join(&folder).join("Cargo.toml"));
        let is_off = manifest.expect("the manifest").contains("doctest = false");
        assert!(
            is_off != has_code,
            "{folder}: `doctest = false` stands where no document has code"
        );
    }
}

/// The checker must not see the scheduler, nor either of them the text that they work on.
#[test]
fn scheduler_checker_and_linter_are_walled_off() {
    for (folder, own) in [
        ("assembler/ir", &["cp2-isa"][..]),
        ("assembler/sched", &["cp2-ir", "cp2-isa"]),
        ("assembler/check", &["cp2-ir", "cp2-isa"]),
        ("assembler/lint", &["cp2-ir", "cp2-isa"]),
    ] {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml"));
        let manifest = manifest.expect("the manifest");
        let names = manifest.lines().filter_map(|line| line.split('.').next());
        let found: Vec<&str> = names.filter(|name| name.starts_with("cp2-")).collect();
        assert_eq!(found, own, "{folder}");
    }
}

/// What results are compared with must not see the machine that makes them.
#[test]
fn references_depend_on_nothing_of_ours() {
    let manifest = std::fs::read_to_string(root().join("programs/reference/Cargo.toml"));
    let manifest = manifest.expect("the manifest");
    assert!(!manifest.lines().any(|line| line.starts_with("cp2-")), "{manifest}");
}

/// Ours among the crates that a folder's crate depends on, but for its tests.
fn dependencies(folder: &str) -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml"));
    let manifest = manifest.expect("the manifest");
    let used = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    let names = used.lines().filter_map(|line| line.split('.').next());
    names.filter(|name| name.starts_with("cp2-")).map(str::to_owned).collect()
}

/// What all kernels stand on knows none; kernels know no procedure, procedures no measured numbers, and none of these
/// knows a workload.
#[test]
fn programs_build_on_each_other_one_way() {
    const ORDER: [&str; 5] = ["session", "kernels", "procedures", "evidence", "workloads"];
    for (place, name) in ORDER.into_iter().enumerate() {
        let folder = if place == 0 { name.to_owned() } else { format!("programs/{name}") };
        let found = dependencies(&folder);
        for later in &ORDER[place + 1..] {
            assert!(!found.contains(&format!("cp2-{later}")), "{folder} sees {later}");
        }
    }
}

/// Figures that were measured or published stand in `programs/evidence`, so what stands below it cites no table of the
/// source.
#[test]
fn kernels_and_procedures_cite_no_figures() {
    let cited = words(&[
        ["table", " B."],
        ["tables", " B."],
        ["table", " 3."],
        ["tables", " 3."],
        ["fn pub", "lished"],
    ]);
    for (path, text) in sources() {
        let name = path.strip_prefix(root()).expect("a path below the root").to_owned();
        let is_below = ["session/src", "programs/kernels/src", "programs/procedures/src"]
            .iter()
            .any(|folder| name.starts_with(folder));
        let found = cited.iter().find(|word| is_below && text.contains(word.as_str()));
        assert!(found.is_none(), "{}: {found:?}", name.display());
    }
}

/// The portable engine must not see the translating one, nor anything else but what a machine is.
#[test]
fn the_portable_engine_depends_on_the_machine_alone() {
    let manifest = std::fs::read_to_string(root().join("emulator/portable/Cargo.toml"));
    let manifest = manifest.expect("the manifest");
    let names = manifest.lines().filter_map(|line| line.split('.').next());
    let found: Vec<&str> = names.filter(|name| name.starts_with("cp2-")).collect();
    assert_eq!(found, ["cp2-isa", "cp2-emu"]);
}

/// Ranks and links know no procedure, and no CP2 that runs one.
#[test]
fn the_cluster_knows_no_procedure() {
    assert_eq!(dependencies("emulator/cluster"), ["cp2-asm", "cp2-isa", "cp2-toml"]);
    // Programs on several boards join the two, and know no procedure either.
    let joined = ["cp2-cluster", "cp2-document", "cp2-emu", "cp2-isa", "cp2-k64", "cp2-system"];
    assert_eq!(dependencies("emulator/cluster/programs"), joined);
}

/// File in which system memory asks the native machine for huge pages, which only some have. No result depends on it.
const HUGE_PAGES: &str = "emulator/src/memory/large.rs";

/// Translator of the control processor's blocks, and the memory that it shares with them.
const NATIVE: [&str; 2] = ["emulator/k64/src/native", "emulator/k64/src/memory/arena.rs"];

/// What is built for one processor or one system stands in the two translators alone. Unix and others have a form
/// each where they differ.
#[test]
fn nothing_but_the_translator_depends_on_a_native_isa() {
    let forbidden = words(&[
        ["target_", "arch"],
        ["target_", "feature"],
        ["target_", "os"],
        ["target_", "env"],
        ["std::", "arch"],
        ["core::", "arch"],
        ["os::", "linux"],
    ]);
    for (path, text) in sources() {
        let name = path.strip_prefix(root()).expect("a path below the root").to_owned();
        let is_source = name.components().any(|part| part.as_os_str() == "src");
        let is_excepted = ["emulator/fast", "tests", HUGE_PAGES, NATIVE[0], NATIVE[1]]
            .iter()
            .any(|p| name.starts_with(p));
        if !is_source || is_excepted {
            continue;
        }
        for word in &forbidden {
            assert!(!text.contains(word), "{}: {word}", name.display());
        }
    }
}
