//! Whether lengths of paths fit: a sum that is all ones would be lost as infinity, a larger one would wrap.

use super::lines::infinity;
use super::tables::Graph;
use crate::run::Insertion;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let limit = u128::from(infinity(bits)) - 1;
    let bound = bound(graph, insertions);
    if bound <= limit {
        return Ok(());
    }
    let enough = |sum: u128| 128 - (sum + 2).leading_zeros();
    let distances = distances(graph, &[], source);
    if reached(&distances) != reached(&self::distances(graph, insertions, source)) {
        return Err(format!(
            "paths may be as long as {bound} while arcs are inserted; with {bits} bits the limit is {limit}, and {} bits are enough",
            enough(bound)
        ));
    }
    let (tail, head, sum) = greatest_sum(graph, insertions, &distances);
    if sum <= limit {
        return Ok(());
    }
    Err(format!(
        "the path by the arc from {} to {} is {sum} long; with {bits} bits the limit is {limit}, and {} bits are enough",
        graph.name(tail),
        graph.name(head),
        enough(sum)
    ))
}

/// Returns which vertices have a distance.
fn reached(distances: &[u128]) -> Vec<bool> {
    distances.iter().map(|&distance| distance < u128::MAX).collect()
}

/// Returns a length that no path exceeds which visits no vertex twice, and one arc more.
fn bound(graph: &Graph, insertions: &[Insertion]) -> u128 {
    let mut greatest = vec![0_u64; graph.vertices() + 1];
    let inserted = insertions.iter().map(|arc| (arc.tail, arc.weight));
    for (tail, weight) in graph.arcs().iter().map(|arc| (arc.tail, arc.weight)).chain(inserted) {
        greatest[tail] = greatest[tail].max(weight);
    }
    greatest.into_iter().map(u128::from).sum()
}

/// Returns the arcs of a graph and the insertions, as tail, head and weight.
fn all_arcs(graph: &Graph, insertions: &[Insertion]) -> Vec<(usize, usize, u64)> {
    let inserted = insertions.iter().map(|arc| (arc.tail, arc.head, arc.weight));
    graph.arcs().iter().map(|arc| (arc.tail, arc.head, arc.weight)).chain(inserted).collect()
}

/// Returns the distances from a vertex, by vertex; the greatest number stands for none.
fn distances(graph: &Graph, insertions: &[Insertion], source: usize) -> Vec<u128> {
    let mut arcs = all_arcs(graph, insertions);
    arcs.sort_unstable();
    let mut distances = vec![u128::MAX; graph.vertices() + 1];
    let mut queue = BinaryHeap::from([Reverse((0_u128, source))]);
    while let Some(Reverse((distance, tail))) = queue.pop() {
        if distance >= distances[tail] {
            continue;
        }
        distances[tail] = distance;
        let begin = arcs.partition_point(|arc| arc.0 < tail);
        for &(_, head, weight) in arcs[begin..].iter().take_while(|arc| arc.0 == tail) {
            queue.push(Reverse((distance + u128::from(weight), head)));
        }
    }
    distances
}

/// Returns the arc, and the sum of the distance of its tail with its weight, that is the greatest; zeros if there is none.
fn greatest_sum(
    graph: &Graph,
    insertions: &[Insertion],
    distances: &[u128],
) -> (usize, usize, u128) {
    let sum = |(tail, head, weight): (usize, usize, u64)| {
        let distance = distances[tail];
        (distance < u128::MAX).then(|| (tail, head, distance + u128::from(weight)))
    };
    let sums = all_arcs(graph, insertions).into_iter().filter_map(sum);
    sums.max_by_key(|(.., sum)| *sum).unwrap_or((0, 0, 0))
}
