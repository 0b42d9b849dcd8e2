//! Checks that take longer than a run of CI may: each is run by its name alone.

use crate::folders::Folders;
use crate::mutants::Mutants;
use crate::shell::{Outcome, call, cannot};
use crate::{rust, tools, worked};
use clap::Subcommand;
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

impl Nightly {
    pub(crate) fn run(&self, folders: &Folders) -> Outcome {
        match self {
            Self::Reproducible => reproducible(folders),
            Self::FuzzLong { seconds } => rust::fuzz(*seconds),
            Self::Mutants(asked) => asked.run(folders),
            Self::Semver { base } => semver(folders, base),
            Self::WorkedDiffs => worked::test(folders),
        }
    }
}

/// Builds the last commit in two folders, whose names differ in length, each with its own target folder.
fn reproducible(folders: &Folders) -> Outcome {
    let folder = folders.empty_folder("reproducible")?;
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

/// The version of cargo-semver-checks that is installed where there is none.
const SEMVER: &str = "0.51.0";

fn semver(folders: &Folders, base: &str) -> Outcome {
    tools::cargo("semver-checks", SEMVER)?;
    call("cargo semver-checks --package cp2-session --baseline-rev")
        .word(base)
        .env("CARGO_TARGET_DIR", folders.folder("semver")?)
        .or("the version of cp2-session has to say so, or what it offered has to stay")
        .run()
}
