//! Whole machines: their description as a file, and CP2, DMA and memory coupled in one clock.

mod config;
mod coupled;
mod key;
mod rate;

pub use config::{ConfigError, MachineConfig, Number, PRESETS};
pub use coupled::{HostError, Machine};
pub use key::{Key, KeyInfo, Kind};
pub use rate::{RateError, Rows, dma_rate};
