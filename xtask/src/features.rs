//! The command line with its optional features, which the README's commands leave out. All lanes take all features at once,
//! so that the crates are built with them once.

use crate::folders::Folders;
use crate::shell::{Call, Outcome, call};
use crate::tools;
use std::path::PathBuf;

/// Optional features of the command line, each a command.
const FEATURES: [&str; 5] = ["cluster", "explore", "gpu", "loops", "lsp"];

/// Returns the features as cargo names them beside other packages than the command line.
pub(crate) fn of_command_line() -> String {
    FEATURES.map(|feature| format!("cp2/{feature}")).join(",")
}

/// Returns a call of cargo on the command line with all features, for which it installs what builds them.
fn cargo(command: &str) -> Outcome<Call> {
    tools::debian(tools::ISL.0, tools::ISL.1)?;
    let line = format!("cargo {command} --release --quiet -p cp2 --features");
    Ok(call(&line).word(FEATURES.join(",")))
}

/// Lints the command line with all features, its tests too, and with each feature alone, that of MPI too.
pub(crate) fn lint() -> Outcome {
    cargo("clippy")?.words("--all-targets -- -D warnings").run()?;
    FEATURES.iter().chain(&["mpi"]).try_for_each(|feature| {
        let line = format!("cargo clippy --release --quiet -p cp2 --features {feature}");
        call(&line).words("-- -D warnings").run()
    })
}

/// Runs the tests of the command line whose names have this word.
pub(crate) fn test(word: &str) -> Outcome {
    cargo("test")?.words("--test cli").word(word).run()
}

/// Builds the command line with all features, of the versions in `Cargo.lock`, and returns its path.
pub(crate) fn build(folders: &Folders) -> Outcome<String> {
    cargo("build --locked")?.run()?;
    Ok(folders.target.join("release/cp2").display().to_string())
}

/// Builds the command line with several processors in processes of MPI, and returns its path.
pub(crate) fn build_with_mpi(folders: &Folders) -> Outcome<PathBuf> {
    tools::debian(tools::MPI.0, tools::MPI.1)?;
    let built = folders.target.join("release/cp2");
    call("cargo build --locked --release --quiet -p cp2 --features mpi").run()?;
    Ok(built)
}

/// Returns a call of the command line that prints the schema of a report.
pub(crate) fn schema(name: &str) -> Outcome<Call> {
    Ok(cargo("run")?.words("-- schema").word(name))
}
