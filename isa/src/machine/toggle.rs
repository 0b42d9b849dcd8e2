//! The extensions of the architecture that a user can switch on by name: what each sets.

use super::core::CoreNumbers;
use super::key::Key;
use crate::table::Extensions;

/// An extension of the architecture.
#[derive(Clone, Copy, Debug)]
pub struct Toggle {
    /// Its name, as `--enable` and `.requires` take it.
    pub name: &'static str,
    /// What it adds, one line.
    pub summary: &'static str,
    change: Change,
}

/// The numbers of a machine as it is.
type Now<'a> = dyn Fn(Key) -> u32 + 'a;

/// What switching it on does to a machine.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A flag.
    Flag(Key),
    /// A size that the user gives, and the least of those that are more than CP2 has.
    Size(Key, u32),
    /// Numbers that depend on those of the machine as it is.
    Numbers(fn(&Now<'_>) -> Vec<(Key, u32)>),
}

const fn flag(name: &'static str, key: Key, summary: &'static str) -> Toggle {
    Toggle { name, summary, change: Change::Flag(key) }
}

/// All of them, in the order of `[D]` 4.2.
pub const TOGGLES: [Toggle; 10] = [
    flag("word-access", Key::WordAccess, "32-bit loads and stores"),
    flag("section-addressing", Key::SectionAddressing, "address registers of each section"),
    flag("conditional-memory", Key::ConditionalMemory, "loads and stores obey the predicate"),
    flag("section-counters", Key::SectionCounters, "hardware loops with a count for each section"),
    flag("shared-memory", Key::SharedMemory, "a memory of 8 KiB common to the sections"),
    flag("fft-direction", Key::FftDirection, "kernels write the direction of an FFT"),
    flag("dma-words", Key::DmaWords, "DMA transfers aligned to 4 bytes, and gathers of words"),
    Toggle {
        name: "more-fprs",
        summary: "floating-point registers of a section, more than 64, as the value says; bundles of two words",
        change: Change::Size(Key::Fprs, 65),
    },
    Toggle {
        name: "larger-local-memory",
        summary: "16384 or 32768 words of local memory in a section, as the value says",
        change: Change::Size(Key::LocalMemory, 16384),
    },
    Toggle {
        name: "memory-controller",
        summary: "8 outstanding transactions, half the cost of opening a row, the next memory clock",
        change: Change::Numbers(better_memory),
    },
];

/// Clocks of DDR2 and DDR3 memory in MHz (twice the bus clock of DDR3), rising.
const MEMORY_CLOCKS: [u32; 7] = [200, 267, 333, 400, 667, 800, 933];

/// [D] 4.2 gives no values for its tenth extension; these are an assumption.
fn better_memory(value: &Now<'_>) -> Vec<(Key, u32)> {
    let clock = value(Key::MemoryClock);
    let next = MEMORY_CLOCKS.into_iter().find(|next| *next > clock).unwrap_or(clock);
    let half = |key| (key, value(key).div_ceil(2));
    vec![
        (Key::MemoryClock, next),
        (Key::Outstanding, value(Key::Outstanding).max(8)),
        half(Key::GetRowOpening),
        half(Key::PutRowOpening),
    ]
}

impl Toggle {
    /// The extension of this name, behind which `=` and a value may stand.
    pub fn named(text: &str) -> Option<&'static Self> {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        TOGGLES.iter().find(|toggle| toggle.name == name)
    }

    /// What a machine file says to switch it on, with the value that the user gives it; none if that depends on
    /// the machine.
    pub fn in_file(&self, value: Option<&str>) -> Option<String> {
        match self.change {
            Change::Flag(key) => Some(format!("{key} = true")),
            Change::Size(key, least) => {
                Some(value.map_or(format!("{key} = {least}"), |value| format!("{key} = {value}")))
            }
            Change::Numbers(_) => None,
        }
    }

    /// The bit of the core that it sets; none if programs need not know of it.
    pub const fn extension(&self) -> Option<Extensions> {
        match self.change {
            Change::Flag(key) => key.extension(),
            Change::Size(Key::Fprs, _) => Some(Extensions::MORE_FPRS),
            Change::Numbers(_) | Change::Size(..) => None,
        }
    }

    /// The keys that it changes of a machine with the values of now, and to what, with the value that the
    /// user gives it.
    ///
    /// # Errors
    /// It takes no value, or another one.
    pub fn settings(&self, now: &Now<'_>, value: Option<&str>) -> Result<Vec<(Key, u32)>, String> {
        let name = self.name;
        match (self.change, value) {
            (Change::Size(key, least), value) => {
                let size = value.and_then(|value| value.parse().ok());
                let size = size.filter(|&size| size >= least && key.info().kind.takes(size));
                let takes = || {
                    let kind = key.info().kind;
                    format!("{name} takes a value, `{name}=N`: {kind}, {least} at least")
                };
                let size = size.ok_or_else(takes)?;
                match now(key) {
                    on if on >= least && on != size => Err(format!(
                        "{name}={on} is on already and excludes {name}={size}: {key} is one number"
                    )),
                    _ => Ok(vec![(key, size)]),
                }
            }
            (_, Some(value)) => Err(format!("{name} takes no value, and `{value}` is given")),
            (Change::Flag(key), None) => Ok(vec![(key, 1)]),
            (Change::Numbers(numbers), None) => Ok(numbers(now)),
        }
    }

    /// The numbers of a core that has it, with the value that the user gives it; none if it is not of the core, or of
    /// that value.
    pub fn on_core(&self, numbers: CoreNumbers, value: Option<&str>) -> Option<CoreNumbers> {
        let size = || value.and_then(|value| value.parse::<u32>().ok());
        Some(match self.change {
            Change::Size(Key::Fprs, _) => {
                CoreNumbers { fprs: numbers.fprs.max(size()?), ..numbers }
            }
            Change::Size(Key::LocalMemory, _) => CoreNumbers {
                local_memory_words: numbers.local_memory_words.max(size()?),
                ..numbers
            },
            _ => CoreNumbers { extensions: numbers.extensions | self.extension()?, ..numbers },
        })
    }

    /// Whether it changes nothing but the core, so that it needs no machine around it.
    pub fn is_of_core(&self) -> bool {
        matches!(self.change, Change::Flag(key) | Change::Size(key, _) if key.is_of_core())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Core, MachineConfig};

    #[test]
    fn every_extension_of_the_core_has_a_name_and_is_off_at_first() {
        let all: Extensions = TOGGLES.iter().filter_map(Toggle::extension).collect();
        assert_eq!(all, Extensions::all());
        for toggle in TOGGLES {
            assert!(toggle.extension().is_none_or(|e| e.names() == toggle.name), "{}", toggle.name);
        }
        let mut config = MachineConfig::preset("vm7").unwrap();
        assert_eq!(config.core(), &Core::CP2);
        for toggle in TOGGLES {
            let name = match toggle.change {
                Change::Size(_, least) => format!("{}={least}", toggle.name),
                Change::Flag(_) | Change::Numbers(_) => toggle.name.into(),
            };
            config.enable(&name).unwrap();
            assert!(config.enable(&name).is_err(), "{name}");
        }
        assert_eq!(config.core().extensions(), Extensions::all());
        assert_eq!(MachineConfig::parse(&config.dump()).unwrap(), config);
    }

    #[test]
    fn the_tenth_takes_the_memory_one_step_further() {
        let mut config = MachineConfig::preset("vm9").unwrap();
        config.enable("memory-controller").unwrap();
        let numbers = [Key::MemoryClock, Key::Outstanding, Key::GetRowOpening, Key::PutRowOpening];
        assert_eq!(numbers.map(|key| config.value(key)), [800, 8, 6, 20]);
        assert_eq!(config.number(Key::Outstanding).origin, "--enable memory-controller");
    }

    #[test]
    fn a_size_needs_a_value_above_that_of_cp2() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        for wrong in ["", "=8192", "=20000", "=65536", "=x"] {
            let error = config.enable(&format!("larger-local-memory{wrong}")).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("a power of two from 1024 to 32768, 16384 at least"), "{text}");
        }
        assert!(config.enable("word-access=1").is_err());
        config.enable("larger-local-memory=32768").unwrap();
        assert_eq!(config.core().lmem_words(), 32768);
        let error = config.enable("larger-local-memory=16384").unwrap_err().to_string();
        assert!(error.contains("larger-local-memory=32768 is on already and excludes"), "{error}");
        for wrong in ["", "=64", "=257"] {
            let error = config.enable(&format!("more-fprs{wrong}")).unwrap_err().to_string();
            assert!(error.contains("a whole number from 8 to 256, 65 at least"), "{error}");
        }
        config.enable("more-fprs=128").unwrap();
        assert_eq!(config.core().extensions(), Extensions::MORE_FPRS);
    }

    #[test]
    fn a_name_that_there_is_not_is_refused_with_those_that_there_are() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        let error = config.enable("word_access").unwrap_err().to_string();
        assert!(error.starts_with("`word_access` is no extension; there are word-access, "));
    }
}
