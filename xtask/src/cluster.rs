//! The lane of several processors, and the schema of its report.

use crate::features;
use crate::folders::{Folders, write};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::Path;

/// Tests the crates of several processors and the command with them, which the README's commands leave out; then the command in
/// processes of MPI, under `mpirun` and under Slurm.
pub(crate) fn cluster(folders: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-cluster -p cp2-cluster-procedures").run()?;
    features::test("cluster")?;
    tools::debian(tools::SLURM.0, tools::SLURM.1)?;
    call("tests/slurm/processes").path(&features::build_with_mpi(folders)?).run()
}

/// Writes the schemas of the command.
pub(crate) fn bless(_: &Folders) -> Outcome {
    for name in ["cluster", "cluster-fft", "cluster-cg"] {
        let folder = Path::new("programs/procedures/cluster/schemas");
        let schema = features::schema(name)?.text()?;
        write(&folder.join(format!("{name}.schema.json")), schema)?;
    }
    Ok(())
}
