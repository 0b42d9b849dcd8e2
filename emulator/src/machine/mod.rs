//! Machines: their description as a file ([`MachineConfig`]), CP2, DMA channel and system memory on one clock
//! ([`Machine`]), and the engines that run them ([`Engine`]).

mod acting;
mod action;
mod agreement;
mod coupled;
mod engine;
mod rate;
mod snapshot;

pub use action::{Act, Action, ActionError};
pub use agreement::{Divergence, compare, what_differs};
pub use coupled::{HostError, Machine};
pub use cp2_isa::machine::{
    ConfigError, ConfigNumber, Key, KeyInfo, KeyKind, MachineConfig, PRESETS,
};
pub use engine::{Engine, Goal, Pause, ReferenceEngine};
pub use rate::{RateError, Rows, dma_rate};
pub use snapshot::{MachineSnapshot, SnapshotError};
