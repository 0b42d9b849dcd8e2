//! Regions and schedules to test the scheduler's checker with.

pub(crate) mod core;
mod damage;
mod examples;
pub(crate) mod generate;
mod long;
mod mutate;
mod promises;
mod rules;
pub(crate) mod start;
pub(crate) mod text;
