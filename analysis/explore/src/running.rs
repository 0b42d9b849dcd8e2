//! Runs of a program as a page shows them: the end, what the cycles were spent on, cycle by cycle at the begin, and why cycles were lost.

use crate::schedule::ProgramLines;
use cp2_analysis::history::{History, Issued};
use cp2_analysis::palette;
use cp2_analysis::profile::ProfileReport;
use cp2_analysis::program::NamedProgram;
use cp2_analysis::stall;
use cp2_analysis::words::operation_text;
use cp2_asm::sched::Interrupt;
use cp2_debug::{DebuggedRun, Debugger};
use cp2_emu::stats::Cause;
use cp2_emu::{End, MachineConfig, Stats};
use cp2_isa::{BundleAddress, Cycle, Slot};
use cp2_recording::{Recorder, Recording, RecordingInMemory};
use cp2_session::{Cancellation, Engine, Environment, Prepared, Program, Run, Setup};
use serde_json::{Map, Value, json};
use std::io::Cursor;

/// Most cycles that are told one by one at once.
const WINDOW: u64 = 256;
/// Most bundles of which it is told why they lost cycles.
const MOST_STALLS: usize = 48;
/// Cycles at the begin of a run in which an example of a lost cycle is looked for.
const SEARCHED: u64 = 1 << 14;
/// Most operations of the chain that explains a cycle.
const LINKS: usize = 8;

/// Causes of cycles in which nothing was computed or moved.
const LOST: [Cause; 3] = [Cause::Empty, Cause::Nullified, Cause::SyncHold];

/// A run that has ended, with its recording.
pub(crate) struct RecordedRun {
    pub(crate) debugger: Debugger,
    pub(crate) program: Program,
    end: End,
    stats: Stats,
    profile: Option<ProfileReport>,
}

/// Limits of a run, and who may end it.
pub(crate) struct RunLimits<'a> {
    pub(crate) max_cycles: u64,
    /// Flag that is raised when nobody waits for the run any more.
    pub(crate) interrupt: &'a Interrupt,
}

/// Runs what was prepared.
pub(crate) fn run(
    environment: &Environment,
    prepared: Prepared<'_>,
    limits: &RunLimits<'_>,
) -> Result<(End, Stats), String> {
    let setup = Setup { max_cycles: limits.max_cycles, ..Setup::default() };
    let outcome = ended(environment, prepared, &setup, limits)?;
    Ok((outcome.end, outcome.stats))
}

fn ended(
    environment: &Environment,
    prepared: Prepared<'_>,
    setup: &Setup,
    limits: &RunLimits<'_>,
) -> Result<cp2_session::Outcome, String> {
    let mut run = Run::new(environment, prepared, setup).map_err(|error| error.to_string())?;
    let cancellation = Cancellation::default();
    let end = run.to_end(&cancellation, &mut |_| {
        if limits.interrupt.is_raised() {
            cancellation.cancel();
        }
    });
    Ok(run.finish(end))
}

/// Runs and records what was prepared of a program.
pub(crate) fn record(
    environment: &Environment,
    program: &Program,
    (prepared, config): (Prepared<'_>, Option<&MachineConfig>),
    limits: &RunLimits<'_>,
) -> Result<RecordedRun, String> {
    let failed = |e: &dyn std::fmt::Display| format!("the run could not be recorded: {e}");
    let core = *program.core();
    let header = cp2_recording::Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command: "cp2 explore".to_owned(),
        machine: config.map(MachineConfig::dump),
        core: *core.numbers(),
        inputs: Vec::new(),
    };
    let tape = RecordingInMemory::default();
    let recorder = Recorder::new(Box::new(tape.clone()), &header).map_err(|e| failed(&e))?;
    let setup = Setup {
        max_cycles: limits.max_cycles,
        is_profiled: true,
        recorder: Some(recorder.clone()),
        ..Setup::default()
    };
    let outcome = ended(environment, prepared, &setup, limits)?;
    recorder.finish().map_err(|e| failed(&e))?;
    let engine = environment.engine(Engine::default());
    let recording = Recording::open(Cursor::new(tape.take()), engine).map_err(|e| failed(&e))?;
    let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
    let profile = outcome.machine.cp2.profile();
    let profile = profile.map(|profile| ProfileReport::new(program.image(), &core, profile));
    let (programs, sources) =
        (vec![(program.image().clone(), vec![begin..end])], program.sources().clone());
    let debugger =
        Debugger::new(DebuggedRun { recording, programs, sources }).map_err(|e| failed(&e))?;
    Ok(RecordedRun {
        debugger,
        program: program.clone(),
        end: outcome.end,
        stats: outcome.stats,
        profile,
    })
}

