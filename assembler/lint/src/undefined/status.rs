//! Reads of STATUS behind a `mtc`: C0521, C0522. From each `mtc` every path is followed until another
//! `mtc` to fcsr, or a `move` to STATUS, has replaced what the library loses.

use super::FindingSet;
use crate::finding::Finding;
use crate::flow::{Graph, NodeId};
use crate::program::{Control, Decoded};
use cp2_isa::{Arith, BundleAddress, Creg, Effects, Latencies, control};
use std::collections::BTreeSet;

/// The knowledge of a path at a bundle. Cycles are counted up to the landing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    node: NodeId,
    cycles: u32,
    /// The first operation that has raised flags while the `mtc` was under way.
    raised: Option<BundleAddress>,
    /// Cycles since a `mtc` to fcsr further on.
    replaced: Option<u32>,
}

struct Walk<'a> {
    graph: &'a Graph<'a>,
    latencies: &'a Latencies,
    at: BundleAddress,
    /// The `mtc` writes fcsr, else fccr.
    to_fcsr: bool,
}

/// Adds the findings of an image.
pub(super) fn add(graph: &Graph<'_>, latencies: &Latencies, found: &mut FindingSet) {
    if !graph.program.bundles().any(|(_, decoded)| reads_status(decoded)) {
        return;
    }
    for (at, decoded) in graph.program.bundles() {
        if let Some(to_fcsr) = mtc(decoded) {
            Walk { graph, latencies, at, to_fcsr }.follow(found);
        }
    }
}

/// Whether a bundle has a `mtc`, and whether that writes fcsr.
fn mtc(decoded: &Decoded) -> Option<bool> {
    let arith = &decoded.bundle.arith;
    (arith.op == Arith::Mtc).then(|| arith.creg() == Some(Creg::Fcsr))
}

fn reads_status(decoded: &Decoded) -> bool {
    decoded.bundle.exch.control_read() == Some(control::STATUS)
}

fn writes_status(decoded: &Decoded) -> bool {
    decoded.bundle.exch.control_written() == Some(control::STATUS)
}

impl Walk<'_> {
    fn follow(&self, found: &mut FindingSet) {
        let start = |&node: &NodeId| State { node, cycles: 0, raised: None, replaced: None };
        let nodes = self.graph.at(self.at).iter();
        let executed = nodes.filter(|&&id| !self.graph.nodes[id].is_nullified());
        let mut queue: Vec<State> = executed.map(start).collect();
        let mut seen: BTreeSet<State> = BTreeSet::new();
        while let Some(state) = queue.pop() {
            let Some(after) = self.after(&state) else { continue };
            for edge in &self.graph.nodes[state.node].edges {
                let next = State { node: edge.to, ..after };
                if seen.insert(next) {
                    self.report(&next, found);
                    queue.push(next);
                }
            }
        }
    }

    fn decoded(&self, state: &State) -> Option<&Decoded> {
        let node = &self.graph.nodes[state.node];
        self.graph.program.get(node.address).filter(|_| !node.is_nullified())
    }

    /// Returns the state of the next bundle, unless nothing is left to be told there.
    fn after(&self, state: &State) -> Option<State> {
        let lands = self.latencies.condition;
        let decoded = self.decoded(state);
        let mut next = *state;
        if let Some(decoded) = decoded.filter(|_| state.cycles > 0) {
            if writes_status(decoded) && state.cycles + 1 >= lands {
                return None;
            }
            let raises = decoded.bundle.arith.op.row().effects.contains(Effects::FLAGS);
            if raises && state.cycles < lands {
                next.raised = next.raised.or(Some(self.graph.nodes[state.node].address));
            }
            if mtc(decoded) == Some(true) && state.replaced.is_none() {
                next.replaced = Some(0);
            }
        }
        let waits = decoded.is_some_and(|decoded| decoded.control == Control::Sync);
        let cycles = if waits { self.latencies.sync } else { 1 };
        next.cycles = (state.cycles + cycles).min(lands);
        next.replaced = next.replaced.map(|since| since + cycles);
        let is_told = self.to_fcsr && next.cycles == lands && next.raised.is_none();
        let is_replaced = next.replaced.is_some_and(|since| since >= lands);
        (!is_told && !is_replaced).then_some(next)
    }

    /// Reports a read of STATUS after the landing.
    fn report(&self, state: &State, found: &mut FindingSet) {
        let reads = self.decoded(state).is_some_and(reads_status);
        if !reads || state.cycles < self.latencies.condition {
            return;
        }
        let at = self.graph.nodes[state.node].address;
        if !self.to_fcsr {
            let text = "status is read behind a `mtc` to fccr";
            return found.add(
                Finding::new("C0521", at, text)
                    .label(
                        "FPE may have been cleared by that in the model library; here it is kept",
                    )
                    .related(self.at, "the `mtc` to fccr")
                    .help("read status before the `mtc`, or read the flags with `mfc` of fcsr"),
            );
        }
        let Some(raised) = state.raised else { return };
        let text = "status is read behind a `mtc` to fcsr that was overtaken by flags";
        found.add(
            Finding::new("C0522", at, text)
                .label(
                    "flags raised meanwhile may be lost in the model library; here they are kept",
                )
                .related(self.at, "the `mtc` to fcsr")
                .related(raised, "may raise flags before the `mtc` has landed")
                .help("let the `mtc` land, at distance 7, before the next operation with flags"),
        );
    }
}
