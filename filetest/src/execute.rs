//! Runs: the machine before, every engine, and what the run has to give.

use crate::Failure;
use crate::arrays::{self, Expected, Files};
use crate::directive::{Count, Plan, Run};
use crate::edit::Edit;
use crate::target::Target;
use cp2_asm::Image;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Engine, Machine, Stats};
use cp2_fast::what_differs;
use cp2_isa::BundleAddress;
use cp2_programs::load::load;
use serde_json::Value;

/// The engines of a test.
pub(crate) type Engines = Vec<(Target, Box<dyn Engine>)>;

/// The machine before a run, where it starts, and the arrays that are compared afterwards.
fn prepared(
    plan: &Plan,
    run: &Run,
    (image, files): (&Image, &Files<'_>),
) -> Result<(Machine, BundleAddress, Vec<Expected>), Failure> {
    let wrong = |why| Failure::new(run.line, why);
    let (mut machine, entry) = started(plan, run, image).map_err(wrong)?;
    let is_set = !plan.init.is_empty() || !run.init.is_empty();
    let expected = arrays::prepare(&mut machine.cp2, (image, entry), (plan, run), (files, is_set))?;
    Ok((machine, entry, expected))
}

/// The machine with the registers of `init:` and `run:`.
fn started(plan: &Plan, run: &Run, image: &Image) -> Result<(Machine, BundleAddress), String> {
    let entry = match &run.entry {
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
    let mut machine = match &plan.machine {
        Some(config) => Machine::new(config),
        None => Machine::alone(Cp2::new(plan.core)),
    };
    load(image, &mut machine.cp2);
    for assignment in plan.init.iter().chain(&run.init) {
        assignment.place.set(&mut machine.cp2, image, assignment.values)?;
    }
    Ok((machine, entry))
}

/// How a run ended, as `end:` writes it.
fn end_text(end: &End) -> String {
    match end {
        End::Stopped(code) => format!("stop {code}"),
        End::CycleLimit(_) => "limit".to_owned(),
        End::Interrupted => "interrupted".to_owned(),
        End::Fault(fault) => format!("fault {fault}"),
    }
}

/// The number or numbers of a count: cycles, causes, operations, flops, collisions, accesses.
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
        return Some(Failure::new(line, format!("there is no `{}` to count", count.name)));
    };
    (found != count.value).then(|| Failure {
        line,
        message: format!("{} is {found}, expected {}", count.name, count.value),
        edits: vec![Edit::replace(count.range.clone(), found)],
    })
}

/// Runs on every engine and checks what is expected. Gives the cycles too.
pub(crate) fn execute(
    plan: &Plan,
    run: &Run,
    (image, files): (&Image, &Files<'_>),
    engines: &mut Engines,
) -> (u64, Vec<Failure>) {
    let (machine, entry, arrays) = match prepared(plan, run, (image, files)) {
        Ok(prepared) => prepared,
        Err(failure) => return (0, vec![failure]),
    };
    let is_wanted =
        |t: Target| plan.engines.is_empty() || plan.engines.iter().any(|name| name == t.name());
    let mut reached = None;
    let mut failures = Vec::new();
    for (target, engine) in engines.iter_mut().filter(|(target, _)| is_wanted(*target)) {
        let mut machine = machine.clone();
        let (found, result) = match plan.machine {
            Some(_) => {
                let result = engine.run_kernel(&mut machine, entry, run.limit, &mut Off);
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
    for (line, expected) in &run.state {
        match expected.place.get(&reached, image) {
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
    failures.extend(arrays.iter().filter_map(|array| array.check(&reached.state)));
    (result.stats.cycles, failures)
}

fn check_end(run: &Run, end: &End) -> Option<Failure> {
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
