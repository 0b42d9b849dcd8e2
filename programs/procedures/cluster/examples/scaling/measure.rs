//! Measuring of all cases.

use cp2_asm::diagnostic::Sources;
use cp2_cluster::{TopologyFile, shipped};
use cp2_cluster_procedures::{ProcessGrid, ScalingCase, scaling_row};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::error::Error;
use std::sync::Arc;

/// Latencies in microseconds.
const LATENCIES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const CLASSES: [Class; 4] = [Class::S, Class::W, Class::B, Class::C];
const ALL: &[usize] = &[1, 2, 4, 8, 16, 32, 64];

/// Topologies, with the machines of their processors, the numbers of processors that they take, and whether latencies are varied.
const TOPOLOGIES: [(&str, &str, &[usize], bool); 7] = [
    ("vm9-torus", "vm9-1000-600", ALL, true),
    ("vm9-ports", "vm9-1000-600", &[8], true),
    ("vm9-chips", "vm9-1000-600", &[2, 4, 8], true),
    ("formula", "vm9-1000-600", ALL, false),
    ("vm7-torus", "vm7", ALL, true),
    ("vm7-pair", "vm7", &[2], true),
    ("vm7-switch", "vm7", &[8], true),
];

fn case(
    class: Class,
    (name, machine): (&str, &str),
    processors: usize,
    latency_us: Option<f64>,
) -> Result<ScalingCase, Box<dyn Error>> {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).ok_or("no such topology")?);
    let file = TopologyFile::read(&sources, file).map_err(|_| "a topology that is wrong")?;
    let grid = ProcessGrid::new(processors, class.points())?;
    let topology = file.topology(grid.counts)?;
    let config = MachineConfig::preset(machine).ok_or("no such machine")?;
    Ok(ScalingCase { class, grid, name: name.to_owned(), topology, latency_us, config })
}

/// Measures all cases and prints their rows. Cases that the memory of a processor does not hold are told and left out.
pub(crate) fn print() -> Result<(), Box<dyn Error>> {
    let environment = Environment::new();
    let shelf = Arc::new(Shelf::default());
    for (topology, machine, counts, varies) in TOPOLOGIES {
        for class in CLASSES {
            for &processors in counts {
                let several = processors > 1 && varies;
                let latencies: &[Option<f64>] = match several {
                    true => &LATENCIES.map(Some),
                    false => &[None],
                };
                for &latency in latencies {
                    let case = case(class, (topology, machine), processors, latency)?;
                    let execution = environment.execution(*case.config.core());
                    match scaling_row(&case, (2, &shelf), &execution) {
                        Ok(row) => println!("{}", serde_json::to_string(&row)?),
                        Err(error) => {
                            eprintln!("left out: {class} on {processors} of {topology}: {error}");
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
