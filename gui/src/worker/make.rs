//! Opens recordings, and makes them of programs and kernels, into a temporary file.

use crate::model::program::Program;
use crate::worker::data;
use crate::worker::origin::{Example, Failure, Origin, Settings, Stored};
use crate::worker::program::{self, Loaded};
use crate::worker::request::{Info, Progress, Report};
use crate::worker::{Desk, Mouth};
use cp2_asm::image::{Image, SymbolKind};
use cp2_emu::machine::MachineConfig;
use cp2_emu::state::State;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Machine};
use cp2_isa::{BundleAddress, Core, Cycle, Filed, Storage};
use cp2_programs::catalogue;
use cp2_programs::workload::{Place, Request, Values};
use cp2_recording::{Header, Recorder, Recording};
use cp2_session::{Engine, load, recorded};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempPath;

/// Cycles between two looks at the orders.
const SHARE: u64 = 1 << 22;

/// A recording that is open.
pub(crate) struct Made {
    pub(crate) recording: Recording,
    pub(crate) info: Box<Info>,
}

/// Where a recording is written while it is made.
struct Tape {
    recorder: &'static Recorder,
    path: TempPath,
}

impl Tape {
    fn begin(header: &Header) -> Result<Self, Failure> {
        let trouble = |e| Failure::of("no temporary file for the recording", &e);
        let (file, path) = tempfile::NamedTempFile::new().map_err(trouble)?.into_parts();
        let recorder = Recorder::new(Box::new(file), header).map_err(trouble)?;
        // What runs kernels holds it as a value; it takes a few hundred bytes for each run.
        Ok(Self { recorder: Box::leak(Box::new(recorder)), path })
    }

    fn end(self) -> Result<Stored, Failure> {
        let trouble = |e| Failure::of("the recording could not be written", &e);
        self.recorder.finish().map_err(trouble)?;
        Ok(Stored { path: self.path.to_path_buf(), _temporary: Some(self.path) })
    }
}

/// Opens or makes a recording.
pub(crate) fn recording(origin: &Origin, desk: &Desk, mouth: &Mouth) -> Result<Made, Failure> {
    let tell = |what: &str, part: Option<f32>| {
        mouth.say(Report::Progress(Progress { what: what.to_owned(), part }));
    };
    match origin {
        Origin::File(path, _) if is_recording(path)? => {
            if let Some(option) = origin.settings().for_programs() {
                let what = format!("{option} is for programs");
                return Err(Failure::new(&what, "A recording has its machine and its inputs."));
            }
            tell("Opening the recording", None);
            let stored = Stored { path: path.clone(), _temporary: None };
            opened(stored, origin, (None, None), path.parent())
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

/// Whether a file is a recording.
///
/// # Errors
/// It cannot be read.
pub fn is_recording(path: &Path) -> Result<bool, Failure> {
    use std::io::Read as _;
    let mut start = [0; 6];
    let mut file = File::open(path)
        .map_err(|e| Failure::of(&format!("{} cannot be read", path.display()), &e))?;
    let n = file.read(&mut start).unwrap_or(0);
    Ok(start[..n] == *b"CP2REC")
}

/// The machine and the core that settings ask for.
fn machine(settings: &Settings) -> Result<(Option<MachineConfig>, Core), Failure> {
    let config = config_of(settings)?;
    let core = *config.core();
    Ok((settings.machine.as_ref().map(|_| config), core))
}

/// The machine that settings ask for; if they ask for none, one whose core is that of CP2 alone.
///
/// # Errors
/// There is no such machine, or it does not take a number.
pub fn config_of(settings: &Settings) -> Result<MachineConfig, Failure> {
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
    for name in &settings.enable {
        config.enable(name.trim()).map_err(|e| Failure::of(&format!("--enable {name}"), &e))?;
    }
    for set in &settings.set {
        config.apply_set(set).map_err(|e| Failure::of(&format!("--set {set}"), &e))?;
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
    let is_set = state.is_some() || settings.init.is_some();
    let results = data::prepare(&mut machine.cp2, (&loaded.image, entry), settings, is_set)?;
    let tape = Tape::begin(&header(origin.command(), config.as_ref(), &core))?;
    recorded::keep(tape.recorder, &loaded.image, &loaded.sources)
        .map_err(|e| Failure::of("The program cannot be recorded", &e))?;
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
    if matches!(run.end, End::Stopped(_)) {
        data::store(&results, &machine.cp2.state)?;
    }
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
    if let Some(option) = settings.for_user_programs() {
        let what = format!("{option} is for programs of your own");
        return Err(Failure::new(&what, "A kernel of cp2 makes its own data."));
    }
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
    let recorder = Some(tape.recorder);
    let request = Request { values, core, machine: config, recorder, ..Request::default() };
    let mut listener = |done: usize, all: usize| {
        tell(&format!("Running {name}"), Some(done as f32 / all.max(1) as f32));
    };
    let done = workload.execute(request, &mut listener);
    let done = done.map_err(|e| Failure::of(&format!("{name} could not be run"), &e))?;
    let end = done.complaint.unwrap_or_else(|| "was right".to_owned());
    opened(tape.end()?, origin, (None, Some(end)), None)
}

/// What is known of a recording that is open: of its program what it was made from, if that is at hand, else
/// what the recording keeps.
fn opened(
    stored: Stored,
    origin: &Origin,
    (loaded, end): (Option<Loaded>, Option<String>),
    beside: Option<&Path>,
) -> Result<Made, Failure> {
    let title = origin.title();
    let trouble = |e| Failure::of(&format!("{title} cannot be opened"), &e);
    let mut recording = stored.open().map_err(trouble)?;
    let core = *recording.core();
    let cycles = recording.cycles();
    let pyramid = Arc::new(recording.summary().map_err(trouble)?.clone());
    let header = recording.header().clone();
    let kept = recorded::of(&mut recording)
        .map_err(|e| Failure::of(&format!("{title} cannot be opened"), &e))?;
    recording.seek(*cycles.end()).map_err(trouble)?;
    let unnamed = cp2_analysis::program::of_memory(recording.state());
    let (program, image) = match loaded.or_else(|| program::kept(kept)) {
        Some(loaded) => (program::view(&loaded, &core, beside), loaded.image),
        None => (Program::new(&unnamed, &core, |_| None), unnamed),
    };
    recording.seek(*cycles.start()).map_err(trouble)?;
    let iram = &recording.state().iram;
    let is_from_start =
        image.kernels.iter().all(|kernel| iram.get(kernel.range()) == Some(&kernel.words[..]));
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
        image: Arc::new(image),
        is_from_start,
        stored: Arc::new(stored),
        pyramid,
        end,
    };
    Ok(Made { recording, info: Box::new(info) })
}
