//! What all readers share: words of lines with their places, mistakes, and arcs on their way into a graph.

use super::ledger::ReadingLedger;
use super::tables::{Graph, GraphArc};
use crate::machine::greatest_number;
use crate::problems::Problems;
use cp2_asm::diagnostic::{Diagnostic, Sources};
use std::ops::Range;

/// Most vertices: a table of so many columns has many bits even for one row.
pub(super) const VERTICES: u64 = 1 << 20;

/// A word of a line, with its bytes in the text.
#[derive(Clone, Debug)]
pub(super) struct Field<'t> {
    pub(super) text: &'t str,
    pub(super) at: Range<usize>,
}

/// Returns the lines of a text, each with its words and its bytes.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Vec<Field<'_>>, Range<usize>)> {
    let mut begin = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = begin;
        begin += line.len();
        let fields = line.split_ascii_whitespace().map(|word| {
            let start = at + (word.as_ptr() as usize - line.as_ptr() as usize);
            Field { text: word, at: start..start + word.len() }
        });
        (fields.collect(), at..at + line.trim_end().len())
    })
}

/// Arcs as they are read, and what is wrong with the text.
pub(super) struct Reading {
    file: u32,
    weight_bits: usize,
    pub(super) arcs: Vec<GraphArc>,
    pub(super) ledger: ReadingLedger,
    problems: Problems,
}

impl Reading {
    pub(super) fn new(file: u32, weight_bits: usize) -> Self {
        let (arcs, ledger) = (Vec::new(), ReadingLedger::default());
        Self { file, weight_bits, arcs, ledger, problems: Problems::new(file) }
    }

    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) {
        self.problems.refuse(code, at, message);
    }

    /// Reads a number that is 0 or more.
    pub(super) fn number(&mut self, field: &Field<'_>, what: &str) -> Option<u64> {
        match field.text.parse::<u64>() {
            Ok(number) => Some(number),
            Err(_) => {
                let message = format!(
                    "{what} is a whole number from 0 to {}, and this is `{}`",
                    u64::MAX,
                    field.text
                );
                self.refuse("C1021", &field.at, message);
                None
            }
        }
    }

    /// Reads a vertex, which counts from 1.
    pub(super) fn vertex(&mut self, field: &Field<'_>, limit: u64) -> Option<usize> {
        let number = self.number(field, "a vertex")?;
        if (1..=limit).contains(&number) {
            return usize::try_from(number).ok();
        }
        let message = format!("vertex {number} is not there: they go from 1 to {limit}");
        self.refuse("C1022", &field.at, message);
        None
    }

    /// Reads a weight that is less than infinity, all ones.
    pub(super) fn weight(&mut self, field: &Field<'_>) -> Option<u64> {
        let text = field.text.strip_suffix(".0").unwrap_or(field.text);
        let limit = greatest_number(self.weight_bits) - 1;
        let message = match text.parse::<i128>() {
            Ok(weight) if weight < 0 => {
                format!(
                    "weight {weight} is negative; shortest paths here need weights of 0 or more"
                )
            }
            Ok(weight) if weight <= i128::from(limit) => return u64::try_from(weight).ok(),
            Ok(weight) => format!(
                "weight {weight} does not fit: with {} bits the limit is {limit}, since all ones stand for no arc; give \
                 weights more bits",
                self.weight_bits
            ),
            Err(_) => format!("a weight is a whole number, and this is `{}`", field.text),
        };
        self.refuse("C1023", &field.at, message);
        None
    }

    /// Returns the graph with its ledger, if nothing was wrong.
    pub(super) fn finish(
        mut self,
        sources: &Sources,
        vertices: usize,
    ) -> Result<(Graph, ReadingLedger), Vec<Diagnostic>> {
        if vertices == 0 && self.problems.is_empty() {
            let end = sources.text(self.file).len();
            self.refuse(
                "C1024",
                &(end..end),
                "the graph has no vertices; a slice needs at least one row",
            );
        }
        self.problems.finish(())?;
        self.ledger.loops_dropped =
            self.arcs.iter().filter(|arc| arc.tail == arc.head).count() as u64;
        let kept = self.arcs.len() as u64 - self.ledger.loops_dropped;
        let graph = Graph::new(vertices, self.arcs);
        self.ledger.arcs_merged = kept - graph.arcs().len() as u64;
        self.ledger.vertices = vertices as u64;
        self.ledger.arcs = graph.arcs().len() as u64;
        Ok((graph, self.ledger))
    }

    /// Returns the mistakes, if there are some.
    pub(super) fn into_problems(self) -> Result<(), Vec<Diagnostic>> {
        self.problems.finish(())
    }
}
