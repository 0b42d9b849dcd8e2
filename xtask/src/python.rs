//! The lane of the package for Python: the wheel built, installed where nothing else of the project is, and tested.

use crate::folders::Folders;
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::Path;

/// Packages of the tests: on the oldest Python all, on a newer one those without which no test runs.
const ALL: [&str; 8] = [
    tools::PYTEST,
    tools::NUMPY,
    tools::PANDAS,
    tools::PYARROW,
    tools::POLARS,
    tools::DUCKDB,
    tools::SCIPY,
    tools::MATPLOTLIB,
];
const FEW: [&str; 2] = [tools::PYTEST, tools::NUMPY];

/// Versions of Python for which the wheel is tried where one of them is there, the newest first.
const NEWER: [&str; 3] = ["python3.14", "python3.13", "python3.12"];

/// Builds the wheel, installs it into an empty environment with what its tests need, and runs them there; then on a newer
/// Python too.
pub(crate) fn python(folders: &Folders) -> Outcome {
    let wheels = folders.empty_folder("wheels")?;
    let builder = tools::python(&[tools::MATURIN])?;
    let build = builder.run("maturin").words("build --release --quiet --interpreter python3");
    build.words("--manifest-path python/Cargo.toml --out").path(&wheels).run()?;
    test("python3", &folders.empty_folder("python")?, &wheels, &ALL)?;
    match NEWER.into_iter().find(|python| call(python).words("--version").succeeds()) {
        Some(python) => test(python, &folders.empty_folder("newer-python")?, &wheels, &FEW),
        None => {
            println!("no newer Python is there ({}): not tried", NEWER.join(", "));
            Ok(())
        }
    }
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
