//! Machines that an environment knows by name: those that come with the library, and those that were added.

use super::Environment;
use crate::failure::Error;
use crate::reuse::lock;
use cp2_emu::MachineConfig;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Machines that were added, by name.
#[derive(Default)]
struct Added(Mutex<BTreeMap<String, MachineConfig>>);

impl Environment {
    /// Returns the description of the machine with this name: one that was added to this environment, or one that comes
    /// with the library, such as `vm7`. `None` if there is none.
    pub fn machine(&self, name: &str) -> Option<MachineConfig> {
        let added = self.shared::<Added>();
        let found = lock(&added.0).get(name).cloned();
        found.or_else(|| MachineConfig::preset(name))
    }

    /// Adds the machine that the text of a machine file describes to this environment and its clones, under a name, and
    /// returns it. A machine that had the name is replaced.
    ///
    /// ```
    /// let environment = cp2_session::Environment::new();
    /// let file = environment.machine("vm9").expect("it comes with the library").dump();
    /// let mine = environment.add_machine("mine", &file.replace("= 600", "= 650"))?;
    /// assert_eq!(environment.machine("mine"), Some(mine));
    /// assert!(cp2_session::Environment::new().machine("mine").is_none());
    /// # Ok::<(), cp2_session::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Machine`] if the text describes no machine.
    pub fn add_machine(&self, name: &str, text: &str) -> Result<MachineConfig, Error> {
        let config = MachineConfig::parse(text).map_err(Error::Machine)?;
        lock(&self.shared::<Added>().0).insert(name.to_owned(), config.clone());
        Ok(config)
    }
}
