//! The folders of the repository, of what is built, of what lanes write.

use crate::shell::{Call, Outcome, call, cannot};
use std::path::{Path, PathBuf};

/// The folders of a run of `cargo xtask`, which stands in the root of the repository.
pub(crate) struct Folders {
    /// Folder into which cargo builds.
    pub(crate) target: PathBuf,
    /// Folder into which lanes write.
    pub(crate) out: PathBuf,
}

impl Folders {
    /// Goes to the root of the repository, so that every command reads as in its documents.
    pub(crate) fn enter() -> Outcome<Self> {
        let here = std::env::var("CARGO_MANIFEST_DIR");
        let here = here.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&here).parent().unwrap_or(Path::new("."));
        std::env::set_current_dir(root).map_err(cannot("enter", root))?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let folders = Self { out: target.join("ci"), target };
        folders.folder("")?;
        Ok(folders)
    }

    /// Makes a folder for what lanes write, and returns its path.
    pub(crate) fn folder(&self, name: &str) -> Outcome<PathBuf> {
        let path = self.out.join(name);
        std::fs::create_dir_all(&path).map_err(cannot("make", &path))?;
        Ok(path)
    }

    /// Makes an empty folder for what lanes write, and returns its path.
    pub(crate) fn empty_folder(&self, name: &str) -> Outcome<PathBuf> {
        let path = self.out.join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(cannot("remove", &path))?;
        }
        self.folder(name)
    }

    /// Builds the command line; the features are those of the tests, so after them there is nothing to build.
    pub(crate) fn build_cp2(&self) -> Outcome<String> {
        call("cargo build --release --quiet -p cp2").run()?;
        Ok(self.target.join("release/cp2").display().to_string())
    }

    /// Returns a call of the command line that was built.
    pub(crate) fn cp2(&self, arguments: &str) -> Call {
        call(&self.target.join("release/cp2").display().to_string()).words(arguments)
    }

    /// Builds the examples with those of all crates: made alone they would take other features of their crates, and those
    /// again.
    pub(crate) fn build_examples(&self) -> Outcome {
        call("cargo build --release --quiet --bins --examples").run()
    }

    /// Returns a call of an example that was built.
    pub(crate) fn example(&self, name: &str) -> Call {
        call(&self.target.join("release/examples").join(name).display().to_string())
    }
}

/// Returns the text of a file.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(cannot("read", path))
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Outcome {
    std::fs::write(path, bytes).map_err(cannot("write", path))
}

/// Returns the first line of the README that begins so: what it tells a reader to run is what is run.
pub(crate) fn command_of_readme(start: &str) -> Outcome<String> {
    let readme = read(Path::new("README.md"))?;
    let line = readme.lines().find(|line| line.starts_with(start));
    line.map(str::to_owned)
        .ok_or_else(|| format!("README.md has no line that begins with `{start}`"))
}
