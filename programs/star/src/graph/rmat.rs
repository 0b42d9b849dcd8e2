//! R-MAT graphs, exact to the arc for every seed.

use super::ledger::ReadingLedger;
use super::tables::{Graph, GraphArc};
use cp2_session::random::split_mix_64;

/// Thresholds of the four quadrants among 2^32 numbers: probabilities 0.45, 0.25, 0.15, 0.15.
const THRESHOLDS: [u64; 3] = [1_932_735_283, 3_006_477_107, 3_650_722_201];

/// A generator of R-MAT graphs: 2^`levels` vertices, which are permuted, and `degree` arcs for each, with weights from 1
/// to `greatest_weight`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmatGenerator {
    /// Logarithm of the number of vertices to the base 2; at most [`Self::MOST_LEVELS`].
    pub levels: u32,
    /// Arcs that are drawn for each vertex.
    pub degree: u64,
    /// Greatest weight, at least 1.
    pub greatest_weight: u64,
    /// Begin of the sequence of random numbers, SplitMix64.
    pub seed: u64,
}

impl RmatGenerator {
    /// Most levels.
    pub const MOST_LEVELS: u32 = 16;

    /// Returns the graph, and what became of the arcs that were drawn.
    pub fn generate(&self) -> (Graph, ReadingLedger) {
        let vertices = 1_usize << self.levels.min(Self::MOST_LEVELS);
        let mut state = self.seed;
        let mut numbers: Vec<usize> = (1..=vertices).collect();
        for i in (1..vertices).rev() {
            let other = split_mix_64(&mut state) % (i as u64 + 1);
            numbers.swap(i, other as usize);
        }
        let drawn = self.degree * vertices as u64;
        let arcs: Vec<GraphArc> = (0..drawn).map(|_| self.arc(&mut state, &numbers)).collect();
        let loops = arcs.iter().filter(|arc| arc.tail == arc.head).count() as u64;
        let graph = Graph::new(vertices, arcs);
        let ledger = ReadingLedger {
            arcs_read: drawn,
            loops_dropped: loops,
            arcs_merged: drawn - loops - graph.arcs().len() as u64,
            vertices: vertices as u64,
            arcs: graph.arcs().len() as u64,
            ..ReadingLedger::default()
        };
        (graph, ledger)
    }

    fn arc(&self, state: &mut u64, numbers: &[usize]) -> GraphArc {
        let (mut u, mut v) = (0, 0);
        for _ in 0..self.levels.min(Self::MOST_LEVELS) {
            let x = split_mix_64(state) >> 32;
            let quadrant = THRESHOLDS.iter().filter(|threshold| **threshold <= x).count();
            u = 2 * u + (quadrant >> 1);
            v = 2 * v + (quadrant & 1);
        }
        let weight = 1 + (split_mix_64(state) >> 32) % self.greatest_weight.max(1);
        GraphArc { tail: numbers[u], head: numbers[v], weight }
    }
}
