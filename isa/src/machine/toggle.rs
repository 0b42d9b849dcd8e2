//! The extensions of the architecture that a user can switch on by name: what each sets. One that is asked for, with
//! its value, is a [`Switch`](super::Switch).

use super::key::Key;
use crate::table::Extensions;

/// An extension of the architecture that a user can switch on by its name; a row of [`TOGGLES`]. With a size, where it
/// takes one, it becomes a [`Switch`](super::Switch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toggle {
    /// Name of the extension, as `--enable` and `.requires` take it.
    pub name: &'static str,
    /// Description of what the extension adds, in one line.
    pub summary: &'static str,
    pub(super) change: Change,
}

/// The change that an extension makes to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A flag.
    Flag(Key),
    /// A size that the user gives, and the least of those that are more than CP2 has.
    Size(Key, u32),
    /// The numbers of the memory become those of a better controller; see `better_memory`.
    BetterMemory,
}

const fn flag(name: &'static str, key: Key, summary: &'static str) -> Toggle {
    Toggle { name, summary, change: Change::Flag(key) }
}

/// All extensions that a user can switch on, in the order in which \[D\] 4.2 proposes them.
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
        change: Change::BetterMemory,
    },
];

/// Clocks of DDR2 and DDR3 memory in MHz (twice the bus clock of DDR3), rising.
const MEMORY_CLOCKS: [u32; 7] = [200, 267, 333, 400, 667, 800, 933];

/// Returns the numbers that a better controller gives the memory of a machine with these values. [D] 4.2 gives no
/// values for its tenth extension; these are an assumption.
pub(super) fn better_memory(value: &dyn Fn(Key) -> u32) -> Vec<(Key, u32)> {
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
    /// Returns the extension with this name, such as `word-access`; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOGGLES.iter().find(|toggle| toggle.name == name)
    }

    /// Returns the key of the size that the extension sets, and the least size that a user may give; `None` if the
    /// extension takes no size.
    pub const fn size(&self) -> Option<(Key, u32)> {
        match self.change {
            Change::Size(key, least) => Some((key, least)),
            Change::Flag(_) | Change::BetterMemory => None,
        }
    }

    /// Returns the bit of the extension in [`Extensions`]; `None` for those that have no bit there: `dma-words`,
    /// `larger-local-memory` and `memory-controller`.
    pub const fn extension(&self) -> Option<Extensions> {
        match self.change {
            Change::Flag(key) => key.extension(),
            Change::Size(Key::Fprs, _) => Some(Extensions::MORE_FPRS),
            Change::BetterMemory | Change::Size(..) => None,
        }
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
            let name = match toggle.size() {
                Some((_, least)) => format!("{}={least}", toggle.name),
                None => toggle.name.into(),
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
    fn another_size_of_what_is_on_is_refused() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        config.enable("larger-local-memory=32768").unwrap();
        assert_eq!(config.core().lmem_words(), 32768);
        let error = config.enable("larger-local-memory=16384").unwrap_err().to_string();
        assert!(error.contains("larger-local-memory=32768 is on already and excludes"), "{error}");
        config.enable("more-fprs=128").unwrap();
        assert_eq!(config.core().extensions(), Extensions::MORE_FPRS);
    }
}
