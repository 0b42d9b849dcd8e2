//! Locations, registers and words that have one value: of one section or shared by all, and how they are written and
//! read as text.

use cp2_emu::trace::number_of;
use cp2_isa::{
    Core, Halves, MemoryAddress, Resource, SECTIONS, Section, Storage, StorageCell, WordAddress,
    control, control_name,
};
use std::fmt;
use std::str::FromStr;

/// A location: a register, a half of one, a word or eight bytes of memory, whose value can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A register, or a half of an FPR, in a section; the section is the first one if all sections share the register.
    Register(Resource, Section),
    /// The word of local memory with this address in a section.
    Word(WordAddress, Section),
    /// The eight bytes of system memory from this address on, which is a multiple of 8.
    Memory(MemoryAddress),
}

impl Location {
    /// Creates the location of a whole FPR in a section.
    pub const fn fpr(number: u8, section: Section) -> Self {
        Self::Register(Resource::Fpr(number, Halves::BOTH), section)
    }

    /// Returns the cell, a register or a word in the state of CP2, that contains the location. For a condition code it
    /// is the register of all codes of the section. `None` for system memory, which is not in that state.
    pub fn cell(self) -> Option<StorageCell> {
        match self {
            Self::Word(word, section) => {
                Some(StorageCell { storage: Storage::Lmem, number: word.index(), section })
            }
            Self::Register(resource, section) => {
                let number = number_of(resource).unwrap_or(0);
                Some(StorageCell { storage: resource.storage(), number, section })
            }
            Self::Memory(_) => None,
        }
    }

    /// Returns the value of the location, given the bits of the cell that contains it: an FPR with 0 in the half that
    /// was not asked for, a condition code as 0 or 1, anything else as it is.
    pub fn value_of(self, bits: u64) -> u64 {
        match self {
            Self::Register(Resource::Fpr(_, halves), _) => bits & halves.mask(),
            Self::Register(Resource::Fccr(n), _) => bits >> n & 1,
            _ => bits,
        }
    }

    /// Returns the section of the location; `None` for registers that the sections share and for system memory.
    pub fn section(self) -> Option<Section> {
        match self {
            Self::Word(_, section) => Some(section),
            Self::Register(resource, section) => {
                resource.storage().info().layout.is_per_section().then_some(section)
            }
            Self::Memory(_) => None,
        }
    }

    /// Returns true if a core has the location. Every address of system memory counts as existing.
    pub fn exists(self, core: &Core) -> bool {
        let Some(place) = self.cell() else { return true };
        let info = place.storage.info();
        match self {
            Self::Register(Resource::Fccr(n), _) => n < 8,
            _ => !info.layout.is_numbered() || place.number < (info.count)(core),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(resource, _) => write!(f, "{resource}")?,
            Self::Word(word, _) => write!(f, "[{word}]")?,
            Self::Memory(address) => write!(f, "memory[{address:#x}]")?,
        }
        match self.section() {
            Some(section) => write!(f, ".s{section}"),
            None => Ok(()),
        }
    }
}

/// Returns the register of a name, without its section.
fn register(name: &str) -> Option<Resource> {
    if let Some(n) = name.strip_prefix("cc").and_then(|n| n.parse().ok()) {
        return Some(Resource::Fccr(n));
    }
    if let Some(n) = (0..control::COUNT).find(|&n| control_name(n) == name) {
        return Some(Resource::Control(n));
    }
    let (storage, whole_number) = Storage::from_name(name)?;
    let n = u8::try_from(whole_number).ok()?;
    Some(match storage {
        Storage::Fpr => Resource::Fpr(n, Halves::BOTH),
        Storage::Gpr => Resource::Gpr(n),
        Storage::Ireg => Resource::Ireg(n),
        Storage::A => Resource::A(n),
        Storage::N => Resource::N(n),
        Storage::M => Resource::M(n),
        Storage::SectionA => Resource::SectionA(n),
        Storage::SharedA => Resource::SharedA(n),
        Storage::Fcsr => Resource::Fcsr,
        _ => return None,
    })
}

/// Reads a number, decimal or hexadecimal behind `0x`.
pub fn whole_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl FromStr for Location {
    type Err = String;

    /// Reads a location written as `f12`, `f12.s2`, `f12.lo.s2`, `g3`, `cc1.s0`, `[100].s3`, `memory[0x1000]`; in section 0
    /// if none is named.
    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "write a register or a word as f12.s2, f12.lo.s2, g3, a0, cc1.s0, rind, [100].s3 or memory[0x1000]";
        let refused = || format!("`{text}` is neither a register nor a word; {FORM}");
        let (name, section) = match text.rsplit_once(".s") {
            Some((name, digits)) => {
                let section = digits.parse().ok().and_then(Section::new);
                let most = SECTIONS - 1;
                let section = section.ok_or_else(|| {
                    format!("`{text}`: there is no such section; the sections are 0 to {most}")
                })?;
                (name, section)
            }
            None => (text, Section::FIRST),
        };
        let within =
            |prefix: &str| name.strip_prefix(prefix)?.strip_suffix(']').and_then(whole_number);
        if let Some(word) = within("[") {
            let word = u16::try_from(word).map_err(|_| refused())?;
            return Ok(Self::Word(WordAddress(word), section));
        }
        if let Some(address) = within("memory[") {
            return Ok(Self::Memory(MemoryAddress(address).down_to_multiple_of(8)));
        }
        let (name, halves) = match name.rsplit_once('.') {
            Some((name, "lo")) => (name, Halves::LO),
            Some((name, "hi")) => (name, Halves::HI),
            _ => (name, Halves::BOTH),
        };
        match register(name).ok_or_else(refused)? {
            Resource::Fpr(n, _) => Ok(Self::Register(Resource::Fpr(n, halves), section)),
            _ if halves != Halves::BOTH => Err(format!("`{text}`: only f registers have halves")),
            resource => {
                let own = resource.storage().info().layout.is_per_section();
                Ok(Self::Register(resource, if own { section } else { Section::FIRST }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "f12.s2",
            "f0.lo.s0",
            "f63.hi.s3",
            "g3",
            "a15",
            "cc1.s2",
            "rind",
            "[100].s3",
            "memory[0x1008]",
        ] {
            assert_eq!(text.parse::<Location>().unwrap().to_string(), text);
        }
        assert_eq!("f1".parse::<Location>().unwrap().to_string(), "f1.s0");
        assert_eq!("[0x10]".parse::<Location>().unwrap().to_string(), "[16].s0");
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["f", "q1", "f1.s4", "g1.lo", "[70000]", "f300", "", "[x]"] {
            assert!(text.parse::<Location>().is_err(), "{text}");
        }
        let core = Core::CP2;
        assert!(!"f64".parse::<Location>().unwrap().exists(&core));
        assert!(!"[8192]".parse::<Location>().unwrap().exists(&core));
        assert!("[8191].s3".parse::<Location>().unwrap().exists(&core));
    }
}
