//! What is asked, and what is found: graph, source and insertions; distances, parents and cost.

use cp2_kernels::star::PathOrder;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;

/// An arc of a graph, or one that is inserted. Vertices count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedArc {
    /// Vertex that the arc leaves.
    pub tail: usize,
    /// Vertex that the arc enters.
    pub head: usize,
    /// Weight, less than the number of all ones.
    pub weight: u64,
}

/// A problem: the paths from a source in a graph, and then in the graph with more arcs, one after the other.
#[derive(Clone, Debug)]
pub struct PathsProblem {
    /// Number of vertices.
    pub vertices: usize,
    /// Bits of a weight, of which all ones stand for no arc and no path. No sum of a distance and a weight may reach that number.
    pub bits: usize,
    /// Arcs of the graph.
    pub arcs: Vec<WeightedArc>,
    /// Vertex where paths begin.
    pub source: usize,
    /// Arcs that are inserted. Of arcs between the same vertices the least weight stays.
    pub insertions: Vec<WeightedArc>,
    /// Vertex that is taken next while an arc is inserted; before that the nearest is.
    pub order: PathOrder,
}

impl PathsProblem {
    /// Returns the number that stands for no arc and no path.
    pub fn infinity(&self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    /// Checks vertices and weights, of which the kernels take any.
    pub(super) fn check(&self) -> Result<(), KernelError> {
        let most = self.infinity() - 1;
        let refuse = |what, value: u64, limit| {
            Err(KernelError::Parameter { what, value: value as usize, limit })
        };
        for arc in self.arcs.iter().chain(&self.insertions) {
            if let Some(&vertex) =
                [arc.tail, arc.head].iter().find(|v| !(1..=self.vertices).contains(*v))
            {
                let limit = format!("1 to {}, the vertices of the graph", self.vertices);
                return refuse("vertex of an arc", vertex as u64, limit);
            }
            if arc.weight > most {
                let limit = format!("at most {most} with {} bits", self.bits);
                return refuse("weight of an arc", arc.weight, limit);
            }
        }
        if !(1..=self.vertices).contains(&self.source) {
            let limit = format!("1 to {}, the vertices of the graph", self.vertices);
            return refuse("source of the paths", self.source as u64, limit);
        }
        Ok(())
    }
}

/// Paths, and the cost of finding them.
#[derive(Clone, Debug, PartialEq)]
pub struct PathsReport {
    /// Distance of each vertex; all ones if there is no path.
    pub distances: Vec<u64>,
    /// Number of the parent of each vertex, from 1; 0 for the source and where there is no path.
    pub parents: Vec<usize>,
    /// Vertices taken in the graph as it was.
    pub passes: usize,
    /// Vertices taken while arcs were inserted.
    pub insertion_passes: usize,
    /// Cycles of the machine for each insertion, in their order. A run that goes on from a checkpoint knows none of those before it: they
    /// are 0.
    pub insertion_cycles: Vec<u64>,
    /// Whether the table of weights stayed in local memory.
    pub is_resident: bool,
    /// Cost of the run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for PathsReport {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}
