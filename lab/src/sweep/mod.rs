//! Sweeps: a workload on many points (machines, options, workloads), and a row of results for each.
//!
//! - `axis`: what is varied and over which values; `spec`: the file that says so; `points`: which combinations of
//!   values are points;
//! - `address`: a hash of what the outcome of a point depends on; `outcome`: what a run of a point gave;
//! - `journal`, `table`, `store`: rows on disk, such that a process that is killed loses none that is finished;
//! - `shard`, `run`: a share of the points on threads; `report`: status, whole tables and single rows verified;
//! - `best`: the points that no other beats.
//!
//! `store`, `journal` and `table` alone know files; what is done stands in them and nowhere else.

mod address;
mod axis;
mod best;
mod journal;
mod outcome;
mod points;
mod report;
mod run;
mod shard;
mod spec;
mod store;
mod table;

pub use address::{RowAddress, build_of};
pub use axis::{Axis, Choice};
pub use best::{Best, Column, Objective, schema as best_schema};
pub use outcome::{PointOutcome, PointRow};
pub use points::Sample;
pub use report::{
    SweepStatus, Verified, kept_outcomes, merged, schema, status, verify, verify_schema,
};
pub use run::{ShardSummary, evaluate, outcomes, run};
pub use shard::Shard;
pub use spec::{FindMachine, Finders, Spec};
pub use store::RowStore;
