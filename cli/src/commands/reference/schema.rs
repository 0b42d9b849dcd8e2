//! `cp2 schema`: the JSON Schemas of all reports and files. Those of workloads are made from what the
//! workloads report, that of states from the table of registers, the others are written by hand; `specs/schemas/` has all of them.

use super::isa;
use crate::args::Schema;
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use cp2_analysis::steps::json as steps;
use cp2_analysis::{accounting, compare, path, profile, slice, stall};
use cp2_descriptors as chain;
use cp2_emu::state_json;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_session::arrays;
use cp2_workloads::{bench, catalogue, speed};
use serde_json::Value;

/// Schema by its name.
struct Known {
    name: &'static str,
    of: &'static str,
    text: fn() -> String,
}

fn pretty(schema: &Value) -> String {
    format!("{schema:#}\n")
}

/// Returns CP2 with all registers that extensions add, and the sizes that it has without them.
fn with_extensions() -> Core {
    let extensions = Extensions::all() - Extensions::MORE_FPRS;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap_or(Core::CP2)
}

macro_rules! by_hand {
    ($name:literal) => {
        || include_str!(concat!("../../../../specs/schemas/", $name, ".schema.json")).to_owned()
    };
}

const KERNEL: &str = "Report of `cp2 kernels run NAME --json`";
const PROCEDURE: &str = "Report of `cp2 kernels run fftN --machine M --json`";
const OPERATOR: &str = "Report of `cp2 kernels run resid --machine M --json`";
const CG: &str = "Report of `cp2 kernels run cg --machine M --json`";
const SPMV: &str = "Report of `cp2 kernels run spmv --machine M --json`";
const SPMV_GATHERED: &str =
    "Report of `cp2 kernels run spmv_gathered --machine M --enable dma-words --json`";
const SEARCH: &str = "Report of `cp2 kernels run queens --machine M --json`";
const CLOSURE: &str = "Report of `cp2 kernels run star_closure8 --machine M --json`";
const PATHS: &str = "Report of `cp2 kernels run star_paths --machine M --json`";
const MG: &str = "Report of `cp2 kernels run mg --machine M --json`";
const SPATIAL: &str = "Report of `cp2 kernels run fft3d --machine M --json`";
const FT: &str = "Report of `cp2 kernels run ft --machine M --json`";
const CONVOLUTION: &str = "Report of `cp2 kernels run convolution --machine M --json`";

/// Schemas of the command `gpu`.
#[cfg(feature = "gpu")]
const GPU: &[Known] = &[
    Known {
        name: "gpu",
        of: "cp2 gpu run mg --json, of cg and ft, cp2 gpu measure --json",
        text: || gpu_schema(0),
    },
    Known { name: "gpu-devices", of: "cp2 gpu devices --json", text: || gpu_schema(1) },
    Known {
        name: "gpu-search",
        of: "cp2 gpu run queens --json, and of other searches",
        text: || pretty(&cp2_gpu_recursion::report::schema()),
    },
];
#[cfg(not(feature = "gpu"))]
const GPU: &[Known] = &[];

#[cfg(feature = "gpu")]
fn gpu_schema(place: usize) -> String {
    pretty(&cp2_gpu_procedures::report::schemas()[place].1)
}

/// Schemas of the command `cluster`.
#[cfg(feature = "cluster")]
const CLUSTER: &[Known] = &[
    Known {
        name: "cluster",
        of: "cp2 cluster run mg --json",
        text: || pretty(&cp2_cluster_procedures::ClusterMgReport::schema()),
    },
    Known {
        name: "cluster-fft",
        of: "cp2 cluster run fft --json",
        text: || pretty(&cp2_cluster_procedures::ClusterFftReport::schema()),
    },
    Known {
        name: "cluster-cg",
        of: "cp2 cluster run cg --json",
        text: || pretty(&cp2_cluster_procedures::ClusterCgReport::schema()),
    },
    Known {
        name: "cluster-program",
        of: "cp2 cluster run program --json",
        text: || pretty(&cp2_cluster_programs::ClusterProgramReport::schema()),
    },
];
#[cfg(not(feature = "cluster"))]
const CLUSTER: &[Known] = &[];

