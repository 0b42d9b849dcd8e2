//! Making and opening of recordings: programs and kernels are run and recorded into a temporary file.

use crate::model::program::Program as Shown;
use crate::worker::data;
use crate::worker::origin::{Example, Failure, Origin, Settings, Stored};
use crate::worker::program::{self, Schedules};
use crate::worker::request::{Info, Progress, Provenance, Report};
use crate::worker::workload_file;
use crate::worker::{Desk, Mouth};
use cp2_emu::End;
use cp2_emu::machine::MachineConfig;
use cp2_emu::state::State;
use cp2_isa::{Core, Cycle};
use cp2_recording::{Header, Leaf, Pyramid, Recorder, Recording, RecordingError};
use cp2_session::workload::{OptionValues, Platform, Request, Workload};
use cp2_session::{Cancellation, Environment, Prepared, Program, Run, Setup};
use cp2_workloads::catalogue;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempPath;

/// Recording that is open, with what is known of it.
pub(crate) struct Made {
    pub(crate) recording: Recording,
    pub(crate) info: Box<Info>,
    pub(crate) schedules: Schedules,
}

/// Temporary file into which a recording is written while it is made.
struct Tape {
    recorder: Recorder,
    path: TempPath,
}

impl Tape {
    fn begin(header: &Header) -> Result<Self, Failure> {
        let trouble = |e| Failure::of("Cannot make a temporary file for the recording", &e);
        let (file, path) = tempfile::NamedTempFile::new().map_err(trouble)?.into_parts();
        let recorder = Recorder::new(Box::new(file), header).map_err(trouble)?;
        Ok(Self { recorder, path })
    }

    fn end(self) -> Result<Stored, Failure> {
        let trouble = |e| Failure::of("Cannot write the recording", &e);
        self.recorder.finish().map_err(trouble)?;
        Ok(Stored { path: self.path.to_path_buf(), _temporary: Some(self.path) })
    }
}

/// Opens or makes a recording.
pub(crate) fn recording(origin: &Origin, desk: &Desk, mouth: &Mouth) -> Result<Made, Failure> {
    let tell = |progress| mouth.say(Report::Progress(progress));
    match origin {
        Origin::File(path, _) if is_recording(path)? => {
            if let Some(option) = origin.settings().for_programs() {
                let what = format!("{option} is for programs, not for a recording");
                let detail = "A recording has its own machine and inputs. Leave the option out, \
                              or open the program.";
                return Err(Failure::new(&what, detail));
            }
            tell(Progress::of("Opening the recording"));
            let stored = Stored { path: path.clone(), _temporary: None };
            opened(stored, origin, (None, None), path.parent())
        }
        Origin::File(path, settings) if cp2_files::is_toml(path) => {
            if let Some(option) = settings.for_user_programs() {
                let what = format!("{option} is for programs, not for a workload file");
                let detail =
                    "A workload file has its own arrays and arguments. Leave the option out.";
                return Err(Failure::new(&what, detail));
            }
            let (config, core) = machine(settings)?;
            let workload = workload_file::open(path, config.is_some())?;
            workload_run(origin, &*workload, (config, core), None, &tell)
        }
        Origin::File(path, settings) => {
            tell(Progress::of("Assembling"));
            let (config, core) = machine(settings)?;
            let program = program::read(path, &core)?;
            run(origin, program, config.as_ref(), None, (desk, &tell))
        }
        Origin::Text(name, text, state, settings) => {
            tell(Progress::of("Assembling"));
            let (config, core) = machine(settings)?;
            let program = program::assemble(name, text.clone(), &core)?;
            run(origin, program, config.as_ref(), state.as_deref(), (desk, &tell))
        }
        Origin::Kernel(example, settings) => kernel(origin, example, settings, &tell),
    }
}

