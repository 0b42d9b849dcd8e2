//! Finds files that import each other in a circle. An import is what `use` and paths name with
//! `crate::`, `super::` or `self::`. A file and the ones below it (`a.rs` and `a/b.rs`) are one module
//! to the outside, so what a part takes from the file above it does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module as its path in the crate; the root is empty.
type Module = Vec<String>;

/// The circles among the files below the folder of a crate's root.
pub(crate) fn circles(folder: &Path, files: &[(std::path::PathBuf, String)]) -> Vec<Vec<Module>> {
    let mut texts: BTreeMap<Module, &str> = BTreeMap::new();
    for (path, text) in files {
        if let Ok(inside) = path.strip_prefix(folder) {
            texts.insert(module_of(inside), text);
        }
    }
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    let imports = |module: &Module, text: &str| -> BTreeSet<Module> {
        let names = paths(&code(text)).into_iter();
        let files = names.filter_map(|path| file_of(module, &path, &modules));
        files.filter(|file| !module.starts_with(file)).collect()
    };
    let graph = texts.iter().map(|(module, text)| (module.clone(), imports(module, text)));
    knots(&graph.collect())
}

fn module_of(inside: &Path) -> Module {
    let path = inside.with_extension("");
    let mut parts: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// A text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a text names, those in braces written out.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let before = &rest[..at];
        let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        named(before, &mut found);
        rest = &rest[at + 4..];
        if !is_word && let Some(end) = rest.find(';') {
            spread("", &rest[..end], &mut found);
            rest = &rest[end..];
        }
    }
    named(rest, &mut found);
    found
}

/// Paths in the middle of code.
fn named(code: &str, found: &mut Vec<String>) {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c| !is_path(c));
    let starts = ["crate::", "super::", "self::"];
    let local = words.filter(|word| starts.iter().any(|start| word.starts_with(start)));
    found.extend(local.map(str::to_owned));
}

/// `a::{b, c::{d}}` as `a::b`, `a::c::d`.
fn spread(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return found.push(format!("{prefix}{path}"));
    };
    let prefix = format!("{prefix}{}", &tree[..open]);
    let inside = tree[open + 1..].trim_end_matches(|c: char| c.is_whitespace() || c == ',');
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut start) = (0, 0);
    for (i, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..i].trim().is_empty() {
                    spread(&prefix, &inside[start..i], found);
                }
                start = (i + 1).min(inside.len());
            }
            _ => {}
        }
    }
}

/// The file that a path of a module leads to, if it is another one of the crate.
fn file_of(module: &Module, path: &str, modules: &BTreeSet<Module>) -> Option<Module> {
    let mut at = module.clone();
    let mut is_local = false;
    for part in path.split("::").map(str::trim) {
        let mut inner = at.clone();
        inner.push(part.to_owned());
        match part {
            "crate" => at = Module::new(),
            "super" => {
                at.pop();
            }
            "self" => {}
            _ if modules.contains(&inner) => at = inner,
            _ => break,
        }
        is_local = true;
    }
    (is_local && at != *module && modules.contains(&at)).then_some(at)
}

/// Sets of two and more modules of which each leads to each.
fn knots(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.clone()];
        while let Some(module) = open.pop() {
            let next = graph.get(&module).into_iter().flatten();
            open.extend(next.filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        graph.keys().map(|module| (module, reach(module))).collect();
    let mut knots = BTreeSet::new();
    for (module, there) in &reached {
        let back = |other: &&Module| reached.get(other).is_some_and(|set| set.contains(*module));
        let knot: Vec<Module> = there.iter().filter(back).cloned().collect();
        if knot.len() > 1 {
            knots.insert(knot);
        }
    }
    knots.into_iter().collect()
}

#[test]
fn a_circle_is_found_and_a_part_of_a_module_is_none() {
    let file = |path: &str, text: &str| (path.into(), text.to_owned());
    let files = [
        file("src/lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;"),
        file("src/a.rs", "use crate::b::{self, B};"),
        file("src/b/mod.rs", "mod d;\nuse super::c::C; // crate::a::A"),
        file("src/b/d.rs", "use super::B;"),
        file("src/c.rs", "fn f() -> crate::A {}\n#[cfg(test)]\nuse super::b::B;"),
    ];
    assert!(circles(Path::new("src"), &files).is_empty());
    let mut closed = files;
    closed[4].1 = "fn f() -> super::a::A {}".to_owned();
    let module = |name: &str| vec![name.to_owned()];
    assert_eq!(circles(Path::new("src"), &closed), [vec![module("a"), module("b"), module("c")]]);
}
