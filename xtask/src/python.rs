//! The lane of the package for Python: the wheel built, installed where nothing else of the project is, and tested.

use crate::folders::Folders;
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::{Path, PathBuf};

/// Packages of the tests: on the oldest Python all, on a newer one those without which no test runs.
const ALL: [&str; 9] = [
    tools::PYTEST,
    tools::NUMPY,
    tools::PANDAS,
    tools::PYARROW,
    tools::POLARS,
    tools::DUCKDB,
    tools::SCIPY,
    tools::MATPLOTLIB,
    tools::MYPY,
];
const FEW: [&str; 2] = [tools::PYTEST, tools::NUMPY];

/// Versions of Python for which the wheel is tried where one of them is there, the newest first.
const NEWER: [&str; 3] = ["python3.14", "python3.13", "python3.12"];

/// Builds the wheel, installs it into an empty environment with what its tests need, and runs them there; then on a newer
/// Python too.
pub(crate) fn python(folders: &Folders) -> Outcome {
    let wheels = folders.empty_folder("wheels")?;
    wheel(&wheels)?;
    let environment = folders.empty_folder("python")?;
    test("python3", &environment, &wheels, &ALL)?;
    let python = call(&environment.join("bin/python").display().to_string());
    python.words("-m mypy --strict -p cp2").run()?;
    let python = call(&environment.join("bin/python").display().to_string());
    let stubs = python.words("-m mypy.stubtest cp2 --allowlist python/tests/stubtest.txt");
    stubs.run()?;
    match newer() {
        Some(python) => test(&python, &folders.empty_folder("newer-python")?, &wheels, &FEW),
        None => {
            println!("no newer Python is there ({}): not tried", NEWER.join(", "));
            Ok(())
        }
    }
}

/// Builds the wheel into a folder. The time in it is that of the commit.
pub(crate) fn wheel(into: &Path) -> Outcome {
    let builder = tools::python(&[tools::MATURIN])?;
    let moment = call("git log -1 --format=%ct").text()?;
    let build = builder.run("maturin").words("build --release --quiet --interpreter python3");
    let build = build.words("--manifest-path python/Cargo.toml --out").path(into);
    build.env("SOURCE_DATE_EPOCH", moment.trim()).run()
}

/// Returns a Python that is newer than the oldest one: a command, or one that `pyenv` has and does not show.
fn newer() -> Option<String> {
    let is_there = |python: &String| call(python).words("--version").succeeds();
    let shown = NEWER.map(str::to_owned).into_iter();
    shown.chain(NEWER.iter().flat_map(|name| in_pyenv(name))).find(is_there)
}

/// Returns the programs of this name among the versions that `pyenv` keeps.
fn in_pyenv(name: &str) -> Vec<String> {
    let root = std::env::var("PYENV_ROOT").ok().map(PathBuf::from);
    let root = root.or_else(|| Some(Path::new(&std::env::var("HOME").ok()?).join(".pyenv")));
    let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    let programs = versions.into_iter().flatten().filter_map(|entry| {
        let program = entry.ok()?.path().join("bin").join(name);
        program.is_file().then(|| program.display().to_string())
    });
    programs.collect()
}

/// Tests the wheel in an empty environment of a Python.
fn test(python: &str, empty: &Path, wheels: &Path, packages: &[&str]) -> Outcome {
    call(python).words("-m venv").path(empty).run()?;
    let program = |name: &str| call(&empty.join("bin").join(name).display().to_string());
    let advice = "the packages of the tests could not be installed from the package index";
    let install = program("pip").words("-q install");
    packages.iter().fold(install, |call, package| call.word(*package)).or(advice).run()?;
    program("pip").words("-q install --no-index --find-links").path(wheels).word("cp2").run()?;
    program("python").words("-m pytest -q -p no:cacheprovider python/tests").run()
}
