//! A release is an archive with the program, with all of its optional features, the wheel for Python, the licences of both, completions and manual pages. Nothing is
//! published.

use crate::features;
use crate::folders::{Folders, read, write};
use crate::python;
use crate::shell::{Outcome, call, cannot};
use std::path::{Path, PathBuf};

/// Checks that this commit can be a release, and packs it.
pub(crate) fn release(folders: &Folders) -> Outcome {
    let version = version(&read(Path::new("Cargo.toml"))?)?;
    if !has_section(&read(Path::new("CHANGELOG.md"))?, &version) {
        return Err(format!(
            "CHANGELOG.md has no section `## {version}`: give what is unreleased that heading, \
             or change `version` of [workspace.package] in Cargo.toml"
        ));
    }
    let changed = call("git status --porcelain").text()?;
    if !changed.is_empty() {
        return Err(format!("commit these first, a release is a commit:\n{changed}"));
    }
    features::build(folders)?;
    let name = format!("cp2-{version}-{}", native_target()?);
    let folder = folders.target.join("release-package");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(cannot("remove", &folder))?;
    }
    fill(folders, &folder.join(&name))?;
    pack(&folder, &name)
}

/// Returns the version of the workspace.
fn version(manifest: &str) -> Outcome<String> {
    let section = manifest.split("[workspace.package]").nth(1).unwrap_or_default();
    let line = section.lines().find_map(|line| line.strip_prefix("version = "));
    let version = line.map(|value| value.trim_matches('"').to_owned());
    version.ok_or_else(|| "Cargo.toml has no version in [workspace.package]".to_owned())
}

/// Whether the changelog has a section of a version, with or without a day behind it.
fn has_section(changelog: &str, version: &str) -> bool {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    headings.filter_map(|heading| heading.split_whitespace().next()).any(|word| word == version)
}

/// Returns the compiler's name for the kind of the native machine.
fn native_target() -> Outcome<String> {
    let told = call("rustc -vV").text()?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

/// Puts the content of a release into a folder.
fn fill(folders: &Folders, folder: &Path) -> Outcome {
    let [completions, manual, wheel] =
        ["completions", "man", "python"].map(|name| folder.join(name));
    for path in [&completions, &manual, &wheel] {
        std::fs::create_dir_all(path).map_err(cannot("make", path))?;
    }
    call("cp").path(&folders.target.join("release/cp2")).path(folder).run()?;
    call("cp LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md").path(folder).run()?;
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let file = completions.join(format!("cp2.{shell}"));
        folders.cp2("completions").words(shell).to(&file).run()?;
    }
    folders.cp2("man").path(&manual).run()?;
    python::wheel(&wheel)?;
    licences(&folder.join("licences"))
}

/// Collects the licences of the crates that are in the program and in the wheel, as their authors have them beside their sources.
fn licences(folder: &Path) -> Outcome {
    let tree = "cargo tree --locked -p cp2 -p cp2-python --edges normal --prefix none --no-dedupe";
    let features = features::of_command_line();
    let list = call(tree).words("--features").word(features).words("--format").word("{p}|{l}");
    let list = list.text()?;
    // A blank line stands between the trees.
    let is_of_others = |line: &&str| !line.contains(" (/") && !line.trim().is_empty();
    let mut rows: Vec<&str> = list.lines().filter(is_of_others).collect();
    rows.sort_unstable();
    rows.dedup();
    std::fs::create_dir_all(folder).map_err(cannot("make", folder))?;
    let mut index = String::new();
    for row in rows {
        let (crate_, licence) = row.split_once('|').unwrap_or((row, ""));
        let name = crate_.replace(" v", "-").replace(" (proc-macro)", "");
        index += &format!("{name}: {licence}\n");
        let into = folder.join(&name);
        std::fs::create_dir_all(&into).map_err(cannot("make", &into))?;
        let (mut files, has_text) = match files_of(&name, &TEXTS)? {
            texts if texts.is_empty() => (files_of(&name, &["CARGO.TOML"])?, false),
            texts => (texts, true),
        };
        files.retain(|file| file.extension().is_none_or(|ending| ending != "orig"));
        for file in files {
            std::fs::copy(&file, into.join(file.file_name().unwrap_or_default()))
                .map_err(cannot("copy", &file))?;
        }
        if !has_text {
            write(
                &into.join("LICENSE-MIT"),
                mit_of_others(&read(Path::new("LICENSE-MIT"))?, &name, licence)?,
            )?;
        }
    }
    write(&folder.join("README"), index)
}

