//! Programs that come with the crate: the worked examples to the digit, petgraph and plain references on random graphs.

use crate::kit::{bits, graph, insertions, int, numbers, parents, run_shipped, shipped, table};
use cp2_star::SHIPPED;
use cp2_star::graph::Graph;
use cp2_star::machine::{BitTable, BitVector, ElementaryOperation, LibraryForm};
use cp2_star::run::RunOutcome;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;

const FORMS: [LibraryForm; 2] = [LibraryForm::Plain, LibraryForm::Cheap];
const CLOSURES: [&str; 3] = ["warshall", "warshall-columns", "warshall-at-once"];
const INSERTING: [&str; 2] = ["paths-insert", "paths-insert-nearest"];

#[test]
fn all_programs_pass_the_checks_and_are_written_in_the_one_way() {
    for program in SHIPPED {
        shipped(program.name);
        let sources = crate::kit::sources(program.text);
        let tree = cp2_star::language::parse(&sources, 0).unwrap();
        assert_eq!(cp2_star::language::format(&tree), program.text, "{}", program.name);
    }
}

fn rows(table: &BitTable) -> Vec<String> {
    (1..=table.rows()).map(|row| table.row(row).to_string()).collect()
}

#[test]
fn closures_are_those_of_the_worked_example() {
    let arcs = ["001000", "101000", "010001", "011000", "001000", "000110"];
    let arcs: Vec<(usize, usize, u64)> = (0..36)
        .filter(|at| arcs[at / 6].as_bytes()[at % 6] == b'1')
        .map(|at| (at / 6 + 1, at % 6 + 1, 1))
        .collect();
    for name in CLOSURES {
        let outcome = run_shipped(name, &graph(6, &arcs), 1, Vec::new(), LibraryForm::Plain);
        assert_eq!(rows(table(&outcome, "P")), ["111111"; 6], "{name}");
    }
}

/// Graph of the worked example of shortest paths.
const PATHS: [(usize, usize, u64); 11] = [
    (1, 2, 2),
    (1, 3, 1),
    (2, 4, 3),
    (3, 4, 6),
    (4, 5, 2),
    (4, 6, 4),
    (6, 5, 1),
    (6, 8, 1),
    (3, 7, 5),
    (7, 6, 4),
    (5, 8, 6),
];

#[test]
fn shortest_paths_are_those_of_the_worked_example() {
    for form in FORMS {
        let outcome = run_shipped("paths", &graph(8, &PATHS), 4, Vec::new(), form);
        assert_eq!(numbers(table(&outcome, "Dist")), [0, 2, 1, 5, 7, 9, 6, 10]);
        assert_eq!(parents(table(&outcome, "SPT")), [0, 1, 1, 2, 4, 4, 3, 6]);
        assert_eq!(int(&outcome, "passes"), 8);
        for name in INSERTING {
            let stream = insertions(&[(3, 6, 2)]);
            let outcome = run_shipped(name, &graph(8, &PATHS), 4, stream, form);
            assert_eq!(numbers(table(&outcome, "Dist")), [0, 2, 1, 5, 4, 3, 6, 4]);
            assert_eq!(parents(table(&outcome, "SPT")), [0, 1, 1, 2, 6, 3, 3, 6]);
            assert_eq!(int(&outcome, "passes"), 3);
        }
    }
}

#[test]
fn the_first_vertex_may_be_taken_twice_and_the_nearest_is_not() {
    let arcs = graph(5, &[(1, 5, 8), (5, 2, 1), (2, 3, 4), (2, 4, 1), (4, 3, 1)]);
    let before = run_shipped("paths", &arcs, 5, Vec::new(), LibraryForm::Plain);
    assert_eq!(numbers(table(&before, "Dist")), [0, 9, 11, 10, 8]);
    for (name, passes) in INSERTING.into_iter().zip([4, 3]) {
        let outcome = run_shipped(name, &arcs, 5, insertions(&[(1, 2, 0)]), LibraryForm::Plain);
        assert_eq!(numbers(table(&outcome, "Dist")), [0, 0, 2, 1, 8]);
        assert_eq!(int(&outcome, "passes"), passes, "{name}");
    }
}

