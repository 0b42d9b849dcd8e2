//! The pages of the book that programs make: compared by a lane, written by `bless`. `made` has those of crates of features.

pub(crate) mod made;

use crate::folders::{Folders, read, write};
use crate::shell::{Call, Outcome, call, together};
use std::path::{Path, PathBuf};

/// The program that prints a page.
pub(crate) enum By {
    /// The command line, with these arguments.
    Cp2(&'static str),
    /// The example `experiments`, with the name of the page.
    Experiments(&'static str),
    /// The example `star`, which makes its page.
    Example(&'static str),
}

/// A page of the book that a program prints.
pub(crate) struct Page {
    /// Name by which `bless` makes the page.
    pub(crate) what: &'static str,
    path: &'static str,
    by: By,
}

/// Every generated page.
pub(crate) const PAGES: [Page; 8] = [
    Page { what: "isa", path: "specs/src/isa.md", by: By::Cp2("isa") },
    Page {
        what: "experiments",
        path: "specs/src/experiments.md",
        by: By::Experiments("predictions"),
    },
    Page {
        what: "experiments",
        path: "specs/src/extensions/gains.md",
        by: By::Experiments("gains"),
    },
    Page {
        what: "experiments",
        path: "specs/src/extensions/memory-controller.md",
        by: By::Experiments("memory-controller"),
    },
    Page {
        what: "experiments",
        path: "specs/src/extensions/dma-words.md",
        by: By::Experiments("dma-words"),
    },
    Page { what: "star", path: "specs/src/star-measured.md", by: By::Example("star") },
    Page {
        what: "recursion",
        path: "specs/src/recursion-measured.md",
        by: By::Example("recursion"),
    },
    Page {
        what: "validation",
        path: "specs/src/validation.md",
        by: By::Cp2("estimate --validation"),
    },
];

impl Page {
    fn made(&self, folder: &Path) -> PathBuf {
        folder.join(self.path.replace('/', "-"))
    }

    fn call(&self, folders: &Folders, folder: &Path) -> Call {
        let call = match self.by {
            By::Cp2(arguments) => folders.cp2(arguments),
            By::Experiments(name) => folders.example("experiments").words(name),
            By::Example(name) => folders.example(name).words("page"),
        };
        call.to(&self.made(folder))
    }
}

/// Makes pages, all of them or those of a name, and returns the folder in which they are.
fn make(folders: &Folders, what: Option<&str>) -> Outcome<(Vec<&'static Page>, PathBuf)> {
    folders.build_examples()?;
    let folder = folders.folder("pages")?;
    let pages: Vec<_> = PAGES.iter().filter(|page| what.is_none_or(|w| w == page.what)).collect();
    let calls: Vec<Call> = pages.iter().map(|page| page.call(folders, &folder)).collect();
    together(&calls)?;
    Ok((pages, folder))
}

/// Checks that every page in the book is the one that is made now.
pub(crate) fn compare(folders: &Folders) -> Outcome {
    let (pages, folder) = make(folders, None)?;
    for page in pages {
        let advice =
            format!("{} is old: `cargo xtask bless {}` makes it anew", page.path, page.what);
        call("diff").path(&page.made(&folder)).word(page.path).or(advice).run()?;
    }
    Ok(())
}

/// Writes the pages of a name into the book.
pub(crate) fn bless(folders: &Folders, what: &str) -> Outcome {
    let (pages, folder) = make(folders, Some(what))?;
    pages.iter().try_for_each(|page| {
        let made = page.made(&folder);
        write(Path::new(page.path), read(&made)?)
    })
}
