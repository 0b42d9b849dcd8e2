//! `cp2 run`.

use crate::args::{Engine, Program, Run};
use crate::exit::{Exit, Outcome, bad_input, complain};
use crate::files::Output;
use crate::progress::Progress;
use crate::trace_file::TraceFile;
use crate::{files, machine, program};
use cp2_asm::image::{Image, SymbolKind};
use cp2_emu::machine::Key;
use cp2_emu::trace::{Off, Sink};
use cp2_emu::{Cp2, End, Machine, MachineConfig};
use cp2_fast::{Fast, FastMachine};
use cp2_isa::Core;
use cp2_programs::workload::counts;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(arguments: &Run) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    let (dump, trace) = (arguments.dump.as_deref(), arguments.trace.as_deref());
    let config = machine::config(&arguments.machine)?;
    if let (true, Some(config)) = (arguments.dump_config, &config) {
        files::print(config.dump().as_bytes())?;
        return Ok(Exit::Success);
    }
    let machine_file = arguments.machine.machine.as_deref().map(Path::new);
    files::check(
        &[arguments.program.as_deref(), arguments.init.as_deref(), machine_file],
        &[dump, trace, json],
    )?;
    let core = match &config {
        Some(config) => *config.core(),
        None => machine::core_alone(&arguments.machine.set)?,
    };
    // The arguments need a program wherever the machine is not only printed.
    let program = arguments.program.clone().unwrap_or_default();
    let loaded = program::load(
        &Program { program, format: arguments.format, cache: arguments.cache },
        &core,
    )?;
    let entry = entry(&core, &loaded.image, arguments.entry.as_deref())?;
    let mut target = Target::new(config.as_ref(), &core, arguments.engine);
    let cp2 = target.cp2();
    cp2_programs::load::load(&loaded.image, cp2);
    if let Some(path) = &arguments.init {
        let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let value: Value = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
        cp2.state.load_json(&value).map_err(|e| place(&e))?;
    }
    // Opened before the run, so that a place that cannot be written costs no work.
    let output = dump.filter(|p| !files::is_standard(p)).map(Output::open).transpose()?;
    let (result, traced) = match trace {
        Some(path) => {
            let mut trace = TraceFile::open(path, arguments.trace_values)?;
            let result = execute(&mut target, entry, arguments.max_cycles, &mut trace);
            (result, trace.close())
        }
        None => (execute(&mut target, entry, arguments.max_cycles, &mut Off), Ok(())),
    };
    if let Some(path) = dump {
        let cp2 = target.cp2();
        let state = cp2.state.to_json(cp2.status(), result.stats.cycles);
        files::finish(output, path, format!("{state:#}\n").as_bytes())?;
    }
    traced?;
    report(arguments, config.as_ref(), &core, &result)?;
    Ok(exit(&result.end))
}

/// What runs the program: CP2 alone on either engine, or with a machine around it.
enum Target {
    Alone(Box<Cp2>),
    Fast(Box<Fast>),
    Machine(Box<Machine>),
    FastMachine(Box<FastMachine>),
}

impl Target {
    fn new(config: Option<&MachineConfig>, core: &Core, engine: Engine) -> Self {
        let machine = config.map(|config| Machine::new(config.clone()));
        match (machine, engine) {
            (Some(machine), Engine::Reference) => Self::Machine(Box::new(machine)),
            (Some(machine), Engine::Fast) => Self::FastMachine(Box::new(FastMachine::new(machine))),
            (None, Engine::Reference) => Self::Alone(Box::new(Cp2::new(*core))),
            (None, Engine::Fast) => Self::Fast(Box::new(Fast::new(Cp2::new(*core)))),
        }
    }

    fn cp2(&mut self) -> &mut Cp2 {
        match self {
            Self::Alone(cp2) => cp2,
            Self::Fast(fast) => &mut fast.cp2,
            Self::Machine(machine) => &mut machine.cp2,
            Self::FastMachine(fast) => &mut fast.machine.cp2,
        }
    }

    fn start(&mut self, entry: u16) {
        match self {
            Self::Fast(fast) => fast.start(entry),
            Self::FastMachine(fast) => fast.start_kernel(entry),
            other => other.cp2().start(entry),
        }
    }

    fn advance(&mut self, until: u64, sink: &mut impl Sink) -> Option<End> {
        match self {
            Self::Alone(cp2) => cp2.advance(until, sink),
            Self::Fast(fast) => fast.advance(until, sink),
            Self::Machine(machine) => machine.advance_kernel(until, sink),
            Self::FastMachine(fast) => fast.advance_kernel(until, sink),
        }
    }

