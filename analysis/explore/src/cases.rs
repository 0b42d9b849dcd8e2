//! File tests of several cases: the page shows one of them at a time, and the findings of all.

use crate::wish::ExploreWish;
use cp2_asm::cases::{TestComment, TextCase, machine_of};
use cp2_asm::diagnostic::Diagnostic;
use cp2_isa::Core;
use cp2_session::Program;
use serde_json::{Value, json};

/// Returns the case that a page wants to see, by the line of its caret; the first one where that is in none.
pub(crate) fn chosen<'c, 'a>(
    cases: &'c [TextCase<'a>],
    wish: &ExploreWish,
) -> Option<&'c TextCase<'a>> {
    let line = wish.line.saturating_sub(1) as usize;
    cases.iter().find(|case| case.lines.contains(&line)).or_else(|| cases.first())
}

/// Returns what a page is told of the cases of a text: those that it has, each with its lines, and the one that is shown.
pub(crate) fn cases_json(cases: &[TextCase<'_>], shown: Option<&TextCase<'_>>) -> Value {
    let of = |case: &TextCase<'_>| json!({ "name": case.name, "first": case.lines.start + 1, "last": case.lines.end });
    json!({ "all": cases.iter().map(of).collect::<Vec<_>>(), "shown": shown.map(|case| case.name) })
}

/// Returns the core that a case asks for by its comment `machine:`, if it has one.
pub(crate) fn core_of(text: &str, case: &TextCase<'_>) -> Option<Core> {
    let comments = TestComment::all(text);
    let is_own = |c: &&TestComment<'_>| c.keyword == "machine" && case.has_line(c.line);
    let (config, _) = machine_of(comments.iter().rfind(is_own)?.text).ok()?;
    Some(*config.core())
}

/// Returns the findings of assembler and linter about a program.
pub(crate) fn all_findings(program: &Program, core: &Core) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = program.warnings().to_vec();
    let options = cp2_lint::Options { core: *core, undefined: false };
    let found = cp2_lint::lint_for(program.image(), &options);
    let (image, sources) = (program.image(), program.sources());
    all.extend(cp2_lint::diagnostics(&found, image, sources, program.expansions()));
    all
}
