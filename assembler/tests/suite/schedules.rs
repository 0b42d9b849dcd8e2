//! Schedules of the regions in `tests/files/schedule/` and `regions.s` as texts, in which a change of the scheduler
//! shows that makes a schedule longer, or only another one. `cargo xtask bless snapshots` writes them anew.

use cp2_asm::sched::{
    BlockReport, Hint, KnownSchedules, Pipeline, ScheduledBundle, SlotOrigin, TrialBudget, answers,
    hints,
};
use cp2_asm::{Diagnostic, Options, Scheduled, Sources, Span, assemble_regions, render};
use cp2_isa::{Core, MachineConfig};
use std::fmt::Write as _;
use std::path::Path;

/// Conflicts to which the solver may come for a loop.
const CONFLICTS: u64 = 5_000;

/// Most bundles of a region that are written out; of longer ones those are that hold something of the scheduler's own.
const MOST_BUNDLES: usize = 48;

/// Returns name and text of each case of a file test.
fn cases(text: &str) -> Vec<(&str, &str)> {
    let all = text.split("; case: ").skip(1);
    all.map(|case| case.split_once('\n').unwrap()).collect()
}

/// Returns the core that a case names as file tests do, or CP2.
fn core(text: &str) -> Core {
    let Some(machine) = text.lines().find_map(|line| line.strip_prefix("; machine: ")) else {
        return Core::CP2;
    };
    let mut config = MachineConfig::preset("vm7").unwrap();
    let settings = machine.split_whitespace().filter(|word| word.contains('='));
    settings.for_each(|setting| config.apply_set(setting).unwrap());
    *config.core()
}

/// A text with its schedules.
struct Told<'a> {
    text: &'a str,
    core: Core,
    out: String,
}

impl Told<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{}", line.trim_end());
    }

    /// Returns the source of an operation.
    fn source(&self, span: Option<&Span>) -> String {
        let text = span.map_or("", |span| &self.text[span.range.clone()]);
        text.lines().next().unwrap_or_default().trim().to_owned()
    }

    fn operation(&self, scheduled: &Scheduled, op: usize) -> String {
        self.source(scheduled.region.ops[op].span.as_ref())
    }

    fn region(&mut self, scheduled: &Scheduled) {
        let Scheduled { region, report, bundles, .. } = scheduled;
        let (registers, cost) = (report.registers, &report.cost);
        self.line(&format!("{} bundles, {registers} registers, cycles {cost}", report.bundles));
        let mut answers =
            answers(&self.core, region, report, (&KnownSchedules::default(), CONFLICTS))
                .unwrap()
                .into_iter();
        let mut hints =
            hints(&self.core, region, report, &TrialBudget::default()).unwrap().into_iter();
        for block in &report.blocks {
            self.block(scheduled, block);
            if let Some(pipeline) = &block.pipeline {
                let least = match answers.next() {
                    Some(answer) if answer.least == answer.ii => answer.ii.to_string(),
                    Some(answer) => format!("{} to {}", answer.least, answer.ii),
                    None => "unknown".to_owned(),
                };
                self.line(&format!("  least ii {least}"));
                hints.next().iter().flat_map(|all| &all.hints).for_each(|hint| self.hint(hint));
                self.pipeline(scheduled, pipeline);
            }
        }
        let is_short = bundles.len() <= MOST_BUNDLES;
        for (at, placed) in bundles.iter().enumerate() {
            let is_made = placed.arith == SlotOrigin::Made || placed.exch == SlotOrigin::Made;
            let is_empty =
                placed.arith == SlotOrigin::Nothing && placed.exch == SlotOrigin::Nothing;
            if is_made || is_short && !is_empty {
                self.line(&format!("  {at:4}: {}", written(placed)));
            }
        }
    }

    fn block(&mut self, scheduled: &Scheduled, block: &BlockReport) {
        let [arithmetic, exchange] = block.operations;
        let kind = if block.ii.is_some() { "loop" } else { "straight" };
        let mut text = format!("{kind}: {arithmetic} and {exchange} operations");
        if let [doubles, permutations] = block.exchanged
            && block.exchanged != [0; 2]
        {
            let _ = write!(text, " with {doubles} double loads and {permutations} permutations");
        }
        let BlockReport { resource_bound, stages, unroll, registers, .. } = block;
        let _ = write!(text, ", at least {resource_bound} by slots");
        if let Some(ii) = block.ii {
            let (recurrence, trips) = (block.recurrence_bound.cycles, block.minimum_trips);
            let _ = write!(text, " and {recurrence} by recurrence, ii {ii}");
            let _ = write!(text, ", {stages} stages, {unroll} at once, {trips} trips");
        }
        let (bundles, cost) = (block.bundles, &block.cost);
        self.line(&format!("{text}, {registers} registers, {bundles} bundles, cycles {cost}"));
        let round = &block.recurrence_bound.operations;
        if !round.is_empty() {
            let round: Vec<_> = round.iter().map(|&op| self.operation(scheduled, op)).collect();
            self.line(&format!("  recurrence: {}", round.join(" > ")));
        }
    }

    fn hint(&mut self, hint: &Hint) {
        let promises: Vec<String> = hint.promises.iter().map(ToString::to_string).collect();
        let ii = hint.ii.map_or("unknown".to_owned(), |ii| ii.to_string());
        let promises = promises.join(" and ");
        self.line(&format!("  with {promises}: bound {}, ii {ii}", hint.bound));
    }

    /// Writes the times at which operations issue, and the registers and lifetimes of values.
    fn pipeline(&mut self, scheduled: &Scheduled, pipeline: &Pipeline) {
        for &(op, time) in &pipeline.times {
            let text = self.operation(scheduled, op);
            let values = pipeline.values.iter().filter(|value| value.op == op);
            let values: String = values
                .map(|value| {
                    let registers: Vec<_> =
                        value.registers.iter().map(|f| format!("f{f}")).collect();
                    let name = scheduled.region.register_name(value.name);
                    let (first, last) = (value.first, value.last);
                    format!(" {name}={} {first}-{last}", registers.join(","))
                })
                .collect();
            self.line(&format!("  {time:4}  {text:30}{values}"));
        }
        if let Some(kernel) = pipeline.kernel {
            let (first, length, start) = (kernel.bundle, kernel.length, kernel.start);
            self.line(&format!("  kernel: {length} bundles from {first} on, cycle {start}"));
        }
    }

    fn refusal(&mut self, diagnostic: &Diagnostic, sources: &Sources) {
        let Diagnostic { code, message, .. } = diagnostic;
        let place = diagnostic.span.as_ref().map(|span| render::place(span, sources));
        self.line(&format!("{} {code}: {message}", place.unwrap_or_default()));
        for (span, text) in &diagnostic.related {
            self.line(&format!("  {} {text}", render::place(span, sources)));
        }
        diagnostic.notes.iter().for_each(|note| self.line(&format!("  {note}")));
    }
}

