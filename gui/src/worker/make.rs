//! Opens recordings, and makes them of programs and kernels, into a temporary file.

use crate::model::program::Program;
use crate::worker::program::{self, Loaded};
use crate::worker::request::{Info, Progress, Report};
use crate::worker::{Desk, Mouth};
use cp2_asm::image::{Image, SymbolKind};
use cp2_emu::machine::MachineConfig;
use cp2_emu::state::State;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Machine};
use cp2_isa::{BundleAddress, Core, Cycle, Filed, Storage};
use cp2_programs::workload::{Place, Request, Values};
use cp2_programs::{Engine, catalogue, load};
use cp2_recording::{Header, Recorder, Recording};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cycles between two looks at the orders.
const SHARE: u64 = 1 << 22;

/// Why there is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong, in a line.
    pub what: String,
    /// More of it, and what can be done.
    pub detail: String,
}

impl Failure {
    pub(crate) fn new(what: &str, detail: &str) -> Self {
        Self { what: what.to_owned(), detail: detail.to_owned() }
    }

    pub(crate) fn of(what: &str, error: &dyn std::fmt::Display) -> Self {
        Self { what: what.to_owned(), detail: error.to_string() }
    }
}

/// How a program is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The machine around CP2, a name or a file; CP2 alone if absent.
    pub machine: Option<String>,
    /// Numbers of it that are changed, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// State before the run, a file.
    pub init: Option<PathBuf>,
    /// Where to start; the first kernel if absent.
    pub entry: Option<String>,
    /// Cycles after which the run ends.
    pub max_cycles: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { machine: None, set: Vec::new(), init: None, entry: None, max_cycles: 100_000_000 }
    }
}

/// A kernel or a procedure that comes with cp2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// Vectors that it works on, if it asks for their number.
    pub vectors: Option<u64>,
}

/// Where a recording comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A recording, a program or a source.
    File(PathBuf, Settings),
    /// A source that stands in no file, or was changed: its name, its text, and what registers and
    /// memory held in the first cycle of the run that it is compared with.
    Text(String, String, Option<Arc<State>>, Settings),
    /// A kernel that comes with cp2.
    Kernel(Example, Settings),
}

impl Origin {
    /// How it is run.
    pub fn settings(&self) -> &Settings {
        match self {
            Self::File(_, settings) | Self::Text(.., settings) | Self::Kernel(_, settings) => {
                settings
            }
        }
    }

    /// The same, run in another way.
    pub fn with(&self, new: Settings) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::File(_, settings) | Self::Text(.., settings) | Self::Kernel(_, settings) => {
                *settings = new;
            }
        }
        other
    }

    fn title(&self) -> String {
        let name = match self {
            Self::File(path, _) => path.file_name().unwrap_or_default().to_string_lossy().into(),
            Self::Text(name, ..) => cp2_asm::places::short(name).to_owned(),
            Self::Kernel(example, _) => example.name.clone(),
        };
        let Settings { machine, set, .. } = self.settings();
        let around = machine.iter().map(|m| format!(" on {m}"));
        let around = around.chain(set.iter().map(|s| format!(" {s}")));
        name + &around.collect::<String>()
    }

    /// The command line that makes the same recording.
    fn command(&self) -> String {
        let Settings { machine, set, init, entry, max_cycles } = self.settings();
        let mut command = match self {
            Self::File(path, _) => format!("cp2 run {}", quoted(&path.display().to_string())),
            Self::Text(name, ..) => format!("cp2 run {}", quoted(name)),
            Self::Kernel(Example { name, vectors }, _) => {
                let vectors = vectors.map(|n| format!(" --vectors {n}")).unwrap_or_default();
                format!("cp2 kernels run {name}{vectors}")
            }
        };
        let mut add = |option: &str, value: &str| {
            command += &format!(" {option} {}", quoted(value));
        };
        machine.iter().for_each(|machine| add("--machine", machine));
        set.iter().for_each(|set| add("--set", set));
        init.iter().for_each(|path| add("--init", &path.display().to_string()));
        entry.iter().for_each(|entry| add("--entry", entry));
        if *max_cycles != Self::usual_limit() && !matches!(self, Self::Kernel(..)) {
            add("--max-cycles", &max_cycles.to_string());
        }
        command + " --record run.cp2rec"
    }

    fn usual_limit() -> u64 {
        Settings::default().max_cycles
    }
}

/// A word of a command line.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A recording that is open.
pub(crate) struct Made {
    pub(crate) recording: Recording,
    pub(crate) info: Box<Info>,
}

/// Where a recording is written while it is made.
struct Tape {
    recorder: &'static Recorder,
    file: File,
}

impl Tape {
    fn begin(header: &Header) -> Result<Self, Failure> {
        let trouble = |e| Failure::of("no temporary file for the recording", &e);
        let file = tempfile::tempfile().map_err(trouble)?;
        let writer = file.try_clone().map_err(trouble)?;
        let recorder = Recorder::new(Box::new(writer), header).map_err(trouble)?;
        // What runs kernels holds it as a value; it takes a few hundred bytes for each run.
        Ok(Self { recorder: Box::leak(Box::new(recorder)), file })
    }

