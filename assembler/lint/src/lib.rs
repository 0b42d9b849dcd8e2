//! The linter: finds mistakes in an image that come from the exposed pipeline of CP2, which has no interlocks. Decoded
//! bundles (`program`, `uses`) give a graph of the flow (`flow`) with loop counts and addresses where they can be told
//! (`trace`, `values`); each rule has a file. Nothing here changes a program.

mod banks;
mod bundles;
mod control;
mod dead;
mod distances;
mod finding;
mod flow;
mod fprs;
mod hazards;
mod loops;
mod number;
mod odd;
mod program;
mod promised;
mod reach;
pub mod sarif;
mod trace;
mod undefined;
mod values;
mod walk;

pub use finding::{Distances, Finding, diagnostics, place_name, to_json};

use cp2_ir::image::Image;
use cp2_isa::Core;

/// The options of the linter: the machine, and which rules it checks.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Core that the program is meant to run on.
    pub core: Core,
    /// True to also report programs whose meaning rests on rules that the sources on CP2 leave open (codes C0520 and
    /// up).
    pub undefined: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { core: Core::CP2, undefined: false }
    }
}

/// Searches an image, for a CP2 without extensions, for mistakes that the exposed pipeline makes possible, such as a
/// result that is read too early. Returns the findings that the source does not allow at their bundle, in the order of
/// address and code.
pub fn lint(image: &Image) -> Vec<Finding> {
    lint_for(image, &Options::default())
}

/// Searches an image for mistakes as [`lint`] does, but for the core and with the rules in `options`. Returns the
/// findings that the source does not allow at their bundle, in the order of address and code.
pub fn lint_for(image: &Image, options: &Options) -> Vec<Finding> {
    let program = program::Program::new(image, &options.core);
    let trace = trace::trace(&program, options.undefined);
    let graph = flow::Graph::new(&program, &trace.counts);
    let pairs = walk::pairs(&graph, options.core.latencies());
    let mut findings = hazards::findings(&program, &pairs);
    findings.extend(dead::findings(&graph, options.core.latencies(), &pairs));
    findings.extend(loops::findings(&graph));
    findings.extend(control::findings(&program));
    findings.extend(banks::findings(&graph, &trace));
    findings.extend(odd::findings(&graph, &trace));
    findings.extend(trace.broken.values().cloned());
    findings.extend(reach::findings(&graph));
    findings.extend(bundles::findings(&program));
    if options.undefined {
        findings.extend(undefined::findings(&graph, &trace, options.core.latencies()));
    }
    findings.retain(|finding| !is_allowed(image, finding));
    findings.sort_by_key(|finding| (finding.address, finding.code));
    findings
}

/// Whether the source marks the finding's bundle with its code.
fn is_allowed(image: &Image, finding: &Finding) -> bool {
    let codes = image.hints.allowed.get(&finding.address);
    codes.is_some_and(|codes| codes.iter().any(|code| code == finding.code))
}
