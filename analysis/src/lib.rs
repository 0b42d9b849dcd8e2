//! The analysis of recorded runs, for those who write kernels: where every cycle went, why it did, and where values came
//! from. The crate opens no files and prints nothing: command line, viewer and reports show its results.
//!
//! - `accounting`: where every cycle of a recording went; `profile`, the same by label, loop and line;
//! - `charge`: which source lines the cycles of a bundle are charged to;
//! - `roofline`: ceilings of a machine, and how near a run and its loops come;
//! - `compare`: where two runs part, and what that costs, line by line;
//! - `location`: registers and words by their names;
//! - `history`: who wrote what before a cycle;
//! - `slice`: where a value came from, operation by operation;
//! - `stall`: why a cycle was what it was;
//! - `report`: a run as one page;
//! - `program`: the bundles of a recording that keeps no names;
//! - `words`, `palette`: the words and the colours that everything shares.

pub mod accounting;
pub mod attribution;
pub mod compare;
pub mod history;
pub mod location;
pub mod palette;
pub mod profile;
pub mod program;
pub mod report;
pub mod roofline;
pub mod slice;
pub mod stall;
pub mod words;
