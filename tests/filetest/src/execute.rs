//! Runs: the machine before, every engine, and what the run has to give.

use crate::Failure;
use crate::arrays::{self, Expected, Files};
use crate::directive::{Count, Plan, RunDirective};
use crate::edit::Edit;
use crate::place::Half;
use crate::target::TestEngine;
use cp2_asm::image::Image;
use cp2_asm::interface;
use cp2_descriptors::{self as chain, Chain};
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{DmaRegister, ctrl};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Engine, Goal, Machine, Pause, ReferenceEngine, Stats};
use cp2_fast::{Translator, what_differs};
use cp2_isa::{Bundle, BundleAddress, Cycle, Exch, Inst, encode};
use cp2_session::sanitizer::BROKEN_PROMISE;
use cp2_session::{Prepared, Program};
use serde_json::Value;

/// Cycles within which the channel has to come to its first wait.
const CHANNEL_CYCLES: u64 = 1_000_000;
/// Cycles within which an entry of the FIFO is taken.
const FIFO_CYCLES: u64 = 16;

/// Engines of a test, each with the target that it is built for.
pub(crate) type Engines = Vec<(TestEngine, Box<dyn Engine>)>;

/// Machine before a run, and the arrays that are compared afterwards.
struct Begin<'a> {
    prepared: Prepared<'a>,
    arrays: Vec<Expected>,
}

fn begin<'a>(
    plan: &Plan,
    run: &RunDirective,
    (program, files): (&'a Program, &Files<'_>),
) -> Result<Begin<'a>, Failure> {
    let mut prepared = started(plan, run, program).map_err(|why| Failure::new(run.line, why))?;
    let is_set = !plan.init.is_empty() || !run.init.is_empty();
    let arrays = arrays::prepare(&mut prepared, (plan, run), (files, is_set))?;
    Ok(Begin { prepared, arrays })
}

/// Returns the machine with the registers of `init:` and `run:` set.
fn started<'a>(
    plan: &Plan,
    run: &RunDirective,
    program: &'a Program,
) -> Result<Prepared<'a>, String> {
    let image = program.image();
    let entry = match &run.entry {
        Some(name) if run.by_fifo && register(name).is_some() => BundleAddress::default(),
        None => image.kernels.first().map_or(BundleAddress::default(), |kernel| kernel.start),
        Some(name) => {
            let kernel = image.kernel(name).map(|kernel| i64::from(kernel.start));
            let place = kernel.or_else(|| image.symbol(name)).and_then(|n| u16::try_from(n).ok());
            let place = place.map(BundleAddress);
            place
                .filter(|at| at.index() < plan.core.iram_bundles())
                .ok_or_else(|| format!("there is no kernel or label `{name}` to start at"))?
        }
    };
    let mut prepared = Prepared::new(program, plan.machine.as_ref(), entry, None);
    if let Some(chain) = &plan.chain {
        start_channel(&mut prepared.machine, chain)?;
    }
    for assignment in plan.init.iter().chain(&run.init) {
        assignment.place.set(&mut prepared.machine.cp2, image, assignment.values)?;
    }
    Ok(prepared)
}

