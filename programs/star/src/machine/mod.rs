//! The model: bits of slices, words and tables; the elementary operations, carried out by a back end and counted here.
//! The library's procedures are made of them in `library`.

mod backend;
mod bits;
mod counts;
mod error;
mod host;
mod star;
mod table;

pub use backend::{Logic, StarBackend};
pub use bits::{BitVector, greatest_number};
pub use counts::{ElementaryCounts, ElementaryOperation};
pub use error::ModelError;
pub use host::HostBackend;
pub use star::{LibraryForm, StarMachine};
pub use table::BitTable;
