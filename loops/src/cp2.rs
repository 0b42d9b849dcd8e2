//! Nests on CP2: threads on the halves of the four sections, arrays packed in the order in which they are used, the loops of a
//! thread as a linear region that the scheduler orders.

mod mapping;
mod run;
mod source;

pub use mapping::{Cp2Refusal, LANES, Level, Mapping, PackedAccess};
pub use run::{Cp2NestRun, run_on_cp2};
pub use source::{Cp2Source, cp2_source};
