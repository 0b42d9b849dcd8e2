//! The lane of the package for Python: the wheel built, installed where nothing else of the project is, and tested.

use crate::folders::Folders;
use crate::shell::{Outcome, call};
use crate::tools;

/// Builds the wheel, installs it into an empty environment with what its tests need, and runs them there.
pub(crate) fn python(folders: &Folders) -> Outcome {
    let wheels = folders.empty_folder("wheels")?;
    let builder = tools::python(&[tools::MATURIN])?;
    let build =
        builder.run("maturin").words("build --release --quiet --manifest-path python/Cargo.toml");
    build.words("--interpreter python3 --out").path(&wheels).run()?;
    let empty = folders.empty_folder("python")?;
    call("python3 -m venv").path(&empty).run()?;
    let program = |name: &str| call(&empty.join("bin").join(name).display().to_string());
    let packages = [
        tools::PYTEST,
        tools::NUMPY,
        tools::PANDAS,
        tools::PYARROW,
        tools::POLARS,
        tools::DUCKDB,
        tools::SCIPY,
        tools::MATPLOTLIB,
    ];
    let advice = "the packages of the tests could not be installed from the package index";
    let install = packages
        .iter()
        .fold(program("pip").words("-q install"), |call, package| call.word(*package));
    install.or(advice).run()?;
    program("pip").words("-q install --no-index --find-links").path(&wheels).word("cp2").run()?;
    program("python").words("-m pytest -q -p no:cacheprovider python/tests").run()
}
