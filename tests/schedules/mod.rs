//! Regions and schedules to test the scheduler's checker with.

pub(crate) mod core;
mod examples;
pub(crate) mod generate;
mod mutate;
pub(crate) mod start;
pub(crate) mod text;
