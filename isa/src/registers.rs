//! The one table of registers and memories: what there is, how wide, how many, what it holds after
//! reset. State, its JSON and schema, comparison, names in traces and views derive from it.

use crate::bits::{CONTROL_MASK, FCCR_ONES, status};
use crate::operand::RegFile;
use crate::rules::flags::FCSR_MASK;
use crate::{Core, Extensions, SECTIONS, Section, control};
use std::fmt;

/// The number of registers of a kind, and whether the sections share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageShape {
    /// A single register that the sections share.
    Single,
    /// Numbered registers that the sections share.
    Numbered,
    /// A register in every section.
    PerSection,
    /// Numbered registers in every section.
    NumberedPerSection,
}

impl StorageShape {
    /// Whether every section has registers of its own.
    pub const fn is_per_section(self) -> bool {
        matches!(self, Self::PerSection | Self::NumberedPerSection)
    }

    /// Whether the registers have numbers.
    pub const fn is_numbered(self) -> bool {
        matches!(self, Self::Numbered | Self::NumberedPerSection)
    }

    /// Returns the number of sections that have a value of their own: all, or one for what they share.
    pub const fn sections(self) -> usize {
        if self.is_per_section() { SECTIONS } else { 1 }
    }

    /// Returns the sections that have a value of their own; the first one for what they share.
    pub fn own_sections(self) -> impl Iterator<Item = Section> {
        Section::ALL.into_iter().take(self.sections())
    }
}

/// The part of a kind of registers that a state file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// Every value.
    Whole,
    /// The values that are not 0, with their numbers.
    Sparse,
    /// No value: the kind belongs to the run, not to the program's data.
    No,
}

/// A row of the table of storage: names, number, width and bits of a kind of register or memory.
#[derive(Clone, Copy, Debug)]
pub struct StorageInfo {
    /// Key of the kind in state files, such as `fpr`.
    pub key: &'static str,
    /// Name of the kind in the assembler and in traces, before the number of a register if it has one.
    pub name: &'static str,
    /// Number of registers of the kind, and whether sections share them.
    pub layout: StorageShape,
    /// Part of the kind that a state file has.
    pub filed: Filed,
    /// Number of registers or words in a section, 0 where the core has none; the depth of a stack.
    pub count: fn(&Core) -> usize,
    /// Width of a register or word of the kind in bits, on this core.
    pub bits: fn(&Core) -> u32,
    /// The bits that can be 1; those beyond the width do not matter.
    pub writable: u64,
    /// The bits that are always 1, whatever is written.
    pub ones: u64,
    /// Value of a register or word of the kind after reset.
    pub reset: fn(&Core) -> u64,
    /// Description of the kind, in one line.
    pub description: &'static str,
}

macro_rules! storages {
    ($($id:ident $key:literal $name:literal $layout:ident $filed:ident, $count:expr, $bits:expr,
        $(writable $writable:expr,)? $(ones $ones:expr,)? $(reset $reset:expr,)?
        $description:literal;)*) => {
        /// A kind of register or memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Storage {
            $(#[doc = $description] $id,)*
        }

        impl Storage {
            /// All kinds, in the order of state files.
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the row of the kind.
            pub const fn info(self) -> &'static StorageInfo {
                match self {
                    $(Self::$id => {
                        const INFO: StorageInfo = StorageInfo {
                            key: $key,
                            name: $name,
                            layout: StorageShape::$layout,
                            filed: Filed::$filed,
                            count: $count,
                            bits: $bits,
                            writable: first(&[$($writable,)? u64::MAX]),
                            ones: first(&[$($ones,)? 0]),
                            reset: or_zero(&[$($reset)?]),
                            description: $description,
                        };
                        &INFO
                    })*
                }
            }
        }
    };
}

const fn first(of: &[u64]) -> u64 {
    of[0]
}

const fn or_zero(of: &[fn(&Core) -> u64]) -> fn(&Core) -> u64 {
    match of {
        [reset, ..] => *reset,
        [] => |_| 0,
    }
}

/// Registers of a file that a field of four bits names.
const FILE: fn(&Core) -> usize = |_| 16;
/// Sets with an address of each section.
const SECTION_SETS: fn(&Core) -> usize =
    |core| if core.extensions().contains(Extensions::SECTION_ADDRESSING) { 16 } else { 0 };
