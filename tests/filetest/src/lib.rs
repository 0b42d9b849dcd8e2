//! File tests: assembly sources whose comments say what they are expected to do (`specs/src/filetests.md`).
//! The library reads the directives, assembles, lints, schedules and runs the program on all engines, and
//! tells what is not as expected, with the text in which it would be. It reads and writes no files.

mod arrays;
mod cursor;
mod diagnosed;
mod directive;
mod edit;
mod execute;
mod given;
mod place;
mod program;
mod report;
mod source;
mod target;
mod value;

pub use arrays::ArrayLoader;
pub use program::Loader;
pub use report::{Summary, report, schema};
pub use target::TestEngine;

use arrays::Files;
use cp2_asm::cases::{TEST_KEYWORDS, TestComment};
use directive::Plan;
use edit::Edit;
use execute::Engines;
use source::{Case, Source};

/// Error in the directives of a file, the comments `; KEYWORD: TEXT` that say what a test expects. A file with such an
/// error tests nothing until it is mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line of the error, from 1.
    pub line: usize,
    /// Message that says what is wrong.
    pub message: String,
    /// Whether no directive is wrong, but a case has none that checks anything.
    pub is_missing: bool,
}

impl Malformed {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line: line + 1, message: message.into(), is_missing: false }
    }
}

/// Failure of a case: one expectation that the program did not meet, or something that no directive expects, such as a
/// diagnostic.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Line of the expectation, from 0.
    line: usize,
    message: String,
    /// Edits by which blessing makes the file right; empty if it cannot.
    edits: Vec<Edit>,
}

impl Failure {
    fn new(line: usize, message: String) -> Self {
        Self { line, message, edits: Vec::new() }
    }

    /// Returns the line of the expectation, from 1.
    pub fn line(&self) -> usize {
        self.line + 1
    }

    /// Returns the message: what was found and what was expected.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether blessing, which writes what was found into the file in place of what was expected, makes the failure
    /// right.
    pub fn is_blessable(&self) -> bool {
        !self.edits.is_empty()
    }
}

/// Outcome of a case, a part of a file that is assembled and run by itself: all of the file, or what stands from a
/// `case:` directive to the next together with what stands before the first.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// Name of the file.
    pub file: String,
    /// Name of the case; empty if the file has no cases.
    pub name: String,
    /// Line at which the case begins, from 1.
    pub line: usize,
    /// Number of directives of the case that run its program or expect something.
    pub checks: usize,
    /// Simulated cycles of CP2 of all runs of the case together, each run counted once however many engines repeat it.
    pub cycles: u64,
    /// Failures of the case: what is not as expected.
    pub failures: Vec<Failure>,
}

/// Options of [`test`](fn@test): the engines that run the programs, and the functions that read files, since the library itself
/// reads none.
pub struct Options<'a> {
    /// Engines to run every program on; the results of the first are compared with the expectations, the others have to
    /// agree with it.
    pub targets: Vec<TestEngine>,
    /// Loader of source files that the test includes and that are no part of the test's own text.
    pub loader: &'a Loader<'a>,
    /// Reader of the files of arrays that a test loads into memory or compares results with.
    pub arrays: &'a ArrayLoader<'a>,
}

/// Outcome of the test of a file, as [`test`](fn@test) returns it.
#[derive(Clone, Debug)]
pub struct Tested {
    /// Outcomes of the cases of the file, in order.
    pub cases: Vec<CaseResult>,
    /// Text of the file with all expectations that can be blessed replaced by what was found; the same text if all is
    /// well.
    pub blessed: String,
}

/// Returns whether a comment, from its sign on, is a directive of a file test, such as `; run: g0=3`.
pub fn is_directive(comment: &str) -> bool {
    TestComment::of_line(comment, 0, 0)
        .is_some_and(|comment| TEST_KEYWORDS.contains(&comment.keyword))
}

/// Tests `text`, the text of a file that is called `name` in messages: assembles each case, lints it if it expects
/// findings or none, runs its program on all engines, and compares what is found with the directives. Failures are no
/// error; they are in the result.
///
/// # Errors
/// Some directives have no meaning, such as one with an unknown keyword, or a case expects nothing: an entry for each
/// problem. Then nothing was run.
pub fn test(name: &str, text: &str, options: &Options<'_>) -> Result<Tested, Vec<Malformed>> {
    let source = Source::new(name, text);
    let cases = source.cases()?;
    let plans: Vec<Result<Plan, Vec<Malformed>>> =
        cases.iter().map(|case| Plan::new(case, &source)).collect();
    let mut wrong: Vec<Malformed> =
        plans.iter().filter_map(|plan| plan.as_ref().err()).flatten().cloned().collect();
    if !wrong.is_empty() {
        wrong.dedup();
        return Err(wrong);
    }
    let mut engines: Engines = options.targets.iter().map(|t| (*t, t.build())).collect();
    let both = cases.iter().zip(plans.iter().flatten());
    let outcomes: Vec<CaseResult> =
        both.map(|(case, plan)| of_case(case, plan, &source, options, &mut engines)).collect();
    let edits = outcomes.iter().flat_map(|o| &o.failures).flat_map(|f| f.edits.clone()).collect();
    Ok(Tested { cases: outcomes, blessed: edit::apply(text, edits) })
}

fn of_case(
    case: &Case<'_>,
    plan: &Plan,
    source: &Source<'_>,
    options: &Options<'_>,
    engines: &mut Engines,
) -> CaseResult {
    let program = program::assemble(case, plan.core, options.loader);
    let mut failures = program.check(plan, case, source);
    let mut cycles = 0;
    for run in &plan.runs {
        match &program.made {
            Ok(made) => {
                let files = Files { from: source.name, read: options.arrays };
                let (more, wrong) = execute::execute(plan, run, (made, &files), engines);
                cycles += more;
                failures.extend(wrong);
            }
            Err(_) if failures.is_empty() => {
                let message = "the program does not assemble, so it cannot run".to_owned();
                failures.push(Failure::new(run.line, message));
            }
            Err(_) => {}
        }
    }
    let (name, line, checks) = (case.text.name.to_owned(), case.text.lines.start + 1, plan.checks);
    CaseResult { file: source.name.to_owned(), name, line, checks, cycles, failures }
}
