//! FFTs of arrays of two and three dimensions in system memory, and NPB FT.
//!
//! - `plan`: passes over memory, their pages and walks;
//! - `transform`: the passes of a transform one after the other;
//! - `slabs`: the part of one process in a transform by several;
//! - `npb`: classes and data of NPB FT; `evolve`: its products; `benchmark`: the whole benchmark on a machine.

pub mod benchmark;
mod evolve;
pub mod npb;
mod plan;
mod slabs;
mod transform;

pub use benchmark::{Report as FtReport, reference as ft_reference, run as run_ft};
pub use plan::Sizes;
pub use slabs::{SlabOutline, SlabPart};
pub use transform::{Options, Report, run};