/// Starts the channel of a machine with these descriptors and lets it come to where it waits for `start_dma`, or to
/// its stop.
fn start_channel(machine: &mut Machine, chain: &Chain) -> Result<(), String> {
    chain::load(machine, chain, &[]).map_err(|problems| problems.join("; "))?;
    machine.write_register(DmaRegister::Ctrl, ctrl::START).map_err(|e| e.to_string())?;
    match ReferenceEngine.wait_for_dma(machine, Cycle(CHANNEL_CYCLES)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("the channel neither waits nor stops in {CHANNEL_CYCLES} cycles")),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Returns the general register that a place names.
fn register(place: &str) -> Option<i32> {
    place.strip_prefix('g')?.parse().ok().filter(|n| (0..16).contains(n))
}

/// Runs a kernel that the host starts by a bundle in the FIFO: `runi` of this place, or `run` of the register that is
/// named in place of one.
fn run_by_fifo(
    engine: &mut dyn Engine,
    machine: &mut Machine,
    (run, entry): (&RunDirective, BundleAddress),
) -> Result<cp2_emu::RunResult, String> {
    let exch = match run.entry.as_deref().and_then(register) {
        Some(number) => Inst::new(Exch::Run, &[number]),
        None => Inst::new(Exch::Runi, &[i32::from(entry.0)]),
    };
    let order = FifoEntry::Execute(encode(&Bundle { exch, ..Bundle::NOP }));
    machine.cp2.fifo.push(order).map_err(|_| "the FIFO has no room")?;
    // Into an empty FIFO it takes two cycles.
    let soon = machine.cycle() + FIFO_CYCLES;
    while !machine.cp2.is_running() {
        match engine.advance(machine, Goal::cycle(soon), &mut NoObserver) {
            Ok(Pause::Cycle) => return Err("the bundle in the FIFO starts no kernel".to_owned()),
            Ok(_) => {}
            Err(fault) => return Ok(machine.finish_kernel(End::Fault(fault))),
        }
    }
    let end = engine.advance_kernel(machine, run.limit, &mut NoObserver);
    Ok(machine.finish_kernel(end.unwrap_or(End::CycleLimit(run.limit))))
}

/// Describes the end of a run as `end:` writes it.
fn end_text(end: &End) -> String {
    match end {
        End::Stopped(code) => format!("stop {code}"),
        End::CycleLimit(_) => "limit".to_owned(),
        End::Interrupted => "interrupted".to_owned(),
        End::Fault(fault) => format!("fault {fault}"),
    }
}

/// Returns the text of a count, a number or several: cycles, causes, operations, flops, collisions, accesses.
fn count_text(name: &str, stats: &Stats) -> Option<String> {
    let json = stats.to_json();
    let value = match name {
        "bundles" => return Some(stats.bundles().to_string()),
        _ => ["", "/causes", "/operations/value"]
            .iter()
            .find_map(|group| json.pointer(&format!("{group}/{name}")).cloned())
            .unwrap_or_else(|| match is_operation(name) {
                true => 0.into(),
                false => Value::Null,
            }),
    };
    let value = value.get("value").cloned().unwrap_or(value);
    match &value {
        Value::Number(n) => Some(n.to_string()),
        Value::Array(all) if all.iter().all(|v| *v == all[0]) => Some(all[0].to_string()),
        Value::Array(all) => {
            let texts: Vec<String> = all.iter().map(Value::to_string).collect();
            Some(format!("{{{}}}", texts.join(",")))
        }
        _ => None,
    }
}

fn is_operation(name: &str) -> bool {
    cp2_isa::Arith::ALL.iter().any(|op| op.row().name == name)
        || cp2_isa::Exch::ALL.iter().any(|op| op.row().name == name)
}

/// Compares one count with its text.
pub(crate) fn check_count(count: &Count, line: usize, found: Option<String>) -> Option<Failure> {
    let Some(found) = found else {
        return Some(Failure::new(line, format!("there is no count `{}`", count.name)));
    };
    (found != count.value).then(|| Failure {
        line,
        message: format!("{} is {found}, expected {}", count.name, count.value),
        edits: vec![Edit::replace(count.range.clone(), found)],
    })
}

/// Compares registers and memories with what the run expects of its end.
fn check_state(run: &RunDirective, cp2: &Cp2, image: &Image) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (line, expected) in &run.state {
        match expected.place.get(cp2, image) {
            Err(why) => failures.push(Failure::new(*line, why)),
            Ok(found) if expected.is_met(&found) => {}
            Ok(found) => failures.push(Failure {
                line: *line,
                message: format!(
                    "{} is {}, expected {}",
                    expected.place,
                    expected.text(&found),
                    expected.expected()
                ),
                edits: vec![Edit::replace(expected.range.clone(), expected.text(&found))],
            }),
        }
    }
    failures
}

