//! What the tests share: programs from texts, runs on graphs, values of outputs.

use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_asm::render::{Style, render_all};
use cp2_star::graph::{Graph, GraphArc};
use cp2_star::language::{CheckedProgram, check, parse};
use cp2_star::machine::{BitTable, BitVector, HostBackend, LibraryForm, StarMachine};
use cp2_star::run::{Insertion, RunOutcome, RunRequest, StarValue, run};

/// Returns a text as the one source.
pub(crate) fn sources(text: &str) -> Sources {
    let mut sources = Sources::default();
    sources.add("test.star", text);
    sources
}

/// Reads and checks a program.
pub(crate) fn checked(text: &str) -> Result<CheckedProgram, Vec<Diagnostic>> {
    let sources = sources(text);
    check(&parse(&sources, 0)?, 0)
}

/// Returns what is printed of the mistakes of a program.
pub(crate) fn complaints(text: &str) -> String {
    let problems = checked(text).err().unwrap_or_default();
    render_all(&problems, &sources(text), Style::Plain)
}

/// Returns a program that comes with the crate.
pub(crate) fn shipped(name: &str) -> CheckedProgram {
    let text = cp2_star::shipped(name).unwrap().text;
    checked(text).unwrap_or_else(|_| panic!("{}", complaints(text)))
}

/// Graph from arcs (tail, head, weight).
pub(crate) fn graph(vertices: usize, arcs: &[(usize, usize, u64)]) -> Graph {
    let arc = |&(tail, head, weight): &(usize, usize, u64)| GraphArc { tail, head, weight };
    Graph::new(vertices, arcs.iter().map(arc))
}

/// Insertions from arcs (tail, head, weight).
pub(crate) fn insertions(arcs: &[(usize, usize, u64)]) -> Vec<Insertion> {
    arcs.iter().map(|&(tail, head, weight)| Insertion { tail, head, weight }).collect()
}

/// Runs a program that comes with the crate on a graph from vertex 1.
pub(crate) fn run_shipped(
    name: &str,
    graph: &Graph,
    bits: usize,
    insertions: Vec<Insertion>,
    form: LibraryForm,
) -> RunOutcome {
    let program = shipped(name);
    let mut machine = StarMachine::new(HostBackend, graph.vertices(), form);
    let inputs = graph.inputs(&program, bits, Some(1));
    let request = RunRequest { weight_bits: bits, inputs, insertions, max_statements: 100_000_000 };
    run(&program, &mut machine, &request, None).unwrap()
}

/// Runs a text with n rows, h bits and inputs.
pub(crate) fn run_text(
    text: &str,
    rows: usize,
    bits: usize,
    inputs: &[(&str, StarValue)],
) -> Result<RunOutcome, Box<Diagnostic>> {
    let program = checked(text).unwrap_or_else(|_| panic!("{}", complaints(text)));
    let mut machine = StarMachine::new(HostBackend, rows, LibraryForm::Plain);
    let inputs = inputs.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let request = RunRequest {
        weight_bits: bits,
        inputs: inputs.collect(),
        max_statements: 100_000,
        ..RunRequest::default()
    };
    run(&program, &mut machine, &request, None)
}

pub(crate) fn table<'o>(outcome: &'o RunOutcome, name: &str) -> &'o BitTable {
    match outcome.output(name) {
        Some(StarValue::Table(table)) => table,
        other => panic!("{name}: {other:?}"),
    }
}

pub(crate) fn bits<'o>(outcome: &'o RunOutcome, name: &str) -> &'o BitVector {
    match outcome.output(name) {
        Some(StarValue::Bits(bits)) => bits,
        other => panic!("{name}: {other:?}"),
    }
}

pub(crate) fn int(outcome: &RunOutcome, name: &str) -> i64 {
    match outcome.output(name) {
        Some(StarValue::Int(number)) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

/// Numbers of the rows of a table.
pub(crate) fn numbers(table: &BitTable) -> Vec<u64> {
    table.numbers(1, table.width()).into_iter().flatten().collect()
}

/// Parents by vertex of a tree with parents in rows; 0 where there is none.
pub(crate) fn parents(tree: &BitTable) -> Vec<usize> {
    let parent = |row| {
        let ones: Vec<usize> = tree.row(row).positions().collect();
        assert!(ones.len() <= 1, "vertex {row} has parents {ones:?}");
        ones.first().copied().unwrap_or(0)
    };
    (1..=tree.rows()).map(parent).collect()
}
