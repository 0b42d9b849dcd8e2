//! Whole machines: their description as a file, and CP2, DMA and memory coupled in one clock, and what
//! runs them.

mod coupled;
mod engine;
mod rate;

pub use coupled::{HostError, Machine};
pub use cp2_isa::machine::{ConfigError, Key, KeyInfo, Kind, MachineConfig, Number, PRESETS};
pub use engine::{Engine, Goal, Pause, Reference};
pub use rate::{RateError, Rows, dma_rate};