/// Schema of the command `loops`.
#[cfg(feature = "loops")]
const LOOPS: &[Known] = &[Known {
    name: "loops",
    of: "cp2 loops NEST --json",
    text: || pretty(&cp2_loops::report::schema()),
}];
#[cfg(not(feature = "loops"))]
const LOOPS: &[Known] = &[];

const ALL: &[Known] = &[
    Known { name: "account", of: "cp2 stats --json", text: || pretty(&accounting::schema()) },
    Known {
        name: "bench",
        of: "cp2 bench --json, the golden file",
        text: || pretty(&bench::schema()),
    },
    Known {
        name: "cg",
        of: "cp2 kernels run cg --machine M --json",
        text: || pretty(&catalogue::report_schema(CG, "cp2-cg-1")),
    },
    Known {
        name: "closure",
        of: "cp2 kernels run star_closure8 --machine M --json",
        text: || pretty(&catalogue::report_schema(CLOSURE, "cp2-closure-1")),
    },
    Known {
        name: "convolution",
        of: "cp2 kernels run convolution --machine M --json",
        text: || pretty(&catalogue::report_schema(CONVOLUTION, "cp2-convolution-2")),
    },
    Known { name: "costs", of: "cp2 costs --json", text: || pretty(&cp2_lab::costs::schema()) },
    Known { name: "diff", of: "cp2 diff --json", text: || pretty(&compare::schema()) },
    Known { name: "dma", of: "cp2 dma --json", text: || pretty(&chain::schema()) },
    Known {
        name: "energy",
        of: "cp2 stats --energy --json",
        text: || pretty(&cp2_lab::costs::energy_schema()),
    },
    Known {
        name: "estimate",
        of: "cp2 estimate --json",
        text: || pretty(&cp2_lab::report::schema()),
    },
    Known {
        name: "ft",
        of: "cp2 kernels run ft --machine M --json",
        text: || pretty(&catalogue::report_schema(FT, "cp2-ft-1")),
    },
    Known {
        name: "interface",
        of: "cp2 run PROGRAM --interface --json",
        text: || pretty(&arrays::schema()),
    },
    Known {
        name: "isa",
        of: "cp2 isa --json, cp2 isa MNEMONIC --json",
        text: || pretty(&isa::isa_schema()),
    },
    Known {
        name: "kernel",
        of: "cp2 kernels run NAME --json",
        text: || pretty(&catalogue::report_schema(KERNEL, "cp2-kernel-1")),
    },
    Known {
        name: "kernels",
        of: "cp2 kernels list --json",
        text: || pretty(&catalogue::list_schema()),
    },
    Known { name: "lint", of: "cp2 lint --json", text: by_hand!("lint") },
    Known { name: "map", of: "cp2 asm --map FILE.json", text: by_hand!("map") },
    Known {
        name: "mg",
        of: "cp2 kernels run mg --machine M --json",
        text: || pretty(&catalogue::report_schema(MG, "cp2-mg-1")),
    },
    Known {
        name: "operator",
        of: "cp2 kernels run resid --machine M --json",
        text: || pretty(&catalogue::report_schema(OPERATOR, "cp2-operator-1")),
    },
    Known {
        name: "optimize",
        of: "cp2 optimize --json",
        text: || pretty(&cp2_lab::optimize::schema()),
    },
    Known { name: "path", of: "cp2 path --json", text: || pretty(&path::schema()) },
    Known {
        name: "paths",
        of: "cp2 kernels run star_paths --machine M --json",
        text: || pretty(&catalogue::report_schema(PATHS, "cp2-paths-1")),
    },
    Known {
        name: "procedure",
        of: "cp2 kernels run fftN --machine M --json",
        text: || pretty(&catalogue::report_schema(PROCEDURE, "cp2-procedure-2")),
    },
    Known {
        name: "profile",
        of: "`profile` in the report of cp2 run --profile --json",
        text: || pretty(&profile::schema()),
    },
    Known {
        name: "roofline",
        of: "cp2 roofline --json",
        text: || pretty(&cp2_lab::roofline::schema()),
    },
    Known { name: "run", of: "cp2 run --json", text: by_hand!("run") },
    Known { name: "sched", of: "cp2 sched --json", text: by_hand!("sched") },
    Known {
        name: "search",
        of: "cp2 kernels run queens --machine M --json, and of other searches",
        text: || pretty(&catalogue::report_schema(SEARCH, "cp2-search-1")),
    },
    Known {
        name: "sensitivity",
        of: "cp2 whatif --sensitivity --json",
        text: || pretty(&cp2_lab::whatif::sensitivity::schema()),
    },
    Known { name: "slice", of: "cp2 why --value --json", text: || pretty(&slice::schema()) },
    Known {
        name: "spatial-fft",
        of: "cp2 kernels run fft3d --machine M --json",
        text: || pretty(&catalogue::report_schema(SPATIAL, "cp2-spatial-fft-1")),
    },
    Known { name: "speed", of: "cp2 bench --speed --json", text: || pretty(&speed::schema()) },
    Known {
        name: "spmv",
        of: "cp2 kernels run spmv --machine M --json",
        text: || pretty(&catalogue::report_schema(SPMV, "cp2-spmv-1")),
    },
    Known {
        name: "spmv_gathered",
        of: "cp2 kernels run spmv_gathered --machine M --enable dma-words --json",
        text: || pretty(&catalogue::report_schema(SPMV_GATHERED, "cp2-spmv-gathered-1")),
    },
    Known { name: "star", of: "cp2 star --json", text: || pretty(&cp2_star::report::schema()) },
    Known {
        name: "state",
        of: "cp2 run --init, --dump",
        text: || pretty(&state_json::schema(&with_extensions())),
    },
    Known {
        name: "steps",
        of: "cp2 stats --steps --json",
        text: || pretty(&steps::costs_schema()),
    },
    Known {
        name: "steps-diff",
        of: "cp2 diff --steps --json",
        text: || pretty(&steps::changes_schema()),
    },
    Known {
        name: "study",
        of: "cp2 optimize STUDY --json",
        text: || pretty(&cp2_lab::study::schema()),
    },
    Known {
        name: "study-bundle",
        of: "cp2 optimize STUDY --bundle FILE.json",
        text: || pretty(&cp2_lab::study::bundle_schema()),
    },
    Known {
        name: "sweep",
        of: "cp2 sweep SPEC --json, cp2 sweep status --json",
        text: || pretty(&cp2_lab::sweep::schema()),
    },
    Known {
        name: "sweep-best",
        of: "cp2 sweep best --json",
        text: || pretty(&cp2_lab::sweep::best_schema()),
    },
    Known {
        name: "sweep-verify",
        of: "cp2 sweep verify --json",
        text: || pretty(&cp2_lab::sweep::verify_schema()),
    },
    Known { name: "test", of: "cp2 test --json", text: || pretty(&cp2_filetest::schema()) },
    Known {
        name: "timeline",
        of: "cp2 kernels run NAME --timeline-json",
        text: by_hand!("timeline"),
    },
    Known {
        name: "whatif",
        of: "cp2 whatif --json",
        text: || pretty(&cp2_lab::whatif::report::schema()),
    },
    Known { name: "why", of: "cp2 why --cycle --json", text: || pretty(&stall::schema()) },
    Known {
        name: "workload",
        of: "cp2 kernels run FILE --json",
        text: || pretty(&cp2_workloads::file::WorkloadFile::report_schema()),
    },
];

pub(crate) fn schema(arguments: &Schema) -> Outcome {
    let all = || ALL.iter().chain(GPU).chain(CLUSTER).chain(LOOPS);
    let text = match &arguments.name {
        None => all().map(|known| format!("{:<12} {}\n", known.name, known.of)).collect(),
        Some(name) => match all().find(|known| known.name == name) {
            Some(known) => (known.text)(),
            None => {
                let names: Vec<_> = all().map(|known| known.name).collect();
                let names = names.join(", ");
                return Err(bad_input(format!(
                    "there is no schema `{name}`; the schemas are {names}"
                )));
            }
        },
    };
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}
