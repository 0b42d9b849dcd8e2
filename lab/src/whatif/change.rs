//! Changes of a machine: extensions and numbers that are set together, and a subject on a machine with some of them.

use crate::inputs::LabError;
use crate::recorded::Subject;
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Key, PRESETS};
use cp2_isa::machine::Switch;

/// Change of a machine in a what-if study: extensions that are switched on, or numbers that are set, all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    switches: Vec<Switch>,
    /// Keys of the numbers, each with its text `KEY=VALUE`.
    settings: Vec<(Key, String)>,
}

impl Change {
    /// Reads a change that switches on extensions from their names, separated by commas, such as
    /// `word-access,more-fprs=128`.
    ///
    /// # Errors
    /// There is no extension of a name, and the message tells the nearest; its value is wrong; or the text has no name
    /// at all.
    pub fn enable(text: &str) -> Result<Self, LabError> {
        let switches = text.split(',').map(crate::key::switch).collect::<Result<_, _>>()?;
        Ok(Self { switches, settings: Vec::new() })
    }

    /// Reads a change that sets numbers of the machine from a text `KEY=VALUE,KEY=VALUE`. Values are checked only when
    /// the change is made.
    ///
    /// # Errors
    /// There is no such key; the message tells the nearest.
    pub fn set(text: &str) -> Result<Self, LabError> {
        let setting = |part: &str| {
            let part = part.trim();
            let name = part.split('=').next().unwrap_or_default().trim();
            let key = Key::ALL.into_iter().find(|key| key.to_string() == name);
            let key = key.ok_or_else(|| {
                let names = Key::ALL.map(|key| key.to_string());
                let near = crate::key::nearest(name, names.iter().map(String::as_str));
                LabError::new(format!("{name} is not a key of a machine; the nearest is {near}"))
            })?;
            Ok((key, part.to_owned()))
        };
        let settings = text.split(',').map(setting).collect::<Result<_, LabError>>()?;
        Ok(Self { switches: Vec::new(), settings })
    }

    /// Returns the change as text, in the form in which it is read: names of extensions and settings `KEY=VALUE`,
    /// separated by commas.
    pub fn name(&self) -> String {
        let switches = self.switches.iter().map(Switch::to_string);
        let settings = self.settings.iter().map(|(_, setting)| setting.clone());
        switches.chain(settings).collect::<Vec<_>>().join(",")
    }

    /// Whether all that the change does goes through programs or leaves marks in the counts of a run: it consists of
    /// extensions and of numbers of the core.
    pub(super) fn leaves_marks(&self) -> bool {
        self.settings.iter().all(|(key, _)| key.is_of_core())
    }
}

/// Returns the subject on its machine, or its core, with all the given changes made: first extensions are switched on,
/// then numbers are set.
///
/// # Errors
/// A key does not take its value, an extension is on already, or the subject is a kernel and a change concerns more
/// than the core, or its core is changed already.
pub fn changed(subject: &Subject, changes: &[&Change]) -> Result<Subject, LabError> {
    let alone = MachineConfig::preset(PRESETS[0].0);
    let Some(mut config) = subject.machine.clone().or(alone) else {
        return LabError::of("there is no machine to change");
    };
    if subject.machine.is_none() {
        // The core of a subject may have been changed before.
        if let Some(change) = subject.core.changes().first() {
            return LabError::of(format!(
                "{change}: the core of the baseline is not that of CP2; give --machine"
            ));
        }
    }
    let failed = |e: cp2_emu::machine::ConfigError| LabError::new(e.to_string());
    let mut on: Vec<Switch> = Vec::new();
    for switch in changes.iter().flat_map(|change| &change.switches) {
        check_place(subject, &switch.to_string(), switch.is_of_core())?;
        // One that stands in two changes is switched on once.
        if !on.contains(switch) {
            config.switch_on(*switch).map_err(failed)?;
            on.push(*switch);
        }
    }
    // As on the command line, numbers come after extensions, which may set them too.
    for (key, setting) in changes.iter().flat_map(|change| &change.settings) {
        check_place(subject, setting, key.is_of_core())?;
        config.apply_set(setting).map_err(failed)?;
    }
    let core = *config.core();
    Ok(subject.with_machine(subject.machine.is_some().then_some(config), core))
}

/// Refuses what changes more than the core where there is no machine around it.
fn check_place(subject: &Subject, part: &str, is_of_core: bool) -> Result<(), LabError> {
    if subject.machine.is_some() || is_of_core {
        return Ok(());
    }
    LabError::of(format!(
        "{part} changes more than the core, but a kernel runs on CP2 alone; give --machine, with which procedures run"
    ))
}
