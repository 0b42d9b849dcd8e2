//! Shared helpers of the workspace tests.

pub mod at_random;
#[path = "hostile/mod.rs"]
pub mod hostile;

use cp2_emu::{Cp2, RunResult};
use cp2_fast::Store;
use cp2_isa::{BundleAddress, Core};
use cp2_session::random::split_mix_64;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Returns a machine that holds an assembled text, at bundle 0.
///
/// # Panics
/// If the text does not assemble.
pub fn machine(text: &str) -> Cp2 {
    machine_on(&Core::CP2, text)
}

/// Returns a machine of a core that holds an assembled text, at bundle 0.
///
/// # Panics
/// If the text does not assemble.
pub fn machine_on(core: &Core, text: &str) -> Cp2 {
    match cp2_session::load::machine_with(&cp2_session::Environment::new(), core, "test.s", text) {
        Ok((cp2, _)) => cp2,
        Err(e) => panic!("{e}"),
    }
}

/// A store in memory for what the fast engine translates; copies are the same store.
#[derive(Clone, Debug, Default)]
pub struct Translations(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Translations {
    /// Returns the entry under the first of all keys.
    pub fn first(&self) -> Option<Vec<u8>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.values().next().cloned()
    }
}

impl Store for Translations {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(key.to_owned(), entry.to_vec());
    }
}

/// The SplitMix64 sequence of a seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        split_mix_64(&mut self.0)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 32) % n
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the choices.
    pub fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Calls `part(first, step)` on every core, such that the numbers first, first + step, ... of all calls are all numbers;
/// returns the results in the order of `first`.
///
/// # Panics
/// If a call panics.
pub fn on_all_cores<T: Send>(part: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> =
            (0..n_threads).map(|k| scope.spawn(move || part(k, n_threads))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, T>| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}

/// Returns the numbers of the random programs of a test: as many as usual from 0 on, or for longer runs as many as
/// `CP2_PROGRAMS` says from `CP2_BEGIN` on.
///
/// # Panics
/// If one of these variables is not a number.
pub fn program_numbers(usual: u64) -> Range<u64> {
    let number = |name: &str, usual| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    };
    let begin = number("CP2_BEGIN", 0);
    begin..begin + number("CP2_PROGRAMS", usual)
}

/// Returns the sums of two rows of counts.
pub fn add<const N: usize>(a: [u64; N], b: [u64; N]) -> [u64; N] {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Calls `count` for every number on all cores, and adds up what it gives.
///
/// # Panics
/// If a call panics.
pub fn sum_over<const N: usize>(
    numbers: &Range<u64>,
    count: impl Fn(u64) -> [u64; N] + Sync,
) -> [u64; N] {
    let parts = on_all_cores(|first, step| {
        numbers.clone().skip(first).step_by(step).map(&count).fold([0; N], add)
    });
    parts.into_iter().fold([0; N], add)
}

/// Runs a text from bundle 0 with a limit of 100000 cycles.
///
/// # Panics
/// If the text does not assemble.
pub fn run(text: &str) -> (Cp2, RunResult) {
    let mut cp2 = machine(text);
    let run = cp2.run_untraced(BundleAddress(0), 100_000);
    (cp2, run)
}
