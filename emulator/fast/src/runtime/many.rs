//! Many independent machines at once, on the cores of the native machine.

use crate::runtime::alone::Fast;
use cp2_emu::RunResult;
use cp2_isa::BundleAddress;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Runs a kernel from `address` to its end on every machine, at most `limit` cycles each. The results
/// stand in the order of the machines and do not depend on the number of threads.
pub fn run_all(machines: &mut [Fast], address: BundleAddress, limit: u64) -> Vec<RunResult> {
    for_all(0, machines, |machine| machine.run_untraced(address, limit))
}

/// Does `work` with every item, each on one of `threads` threads, 0 for as many as the native machine has cores. The results
/// stand in the order of the items. If the native machine gives no threads, the caller's does it all.
pub fn for_all<T: Send, R: Send>(
    threads: usize,
    items: &mut [T],
    work: impl Fn(&mut T) -> R + Sync + Send,
) -> Vec<R> {
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| items.par_iter_mut().map(&work).collect()),
        Err(_) => items.iter_mut().map(&work).collect(),
    }
}