    fn end(self) -> Result<File, Failure> {
        let trouble = |e| Failure::of("the recording could not be written", &e);
        self.recorder.finish().map_err(trouble)?;
        Ok(self.file)
    }
}

/// Opens or makes a recording.
pub(crate) fn recording(origin: &Origin, desk: &Desk, mouth: &Mouth) -> Result<Made, Failure> {
    let tell = |what: &str, part: Option<f32>| {
        mouth.say(Report::Progress(Progress { what: what.to_owned(), part }));
    };
    match origin {
        Origin::File(path, _) if is_recording(path)? => {
            tell("Opening the recording", None);
            let file = File::open(path)
                .map_err(|e| Failure::of(&format!("{} cannot be read", path.display()), &e))?;
            opened(file, origin, (None, None), path.parent())
        }
        Origin::File(path, settings) => {
            tell("Assembling", None);
            let (config, core) = machine(settings)?;
            let loaded = program::read(path, &core)?;
            run(origin, loaded, (config, core), None, (desk, &tell))
        }
        Origin::Text(name, text, state, settings) => {
            tell("Assembling", None);
            let (config, core) = machine(settings)?;
            let loaded = program::assemble(name, text.clone(), &core)?;
            run(origin, loaded, (config, core), state.as_deref(), (desk, &tell))
        }
        Origin::Kernel(example, settings) => kernel(origin, example, settings, &tell),
    }
}

fn is_recording(path: &Path) -> Result<bool, Failure> {
    use std::io::Read as _;
    let mut start = [0; 6];
    let mut file = File::open(path)
        .map_err(|e| Failure::of(&format!("{} cannot be read", path.display()), &e))?;
    let n = file.read(&mut start).unwrap_or(0);
    Ok(start[..n] == *b"CP2REC")
}

/// The machine and the core that settings ask for.
pub(crate) fn machine(settings: &Settings) -> Result<(Option<MachineConfig>, Core), Failure> {
    let named = |name: &str| match MachineConfig::preset(name) {
        Some(config) => Ok(config),
        None => {
            let what = format!("there is no machine `{name}`");
            let text = std::fs::read_to_string(name).map_err(|e| Failure::of(&what, &e))?;
            MachineConfig::parse(&text).map_err(|e| Failure::of(&what, &e))
        }
    };
    let name = settings.machine.as_deref();
    let mut config = named(name.unwrap_or("vm7"))?;
    for set in &settings.set {
        config.apply_set(set).map_err(|e| Failure::of(&format!("--set {set}"), &e))?;
    }
    let core = *config.core();
    Ok((name.map(|_| config), core))
}

fn header(command: String, config: Option<&MachineConfig>, core: &Core) -> Header {
    Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        machine: config.map(MachineConfig::dump),
        core: *core.numbers(),
        program: None,
        inputs: Vec::new(),
    }
}

type Tell<'a> = &'a dyn Fn(&str, Option<f32>);

