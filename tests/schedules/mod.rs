//! Regions and schedules to test the scheduler's checker with.

pub(crate) mod mutate;
pub(crate) mod start;
pub(crate) mod text;
