//! The measurements of the STAR machine in `lab/data/star.csv`, from which a page of the book is made, against the counts of kernels in
//! `programs/golden/cycles.json`, which are those of today.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
use cp2_emu::MachineConfig;
use cp2_kernels::star::PathOrder;
use cp2_procedures::star::paths::{PathsProblem, WeightedArc, find_paths};
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;
use cp2_star::graph::RmatGenerator;
use std::collections::BTreeMap;

#[test]
fn measured_kernels_have_the_counts_of_today() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../programs/golden/cycles.json")).unwrap();
    let rows = golden["kernels"].as_array().unwrap();
    let counts: BTreeMap<&str, u64> = rows
        .iter()
        .map(|row| (row["kernel"].as_str().unwrap(), row["cycles"].as_u64().unwrap()))
        .collect();
    let mut compared = 0;
    for line in include_str!("../data/star.csv").lines().filter(|line| !line.starts_with('#')) {
        let [part, name, n, h, _, value] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let Some(count) = counts.get(name) else { continue };
        if part == "kernel" && n == "1024" && matches!(h, "32" | "0") {
            assert_eq!(value.parse(), Ok(*count), "{name}: measure anew");
            compared += 1;
        }
    }
    let of_star = counts.keys().filter(|name| name.starts_with("star_"));
    assert_eq!(compared, of_star.filter(|name| !name.starts_with("star_closure")).count());
}

/// Listener that tells nothing.
struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: usize, _: usize) {}
}

/// Returns the cycles of shortest paths on VM9 in the graph of a level.
fn cycles(levels: u32, bits: usize) -> u64 {
    let generator = RmatGenerator { levels, degree: 32, greatest_weight: 255, seed: 1 };
    let (graph, _) = generator.generate();
    let arcs = graph.arcs().iter();
    let problem = PathsProblem {
        vertices: graph.vertices(),
        bits,
        arcs: arcs.map(|a| WeightedArc { tail: a.tail, head: a.head, weight: a.weight }).collect(),
        source: 1,
        insertions: Vec::new(),
        order: PathOrder::Nearest,
    };
    let config = MachineConfig::preset("vm9").unwrap();
    find_paths(config, &problem, &Execution::default(), &mut Silent).unwrap().cost.cycles()
}

/// The smaller graphs, of which the weights of one stay in local memory.
#[test]
fn measured_paths_take_the_cycles_of_today() {
    for (levels, bits) in [(7, 16), (9, 32), (11, 32)] {
        let row = format!("machine,paths,{},{bits},cycles,{}", 1 << levels, cycles(levels, bits));
        let is_measured = include_str!("../data/star.csv").lines().any(|line| line == row);
        assert!(is_measured, "{row}: measure anew");
    }
}
