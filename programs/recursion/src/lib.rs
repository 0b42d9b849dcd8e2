//! Recursive searches on lanes that have no recursion: a task is a frame and a step, the host makes the first calls and hands what is
//! left over as contexts, each lane solves its contexts with a stack of its own, and the host combines what they return.

mod contexts;
mod dealing;
mod driver;
mod recorded;
mod task;
pub mod tasks;
mod words;

pub use contexts::{Context, HandedOver, combine, hand_over};
pub use dealing::{Dealing, LaneWork, lane_work};
pub use driver::{Counts, Finished, JointLanes, Lane, StackOverflow, run};
pub use recorded::{Operation, Place, StepProgram};
pub use task::{Fields, Frame, MOST_FIELDS, Next, Task, TaskArray};
pub use words::{NativeWords, Words};
