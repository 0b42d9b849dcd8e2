//! Checks that take longer than a run of CI may: each is run by its name alone.

use crate::place::{Place, write};
use crate::shell::{Call, Outcome, call, cannot};
use crate::{rust, tools, worked};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum Nightly {
    /// Two builds of `cp2` in two folders give the same bytes
    Reproducible,
    /// Fuzzes every kind of input
    FuzzLong {
        /// Seconds, shared among the kinds
        #[arg(long, default_value_t = 3600)]
        seconds: u64,
    },
    /// Changes the code, and looks whether a test notices: what differs from a revision, or a sample of a crate
    Mutants(Mutants),
    /// Compares what the crate `cp2-session` offers with a revision, by the rules of semantic versions
    Semver {
        /// The revision to compare with
        #[arg(long)]
        base: String,
    },
    /// Applies the worked changes of the book to a copy of the tree, and runs their tests there
    WorkedDiffs,
}

#[derive(Args)]
pub(crate) struct Mutants {
    /// Change what differs from this revision
    #[arg(long, required_unless_present = "package")]
    base: Option<String>,
    /// Change this crate instead
    #[arg(long, value_name = "CRATE", conflicts_with = "base")]
    package: Option<String>,
    /// So many changes of the crate, chosen at random
    #[arg(long, value_name = "N", default_value_t = 20)]
    sample: usize,
    /// Where the choice begins: the same seed chooses the same changes of the same code
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Nightly {
    pub(crate) fn run(&self, place: &Place) -> Outcome {
        match self {
            Self::Reproducible => reproducible(place),
            Self::FuzzLong { seconds } => rust::fuzz(*seconds),
            Self::Mutants(asked) => mutants(place, asked),
            Self::Semver { base } => semver(place, base),
            Self::WorkedDiffs => worked::test(place),
        }
    }
}

/// Builds the last commit in two folders, whose names differ in length, each with its own target folder.
fn reproducible(place: &Place) -> Outcome {
    let folder = place.empty_folder("reproducible")?;
    let [one, two] = ["one", "another"].map(|name| build_in(&folder.join(name)));
    let (one, two) = (one?, two?);
    let read = |path: &Path| std::fs::read(path).map_err(cannot("read", path));
    let (a, b) = (read(&one)?, read(&two)?);
    if a == b {
        call("sha256sum").path(&one).path(&two).run()?;
        println!("two builds, the same {} bytes", a.len());
        return Ok(());
    }
    let differing = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    Err(format!(
        "the builds differ: {} and {} bytes, {differing} of those at the same place; they are {} and {}: \
         `readelf -S` and `strings` on both tell in which section, and what a folder or a moment left there",
        a.len(),
        b.len(),
        one.display(),
        two.display()
    ))
}

/// Builds the last commit in a folder; no path of this machine stays in what is built.
fn build_in(folder: &Path) -> Outcome<PathBuf> {
    call("git clone --quiet --no-hardlinks .").path(folder).run()?;
    let folder = std::path::absolute(folder).map_err(cannot("find", folder))?;
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .map_err(|_| "neither CARGO_HOME nor HOME is set".to_owned())?;
    let flags =
        format!("--remap-path-prefix={}=/cp2 --remap-path-prefix={home}=/cargo", folder.display());
    let target = folder.join("target");
    call("cargo build --release --locked --quiet -p cp2 --manifest-path")
        .path(&folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", flags)
        .run()?;
    Ok(target.join("release/cp2"))
}

/// The version of cargo-mutants that is installed where there is none.
const MUTANTS: &str = "27.1.0";

fn mutants(place: &Place, asked: &Mutants) -> Outcome {
    tools::cargo("mutants", MUTANTS)?;
    let folder = place.empty_folder("mutants")?;
    let advice = format!(
        "a change that no test notices is a test that is missing: {}/mutants.out/missed.txt lists them",
        folder.display()
    );
    let run = call("cargo mutants --colors never --output").path(&folder).or(advice);
    match (&asked.base, &asked.package) {
        (Some(base), _) => {
            let diff = folder.join("base.diff");
            write(&diff, call("git diff").words(base).text()?)?;
            run.word("--in-diff").path(&diff).run()
        }
        (None, Some(package)) => sample(run.word("-p").word(&**package), package, asked),
        (None, None) => Err("give --base REVISION or --package CRATE".to_owned()),
    }
}

/// Some of the changes of a crate, each named whole.
fn sample(run: Call, package: &str, asked: &Mutants) -> Outcome {
    let list = call("cargo mutants --list --colors never -p").word(package).text()?;
    let chosen = choose(list.lines().collect(), asked.sample, asked.seed);
    if chosen.is_empty() {
        return Err(format!("there is nothing to change in {package}"));
    }
    chosen.iter().fold(run, |run, name| run.word("--re").word(exactly(name))).run()
}

/// So many of these, by a seed.
fn choose(mut names: Vec<&str>, count: usize, seed: u64) -> Vec<&str> {
    fastrand::Rng::with_seed(seed).shuffle(&mut names);
    names.truncate(count);
    names.sort_unstable();
    names
}

/// A regular expression for this text and no other.
fn exactly(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| {
        let is_special = c.is_ascii_punctuation() && !matches!(c, '_' | '<' | '>' | '/' | ':');
        is_special.then_some('\\').into_iter().chain([c])
    });
    format!("^{}$", escaped.collect::<String>())
}

/// The version of cargo-semver-checks that is installed where there is none.
const SEMVER: &str = "0.51.0";

fn semver(place: &Place, base: &str) -> Outcome {
    tools::cargo("semver-checks", SEMVER)?;
    call("cargo semver-checks --package cp2-session --baseline-rev")
        .word(base)
        .env("CARGO_TARGET_DIR", place.folder("semver")?)
        .or("the version of cp2-session has to say so, or what it offered has to stay")
        .run()
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
    fn a_name_is_matched_whole() {
        assert_eq!(exactly("a.rs:1:2: replace + with *"), r"^a\.rs:1:2: replace \+ with \*$");
    }
}
