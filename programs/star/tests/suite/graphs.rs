//! Readers of graphs with their ledgers and mistakes, and the generator with its table.

use crate::kit::{int, numbers, run_shipped, table};
use cp2_asm::diagnostic::Sources;
use cp2_asm::render::{Style, render_all};
use cp2_star::graph::{
    Graph, GraphFormat, ReadingLedger, RmatGenerator, check_sums, read_graph, read_insertions,
};
use cp2_star::machine::LibraryForm;

fn read(name: &str, text: &str, bits: usize) -> Result<(Graph, ReadingLedger), String> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    read_graph(&sources, file, GraphFormat::of(name, text), bits)
        .map_err(|problems| render_all(&problems, &sources, Style::Plain))
}

fn arcs(graph: &Graph) -> Vec<(usize, usize, u64)> {
    graph.arcs().iter().map(|arc| (arc.tail, arc.head, arc.weight)).collect()
}

#[test]
fn dimacs_is_read_with_what_was_dropped_and_merged() {
    let text = "c a comment\np sp 4 6\na 1 2 7\na 1 2 5\na 3 3 1\n\na 4 1 0\na 2 3 254\n";
    let (graph, ledger) = read("g.gr", text, 8).unwrap();
    assert_eq!(arcs(&graph), [(1, 2, 5), (2, 3, 254), (4, 1, 0)]);
    let expected = "graph: 4 vertices, 3 arcs, from 5 in the text
    1 arcs from a vertex to itself were dropped
    1 arcs were given more than once; the least weight stays
    the text announces 6 arcs and has 5
";
    assert_eq!(ledger.to_string(), expected);
}

#[test]
fn snap_is_numbered_anew() {
    let text = "# Nodes: 3\n1\t1740\n1\t5413\n1740\t1\n";
    let (graph, ledger) = read("as.txt", text, 8).unwrap();
    assert_eq!((graph.vertices(), arcs(&graph)), (3, vec![(1, 2, 1), (1, 3, 1), (2, 1, 1)]));
    assert_eq!((graph.name(3), graph.vertex(5413), graph.vertex(3)), (5413, Some(3), None));
    assert_eq!((ledger.weights_invented, ledger.renumbered_from), (3, Some(5413)));
    let mut sources = Sources::default();
    let file = sources.add("stream", "a 5413 1740 9\n# none\n1 5413\n");
    let stream = read_insertions(&sources, file, &graph, 8).unwrap();
    let stream: Vec<_> = stream.iter().map(|arc| (arc.tail, arc.head, arc.weight)).collect();
    assert_eq!(stream, [(3, 2, 9), (1, 3, 1)]);
}

#[test]
fn matrix_market_is_read_and_mirrored() {
    let text = "%%MatrixMarket matrix coordinate integer symmetric\n% comment\n3 3 3\n2 1 4\n3 3 9\n3 2 6\n";
    let (graph, ledger) = read("m.mtx", text, 8).unwrap();
    assert_eq!(arcs(&graph), [(1, 2, 4), (2, 1, 4), (2, 3, 6), (3, 2, 6)]);
    assert_eq!((ledger.arcs_mirrored, ledger.loops_dropped), (2, 1));
    let text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.0\n";
    assert_eq!(arcs(&read("m.mtx", text, 8).unwrap().0), [(1, 2, 3)]);
}

#[test]
fn mistakes_have_place_value_and_limit() {
    let text = "p sp 4 5\na 1 5 7\na 1 2 -3\na 2 1 255\na 1 2\nq\n";
    let complaint = read("g.gr", text, 8).unwrap_err();
    for expected in [
        "g.gr:2:5: error: vertex 5 is not there: they go from 1 to 4 [C1022]",
        "g.gr:3:7: error: weight -3 is negative; shortest paths here need weights of 0 or more [C1023]",
        "g.gr:4:7: error: weight 255 does not fit: with 8 bits the limit is 254",
        "g.gr:5:1: error: the line is `a TAIL HEAD WEIGHT` [C1021]",
        "g.gr:6:1: error: a line begins with `c`, `p` or `a`, and this one with `q` [C1021]",
    ] {
        assert!(complaint.contains(expected), "{complaint}");
    }
    assert!(read("g.gr", "p sp 0 0\n", 8).unwrap_err().contains("no vertices"));
    assert!(read("g.gr", "p sp 99999999999 0\n", 8).unwrap_err().contains("the limit is 1048576"));
    assert!(read("g.gr", "", 8).unwrap_err().contains("there is no line `p sp VERTICES ARCS`"));
    for (head, expected) in [
        ("array real general", "format array; a graph is one of coordinate"),
        ("coordinate real skew-symmetric", "half of the weights are negative"),
        ("coordinate complex general", "unknown field 'complex'"),
    ] {
        let complaint = read("m.mtx", &format!("%%MatrixMarket matrix {head}\n"), 8).unwrap_err();
        assert!(
            complaint.contains("m.mtx:1:1: error:") && complaint.contains(expected),
            "{complaint}"
        );
    }
    let wide = "%%MatrixMarket matrix coordinate real general\n2 3 0\n";
    assert!(read("m.mtx", wide, 8).unwrap_err().contains("m.mtx:2:3: error: 2 rows and 3 columns"));
    let early = read("g.gr", "a 1 2 3\np sp 2 1\na 1 2 3\na 1 3 1\n", 8).unwrap_err();
    assert!(early.contains("an arc before") && early.contains("vertex 3 is not there"), "{early}");
    assert_eq!(early.matches("error:").count(), 2, "{early}");
    let many = read("g.gr", &("p sp 2 1\n".to_owned() + &"a 1 3 1\n".repeat(80)), 8).unwrap_err();
    assert!(many.contains("30 more errors are not shown"), "{many}");
}