/// Returns a bundle as text, `made` if the scheduler has put something of its own there.
fn written(placed: &ScheduledBundle) -> String {
    let made = |source| if source == SlotOrigin::Made { "  ; made" } else { "" };
    format!("{}{}{}", placed.bundle, made(placed.arith), made(placed.exch))
}

/// Returns the schedules of a text, or why there are none.
fn told(text: &str) -> String {
    let mut sources = Sources::default();
    let root = sources.add("case.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let core = core(text);
    let mut told = Told { text, core, out: String::new() };
    let options = Options { core, ..Options::default() };
    match assemble_regions(&mut sources, &[root], &mut none, options) {
        Ok(assembled) => assembled.regions.iter().for_each(|region| told.region(region)),
        Err(all) => all.iter().for_each(|diagnostic| told.refusal(diagnostic, &sources)),
    }
    told.out
}

/// Returns the schedules of the cases of a text.
fn all_told(text: &str) -> String {
    let all = cases(text);
    assert!(!all.is_empty(), "no case");
    all.iter().map(|(case, text)| format!("## {case}\n{}\n", told(text))).collect()
}

/// Returns the schedules of the cases of a file.
fn schedules(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files/schedule");
    all_told(&std::fs::read_to_string(folder.join(name)).unwrap())
}

#[test]
fn address_sets() {
    insta::assert_snapshot!(schedules("addresses.s"));
}

#[test]
fn even_addresses() {
    insta::assert_snapshot!(schedules("even.s"));
}

#[test]
fn exchanged_operations() {
    insta::assert_snapshot!(schedules("exchanged.s"));
}

#[test]
fn registers() {
    insta::assert_snapshot!(schedules("registers.s"));
}

#[test]
fn places_of_operations() {
    insta::assert_snapshot!(schedules("placing.s"));
}

#[test]
fn kernels_that_begin_late() {
    insta::assert_snapshot!(schedules("late.s"));
}

#[test]
fn loops() {
    insta::assert_snapshot!(schedules("loops.s"));
}

#[test]
fn refusals() {
    insta::assert_snapshot!(schedules("refused.s"));
}

#[test]
fn rules_that_decide() {
    insta::assert_snapshot!(all_told(include_str!("regions.s")));
}
