//! The laboratory: what a machine should do, beside what it does. It prints nothing, and only `sweep` opens files.
//!
//! - `key`, `inputs`: the numbers of an estimate, each with its origin; systems that come with the program;
//! - `plan`: a procedure as loads, kernels and stores over a shared channel; `plans`: the procedures of the
//!   dissertation `[D]`, from which the method and the published numbers come;
//! - `estimate`: the ten steps of the estimation method, kept as data;
//! - `expected`: the numbers that `[D]` prints, beside ours; `readings`: what printed figures may mean where they
//!   differ; `statements`: what is said in words and does not hold; `validation`: the page of all that;
//! - `balance`: the bandwidth at which computing and moving data take the same time;
//! - `report`: all of `cp2 estimate`; `simulated`: an estimate beside simulations and measurements;
//! - `recorded`: runs of workloads, recorded in memory; `roofline`: how near they come to a machine's ceilings;
//! - `whatif`: a machine with and without changes, and what rests on assumptions;
//! - `sweep`: many machines, options and workloads, their rows kept on disk;
//! - `optimize`: the cheapest machine that reaches a goal;
//! - `costs`: area, energy and clock of machines, as data; `study`: several workloads on all combinations of extensions;
//! - `experiments`: what extensions are worth to what profits from them, and what was foretold;
//! - `picture`: how curves become SVG.

pub mod balance;
pub mod costs;
mod error;
pub mod estimate;
pub mod expected;
pub mod experiments;
pub mod inputs;
pub mod key;
pub mod library;
pub mod optimize;
pub mod picture;
pub mod plan;
pub mod plans;
pub mod readings;
pub mod recorded;
pub mod report;
pub mod roofline;
pub mod simulated;
pub mod statements;
pub mod study;
pub mod sweep;
pub mod validation;
pub mod whatif;
