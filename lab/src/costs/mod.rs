//! What machines cost beside time: area, energy of a run, effect on the clock, as data with sources and intervals.
//!
//! - `table`: the numbers, those that come with the program or a user's; `model`: parts and area of a machine, and its clock;
//!   `energy`: the energy of a run from the counts of its events; `lines`: the same by source line; `report`: what `cp2 costs` tells.

mod energy;
mod lines;
mod model;
mod report;
mod table;

pub use energy::{EnergyMachines, EnergyPart, RunEnergy, energy_nj, energy_of};
pub use lines::{EnergyByLine, LineEnergy, energy_schema};
pub(crate) use model::CLOCK_SIZES;
pub use model::{
    ClockRange, Estimated, PartArea, clock_factor, clock_ratio, extra_area, extra_percent, parts,
    uncounted,
};
pub use report::{CostReport, schema};
pub(crate) use report::{ENERGY_PART, ESTIMATED};
pub use table::{CostTable, Priced};
