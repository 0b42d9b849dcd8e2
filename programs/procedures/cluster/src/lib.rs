//! Procedures on several processors: what each process does with its own machine, and the messages between them. The crate puts
//! together the parts of `cp2_procedures`, which know no other processor, and the ranks of `cp2_cluster`, which know no procedure.
//!
//! - `decomposition`: the grid of processes and their blocks;
//! - `packing`: copies between arrays and buffers by the channel and CP2;
//! - `exchange`: faces, gathered and dealt blocks, as packing and messages;
//! - `problem`: problems of NPB MG and what runs find; `actions`: what a rank does, action by action;
//!   `ranks`: the ranks of a run; `trial`: the level that is gathered;
//!   `gather`: results of other processes of the computer;
//!   `multigrid`: runs; `report`: the report of a run.

mod actions;
mod decomposition;
mod error;
mod exchange;
mod gather;
mod multigrid;
mod packing;
mod problem;
mod ranks;
mod report;
mod trial;

pub use decomposition::{DecompositionError, FaceSide, ProcessGrid};
pub use error::ClusterMgError;
pub use multigrid::run_multigrid;
pub use problem::{
    ClusterMgProblem, ClusterMgRun, GatherTrial, LevelValues, MgCheckpoints, RankRun,
};
pub use report::{ClusterMgReport, OneProcessor};
