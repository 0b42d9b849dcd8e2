//! The lane of the procedures on graphics processors, and their page of the book.

use crate::folders::{Folders, read, write};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::{Path, PathBuf};

/// The page that the data of runs are made into.
const PAGE: &str = "specs/src/gpu.md";

/// Devices that PoCL makes of the processor.
const DEVICES: &str = "pthread pthread pthread pthread";

/// Tests the crates of the room and the command, each on devices of PoCL, and compares the page.
pub(crate) fn gpu(folders: &Folders) -> Outcome {
    tools::debian(&["clinfo"], "clinfo pocl-opencl-icd ocl-icd-libopencl1")?;
    call("cargo clippy --release --quiet -p cp2 --features gpu --all-targets -- -D warnings")
        .run()?;
    call("cargo test --release --quiet -p cp2-gpu -p cp2-gpu-procedures")
        .env("POCL_DEVICES", DEVICES)
        .run()?;
    call("cargo test --release --quiet -p cp2 --features gpu --test cli gpu").run()?;
    let made = make(folders)?;
    let advice = format!("{PAGE} is old: `cargo xtask bless gpu` makes it anew");
    call("diff").path(&made).word(PAGE).or(advice).run()
}

/// Makes the page.
fn make(folders: &Folders) -> Outcome<PathBuf> {
    let made = folders.folder("pages")?.join("gpu.md");
    call("cargo run --release --quiet -p cp2-gpu-procedures --example page").to(&made).run()?;
    Ok(made)
}

/// Writes the page into the book.
pub(crate) fn bless(folders: &Folders) -> Outcome {
    write(Path::new(PAGE), read(&make(folders)?)?)
}
