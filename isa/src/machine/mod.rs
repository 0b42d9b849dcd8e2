//! The description of a machine as a value: its numbers with their origins, as a machine file states them, the core of
//! CP2 that these numbers describe, and the extensions that can be switched on. Nothing here runs.

mod config;
mod core;
mod key;
mod switch;
mod toggle;

pub use config::{ConfigError, ConfigNumber, MachineConfig, PRESETS};
pub use core::{Core, CoreNumbers};
pub use key::{Key, KeyInfo, KeyKind};
pub use switch::{Switch, SwitchError};
pub use toggle::{TOGGLES, Toggle};
