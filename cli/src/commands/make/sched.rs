//! `cp2 sched`. What a solver says of the loops is told in `answer`.

mod answer;
mod saved;

use crate::args::Sched;
use crate::input::{certificates, machine, program};
use crate::process::exit::{Exit, Outcome, bad_input, complain};
use crate::process::progress::Progress;
use crate::storage::files;
use answer::Better;
use cp2_asm::diagnostic::{Sources, Span};
use cp2_asm::linear::Region;
use cp2_asm::listing;
use cp2_asm::sched::{
    Answer, BlockReport, Hint, KnownSchedules, LoopHints, Pipeline, ScheduledBundle, SlotOrigin,
    TrialBudget, answers, hints,
};
use cp2_isa::{Core, Slot};
use cp2_session::schedule::{PredictedCycles, compare};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Region with all that is told about it.
struct Told<'a> {
    scheduled: &'a cp2_asm::Scheduled,
    /// Answers for each innermost loop, if they were asked for.
    answers: Vec<Answer>,
    /// The region with the better schedules of the answers, if there are any.
    better: Option<Better>,
    /// Hints for each innermost loop: what it would win by promises.
    hints: Vec<LoopHints>,
    comparisons: Vec<PredictedCycles>,
}

pub(crate) fn sched(arguments: &Sched) -> Outcome {
    let path = &arguments.source;
    let core = machine::core(&arguments.core)?;
    let known = certificates::known(&arguments.known)?;
    files::check(&[Some(path)], &[arguments.saved.save.as_deref()])?;
    let choice = (arguments.cache, &known);
    let program = program::assemble_files(&core, std::slice::from_ref(path), choice)?;
    let (regions, sources) = (program.regions(), program.sources());
    if regions.is_empty() {
        let message = "the source has no linear region: there is nothing to schedule; regions stand \
                       between `.linear` and `.endlinear`";
        return Err(bad_input(format!("{}: {message}", path.display())));
    }
    certificates::warn_of_unused(&core, regions, &known)?;
    let told = told_of(arguments, &core, (regions, &known))?;
    if let Some(file) = &arguments.saved.save {
        saved::save(arguments, file, &core, &told)?;
    }
    print(arguments, &core, &told, sources)?;
    complain_of_wrong(&told)
}

/// Returns all that is told about regions.
fn told_of<'a>(
    arguments: &Sched,
    core: &Core,
    (regions, known): (&'a [cp2_asm::Scheduled], &KnownSchedules),
) -> Outcome<Vec<Told<'a>>> {
    let mut told = Vec::new();
    let progress = Progress::new("regions", regions.len() as u64);
    for (done, scheduled) in (0..).zip(regions) {
        progress.at(done);
        let answers = match arguments.exact || arguments.why {
            true => {
                answers(core, &scheduled.region, &scheduled.report, (known, arguments.conflicts))
                    .map_err(|trouble| bad_input(trouble.message))?
            }
            false => Vec::new(),
        };
        let better = Better::of(core, scheduled, &answers)?;
        let hints = match arguments.no_hints {
            true => Vec::new(),
            false => hints(core, &scheduled.region, &scheduled.report, &TrialBudget::default())
                .map_err(|trouble| bad_input(trouble.message))?,
        };
        let comparisons = compare(core, scheduled)?;
        told.push(Told { scheduled, answers, better, hints, comparisons });
    }
    drop(progress);
    Ok(told)
}