#[test]
fn lengths_that_reach_infinity_are_refused() {
    let graph = crate::kit::graph(3, &[(1, 2, 7), (2, 3, 7)]);
    assert_eq!(check_sums(&graph, &[], 1, 4), Ok(()));
    let graph = crate::kit::graph(3, &[(1, 2, 7), (2, 3, 8)]);
    let message = check_sums(&graph, &[], 1, 4).unwrap_err();
    assert_eq!(
        message,
        "the path by the arc from 2 to 3 is 15 long; with 4 bits the limit is 14, and 5 bits are enough"
    );
    // A sum that is one less than infinity fits.
    let message = check_sums(&crate::kit::graph(2, &[(1, 2, 14)]), &[], 1, 3).unwrap_err();
    assert!(message.contains("is 14 long") && message.contains("4 bits are enough"), "{message}");
    assert_eq!(check_sums(&crate::kit::graph(2, &[(1, 2, 14)]), &[], 1, 4), Ok(()));
    // From vertex 2 no path is longer than 8.
    assert_eq!(check_sums(&graph, &[], 2, 4), Ok(()));
    // An insertion that reaches no new vertex leaves all sums below those before it and its own.
    let stream = crate::kit::insertions(&[(2, 3, 6)]);
    assert_eq!(check_sums(&graph, &stream, 2, 4), Ok(()));
    let message = check_sums(&graph, &crate::kit::insertions(&[(3, 2, 9)]), 2, 4).unwrap_err();
    assert!(message.contains("from 3 to 2 is 17 long"), "{message}");
    // One that does may make longer paths on the way.
    let stream = crate::kit::insertions(&[(3, 1, 9)]);
    let message = check_sums(&graph, &stream, 2, 4).unwrap_err();
    assert!(
        message.contains("as long as 24") && message.contains("5 bits are enough"),
        "{message}"
    );
}

/// Row of the table of generated graphs, for weights up to 255 and seed 1.
struct RmatRow {
    levels: u32,
    arcs: usize,
    weights: u64,
    /// Ones of the transitive closure.
    ones: usize,
    /// Inner passes of the closure by columns.
    inner: i64,
    /// Vertices that vertex 1 reaches.
    reached: i64,
    /// Sum of their distances, and the greatest.
    distances: (u64, u64),
}

#[rustfmt::skip]
const RMAT: [RmatRow; 4] = [
    RmatRow { levels: 5, arcs: 442, weights: 42_273, ones: 1024, inner: 862, reached: 32, distances: (1860, 189) },
    RmatRow { levels: 6, arcs: 1149, weights: 127_201, ones: 4096, inner: 3650, reached: 64, distances: (3892, 117) },
    RmatRow { levels: 7, arcs: 2788, weights: 317_750, ones: 16384, inner: 13555, reached: 128, distances: (19594, 197) },
    RmatRow { levels: 8, arcs: 6429, weights: 767_241, ones: 64512, inner: 55128, reached: 256, distances: (21628, 166) },
];

#[test]
fn generated_graphs_have_the_numbers_of_the_table() {
    let mut state = 1;
    assert_eq!(cp2_session::random::split_mix_64(&mut state), 0x910a_2dec_8902_5cc1);
    for row in RMAT {
        let generator =
            RmatGenerator { levels: row.levels, degree: 32, greatest_weight: 255, seed: 1 };
        let (graph, ledger) = generator.generate();
        assert_eq!(ledger.arcs_read, 32 << row.levels);
        let kept = ledger.arcs_read - ledger.loops_dropped - ledger.arcs_merged;
        let total: u64 = graph.arcs().iter().map(|arc| arc.weight).sum();
        assert_eq!((graph.arcs().len(), kept as usize, total), (row.arcs, row.arcs, row.weights));
        let closure = run_shipped("warshall-columns", &graph, 1, Vec::new(), LibraryForm::Plain);
        let columns = table(&closure, "P").columns();
        let ones: usize = columns.iter().map(|column| column.positions().count()).sum();
        assert_eq!((ones, int(&closure, "inner")), (row.ones, row.inner));
        let paths = run_shipped("paths", &graph, 16, Vec::new(), LibraryForm::Cheap);
        assert_eq!(int(&paths, "passes"), row.reached);
        let distances = numbers(table(&paths, "Dist")).into_iter();
        let finite: Vec<u64> = distances.filter(|distance| *distance < 65535).collect();
        let greatest = finite.iter().copied().max().unwrap_or_default();
        assert_eq!((finite.iter().sum::<u64>(), greatest), row.distances);
    }
}
