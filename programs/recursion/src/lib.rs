//! Recursive searches on lanes that have no recursion: a task is a frame and a step, the host makes the first calls and hands what is
//! left over as contexts, each lane solves its contexts with a stack of its own, and the host combines what they return.

mod contexts;
mod dealing;
mod driver;
mod estimate;
mod files;
mod generate;
mod grid;
mod joint;
mod outline;
mod random;
mod recorded;
mod task;
pub mod tasks;
mod words;

pub use contexts::{HandedOver, combine, hand_over, hand_over_within, spread};
pub use dealing::{ContextShare, Dealing, LaneWork, joint_work, lane_work};
pub use driver::{SearchCounts, SearchLane, SolvedTask, StackOverflow, run};
pub use estimate::{SampledWork, estimated_work};
pub use files::{TaskFileError, read_cover, read_puzzles};
pub use generate::{GenerateError, PuzzleShape};
pub use joint::JointLanes;
pub use outline::{CallWork, OutlineLevel, OutlineLimits, outline};
pub use recorded::{StepOperation, StepPlace, StepProgram};
pub use task::{
    FrameFields, IdleFrame, MOST_FIELDS, SearchContext, StepOutcome, Task, TaskArray, TaskFrame,
};
pub use words::{NativeWords, StepWords};
