//! Reuse in an environment of one thread of many ([`Environment::reusing`]): programs and texts from a shelf, engines,
//! reference transforms.

use super::Environment;
use crate::error::KernelError;
use crate::reuse::{Lent, ProgramKey, Transform, bits, lock};
use cp2_asm::Sources;
use cp2_asm::image::Image;
use cp2_emu::Engine;
use cp2_isa::Core;
use num_complex::{Complex32, Complex64};
use std::hash::Hasher as _;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Distance between the numbers of an input that its hash takes.
const HASHED: usize = 16;

/// Reuse in an environment that [`Environment::reusing`] made. In any other environment nothing is reused: every
/// function makes what it returns.
impl Environment {
    /// Whether this is the environment of one thread of many, in which runs reuse what earlier runs made.
    pub fn is_reusing(&self) -> bool {
        self.bench().is_some()
    }

    /// Runs two closures of one run and returns both results: at the same time, on two threads, or one after the other
    /// if this environment reuses, because then other threads keep the cores of the native machine busy. A panic of
    /// either is passed on.
    pub fn both<A, B: Send>(
        &self,
        first: impl FnOnce() -> A,
        beside: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.is_reusing() {
            return (first(), beside());
        }
        std::thread::scope(|scope| {
            let beside = scope.spawn(beside);
            let first = first();
            match beside.join() {
                Ok(beside) => (first, beside),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Runs a closure whose parallel work (of rayon) leaves one core of the native machine to another thread of this
    /// run. If this environment reuses, there is no other thread, and the closure simply runs.
    pub fn on_other_cores<A: Send>(&self, work: impl FnOnce() -> A + Send) -> A {
        if self.is_reusing() {
            return work();
        }
        let others = rayon::current_num_threads().saturating_sub(1).max(1);
        match rayon::ThreadPoolBuilder::new().num_threads(others).build() {
            Ok(pool) => pool.install(work),
            Err(_) => work(),
        }
    }

    /// Returns an XXH64 digest of the kernels of all programs that were assembled or taken from the shelf since the
    /// last call, and forgets them. The digest depends neither on their order nor on how often each was used. `None` if
    /// the environment does not reuse.
    pub fn programs_used(&self) -> Option<u64> {
        let mut used = std::mem::take(&mut *lock(&self.bench()?.used));
        used.sort_unstable();
        used.dedup();
        let mut hash = XxHash64::with_seed(0);
        used.iter().for_each(|digest| hash.write_u64(*digest));
        Some(hash.finish())
    }

    /// Returns the program of a text for a core, from the shelf where there is one.
    pub(crate) fn shelved_program(
        &self,
        core: &Core,
        (name, text): (&str, &str),
        make: impl FnOnce() -> Result<(Image, Sources), KernelError>,
    ) -> Result<(Arc<Image>, Arc<Sources>), KernelError> {
        let Some(bench) = self.bench() else {
            return make().map(|(image, sources)| (Arc::new(image), Arc::new(sources)));
        };
        let (core, known) = (core.numbers(), self.known().key());
        let key = ProgramKey { core, name, text, known: &known };
        let program = bench.shelf.program(key, make)?;
        lock(&bench.used).push(program.digest);
        Ok((program.image.clone(), program.sources.clone()))
    }

    /// Returns the reference transform of an input, with which results of CP2 are compared, as `make` computes it. If
    /// the environment reuses and has computed the transform `of` of the same input before, that result is returned.
    pub fn reference(
        &self,
        of: Transform,
        input: &[Complex32],
        make: impl FnOnce() -> Vec<Complex64>,
    ) -> Arc<Vec<Complex64>> {
        let Some(bench) = self.bench() else { return Arc::new(make()) };
        // Inputs are compared number by number, so some of the numbers will do to find them.
        let mut hash = XxHash64::with_seed(u64::from(of.1));
        input.iter().step_by(HASHED).for_each(|x| hash.write_u64(bits(*x)));
        let hash = hash.finish();
        if let Some(known) = lock(&bench.references).get(hash, of, input) {
            return known;
        }
        let result = Arc::new(make());
        lock(&bench.references).insert(hash, of, input, &result);
        result
    }

    /// Returns the assembly text that `make` makes for a core. `name` has to tell everything else that the text depends
    /// on: if the environment reuses and has a text of this name and core, that one is returned.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn text(
        &self,
        core: &Core,
        name: &str,
        make: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<String, KernelError> {
        let Some(bench) = self.bench() else { return make() };
        if let Some(text) = bench.shelf.text(core.numbers(), name) {
            return Ok(text);
        }
        let text = make()?;
        bench.shelf.hold_text(core.numbers(), name, &text);
        Ok(text)
    }

    /// Returns an engine that goes back to the bench when it is dropped; where nothing is reused, what `make` makes.
    pub(crate) fn lent_engine(&self, make: impl FnOnce() -> Box<dyn Engine>) -> Box<dyn Engine> {
        let Some(bench) = self.bench() else { return make() };
        let engine = lock(&bench.engines).pop();
        Box::new(Lent(Some(engine.unwrap_or_else(make)), Arc::clone(bench)))
    }
}
