//! The readers by format, and streams of insertions.

use super::ledger::ReadingLedger;
use super::lines::{Reading, lines};
use super::tables::Graph;
use super::{dimacs, market, snap};
use crate::run::Insertion;
use cp2_asm::diagnostic::{Diagnostic, Sources};

/// The format of a graph as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// DIMACS `.gr`: `p sp VERTICES ARCS`, `a TAIL HEAD WEIGHT`.
    Dimacs,
    /// SNAP edge list: `FROM TO`, with `#` comments.
    Snap,
    /// Matrix Market, format coordinate.
    Market,
}

impl GraphFormat {
    /// Returns the format of a text, by its first line, else by the ending of its name.
    pub fn of(name: &str, text: &str) -> Self {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if first.to_ascii_lowercase().starts_with("%%matrixmarket") || name.ends_with(".mtx") {
            Self::Market
        } else if name.ends_with(".gr")
            || first.starts_with("c ")
            || first == "c"
            || first.starts_with("p ")
        {
            Self::Dimacs
        } else {
            Self::Snap
        }
    }
}

/// Reads a graph for weights of `weight_bits` bits, 1 to 64. `file` is the number of the text in `sources`.
///
/// # Errors
/// The text is not of the format, or has a vertex or a weight that there cannot be: the diagnostics, in the order of the
/// text.
pub fn read_graph(
    sources: &Sources,
    file: u32,
    format: GraphFormat,
    weight_bits: usize,
) -> Result<(Graph, ReadingLedger), Vec<Diagnostic>> {
    let (text, mut reading) = (sources.text(file), Reading::new(file, weight_bits));
    let vertices = match format {
        GraphFormat::Dimacs => dimacs::read(text, &mut reading),
        GraphFormat::Market => market::read(text, &mut reading),
        GraphFormat::Snap => {
            let names = snap::read(text, &mut reading);
            let (graph, ledger) = reading.finish(sources, names.len())?;
            return Ok((graph.named(names), ledger));
        }
    };
    reading.finish(sources, vertices)
}

/// Reads a stream of insertions into a graph: lines `TAIL HEAD` or `TAIL HEAD WEIGHT`, an `a` before them or not; comments
/// begin with `#` or `c`. Vertices have the numbers of the text of the graph; an arc without a weight gets 1.
///
/// # Errors
/// A line is none of these, or has a vertex or a weight that there cannot be: the diagnostics, in the order of the text.
pub fn read_insertions(
    sources: &Sources,
    file: u32,
    graph: &Graph,
    weight_bits: usize,
) -> Result<Vec<Insertion>, Vec<Diagnostic>> {
    let mut reading = Reading::new(file, weight_bits);
    let mut all = Vec::new();
    for (fields, at) in lines(sources.text(file)) {
        let is_comment = |word: &str| word.starts_with('#') || word == "c";
        if fields.first().is_none_or(|field| is_comment(field.text)) {
            continue;
        }
        let fields = &fields[usize::from(fields[0].text == "a")..];
        let (2 | 3) = fields.len() else {
            reading.refuse("C1021", &at, "the line of an insertion is `TAIL HEAD WEIGHT`");
            continue;
        };
        let mut vertex = |field| {
            let name = reading.number(field, "a vertex")?;
            let vertex = graph.vertex(name);
            if vertex.is_none() {
                let message =
                    format!("the graph has no vertex {name}; it has {} vertices", graph.vertices());
                reading.refuse("C1022", &field.at, message);
            }
            vertex
        };
        let ends = (vertex(&fields[0]), vertex(&fields[1]));
        let weight = fields.get(2).map_or(Some(1), |field| reading.weight(field));
        let ((Some(tail), Some(head)), Some(weight)) = (ends, weight) else { continue };
        if tail == head {
            let message = format!("an arc from vertex {} to itself", graph.name(tail));
            reading.refuse("C1022", &at, message);
            continue;
        }
        all.push(Insertion { tail, head, weight });
    }
    reading.into_problems().map(|()| all)
}
