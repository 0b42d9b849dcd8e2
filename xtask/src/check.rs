//! The checks before a commit: what finds most in the least time.

use crate::folders::Folders;
use crate::lanes;
use crate::shell::{Outcome, call};

/// Test programs over several crates that need little time: rules of the tree, other people's crates, the machine.
const FAST: [&str; 3] = ["tidy", "dependencies", "machine"];

/// Returns the help of the command.
pub(crate) fn help() -> String {
    format!(
        "It runs the lanes format, xtask and clippy; then, in the profile of `cargo test --release`, the unit tests of\n\
         every crate but the viewer, and the test programs {}.\n\
         After a change, add to them the tests of what was changed: `cargo test --release -p CRATE`.\n",
        FAST.join(", ")
    )
}

/// Runs the checks one after another.
pub(crate) fn check(folders: &Folders) -> Outcome {
    let lanes = ["format", "xtask", "clippy"].map(str::to_owned);
    for lane in lanes::chosen(&lanes)? {
        println!("\n== {}", lane.name);
        (lane.run)(folders)?;
    }
    println!("\n== fast tests");
    let tests = call("cargo test --release --quiet --lib --bins");
    FAST.iter().fold(tests, |tests, name| tests.words("--test").words(name)).run()
}
