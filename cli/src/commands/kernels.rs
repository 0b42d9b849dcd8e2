//! `cp2 kernels`: the workloads of the catalogue. What each takes and reports is in the libraries.

use crate::args::{EmitHost, KeepingChoice, KernelRun, Kernels, MachineChoice};
use crate::input::array_file::ArrayFile;
use crate::input::options::OutputPath;
use crate::input::recording::{self, RecordingFile};
use crate::input::workload;
use crate::input::{machine, program};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::process::signals;
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_session::keeping::{CheckpointWriter, Keeper, StopListener, StopQuery};
use cp2_session::npy::{self, MatrixShape};
use cp2_session::workload::{
    Listener, OptionKind, Platform, Request, WorkloadOption, WorkloadOutcome,
};
use cp2_session::{KernelError, ProgramError};
use cp2_workloads::catalogue::{list, list_text};
use cp2_workloads::file::CommandPolicy;
use cp2_workloads::file::HostInC;
use num_complex::Complex32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub(crate) fn kernels(arguments: &Kernels) -> Outcome {
    match arguments {
        Kernels::List { json: true } => files::print_json(&list(&Core::default())?)?,
        Kernels::List { json: false } => files::print(list_text().as_bytes())?,
        Kernels::Source { name, core } => {
            let core = machine::core(core)?;
            let platform = match workload::is_file(name) {
                true => Platform::Machine,
                false => Platform::Cp2,
            };
            let kernel = workload::find(platform, name, CommandPolicy::Refused)?;
            files::print(kernel.source(&core)?.as_bytes())?;
        }
        Kernels::Run(arguments) => return run(arguments),
    }
    Ok(Exit::Success)
}

/// Runs a workload, writes and prints what was asked for.
fn run(arguments: &KernelRun) -> Outcome {
    if let Some(EmitHost::C) = arguments.emit {
        return host_in_c(arguments);
    }
    let KernelRun { name, options, machine, record, keeping, json, .. } = arguments;
    let config = machine::config(machine)?;
    let core = match &config {
        Some(config) => *config.core(),
        None => machine::core_alone(&machine.changes)?,
    };
    let wanted = if config.is_some() { Platform::Machine } else { Platform::Cp2 };
    let workload = workload::find(wanted, name, arguments.commands.allow_commands.into())?;
    let (platform, known) = (workload.about().platform, workload.option_list());
    check_results(arguments, &known)?;
    let machine_file = machine.machine.as_deref().map(Path::new);
    let own = workload.files();
    let mut inputs = vec![machine_file];
    inputs.extend(own.iter().map(|path| Some(path.as_path())));
    options.check(
        (platform, name),
        &known,
        &inputs,
        &[record.as_deref(), keeping.checkpoint.as_deref(), json.then_some(Path::new("-"))],
    )?;
    let values = options.values(&known)?;
    let paths = outputs(arguments, &known)?;
    let outputs = paths.iter().map(ResultFile::open).collect::<Outcome<Vec<_>>>()?;
    let header = recording::header(config.as_ref(), &core);
    let recording =
        record.as_deref().map(|path| RecordingFile::create(path, &header)).transpose()?;
    let recorder = recording.as_ref().map(|recording| recording.recorder().clone());
    let keeper = config.as_ref().map(|config| keeper(keeping, config)).transpose()?;
    let environment = program::environment(arguments.cache);
    let progress = Progress::share();
    let (machine, counts_only) = (config, false);
    let request = Request { values, core, machine, environment, recorder, keeper, counts_only };
    let mut told = Told { progress, outputs, prepared: Vec::new() };
    let outcome = workload.execute(request, &mut told);
    let Told { progress, outputs, prepared } = told;
    drop(progress);
    if !prepared.is_empty() {
        complain(format!("cp2: before the run, on this computer: {}", prepared.join(", ")));
    }
    recording.map(RecordingFile::finish).transpose()?;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(e) => {
            let failure = outputs.into_iter().find_map(|output| output.file.failure);
            return Err(failure.unwrap_or_else(|| options.failure(e)));
        }
    };
    outputs.into_iter().try_for_each(ResultFile::close)?;
    write(arguments, &outcome)?;
    print(arguments, &known, &outcome)?;
    match outcome.verdict.complaint {
        None => Ok(Exit::Success),
        Some(complaint) => {
            complain(format!("cp2: {complaint}"));
            Ok(Exit::Check)
        }
    }
}

