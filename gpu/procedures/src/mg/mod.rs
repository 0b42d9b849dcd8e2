//! NPB MG on devices: `block` is the part of a level that a device has, `operators` runs kernels on it, `cycle` is the V-cycle,
//! `parts` that of several devices, `faces` what they exchange, `shape` the sizes of work-groups, `search` finds them.

mod block;
mod cycle;
mod faces;
mod operators;
mod parts;
mod search;
mod shape;

pub use block::{GridRegion, LevelPart};
pub use cycle::{MgForm, MgRun};
pub use faces::MOST_DEVICES;
pub use operators::{GridLevel, GridOperators};
pub use parts::{Exchange, MgParts};
pub use search::{GridTrial, SEARCHED};
pub use shape::{GroupShape, GroupShapes};
