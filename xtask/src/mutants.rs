//! Changes of the code, each of which a test should notice, made by cargo-mutants.

use crate::folders::{Folders, read, write};
use crate::shell::{Call, Outcome, call, cannot};
use crate::tools;
use clap::Args;
use std::path::Path;

#[derive(Args)]
pub(crate) struct Mutants {
    /// Change what differs from this revision
    #[arg(long, required_unless_present = "package")]
    base: Option<String>,
    /// Change this crate instead
    #[arg(long, value_name = "CRATE", conflicts_with = "base")]
    package: Option<String>,
    /// Number of changes of the crate, chosen at random
    #[arg(long, value_name = "N", default_value_t = 20)]
    sample: usize,
    /// Seed of the choice: the same seed chooses the same changes of the same code, and a larger sample has those of a
    /// smaller one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only tell which changes are chosen
    #[arg(long, requires = "package")]
    list: bool,
}

/// Version of cargo-mutants that is installed where there is none.
const VERSION: &str = "27.1.0";

/// Crates that are held by tests of other packages too: the crate, the packages that the tests are in, and which of their
/// test programs. They run within a minute, but most of the workspace is built again for each change; a change that they do
/// not notice is looked at with all tests.
const HELD_BY: [(&str, &str, &str); 2] = [
    (
        "cp2-check",
        "cp2-check,cp2-asm,cp2-tests",
        "--lib --test check --test cores --test sched --test linear",
    ),
    (
        "cp2-sched",
        "cp2-sched,cp2-asm,cp2-tests",
        "--lib --test sched --test cores --test check --test suite --test linear",
    ),
];

impl Mutants {
    pub(crate) fn run(&self, folders: &Folders) -> Outcome {
        tools::cargo("mutants", VERSION)?;
        let folder = folders.empty_folder("mutants")?;
        let advice = format!(
            "a change that no test notices is a test that is missing: {}/mutants.out/missed.txt lists them",
            folder.display()
        );
        let run =
            cheap(folders, call("cargo mutants --colors never --output").path(&folder).or(advice))?;
        match (&self.base, &self.package) {
            (Some(base), _) => {
                let diff = folder.join("base.diff");
                write(&diff, call("git diff").words(base).text()?)?;
                run.word("--in-diff").path(&diff).run()
            }
            (None, Some(package)) => self.sample(run, package, &folder),
            (None, None) => Err("give --base REVISION or --package CRATE".to_owned()),
        }
    }

    /// Makes some of the changes of a crate, each named whole.
    fn sample(&self, run: Call, package: &str, folder: &Path) -> Outcome {
        let list = call("cargo mutants --list --colors never -p").word(package).text()?;
        let chosen = choose(list.lines().collect(), self.sample, self.seed);
        if chosen.is_empty() {
            return Err(format!("there is nothing to change in {package}"));
        }
        if self.list {
            chosen.iter().for_each(|name| println!("{name}"));
            return Ok(());
        }
        let run = chosen.iter().fold(run, |run, name| run.word("--re").word(exactly(name)));
        let ended = held_by(run.word("-p").word(package), package).run();
        if !folder.join("mutants.out/outcomes.json").exists() {
            return ended;
        }
        tell(&folder.join("mutants.out"), &chosen)
    }
}

/// Makes a run cheap. Most of its time is that of building, once for each change: in the profile of development without
/// tables of lines, and with one folder of what is built for all changes and all runs, so that other people's crates are
/// built once.
fn cheap(folders: &Folders, run: Call) -> Outcome<Call> {
    let built = folders.folder("mutants-built")?;
    let built = std::path::absolute(&built).map_err(cannot("find", &built))?;
    Ok(run
        .words("--jobs 1 --cap-lints true")
        .env("CARGO_TARGET_DIR", built)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "1"))
}

/// Adds the tests that hold this crate to a run; those of the crate alone if the table has no others.
fn held_by(run: Call, package: &str) -> Call {
    match HELD_BY.iter().find(|(name, ..)| *name == package) {
        Some((_, packages, programs)) => {
            run.word("--test-package").word(*packages).word("--").words(programs)
        }
        None => run,
    }
}

/// Prints how many of the chosen changes were noticed; an error names those that were not. cargo-mutants 27.1.0 makes every
/// change that deletes a field of a struct whatever `--re` says, so its own counts have more than the sample.
fn tell(lists: &Path, chosen: &[&str]) -> Outcome {
    let of = |name: &str| -> Outcome<Vec<String>> {
        let text = read(&lists.join(name))?;
        let is_chosen = |line: &&str| chosen.contains(line);
        Ok(text.lines().filter(is_chosen).map(str::to_owned).collect())
    };
    let (caught, timeout) = (of("caught.txt")?.len(), of("timeout.txt")?.len());
    let (unviable, missed) = (of("unviable.txt")?.len(), of("missed.txt")?);
    let told = format!(
        "{} changes: {caught} noticed, {timeout} out of time, {unviable} not built, {} missed",
        chosen.len(),
        missed.len()
    );
    println!("{told}");
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("{told}; each of these wants a test:\n{}", missed.join("\n")))
}

/// Chooses `count` of these names by a seed: the first of a shuffled row, sorted as texts.
fn choose(mut names: Vec<&str>, count: usize, seed: u64) -> Vec<&str> {
    fastrand::Rng::with_seed(seed).shuffle(&mut names);
    names.truncate(count);
    names.sort_unstable();
    names
}

/// Returns a regular expression for this text and no other.
fn exactly(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| {
        let is_special = c.is_ascii_punctuation() && !matches!(c, '_' | '<' | '>' | '/' | ':');
        is_special.then_some('\\').into_iter().chain([c])
    });
    format!("^{}$", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_that_of_its_seed() {
        let names: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let of = |seed| choose(names.iter().map(String::as_str).collect(), 5, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(of(1).len(), 5);
    }

    #[test]
    fn a_larger_sample_has_the_changes_of_a_smaller_one() {
        let names: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let of = |count| choose(names.iter().map(String::as_str).collect(), count, 1);
        for (count, more) in [(1, 2), (5, 40), (40, 100), (100, 200)] {
            let larger = of(more);
            assert!(of(count).iter().all(|name| larger.contains(name)), "{count} of {more}");
        }
    }

    #[test]
    fn what_was_not_chosen_is_not_counted() {
        let folder = std::env::temp_dir().join(format!("cp2-xtask-mutants-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [
            ("caught.txt", "a\nb\n"),
            ("timeout.txt", ""),
            ("unviable.txt", ""),
            ("missed.txt", "c\n"),
        ] {
            write(&folder.join(name), text).expect("a list");
        }
        assert_eq!(tell(&folder, &["a", "b"]), Ok(()));
        let missed = tell(&folder, &["a", "c"]).expect_err("one is missed");
        assert!(missed.starts_with("2 changes: 1 noticed, 0 out of time, 0 not built, 1 missed"));
        assert!(missed.ends_with("\nc"), "{missed}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_name_is_matched_whole() {
        assert_eq!(exactly("a.rs:1:2: replace + with *"), r"^a\.rs:1:2: replace \+ with \*$");
    }
}
