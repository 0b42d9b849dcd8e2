//! Machines of a study: all combinations of extensions with their sizes on one machine, by number.

use crate::inputs::LabError;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::machine::{KeyKind, Switch};

/// Most machines of a study.
const MOST: usize = 100_000;

/// Extension of a study with the sizes that are tried, rising; of one without a size there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionAxis {
    /// Name of the extension, without a size.
    pub name: &'static str,
    /// Extension in each size.
    pub levels: Vec<Switch>,
    /// Key of the flag of the extension in machine files; `None` if it changes other numbers.
    flag: Option<Key>,
}

/// All machines of a study: a base and every combination of extensions on it. A machine has a number; that of the base is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSet {
    /// Extensions that are varied.
    pub axes: Vec<ExtensionAxis>,
    configs: Vec<MachineConfig>,
}

/// Returns the flag that a switch sets.
fn flag(switch: &Switch) -> Option<Key> {
    let text = switch.in_file()?;
    let name = text.split(" = ").next()?;
    let key = Key::ALL.into_iter().find(|key| key.to_string() == name)?;
    (key.info().kind == KeyKind::Flag).then_some(key)
}

impl MachineSet {
    /// Creates all combinations of `switches` on a base; those of one extension are its sizes.
    ///
    /// # Errors
    /// There are no switches, one is given twice, the base has one already, or there are too many machines.
    pub fn new(base: &MachineConfig, switches: &[Switch]) -> Result<Self, LabError> {
        let mut axes: Vec<ExtensionAxis> = Vec::new();
        for switch in switches {
            let name = switch.toggle().name;
            let new = || ExtensionAxis { name, levels: Vec::new(), flag: flag(switch) };
            let at = axes.iter().position(|axis| axis.name == name);
            let at = at.unwrap_or_else(|| {
                axes.push(new());
                axes.len() - 1
            });
            if axes[at].levels.contains(switch) {
                return LabError::of(format!("extensions: {switch} is given twice"));
            }
            axes[at].levels.push(*switch);
        }
        for axis in &mut axes {
            let size = |switch: &Switch| {
                let text = switch.to_string();
                text.split_once('=').and_then(|(_, size)| size.parse::<u32>().ok())
            };
            axis.levels.sort_by_key(size);
        }
        if axes.is_empty() {
            return LabError::of(
                "extensions: the list is empty; name at least one, or leave it out for all ten",
            );
        }
        let count =
            axes.iter().try_fold(1_usize, |all, axis| all.checked_mul(axis.levels.len() + 1));
        let count = count.filter(|count| *count <= MOST).ok_or_else(|| {
            LabError::new(format!(
                "extensions: they make more than {MOST} machines; name fewer sizes"
            ))
        })?;
        let mut set = Self { axes, configs: Vec::new() };
        set.configs = (0..count).map(|m| set.made(base, m)).collect::<Result<_, _>>()?;
        Ok(set)
    }

    fn made(&self, base: &MachineConfig, machine: usize) -> Result<MachineConfig, LabError> {
        let mut config = base.clone();
        for switch in self.switches(machine) {
            let switched = config.switch_on(switch);
            switched.map_err(|e| LabError::new(format!("extensions: {e}")))?;
        }
        Ok(config)
    }

    /// Returns the number of machines.
    pub fn count(&self) -> usize {
        self.configs.len()
    }

    /// Returns the level of each extension on a machine: 0 if it is off, else the number of its size, from 1.
    pub fn levels(&self, machine: usize) -> Vec<usize> {
        let mut rest = machine;
        let level = |axis: &ExtensionAxis| {
            let n = axis.levels.len() + 1;
            let level = rest % n;
            rest /= n;
            level
        };
        self.axes.iter().map(level).collect()
    }

    /// Returns the number of the machine with these levels.
    pub fn machine(&self, levels: &[usize]) -> usize {
        let digits = self.axes.iter().zip(levels).rev();
        digits.fold(0, |all, (axis, level)| all * (axis.levels.len() + 1) + level)
    }