/// An arc from a vertex that is not reached: a sum with infinity would wrap and destroy distances.
#[test]
fn an_arc_from_an_unreached_vertex_changes_no_distance() {
    let arcs = graph(4, &[(1, 2, 1), (2, 3, 1)]);
    for name in INSERTING {
        let outcome = run_shipped(name, &arcs, 4, insertions(&[(4, 2, 1)]), LibraryForm::Plain);
        assert_eq!(numbers(table(&outcome, "Dist")), [0, 1, 2, 15], "{name}");
    }
}

/// Of arcs between the same vertices the least weight stays, as when a graph is read: 1-2 with 9 changes nothing, and the next
/// insertion finds 1-2 as it was.
#[test]
fn an_arc_that_is_there_does_not_get_longer() {
    let arcs = graph(4, &[(1, 2, 3), (2, 3, 4)]);
    for name in INSERTING {
        let stream = insertions(&[(1, 2, 9), (3, 1, 1), (2, 4, 1), (1, 2, 3)]);
        let outcome = run_shipped(name, &arcs, 6, stream, LibraryForm::Plain);
        assert_eq!(numbers(table(&outcome, "Dist")), [0, 3, 7, 4], "{name}");
        assert_eq!(table(&outcome, "Weight").numbers(1, 6)[1], Some(3), "{name}");
    }
}

/// Arcs of the worked example of reachability.
const REACH: [(usize, usize, u64); 8] =
    [(1, 2, 1), (2, 3, 1), (5, 6, 1), (5, 4, 1), (6, 3, 1), (6, 7, 1), (7, 5, 1), (8, 1, 1)];

#[test]
fn reachability_is_that_of_the_worked_example() {
    let outcome = run_shipped("reachability", &graph(8, &REACH), 1, Vec::new(), LibraryForm::Plain);
    assert_eq!(bits(&outcome, "RV").to_string(), "11100000");
    assert_eq!(int(&outcome, "passes"), 2);
    let stream = insertions(&[(1, 5, 1)]);
    let outcome =
        run_shipped("reachability-insert", &graph(8, &REACH), 1, stream, LibraryForm::Plain);
    assert_eq!(bits(&outcome, "RV").to_string(), "11111110");
    assert_eq!(int(&outcome, "passes"), 4);
    assert_eq!(parents(table(&outcome, "ST")), [0, 1, 2, 5, 1, 5, 6, 0]);
    let columns = table(&outcome, "Desc").columns().iter().map(ToString::to_string);
    let expected = [
        "11111110", "01100000", "00100000", "00010000", "00011110", "00000110", "00000010",
        "00000001",
    ];
    assert_eq!(columns.collect::<Vec<_>>(), expected);
}

/// Support of 3 after the insertion of 1-5 is 2 and 6, and that of 5 is 1 alone, for 7 hangs below 5.
#[test]
fn support_is_that_of_the_worked_example() {
    let mut arcs = REACH.to_vec();
    arcs.push((1, 5, 1));
    for (moved, expected) in [((2, 3, 1), "01000100"), ((1, 5, 1), "10000000")] {
        let stream = insertions(&[moved]);
        let outcome = run_shipped("trees", &graph(8, &arcs), 1, stream, LibraryForm::Plain);
        assert_eq!(bits(&outcome, "support_of_last").to_string(), expected);
    }
}

/// Random graph: vertices, arcs, insertions.
fn random() -> impl Strategy<Value = (Graph, Vec<(usize, usize, u64)>)> {
    (1_usize..80).prop_flat_map(|n| {
        let arc = (1..=n, 1..=n, 0_u64..40);
        let arcs = proptest::collection::vec(arc.clone(), 0..3 * n);
        let stream = proptest::collection::vec(arc, 0..6);
        (Just(n), arcs, stream).prop_map(|(n, arcs, stream)| {
            let stream = stream.into_iter().filter(|arc| arc.0 != arc.1);
            (graph(n, &arcs), stream.collect())
        })
    })
}

fn with_petgraph(graph: &Graph) -> DiGraph<(), u64> {
    let mut other = DiGraph::new();
    for _ in 0..graph.vertices() {
        other.add_node(());
    }
    for arc in graph.arcs() {
        other.add_edge(NodeIndex::new(arc.tail - 1), NodeIndex::new(arc.head - 1), arc.weight);
    }
    other
}

