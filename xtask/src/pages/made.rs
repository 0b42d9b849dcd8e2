//! Files of the book that examples of crates of features make: compared by the lanes of these crates, written by `bless`.

use crate::folders::{Folders, read, write};
use crate::shell::{Outcome, call};
use std::path::{Path, PathBuf};

/// A file of the book that an example prints.
pub(crate) struct Made {
    /// Path of the file.
    pub(crate) path: &'static str,
    /// Crate, example and its arguments, as words of `cargo run -p`.
    pub(crate) from: &'static str,
}

impl Made {
    fn make(&self, folders: &Folders) -> Outcome<PathBuf> {
        let made = folders.folder("pages")?.join(self.path.replace('/', "-"));
        call("cargo run --release --quiet -p").words(self.from).to(&made).run()?;
        Ok(made)
    }
}

/// Checks that the files are those that are made now; `bless` with this name makes them anew.
pub(crate) fn compare(folders: &Folders, files: &[Made], name: &str) -> Outcome {
    files.iter().try_for_each(|file| {
        let made = file.make(folders)?;
        let advice = format!("{} is old: `cargo xtask bless {name}` makes it anew", file.path);
        call("diff").path(&made).word(file.path).or(advice).run()
    })
}

/// Writes the files into the book.
pub(crate) fn bless(folders: &Folders, files: &[Made]) -> Outcome {
    files.iter().try_for_each(|file| write(Path::new(file.path), read(&file.make(folders)?)?))
}
