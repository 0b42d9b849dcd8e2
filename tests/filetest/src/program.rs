//! Program of a case, with its diagnostics, bundles, symbols and schedules.

use crate::Failure;
use crate::diagnosed::{self, Around, Diagnosed, insertion, removal};
use crate::directive::{Plan, Schedule};
use crate::edit::Edit;
use crate::execute::check_count;
use crate::source::{Case, Source};
use cp2_asm::sched::BlockReport;
use cp2_asm::{Diagnostic, Image, Scheduled, Sources, Span};
use cp2_isa::{BundleAddress, Core, decode};
use cp2_session::{self as session, Environment, ProgramError, Refusal, schedule};

/// Function that loads an included source file: gets the name of the file that includes it and the path that stands
/// there, and returns the name and the text of the included file, or a message that says why it cannot be read.
pub type Loader<'a> = dyn Fn(&str, &str) -> Result<(String, String), String> + Sync + 'a;

/// Program of a case, assembled or not.
pub(crate) struct CaseProgram {
    pub(crate) made: Result<session::Program, ProgramError>,
    /// Texts of the sources, by the numbers that the places of diagnostics have.
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// Names of the sources that are parts of the test.
    own: Vec<String>,
}

/// Assembles a case for the core that it asks for.
pub(crate) fn assemble(case: &Case<'_>, core: Core, loader: &Loader<'_>) -> CaseProgram {
    let own = case.text.files.iter().map(|(name, _)| name.clone()).collect();
    let mut include = |from: &str, path: &str| {
        case.text.part(path).cloned().map_or_else(|| loader(from, path), Ok)
    };
    let texts = case.text.roots();
    let made = session::Program::from_sources(&Environment::new(), &core, texts, &mut include);
    let (diagnostics, sources) = match &made {
        Ok(program) => (program.warnings().to_vec(), program.sources().clone()),
        Err(ProgramError::Refused(refusal)) => {
            let Refusal { diagnostics, sources } = refusal.as_ref().clone();
            (diagnostics, sources)
        }
        Err(_) => (Vec::new(), Sources::default()),
    };
    CaseProgram { made, sources, diagnostics, own }
}

impl CaseProgram {
    /// Compares everything but the runs.
    pub(crate) fn check(&self, plan: &Plan, case: &Case<'_>, source: &Source<'_>) -> Vec<Failure> {
        let around = Around { source, comments: &case.comments, end: case.text.lines.end };
        let found = |d: &Diagnostic, is_finding| {
            diagnosed::found(d, is_finding, (&self.sources, &self.own), source)
        };
        let told: Vec<_> = self.diagnostics.iter().map(|d| found(d, false)).collect();
        let mut failures = diagnosed::compare(&plan.expected.assembled, &told, &around);
        failures.extend(nones(plan, case, source, false, &told));
        if self.made.is_err()
            && plan.expected.assembled.is_empty()
            && plan.expected.nones.is_empty()
        {
            // A program that should have been right is not blessed as a wrong one.
            failures.iter_mut().for_each(|failure| failure.edits.clear());
        }
        let Ok(made) = &self.made else { return failures };
        let (image, regions) = (made.image(), made.regions());
        if let Some(expected) = &plan.expected.lint {
            let options = cp2_lint::Options { core: plan.core, undefined: plan.undefined };
            let findings = cp2_lint::lint_for(image, &options);
            let told = cp2_lint::diagnostics(&findings, image, &self.sources, made.expansions());
            let told: Vec<_> = told.iter().map(|d| found(d, true)).collect();
            failures.extend(diagnosed::compare(expected, &told, &around));
            failures.extend(nones(plan, case, source, true, &told));
        }
        failures.extend(bundles(plan, case, source, image));
        for (line, count) in &plan.expected.symbols {
            let value = image.symbol(&count.name).map(|n| n.to_string());
            failures.extend(check_count(count, *line, value));
        }
        for expected in &plan.expected.schedules {
            failures.extend(self.schedule(expected, regions, plan.core));
        }
        failures
    }

    fn line_of(&self, span: Option<&Span>) -> Option<usize> {
        let span =
            span.filter(|s| self.own.iter().any(|name| name == self.sources.name(s.file)))?;
        Some(self.sources.line_column(span).0 as usize - 1)
    }

    fn schedule(&self, expected: &Schedule, regions: &[Scheduled], core: Core) -> Vec<Failure> {
        let is_here = |span: Option<&Span>| self.line_of(span) == Some(expected.subject);
        for scheduled in regions {
            let region = is_here(scheduled.region.span.as_ref());
            let block = scheduled.report.blocks.iter().find(|b| is_here(b.span.as_ref()));
            let value = |name: &str| match (region, block) {
                (true, _) => region_value(scheduled, name),
                (false, Some(block)) => block_value(block, name),
                (false, None) => None,
            };
            if region || block.is_some() {
                let counts = expected.counts.iter();
                let mut failures: Vec<Failure> =
                    counts.filter_map(|c| check_count(c, expected.line, value(&c.name))).collect();
                failures.extend(prediction(&core, scheduled, expected.line));
                return failures;
            }
        }
        let message = "no linear region and no loop of one begins in the line above; write `schedule:` in the \
                       line below `.linear` or `.loop`";
        vec![Failure::new(expected.line, message.to_owned())]
    }
}