/// Returns the end of a run as a sentence, and whether it is one to be content with.
pub(crate) fn end_text(end: &End, max_cycles: u64) -> (String, bool) {
    match end {
        End::Stopped(code) => (format!("stopped with code {code}"), true),
        End::Interrupted => ("the run was interrupted".to_owned(), false),
        End::CycleLimit(_) => (
            format!(
                "did not stop within {max_cycles} cycles; `cp2 explore --max-cycles N` sets the limit"
            ),
            false,
        ),
        End::Fault(fault) => (fault.to_string(), false),
    }
}

/// Returns names, texts and colours of the causes of cycles.
pub(crate) fn causes() -> Value {
    let of = |cause: Cause| {
        let colour = palette::of_cause(cause);
        let is_lost = LOST.contains(&cause);
        json!({ "name": cause.name(), "text": cause.description(), "light": colour.light, "dark": colour.dark, "lost": is_lost })
    };
    Cause::ALL.into_iter().map(of).collect()
}

impl RecordedRun {
    /// Returns what the page shows of the run as a whole.
    pub(crate) fn summary(&mut self, max_cycles: u64) -> Result<Value, String> {
        let (text, is_right) = end_text(&self.end, max_cycles);
        let Self { program, stats, profile, .. } = &*self;
        let lines = ProgramLines::new(program.image(), program.core(), program.sources());
        let (mut by_line, mut by_bundle) = (Map::new(), Map::new());
        if let Some(profile) = profile {
            for part in &profile.lines {
                if part.name.as_deref().is_some_and(|file| lines.is_document(file)) {
                    let cost = json!([part.cost.cycles(), part.cost.causes, part.share()]);
                    by_line.insert(part.line.to_string(), cost);
                }
            }
            for bundle in &profile.bundles {
                let cost = json!(bundle.cost.causes);
                by_bundle.insert(bundle.address.0.to_string(), cost);
            }
        }
        let flops: u64 = stats.flops.iter().sum();
        let end = *self.debugger.run().recording.cycles().end();
        let mut told = json!({
            "end": text,
            "is_right": is_right,
            "cycles": stats.cycles,
            "drain": stats.drain,
            "causes": stats.causes,
            "flops": flops,
            "lines": by_line,
            "bundles": by_bundle,
            "last": end,
        });
        told["window"] = self.window(0)?;
        told["stalls"] = self.stalls()?;
        Ok(told)
    }

    /// Returns cycles one by one, from a cycle on.
    pub(crate) fn window(&mut self, begin: u64) -> Result<Value, String> {
        let Self { debugger, program, .. } = self;
        let lines = ProgramLines::new(program.image(), program.core(), program.sources());
        let [first, last] = debugger.ends();
        let begin = Cycle(begin).max(first).min(last);
        let end = (begin + WINDOW).min(last);
        let (recording, _) = debugger.parts();
        let window = recording.window(begin..end).map_err(|e| e.to_string())?;
        let cycles = window.cycles.iter().map(|record| {
            let half = |slot: Slot| {
                let event = record.operations.iter().find(|event| event.slot == slot)?;
                let line = lines.of_slot(event.address, slot);
                Some(json!([operation_text(&Issued::at(event)), line]))
            };
            let address = record.operations.first().map(|event| event.address);
            json!([
                record.number,
                record.cause.map(|cause| cause as u8),
                half(Slot::Arithmetic),
                half(Slot::Exchange),
                address,
            ])
        });
        Ok(json!({ "begin": begin, "end": end, "cycles": cycles.collect::<Vec<_>>() }))
    }