/// Refuses `--output` of a workload file that names no array that could be a result, and says what would be one.
fn check_results(arguments: &KernelRun, known: &[WorkloadOption]) -> Outcome<()> {
    let is_offered = known.iter().any(|option| option.name == "output");
    if is_offered || !workload::is_file(&arguments.name) || !arguments.options.has("output") {
        return Ok(());
    }
    Err(usage(format!(
        "--output: {} has no array that could be a result; give [array.NAME] with `expected` or `shape` for an array that \
         the kernel declares as `out` or `inout`",
        arguments.name
    )))
}

/// Returns the files to which `--output` writes results, with the names of these.
fn outputs(arguments: &KernelRun, known: &[WorkloadOption]) -> Outcome<Vec<OutputPath>> {
    let output = known.iter().find_map(|option| match &option.form {
        OptionKind::Write(takes) => Some((option.name, takes)),
        _ => None,
    });
    output.map_or(Ok(Vec::new()), |(name, takes)| arguments.options.outputs(name, takes))
}

/// Writes the host program of a workload file in C, as a new folder.
fn host_in_c(arguments: &KernelRun) -> Outcome {
    let KernelRun { name, options, machine, into, .. } = arguments;
    if !workload::is_file(name) {
        return Err(usage(format!(
            "--emit takes a workload file (TOML), and {name} is none; a file can have shipped kernels (`shipped = \"{name}\"`)"
        )));
    }
    let file = workload::open(name, arguments.commands.allow_commands.into())?;
    options.check((Platform::Machine, name), &[], &[], &[])?;
    let config = match machine::config(machine)? {
        Some(config) => config,
        None => {
            let usual = MachineChoice { machine: Some("vm9".to_owned()), ..machine.clone() };
            machine::config(&usual)?.ok_or_else(|| usage("there is no machine vm9"))?
        }
    };
    let environment = program::environment(arguments.cache);
    let core = *config.core();
    let request = Request { core, machine: Some(config), environment, ..Request::default() };
    let host = file.host_in_c(&request)?;
    let folder = into.clone().unwrap_or_else(|| PathBuf::from(format!("{}-host", host.name)));
    files::create_folder(&folder, &host.files)?;
    let (shown, count) = (folder.display(), host.files.len());
    let HostInC { variant, build, run, .. } = host;
    let text = format!("{shown}: {count} files, variant {variant}; in it:\n  {build}\n  {run}\n");
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Returns the keeper of a procedure, which writes checkpoints and stops the run when a signal came or its time is over.
fn keeper(choice: &KeepingChoice, config: &MachineConfig) -> Outcome<Arc<Keeper>> {
    let KeepingChoice { checkpoint, interval, resume, time_limit } = choice;
    if checkpoint.as_deref().is_some_and(files::is_standard) {
        return Err(usage(
            "--checkpoint -: a checkpoint cannot go to standard output; give the name of a file",
        ));
    }
    let read = |path| files::read_checkpoint(path, config.memory_size());
    let from = resume.as_deref().map(read).transpose()?;
    let store = checkpoint.clone().map(|path| -> CheckpointWriter {
        Box::new(move |bytes| files::write(&path, bytes).map_err(|failure| failure.message))
    });
    // The time runs from the host's first call on, so that a run goes on by one call at least.
    let (begin, limit) = (OnceLock::new(), time_limit.map(Duration::from_secs));
    let is_over =
        move || limit.is_some_and(|limit| begin.get_or_init(Instant::now).elapsed() >= limit);
    // While nobody asks, a signal ends the command at once: there is nothing to finish.
    let asks: (StopQuery, StopListener) = (
        Box::new(move || signals::came().is_some() || is_over()),
        Box::new(|holds| _ = signals::hold(holds)),
    );
    let interval = Duration::from_secs(*interval);
    Ok(Arc::new(Keeper::new(store, interval, from, asks)))
}

/// Listener that shows how far a run is, and writes its results as they come.
struct Told<'a> {
    progress: Progress,
    outputs: Vec<ResultFile<'a>>,
    /// Preparations before the machine began, each with the time that it took.
    prepared: Vec<String>,
}

