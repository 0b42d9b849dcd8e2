//! Other people's crates are those that were judged: `dependencies.toml` against `Cargo.lock`, which CI can do where the
//! advisory database cannot be reached.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    let text = std::fs::read_to_string(path).expect(name);
    toml::from_str(&text).expect(name)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the published crates of a lock file by name, each with its versions; and those that crates of the project ask for,
/// as the file names them: with the version where there are several.
fn locked(lock: &Value) -> (BTreeMap<&str, BTreeSet<&str>>, BTreeSet<&str>) {
    let (mut published, mut wanted) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeSet::new());
    for package in list(lock, "package") {
        if package.get("source").is_some() {
            published.entry(text(package, "name")).or_default().insert(text(package, "version"));
        } else {
            let names = list(package, "dependencies").iter().filter_map(Value::as_str);
            wanted.extend(names);
        }
    }
    wanted.retain(|crate_| published.contains_key(name_of(crate_)));
    (published, wanted)
}

/// Returns the name of a crate that may have its version behind it.
fn name_of(crate_: &str) -> &str {
    crate_.split(' ').next().unwrap_or(crate_)
}

/// Returns the differences between a lock file and the list of the crates that were judged.
fn complaints(lock: &Value, judged: &Value) -> Vec<String> {
    let (published, wanted) = locked(lock);
    let mut complaints = Vec::new();
    let mut rows = BTreeMap::<_, BTreeSet<_>>::new();
    for row in list(judged, "crates") {
        let (name, version) = (text(row, "name"), text(row, "version"));
        if text(row, "by").is_empty() {
            complaints.push(format!("{name}: nobody maintains it"));
        }
        let is_wanted = wanted.contains(name) || wanted.contains(&*format!("{name} {version}"));
        if (text(row, "use") == "direct") != is_wanted {
            complaints.push(format!("{name} {version}: direct or indirect is not so"));
        }
        rows.entry(name).or_default().insert(version);
    }
    for (name, versions) in &rows {
        let found = published.get(name).cloned().unwrap_or_default();
        if *versions != found {
            complaints.push(format!("{name}: judged {versions:?}, and Cargo.lock has {found:?}"));
        }
    }
    let missing = wanted.iter().filter(|crate_| !rows.contains_key(name_of(crate_)));
    complaints
        .extend(missing.map(|name| format!("{name}: a direct dependency that was not judged")));
    let replaced = list(judged, "replaced").iter().map(|row| text(row, "name"));
    let back = replaced.filter(|name| published.contains_key(name));
    complaints.extend(back.map(|name| format!("{name}: it was replaced, and is back")));
    complaints
}

#[test]
fn every_crate_was_judged() {
    let complaints = complaints(&read("Cargo.lock"), &read("dependencies.toml"));
    assert!(
        complaints.is_empty(),
        "dependencies.toml is old; look at these crates anew (maintained? advisories?), then write their rows:\n{}",
        complaints.join("\n")
    );
}

#[test]
fn what_changes_is_noticed() {
    let lock = |text: &str| -> Value { toml::from_str(text).expect("a lock file") };
    let judged: Value = toml::from_str(
        "replaced = [{ name = \"old\" }]\ncrates = [{ name = \"a\", version = \"1.0.0\", by = \"x\", use = \"direct\" }]",
    )
    .expect("a list");
    let registry = "source = \"registry\"\n";
    let package = |name: &str, version: &str, rest: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{rest}")
    };
    let ours = package("cp2", "0.1.0", "dependencies = [\"a\"]\n");
    let good = ours.clone() + &package("a", "1.0.0", registry);
    assert_eq!(complaints(&lock(&good), &judged), Vec::<String>::new());
    for (text, what) in [
        (ours.clone() + &package("a", "1.0.1", registry), "judged {\"1.0.0\"}"),
        (good.clone() + &package("old", "1.0.0", registry), "is back"),
        (
            good.replace("[\"a\"]", "[\"a\", \"b\"]") + &package("b", "1.0.0", registry),
            "not judged",
        ),
        (good.replace("[\"a\"]", "[]"), "direct or indirect"),
    ] {
        let found = complaints(&lock(&text), &judged).join("\n");
        assert!(found.contains(what), "{found}");
    }
}
