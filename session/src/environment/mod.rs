//! The environment that the runs of one embedding program share, as a value that its owner passes on. Two environments
//! live side by side in one process and know nothing of each other.

mod assembled;
mod kept;
mod machines;
mod reused;
mod tried;

use crate::engine::Engine;
use crate::reuse::{Bench, Shelf, lock};
use crate::store::SharedStore;
use cp2_asm::sched::{Interrupt, KnownSchedules, Store};
use cp2_emu::ReferenceEngine;
use cp2_fast::Translator;
use cp2_portable::Portable;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The environment of runs: assembles programs, builds engines, and has what runs share. If it has a store, schedules,
/// assembled programs and translated code are kept there from process to process.
///
/// An environment is a handle: a clone has the same store and the same machines, costs a counter, and may go to another
/// thread (it is `Send` and `Sync`). Threads use the store in turns. A thread that panics while it uses the store
/// leaves the environment usable for the others; entries have digests, so one that was written only in part counts as
/// absent.
///
/// ```
/// use cp2_session::{Environment, Program, Setup};
/// let environment = Environment::new();
/// let source = ".kernel k\n seti g1, 7\n stopi 0\n";
/// let program = Program::from_source(&environment, Setup::default().core(), "k.s", source)?;
/// let outcome = program.run(&environment, &Setup::default())?;
/// assert_eq!(outcome.machine.cp2.state.gpr[1], 7);
/// # Ok::<(), cp2_session::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Environment {
    store: Option<SharedStore>,
    known: Arc<KnownSchedules>,
    interrupt: Interrupt,
    bench: Option<Arc<Bench>>,
    shared: Arc<Shared>,
}

/// Values that crates above this one keep in an environment, one of each type.
#[derive(Default)]
struct Shared(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Environment {
    /// Creates an environment without a store, which keeps nothing from process to process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an environment that keeps schedules, assembled programs, numbers and translated code in a store. Only
    /// this user may be able to write to the store, and it has to forget what another build of the program has put
    /// there, because assembled programs and translated code are run as they come back.
    pub fn with_store(store: Box<dyn Store + Send>) -> Self {
        Self { store: Some(SharedStore::new(store)), ..Self::default() }
    }

    /// Returns the environment with these schedules of loops, which the assembler may take in place of a search. They need
    /// not be right: what is taken is checked as every schedule is.
    #[must_use]
    pub fn with_schedules(self, known: KnownSchedules) -> Self {
        Self { known: Arc::new(known), ..self }
    }

    /// Returns the schedules of loops that the assembler may take in place of a search.
    pub(crate) fn known(&self) -> &KnownSchedules {
        &self.known
    }

    /// Returns the environment with a flag by which another thread breaks off schedules that are being made. What was broken off
    /// is refused with an error that has no code, and nothing of it is kept.
    #[must_use]
    pub fn with_interrupt(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// Returns the flag that breaks off schedules.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Returns an environment for one thread of many that do runs of one kind, such as those of a sweep. It has the
    /// same store. Programs are assembled once for all threads that share `shelf`; engines, and the reference
    /// transforms that results are compared with, are reused from run to run of this thread.
    #[must_use]
    pub fn reusing(&self, shelf: &Arc<Shelf>) -> Self {
        Self { bench: Some(Arc::new(Bench::new(shelf))), ..self.clone() }
    }

    /// Creates an engine of this kind. The fast engine takes translated code from the store, if there is one, and keeps
    /// it there.
    pub fn engine(&self, kind: Engine) -> Box<dyn cp2_emu::Engine> {
        match kind {
            Engine::Fast => Box::new(match &self.store {
                Some(kept) => Translator::default().keeping(Box::new(kept.clone())),
                None => Translator::default(),
            }),
            Engine::Portable => Box::new(Portable::default()),
            Engine::Reference => Box::new(ReferenceEngine),
        }
    }

    /// Returns the one value of the type `T` that all clones of this environment share, such as what a crate remembers
    /// of machines. It is made by `T::default()` when it is first asked for.
    pub fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = lock(&self.shared.0);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// Returns what runs of this thread reuse, if it is one of many.
    pub(crate) fn bench(&self) -> Option<&Arc<Bench>> {
        self.bench.as_ref()
    }

    /// Returns the store, if there is one.
    pub(crate) fn store(&self) -> Option<SharedStore> {
        self.store.clone()
    }
}
