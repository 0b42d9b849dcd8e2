//! The glossary of the book, `specs/src/glossary.md`, against the public names of the libraries: a word has one meaning.

use super::{files, members, root};
use std::collections::{BTreeMap, BTreeSet};

/// Members that are no libraries which others build on.
const PROGRAMS: [&str; 7] =
    ["analysis/trace/readers", "cli", "gui", "python", "tests", "tests/fuzz", "xtask"];

/// Public types that macros make, which a text of the source does not show.
const BY_MACROS: [&str; 2] = ["cp2_isa::Arith", "cp2_isa::Exch"];

/// Source file of a library: the crate, the path from the root, and the text.
struct Source {
    krate: String,
    path: String,
    text: String,
}

/// Returns the sources of all libraries.
fn libraries() -> Vec<Source> {
    let mut all = Vec::new();
    for member in members().iter().filter(|member| !PROGRAMS.contains(&member.as_str())) {
        let folder = root().join(member);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name");
        let mut found = Vec::new();
        files(&folder.join("src"), ".rs", &mut found);
        for path in found {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let path = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            all.push(Source { krate: name.trim_matches('"').replace('-', "_"), path, text });
        }
    }
    all
}

/// Returns the name that a line declares as one of these kinds of items, and whether it is public.
fn declared<'l>(line: &'l str, kinds: &[&str]) -> Option<(&'l str, bool)> {
    let rest = line.trim_start();
    let (rest, is_public) = rest.strip_prefix("pub ").map_or((rest, false), |rest| (rest, true));
    let rest = rest.strip_prefix("unsafe ").or(rest.strip_prefix("const ")).unwrap_or(rest);
    let (kind, rest) = rest.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (kinds.contains(&kind) && !name.is_empty()).then_some((name, is_public))
}

/// Returns the crates and files in which each public type name is declared.
fn public_types(sources: &[Source]) -> BTreeMap<&str, Vec<(&str, &str)>> {
    let mut types: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for source in sources {
        for line in source.text.lines() {
            if let Some((name, true)) =
                declared(line, &["struct", "enum", "trait", "type", "union"])
            {
                types.entry(name).or_default().push((source.krate.as_str(), source.path.as_str()));
            }
        }
    }
    types
}

/// Returns the glossary.
fn page() -> String {
    std::fs::read_to_string(root().join("specs/src/glossary.md")).expect("the glossary")
}

/// Returns the cells of the rows of the tables below a heading of the page, without the heads of tables.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<Vec<&'p str>> {
    let part = page.split("\n## ").find(|part| part.starts_with(heading)).expect("a heading");
    let cells = |line: &'p str| line.trim_matches('|').split(" | ").map(str::trim).collect();
    let lines = part.lines().filter(|line| line.starts_with('|'));
    lines.skip(2).map(cells).collect()
}

/// Returns what stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn a_public_type_name_has_one_meaning() {
    let (sources, page) = (libraries(), page());
    let types = public_types(&sources);
    assert!(types.len() > 500, "the public types were not found");
    let shared: BTreeMap<&str, BTreeSet<&str>> = rows(&page, "Shared names")
        .iter()
        .map(|row| (quoted(row[0])[0], quoted(row[2]).into_iter().collect()))
        .collect();
    for (name, places) in &types {
        let crates: BTreeSet<&str> = places.iter().map(|(krate, _)| *krate).collect();
        let is_right = match shared.get(name) {
            Some(named) => *named == crates && places.len() > 1,
            None => places.len() == 1,
        };
        let files: Vec<&str> = places.iter().map(|(_, file)| *file).collect();
        assert!(
            is_right,
            "`{name}` is declared in {files:?}: give all but one of them a longer name, or put `{name}`, the one meaning \
             and the crates under Shared names of specs/src/glossary.md"
        );
    }
    for name in shared.keys() {
        assert!(types.contains_key(name), "the glossary has `{name}`, and no library");
    }
}

#[test]
fn types_of_the_glossary_exist_and_words_stand_once() {
    let (sources, page) = (libraries(), page());
    let types = public_types(&sources);
    let tables = page.split("\n## Shared names").next().unwrap_or_default();
    let mut words = BTreeSet::new();
    for part in tables.split("\n## ").skip(1) {
        let heading = part.lines().next().unwrap_or_default();
        for row in rows(&page, heading) {
            assert!(row.len() == 3 && !row[1].is_empty(), "{heading}: {row:?}");
            assert!(words.insert(row[0]), "the glossary has `{}` twice", row[0]);
            for path in quoted(row[2]).into_iter().filter(|path| !BY_MACROS.contains(path)) {
                let krate = path.split("::").next().unwrap_or_default();
                let name = path.rsplit("::").next().unwrap_or_default();
                let found = types.get(name).is_some_and(|all| all.iter().any(|(k, _)| *k == krate));
                assert!(
                    found,
                    "the glossary has `{path}` at `{}`, and {krate} has no such type",
                    row[0]
                );
            }
        }
    }
    assert!(words.len() > 100, "the words were not found");
}

#[test]
fn words_that_name_nothing_are_no_names() {
    let (sources, page) = (libraries(), page());
    let refused = rows(&page, "Words that name nothing");
    let (types, functions) = (quoted(refused[0][1]), quoted(refused[1][1]));
    for name in public_types(&sources).keys() {
        assert!(!types.contains(name), "the public type `{name}` wants a noun beside it");
    }
    for source in &sources {
        for line in source.text.lines() {
            if let Some((name, _)) = declared(line, &["fn"]) {
                assert!(
                    !functions.contains(&name),
                    "{}: the function `{name}` says not what it does",
                    source.path
                );
            }
        }
    }
}
