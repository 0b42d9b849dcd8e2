//! The lane of several processors, the schemas of its reports, and the page of the book on scaling.

use crate::features;
use crate::folders::{Folders, write};
use crate::pages::made::{self, Made};
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::Path;

/// Crates of several processors, which the README's commands leave out.
const CRATES: &str = "-p cp2-cluster -p cp2-cluster-procedures -p cp2-cluster-programs";

/// The page on scaling and its pictures, which are made from rows that were measured.
const PAGES: [Made; 4] = [
    Made {
        path: "specs/src/procedures/scaling.md",
        from: "cp2-cluster-procedures --example scaling -- page",
    },
    Made {
        path: "specs/src/pictures/scaling.svg",
        from: "cp2-cluster-procedures --example scaling -- picture scaling",
    },
    Made {
        path: "specs/src/pictures/scaling-vm7.svg",
        from: "cp2-cluster-procedures --example scaling -- picture scaling-vm7",
    },
    Made {
        path: "specs/src/pictures/scaling-latency.svg",
        from: "cp2-cluster-procedures --example scaling -- picture scaling-latency",
    },
];

/// Tests the crates of several processors and the command with them; then programs in C beside the same under a real MPI, and the
/// command in processes of MPI, under `mpirun` and under Slurm.
pub(crate) fn cluster(folders: &Folders) -> Outcome {
    call("cargo test --release --quiet").words(CRATES).run()?;
    made::compare(folders, &PAGES, "cluster")?;
    features::test("cluster")?;
    tools::debian(tools::SLURM.0, tools::SLURM.1)?;
    tools::debian(&["mips64-linux-gnuabi64-gcc"], "gcc-mips64-linux-gnuabi64")?;
    let cp2 = features::build_with_mpi(folders)?;
    let compared = folders.folder("mpi")?;
    call("programs/c/mpi.sh").path(&compared).env("CP2", &cp2).run()?;
    call("tests/slurm/processes").path(&cp2).run()
}

/// Writes the schemas of the command, and the page with its pictures.
pub(crate) fn bless(folders: &Folders) -> Outcome {
    const FOLDERS: [(&str, &str); 4] = [
        ("cluster", "programs/procedures/cluster/schemas"),
        ("cluster-fft", "programs/procedures/cluster/schemas"),
        ("cluster-cg", "programs/procedures/cluster/schemas"),
        ("cluster-program", "emulator/cluster/programs/schemas"),
    ];
    for (name, folder) in FOLDERS {
        let folder = Path::new(folder);
        let schema = features::schema(name)?.text()?;
        write(&folder.join(format!("{name}.schema.json")), schema)?;
    }
    made::bless(folders, &PAGES)
}
