//! `cp2 run`.

use crate::args::{Engine, Run};
use crate::exit::{Exit, Outcome, bad_input, complain};
use crate::files::Output;
use crate::progress::Progress;
use crate::trace_file::TraceFile;
use crate::{files, program};
use cp2_asm::image::{Image, SymbolKind};
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Off, Sink};
use cp2_emu::{Cp2, End, Stats};
use cp2_fast::Fast;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(arguments: &Run) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    let (dump, trace) = (arguments.dump.as_deref(), arguments.trace.as_deref());
    files::check_distinct(
        &[Some(&arguments.program.program), arguments.init.as_deref()],
        &[dump, trace, json],
    )?;
    let loaded = program::load(&arguments.program)?;
    let entry = entry(&loaded.image, arguments.entry.as_deref())?;
    let mut cp2 = Cp2::default();
    cp2_programs::load::load(&loaded.image, &mut cp2);
    if let Some(path) = &arguments.init {
        let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let value: Value = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
        cp2.state.load_json(&value).map_err(|e| place(&e))?;
    }
    let mut machine = Machine::new(cp2, arguments.engine);
    // Opened before the run, so that a place that cannot be written costs no work.
    let output = dump.filter(|p| !files::is_standard(p)).map(Output::open).transpose()?;
    let (result, traced) = match trace {
        Some(path) => {
            let mut trace = TraceFile::open(path, arguments.trace_values)?;
            let result = execute(&mut machine, entry, arguments.max_cycles, &mut trace);
            (result, trace.close())
        }
        None => (execute(&mut machine, entry, arguments.max_cycles, &mut Off), Ok(())),
    };
    if let Some(path) = dump {
        let cp2 = machine.cp2();
        let state = cp2.state.to_json(cp2.status(), result.stats.cycles);
        files::finish(output, path, format!("{state:#}\n").as_bytes())?;
    }
    traced?;
    report(arguments, &result)?;
    Ok(exit(&result.end))
}

/// A machine with the engine that runs it.
enum Machine {
    Reference(Box<Cp2>),
    Fast(Box<Fast>),
}

impl Machine {
    fn new(cp2: Cp2, engine: Engine) -> Self {
        match engine {
            Engine::Reference => Self::Reference(Box::new(cp2)),
            Engine::Fast => Self::Fast(Box::new(Fast::new(cp2))),
        }
    }

    fn cp2(&self) -> &Cp2 {
        match self {
            Self::Reference(cp2) => cp2,
            Self::Fast(fast) => &fast.cp2,
        }
    }

    fn start(&mut self, entry: u16) {
        match self {
            Self::Reference(cp2) => cp2.start(entry),
            Self::Fast(fast) => fast.start(entry),
        }
    }

    fn advance(&mut self, until: u64, sink: &mut impl Sink) -> Option<End> {
        match self {
            Self::Reference(cp2) => cp2.advance(until, sink),
            Self::Fast(fast) => fast.advance(until, sink),
        }
    }

    fn finish(&mut self, end: End) -> cp2_emu::Run {
        match self {
            Self::Reference(cp2) => cp2.finish(end),
            Self::Fast(fast) => fast.finish(end),
        }
    }
}

/// Runs the program, with a bar of the cycles on a terminal.
fn execute(machine: &mut Machine, entry: u16, limit: u64, sink: &mut impl Sink) -> cp2_emu::Run {
    const SHARE: u64 = 1 << 20;
    let progress = Progress::new("cycles", limit);
    machine.start(entry);
    let end = loop {
        let done = machine.cp2().stats().cycles;
        if done >= limit {
            break End::CycleLimit(limit);
        }
        if let Some(end) = machine.advance(limit.min(done + SHARE), sink) {
            break end;
        }
        progress.at(machine.cp2().stats().cycles);
    };
    machine.finish(end)
}

/// The bundle address that a kernel name, a label or a number means.
fn entry(image: &Image, place: Option<&str>) -> Outcome<u16> {
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
        Ok(address) if usize::from(address) < cp2_isa::IRAM_BUNDLES => Ok(address),
        _ => {
            let names: Vec<&str> = image.kernels.iter().map(|k| k.name.as_str()).collect();
            Err(bad_input(format!(
                "--entry {place}: no kernel or label of this name, and no bundle address from 0 to {}; the kernels are: {}",
                cp2_isa::IRAM_BUNDLES - 1,
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

fn report(arguments: &Run, run: &cp2_emu::Run) -> Outcome<()> {
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
        return super::print_json(&json!({
            "schema": "cp2-run-1",
            "end": end_json(&run.end),
            "stats": run.stats.to_json(),
        }));
    }
    if on_standard(&arguments.dump) || on_standard(&arguments.trace) {
        return Ok(());
    }
    let mut text = match &run.end {
        End::Stopped(code) => format!("stopped with code {code}\n"),
        _ => String::new(),
    };
    text += &summary(&run.stats);
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

/// Where the cycles went, as text.
pub(crate) fn summary(stats: &Stats) -> String {
    let mut text =
        format!("{:>12} cycles, and {} until everything had landed\n", stats.cycles, stats.drain);
    let percent = |n: u64| 100.0 * n as f64 / stats.cycles.max(1) as f64;
    for cause in Cause::ALL {
        let n = stats.causes[cause as usize];
        if n > 0 {
            let _ = writeln!(text, "{n:>12} {:>5.1} %  {}", percent(n), cause.description());
        }
    }
    let flops = stats.total_flops();
    let _ = writeln!(
        text,
        "{flops:>12} floating-point operations, {:.2} per cycle",
        flops as f64 / stats.cycles.max(1) as f64
    );
    let [first, second] = stats.bank_accesses;
    let _ = writeln!(text, "{first:>12} cycles with an access to bank 0, {second} to bank 1");
    let collisions: u64 = stats.collisions.iter().sum();
    if collisions > 0 {
        let _ = writeln!(
            text,
            "{collisions:>12} writes landed on a register in the cycle of another write, by section {:?}; see `cp2 explain C0502`",
            stats.collisions
        );
    }
    text
}