/// Graph with insertions made, where a new weight takes the place of the old one if it is less.
fn inserted(before: &Graph, stream: &[(usize, usize, u64)]) -> Graph {
    let old = before.arcs().iter().map(|arc| (arc.tail, arc.head, arc.weight));
    let all: Vec<_> = old.chain(stream.iter().copied()).collect();
    graph(before.vertices(), &all)
}

fn check_paths(graph: &Graph, outcome: &RunOutcome, width: usize) {
    let other =
        petgraph::algo::dijkstra(&with_petgraph(graph), NodeIndex::new(0), None, |e| *e.weight());
    let infinity = (1_u64 << width) - 1;
    let expected =
        (0..graph.vertices()).map(|v| other.get(&NodeIndex::new(v)).copied().unwrap_or(infinity));
    let found = numbers(table(outcome, "Dist"));
    assert_eq!(found, expected.collect::<Vec<_>>());
    for (at, &parent) in parents(table(outcome, "SPT")).iter().enumerate() {
        assert_eq!(parent > 0, at > 0 && found[at] < infinity, "vertex {}", at + 1);
        if parent > 0 {
            let arc =
                graph.arcs().iter().find(|arc| (arc.tail, arc.head) == (parent, at + 1)).unwrap();
            assert_eq!(found[at], found[parent - 1] + arc.weight);
        }
    }
}

/// Vertices that vertex 1 reaches, by a plain search.
fn reached(graph: &Graph) -> BitVector {
    let mut found = BitVector::zeros(graph.vertices());
    let mut open = vec![1];
    while let Some(tail) = open.pop() {
        if !found.get(tail) {
            found.put(tail, true);
            open.extend(graph.arcs().iter().filter(|arc| arc.tail == tail).map(|arc| arc.head));
        }
    }
    found
}