    /// Returns the bundles that lost most cycles, each with an example that is explained.
    fn stalls(&mut self) -> Result<Value, String> {
        let Self { debugger, program, profile, .. } = self;
        let Some(profile) = profile else { return Ok(json!([])) };
        let lost = |causes: &[u64]| LOST.iter().map(|cause| causes[*cause as usize]).sum::<u64>();
        let mut found: Vec<(u64, BundleAddress)> = profile
            .bundles
            .iter()
            .map(|bundle| (lost(&bundle.cost.causes), bundle.address))
            .filter(|(cycles, _)| *cycles > 0)
            .collect();
        found.sort_by_key(|(cycles, address)| (std::cmp::Reverse(*cycles), *address));
        let all: u64 = found.iter().map(|(cycles, _)| cycles).sum();
        found.truncate(MOST_STALLS);
        let examples = examples(debugger, &found)?;
        let names = NamedProgram::new(program.image(), program.core());
        let lines = ProgramLines::new(program.image(), program.core(), program.sources());
        let mut rows: Vec<Stall> = Vec::new();
        for (cycles, address) in found {
            let example = examples.iter().find(|(_, at)| *at == address).map(|(cycle, _)| *cycle);
            let why = example.map(|cycle| explained(debugger, &names, cycle)).transpose()?;
            let found = Stall { bundles: (address, address), cycles, example, why };
            // Bundles one behind the other wait for the same thing.
            match rows.iter_mut().find(|row| row.goes_on_in(&found)) {
                Some(row) => row.take(found),
                None => rows.push(found),
            }
        }
        rows.sort_by_key(|row| (std::cmp::Reverse(row.cycles), row.bundles));
        let rows: Vec<Value> = rows.iter().map(|row| row.to_json(&lines)).collect();
        Ok(json!({ "all": all, "rows": rows }))
    }
}

/// Bundles, one behind the other, that lost cycles for the same reason.
struct Stall {
    bundles: (BundleAddress, BundleAddress),
    cycles: u64,
    example: Option<Cycle>,
    why: Option<Value>,
}

impl Stall {
    /// Returns what the explanation says of the reason, whatever the cycle.
    fn reason(&self) -> Option<Vec<[&Value; 2]>> {
        let why = self.why.as_ref()?;
        let slots = why["slots"].as_array()?.iter();
        let slots = slots.map(|slot| [&slot["next"], &slot["text"]]);
        Some(slots.chain([[&why["hold"], &why["skipped_by"]]]).collect())
    }

    /// Whether another bundle is beside these, and lost cycles for the same reason.
    fn goes_on_in(&self, other: &Self) -> bool {
        let (first, last) = (self.bundles.0.index(), self.bundles.1.index());
        let at = other.bundles.0.index();
        (at == last + 1 || at + 1 == first)
            && self.reason().is_some()
            && self.reason() == other.reason()
    }

    fn take(&mut self, other: Self) {
        let (first, last) = self.bundles;
        self.bundles = (first.min(other.bundles.0), last.max(other.bundles.1));
        self.cycles += other.cycles;
        if other.example < self.example {
            (self.example, self.why) = (other.example, other.why);
        }
    }

    fn to_json(&self, lines: &ProgramLines<'_>) -> Value {
        let (address, last) = self.bundles;
        json!({
            "address": address,
            "last": last,
            "line": lines.of_bundle(address),
            "label": lines.label(address),
            "cycles": self.cycles,
            "example": self.example,
            "why": self.why,
        })
    }
}

/// Returns for each of the bundles the first of the searched cycles that it lost.
fn examples(
    debugger: &mut Debugger,
    wanted: &[(u64, BundleAddress)],
) -> Result<Vec<(Cycle, BundleAddress)>, String> {
    let [first, last] = debugger.ends();
    let (recording, history) = debugger.parts();
    let mut found: Vec<(Cycle, BundleAddress)> = Vec::new();
    let mut cycle = first;
    while cycle < (first + SEARCHED).min(last) && found.len() < wanted.len() {
        let here = history.cycle(recording, cycle).map_err(|e| e.to_string())?;
        if let Some(address) = here.as_ref().and_then(|here| here.address)
            && here.is_some_and(|here| here.cause.is_some_and(|cause| LOST.contains(&cause)))
            && wanted.iter().any(|(_, at)| *at == address)
            && !found.iter().any(|(_, at)| *at == address)
        {
            found.push((cycle, address));
        }
        cycle += 1;
    }
    Ok(found)
}

/// Returns the explanation of a cycle.
pub(crate) fn explained(
    debugger: &mut Debugger,
    names: &NamedProgram<'_>,
    cycle: Cycle,
) -> Result<Value, String> {
    let (recording, history): (&mut Recording, &mut History) = debugger.parts();
    let why = stall::why(recording, history, names, cycle, LINKS).map_err(|e| e.to_string())?;
    Ok(why.to_json(names))
}
