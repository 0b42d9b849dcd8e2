//! The cost of what a host did.

use super::session::Host;
use cp2_session::cost::Cost;

impl Host {
    /// Returns the cost of what the host did since its reset: operations, vectors and pages as given, and the fewest cycles
    /// in which the method could have computed.
    pub(crate) fn cost(
        &self,
        operations: u64,
        (vectors, pages): (usize, usize),
        least_compute_cycles: f64,
    ) -> Cost {
        Cost {
            operations,
            vectors,
            pages,
            least_compute_cycles,
            timeline: self.timeline().clone(),
            kernels: self.kernels(),
            passes: self.passes().to_vec(),
            dma: self.machine().dma.stats().clone(),
            traffic: self.traffic().clone(),
            config: self.config().clone(),
            rates: self.rates(),
            plan: self.plan().clone(),
        }
    }
}