/// Runs on every engine and checks what is expected. Returns the cycles too.
pub(crate) fn execute(
    plan: &Plan,
    run: &RunDirective,
    (program, files): (&Program, &Files<'_>),
    engines: &mut Engines,
) -> (u64, Vec<Failure>) {
    let Begin { prepared, arrays } = match begin(plan, run, (program, files)) {
        Ok(begin) => begin,
        Err(failure) => return (0, vec![failure]),
    };
    let (image, entry) = (program.image(), prepared.entry);
    let is_wanted =
        |t: TestEngine| plan.engines.is_empty() || plan.engines.iter().any(|name| name == t.name());
    let mut reached = None;
    let mut failures = Vec::new();
    for (target, engine) in engines.iter_mut().filter(|(target, _)| is_wanted(*target)) {
        let mut machine = prepared.machine.clone();
        let (found, result) = match plan.machine {
            _ if run.by_fifo => match run_by_fifo(&mut **engine, &mut machine, (run, entry)) {
                Ok(result) => (machine.cp2, result),
                Err(why) => return (0, vec![Failure::new(run.line, why)]),
            },
            Some(_) => {
                let result = engine.run_kernel(&mut machine, entry, run.limit, &mut NoObserver);
                (machine.cp2, result)
            }
            // Without a channel, so that `dma` stays as a test sets it.
            None => target.run_alone(machine.cp2, entry, run.limit),
        };
        match &reached {
            None => reached = Some((found, result, *target)),
            Some((cp2, expected, first)) => {
                if let Some(what) = what_differs((cp2, expected), (&found, &result)) {
                    let (other, first) = (target.describe(), first.describe());
                    let message =
                        format!("{other} differs from {first}: {what}; this is a bug of cp2");
                    failures.push(Failure::new(run.line, message));
                }
            }
        }
    }
    let Some((reached, result, _)) = reached else { return (0, failures) };
    failures.extend(check_end(run, &result.end));
    for (line, count) in &run.counts {
        failures.extend(check_count(count, *line, count_text(&count.name, &result.stats)));
    }
    failures.extend(check_state(run, &reached, image));
    failures.extend(arrays.iter().filter_map(|array| array.check(&reached.state)));
    // A check follows a kernel from its start, which is not the caller's where the FIFO starts it.
    if plan.is_checked && run.is_checked && !run.by_fifo {
        let wrong = check(plan, run, prepared);
        if !wrong.is_empty() {
            // What a run gives that does what it must not is no expectation.
            failures.iter_mut().for_each(|failure| failure.edits.clear());
        }
        failures.extend(wrong);
    }
    (result.stats.cycles, failures)
}

/// Repeats a run with checks; returns what they find (`specs/src/checks.md`).
fn check(plan: &Plan, run: &RunDirective, prepared: Prepared<'_>) -> Vec<Failure> {
    let mut sanitizer = prepared.check();
    let Prepared { mut machine, entry, program, .. } = prepared;
    let image = program.image();
    for assignment in plan.init.iter().chain(&run.init) {
        let place = &assignment.place;
        if let Some(home) = place.home(image, machine.cp2.state.lmem.len()) {
            let half = place.half.map(|half| match half {
                Half::Hi => interface::Half::High,
                Half::Lo => interface::Half::Low,
            });
            sanitizer.give(home, place.section, half);
        }
    }
    sanitizer.run(&mut Translator::default(), &mut machine, (entry, run.limit));
    let broken = sanitizer.broken().map(|broken| format!("{broken} [{BROKEN_PROMISE}]"));
    let found = sanitizer.findings().into_iter().map(|finding| finding.to_string());
    let found = broken.into_iter().chain(found).map(|told| {
        let help = "correct it, allow it with a reason, or switch the check off with a reason: `; check: off REASON`";
        Failure::new(run.line, format!("the run fails its check: {told}; {help}"))
    });
    found.collect()
}

fn check_end(run: &RunDirective, end: &End) -> Option<Failure> {
    let found = end_text(end);
    match &run.end {
        None if found == "stop 0" => None,
        None => Some(Failure::new(
            run.line,
            format!("the run ended with `{found}`; without an `end:` it has to be `stop 0`"),
        )),
        Some(expected) if expected.text == found => None,
        Some(expected) => Some(Failure {
            line: expected.line,
            message: format!("the run ended with `{found}`, expected `{}`", expected.text),
            edits: vec![Edit::replace(expected.range.clone(), found)],
        }),
    }
}