/// Returns a failure for each `error: none` or `lint: none` of the case if diagnostics were told.
fn nones(
    plan: &Plan,
    case: &Case<'_>,
    source: &Source<'_>,
    is_lint: bool,
    told: &[Diagnosed],
) -> Vec<Failure> {
    let all = plan.expected.nones.iter().map(|&n| &case.comments[n]);
    let of_kind = all.filter(|c| !told.is_empty() && (c.keyword == "lint") == is_lint);
    of_kind
        .map(|comment| Failure {
            line: comment.line,
            message: format!("there are {}; none is expected", told.len()),
            edits: vec![removal(comment, source)],
        })
        .collect()
}

/// Returns a sum of cycles without blanks.
fn sum(text: &str) -> String {
    text.replace(' ', "")
}

fn region_value(scheduled: &Scheduled, name: &str) -> Option<String> {
    let report = &scheduled.report;
    Some(match name {
        "bundles" => report.bundles.to_string(),
        "registers" => report.registers.to_string(),
        "cycles" => sum(&report.cost.to_string()),
        _ => return None,
    })
}

fn block_value(block: &BlockReport, name: &str) -> Option<String> {
    Some(match name {
        "ii" => block.ii?.to_string(),
        "resource" => block.resource_bound.to_string(),
        "recurrence" => block.recurrence_bound.cycles.to_string(),
        "stages" => block.stages.to_string(),
        "unrolled" => block.unroll.to_string(),
        "trips" => block.minimum_trips.to_string(),
        "registers" => block.registers.to_string(),
        "bundles" => block.bundles.to_string(),
        "arithmetic" => block.operations[0].to_string(),
        "exchange" => block.operations[1].to_string(),
        "doubles" => block.exchanged[0].to_string(),
        "permutations" => block.exchanged[1].to_string(),
        "cycles" => sum(&block.cost.to_string()),
        _ => return None,
    })
}

/// Compares the cycles that a schedule predicts with those of the engine.
fn prediction(core: &Core, scheduled: &Scheduled, line: usize) -> Vec<Failure> {
    let comparisons = match schedule::compare(core, scheduled) {
        Ok(comparisons) => comparisons,
        Err(error) => return vec![Failure::new(line, error.to_string())],
    };
    let is_wrong =
        |c: &&schedule::PredictedCycles| c.simulated.as_ref().is_ok_and(|&n| n != c.predicted);
    let told = |c: &schedule::PredictedCycles| {
        let found = c.simulated.as_ref().map_or(0, |n| *n);
        let counts = &c.counts;
        Failure::new(
            line,
            format!(
                "{} cycles predicted, {found} simulated with {counts:?}; this is a bug of cp2",
                c.predicted
            ),
        )
    };
    comparisons.iter().filter(is_wrong).map(told).collect()
}

/// Compares the bundles of the program with the list of `bundle:`.
fn bundles(plan: &Plan, case: &Case<'_>, source: &Source<'_>, image: &Image) -> Option<Failure> {
    let expected: Vec<_> = plan.expected.bundles.iter().map(|&n| &case.comments[n]).collect();
    let first = expected.first()?;
    let show = |word| match decode(word, &plan.core) {
        Ok(bundle) => bundle.to_string(),
        Err(undefined) => format!(".bundle {word:#018x} ({undefined})"),
    };
    let found: Vec<(BundleAddress, String)> = image
        .kernels
        .iter()
        .flat_map(|kernel| kernel.bundles().map(|(address, word)| (address, show(word))))
        .collect();
    let with_address = |(address, text): &(BundleAddress, String)| format!("{address}: {text}");
    let has_address =
        |text: &str| text.split_once(": ").is_some_and(|(n, _)| n.parse::<usize>().is_ok());
    let text_for = |pair: &(BundleAddress, String), form: &str| match has_address(form) {
        true => with_address(pair),
        false => pair.1.clone(),
    };
    let line = first.line;
    if expected.len() == found.len() {
        let pairs = || expected.iter().zip(&found).filter(|(e, f)| e.text != text_for(f, e.text));
        let (wrong, pair) = pairs().next()?;
        return Some(Failure {
            line: wrong.line,
            message: format!(
                "the bundle is `{}`; expected is `{}`",
                text_for(pair, wrong.text),
                wrong.text
            ),
            edits: pairs()
                .map(|(e, f)| Edit::replace(e.range.clone(), text_for(f, e.text)))
                .collect(),
        });
    }
    let texts = found.iter().map(|pair| format!("; bundle: {}\n", text_for(pair, first.text)));
    let mut edits: Vec<Edit> = expected.iter().map(|c| removal(c, source)).collect();
    let below = if first.is_alone { line } else { line + 1 };
    edits.extend(insertion(below, texts.collect(), source));
    let message = format!("there are {} bundles; expected are {}", found.len(), expected.len());
    Some(Failure { line, message, edits })
}
