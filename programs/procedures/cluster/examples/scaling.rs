//! Times of NPB MG on 1 to 64 processors for several latencies and topologies, as the tables of the page of the book on several
//! processors. `scaling S W` does these classes, by replay, which gives the times of a run that computes.

use cp2_asm::diagnostic::Sources;
use cp2_cluster::{ClusterOptions, Tick, TimeCause, TopologyFile, shipped};
use cp2_cluster_procedures::{ClusterMgMode, ClusterMgProblem, ProcessGrid, run_multigrid};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::sync::Arc;

/// Latencies in microseconds.
const LATENCIES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// Topologies, with the machines of their processors and the numbers of processors that they take.
const TOPOLOGIES: [(&str, &str, &[usize]); 4] = [
    ("vm9-torus", "vm9-1000-600", &[1, 2, 4, 8, 16, 64]),
    ("vm9-ports", "vm9-1000-600", &[8]),
    ("vm9-chips", "vm9-1000-600", &[2, 4, 8]),
    ("vm7-switch", "vm7", &[8]),
];

fn problem(
    class: Class,
    (name, machine): (&str, &str),
    processors: usize,
    shelf: &Arc<Shelf>,
) -> Result<ClusterMgProblem, Box<dyn std::error::Error>> {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).ok_or("no such topology")?);
    let file = TopologyFile::read(&sources, file).map_err(|_| "a topology that is wrong")?;
    let grid = ProcessGrid::new(processors, class.points())?;
    Ok(ClusterMgProblem {
        class,
        mode: ClusterMgMode::Replay,
        grid,
        topology: file.topology(grid.counts)?,
        config: MachineConfig::preset(machine).ok_or("no such machine")?,
        gathered: None,
        checkpoints: None,
        keeps_levels: false,
        options: ClusterOptions { threads: 2, ..ClusterOptions::default() },
        shelf: shelf.clone(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment::new();
    let shelf = Arc::new(Shelf::default());
    for name in std::env::args().skip(1) {
        let class = Class::from_name(&name).ok_or("the classes are S, W, A, B, C")?;
        println!(
            "\n| class {class}, topology | processors | latency us | time ms | MOPS | speed-up | alone | computing % | packing % | wire % | latency % | late neighbour % |"
        );
        println!(
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        );
        for (topology, machine, all) in TOPOLOGIES {
            let one = problem(class, ("formula", machine), 1, &shelf)?;
            let execution = environment.execution(*one.config.core());
            let alone = run_multigrid(&one, &execution)?.end().ms();
            for &processors in all {
                for us in LATENCIES.into_iter().filter(|&us| processors > 1 || us == LATENCIES[0]) {
                    let mut of = problem(class, (topology, machine), processors, &shelf)?;
                    of.topology = of.topology.with_latency(Tick::from_ns(1e3 * us));
                    let run = run_multigrid(&of, &execution)?;
                    let ms = run.end().ms();
                    let mops = class.operations() as f64 / ms / 1e3;
                    let share = |cause| {
                        let times = run.accounts.iter().map(|a| a.of(cause).ns() / a.total().ns());
                        100.0 * times.sum::<f64>() / processors as f64
                    };
                    let causes = [
                        TimeCause::Computing,
                        TimeCause::Packing,
                        TimeCause::Wire,
                        TimeCause::Latency,
                        TimeCause::LateNeighbour,
                    ];
                    let causes = causes.map(|cause| format!("{:.1}", share(cause))).join(" | ");
                    let us = if processors == 1 { "-".to_owned() } else { us.to_string() };
                    println!(
                        "| {topology} | {processors} | {us} | {ms:.3} | {mops:.0} | {:.2} | {} | {causes} |",
                        alone / ms,
                        run.gathered
                    );
                }
            }
        }
    }
    Ok(())
}
