//! Loops that begin where the library's bookkeeping is late, and bundles that a loop of no
//! iterations nullifies: C0525, C0526.

use super::FindingSet;
use crate::finding::Finding;
use crate::flow::{EdgeEffect, Graph, Node, NodeId};
use crate::program::Control;
use cp2_isa::{BundleAddress, Exch};

/// Bundles after which the library has noticed that its loop stack is full.
const NOTICED: u32 = 3;

/// Adds the findings of an image.
pub(super) fn add(graph: &Graph<'_>, found: &mut FindingSet) {
    for (id, node) in graph.nodes.iter().enumerate() {
        if node.is_nullified() {
            nullified(graph, node).into_iter().for_each(|one| found.add(one));
        } else if is_full_at(graph, node) {
            one_too_many(graph, id).into_iter().for_each(|one| found.add(one));
        }
    }
}

fn is_full_at(graph: &Graph<'_>, node: &Node) -> bool {
    let begins = graph.program.get(node.address).map(|decoded| decoded.control);
    matches!(begins, Some(Control::Do { .. }))
        && node.loops.len() == graph.program.core.loop_depth()
}

/// Reports a loop for which the stack has no room, less than three bundles after the one that filled it.
fn one_too_many(graph: &Graph<'_>, id: NodeId) -> Option<Finding> {
    let node = &graph.nodes[id];
    let &last = node.loops.last()?;
    let distance = distance(graph, last, id)?;
    let depth = graph.program.core.loop_depth();
    let text =
        format!("{} loops in each other, the last {distance} after the one before", depth + 1);
    let finding = Finding::new("C0525", node.address, text)
        .label("the model library writes behind its stack; here LOE is set and a loop replaced")
        .related(last, format!("loop {depth} of them begins here"))
        .help("unroll a loop, or make one of two");
    Some(finding)
}

/// Returns the number of bundles from a `do` to a node, if the library is late there.
fn distance(graph: &Graph<'_>, from: BundleAddress, to: NodeId) -> Option<u32> {
    let mut front: Vec<NodeId> = graph.at(from).to_vec();
    for distance in 1..NOTICED {
        let edges = front.iter().flat_map(|&id| &graph.nodes[id].edges);
        front = edges.filter(|edge| edge.step != EdgeEffect::Skip).map(|edge| edge.to).collect();
        if front.contains(&to) {
            return Some(distance);
        }
    }
    None
}

/// Reports a bundle that does not execute, with an operation that acts at issue in the library.
fn nullified(graph: &Graph<'_>, node: &Node) -> Option<Finding> {
    let program = graph.program;
    let decoded = program.get(node.address)?;
    let name = decoded.bundle.exch.op.row().name;
    let acts = match decoded.control {
        Control::Sync | Control::Stop | Control::Run | Control::Enddo => true,
        Control::Do { .. } => graph.counts.of(program, node.address).min == 0,
        _ => decoded.bundle.exch.op == Exch::StartDma,
    };
    let before = (node.address > BundleAddress::default()).then(|| node.address.before())?;
    let may = match graph.counts.of(program, before).max {
        Some(0) => "is",
        _ => "may be",
    };
    acts.then(|| {
        Finding::new("C0526", node.address, format!("`{name}` {may} nullified by a count of 0"))
            .label("the model library lets it act all the same, and nullifies the next bundle too")
            .related(before, "with a count of 0 the bundle after this one is nullified")
            .help("put one bundle between the two")
    })
}
