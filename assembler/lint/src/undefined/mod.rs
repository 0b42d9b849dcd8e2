//! C0520 and up: places whose meaning rests on a rule that the model library and the dissertation
//! leave open, or on which the library is evidently wrong. `specs/src/differences.md` is the list and
//! says what this project takes instead. What depends on values that are not known is told with
//! "may".

mod neighbours;
mod refused;
mod single;
mod stacks;
mod status;

use super::finding::Finding;
use super::flow::Graph;
use super::trace::Trace;
use cp2_isa::{BundleAddress, Latencies};
use std::collections::BTreeMap;

/// Findings by place and code, so that the ways to reach a place do not repeat one.
struct FindingSet(BTreeMap<(BundleAddress, &'static str), Finding>);

impl FindingSet {
    fn add(&mut self, finding: Finding) {
        self.0.entry((finding.address, finding.code)).or_insert(finding);
    }
}

/// Returns the findings of an image.
pub(super) fn findings(graph: &Graph<'_>, trace: &Trace, latencies: &Latencies) -> Vec<Finding> {
    let mut found = FindingSet(BTreeMap::new());
    single::add(graph, trace, &mut found);
    neighbours::add(graph, trace, &mut found);
    status::add(graph, latencies, &mut found);
    stacks::add(graph, &mut found);
    refused::add(graph, &mut found);
    found.0.into_values().collect()
}
