//! The lane of several processors, and the schema of its report.

use crate::folders::{Folders, write};
use crate::shell::{Outcome, call};
use std::path::Path;

/// Tests the crates of several processors and the command with them, which the README's commands leave out.
pub(crate) fn cluster(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-cluster -p cp2-cluster-procedures").run()?;
    call("cargo clippy --release --quiet -p cp2 --features cluster --all-targets -- -D warnings")
        .run()?;
    call("cargo test --release --quiet -p cp2 --features cluster --test cli cluster").run()
}

/// Writes the schema of the command.
pub(crate) fn bless(_: &Folders) -> Outcome {
    let schema = call("cargo run --release --quiet -p cp2 --features cluster -- schema cluster");
    write(Path::new("programs/procedures/cluster/schemas/cluster.schema.json"), schema.text()?)
}
