//! NPB MG on devices: `operators` runs kernels on the levels of one device, `cycle` is the V-cycle, `shape` the sizes of
//! work-groups.

mod cycle;
mod operators;
mod parts;
mod search;
mod shape;

pub use cycle::{MgForm, MgRun};
pub use operators::{GridLevel, GridOperators, LevelPart};
pub use parts::{Exchange, MgParts};
pub use search::{GridTrial, SEARCHED};
pub use shape::{GroupShape, GroupShapes};
