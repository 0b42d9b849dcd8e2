//! `cp2 cluster`. `processes` has the processes of MPI that do a run together, `checkpoints` the folders of checkpoints, `fft` the FFT,
//! `cg` conjugate gradients, `program` programs in C.

mod cg;
mod checkpoints;
mod fft;
mod processes;
mod program;

use crate::args::cluster::{
    Cluster as Arguments, ClusterChoice, ClusterMg, ClusterNetwork, ClusterRun, ClusterTopology,
};
use crate::input::{machine, program as input_program};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_asm::diagnostic::Sources;
use cp2_cluster::{ClusterError, ClusterOptions, RankEvent, Tick, TopologyFile, shipped};
use cp2_cluster_procedures::{
    ClusterMgError, ClusterMgMode, ClusterMgProblem, ClusterProcedure, ClusterReport,
    ClusterResults, ClusterSetup, OneProcessor, ProcessGrid, ReportedProcedure,
};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use std::path::Path;
use std::sync::Arc;

/// Points along an axis that any number of processors divides: for procedures that check their numbers by themselves.
const ANY: usize = 1 << 16;

/// Classes that fit the memories of a few processors.
const CLASSES: [Class; 5] = [Class::S, Class::W, Class::A, Class::B, Class::C];

pub(crate) fn cluster(arguments: &Arguments) -> Outcome {
    match arguments {
        Arguments::Run(ClusterRun::Mg(mg)) => run_mg(mg),
        Arguments::Run(ClusterRun::Fft(fft)) => fft::run(fft),
        Arguments::Run(ClusterRun::Cg(cg)) => cg::run(cg),
        Arguments::Run(ClusterRun::Program(program)) => program::run(program),
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
        input_program::utf8(name, files::read(Path::new(name))?)?
    } else {
        shipped::text(name).ok_or_else(|| unknown(name))?.to_owned()
    };
    let mut sources = Sources::default();
    let file = sources.add(name, &text);
    TopologyFile::read(&sources, file)
        .map_err(|problems| input_program::refused(&problems, &sources))
}

/// Reads a topology file, and makes what all procedures have in common, for so many processors along each axis.
fn setup(choice: &ClusterChoice, counts: [usize; 3]) -> Outcome<(TopologyFile, ClusterSetup)> {
    let checkpoints = checkpoints::of(&choice.keeping)?;
    let (file, setup) = network(&choice.network, counts)?;
    Ok((file, ClusterSetup { checkpoints, ..setup }))
}

/// Reads network and machines of a run without checkpoints.
fn network(choice: &ClusterNetwork, counts: [usize; 3]) -> Outcome<(TopologyFile, ClusterSetup)> {
    let file = read(&choice.topology)?;
    let topology =
        file.topology(counts).map_err(|e| bad_input(format!("{}: {e}", choice.topology)))?;
    let topology = match choice.latency_us {
        Some(us) => topology.with_latency(Tick::from_ns(1e3 * us)),
        None => topology,
    };
    let config = machine_of(choice, &file)?;
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = choice.threads.map_or(all, usize::from);
    let options = ClusterOptions { threads, ..ClusterOptions::default() };
    let setup =
        ClusterSetup { topology, config, options, checkpoints: None, shelf: Arc::default() };
    Ok((file, setup))
}

/// Returns the machine of each processor: the one of the options, else that of the topology file.
fn machine_of(choice: &ClusterNetwork, file: &TopologyFile) -> Outcome<MachineConfig> {
    if let Some(config) = machine::config(&choice.machine)? {
        return Ok(config);
    }
    let place = format!("{}: machine is \"{}\"", choice.topology, file.machine);
    machine::with_changes(machine::named_in(&file.machine, &place)?, &choice.machine)
}

/// Returns the numbers of a topology file that rest on assumptions and stand.
fn assumptions(choice: &ClusterNetwork, file: &TopologyFile) -> Vec<(String, String)> {
    let mut assumptions = file.assumptions.clone();
    if choice.latency_us.is_some() {
        assumptions.retain(|(key, _)| !key.ends_with("latency_ns"));
    }
    assumptions
}

/// Writes the events of a run, if that is asked for.
fn write_goal(path: Option<&Path>, events: &[Vec<RankEvent>]) -> Outcome<()> {
    match path {
        Some(path) => files::write(path, cp2_cluster::goal(events).as_bytes()),
        None => Ok(()),
    }
}

/// Returns the grid of so many processors for grids of `points` points along an axis.
fn grid_of(processors: usize, points: usize) -> Outcome<ProcessGrid> {
    ProcessGrid::new(processors, points).map_err(|e| usage(format!("--processors: {e}")))
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
    let choice = &arguments.run;
    let grid = grid_of(choice.processors as usize, class.points())?;
    let (file, setup) = setup(choice, grid.counts)?;
    let problem = ClusterMgProblem {
        class,
        mode: if arguments.replay { ClusterMgMode::Replay } else { ClusterMgMode::Exact },
        grid,
        gathered: arguments.gathered,
        keeps_levels: false,
        setup,
    };
    run_procedure(problem, choice, file)
}

/// Runs a procedure and prints its report; the exit code tells whether its results are right.
fn run_procedure<P: ReportedProcedure>(
    mut problem: P,
    choice: &ClusterChoice,
    file: TopologyFile,
) -> Outcome {
    let environment = input_program::environment(choice.cache);
    let execution = environment.execution(*problem.setup().config.core());
    let ClusterSetup { checkpoints, topology, .. } = problem.setup();
    let processes = processes::join(choice.mpi, &(problem.identity(), checkpoints), topology)?;
    problem.setup_mut().options.transport = processes.transport.clone();
    let run = match processes.first_only(problem.run(&execution).map_err(failure))? {
        Ok(run) => run,
        Err(exit) => return Ok(exit),
    };
    let setup = problem.setup_mut();
    (setup.options.transport, setup.checkpoints) = (None, None);
    write_goal(choice.goal.as_deref(), &run.events)?;
    let one = if choice.compare { Some(compared(&problem, &run, &execution)?) } else { None };
    let assumptions = assumptions(&choice.network, &file);
    let report = ClusterReport { problem, run, topology: file.name, assumptions, one };
    if choice.json {
        files::print_json(&report.to_json())?;
    } else {
        files::print(report.text().as_bytes())?;
    }
    Ok(if report.is_verified() == Some(false) { Exit::Check } else { Exit::Success })
}

/// Runs a problem on one processor.
fn compared<P: ClusterProcedure>(
    problem: &P,
    run: &ClusterResults<P::Rank, P::Choice>,
    execution: &Execution,
) -> Outcome<OneProcessor> {
    let alone = problem.alone(read("formula")?.topology([1; 3]).map_err(bad_input)?);
    let found = alone.run(execution).map_err(failure)?;
    Ok(OneProcessor { ms: found.end().ms(), is_same: problem.is_same(run, (&alone, &found)) })
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