    fn finish(&mut self, end: End) -> cp2_emu::Run {
        match self {
            Self::Alone(cp2) => cp2.finish(end),
            Self::Fast(fast) => fast.finish(end),
            Self::Machine(machine) => machine.finish_kernel(end),
            Self::FastMachine(fast) => fast.finish_kernel(end),
        }
    }
}

/// Runs the program, with a bar of the cycles on a terminal.
fn execute(target: &mut Target, entry: u16, limit: u64, sink: &mut impl Sink) -> cp2_emu::Run {
    const SHARE: u64 = 1 << 20;
    let progress = Progress::new("cycles", limit);
    target.start(entry);
    let end = loop {
        let done = target.cp2().stats().cycles;
        if done >= limit {
            break End::CycleLimit(limit);
        }
        if let Some(end) = target.advance(limit.min(done + SHARE), sink) {
            break end;
        }
        progress.at(target.cp2().stats().cycles);
    };
    target.finish(end)
}

/// The bundle address that a kernel name, a label or a number means.
fn entry(core: &Core, image: &Image, place: Option<&str>) -> Outcome<u16> {
    let Some(place) = place else {
        return Ok(image.kernels.first().map_or(0, |k| k.start));
    };
    if let Some(kernel) = image.kernel(place) {
        return Ok(kernel.start);
    }
    let labels = || image.symbols.iter().filter(|s| s.kind == SymbolKind::Bundle);
    if let Some(label) = labels().find(|s| s.name == place) {
        return Ok(label.value as u16);
    }
    match place.parse::<u16>() {
        Ok(address) if usize::from(address) < core.iram_bundles() => Ok(address),
        _ => {
            let names: Vec<&str> = image.kernels.iter().map(|k| k.name.as_str()).collect();
            Err(bad_input(format!(
                "--entry {place}: no kernel or label of this name, and no bundle address from 0 to {}; the kernels are: {}",
                core.iram_bundles() - 1,
                names.join(", ")
            )))
        }
    }
}

fn exit(end: &End) -> Exit {
    match end {
        End::Stopped(_) => Exit::Success,
        End::CycleLimit(_) => Exit::Limit,
        End::Fault(_) => Exit::Guest,
    }
}

fn report(
    arguments: &Run,
    config: Option<&MachineConfig>,
    core: &Core,
    run: &cp2_emu::Run,
) -> Outcome<()> {
    match &run.end {
        End::Stopped(_) => {}
        End::CycleLimit(limit) => complain(format!(
            "cp2: error: the program did not stop within {limit} cycles; raise --max-cycles if it should run longer"
        )),
        End::Fault(fault) => complain(format!("cp2: error: {fault}")),
    }
    let on_standard =
        |path: &Option<std::path::PathBuf>| path.as_deref().is_some_and(files::is_standard);
    if arguments.json {
        let mut value = json!({
            "schema": "cp2-run-1",
            "end": end_json(&run.end),
            "stats": run.stats.to_json(),
        });
        if *core != Core::default() {
            value["core"] = core.changes().into();
        }
        if let Some(config) = config {
            value["machine"] = config.to_json();
        }
        return super::print_json(&value);
    }
    if on_standard(&arguments.dump) || on_standard(&arguments.trace) {
        return Ok(());
    }
    let mut text = match &run.end {
        End::Stopped(code) => format!("stopped with code {code}\n"),
        _ => String::new(),
    };
    for change in core.changes() {
        let _ = writeln!(text, "core: {change}");
    }
    text += &counts(&run.stats);
    if let Some(config) = config {
        let mhz = config.value(Key::CpuClock);
        let time = run.stats.cycles as f64 / f64::from(mhz);
        let _ = writeln!(text, "{time:>12.3} microseconds on {} at {mhz} MHz", config.name());
    }
    files::print(text.as_bytes())
}

fn end_json(end: &End) -> Value {
    match end {
        End::Stopped(code) => json!({ "kind": "stopped", "stopcode": format!("{code:016x}") }),
        End::CycleLimit(limit) => json!({ "kind": "cycle_limit", "limit": limit }),
        End::Fault(fault) => json!({
            "kind": "fault",
            "cycle": fault.cycle,
            "address": fault.address,
            "word": format!("{:016x}", fault.word),
            "message": fault.kind.to_string(),
        }),
    }
}
