//! A graph as a list of arcs, and as the tables that programs take.

use crate::language::{CheckedProgram, InputSource};
use crate::machine::{BitTable, BitVector};
use crate::run::StarValue;
use std::collections::BTreeMap;

/// An arc with its weight. Vertices count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphArc {
    /// Vertex that the arc leaves.
    pub tail: usize,
    /// Vertex that the arc enters.
    pub head: usize,
    /// Weight, 0 or more.
    pub weight: u64,
}

/// Returns the arcs of a table of weights, `bits` columns a band: row j, band i for the arc from i to j, if it is not all ones.
pub fn arcs_of_weights(weights: &BitTable, bits: usize) -> Vec<GraphArc> {
    let mut arcs = Vec::new();
    for (band, columns) in weights.columns().chunks(bits.max(1)).enumerate() {
        let all = BitVector::ones(weights.rows());
        let is_none = columns.iter().fold(all, |none, column| none.combined(column, |a, b| a & b));
        for head in (1..=weights.rows()).filter(|&row| !is_none.get(row)) {
            let bit = |weight: u64, column: &BitVector| weight << 1 | u64::from(column.get(head));
            arcs.push(GraphArc { tail: band + 1, head, weight: columns.iter().fold(0, bit) });
        }
    }
    arcs
}

/// A directed graph: no arc twice, none from a vertex to itself, arcs in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    vertices: usize,
    arcs: Vec<GraphArc>,
    /// Numbers of the vertices in the file, where they are not 1, 2, 3.
    names: Option<Vec<u64>>,
}

impl Graph {
    /// Creates a graph from arcs in any order. Of arcs between the same vertices the least weight stays, and arcs from a
    /// vertex to itself or to one that is not there are dropped.
    pub fn new(vertices: usize, arcs: impl IntoIterator<Item = GraphArc>) -> Self {
        let range = 1..=vertices;
        let is_kept = |arc: &GraphArc| {
            arc.tail != arc.head && range.contains(&arc.tail) && range.contains(&arc.head)
        };
        let mut arcs: Vec<GraphArc> = arcs.into_iter().filter(is_kept).collect();
        arcs.sort_unstable();
        arcs.dedup_by_key(|arc| (arc.tail, arc.head));
        Self { vertices, arcs, names: None }
    }

    /// Returns the graph with the numbers that its vertices have in a file.
    pub(super) fn named(self, names: Vec<u64>) -> Self {
        Self { names: Some(names), ..self }
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Returns the arcs, by tail and head.
    pub fn arcs(&self) -> &[GraphArc] {
        &self.arcs
    }

    /// Returns the number that a vertex has in the file.
    pub fn name(&self, vertex: usize) -> u64 {
        let names = self.names.as_ref();
        names.and_then(|names| names.get(vertex - 1)).copied().unwrap_or(vertex as u64)
    }

    /// Returns the vertex that has a number in the file; `None` if there is none.
    pub fn vertex(&self, name: u64) -> Option<usize> {
        let found = match &self.names {
            Some(names) => names.binary_search(&name).ok().map(|at| at + 1),
            None => usize::try_from(name).ok(),
        };
        found.filter(|vertex| (1..=self.vertices).contains(vertex))
    }

    /// Returns the arcs as a table: a one in row i, column j for an arc from i to j.
    pub fn by_tails(&self) -> BitTable {
        let mut table = BitTable::zeros(self.vertices, self.vertices);
        self.arcs.iter().for_each(|arc| table.put(arc.tail, arc.head, true));
        table
    }

    /// Returns the arcs as a table: a one in row j, column i for an arc from i to j.
    pub fn by_heads(&self) -> BitTable {
        let mut table = BitTable::zeros(self.vertices, self.vertices);
        self.arcs.iter().for_each(|arc| table.put(arc.head, arc.tail, true));
        table
    }

    /// Returns the weights as a table: row j, band i for the arc from i to j, `bits` columns a band; all ones where
    /// there is no arc.
    pub fn weights(&self, bits: usize) -> BitTable {
        let mut table = BitTable::zeros(self.vertices, self.vertices * bits);
        for column in 1..=self.vertices * bits {
            table.put_column(column, BitVector::ones(self.vertices));
        }
        for arc in &self.arcs {
            let first = (arc.tail - 1) * bits + 1;
            table.put_number(arc.head, first..first + bits, arc.weight);
        }
        table
    }

    /// Returns the values of the inputs of a program that come from a graph. Inputs that need the source are left out if
    /// there is none.
    pub fn inputs(
        &self,
        program: &CheckedProgram,
        bits: usize,
        source: Option<usize>,
    ) -> BTreeMap<String, StarValue> {
        let mut inputs = BTreeMap::new();
        for (_, variable, from) in program.inputs() {
            let value = match from {
                InputSource::Arcs => StarValue::Table(self.by_tails()),
                InputSource::Heads => StarValue::Table(self.by_heads()),
                InputSource::Weights => StarValue::Table(self.weights(bits)),
                InputSource::Source => match source {
                    Some(source) => StarValue::Int(source as i64),
                    None => continue,
                },
                InputSource::Given => continue,
            };
            inputs.insert(variable.name.clone(), value);
        }
        inputs
    }
}
