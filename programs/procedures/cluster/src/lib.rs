//! Procedures on several processors: what each process does with its own machine, and the messages between them. The crate puts
//! together the parts of `cp2_procedures`, which know no other processor, and the ranks of `cp2_cluster`, which know no procedure.
//!
//! - `decomposition`: the grid of processes and their blocks;
//! - `packing`: copies between arrays and buffers by the channel and CP2;
//! - `exchange`: faces, gathered and dealt blocks, as packing and messages;
//! - `procedure`: what all procedures have in common, complex and results; `actions`: what a rank does, action by action, and `driver`:
//!   doing it; `ranks`: the ranks of a run; `gather`: results of other processes of the computer;
//! - `multigrid`: NPB MG, with its `problem`; `replay`: ranks whose times alone are found; `trial`: the level that is gathered;
//!   `scaling`: times on many numbers of processors, beside the estimate of `[D]`;
//! - `fft`: the FFT of an array whose planes are dealt out; `cg`: NPB CG by rows;
//! - `report`: the reports of runs.

mod actions;
mod cg;
mod decomposition;
mod driver;
mod error;
mod exchange;
mod fft;
mod gather;
mod multigrid;
mod packing;
mod problem;
mod procedure;
mod ranks;
mod replay;
mod report;
mod scaling;
mod trial;

pub use cg::{CgRankRun, ClusterCgProblem, ClusterCgRun, run_cg};
pub use decomposition::{DecompositionError, FaceSide, ProcessGrid};
pub use error::ClusterMgError;
pub use fft::{ClusterFftProblem, ClusterFftRun, FftRankRun, fixed_sequence, run_fft};
pub use multigrid::run_multigrid;
pub use problem::{
    ClusterMgMode, ClusterMgProblem, ClusterMgRun, GatherChoice, GatherTrial, LevelValues, RankRun,
};
pub use procedure::{ClusterProcedure, ClusterResults, ClusterSetup, RankResult, RunCheckpoints};
pub use report::{
    ClusterCgReport, ClusterFftReport, ClusterMgReport, ClusterReport, OneProcessor,
    ReportedProcedure,
};
pub use scaling::{CauseShares, EstimateRates, MgEstimate, ScalingCase, ScalingRow, scaling_row};