/// Returns the text for a crate whose package has none: ours of the MIT licence, with its authors, who are in the manifest
/// beside it.
fn mit_of_others(ours: &str, name: &str, licence: &str) -> Outcome<String> {
    let terms = ours.find("Permission is hereby granted").map(|begin| &ours[begin..]);
    match terms.filter(|_| licence.split(' ').any(|word| word == "MIT")) {
        Some(terms) => {
            Ok(format!("Copyright (c) the authors of {name}, see its Cargo.toml\n\n{terms}"))
        }
        None => Err(format!("{name} has no text of its licence, {licence}: add it by hand")),
    }
}

/// Beginnings of the names of files that hold a licence or a notice.
const TEXTS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// Returns the files of a crate from the registry whose names begin so, in capitals.
fn files_of(name: &str, starts: &[&str]) -> Outcome<Vec<PathBuf>> {
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .map_err(|_| "neither CARGO_HOME nor HOME is set".to_owned())?;
    let sources = Path::new(&home).join("registry/src");
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let crates = entries(&sources).into_iter().map(|registry| registry.join(name));
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file() && starts.iter().any(|start| name.starts_with(start))
    };
    Ok(crates.flat_map(|folder| entries(&folder)).filter(is_wanted).collect())
}

/// Packs a folder so that the same files give the same bytes, and writes the sum of the archive beside it.
fn pack(folder: &Path, name: &str) -> Outcome {
    let moment = call("git log -1 --format=%ct").text()?;
    let archive = format!("{name}.tar.gz");
    call("tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX")
        .word(format!("--mtime=@{}", moment.trim()))
        .word("--use-compress-program=gzip -9n")
        .word("-cf")
        .path(&folder.join(&archive))
        .word("-C")
        .path(folder)
        .word(name)
        .run()?;
    let sum = call("sha256sum").path(&folder.join(&archive)).text()?;
    let sum = sum.split_whitespace().next().unwrap_or_default();
    write(&folder.join(format!("{archive}.sha256")), format!("{sum}  {archive}\n"))?;
    println!("{sum}  {}", folder.join(&archive).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_of_the_changelog_is_a_heading_that_begins_with_the_version() {
        let text = "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n- 0.3.0\n";
        assert!(has_section(text, "0.2.0"));
        assert!(!has_section(text, "0.2") && !has_section(text, "0.3.0"));
    }

    #[test]
    fn a_crate_without_a_text_of_its_licence_gets_that_of_mit_or_stops_the_release() {
        let ours = "MIT License\n\nCopyright (c) us\n\nPermission is hereby granted\n";
        let text = mit_of_others(ours, "a-1.0.0", "MIT OR Apache-2.0").expect("the text");
        assert!(
            text.starts_with("Copyright (c) the authors of a-1.0.0, see its Cargo.toml\n\nPerm")
        );
        let told = mit_of_others(ours, "a-1.0.0", "Zlib").expect_err("no text");
        assert_eq!(told, "a-1.0.0 has no text of its licence, Zlib: add it by hand");
    }

    #[test]
    fn the_version_is_that_of_the_workspace() {
        let manifest = "version = \"9\"\n[workspace.package]\nversion = \"0.1.0\"\n";
        assert_eq!(version(manifest), Ok("0.1.0".to_owned()));
    }
}
