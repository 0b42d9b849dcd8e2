//! `cp2 cluster run program`.

use super::{ANY, assumptions, grid_of, network, write_goal};

use crate::args::cluster::ClusterProgram;
use crate::commands::run::LoadedKernels;
use crate::input::recording::{self, RecordingFile};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_cluster::ClusterError;
use cp2_cluster_procedures::ClusterSetup;
use cp2_cluster_programs::{
    ClusterProgramError, ClusterProgramProblem, ClusterProgramReport, Consoles, ProgramStop,
    run_program,
};
use cp2_emu::MachineConfig;
use cp2_k64::elf::is_mips;
use cp2_k64::isa::Release;
use cp2_session::Environment;

pub(super) fn run(arguments: &ClusterProgram) -> Outcome {
    let counts = counts(arguments)?;
    let path = &arguments.program;
    let name = path.display().to_string();
    if files::is_standard(path) {
        return Err(usage("-: give the name of a program"));
    }
    let elf = files::read(path)?;
    if !is_mips(&elf) {
        return Err(bad_input(format!(
            "{name}: this is no program of the control processor (an ELF file for MIPS); programs/c/mpicc compiles one"
        )));
    }
    let (file, setup) = network(&arguments.network, counts)?;
    let ClusterSetup { topology, config, options, .. } = setup;
    let environment = Environment::new();
    let recordings = recordings(arguments, (&name, &elf), (&config, topology.ranks()))?;
    let engine = |rank: usize| {
        let engine = environment.engine(arguments.engine);
        match recordings.get(rank) {
            Some(recording) => recording.recorder().around(engine),
            None => engine,
        }
    };
    let problem = ClusterProgramProblem {
        name: &name,
        elf: &elf,
        arguments: &arguments.arguments,
        release: Release::default(),
        topology,
        config,
        options,
        max_cycles: arguments.max_cycles,
        engine: &engine,
    };
    let consoles = Consoles::new(problem.topology.ranks());
    let run = run_program(&problem, &consoles);
    let ClusterProgramProblem { topology, config, .. } = problem;
    let output = consoles.take();
    let finished = recordings.into_iter().try_for_each(RecordingFile::finish);
    if !arguments.json || run.is_err() {
        files::print(&output)?;
    }
    let run = run.map_err(|error| failure(&error)).and_then(|run| finished.map(|()| run))?;
    write_goal(arguments.goal.as_deref(), &run.events)?;
    let code = run.code();
    let report = ClusterProgramReport {
        program: name.clone(),
        machine: config.name().to_owned(),
        topology: file.name.clone(),
        network: topology,
        run,
        output: String::from_utf8_lossy(&output).into_owned(),
        assumptions: assumptions(&arguments.network, &file),
    };
    if arguments.json {
        files::print_json(&report.to_json())?;
    } else if arguments.time {
        files::print(report.text().as_bytes())?;
    }
    Ok(if code == 0 { Exit::Success } else { Exit::Program(code) })
}

/// Begins the recordings of all ranks, if they are asked for.
fn recordings(
    arguments: &ClusterProgram,
    of: (&str, &[u8]),
    (config, ranks): (&MachineConfig, usize),
) -> Outcome<Vec<RecordingFile>> {
    let Some(folder) = &arguments.record else { return Ok(Vec::new()) };
    if files::is_standard(folder) {
        return Err(usage("--record -: give the name of a folder"));
    }
    std::fs::create_dir_all(folder).map_err(|e| files::cannot_write(folder, e))?;
    let header = recording::header(Some(config), config.core());
    let kernels = LoadedKernels::carried(of, config.core());
    let begin = |rank: usize| {
        let path = folder.join(format!("rank-{rank}.cp2rec"));
        let recording = RecordingFile::create(&path, &header)?;
        kernels.keep_in(recording.recorder())?;
        Ok(recording)
    };
    (0..ranks).map(begin).collect()
}

/// Returns the processors along x, y and z.
fn counts(arguments: &ClusterProgram) -> Outcome<[usize; 3]> {
    let processors = arguments.processors as usize;
    match arguments.grid {
        Some(grid) => {
            let product =
                grid.iter().try_fold(1_usize, |product, count| product.checked_mul(*count));
            if product != Some(processors) {
                let [x, y, z] = grid;
                return Err(usage(format!(
                    "--grid {x}x{y}x{z}: the product of the numbers is not that of --processors, {processors}"
                )));
            }
            Ok(grid)
        }
        None if processors.is_power_of_two() => Ok(grid_of(processors, ANY)?.counts),
        None => Ok([processors, 1, 1]),
    }
}

fn failure(error: &ClusterProgramError) -> Failure {
    let exit = match error {
        ClusterProgramError::Program(_) | ClusterProgramError::Clock { .. } => Exit::BadInput,
        ClusterProgramError::Deadlock { .. } => Exit::Guest,
        ClusterProgramError::Cluster(error) => match &**error {
            ClusterError::Rank { error, .. } => match error.stop {
                ProgramStop::Guest => Exit::Guest,
                ProgramStop::Limit => Exit::Limit,
                ProgramStop::Input => Exit::BadInput,
            },
            ClusterError::Unreceived { .. } => Exit::Guest,
            _ => Exit::BadInput,
        },
    };
    Failure { exit, message: format!("cp2: error: {error}") }
}
