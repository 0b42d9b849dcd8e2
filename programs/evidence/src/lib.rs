//! Numbers about CP2 that others measured and published, in a source that is called \[D\] (a dissertation of 2018), and
//! what is compared with them. They stand on procedures and kernels, and know no workload.
//!
//! - `measured`: rates of the processors that exist, table by table; `published`: the published procedures and counts of
//!   kernels, simulated as time only;
//! - `bounds`: what a procedure's method allows at measured rates; `comparison`: a rate beside both of the above;
//! - `golden`: the cycles of our own kernels, as they were counted last.

pub mod bounds;
pub mod comparison;
pub mod golden;
pub mod measured;
pub mod published;
