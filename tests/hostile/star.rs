//! Programs of the STAR machine and graphs that nobody meant: read, checked, formatted, and run for a while.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use super::readers::{text_of, told};
use crate::SplitMix64;
use cp2_star::graph::{GraphFormat, read_graph, read_insertions};
use cp2_star::language::{CheckedProgram, InputSource, check, format, parse};
use cp2_star::machine::{BitTable, HostBackend, LibraryForm, StarMachine};
use cp2_star::run::{Insertion, RunRequest, StarValue, run};
use std::fmt::Write as _;

/// Rows and bits of a weight in runs.
const ROWS: usize = 5;
const BITS: usize = 3;

pub(super) const WORDS: [&str; 32] = [
    "input ",
    "output ",
    "inout ",
    "var ",
    "procedure main() {",
    "}",
    "{",
    "(",
    ")",
    ";",
    ":=",
    "if SOME(X) ",
    "else ",
    "while ",
    "for k := 1 to n ",
    "forall i := 1 to n ",
    "for (i, j, v) in insertions ",
    "require true, \"\";",
    "slice",
    "word[h]",
    "table[n*h]",
    "table[n*n*n*n*n*n*n*n*n]",
    "STEP(X)",
    "COL(i, P)",
    "TCOPY1(Weight, i, h, R);",
    "ADDC1(R, X, v, R, B);",
    "not ",
    " and ",
    "0b01",
    "9223372036854775807",
    "//",
    "\"",
];

pub(super) const GRAPH_WORDS: [&str; 12] = [
    "c ",
    "p sp ",
    "a ",
    "%%MatrixMarket matrix coordinate integer symmetric\n",
    "#",
    "%",
    "\n",
    "-1",
    "0",
    " ",
    "1.0",
    "\r",
];

/// Returns the programs that come with the crate.
pub(super) fn programs() -> Vec<Vec<u8>> {
    cp2_star::SHIPPED.iter().map(|program| program.text.as_bytes().to_vec()).collect()
}

/// Returns a graph in each format.
pub(super) fn graphs() -> Vec<Vec<u8>> {
    [
        "c sample\np sp 4 3\na 1 2 5\na 2 3 1\na 4 1 0\n",
        "# Nodes: 3\n1\t1740\n1\t5413\n1740\t1\n",
        "%%MatrixMarket matrix coordinate integer symmetric\n% none\n3 3 2\n2 1 4\n3 3 5\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// Returns lines of programs in another order.
pub(super) fn program(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let texts = seeds.iter().map(|seed| String::from_utf8_lossy(seed).into_owned());
    let text: String = texts.collect::<Vec<_>>().join("\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut made = String::new();
    for _ in 0..1 + sequence.below(40) {
        let from = sequence.below(lines.len() as u64) as usize;
        let upto = (from + 1 + sequence.below(6) as usize).min(lines.len());
        made += &(lines[from..upto].join("\n") + "\n");
    }
    made.into_bytes()
}

/// Returns a graph with its size and arcs, most of them within the size.
pub(super) fn graph(sequence: &mut SplitMix64, _: &[Vec<u8>]) -> Vec<u8> {
    let (vertices, arcs) = (1 + sequence.below(9), sequence.below(12));
    let odd = 2 + sequence.below(40);
    let number = |sequence: &mut SplitMix64, limit: u64| match sequence.one_in(odd) {
        true => sequence.of(&mutate::NUMBERS).to_owned(),
        false => (1 + sequence.below(limit)).to_string(),
    };
    let kind = sequence.below(3);
    let mut text = match kind {
        0 => format!("p sp {} {arcs}\n", number(sequence, vertices)),
        1 => String::new(),
        _ => format!(
            "%%MatrixMarket matrix coordinate integer general\n{vertices} {vertices} {arcs}\n"
        ),
    };
    for _ in 0..arcs {
        let ends = [0, 1].map(|_| number(sequence, vertices));
        let begin = if kind == 0 { "a " } else { "" };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{begin}{} {} {}", ends[0], ends[1], number(sequence, 6));
    }
    text.into_bytes()
}

/// Reads a program; one without mistakes is formatted, and run for a while.
pub(super) fn read_program(bytes: &[u8]) -> Judgement {
    let Some((sources, file)) = text_of(bytes) else { return Ok(Verdict::NoText) };
    let tree = match parse(&sources, file) {
        Ok(tree) => tree,
        Err(problems) => return told(&problems, &sources),
    };
    let text = format(&tree);
    let mut again = cp2_asm::diagnostic::Sources::default();
    again.add("again", text.as_str());
    match parse(&again, 0) {
        Ok(other) if other == tree && format(&other) == text => {}
        _ => return Err("the formatted text is another program".to_owned()),
    }
    match check(&tree, file) {
        Ok(program) => ran(&program, &sources),
        Err(problems) => told(&problems, &sources),
    }
}

fn ran(program: &CheckedProgram, sources: &cp2_asm::diagnostic::Sources) -> Judgement {
    let mut request =
        RunRequest { weight_bits: BITS, max_statements: 400, ..RunRequest::default() };
    request.insertions = vec![Insertion { tail: 1, head: 3, weight: 2 }];
    for (_, variable, source) in program.inputs() {
        let value = match source {
            InputSource::Source => StarValue::Int(1),
            InputSource::Weights => StarValue::Table(BitTable::zeros(ROWS, ROWS * BITS)),
            _ => StarValue::Table(BitTable::from_numbers(ROWS, &[3, 0, 31, 4, 9])),
        };
        request.inputs.insert(variable.name.clone(), value);
    }
    let [plain, cheap] = [LibraryForm::Plain, LibraryForm::Cheap].map(|form| {
        let machine = StarMachine::new(HostBackend, ROWS, form);
        run(program, &mut machine.with_limit(1 << 22), &request, None)
    });
    match (plain, cheap) {
        (Ok(plain), Ok(cheap)) if plain.outputs == cheap.outputs => Ok(Verdict::Accepted),
        (Err(plain), Err(cheap)) if plain == cheap => told(&[*plain], sources),
        (plain, cheap) => Err(format!("the forms of the library differ: {plain:?} {cheap:?}")),
    }
}

/// Reads a graph, and the same text as a stream of insertions into it.
pub(super) fn read_graphs(bytes: &[u8]) -> Judgement {
    let Some((sources, file)) = text_of(bytes) else { return Ok(Verdict::NoText) };
    let format = GraphFormat::of("hostile", sources.text(file));
    let (graph, ledger) = match read_graph(&sources, file, format, BITS) {
        Ok(read) => read,
        Err(problems) => return told(&problems, &sources),
    };
    let kept = ledger.arcs_read + ledger.arcs_mirrored - ledger.loops_dropped - ledger.arcs_merged;
    if kept != graph.arcs().len() as u64 || ledger.to_string().is_empty() {
        return Err(format!("the ledger does not add up: {ledger:?}"));
    }
    match read_insertions(&sources, file, &graph, BITS) {
        Ok(_) => Ok(Verdict::Accepted),
        Err(problems) => told(&problems, &sources).map(|_| Verdict::Accepted),
    }
}
