//! C0509, C0510, C0511: code that the flow does not reach, and flow that leaves the code.

use super::finding::Finding;
use super::flow::{End, Graph};
use super::program::{Program, Slot};
use cp2_isa::{Bundle, BundleAddress, Undefined};
use std::collections::BTreeSet;

/// Returns the findings of an image.
pub(super) fn findings(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = ends(graph);
    if graph.complete {
        findings.extend(unreachable(graph));
    }
    findings
}

/// Reports the runs of bundles that no entry leads to; `nop`s at the ends of a run are padding.
fn unreachable(graph: &Graph<'_>) -> Vec<Finding> {
    let program = graph.program;
    let mut findings = Vec::new();
    for kernel in &program.image.kernels {
        let inside = |at: &BundleAddress| at.index() < program.core.iram_bundles();
        let addresses: Vec<BundleAddress> =
            kernel.bundles().map(|(at, _)| at).take_while(inside).collect();
        for run in addresses.chunk_by(|&a, &b| graph.is_reached(a) == graph.is_reached(b)) {
            if !graph.is_reached(run[0]) {
                findings.extend(unreachable_run(program, run));
            }
        }
    }
    findings
}

fn unreachable_run(program: &Program<'_>, run: &[BundleAddress]) -> Option<Finding> {
    let is_code = |at: &&BundleAddress| program.get(**at).is_none_or(|d| d.bundle != Bundle::NOP);
    let first = *run.iter().find(is_code)?;
    let last = *run.iter().rfind(is_code)?;
    let text = match last - first {
        0 => "this bundle is never reached".to_owned(),
        more => format!("these {} bundles are never reached", more + 1),
    };
    let finding = Finding::new("C0509", first, text)
        .label("no entry leads here")
        .help("remove them, jump to them, or export their label with `.global`");
    Some(if last > first { finding.related(last, "the last of them") } else { finding })
}

/// Reports the ends of the flow that are no stop.
fn ends(graph: &Graph<'_>) -> Vec<Finding> {
    let program = graph.program;
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    for node in graph.nodes.iter().filter(|node| !node.is_nullified()) {
        for edge in &node.edges {
            let to = &graph.nodes[edge.to];
            if to.end == Some(End::Outside) && !to.is_nullified() && seen.insert(node.address) {
                findings.push(outside(program, node.address, to.address));
            }
        }
        if node.end == Some(End::Undefined)
            && let Slot::Undefined(why) = program.slot(node.address)
            && seen.insert(node.address)
        {
            findings.push(undefined(node.address, why));
        }
    }
    findings
}

fn undefined(address: BundleAddress, why: &Undefined) -> Finding {
    Finding::new("C0511", address, format!("the machine stops here with an error: {why}"))
        .error()
        .label("not a bundle of this machine")
        .help("check what was loaded here, and which extensions are on")
}

fn outside(program: &Program<'_>, from: BundleAddress, to: BundleAddress) -> Finding {
    let name = program.kernel(from).map_or("", |kernel| &kernel.name);
    let text = if to == from.plus(1) {
        format!("the flow runs past the last bundle of kernel `{name}`")
    } else {
        format!("the flow goes on at bundle {to}, where the image has none")
    };
    Finding::new("C0510", from, text)
        .label(format!("bundle {to} comes next, and nothing was loaded there"))
        .help("end with `stopi`, `stop`, `ret` or a jump (and its delay slot)")
}