/// Words of shared memory, where there is one.
pub const SHARED_WORDS: usize = 1024;
const SHARED: fn(&Core) -> usize = |core| if has_shared(core) { SHARED_WORDS } else { 0 };
const SHARED_SETS: fn(&Core) -> usize = |core| if has_shared(core) { 16 } else { 0 };
const fn has_shared(core: &Core) -> bool {
    core.extensions().contains(Extensions::SHARED_MEMORY)
}
const ONE: fn(&Core) -> usize = |_| 1;
const LONG: fn(&Core) -> u32 = |_| 64;
const WORD: fn(&Core) -> u32 = |_| 32;
const HALF: fn(&Core) -> u32 = |_| 16;

storages! {
    Fpr "fpr" "f" NumberedPerSection Whole, |core| core.fprs(), LONG, "floating-point registers";
    Lmem "lmem" "word " NumberedPerSection Sparse, |core| core.lmem_words(), LONG, "local memory";
    Gpr "gpr" "g" Numbered Whole, FILE, LONG, "general registers";
    A "a" "a" Numbered Whole, FILE, |core| core.address_bits(), "addresses, in words";
    N "n" "n" Numbered Whole, FILE, |core| core.address_bits(), reset |_| 1, "address steps, in words";
    M "m" "m" Numbered Whole, FILE, |core| core.address_bits(),
        reset |core| core.address_mask().into(), "address modes";
    SectionA "sa" "sa" NumberedPerSection Whole, SECTION_SETS, |core| core.address_bits(),
        "section addresses, in words";
    Shared "shared" "shared " Numbered Sparse, SHARED, LONG, "shared memory";
    SharedA "qa" "qa" Numbered Whole, SHARED_SETS, |_| SHARED_WORDS.ilog2(), "shared addresses, in words";
    Ireg "ireg" "i" Numbered Whole, FILE, LONG, "index registers";
    Control "control" "control" Single Whole, ONE, WORD, writable CONTROL_MASK, "CONTROL";
    Rind "rind" "rind" Single Whole, ONE, HALF, "angle of the next coefficient, 65536 to a turn";
    Rstep "rstep" "rstep" Single Whole, ONE, HALF, "step of the angle";
    Rmask "rmask" "rmask" Single Whole, ONE, HALF, reset |_| 0xffff, "bits of the angle that step";
    Status "status" "status" Single Whole, ONE, WORD, writable status::STORED, "STATUS";
    Stopcode "stopcode" "stopcode" Single Whole, ONE, LONG, "code of the last stop";
    Fccr "fccr" "fccr" PerSection Whole, ONE, |_| 8, ones FCCR_ONES as u64,
        reset |_| FCCR_ONES.into(), "condition codes";
    Fcsr "fcsr" "fcsr" PerSection Whole, ONE, WORD, writable FCSR_MASK as u64, "flags and cause";
    Comm "comm" "comm" Single No, ONE, LONG, "mailbox";
    Pc "pc" "pc" Single No, ONE, |_| 16, "address of the next bundle";
    Loops "loops" "loop " Numbered No, |core| core.loop_depth(), LONG,
        "active loops: count in bits 63:32, start in 31:16, end in 15:0";
    Calls "calls" "call " Numbered No, |core| core.call_depth(), |_| 16, "return addresses";
    Iram "iram" "bundle " Numbered No, |core| core.iram_bundles(), LONG, "instruction memory";
    IramUpper "iram_upper" "upper word of bundle " Numbered No,
        |core| if core.has_wide_bundles() { core.iram_bundles() } else { 0 }, LONG,
        "upper words of instruction memory";
}

