//! The extensions of the architecture that a user can switch on by name: what each sets.

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

/// What switching it on does to a machine.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A flag.
    Flag(Key),
    /// Numbers that depend on those of the machine as it is.
    Numbers(fn(&dyn Fn(Key) -> u32) -> Vec<(Key, u32)>),
}

const fn flag(name: &'static str, key: Key, summary: &'static str) -> Toggle {
    Toggle { name, summary, change: Change::Flag(key) }
}

/// All of them, in the order of [D] 4.2.
pub const TOGGLES: [Toggle; 8] = [
    flag("word-access", Key::WordAccess, "32-bit loads and stores"),
    flag("section-addressing", Key::SectionAddressing, "address registers of each section"),
    flag("conditional-memory", Key::ConditionalMemory, "loads and stores obey the predicate"),
    flag("section-counters", Key::SectionCounters, "hardware loops with a count for each section"),
    flag("shared-memory", Key::SharedMemory, "a memory common to the sections"),
    flag("fft-direction", Key::FftDirection, "kernels write the direction of an FFT"),
    flag("dma-words", Key::DmaWords, "DMA transfers aligned to 4 bytes, and gathers of words"),
    Toggle {
        name: "memory-controller",
        summary: "8 outstanding transactions, half the cost of opening a row, the next memory clock",
        change: Change::Numbers(better_memory),
    },
];

/// Clocks of DDR2 and DDR3 memory in MHz (twice the bus clock of DDR3), rising.
const MEMORY_CLOCKS: [u32; 7] = [200, 267, 333, 400, 667, 800, 933];

/// [D] 4.2 gives no values for its tenth extension; these are an assumption.
fn better_memory(value: &dyn Fn(Key) -> u32) -> Vec<(Key, u32)> {
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
    /// The extension of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOGGLES.iter().find(|toggle| toggle.name == name)
    }

    /// The bit of the core that it sets; none if programs need not know of it.
    pub const fn extension(&self) -> Option<Extensions> {
        match self.change {
            Change::Flag(key) => key.extension(),
            Change::Numbers(_) => None,
        }
    }

    /// The keys that it changes of a machine with these values, and to what.
    pub fn settings(&self, value: &dyn Fn(Key) -> u32) -> Vec<(Key, u32)> {
        match self.change {
            Change::Flag(key) => vec![(key, 1)],
            Change::Numbers(numbers) => numbers(value),
        }
    }

    /// Whether it changes nothing but the core, so that it needs no machine around it.
    pub fn is_of_core(&self) -> bool {
        matches!(self.change, Change::Flag(key) if key.is_of_core())
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
            config.enable(toggle.name).unwrap();
            assert!(config.enable(toggle.name).is_err(), "{}", toggle.name);
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
    fn a_name_that_there_is_not_is_refused_with_those_that_there_are() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        let error = config.enable("word_access").unwrap_err().to_string();
        assert!(error.starts_with("`word_access` is no extension; there are word-access, "));
    }
}
