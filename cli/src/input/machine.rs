//! The machine that a command runs on, or the core that it makes a program for: `--machine`, `--enable`, `--set`.

use crate::args::{Changes, CoreChoice, MachineChoice};
use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::files;
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_isa::Core;
use cp2_isa::machine::Key;
use std::path::Path;

/// Returns the description of the machine that the arguments ask for; `None` if they ask for none.
pub(crate) fn config(choice: &MachineChoice) -> Outcome<Option<MachineConfig>> {
    chosen(choice.machine.as_deref(), &choice.changes)
}

/// Returns a machine with the changes of the arguments.
#[cfg(feature = "cluster")]
pub(crate) fn with_changes(
    config: MachineConfig,
    choice: &MachineChoice,
) -> Outcome<MachineConfig> {
    changed(config, &choice.changes)
}

/// Returns the machine of this name with changes; `None` for no name.
fn chosen(name: Option<&str>, changes: &Changes) -> Outcome<Option<MachineConfig>> {
    name.map(|name| changed(named(name)?, changes)).transpose()
}

/// Returns the description of the machine that the arguments ask for, if they ask for one, and the core: that of the machine,
/// or of CP2 alone with some of its numbers changed.
pub(crate) fn with_core(choice: &MachineChoice) -> Outcome<(Option<MachineConfig>, Core)> {
    let config = config(choice)?;
    let core = match &config {
        Some(config) => *config.core(),
        None => core_alone(&choice.changes)?,
    };
    Ok((config, core))
}

/// Returns the machine of which the arguments ask for the core; `None` if they name none.
pub(crate) fn of_core(choice: &CoreChoice) -> Outcome<Option<MachineConfig>> {
    chosen(choice.machine.as_deref(), &choice.changes)
}

/// Returns the core that the arguments ask for: that of a machine, or of CP2 with some of its numbers changed.
pub(crate) fn core(choice: &CoreChoice) -> Outcome<Core> {
    match of_core(choice)? {
        Some(config) => Ok(*config.core()),
        None => core_alone(&choice.changes),
    }
}

/// Returns the core of CP2 alone with some of its numbers changed.
pub(crate) fn core_alone(changes: &Changes) -> Outcome<Core> {
    let key_of = |setting: &String| {
        let (section, name) = setting.split_once('=')?.0.trim().split_once('.')?;
        Key::named(section, name)
    };
    let foreign = |setting: &&String| key_of(setting).is_some_and(|key| !key.is_of_core());
    if let Some(setting) = changes.set.iter().find(foreign) {
        let why = "without --machine only numbers of the core can be set";
        return Err(usage(format!("--set {setting}: {why}")));
    }
    if let Some(switch) = changes.enable.iter().find(|switch| !switch.is_of_core()) {
        let why = "it changes more than the core, and needs --machine";
        return Err(usage(format!("--enable {switch}: {why}")));
    }
    // Every machine that comes with the program has the core of CP2.
    Ok(*changed(named(PRESETS[0].0)?, changes)?.core())
}

/// Returns the machine of this name, or in this file.
pub(crate) fn named(name: &str) -> Outcome<MachineConfig> {
    MachineConfig::preset(name).map_or_else(|| read(name, &format!("--machine {name}")), Ok)
}

/// Returns the machine of this name, or in this file, which the key of an input names: `place` is the input with the key.
#[cfg(feature = "cluster")]
pub(crate) fn named_in(name: &str, place: &str) -> Outcome<MachineConfig> {
    let path = Path::new(name);
    match MachineConfig::preset(name) {
        Some(config) => Ok(config),
        None if path.extension().is_some() && !path.exists() => {
            Err(bad_input(format!("{place}: there is no machine file {name}")))
        }
        None => read(name, place),
    }
}

/// Returns a machine with changes.
pub(crate) fn changed(mut config: MachineConfig, changes: &Changes) -> Outcome<MachineConfig> {
    for switch in &changes.enable {
        config.switch_on(*switch).map_err(|e| usage(format!("--enable {switch}: {e}")))?;
    }
    for setting in &changes.set {
        config.apply_set(setting).map_err(|e| usage(format!("--set {setting}: {e}")))?;
    }
    Ok(config)
}

/// Reads a machine file. `choice` is where its name stands, for an error.
fn read(name: &str, choice: &str) -> Outcome<MachineConfig> {
    let path = Path::new(name);
    if !files::is_standard(path) && path.extension().is_none() && !path.exists() {
        let names = PRESETS.map(|(name, _)| name).join(", ");
        return Err(bad_input(format!(
            "{choice}: there is neither a machine nor a file of this name; the machines are {names}"
        )));
    }
    let text = String::from_utf8(files::read(path)?)
        .map_err(|_| bad_input(format!("{name}: not UTF-8 text")))?;
    MachineConfig::parse(&text).map_err(|e| {
        let problems = e.problems.iter().map(|p| format!("{name}: {p}"));
        bad_input(problems.collect::<Vec<_>>().join("\ncp2: error: "))
    })
}
