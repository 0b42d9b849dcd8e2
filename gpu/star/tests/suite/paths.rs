//! Paths and reachability as whole programs against petgraph, lists of arcs and the programs that come with the machine.

use super::{Random, device};
use cp2_gpu_star::paths::{DevicePaths, DeviceReach};
use cp2_gpu_star::sequential::{ListPaths, PetGraph};
use cp2_star::graph::{Graph, GraphArc};
use cp2_star::run::Insertion;

/// Checks that the parents are a tree of shortest paths from vertex 1.
fn check_tree(graph: &Graph, distances: &[Option<u64>], parents: &[usize]) {
    for (at, &parent) in parents.iter().enumerate() {
        assert_eq!(parent > 0, at > 0 && distances[at].is_some(), "vertex {}", at + 1);
        if parent > 0 {
            let is_arc = |arc: &&GraphArc| arc.tail == parent && arc.head == at + 1;
            let arc = graph.arcs().iter().find(is_arc).unwrap();
            assert_eq!(distances[at], distances[parent - 1].map(|d| d + arc.weight));
        }
    }
}

fn with_arcs(graph: &Graph, stream: &[Insertion]) -> Graph {
    let new = |arc: &Insertion| GraphArc { tail: arc.tail, head: arc.head, weight: arc.weight };
    Graph::new(graph.vertices(), graph.arcs().iter().copied().chain(stream.iter().map(new)))
}

#[test]
fn paths_are_those_of_petgraph() {
    let mut random = Random(9);
    for (n, arcs, bits, most) in [
        (1, 0, 4, 1),
        (8, 20, 8, 9),
        (64, 200, 16, 250),
        (65, 130, 32, 9),
        (300, 900, 32, 255),
        (2100, 6000, 64, 1 << 40),
    ] {
        let graph = random.graph(n, arcs, most);
        let mut paths = DevicePaths::new(&device(), &graph, bits).unwrap();
        paths.run(1).unwrap();
        let (distances, parents) = paths.results().unwrap();
        assert_eq!(distances, PetGraph::of(&graph).distances(1), "n = {n}");
        assert_eq!(distances, ListPaths::new(&graph, 1).distances(), "n = {n}");
        check_tree(&graph, &distances, &parents);
        let reached = distances.iter().flatten().count();
        assert_eq!(paths.work().unwrap().passes, reached);
    }
}

#[test]
fn inserted_arcs_keep_paths_shortest() {
    let mut random = Random(10);
    for (n, arcs, bits, most) in [(8, 10, 8, 9), (65, 90, 16, 200), (200, 320, 32, 99)] {
        for is_nearest_first in [true, false] {
            let graph = random.graph(n, arcs, most);
            let stream: Vec<Insertion> = (0..n)
                .map(|_| Insertion {
                    tail: random.below(n) + 1,
                    head: random.below(n) + 1,
                    weight: random.next() % (most + 1),
                })
                .filter(|arc| arc.tail != arc.head)
                .collect();
            let mut paths = DevicePaths::new(&device(), &graph, bits).unwrap();
            paths.run(1).unwrap();
            let there = paths.arcs(&stream).unwrap();
            paths.insert(&there, is_nearest_first).unwrap();
            let (distances, parents) = paths.results().unwrap();
            let after = with_arcs(&graph, &stream);
            assert_eq!(distances, PetGraph::of(&after).distances(1), "n = {n}");
            let mut lists = ListPaths::new(&graph, 1);
            let before = lists.work()[0];
            stream.iter().for_each(|arc| lists.insert(arc));
            assert_eq!(distances, lists.distances());
            check_tree(&after, &distances, &parents);
            let work = paths.work().unwrap();
            assert!(work.changed > 0 && work.most > 0, "{work:?}");
            // With the nearest first each affected vertex is taken once, as by the heap.
            if is_nearest_first {
                assert_eq!(work.passes as u64, lists.work()[0] - before);
            }
        }
    }
}

fn graph(vertices: usize, arcs: &[(usize, usize, u64)]) -> Graph {
    let arc = |&(tail, head, weight): &(usize, usize, u64)| GraphArc { tail, head, weight };
    Graph::new(vertices, arcs.iter().map(arc))
}

#[test]
fn the_first_vertex_may_be_taken_twice_and_the_nearest_is_not() {
    let arcs = graph(5, &[(1, 5, 8), (5, 2, 1), (2, 3, 4), (2, 4, 1), (4, 3, 1)]);
    for (is_nearest_first, passes) in [(false, 4), (true, 3)] {
        let mut paths = DevicePaths::new(&device(), &arcs, 5).unwrap();
        paths.run(1).unwrap();
        let before = paths.results().unwrap().0;
        assert_eq!(before, [0, 9, 11, 10, 8].map(Some));
        let stream = paths.arcs(&[Insertion { tail: 1, head: 2, weight: 0 }]).unwrap();
        paths.insert(&stream, is_nearest_first).unwrap();
        assert_eq!(paths.results().unwrap().0, [0, 0, 2, 1, 8].map(Some));
        assert_eq!(paths.work().unwrap().passes, passes);
    }
}

/// A sum with infinity would wrap and destroy distances.
#[test]
fn an_arc_from_an_unreached_vertex_changes_no_distance() {
    let arcs = graph(4, &[(1, 2, 1), (2, 3, 1)]);
    let mut paths = DevicePaths::new(&device(), &arcs, 4).unwrap();
    paths.run(1).unwrap();
    let stream = paths.arcs(&[Insertion { tail: 4, head: 2, weight: 1 }]).unwrap();
    paths.insert(&stream, true).unwrap();
    assert_eq!(paths.results().unwrap().0, [Some(0), Some(1), Some(2), None]);
    assert_eq!(paths.work().unwrap().changed, 0);
}

#[test]
fn reached_vertices_are_those_of_petgraph() {
    let mut random = Random(11);
    for (n, arcs) in [(1, 0), (8, 9), (64, 80), (65, 70), (500, 600), (2100, 2500)] {
        let graph = random.graph(n, arcs, 1);
        let mut reach = DeviceReach::new(&device(), &graph).unwrap();
        reach.run(1).unwrap();
        let (reached, parents, passes) = reach.results().unwrap();
        let expected = PetGraph::of(&graph).distances(1);
        assert!(reached.bits().eq(expected.iter().map(Option::is_some)), "n = {n}");
        assert_eq!(passes + 1, PetGraph::of(&graph).reached(1));
        for (at, &parent) in parents.iter().enumerate() {
            assert_eq!(parent > 0, at > 0 && expected[at].is_some());
            assert!(parent == 0 || graph.by_heads().get(at + 1, parent));
        }
    }
}
