//! `cp2 cluster`. `processes` has the processes of MPI that do a run together, `checkpoints` the folders of checkpoints.

mod checkpoints;
mod processes;

use crate::args::{Cluster as Arguments, ClusterMg, ClusterRun, ClusterTopology};
use crate::input::{machine, program};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_asm::diagnostic::Sources;
use cp2_cluster::{ClusterError, ClusterOptions, Tick, TopologyFile, shipped};
use cp2_cluster_procedures::{
    ClusterMgError, ClusterMgProblem, ClusterMgReport, ClusterMgRun, OneProcessor, ProcessGrid,
    run_multigrid,
};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use std::path::Path;
use std::sync::Arc;

/// Classes that fit the memories of a few processors.
const CLASSES: [Class; 5] = [Class::S, Class::W, Class::A, Class::B, Class::C];

pub(crate) fn cluster(arguments: &Arguments) -> Outcome {
    match arguments {
        Arguments::Run(ClusterRun::Mg(mg)) => run_mg(mg),
        Arguments::Topology(topology) => list(topology),
    }
}

/// Lists the topologies, or prints one.
fn list(ClusterTopology { name }: &ClusterTopology) -> Outcome {
    let Some(name) = name else {
        let mut text = String::new();
        for (name, file) in shipped::FILES {
            let about = file.lines().take_while(|line| line.starts_with('#'));
            let about: Vec<_> = about.map(|line| line.trim_start_matches(['#', ' '])).collect();
            text += &format!("{name}\n    {}\n", about.join("\n    "));
        }
        files::print(text.as_bytes())?;
        return Ok(Exit::Success);
    };
    files::print(shipped::text(name).ok_or_else(|| unknown(name))?.as_bytes())?;
    Ok(Exit::Success)
}

fn unknown(name: &str) -> Failure {
    let names = shipped::FILES.map(|(name, _)| name).join(", ");
    bad_input(format!("{name}: no such file, and no topology of this name; there are {names}"))
}

/// Reads a topology: a file if there is one, else the one of this name.
fn read(name: &str) -> Outcome<TopologyFile> {
    let text = if Path::new(name).exists() {
        program::utf8(name, files::read(Path::new(name))?)?
    } else {
        shipped::text(name).ok_or_else(|| unknown(name))?.to_owned()
    };
    let mut sources = Sources::default();
    let file = sources.add(name, &text);
    TopologyFile::read(&sources, file).map_err(|problems| program::refused(&problems, &sources))
}

/// Returns the machine of each processor: the one of the options, else that of the topology file.
fn machine_of(arguments: &ClusterMg, file: &TopologyFile) -> Outcome<MachineConfig> {
    if let Some(config) = machine::config(&arguments.machine)? {
        return Ok(config);
    }
    let place = format!("{}: machine is \"{}\"", arguments.topology, file.machine);
    machine::with_changes(machine::named_in(&file.machine, &place)?, &arguments.machine)
}

fn run_mg(arguments: &ClusterMg) -> Outcome {
    let class = CLASSES.into_iter().find(|class| class.name() == arguments.class);
    let class = class.ok_or_else(|| {
        usage(format!(
            "--class {}: mg has the classes {}",
            arguments.class,
            CLASSES.map(|c| c.name()).join(", ")
        ))
    })?;
    let file = read(&arguments.topology)?;
    let grid = ProcessGrid::new(arguments.processors as usize, class.points())
        .map_err(|e| usage(format!("--processors: {e}")))?;
    let topology = file
        .topology(grid.counts)
        .map_err(|e| bad_input(format!("{}: {e}", arguments.topology)))?;
    let topology = match arguments.latency_us {
        Some(us) => topology.with_latency(Tick::from_ns(1e3 * us)),
        None => topology,
    };
    let config = machine_of(arguments, &file)?;
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(all, usize::from);
    let mut problem = ClusterMgProblem {
        class,
        grid,
        topology,
        config,
        gathered: arguments.gathered,
        keeps_levels: false,
        options: ClusterOptions { threads, ..ClusterOptions::default() },
        checkpoints: checkpoints::of(arguments)?,
        shelf: Arc::default(),
    };
    let environment = program::environment(arguments.cache);
    let execution = environment.execution(*problem.config.core());
    let processes = processes::join(arguments.mpi, &problem)?;
    problem.options.transport = processes.transport.clone();
    let run = match run_multigrid(&problem, &execution).map_err(failure) {
        // All processes have the same error, and one tells it.
        Err(failure) if !processes.is_first() => return Ok(failure.exit),
        run => run?,
    };
    if !processes.is_first() {
        return Ok(Exit::Success);
    }
    // What follows is the work of one process.
    (problem.options.transport, problem.checkpoints) = (None, None);
    if let Some(path) = &arguments.goal {
        files::write(path, cp2_cluster::goal(&run.events).as_bytes())?;
    }
    let one = if arguments.compare { Some(compared(&problem, &run, &execution)?) } else { None };
    let mut assumptions = file.assumptions.clone();
    if arguments.latency_us.is_some() {
        assumptions.retain(|(key, _)| !key.ends_with("latency_ns"));
    }
    let report = ClusterMgReport { problem, run, topology: file.name, assumptions, one };
    match arguments.json {
        true => files::print_json(&report.to_json())?,
        false => files::print(report.text().as_bytes())?,
    }
    Ok(if report.is_verified() { Exit::Success } else { Exit::Check })
}

/// Runs the class on one processor.
fn compared(
    problem: &ClusterMgProblem,
    run: &ClusterMgRun,
    execution: &Execution,
) -> Outcome<OneProcessor> {
    let formula = read("formula")?;
    let grid = ProcessGrid { counts: [1; 3] };
    let topology = formula.topology(grid.counts).map_err(bad_input)?;
    let alone = ClusterMgProblem { grid, topology, gathered: None, ..problem.clone() };
    let found = run_multigrid(&alone, execution).map_err(failure)?;
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let is_same = bits(found.residual(&alone)) == bits(run.residual(problem));
    Ok(OneProcessor { ms: found.end().ms(), is_same })
}

/// Returns the failure of a run; what a machine refused is told as on one processor.
fn failure(error: ClusterMgError) -> Failure {
    match error {
        ClusterMgError::Kernel(error) => error.into(),
        ClusterMgError::Cluster(error) => match *error {
            ClusterError::Rank { error, .. } => failure(error),
            error => bad_input(error),
        },
        ClusterMgError::Gathered { .. } => usage(format!("--gathered: {error}")),
        error => bad_input(error),
    }
}
