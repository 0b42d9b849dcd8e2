//! The worked changes of the book: pages that are patches as well, for `git apply` passes over what stands between the
//! differences. They are applied to a copy of the tree: there their tests run, and there the differences are taken anew.

use crate::folders::{Folders, read, write};
use crate::shell::{Call, Outcome, call, cannot};
use std::path::{Path, PathBuf};

/// The pages, each of which applies by itself and behind the others.
const PAGES: [&str; 3] = ["operation", "kernel", "family"];

fn page(name: &str) -> PathBuf {
    format!("specs/src/contributing/{name}.md").into()
}

/// A copy of the working tree, but for files that git does not know, to which the pages have been applied.
struct Copy {
    folder: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// Creates the copy and applies the pages to it. Each hunk finds its position by `context` of the lines around it.
    fn new(folders: &Folders, context: usize) -> Outcome<Self> {
        let folder = folders.empty_folder("worked")?;
        call("git clone --quiet --no-hardlinks .").path(&folder).run()?;
        let uncommitted = folders.out.join("worked.diff");
        call("git diff --binary HEAD").to(&uncommitted).run()?;
        let absolute = |path: &Path| std::path::absolute(path).map_err(cannot("find", path));
        let target = absolute(&folders.folder("worked-target")?)?;
        let copy = Self { folder: absolute(&folder)?, target };
        copy.git("apply --index --allow-empty").path(&absolute(&uncommitted)?).run()?;
        for name in PAGES {
            let page = absolute(&page(name))?;
            let advice = format!("{} no longer fits: mend its differences", page.display());
            copy.git(&format!("apply -C{context}")).path(&page).or(advice).run()?;
        }
        copy.git("add --intent-to-add --all").run()?;
        Ok(copy)
    }

    fn git(&self, line: &str) -> Call {
        call("git -C").path(&self.folder).words(line)
    }

    /// Returns a command of cargo in the copy; what it builds is kept from run to run.
    fn cargo(&self, command: &str) -> Call {
        call("cargo")
            .words(command)
            .words("--release --quiet --manifest-path")
            .path(&self.folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &self.target)
    }

    fn xtask(&self, line: &str) -> Call {
        self.cargo("run --package xtask").word("--").words(line)
    }
}

/// Applies the pages, makes anew what is generated, and runs the tests that know the new operation and the new kernels.
pub(crate) fn test(folders: &Folders) -> Outcome {
    let copy = Copy::new(folders, 2)?;
    copy.xtask("bless isa counts schemas").run()?;
    let crates =
        "-p cp2-isa -p cp2-emu -p cp2-portable -p cp2-session -p cp2-workloads -p cp2-tests";
    copy.cargo("test")
        .words(crates)
        .words("--lib --test arith --test random --test isa_examples --test engines --test tidy --test suite")
        .run()?;
    copy.xtask("ci format clippy model").run()
}

/// Takes the differences of the pages anew, where lines around them have changed.
pub(crate) fn renew(folders: &Folders) -> Outcome {
    let copy = Copy::new(folders, 1)?;
    let difference = |file: &str| copy.git("diff --unified=2 --").word(file).text();
    PAGES.iter().try_for_each(|name| write(&page(name), renewed(&read(&page(name))?, difference)?))
}

/// Returns a page with each of its differences as it is now.
fn renewed(page: &str, difference: impl Fn(&str) -> Outcome<String>) -> Outcome<String> {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        if line != "```diff" {
            continue;
        }
        let header = lines.next().unwrap_or_default();
        let file = header.rsplit_once(" b/").map(|(_, file)| file);
        let file = file.ok_or_else(|| format!("`{header}` does not begin a difference"))?;
        // The hashes of files would change with every line of them.
        let new = difference(file)?;
        new.lines().filter(|line| !line.starts_with("index ")).for_each(|line| {
            text += &format!("{line}\n");
        });
        lines.by_ref().find(|line| *line == "```");
        text += "```\n";
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_replaced_and_what_is_between_them_stays() {
        let page = "One.\n\n```diff\ndiff --git a/x b/x\n-old\n```\n\nTwo.\n```text\n-kept\n```\n";
        let now =
            renewed(page, |file| Ok(format!("diff --git a/{file} b/{file}\nindex 1..2\n-new\n")));
        let expected = page.replace("-old", "-new");
        assert_eq!(now, Ok(expected));
    }
}
