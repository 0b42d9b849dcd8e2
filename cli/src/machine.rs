//! The machine that a command runs on: `--machine`, `--set`.

use crate::args::{CoreChoice, MachineChoice};
use crate::exit::{Exit, Failure, Outcome, bad_input};
use crate::files;
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_isa::Core;
use std::path::Path;

/// The description that the arguments ask for; `None` if they ask for none.
pub(crate) fn config(choice: &MachineChoice) -> Outcome<Option<MachineConfig>> {
    let Some(name) = &choice.machine else { return Ok(None) };
    described(name, &choice.set).map(Some)
}

/// The core that the arguments ask for; CP2 if they ask for none.
pub(crate) fn core(choice: &CoreChoice) -> Outcome<Core> {
    if choice.machine.is_none() && choice.set.is_empty() {
        return Ok(Core::default());
    }
    // Every machine that comes with the program has the core of CP2.
    let name = choice.machine.as_deref().unwrap_or(PRESETS[0].0);
    described(name, &choice.set).map(|config| *config.core())
}

/// A machine with some numbers changed.
fn described(name: &str, set: &[String]) -> Outcome<MachineConfig> {
    let mut config = match MachineConfig::preset(name) {
        Some(config) => config,
        None => read(name)?,
    };
    for setting in set {
        config.apply_set(setting).map_err(|e| Failure {
            exit: Exit::Usage,
            message: format!("cp2: error: --set {setting}: {e}"),
        })?;
    }
    Ok(config)
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
