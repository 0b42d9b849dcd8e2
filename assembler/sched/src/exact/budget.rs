//! How long the solver may look: counted in conflicts, so that results are the same everywhere.

use batsat::{Callbacks, ClauseKind, Lit};
use std::cell::Cell;
use std::rc::Rc;

/// The conflicts that are left to a solver.
#[derive(Clone, Debug)]
pub(super) struct Budget(Rc<Cell<u64>>);

impl Budget {
    pub(super) fn new(conflicts: u64) -> Self {
        Self(Rc::new(Cell::new(conflicts)))
    }

    pub(super) fn left(&self) -> u64 {
        self.0.get()
    }

    pub(super) fn set(&self, conflicts: u64) {
        self.0.set(conflicts);
    }
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.0.set(self.0.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.0.get() == 0
    }
}
