//! What runs of one embedding share, as a value that its owner passes on: two of them live side by side in one process and
//! know nothing of each other.

use crate::engine::Engine;
use crate::store::Kept;
use cp2_asm::sched::Store;
use cp2_emu::Reference;
use cp2_fast::Translator;
use cp2_portable::Portable;

/// Where programs are made and engines are built: the store in which schedules, assembled programs and translated code are
/// kept from process to process, if there is one.
///
/// It is a handle. A clone shares the store, costs a counter, and may go to another thread (it is `Send` and `Sync`): threads
/// use the store in turns. A thread that panics while it uses the store leaves the environment usable for the others, which go
/// on with what the store gives then; an entry is digested and checked, so half of one is none.
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
    store: Option<Kept>,
}

impl Environment {
    /// One that keeps nothing from process to process.
    pub fn new() -> Self {
        Self::default()
    }

    /// One with a store of its own. Nobody but this user may be able to write there, and it forgets what another build of the
    /// program has put there: translated code and assembled programs are run as they come back.
    pub fn with_store(store: Box<dyn Store + Send>) -> Self {
        Self { store: Some(Kept::new(store)) }
    }

    /// A new engine of a kind; the fast one takes translated code from the store and keeps it there.
    pub fn engine(&self, kind: Engine) -> Box<dyn cp2_emu::Engine> {
        match kind {
            Engine::Fast => Box::new(match &self.store {
                Some(kept) => Translator::default().keeping(Box::new(kept.clone())),
                None => Translator::default(),
            }),
            Engine::Portable => Box::new(Portable::default()),
            Engine::Reference => Box::new(Reference),
        }
    }

    /// The store, if there is one.
    pub(crate) fn store(&self) -> Option<Kept> {
        self.store.clone()
    }
}
