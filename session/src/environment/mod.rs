//! Environment that runs of one embedding share, as a value that its owner passes on: two of them live side by side in one
//! process and know nothing of each other.

mod assembled;
mod kept;
mod machines;
mod reused;

use crate::engine::Engine;
use crate::reuse::{Bench, Shelf, lock};
use crate::store::SharedStore;
use cp2_asm::sched::Store;
use cp2_emu::ReferenceEngine;
use cp2_fast::Translator;
use cp2_portable::Portable;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The place where programs are made and engines are built: the store in which schedules, assembled programs and translated
/// code are kept from process to process, if there is one.
///
/// An environment is a handle. A clone shares the store, costs a counter, and may go to another thread (it is `Send` and
/// `Sync`): threads use the store in turns. A thread that panics while it uses the store leaves the environment usable for
/// the others, which go on with what the store gives then; an entry is digested and checked, so half of one is none.
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
    /// Returns an environment that keeps nothing from process to process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an environment with a store of its own. Nobody but this user may be able to write there, and it forgets what
    /// another build of the program has put there: translated code and assembled programs are run as they come back.
    pub fn with_store(store: Box<dyn Store + Send>) -> Self {
        Self { store: Some(SharedStore::new(store)), ..Self::default() }
    }

    /// Returns an environment for the runs of one thread of many, with the same store: programs are made once for all threads
    /// that take from the shelf, and engines and reference transforms go from run to run of this thread.
    #[must_use]
    pub fn reusing(&self, shelf: &Arc<Shelf>) -> Self {
        Self { bench: Some(Arc::new(Bench::new(shelf))), ..self.clone() }
    }

    /// Creates an engine of a kind; the fast one takes translated code from the store and keeps it there.
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

    /// Returns the one value of a type that all clones of this environment share, such as what a crate remembers of machines.
    /// At first it is the type's default.
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