impl Storage {
    /// Returns the kind that state files call `key`; `None` for a kind that they leave out.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.info().key == key && s.info().filed != Filed::No)
    }

    /// Returns the kind and the number of the register that the assembler calls `name`, such as `g2` or `rind`; a number that
    /// no core has is not refused here.
    pub fn from_name(name: &str) -> Option<(Self, usize)> {
        Self::ALL.into_iter().find_map(|storage| {
            let info = storage.info();
            let rest = name.strip_prefix(info.name)?;
            match info.layout.is_numbered() {
                true => {
                    let number = rest.parse().ok().filter(|n: &usize| n.to_string() == rest)?;
                    Some((storage, number))
                }
                false => rest.is_empty().then_some((storage, 0)),
            }
        })
    }

    /// Returns the kind that holds a control register; `None` for those that show something else, such as the depth of a
    /// stack.
    pub const fn of_control(number: u8) -> Option<Self> {
        Some(match number {
            control::PC => Self::Pc,
            control::COMM => Self::Comm,
            control::CONTROL => Self::Control,
            control::STATUS => Self::Status,
            control::RIND => Self::Rind,
            control::RSTEP => Self::Rstep,
            control::RMASK => Self::Rmask,
            control::STOPCODE => Self::Stopcode,
            _ => return None,
        })
    }

    /// Returns `value` with the bits that exist on a core, and with those that are always 1.
    pub fn fitted(self, core: &Core, value: u64) -> u64 {
        let StorageInfo { bits, writable, ones, .. } = self.info();
        value & (u64::MAX >> (64 - bits(core))) & writable | ones
    }
}

impl RegFile {
    /// Returns the kind of the registers in the file; `None` for control registers, each of which is a kind of its own.
    pub const fn storage(self) -> Option<Storage> {
        Some(match self {
            Self::Gpr => Storage::Gpr,
            Self::A => Storage::A,
            Self::N => Storage::N,
            Self::M => Storage::M,
            Self::Ireg => Storage::Ireg,
            Self::Control => return None,
        })
    }
}

/// A register, or a word of memory, of CP2: its kind, its number, its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageCell {
    /// Kind of the register or memory.
    pub storage: Storage,
    /// Number of the register; 0 for the only one of its kind.
    pub number: usize,
    /// Section of the register; 0 if the sections share it.
    pub section: Section,
}

impl fmt::Display for StorageCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StorageInfo { name, layout, .. } = self.storage.info();
        f.write_str(name)?;
        if layout.is_numbered() {
            write!(f, "{}", self.number)?;
        }
        if layout.is_per_section() {
            write!(f, " of section {}", self.section)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_name;

    #[test]
    fn names_are_those_of_the_assembler() {
        let place = |storage, number, section| StorageCell { storage, number, section }.to_string();
        assert_eq!(place(Storage::Fpr, 7, Section::ALL[2]), "f7 of section 2");
        assert_eq!(place(Storage::Gpr, 15, Section::FIRST), "g15");
        assert_eq!(place(Storage::Fccr, 0, Section::ALL[3]), "fccr of section 3");
        assert_eq!(place(Storage::Rind, 0, Section::FIRST), "rind");
        let names: Vec<_> = (0..control::COUNT).map(control_name).collect();
        let all = ["pc", "comm", "control", "status", "psp", "lc", "la", "lsp", "rind", "rstep"];
        assert_eq!(names, [&all[..], &["rmask", "stopcode"]].concat());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        assert_eq!(Storage::from_name("g2"), Some((Storage::Gpr, 2)));
        assert_eq!(Storage::from_name("f63"), Some((Storage::Fpr, 63)));
        assert_eq!(Storage::from_name("rind"), Some((Storage::Rind, 0)));
        for name in ["g", "g02", "g-1", "x1", "rind1", "fpr", ""] {
            assert_eq!(Storage::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn sizes_follow_the_core() {
        let bits = |storage: Storage| (storage.info().bits)(&Core::CP2);
        assert_eq!([Storage::A, Storage::Fccr, Storage::Gpr].map(bits), [13, 8, 64]);
        let count = |storage: Storage| (storage.info().count)(&Core::CP2);
        let all = [Storage::Fpr, Storage::Lmem, Storage::Gpr, Storage::Fccr, Storage::Calls];
        assert_eq!(all.map(count), [64, 8192, 16, 1, 15]);
    }

    #[test]
    fn a_reset_value_fits() {
        for storage in Storage::ALL {
            let info = storage.info();
            let reset = (info.reset)(&Core::CP2);
            assert_eq!(storage.fitted(&Core::CP2, reset), reset, "{storage:?}");
        }
    }
}
