//! Shape of a search on a device.

use crate::error::SearchError;
use cp2_recursion::{Dealing, Task};

/// Memory in which the stacks of work-items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPlace {
    /// Private memory, which the caches hold.
    Private,
    /// Local memory of the work-group.
    Local,
    /// Local memory of the work-group, and work-items without work take the oldest frames of others of their group. With a queue groups give
    /// their frames back when half of the groups have no work, and these are dealt out anew.
    Shared,
}

impl StackPlace {
    /// All places, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("private", Self::Private), ("local", Self::Local), ("shared", Self::Shared)];
}

/// Rule by which a search ends before all contexts are solved: the value of a context has one of these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// Any context will do; all work-items stop.
    Any {
        /// Bits of the value.
        mask: u32,
    },
    /// The first such context in their order decides; those behind it stop.
    InOrder {
        /// Bits of the value.
        mask: u32,
    },
}

/// Work-items for each of which one context is enough where frames are dealt out anew.
const SHARED_BY: usize = 16;

/// Shape of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchPlan {
    /// Depth at which the host hands contexts over; without one the least depth with enough contexts, or the one with most.
    pub depth: Option<usize>,
    /// Contexts that are wanted at least where no depth is given; without a number one for each work-item, or for each 16 where frames are dealt
    /// out anew.
    pub wanted: Option<usize>,
    /// Memory of the stacks.
    pub stack: StackPlace,
    /// Way in which contexts are dealt out.
    pub dealing: Dealing,
    /// Work-items of a group.
    pub items: usize,
    /// Groups.
    pub groups: usize,
    /// Frames that a stack has room for; without a number as many as the task needs at most.
    pub room: Option<usize>,
    /// Rule by which the search ends early.
    pub stop: Option<StopRule>,
}

impl SearchPlan {
    /// Returns whether a work-item takes the next context of a common queue when it has solved one.
    pub(crate) fn is_queue(&self) -> bool {
        self.dealing == Dealing::Queue
    }

    /// Returns whether groups give frames back to be dealt out anew.
    pub(crate) fn gives_back(&self) -> bool {
        self.stack == StackPlace::Shared && self.is_queue()
    }

    /// Returns whether work-items give calls back as contexts to be dealt out anew: those of a task whose lanes have arrays, so that frames alone
    /// are not enough.
    pub(crate) fn unwinds(&self, is_sum: bool, own: usize) -> bool {
        self.is_queue() && is_sum && own > 0
    }

    /// Returns how many contexts are enough.
    pub(crate) fn wanted(&self) -> usize {
        let shared_by = if self.gives_back() { SHARED_BY } else { 1 };
        self.wanted.unwrap_or(self.lanes().div_ceil(shared_by))
    }

    /// Returns the number of work-items.
    pub fn lanes(&self) -> usize {
        self.items * self.groups
    }

    /// Checks that the plan can serve a task.
    ///
    /// # Errors
    /// There are no work-items or too many; stacks are shared by a task that returns values or has arrays of each lane; a search that
    /// adds values up cannot end early.
    pub(crate) fn check<T: Task>(&self, task: &T, most_items: usize) -> Result<(), SearchError> {
        if self.items == 0 || self.items > most_items {
            return Err(SearchError::Items { items: self.items, limit: most_items });
        }
        if self.groups == 0 || self.lanes() > i32::MAX as usize / 2 {
            return Err(SearchError::Groups { groups: self.groups, items: self.items });
        }
        if self.stack == StackPlace::Shared {
            if !task.is_sum() {
                return Err(SearchError::SharedValues);
            }
            if let Some(array) = task.arrays().into_iter().find(|array| array.is_own) {
                return Err(SearchError::SharedArrays { array: array.name });
            }
        }
        if self.stop.is_some() && task.is_sum() {
            return Err(SearchError::StopsSum);
        }
        Ok(())
    }

    /// Returns the frames of a stack below contexts of a depth.
    pub(crate) fn room<T: Task>(&self, task: &T, depth: usize) -> usize {
        self.room.unwrap_or(task.deepest().saturating_sub(depth)).max(1)
    }
}
