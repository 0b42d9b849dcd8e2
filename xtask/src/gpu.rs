//! The lane of what runs on graphics processors, and its pages of the book.

use crate::features;
use crate::folders::{Folders, read, write};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::{Path, PathBuf};

/// The pages that the data of runs are made into, with the crates and their examples that make them.
const PAGES: [(&str, &str); 2] = [
    ("specs/src/gpu.md", "cp2-gpu-procedures --example page"),
    ("specs/src/star-gpu.md", "cp2-gpu-star --example star-page"),
];

/// Schemas of reports, with the rooms that keep them.
const SCHEMAS: [(&str, &str); 3] =
    [("procedures", "gpu"), ("procedures", "gpu-devices"), ("recursion", "gpu-search")];

/// Devices that PoCL makes of the processor.
const DEVICES: &str = "pthread pthread pthread pthread pthread pthread pthread pthread";

/// Tests the crates of the room and the command, each on devices of PoCL, and compares the page.
pub(crate) fn gpu(folders: &Folders) -> Outcome {
    tools::debian(
        &["clinfo", "/etc/OpenCL/vendors/pocl.icd"],
        "clinfo pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers",
    )?;
    call("cargo test --release --quiet -p cp2-gpu -p cp2-gpu-procedures -p cp2-gpu-star -p cp2-gpu-recursion")
        .env("POCL_DEVICES", DEVICES)
        .run()?;
    features::test("gpu")?;
    for (page, from) in PAGES {
        let made = make(folders, page, from)?;
        let advice = format!("{page} is old: `cargo xtask bless gpu` makes it anew");
        call("diff").path(&made).word(page).or(advice).run()?;
    }
    Ok(())
}

/// Makes a page by an example.
fn make(folders: &Folders, page: &str, from: &str) -> Outcome<PathBuf> {
    let made = folders.folder("pages")?.join(page.replace('/', "-"));
    call("cargo run --release --quiet -p").words(from).to(&made).run()?;
    Ok(made)
}

/// Writes the pages into the book, and the schemas of the command.
pub(crate) fn bless(folders: &Folders) -> Outcome {
    for (page, from) in PAGES {
        write(Path::new(page), read(&make(folders, page, from)?)?)?;
    }
    for (room, name) in SCHEMAS {
        let schema = features::schema(name)?.text()?;
        write(Path::new(&format!("gpu/{room}/schemas/{name}.schema.json")), schema)?;
    }
    Ok(())
}
