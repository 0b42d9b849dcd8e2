//! The machine that a command runs on, or the core that it makes a program for: `--machine`, `--set`.

use crate::args::{CoreChoice, MachineChoice};
use crate::exit::{Failure, Outcome, bad_input, usage};
use crate::files;
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_isa::Core;
use std::path::Path;

/// The description that the arguments ask for; `None` if they ask for none.
pub(crate) fn config(choice: &MachineChoice) -> Outcome<Option<MachineConfig>> {
    let Some(name) = &choice.machine else { return Ok(None) };
    changed(named(name)?, &choice.set).map(Some)
}

/// The core that the arguments ask for: that of a machine, or of CP2 with some of its numbers changed.
pub(crate) fn core(choice: &CoreChoice) -> Outcome<Core> {
    match &choice.machine {
        Some(name) => Ok(*changed(named(name)?, &choice.set)?.core()),
        None => core_alone(&choice.set),
    }
}

/// CP2 alone with some of its numbers changed.
pub(crate) fn core_alone(settings: &[String]) -> Outcome<Core> {
    let foreign = |setting: &&String| !setting.trim_start().starts_with("core.");
    if let Some(setting) = settings.iter().find(foreign) {
        return Err(unusable(setting, "without --machine only numbers of `core` can be set"));
    }
    // Every machine that comes with the program has the core of CP2.
    Ok(*changed(named(PRESETS[0].0)?, settings)?.core())
}

fn named(name: &str) -> Outcome<MachineConfig> {
    MachineConfig::preset(name).map_or_else(|| read(name), Ok)
}

fn changed(mut config: MachineConfig, settings: &[String]) -> Outcome<MachineConfig> {
    for setting in settings {
        config.apply_set(setting).map_err(|e| unusable(setting, &e.to_string()))?;
    }
    Ok(config)
}

fn unusable(setting: &str, why: &str) -> Failure {
    usage(format!("--set {setting}: {why}"))
}

fn read(name: &str) -> Outcome<MachineConfig> {
    let path = Path::new(name);
    if !files::is_standard(path) && path.extension().is_none() && !path.exists() {
        let names = PRESETS.map(|(name, _)| name).join(", ");
        return Err(bad_input(format!(
            "--machine {name}: no machine and no file of this name; the machines are {names}"
        )));
    }
    let text = String::from_utf8(files::read(path)?)
        .map_err(|_| bad_input(format!("{name}: this is no text in UTF-8")))?;
    MachineConfig::parse(&text).map_err(|e| {
        let problems = e.problems.iter().map(|p| format!("{name}: {p}"));
        bad_input(problems.collect::<Vec<_>>().join("\ncp2: error: "))
    })
}
