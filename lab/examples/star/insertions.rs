//! Insertions of arcs into graphs with shortest paths: how many vertices each of them affects.

use crate::measure::{BITS, graph, on_machine, passes, ran};
use crate::rows::print;
use cp2_kernels::star::PathOrder;
use cp2_session::random::split_mix_64;
use cp2_star::graph::Graph;
use cp2_star::machine::{HostBackend, LibraryForm, StarMachine};
use cp2_star::run::Insertion;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Greatest random weight.
const WEIGHT: u64 = 255;

/// Shortest paths from vertex 1, kept while arcs are inserted.
struct Paths {
    /// Arcs by tail: head and weight.
    arcs: Vec<Vec<(usize, u64)>>,
    distances: Vec<u64>,
}

/// Effect of an insertion.
#[derive(Clone, Copy, Default)]
struct Effect {
    /// Vertices whose distance changed.
    affected: usize,
    /// Arcs that leave them.
    arcs: usize,
}

impl Paths {
    fn new(graph: &Graph) -> Self {
        let mut arcs = vec![Vec::new(); graph.vertices() + 1];
        graph.arcs().iter().for_each(|arc| arcs[arc.tail].push((arc.head, arc.weight)));
        let mut paths = Self { distances: vec![u64::MAX; arcs.len()], arcs };
        paths.lower(1, 0);
        paths
    }

    /// Lowers the distance of a vertex, and of all that this brings nearer, the nearest first.
    fn lower(&mut self, vertex: usize, distance: u64) -> Effect {
        let mut effect = Effect::default();
        let mut open = BinaryHeap::from([Reverse((distance, vertex))]);
        while let Some(Reverse((distance, vertex))) = open.pop() {
            if distance >= self.distances[vertex] {
                continue;
            }
            self.distances[vertex] = distance;
            effect.affected += 1;
            effect.arcs += self.arcs[vertex].len();
            for &(head, weight) in &self.arcs[vertex] {
                if distance + weight < self.distances[head] {
                    open.push(Reverse((distance + weight, head)));
                }
            }
        }
        effect
    }

    fn insert(&mut self, Insertion { tail, head, weight }: Insertion) -> Effect {
        match self.arcs[tail].iter_mut().find(|(known, _)| *known == head) {
            Some((_, known)) => *known = weight.min(*known),
            None => self.arcs[tail].push((head, weight)),
        }
        match self.distances[tail].checked_add(weight) {
            Some(distance) => self.lower(head, distance),
            None => Effect::default(),
        }
    }
}

/// Returns the distances from vertex 1, by vertices.
pub(crate) fn distances(graph: &Graph) -> Vec<u64> {
    Paths::new(graph).distances.split_off(1)
}

/// Returns n/10 random arcs with weight 0, or with random weights.
fn stream(vertices: usize, has_weights: bool) -> Vec<Insertion> {
    let mut state = 2;
    let mut vertex = || 1 + (split_mix_64(&mut state) >> 32) as usize % vertices;
    let mut arcs = Vec::new();
    while arcs.len() < vertices / 10 {
        let (tail, head, drawn) = (vertex(), vertex(), vertex());
        if tail != head {
            let weight = if has_weights { 1 + drawn as u64 % WEIGHT } else { 0 };
            arcs.push(Insertion { tail, head, weight });
        }
    }
    arcs
}

/// Prints shares of insertions by the vertices that they affect, and the passes of the programs.
pub(crate) fn measure() -> Result<(), String> {
    for levels in [11, 12, 13] {
        let graph = graph(levels);
        for has_weights in [false, true] {
            let kind = if has_weights { "random" } else { "zero" };
            let print =
                |key, value: usize| print("insertions", kind, (1 << levels, 32), key, value);
            let mut paths = Paths::new(&graph);
            let stream = stream(graph.vertices(), has_weights);
            let effects: Vec<Effect> = stream.iter().map(|&arc| paths.insert(arc)).collect();
            let with = |least: usize, most: usize| {
                effects.iter().filter(|effect| (least..=most).contains(&effect.affected)).count()
            };
            let affected: usize = effects.iter().map(|effect| effect.affected).sum();
            print("insertions", stream.len());
            print("none", with(0, 0));
            print("at_most_2", with(0, 2));
            print("at_most_5", with(0, 5));
            print("affected", affected);
            print("most_affected", effects.iter().map(|effect| effect.affected).max().unwrap_or(0));
            print("most_arcs", effects.iter().map(|effect| effect.arcs).max().unwrap_or(0));
            for name in ["paths-insert", "paths-insert-nearest"] {
                let n = graph.vertices();
                let mut host = StarMachine::new(HostBackend, n, LibraryForm::Cheap);
                let outcome = ran(&mut host, name, &graph, stream.clone())?;
                let passes = passes(&outcome) as usize;
                if name == "paths-insert-nearest" && passes != affected {
                    return Err(format!(
                        "{name}: {passes} passes for {affected} affected vertices"
                    ));
                }
                print(
                    if name == "paths-insert" { "passes_first" } else { "passes_nearest" },
                    passes,
                );
            }
        }
    }
    Ok(())
}

/// Prints cycles of insertions on VM9, of which the distances are those of plain code.
pub(crate) fn machine() -> Result<(), String> {
    for levels in [11, 12, 13] {
        let graph = graph(levels);
        for has_weights in [false, true] {
            let kind = if has_weights { "random" } else { "zero" };
            let print = |key: &str, value: u64| {
                print("machine_insertions", kind, (1 << levels, BITS as u64), key, value);
            };
            let mut paths = Paths::new(&graph);
            let stream = stream(graph.vertices(), has_weights);
            for &arc in &stream {
                paths.insert(arc);
            }
            let infinity = u64::MAX >> (64 - BITS);
            let expected: Vec<u64> =
                paths.distances[1..].iter().map(|&distance| distance.min(infinity)).collect();
            for (name, order) in [("first", PathOrder::First), ("nearest", PathOrder::Nearest)] {
                let report = on_machine(&graph, BITS, (&stream, order))?;
                if report.distances != expected {
                    return Err(format!("{levels} levels, {kind}, {name}: wrong distances"));
                }
                let cycles = &report.insertion_cycles;
                let key = |what: &str| format!("{what}_{name}");
                print(&key("passes"), report.insertion_passes as u64);
                print(&key("mean"), cycles.iter().sum::<u64>() / cycles.len() as u64);
                print(&key("most"), cycles.iter().max().copied().unwrap_or(0));
            }
        }
    }
    Ok(())
}