/// Whether a file is a recording of a run: whether it begins with the bytes `CP2REC`.
///
/// # Errors
/// The file cannot be opened or read.
pub fn is_recording(path: &Path) -> Result<bool, Failure> {
    use std::io::Read as _;
    let trouble = |e| Failure::of(&format!("Cannot read {}", path.display()), &e);
    let mut start = Vec::new();
    File::open(path).map_err(trouble)?.take(6).read_to_end(&mut start).map_err(trouble)?;
    Ok(start == b"CP2REC")
}

/// Returns the machine, if there is one, and the core that settings ask for.
fn machine(settings: &Settings) -> Result<(Option<MachineConfig>, Core), Failure> {
    let config = config_of(settings)?;
    let core = *config.core();
    Ok((settings.machine.as_ref().map(|_| config), core))
}

/// Returns the machine that settings ask for, with its extensions and changed numbers. If they name no machine, `vm7`
/// with these extensions and numbers is returned, of which a run on CP2 alone uses only the core.
///
/// # Errors
/// There is no machine of the name, the machine file cannot be read, or the machine does not take an extension or a
/// number.
pub fn config_of(settings: &Settings) -> Result<MachineConfig, Failure> {
    let named = |name: &str| match MachineConfig::preset(name) {
        Some(config) => Ok(config),
        None => {
            let what = format!("There is no machine `{name}`");
            let text = cp2_files::regular(Path::new(name)).and_then(cp2_files::text);
            let text = text.map_err(|e| Failure::of(&what, &e))?;
            MachineConfig::parse(&text).map_err(|e| Failure::of(&what, &e))
        }
    };
    let name = settings.machine.as_deref();
    let mut config = named(name.unwrap_or("vm7"))?;
    for name in &settings.enable {
        config
            .enable(name.trim())
            .map_err(|e| Failure::of(&format!("Cannot apply --enable {name}"), &e))?;
    }
    for set in &settings.set {
        config.apply_set(set).map_err(|e| Failure::of(&format!("Cannot apply --set {set}"), &e))?;
    }
    Ok(config)
}

fn header(command: String, config: Option<&MachineConfig>, core: &Core) -> Header {
    Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        machine: config.map(MachineConfig::dump),
        core: *core.numbers(),
        inputs: Vec::new(),
    }
}

type Tell<'a> = &'a dyn Fn(Progress);

