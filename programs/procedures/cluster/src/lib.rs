//! Procedures on several processors: what each process does with its own machine, and the messages between them. The crate puts
//! together the parts of `cp2_procedures`, which know no other processor, and the ranks of `cp2_cluster`, which know no procedure.
//!
//! - `decomposition`: the grid of processes and their blocks;
//! - `packing`: copies between arrays and buffers by the channel and CP2;
//! - `exchange`: faces, gathered and dealt blocks, as packing and messages;
//! - `problem`: problems of NPB MG and what runs find; `actions`: what a rank does, action by action, and `driver`: doing it;
//!   `ranks`: the ranks of a run; `replay`: ranks whose times alone are found; `trial`: the level that is gathered;
//!   `gather`: results of other processes of the computer;
//!   `multigrid`: runs; `fft`: the FFT of an array whose planes are dealt out; `cg`: NPB CG by rows; `report`, `fft_report` and `cg_report`: the reports of runs, `rows`: what they have in common.

mod actions;
mod cg;
mod cg_report;
mod decomposition;
mod driver;
mod error;
mod exchange;
mod fft;
mod fft_report;
mod gather;
mod multigrid;
mod packing;
mod problem;
mod ranks;
mod replay;
mod report;
mod rows;
mod trial;

pub use cg::{CgRankRun, ClusterCgProblem, ClusterCgRun, run_cg};
pub use cg_report::ClusterCgReport;
pub use decomposition::{DecompositionError, FaceSide, ProcessGrid};
pub use error::ClusterMgError;
pub use fft::{ClusterFftProblem, ClusterFftRun, FftRankRun, fixed_sequence, run_fft};
pub use fft_report::ClusterFftReport;
pub use multigrid::run_multigrid;
pub use problem::{
    ClusterMgMode, ClusterMgProblem, ClusterMgRun, GatherTrial, LevelValues, RankRun,
    RunCheckpoints,
};
pub use report::ClusterMgReport;
pub use rows::OneProcessor;
