//! Workloads by name: those of the catalogue, and workload files, whose names end in `.toml`.

use crate::args::Start;
use crate::input::program::{self, bytes_beside, refused};
use crate::input::{machine, start};
use crate::process::exit::{Outcome, bad_input, complain, usage};
use crate::storage::files;
use cp2_isa::Core;
use cp2_lab::inputs::LabError;
use cp2_lab::recorded::{RecordedWorkload, Subject};
use cp2_session::npy::Array;
use cp2_session::workload::{Platform, Workload, names};
use cp2_workloads::catalogue;
use cp2_workloads::file::{CommandPolicy, CommandVerdict, Surroundings, WorkloadFile, array_of};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether a name is that of a workload file.
pub(crate) fn is_file(name: impl AsRef<Path>) -> bool {
    cp2_files::is_toml(name.as_ref())
}

/// Runs the best variant of a workload file, and records the run in memory. The command that checks its results is not
/// run. The caller writes to `output`.
pub(crate) fn recorded(path: &Path, start: &Start, output: &Path) -> Outcome<RecordedWorkload> {
    start::only_machine(start)?;
    let (config, core) = machine::with_core(&start.machine)?;
    let platform = if config.is_some() { Platform::Machine } else { Platform::Cp2 };
    let workload = studied(platform, &path.to_string_lossy(), CommandPolicy::Refused)?;
    check_output(&*workload, output)?;
    let environment = program::environment(start.cache);
    let subject = Subject { environment, ..Subject::new(workload, config, core) };
    Ok(subject.best()?.0.record()?)
}

/// Refuses an output that would replace a file of the workload.
pub(crate) fn check_output(workload: &dyn Workload, output: &Path) -> Outcome<()> {
    let inputs = workload.files();
    files::check_apart(inputs.iter().map(PathBuf::as_path), output)
}

/// Returns the workload of this name: a kernel on CP2 alone, or a procedure on a machine.
pub(crate) fn find(
    platform: Platform,
    name: &str,
    commands: CommandPolicy,
) -> Outcome<Arc<dyn Workload>> {
    if is_file(name) {
        return open(name, commands)?.on(platform).map_err(usage);
    }
    match platform {
        Platform::Cp2 => kernel(name),
        Platform::Machine => procedure(name),
    }
}

/// Returns the workload of this name for a study, which has no report of its own on the results: it says if the program
/// that checks them does not start.
pub(crate) fn studied(
    platform: Platform,
    name: &str,
    commands: CommandPolicy,
) -> Outcome<Arc<dyn Workload>> {
    if !is_file(name) {
        return find(platform, name, commands);
    }
    let file = open(name, commands)?;
    note_unchecked(name, &file, commands);
    file.on(platform).map_err(usage)
}

/// Says that the program that checks the results of a file does not start, or that nothing checks them, if that is so.
pub(crate) fn note_unchecked(name: &str, file: &WorkloadFile, commands: CommandPolicy) {
    if commands == CommandPolicy::Refused && file.has_command() {
        complain(format!(
            "cp2: note: {name} names a command that checks results; it starts only with --allow-commands"
        ));
    } else if !file.has_command() && !file.has_expected() {
        complain(format!(
            "cp2: note: {name} expects no results, so nothing checks them; give `expected` in an array, or [check]"
        ));
    }
}

/// Returns the workload of a file, for a study that also looks for names elsewhere; `None` for the name of no file. What is
/// said of a file is said once: `told` has the names of which it was.
pub(crate) fn elsewhere(
    (platform, name): (Platform, &str),
    commands: CommandPolicy,
    told: &mut Vec<String>,
) -> Option<Result<Arc<dyn Workload>, LabError>> {
    let mut find = || {
        let file = open(name, commands)?;
        if !told.iter().any(|known| known == name) {
            told.push(name.to_owned());
            note_unchecked(name, &file, commands);
        }
        file.on(platform).map_err(usage)
    };
    is_file(name).then(|| find().map_err(LabError::from))
}

/// Reads a workload file.
pub(crate) fn open(name: &str, commands: CommandPolicy) -> Outcome<Arc<WorkloadFile>> {
    let (_, text) = program::text(Path::new(name))?;
    let around: Arc<dyn Surroundings> = Arc::new(Around { commands });
    let file = WorkloadFile::open(name, &text, &around);
    let file = file.map_err(|refusal| refused(&refusal.diagnostics, &refusal.sources))?;
    Ok(Arc::new(file))
}

fn all_names(platform: Platform) -> String {
    let all: Vec<_> = catalogue::workloads(platform).iter().map(|w| w.about().name).collect();
    all.join(", ")
}

/// Returns the kernel of this name.
fn kernel(name: &str) -> Outcome<Arc<dyn Workload>> {
    if let Some(kernel) = catalogue::find(Platform::Cp2, name) {
        return Ok(kernel);
    }
    if let Some(procedure) = catalogue::find(Platform::Machine, name) {
        procedure.source(&Core::default())?;
    }
    Err(bad_input(format!(
        "there is no kernel `{name}`; the kernels are {}; with --machine there are {}",
        all_names(Platform::Cp2),
        catalogue::ranges(Platform::Machine)
    )))
}

/// Returns the procedure of this name.
fn procedure(name: &str) -> Outcome<Arc<dyn Workload>> {
    if let Some(procedure) = catalogue::find(Platform::Machine, name) {
        return Ok(procedure);
    }
    if let Some(kernel) = catalogue::find(Platform::Cp2, name) {
        let takes = names(&kernel.option_list());
        return Err(usage(format!(
            "{name} takes no --machine, since it runs on CP2 alone; it takes {takes}"
        )));
    }
    let names = all_names(Platform::Machine);
    Err(bad_input(format!(
        "there is no procedure `{name}`, which --machine needs; the procedures are {names}"
    )))
}

/// The file system around a workload file, and the programs that the user lets it start.
struct Around {
    commands: CommandPolicy,
}

impl Surroundings for Around {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let name = cp2_files::path_beside(from, path).display().to_string();
        bytes_beside(from, path).map(|bytes| (name, bytes))
    }

    fn run(&self, from: &str, command: &[String], arrays: &[(String, Array)]) -> CommandVerdict {
        if self.commands == CommandPolicy::Refused {
            return CommandVerdict::NotRun;
        }
        match cp2_files::start((from, command), arrays, array_of, Array::write) {
            Ok(None) => CommandVerdict::Right,
            Ok(Some(said)) => CommandVerdict::Wrong(said),
            Err(why) => CommandVerdict::NotStarted(why),
        }
    }
}