fn print(arguments: &Sched, core: &Core, told: &[Told<'_>], sources: &Sources) -> Outcome<()> {
    if arguments.json {
        let all: Vec<_> = told.iter().map(|t| to_json(t, sources)).collect();
        files::print_json(&json!({ "schema": "cp2-sched-1", "regions": all }))?;
    } else {
        let mut text = String::new();
        for region in told {
            describe(&mut text, region, arguments.why, sources);
            if let Some(file) = &arguments.saved.against {
                saved::compare(&mut text, file, core, (region, sources))?;
            }
            if arguments.listing {
                let tables = listing::pipelines(region.scheduled, sources);
                if !tables.is_empty() {
                    let _ = write!(text, "\n{tables}");
                }
            }
            if arguments.bundles {
                list(&mut text, region.scheduled, sources);
            }
        }
        files::print(text.as_bytes())?;
    }
    Ok(())
}

/// Complains of predictions that differ from the engine.
fn complain_of_wrong(told: &[Told<'_>]) -> Outcome {
    let wrong = told
        .iter()
        .flat_map(|t| t.comparisons.iter().chain(t.better.iter().flat_map(|b| &b.comparisons)))
        .filter(|c| c.simulated.as_ref().is_ok_and(|&n| n != c.predicted));
    match wrong.count() {
        0 => Ok(Exit::Success),
        n => {
            complain(format!(
                "cp2: {n} predictions differ from the engine; this is a bug of the scheduler"
            ));
            Ok(Exit::Check)
        }
    }
}

pub(super) fn line(span: Option<&Span>, sources: &Sources) -> String {
    span.map_or(String::new(), |span| {
        let (line, _) = sources.line_column(span);
        format!("{}:{line}", sources.name(span.file))
    })
}

fn describe(text: &mut String, told: &Told<'_>, why: bool, sources: &Sources) {
    let report = &told.scheduled.report;
    let _ = writeln!(
        text,
        "region {} at bundle {}: {} bundles, {} registers, {} cycles",
        report.name, told.scheduled.start, report.bundles, report.registers, report.cost
    );
    let (mut answers, mut hints) = (told.answers.iter(), told.hints.iter());
    for block in &report.blocks {
        let answer = block.ii.and_then(|_| answers.next());
        let missing = block.ii.and_then(|_| hints.next());
        describe_block(text, block, missing, &told.scheduled.region, sources);
        if let Some(answer) = answer {
            answer::describe(text, answer);
            if why {
                answer::describe_obstacles(text, answer, &told.scheduled.region, sources);
            }
        }
    }
    describe_comparisons(text, &told.comparisons);
    if let Some(better) = &told.better {
        let report = &better.scheduled.report;
        let _ = writeln!(
            text,
            "  with the better schedules: {} bundles, {} registers, {} cycles",
            report.bundles, report.registers, report.cost
        );
        describe_comparisons(text, &better.comparisons);
    }
}

fn describe_comparisons(text: &mut String, comparisons: &[PredictedCycles]) {
    for c in comparisons {
        let counts: Vec<_> = c.counts.iter().map(|(g, n)| format!("g{g} = {n}, ")).collect();
        let predicted = format!("{}predicted {}", counts.concat(), c.predicted);
        let _ = match &c.simulated {
            Ok(n) if *n == c.predicted => writeln!(text, "  {predicted}, simulated {n}: equal"),
            Ok(n) => writeln!(text, "  {predicted}, simulated {n}: DIFFERENT"),
            Err(why) => writeln!(text, "  {predicted}, not compared: {why}"),
        };
    }
}

fn describe_block(
    text: &mut String,
    block: &BlockReport,
    hints: Option<&LoopHints>,
    region: &Region,
    sources: &Sources,
) {
    let place = line(block.span.as_ref(), sources);
    let [arithmetic, exchange] = block.operations;
    let kind = if block.ii.is_some() { "loop" } else { "straight" };
    let _ =
        writeln!(text, "  {kind} {place}: {arithmetic} arithmetic, {exchange} exchange operations");
    let [doubles, permutations] = block.exchanged;
    if doubles + permutations > 0 {
        let _ =
            writeln!(text, "    made of others    {doubles} double loads, {permutations} psprmsgn");
    }
    let _ = writeln!(text, "    resource bound    {:>6}", block.resource_bound);
    if let Some(ii) = block.ii {
        let bound = &block.recurrence_bound;
        let mut lines: Vec<String> = bound
            .operations
            .iter()
            .filter_map(|&op| region.ops.get(op))
            .map(|op| line(op.span.as_ref(), sources))
            .collect();
        lines.dedup();
        let through = if lines.is_empty() {
            String::new()
        } else {
            format!("  through {}", lines.join(", "))
        };
        let _ = writeln!(text, "    recurrence bound  {:>6}{through}", bound.cycles);
        let least = block.resource_bound.max(bound.cycles);
        let percent = 100.0 * least as f64 / ii as f64;
        let _ = writeln!(text, "    ii                {ii:>6}  {percent:.1} % of the bound");
        for hint in hints.into_iter().flat_map(|all| &all.hints) {
            let _ = match hint.ii {
                Some(n) => writeln!(text, "      if promised     {n:>6}  {}", promises(hint)),
                None => {
                    writeln!(text, "      bound, promised {:>6}  {}", hint.bound, promises(hint))
                }
            };
        }
        if hints.is_some_and(|all| !all.is_complete) {
            let _ =
                writeln!(text, "      not all promises were tried: that would take too much work");
        }
        let _ = writeln!(text, "    stages            {:>6}", block.stages);
        let _ = writeln!(text, "    unrolled          {:>6}", block.unroll);
        let _ = writeln!(text, "    minimum trips     {:>6}", block.minimum_trips);
    }
    let _ = writeln!(text, "    registers         {:>6}", block.registers);
    let _ = writeln!(text, "    bundles           {:>6}", block.bundles);
    let _ = writeln!(text, "    cycles            {:>6}", block.cost.to_string());
}

/// Returns the text for the promises of a hint, as they are written.
fn promises(hint: &Hint) -> String {
    let all: Vec<String> = hint.promises.iter().map(|p| format!("`{p}`")).collect();
    format!("with {}", all.join(" and "))
}

/// Writes the bundles, each with the lines that it comes from.
fn list(text: &mut String, scheduled: &cp2_asm::Scheduled, sources: &Sources) {
    let from = |source: SlotOrigin| match source {
        SlotOrigin::Op(op) => {
            let span = scheduled.region.ops[op].span.as_ref();
            line(span, sources).rsplit(':').next().unwrap_or_default().to_owned()
        }
        SlotOrigin::Made => "made".to_owned(),
        SlotOrigin::Nothing => "-".to_owned(),
    };
    for (k, ScheduledBundle { bundle, arith, exch }) in scheduled.bundles.iter().enumerate() {
        let mut bundle = *bundle;
        if matches!(bundle.exch.op, cp2_isa::Exch::Do | cp2_isa::Exch::Doi) {
            bundle.exch.values[1] += i32::from(scheduled.start.0);
        }
        let address = scheduled.start.index() + k;
        let (a, e) = (from(*arith), from(*exch));
        let _ = writeln!(text, "{address:>6} {a:>6} {e:>6}  {bundle}");
    }
}

fn to_json(told: &Told<'_>, sources: &Sources) -> Value {
    let report = &told.scheduled.report;
    let (mut answers, mut hints) = (told.answers.iter(), told.hints.iter());
    let blocks: Vec<Value> = report
        .blocks
        .iter()
        .map(|b| {
            let answer = b.ii.and_then(|_| answers.next());
            let least = answer.filter(|a| a.least == a.ii).map(|a| a.ii);
            let answer = answer.map(|a| answer::to_json(a, &told.scheduled.region, sources));
            let missing = b.ii.and_then(|_| hints.next());
            let missing = missing.into_iter().flat_map(|all| &all.hints).map(|hint| {
                let promises: Vec<String> = hint.promises.iter().map(ToString::to_string).collect();
                json!({ "promises": promises, "bound": hint.bound, "ii": hint.ii })
            });
            json!({
                "place": line(b.span.as_ref(), sources),
                "arithmetic": b.operations[0],
                "exchange": b.operations[1],
                "double_loads_made": b.exchanged[0],
                "permutations_made": b.exchanged[1],
                "resource_bound": b.resource_bound,
                "recurrence_bound": b.ii.map(|_| b.recurrence_bound.cycles),
                "ii": b.ii,
                "least_ii": least,
                "answer": answer,
                "stages": b.stages,
                "unrolled": b.unroll,
                "minimum_trips": b.minimum_trips,
                "registers": b.registers,
                "bundles": b.bundles,
                "cycles": b.cost.to_string(),
                "missing_promises": missing.collect::<Vec<_>>(),
                "pipeline": b.pipeline.as_ref().map(|p| pipeline_json(p, b, told, sources)),
            })
        })
        .collect();
    json!({
        "name": report.name,
        "start": told.scheduled.start.0,
        "bundles": report.bundles,
        "registers": report.registers,
        "cycles": report.cost.to_string(),
        "blocks": blocks,
        "comparisons": comparisons_json(&told.comparisons),
        "better": told.better.as_ref().map(|better| {
            let report = &better.scheduled.report;
            json!({
                "bundles": report.bundles,
                "registers": report.registers,
                "cycles": report.cost.to_string(),
                "comparisons": comparisons_json(&better.comparisons),
            })
        }),
    })
}

fn comparisons_json(comparisons: &[PredictedCycles]) -> Vec<Value> {
    let one = |c: &PredictedCycles| {
        let counts: serde_json::Map<String, Value> =
            c.counts.iter().map(|(g, n)| (format!("g{g}"), json!(n))).collect();
        json!({ "counts": counts, "predicted": c.predicted, "simulated": c.simulated.as_ref().ok() })
    };
    comparisons.iter().map(one).collect()
}

/// Returns the operations and values of a pipelined loop as JSON.
fn pipeline_json(
    pipeline: &Pipeline,
    block: &BlockReport,
    told: &Told<'_>,
    sources: &Sources,
) -> Value {
    let region = &told.scheduled.region;
    let operations: Vec<Value> = listing::operations(told.scheduled, block, sources)
        .into_iter()
        .map(|o| {
            let slot = if o.slot == Slot::Arithmetic { "arithmetic" } else { "exchange" };
            json!({ "place": o.place, "slot": slot, "time": o.time, "stage": o.stage })
        })
        .collect();
    let values: Vec<Value> = pipeline
        .values
        .iter()
        .map(|v| {
            let span = region.ops.get(v.op).and_then(|op| op.span.as_ref());
            json!({
                "name": region.register_name(v.name),
                "place": line(span, sources),
                "registers": v.registers,
                "lands": v.first,
                "last_read": v.last,
            })
        })
        .collect();
    let kernel = pipeline.kernel.map(|k| {
        let bundle = told.scheduled.start.index() + k.bundle;
        json!({ "bundle": bundle, "length": k.length, "start": k.start })
    });
    json!({ "kernel": kernel, "operations": operations, "values": values })
}