/// Column i marks i and all below i in a tree with parents in rows.
fn descendants(tree: &BitTable) -> BitTable {
    let mut all = BitTable::zeros(tree.rows(), tree.rows());
    let parents = parents(tree);
    for vertex in 1..=tree.rows() {
        let (mut ancestor, mut steps) = (vertex, 0);
        while ancestor > 0 && steps <= tree.rows() {
            all.put(vertex, ancestor, true);
            ancestor = parents[ancestor - 1];
            steps += 1;
        }
        assert!(steps <= tree.rows(), "a circle of parents at vertex {vertex}");
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn closures_are_those_of_petgraph((graph, _) in random()) {
        let other = with_petgraph(&graph);
        let n = graph.vertices();
        let mut expected = BitTable::zeros(n, n);
        for tail in 0..n {
            // A path has at least one arc, so the search begins behind the arcs of the vertex.
            for next in other.neighbors(NodeIndex::new(tail)) {
                let mut search = petgraph::visit::Dfs::new(&other, next);
                while let Some(head) = search.next(&other) {
                    expected.put(tail + 1, head.index() + 1, true);
                }
            }
        }
        for name in CLOSURES {
            let outcome = run_shipped(name, &graph, 1, Vec::new(), LibraryForm::Plain);
            prop_assert_eq!(table(&outcome, "P"), &expected, "{}", name);
        }
    }

    #[test]
    fn shortest_paths_are_those_of_petgraph((graph, stream) in random()) {
        for form in FORMS {
            let outcome = run_shipped("paths", &graph, 13, Vec::new(), form);
            check_paths(&graph, &outcome, 13);
            let count = reached(&graph).positions().count();
            prop_assert_eq!(int(&outcome, "passes"), count as i64);
        }
        let numbered = run_shipped("paths-numbered", &graph, 13, Vec::new(), LibraryForm::Plain);
        let tree = run_shipped("paths", &graph, 13, Vec::new(), LibraryForm::Plain);
        prop_assert_eq!(table(&numbered, "Dist"), table(&tree, "Dist"));
        let parents: Vec<u64> = parents(table(&tree, "SPT")).iter().map(|&p| p as u64).collect();
        prop_assert_eq!(numbers(table(&numbered, "Parent")), parents);
        let after = inserted(&graph, &stream);
        for name in INSERTING {
            let outcome = run_shipped(name, &graph, 13, insertions(&stream), LibraryForm::Cheap);
            check_paths(&after, &outcome, 13);
        }
    }

    #[test]
    fn reached_vertices_are_those_of_a_plain_search((graph, stream) in random()) {
        let outcome = run_shipped("reachability", &graph, 1, Vec::new(), LibraryForm::Plain);
        prop_assert_eq!(bits(&outcome, "RV"), &reached(&graph));
        let after = inserted(&graph, &stream);
        let outcome = run_shipped("reachability-insert", &graph, 1, insertions(&stream), LibraryForm::Plain);
        let found = bits(&outcome, "RV");
        prop_assert_eq!(found, &reached(&after));
        let newly = found.positions().count() - reached(&graph).positions().count();
        prop_assert_eq!(int(&outcome, "passes"), newly as i64);
        let tree = table(&outcome, "ST");
        for (at, &parent) in parents(tree).iter().enumerate() {
            prop_assert_eq!(parent > 0, at > 0 && found.get(at + 1));
            prop_assert!(parent == 0 || after.by_heads().get(at + 1, parent));
        }
        prop_assert_eq!(table(&outcome, "Desc"), &descendants(tree));
    }

    /// A tree that is cut and linked again stays a tree, and descendants stay those of the tree.
    #[test]
    fn trees_keep_their_descendants((graph, stream) in random()) {
        let outcome = run_shipped("trees", &graph, 1, insertions(&stream), LibraryForm::Plain);
        let tree = table(&outcome, "T");
        prop_assert_eq!(table(&outcome, "Desc"), &descendants(tree));
        // The last insertion was made, unless the tail hangs below the head.
        if let Some(&(tail, head, _)) = stream.last() {
            prop_assert!(tree.get(head, tail) || table(&outcome, "Desc").get(tail, head));
        }
    }
}

/// Columns that a static run reads and writes, against those of the source: in a pass MIN, TCOPY1, ADDC1, SETMIN and TMERGE on h columns
/// each and WMERGE on the n of the tree, and before them the n columns of the arcs.
#[test]
fn static_paths_take_no_more_columns_than_the_source() {
    let arcs: Vec<(usize, usize, u64)> = (1..=40)
        .flat_map(|tail| [(tail, tail * 7 % 40 + 1, 3), (tail, (tail * tail + 3) % 40 + 1, 5)])
        .collect();
    let graph = graph(40, &arcs);
    let (n, h) = (40, 11);
    for (name, of_tree) in [("paths", n), ("paths-numbered", h)] {
        for form in FORMS {
            let outcome = run_shipped(name, &graph, h, Vec::new(), form);
            let passes = int(&outcome, "passes") as u64;
            assert_eq!(passes, reached(&graph).positions().count() as u64);
            let reads = outcome.counts[ElementaryOperation::ColumnRead];
            let writes = outcome.counts[ElementaryOperation::ColumnWrite];
            let (n, h, of_tree) = (n as u64, h as u64, of_tree as u64);
            assert!(reads <= 2 * n * h + passes * (7 * h + of_tree + 1), "{name} {reads}");
            assert!(writes <= n * (h + 1) + h + passes * (3 * h + of_tree), "{name} {writes}");
        }
    }
}

/// Numbers of operations of the closure at once: n barriers, no operation over all rows, two column reads for each column.
#[test]
fn counts_of_the_closure_at_once_are_exact() {
    let arcs = graph(5, &[(1, 2, 1), (2, 3, 1), (3, 1, 1), (4, 5, 1)]);
    let outcome = run_shipped("warshall-at-once", &arcs, 1, Vec::new(), LibraryForm::Plain);
    let counts = outcome.counts;
    assert_eq!(counts[ElementaryOperation::Barrier], 5);
    assert_eq!(counts[ElementaryOperation::ColumnRead], 50);
    assert_eq!(counts[ElementaryOperation::BitRead], 25);
    assert_eq!(counts.of(ElementaryOperation::is_critical), 0);
    assert_eq!(counts[ElementaryOperation::Or], counts[ElementaryOperation::ColumnWrite]);
}