    /// Returns the number of the machine that has the extensions of a set, each in its largest size: bit k of `mask` stands for
    /// extension k.
    pub fn of_mask(&self, mask: usize) -> usize {
        let level = |(k, axis): (usize, &ExtensionAxis)| {
            if mask >> k & 1 == 1 { axis.levels.len() } else { 0 }
        };
        self.machine(&self.axes.iter().enumerate().map(level).collect::<Vec<_>>())
    }

    /// Returns the machine as a program sees it that asks about these flags alone: without the extensions whose flags it does not ask
    /// about, so that one run tells all machines that it sees alike.
    pub fn seen(&self, machine: usize, asks: Option<&[Key]>) -> usize {
        let Some(asks) = asks else { return machine };
        let mut levels = self.levels(machine);
        for (axis, level) in self.axes.iter().zip(&mut levels) {
            if axis.flag.is_some_and(|flag| !asks.contains(&flag)) {
                *level = 0;
            }
        }
        self.machine(&levels)
    }

    /// Returns the flags that extensions set, as [`Self::seen`] takes them.
    pub fn flags(switches: &[Switch]) -> Vec<Key> {
        switches.iter().filter_map(flag).collect()
    }

    /// Returns the extensions of a machine.
    pub fn switches(&self, machine: usize) -> Vec<Switch> {
        let levels = self.levels(machine);
        let on = self.axes.iter().zip(levels).filter(|(_, level)| *level > 0);
        on.map(|(axis, level)| axis.levels[level - 1]).collect()
    }

    /// Returns the description of a machine.
    pub fn config(&self, machine: usize) -> &MachineConfig {
        &self.configs[machine]
    }

    /// Returns the name of a machine: its extensions with commas between, or "the machine as it is".
    pub fn name(&self, machine: usize) -> String {
        let names: Vec<String> = self.switches(machine).iter().map(Switch::to_string).collect();
        if names.is_empty() { "the machine as it is".to_owned() } else { names.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn set(text: &str) -> Result<MachineSet, LabError> {
        let base = MachineConfig::preset("vm9").unwrap();
        MachineSet::new(&base, &crate::key::switches(text).unwrap())
    }

    #[test]
    fn numbers_and_levels_are_each_others_inverse() {
        let set = set("word-access,more-fprs=256,more-fprs=128,memory-controller").unwrap();
        assert_eq!((set.count(), set.axes.len()), (12, 3));
        for machine in 0..set.count() {
            assert_eq!(set.machine(&set.levels(machine)), machine);
            assert!(
                set.switches(machine)
                    .iter()
                    .all(|s| s.in_file().is_none() || set.config(machine).has(s))
            );
        }
        assert_eq!(set.name(set.of_mask(0b11)), "word-access, more-fprs=256");
        assert_eq!(set.name(0), "the machine as it is");
    }

    #[test]
    fn what_a_program_does_not_ask_about_it_does_not_see() {
        let set = set("word-access,dma-words,more-fprs=128").unwrap();
        let all = set.of_mask(0b111);
        assert_eq!(set.seen(all, None), all);
        assert_eq!(set.name(set.seen(all, Some(&[]))), "more-fprs=128");
        assert_eq!(set.name(set.seen(all, Some(&[Key::DmaWords]))), "dma-words, more-fprs=128");
    }

    #[test]
    fn what_makes_no_machines_is_refused() {
        assert!(set("").unwrap_err().message.contains("the list is empty"));
        assert!(set("word-access,word-access").unwrap_err().message.contains("given twice"));
        let mut base = MachineConfig::preset("vm9").unwrap();
        base.enable("word-access").unwrap();
        let switches = crate::key::switches("word-access").unwrap();
        let message = MachineSet::new(&base, &switches).unwrap_err().message;
        assert!(message.contains("word-access already"), "{message}");
    }
}