/// Runs a program, recorded.
fn run(
    origin: &Origin,
    program: Program,
    config: Option<&MachineConfig>,
    state: Option<&State>,
    (desk, tell): (&Desk, Tell<'_>),
) -> Result<Made, Failure> {
    let settings = origin.settings();
    let entry = program.entry(settings.entry.as_deref()).map_err(|error| {
        Failure::new(
            &format!("The program has no place `{}` to start at", error.place),
            "Give --entry a kernel, a label or a bundle address of the program.",
        )
    })?;
    let mut prepared = Prepared::new(&program, config, entry, state);
    if let Some(path) = &settings.init {
        let what = format!("{} is not a state file", path.display());
        let bytes = cp2_files::regular(path).map_err(|e| Failure::of(&what, &e))?;
        let value = serde_json::from_slice(&bytes).map_err(|e| Failure::of(&what, &e))?;
        prepared.set_state(&value).map_err(|e| Failure::of(&what, &e))?;
    }
    data::give(&mut prepared, settings)?;
    let tape = Tape::begin(&header(origin.command(), config, program.core()))?;
    let recorder = Some(tape.recorder.clone());
    let setup = Setup { max_cycles: settings.max_cycles, recorder, ..Setup::default() };
    let mut run = Run::new(&Environment::new(), prepared, &setup)
        .map_err(|e| Failure::of("Cannot record the program", &e))?;
    let limit = settings.max_cycles;
    let running = |part| Progress { part: Some(part), can_end: true, ..Progress::of("Running") };
    tell(running(0.0));
    let cancellation = Cancellation::default();
    let end = run.to_end(&cancellation, &mut |done| {
        tell(running(done as f32 / limit.max(1) as f32));
        if desk.is_cancelled() {
            cancellation.cancel();
        }
    });
    let outcome = run.finish(end);
    if matches!(outcome.end, End::Stopped(_)) {
        data::store(&outcome)?;
    }
    let end = match &outcome.end {
        End::Stopped(code) => format!("stopped with code {code}"),
        End::CycleLimit(limit) => format!("did not stop within {limit} cycles"),
        End::Interrupted => "was interrupted".to_owned(),
        End::Fault(fault) => format!("ended with a fault: {fault}"),
    };
    drop(outcome);
    opened(tape.end()?, origin, (Some(program), Some(end)), None)
}

/// Runs a kernel that comes with cp2, recorded, to its end: its result is verified, so no part of it can be shown.
fn kernel(
    origin: &Origin,
    example: &Example,
    settings: &Settings,
    tell: Tell<'_>,
) -> Result<Made, Failure> {
    if let Some(option) = settings.for_user_programs() {
        let what = format!("{option} is for programs, not for a kernel of cp2");
        return Err(Failure::new(
            &what,
            "A kernel of cp2 makes its own data. Leave the option out.",
        ));
    }
    let (config, core) = machine(settings)?;
    let platform = if config.is_some() { Platform::Machine } else { Platform::Cp2 };
    let name = &example.name;
    let workload = catalogue::find(platform, name).ok_or_else(|| {
        Failure::new(
            &format!("There is no kernel `{name}`"),
            "`cp2 kernels list` lists all kernels.",
        )
    })?;
    workload_run(origin, &*workload, (config, core), example.vectors, tell)
}

/// Runs a workload, recorded, to its end: its result is verified, so no part of it can be shown. `vectors` is the number
/// of vectors of random data, if it is given.
fn workload_run(
    origin: &Origin,
    workload: &dyn Workload,
    (config, core): (Option<MachineConfig>, Core),
    vectors: Option<u64>,
    tell: Tell<'_>,
) -> Result<Made, Failure> {
    let name = workload.about().name;
    let mut values = OptionValues::default();
    values.add_defaults(&workload.option_list());
    if let Some(n) = vectors {
        values.set("vectors", cp2_session::workload::OptionValue::Number(n));
    }
    let tape = Tape::begin(&header(origin.command(), config.as_ref(), &core))?;
    let recorder = Some(tape.recorder.clone());
    let request = Request { values, core, machine: config, recorder, ..Request::default() };
    let mut listener = |done: usize, all: usize| {
        let part = Some(done as f32 / all.max(1) as f32);
        tell(Progress { part, ..Progress::of(&format!("Running {name}")) });
    };
    let done = workload.execute(request, &mut listener);
    let done = done.map_err(|e| Failure::of(&format!("Cannot run {name}"), &e))?;
    let end = done.verdict.complaint.unwrap_or_else(|| match done.verdict.is_checked {
        true => "gave the right result".to_owned(),
        false => "came to its end; nothing checked the results".to_owned(),
    });
    opened(tape.end()?, origin, (None, Some(end)), None)
}

/// Opens a recording that was made or kept, and collects what is known of it: of its program what it was made from, if
/// that is at hand, else what the recording keeps.
fn opened(
    stored: Stored,
    origin: &Origin,
    (made, end): (Option<Program>, Option<String>),
    beside: Option<&Path>,
) -> Result<Made, Failure> {
    let title = origin.title();
    let trouble = |e| Failure::of(&format!("Cannot open {title}"), &e);
    let mut recording = stored.open().map_err(trouble)?;
    let core = *recording.core();
    let cycles = recording.cycles();
    let pyramid = Arc::new(recording.summary().map_err(trouble)?.clone());
    let header = recording.header().clone();
    let kept = Program::from_recording(&mut recording)
        .map_err(|e| Failure::of(&format!("Cannot open {title}"), &e))?;
    recording.seek(*cycles.end()).map_err(trouble)?;
    let unnamed = cp2_analysis::program::of_memory(&recording.state().iram);
    let (program, image, schedules) = match made.or(kept) {
        Some(made) => {
            let schedules = program::schedules(&made, &core, beside);
            (program::view(&made, &core, beside), made.image().clone(), schedules)
        }
        None => (Shown::new(&unnamed, &core, |_| None), unnamed, Schedules::Known(Vec::new())),
    };
    recording.seek(*cycles.start()).map_err(trouble)?;
    let iram = &recording.state().iram;
    let is_from_start =
        image.kernels.iter().all(|kernel| iram.get(kernel.range()) == Some(&kernel.words[..]));
    let config = header.machine.as_deref().and_then(|text| MachineConfig::parse(text).ok());
    let first_kernel = first_kernel(&mut recording, &pyramid).map_err(trouble)?;
    let digest = recording.digest();
    let info = Info {
        cycles: *cycles.start()..*cycles.end(),
        first_kernel,
        is_whole: recording.is_whole(),
        core,
        config,
        program: Arc::new(program),
        image: Arc::new(image),
        is_from_start,
        stored: Arc::new(stored),
        pyramid,
        end,
        provenance: Provenance { origin: origin.clone(), title, command: header.command, digest },
    };
    Ok(Made { recording, info: Box::new(info), schedules })
}

/// Returns the first cycle in which a kernel runs, or the first cycle of a recording in which none does.
fn first_kernel(recording: &mut Recording, pyramid: &Pyramid) -> Result<Cycle, RecordingError> {
    let all = *recording.cycles().start()..*recording.cycles().end();
    let runs = |leaf: &&Leaf| leaf.counts.kernel_cycles() > 0;
    let mut range = match pyramid.leaves().iter().find(runs) {
        Some(leaf) => leaf.begin.max(all.start)..leaf.end.min(all.end),
        None => return Ok(all.start),
    };
    // In finer stretches, down to a single cycle.
    while range.end - range.start > 1 {
        let leaves = recording.counts(range.clone(), FINER)?;
        let Some(leaf) = leaves.iter().find(runs) else { break };
        let finer = leaf.begin.max(range.start)..leaf.end.min(range.end);
        if finer == range {
            break;
        }
        range = finer;
    }
    Ok(range.start)
}

/// Number of stretches in which the first cycle of a kernel is searched at once.
const FINER: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_kernel_of_a_procedure_is_found_to_the_cycle() {
        let settings = Settings { machine: Some("vm7".to_owned()), ..Settings::default() };
        let example = Example { name: "fft8192".to_owned(), vectors: Some(1) };
        let origin = Origin::Kernel(example.clone(), settings.clone());
        let mut made = kernel(&origin, &example, &settings, &|_| {}).expect("a run");
        let first = made.info.first_kernel;
        assert!(first > made.info.cycles.start);
        let window = made.recording.window(first - 1..first + 1).expect("cycles");
        let causes: Vec<bool> = window.cycles.iter().map(|c| c.cause.is_some()).collect();
        assert_eq!(causes, [false, true]);
    }

    /// The workload files with page schemes, on both machines: `cp2 view examples/pages/NAME.toml --machine vm9`.
    #[test]
    fn workload_files_are_run_on_a_machine() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pages");
        for name in ["fft256", "resid", "fir", "matvec", "gather"] {
            for machine in ["vm7", "vm9"] {
                let settings =
                    Settings { machine: Some(machine.to_owned()), ..Settings::default() };
                let path = pages.join(format!("{name}.toml"));
                let opened = workload_file::open(&path, true).expect("a workload");
                let origin = Origin::File(path, settings);
                let chosen = super::machine(origin.settings()).expect("a machine");
                let made = workload_run(&origin, &*opened, chosen, None, &|_| {}).expect("a run");
                let end = made.info.end.expect("an end");
                assert_eq!(end, "came to its end; nothing checked the results", "{name}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_no_program() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(is_recording(folder.path()).is_err(), "a folder can be opened, but not read");
        assert!(is_recording(&folder.path().join("nowhere")).is_err());
        let file = folder.path().join("file");
        for (bytes, expected) in [(&b""[..], false), (b"CP2", false), (b"CP2REC and more", true)] {
            std::fs::write(&file, bytes).expect("a file");
            assert!(is_recording(&file).is_ok_and(|found| found == expected), "{bytes:?}");
        }
    }
}