/// File to which a result of this name is written.
struct ResultFile<'a> {
    array: &'a str,
    file: ArrayFile<'a>,
    is_written: bool,
}

impl<'a> ResultFile<'a> {
    fn open(OutputPath { array, path }: &'a OutputPath) -> Outcome<Self> {
        Ok(Self { array, file: ArrayFile::open(path)?, is_written: false })
    }

    /// Gives the file its name; refuses an array that the run did not give.
    fn close(self) -> Outcome<()> {
        match self.is_written {
            true => self.file.close(),
            false => Err(bad_input(format!(
                "--output: {} is no result of this run: no kernel that ran writes it",
                self.array
            ))),
        }
    }
}

impl<'a> Told<'a> {
    /// Returns the file of the only result of a workload that has no names of results.
    fn only(&mut self) -> Option<&mut ArrayFile<'a>> {
        let output = self.outputs.first_mut()?;
        output.is_written = true;
        Some(&mut output.file)
    }
}

impl Listener for Told<'_> {
    fn progress(&mut self, done: usize, all: usize) {
        self.progress.of(done as u64, all as u64);
    }

    fn prepared(&mut self, what: &str, time: Duration) {
        self.prepared.push(format!("{what} {:.2} s", time.as_secs_f64()));
    }

    fn begin(&mut self, shape: MatrixShape) -> Result<(), KernelError> {
        self.only().map_or(Ok(()), |file| file.begin(shape))
    }

    fn add(&mut self, values: &[Complex32]) -> Result<(), KernelError> {
        self.only().map_or(Ok(()), |file| file.add(values))
    }

    fn whole(&mut self, array: &npy::Array) -> Result<(), KernelError> {
        self.only().map_or(Ok(()), |file| file.whole(array))
    }

    fn named(&mut self, name: &str, array: &npy::Array) -> Result<(), KernelError> {
        let Some(output) = self.outputs.iter_mut().find(|output| output.array == name) else {
            return Ok(());
        };
        output.is_written = true;
        output.file.whole(array)
    }
}

/// Writes the files that were asked for, but for the array.
fn write(arguments: &KernelRun, outcome: &WorkloadOutcome) -> Outcome<()> {
    let path = |name| arguments.options.path(name);
    if let (Some(path), Some(timeline)) = (path("timeline-json"), &outcome.timeline) {
        files::write(path, format!("{timeline:#}\n").as_bytes())?;
    }
    Ok(())
}

fn print(
    arguments: &KernelRun,
    known: &[WorkloadOption],
    outcome: &WorkloadOutcome,
) -> Outcome<()> {
    if arguments.json {
        files::print_json(&outcome.json)
    } else if arguments.options.take_standard_output(known) {
        Ok(())
    } else {
        files::print(outcome.text.as_bytes())
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        if let KernelError::Program(error) = &error
            && let ProgramError::Refused(refusal) = &**error
        {
            return program::refused(&refusal.diagnostics, &refusal.sources);
        }
        let exit = match &error {
            KernelError::Stopped { .. } => signals::came().map_or(Exit::Limit, signals::exit),
            error => error.kind().into(),
        };
        Self { exit, message: format!("cp2: error: {error}") }
    }
}
