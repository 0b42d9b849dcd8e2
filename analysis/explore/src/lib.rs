//! The explorer: a page of the browser with a source on one side, and on the other what becomes of it, made anew while it is typed: bundles,
//! schedules, cycles and what they were spent on, registers, other machines. [`Explorer`] answers what the page asks, [`ExploreServer`] serves
//! it to browsers of this computer alone, [`Explorer::shared_page`] makes one file of it. The page computes nothing itself.

mod arguments;
mod cases;
mod comparison;
mod explorer;
mod findings;
mod guard;
mod moment;
mod page;
mod places;
mod running;
mod schedule;
mod server;
mod text_file;
mod wish;

pub use explorer::{ExploreError, Explorer, ExplorerHost, ExplorerStart};
pub use server::ExploreServer;
pub use wish::{ExploreWish, MachineWish};
