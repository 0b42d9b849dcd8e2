//! What machines cost beside time: area, energy of a run, effect on the clock, as data with sources and intervals.
//!
//! - `table`: the numbers, those that come with the program or a user's; `model`: parts and area of a machine, and its clock;
//!   `energy`: the energy of a run from the counts of its events; `report`: what `cp2 costs` tells.

mod energy;
mod model;
mod report;
mod table;

pub use energy::{EnergyMachines, EnergyPart, RunEnergy, energy_nj, energy_of};
pub use model::{Estimated, PartArea, clock_factor, clock_ratio, extra_area, extra_percent, parts};
pub(crate) use report::ESTIMATED;
pub use report::{CostReport, schema};
pub use table::{CostTable, Priced};