/// Runs a program, recorded.
fn run(
    origin: &Origin,
    loaded: Loaded,
    (config, core): (Option<MachineConfig>, Core),
    state: Option<&State>,
    (desk, tell): (&Desk, Tell<'_>),
) -> Result<Made, Failure> {
    let settings = origin.settings();
    let entry = entry(&loaded.image, settings.entry.as_deref())?;
    let mut machine = match &config {
        Some(config) => Machine::new(config),
        None => Machine::alone(Cp2::new(core)),
    };
    if let Some(state) = state {
        carry(state, &mut machine.cp2.state, &core);
    }
    load::load(&loaded.image, &mut machine.cp2);
    if let Some(path) = &settings.init {
        let what = format!("{} is no state", path.display());
        let bytes = std::fs::read(path).map_err(|e| Failure::of(&what, &e))?;
        let value = serde_json::from_slice(&bytes).map_err(|e| Failure::of(&what, &e))?;
        machine.cp2.state.load_json(&core, &value).map_err(|e| Failure::of(&what, &e))?;
    }
    let object = cp2_asm::object_file::write(&loaded.image).ok();
    let header = Header { program: object, ..header(origin.command(), config.as_ref(), &core) };
    let tape = Tape::begin(&header)?;
    let mut engine = tape.recorder.around(Engine::default().build());
    machine.start_kernel(entry);
    let limit = settings.max_cycles;
    let end = loop {
        let done = machine.cp2.stats().cycles;
        tell("Running", Some(done as f32 / limit.max(1) as f32));
        if done >= limit {
            break End::CycleLimit(limit);
        }
        if desk.is_cancelled() {
            break End::Interrupted;
        }
        let goal = limit.min(done + SHARE);
        if let Some(end) = engine.advance_kernel(&mut machine, goal, &mut Off) {
            break end;
        }
    };
    let run = machine.finish_kernel(end);
    engine.leave(&mut machine);
    drop(engine);
    let end = match &run.end {
        End::Stopped(code) => format!("stopped with code {code}"),
        End::CycleLimit(limit) => format!("did not stop within {limit} cycles"),
        End::Interrupted => "was interrupted".to_owned(),
        End::Fault(fault) => format!("ended with an error: {fault}"),
    };
    opened(tape.end()?, origin, (Some(loaded), Some(end)), None)
}

/// The bundle that a kernel, a label or a number means.
fn entry(image: &Image, place: Option<&str>) -> Result<BundleAddress, Failure> {
    let first = image.kernels.first().filter(|kernel| !kernel.words.is_empty());
    let first = first.ok_or_else(|| {
        Failure::new("the program has no bundle", "There is nothing to run: write a `.kernel`.")
    })?;
    let Some(place) = place else { return Ok(first.start) };
    let label = |kind| image.symbols.iter().find(move |s| s.kind == kind && s.name == place);
    let found = image.kernel(place).map(|kernel| kernel.start);
    let found = found.or_else(|| label(SymbolKind::Bundle).map(|s| BundleAddress(s.value as u16)));
    let found = found.or_else(|| place.parse().ok().map(BundleAddress));
    found.ok_or_else(|| {
        Failure::new(
            &format!("there is no `{place}`"),
            "--entry takes a kernel, a label or an address.",
        )
    })
}

/// Gives a state what another one holds, as far as its core has it; bundles are left out.
fn carry(from: &State, to: &mut State, core: &Core) {
    for storage in Storage::ALL.into_iter().filter(|s| s.info().filed != Filed::No) {
        for place in from.places(storage) {
            if let Some(value) = from.get(place) {
                to.set(core, place, value);
            }
        }
    }
}

/// Runs a kernel that comes with cp2, recorded.
fn kernel(
    origin: &Origin,
    example: &Example,
    settings: &Settings,
    tell: Tell<'_>,
) -> Result<Made, Failure> {
    let (config, core) = machine(settings)?;
    let place = if config.is_some() { Place::Machine } else { Place::Cp2 };
    let name = &example.name;
    let workload = catalogue::find(place, name).ok_or_else(|| {
        Failure::new(&format!("there is no kernel `{name}`"), "`cp2 kernels list` tells them.")
    })?;
    let flags = workload.flags();
    let mut values = Values::default();
    values.add_defaults(&flags);
    if let Some(n) = example.vectors {
        values.set("vectors", cp2_programs::workload::Given::Number(n));
    }
    let tape = Tape::begin(&header(origin.command(), config.as_ref(), &core))?;
    let request = Request { values, core, machine: config, recorder: Some(tape.recorder) };
    let mut listener = |done: usize, all: usize| {
        tell(&format!("Running {name}"), Some(done as f32 / all.max(1) as f32));
    };
    let done = workload.execute(request, &mut listener);
    let done = done.map_err(|e| Failure::of(&format!("{name} could not be run"), &e))?;
    let end = done.complaint.unwrap_or_else(|| "was right".to_owned());
    let source = workload.source(&core).ok();
    let loaded = source.and_then(|text| program::assemble(&format!("{name}.s"), text, &core).ok());
    opened(tape.end()?, origin, (loaded, Some(end)), None)
}

/// What is known of a recording that is open. A program that was not recorded with it is taken if its bundles
/// are in instruction memory at the end.
fn opened(
    file: File,
    origin: &Origin,
    (loaded, end): (Option<Loaded>, Option<String>),
    beside: Option<&Path>,
) -> Result<Made, Failure> {
    let title = origin.title();
    let trouble = |e| Failure::of(&format!("{title} cannot be opened"), &e);
    let mut recording = Recording::open(file, Engine::default().build()).map_err(trouble)?;
    let core = *recording.core();
    let cycles = recording.cycles();
    let pyramid = Arc::new(recording.summary().map_err(trouble)?.clone());
    let header = recording.header().clone();
    let kept = header.program.as_ref().and_then(|bytes| program::object(bytes, &core).ok());
    recording.seek(*cycles.end()).map_err(trouble)?;
    let iram = recording.state().iram.clone();
    let is_there = |loaded: &Loaded| {
        let there = |k: &cp2_asm::image::Kernel| {
            iram.get(k.start.index()..k.start.index() + k.words.len()) == Some(&k.words[..])
        };
        header.program.is_some() || loaded.image.kernels.iter().all(there)
    };
    let program = match loaded.filter(is_there).or(kept) {
        Some(loaded) => program::view(&loaded, &core, beside),
        None => Program::of_memory(&iram, &core),
    };
    recording.seek(*cycles.start()).map_err(trouble)?;
    let config = header.machine.as_deref().and_then(|text| MachineConfig::parse(text).ok());
    let (Cycle(begin), Cycle(behind)) = (*cycles.start(), *cycles.end());
    let info = Info {
        origin: origin.clone(),
        title,
        command: header.command,
        cycles: begin..behind,
        is_whole: recording.is_whole(),
        core,
        config,
        program: Arc::new(program),
        pyramid,
        end,
    };
    Ok(Made { recording, info: Box::new(info) })
}
