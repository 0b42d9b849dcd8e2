//! What reading a graph has dropped, merged or invented.

use std::fmt;

/// The ledger of a reading: everything in which the graph differs from its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingLedger {
    /// Arcs in the text.
    pub arcs_read: u64,
    /// Arcs that the head of the text announces; `None` if it announces none.
    pub arcs_announced: Option<u64>,
    /// Arcs from a vertex to itself, which were dropped.
    pub loops_dropped: u64,
    /// Arcs between the same vertices as another one, of which the least weight stays.
    pub arcs_merged: u64,
    /// Arcs in the other direction that the text leaves to the reader (symmetric matrices).
    pub arcs_mirrored: u64,
    /// Arcs without a weight, which got 1.
    pub weights_invented: u64,
    /// Greatest number of a vertex in the text, if vertices were numbered anew, in increasing order.
    pub renumbered_from: Option<u64>,
    /// Vertices of the graph.
    pub vertices: u64,
    /// Arcs of the graph.
    pub arcs: u64,
}

impl ReadingLedger {
    /// Returns the entries that are worth telling, each as a sentence.
    pub fn entries(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut tell = |count: u64, text: &str| {
            if count > 0 {
                all.push(format!("{count} {text}"));
            }
        };
        tell(self.loops_dropped, "arcs from a vertex to itself were dropped");
        tell(self.arcs_merged, "arcs were given more than once; the least weight stays");
        tell(self.arcs_mirrored, "arcs were added as mirror images, since the matrix is symmetric");
        tell(self.weights_invented, "arcs have no weight in the text; each got 1");
        if let Some(announced) =
            self.arcs_announced.filter(|announced| *announced != self.arcs_read)
        {
            all.push(format!("the text announces {announced} arcs and has {}", self.arcs_read));
        }
        if let Some(greatest) = self.renumbered_from {
            all.push(format!(
                "vertices are numbered anew from 1 to {}, in increasing order; the greatest number was {greatest}",
                self.vertices
            ));
        }
        all
    }
}

impl fmt::Display for ReadingLedger {
    /// Writes the size of the graph and a line for each entry.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "graph: {} vertices, {} arcs, from {} in the text",
            self.vertices, self.arcs, self.arcs_read
        )?;
        self.entries().iter().try_for_each(|entry| writeln!(f, "    {entry}"))
    }
}
