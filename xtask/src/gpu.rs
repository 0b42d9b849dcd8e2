//! The lane of what runs on graphics processors, and its pages of the book.

use crate::features;
use crate::folders::{Folders, write};
use crate::pages::made::{self, Made};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::Path;

/// The pages that the data of runs are made into.
const PAGES: [Made; 2] = [
    Made { path: "specs/src/gpu.md", from: "cp2-gpu-procedures --example page" },
    Made { path: "specs/src/star-gpu.md", from: "cp2-gpu-star --example star-page" },
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
    made::compare(folders, &PAGES, "gpu")
}

/// Writes the pages into the book, and the schemas of the command.
pub(crate) fn bless(folders: &Folders) -> Outcome {
    made::bless(folders, &PAGES)?;
    for (room, name) in SCHEMAS {
        let schema = features::schema(name)?.text()?;
        write(Path::new(&format!("gpu/{room}/schemas/{name}.schema.json")), schema)?;
    }
    Ok(())
}
