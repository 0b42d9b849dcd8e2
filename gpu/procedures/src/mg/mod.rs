//! NPB MG on devices: `operators` runs kernels on the levels of one device, `cycle` is the V-cycle, `parts` that of several
//! devices, `faces` what they exchange, `shape` the sizes of work-groups, `search` finds them.

mod cycle;
mod faces;
mod operators;
mod parts;
mod search;
mod shape;

pub use cycle::{MgForm, MgRun};
pub use faces::MOST_DEVICES;
pub use operators::{GridLevel, GridOperators, GridRegion, LevelPart};
pub use parts::{Exchange, MgParts};
pub use search::{GridTrial, SEARCHED};
pub use shape::{GroupShape, GroupShapes};
