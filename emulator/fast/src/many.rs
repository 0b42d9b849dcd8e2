//! Many independent machines at once, on all cores of the host.

use crate::engine::Fast;
use cp2_emu::Run;
use rayon::prelude::*;

/// Runs a kernel from `address` to its end on every machine, at most `limit` cycles each. The results
/// stand in the order of the machines and do not depend on the number of threads.
pub fn run_all(machines: &mut [Fast], address: u16, limit: u64) -> Vec<Run> {
    machines.par_iter_mut().map(|machine| machine.run_untraced(address, limit)).collect()
}
