//! C0506, and the part of C0505 that is about bounds: what the assembler refuses, for images that did
//! not come through it. The rules themselves are in `structure`.

use super::finding::Finding;
use super::program::Program;
use cp2_ir::structure::{Violation, violations};

/// Codes of `structure` that are about the bounds of loops.
const BOUNDS: [&str; 2] = ["C0453", "C0454"];

/// Returns the findings of an image, but for those that were allowed to the assembler already.
pub(super) fn findings(program: &Program<'_>) -> Vec<Finding> {
    let Program { image, core, .. } = program;
    let is_allowed = |violation: &Violation| {
        let codes = image.hints.allowed.get(&violation.address);
        codes.is_some_and(|codes| codes.iter().any(|code| code == violation.code))
    };
    let found = violations(image, core).into_iter();
    found.filter(|violation| !is_allowed(violation)).map(finding).collect()
}

fn finding(violation: Violation) -> Finding {
    let code = if BOUNDS.contains(&violation.code) { "C0505" } else { "C0506" };
    let label = match code {
        "C0505" => "this loop",
        _ => "the machine stops here with an error",
    };
    let mut finding = Finding::new(code, violation.address, violation.message)
        .error()
        .label(label)
        .help(violation.help);
    finding.related = violation.related;
    finding
}
