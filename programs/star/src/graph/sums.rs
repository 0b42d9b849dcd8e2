//! Whether lengths of paths fit: a sum that is all ones would be lost as infinity, a larger one would wrap.

use super::tables::{Graph, GraphArc, arcs_of_weights};
use crate::language::{CheckedProgram, InputSource};
use crate::machine::greatest_number;
use crate::run::{Insertion, RunRequest, StarValue};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Checks the inputs of a program that takes weights and a source as [`check_sums`] does, whether they are those of the graph
/// or were given in their place.
///
/// # Errors
/// The source is no vertex, or a sum does not fit: a sentence with the value and the limit.
pub fn check_lengths(
    program: &CheckedProgram,
    graph: &Graph,
    request: &RunRequest,
) -> Result<(), String> {
    let value = |wanted| {
        let (_, variable, _) = program.inputs().find(|(.., source)| *source == wanted)?;
        request.inputs.get(&variable.name)
    };
    let (Some(StarValue::Table(weights)), Some(StarValue::Int(source))) =
        (value(InputSource::Weights), value(InputSource::Source))
    else {
        return Ok(());
    };
    let vertices = graph.vertices();
    let is_vertex = |source: &usize| (1..=vertices).contains(source);
    let source = usize::try_from(*source).ok().filter(is_vertex).ok_or_else(|| {
        format!("the source is row {source}, and the graph has rows 1 to {vertices}")
    })?;
    let arcs = arcs_of_weights(weights, request.weight_bits);
    Arcs { graph, arcs, insertions: &request.insertions }.check(source, request.weight_bits)
}

/// Checks that no length that a search for shortest paths computes reaches infinity, `bits` ones: neither a distance nor the
/// sum of one with the weight of an arc that leaves there. Insertions only lower distances, so the sums of the graph before
/// them bound all that follow, arcs that are inserted included; where insertions reach new vertices, no path is longer than
/// the greatest weights of arcs that leave each vertex together.
///
/// # Errors
/// A sentence with the sum, the limit, and how many bits are enough.
pub fn check_sums(
    graph: &Graph,
    insertions: &[Insertion],
    source: usize,
    bits: usize,
) -> Result<(), String> {
    Arcs { graph, arcs: graph.arcs().to_vec(), insertions }.check(source, bits)
}

/// Arcs before insertions, and insertions.
struct Arcs<'g> {
    /// Graph that has the names of the vertices.
    graph: &'g Graph,
    arcs: Vec<GraphArc>,
    insertions: &'g [Insertion],
}

impl Arcs<'_> {
    fn check(&self, source: usize, bits: usize) -> Result<(), String> {
        let limit = u128::from(greatest_number(bits)) - 1;
        let bound = self.bound();
        if bound <= limit {
            return Ok(());
        }
        // All ones are infinity, so the greatest number of the bits has to be more than the sum.
        let enough = |sum: u128| 128 - (sum + 1).leading_zeros();
        let mut before = self.arcs.clone();
        before.sort_unstable();
        let distances = self.distances(&before, source);
        if reached(&distances) != reached(&self.distances(&self.all(), source)) {
            return Err(format!(
                "paths may be as long as {bound} while arcs are inserted; with {bits} bits the limit is {limit}, and {} bits are \
                 enough",
                enough(bound)
            ));
        }
        let (tail, head, sum) = self.greatest_sum(&distances);
        if sum <= limit {
            return Ok(());
        }
        Err(format!(
            "the path by the arc from {} to {} is {sum} long; with {bits} bits the limit is {limit}, and {} bits are enough",
            self.graph.name(tail),
            self.graph.name(head),
            enough(sum)
        ))
    }

    /// Returns all arcs and insertions, by tail.
    fn all(&self) -> Vec<GraphArc> {
        let inserted = self.insertions.iter().map(|arc| GraphArc {
            tail: arc.tail,
            head: arc.head,
            weight: arc.weight,
        });
        let mut all: Vec<GraphArc> = self.arcs.iter().copied().chain(inserted).collect();
        all.sort_unstable();
        all
    }

    /// Returns a length that no path exceeds which visits no vertex twice, and one arc more.
    fn bound(&self) -> u128 {
        let mut greatest = vec![0_u64; self.graph.vertices() + 1];
        for arc in self.all() {
            greatest[arc.tail] = greatest[arc.tail].max(arc.weight);
        }
        greatest.into_iter().map(u128::from).sum()
    }

    /// Returns the distances from a vertex by arcs in order, by vertex; the greatest number stands for none.
    fn distances(&self, arcs: &[GraphArc], source: usize) -> Vec<u128> {
        let mut distances = vec![u128::MAX; self.graph.vertices() + 1];
        let mut queue = BinaryHeap::from([Reverse((0_u128, source))]);
        while let Some(Reverse((distance, tail))) = queue.pop() {
            if distance >= distances[tail] {
                continue;
            }
            distances[tail] = distance;
            let begin = arcs.partition_point(|arc| arc.tail < tail);
            for arc in arcs[begin..].iter().take_while(|arc| arc.tail == tail) {
                queue.push(Reverse((distance + u128::from(arc.weight), arc.head)));
            }
        }
        distances
    }

    /// Returns the arc, and the sum of the distance of its tail with its weight, that is the greatest; zeros if there is none.
    fn greatest_sum(&self, distances: &[u128]) -> (usize, usize, u128) {
        let sum = |arc: GraphArc| {
            let distance = distances[arc.tail];
            (distance < u128::MAX).then(|| (arc.tail, arc.head, distance + u128::from(arc.weight)))
        };
        let sums = self.all().into_iter().filter_map(sum);
        sums.max_by_key(|(.., sum)| *sum).unwrap_or((0, 0, 0))
    }
}

/// Returns which vertices have a distance.
fn reached(distances: &[u128]) -> Vec<bool> {
    distances.iter().map(|&distance| distance < u128::MAX).collect()
}
