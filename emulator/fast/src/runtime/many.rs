//! Many independent CP2 at once, on the cores of the native machine.

use crate::runtime::alone::Fast;
use cp2_emu::RunResult;
use cp2_isa::BundleAddress;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Runs a kernel from a bundle address to its end on every CP2, each alone and for at most `limit` cycles, on all cores
/// of the native machine. The results, the end and the counts of each run, are in the order of `machines` and do not
/// depend on the number of threads.
pub fn run_all(machines: &mut [Fast], address: BundleAddress, limit: u64) -> Vec<RunResult> {
    for_all(0, machines, |machine| machine.run_untraced(address, limit))
}

/// Calls `work` with every item, on `threads` threads, or with 0 on one for each core of the native machine. The
/// results are in the order of the items. If no threads can be created, the calling thread does everything.
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
