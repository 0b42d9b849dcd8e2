//! The analysis of recorded runs, for those who write kernels: on what every cycle was spent, why, and from which
//! operands values were computed. The crate opens no files and prints nothing: command line, viewer and reports show
//! its results.
//!
//! - `accounting`: the use of every cycle of a recording; `profile`: the same by label, loop and line;
//! - `attribution`: the source lines that pay for the cycles of a bundle; `events`: what energies are computed from, by line;
//! - `roofline`: ceilings of a machine, and how near a run and its loops come to them;
//! - `compare`: the first difference of two runs, and what it costs, line by line;
//! - `arrays`: arrays of kernels, and the names of words by them;
//! - `location`: registers and words by their names;
//! - `history`: the writes of registers and words before a cycle;
//! - `slice`: the operations from which a value was computed;
//! - `stall`: the reason why a cycle was used as it was;
//! - `path`: the critical path of a run, and what shorter latencies would give;
//! - `stages`: what notes of a text call the work of its lines;
//! - `steps`: what the iterations, stages and pages of a run took, as its host named them;
//! - `report`: a run as one page;
//! - `program`: the bundles of a recording that keeps no names;
//! - `words`, `palette`: the words and the colours that all views share.

pub mod accounting;
pub mod arrays;
pub mod attribution;
pub mod compare;
pub mod events;
pub mod history;
pub mod location;
pub mod palette;
pub mod path;
pub mod profile;
pub mod program;
pub mod report;
pub mod roofline;
pub mod slice;
pub mod stages;
pub mod stall;
pub mod steps;
pub mod words;
