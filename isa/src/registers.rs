//! The one table of registers and memories: what there is, how wide, how many, what it holds after
//! reset. State, its JSON and schema, comparison, names in traces and views derive from it.

use crate::bits::{CONTROL_MASK, FCCR_ONES, status};
use crate::operand::RegFile;
use crate::rules::flags::FCSR_MASK;
use crate::{Core, Extensions, SECTIONS, Section, control};
use std::fmt;

/// Shape of a kind of register or memory: one register or many, shared by the sections or in each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageShape {
    /// A single register, which the sections share.
    Single,
    /// Registers with numbers, which the sections share.
    Numbered,
    /// A single register in every section.
    PerSection,
    /// Registers, or words of memory, with numbers in every section.
    NumberedPerSection,
}

impl StorageShape {
    /// Whether every section has registers or words of its own.
    pub const fn is_per_section(self) -> bool {
        matches!(self, Self::PerSection | Self::NumberedPerSection)
    }

    /// Whether the registers or words have numbers.
    pub const fn is_numbered(self) -> bool {
        matches!(self, Self::Numbered | Self::NumberedPerSection)
    }

    /// Returns the number of sections that have values of their own: 4, or 1 if the sections share them.
    pub const fn sections(self) -> usize {
        if self.is_per_section() { SECTIONS } else { 1 }
    }

    /// Returns the sections that have values of their own, in ascending order; section 0 alone if the sections share
    /// them.
    pub fn own_sections(self) -> impl Iterator<Item = Section> {
        Section::ALL.into_iter().take(self.sections())
    }
}

/// The part of a kind of register or memory that a state file, the JSON file of the state of CP2, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// All values.
    Whole,
    /// The values that are not 0, each with its number.
    Sparse,
    /// No value: the kind belongs to the course of a run, not to the data of the program.
    No,
}

/// Row of the table of registers and memories, which [`Storage::info`] returns: names, shape, number, width and reset
/// value of one kind.
#[derive(Clone, Copy, Debug)]
pub struct StorageInfo {
    /// Key of the kind in state files, such as `fpr`.
    pub key: &'static str,
    /// Name of the kind in the assembler and in traces, such as `f`; a number follows where registers have numbers.
    pub name: &'static str,
    /// Shape of the kind: one register or many, shared by the sections or in each.
    pub layout: StorageShape,
    /// Part of the kind that a state file holds.
    pub filed: Filed,
    /// Function that returns the number of registers or words of the kind, in each section or shared: 0 if the core has
    /// none, the depth of a stack.
    pub count: fn(&Core) -> usize,
    /// Function that returns the width of a register or word of the kind in bits.
    pub bits: fn(&Core) -> u32,
    /// Mask of the bits of a register that can be 1. Bits beyond the width do not count.
    pub writable: u64,
    /// Mask of the bits of a register that are always 1, whatever is written.
    pub ones: u64,
    /// Function that returns the value of a register or word of the kind after reset.
    pub reset: fn(&Core) -> u64,
    /// Description of the kind, in one line.
    pub description: &'static str,
}

macro_rules! storages {
    ($($id:ident $key:literal $name:literal $layout:ident $filed:ident, $count:expr, $bits:expr,
        $(writable $writable:expr,)? $(ones $ones:expr,)? $(reset $reset:expr,)?
        $description:literal, $text:literal;)*) => {
        /// A kind of register or memory of CP2: a row of the table of registers and memories ([`StorageInfo`]).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Storage {
            $(#[doc = $text] $id,)*
        }

        impl Storage {
            /// All kinds, in the order in which state files have them.
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the row of the kind in the table of registers and memories.
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
/// Number of words (64 bits) of shared memory on a core that has the extension `shared-memory`.
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
    Fpr "fpr" "f" NumberedPerSection Whole, |core| core.fprs(), LONG, "floating-point registers",
        "Floating-point registers (FPRs) of every section, `f0` on, 64 bits each.";
    Lmem "lmem" "word " NumberedPerSection Sparse, |core| core.lmem_words(), LONG, "local memory",
        "Local memory of every section, in words of 64 bits.";
    Gpr "gpr" "g" Numbered Whole, FILE, LONG, "general registers",
        "General registers `g0` to `g15`, 64 bits each, which the sections share.";
    A "a" "a" Numbered Whole, FILE, |core| core.address_bits(), "addresses, in words",
        "Registers An of the 16 address sets, which the sections share: addresses of words in local memory.";
    N "n" "n" Numbered Whole, FILE, |core| core.address_bits(), reset |_| 1, "address steps, in words",
        "Registers Nn of the 16 address sets, which the sections share: steps of addresses, in words.";
    M "m" "m" Numbered Whole, FILE, |core| core.address_bits(),
        reset |core| core.address_mask().into(), "address modes",
        "Registers Mn of the 16 address sets, which the sections share: modes that tell how steps are added.";
    SectionA "sa" "sa" NumberedPerSection Whole, SECTION_SETS, |core| core.address_bits(),
        "section addresses, in words",
        "Section addresses: an address of local memory for each address set in every section (extension `section-addressing`).";
    Shared "shared" "shared " Numbered Sparse, SHARED, LONG, "shared memory",
        "Shared memory, which the sections have in common, in words of 64 bits (extension `shared-memory`).";
    SharedA "qa" "qa" Numbered Whole, SHARED_SETS, |_| SHARED_WORDS.ilog2(), "shared addresses, in words",
        "Shared addresses: an address of shared memory, in words, for each address set (extension `shared-memory`).";
    Ireg "ireg" "i" Numbered Whole, FILE, LONG, "index registers",
        "Index registers `i0` to `i15`, 64 bits each, which the sections share and descriptors of the DMA channel use.";
    Control "control" "control" Single Whole, ONE, WORD, writable CONTROL_MASK, "CONTROL",
        "Control register CONTROL: rounding mode, direction of the FFT, requests to stop and to reset.";
    Rind "rind" "rind" Single Whole, ONE, HALF, "angle of the next coefficient, 65536 to a turn",
        "Control register RIND: the angle of the next Fourier coefficient, 16 bits, 65536 to a full turn.";
    Rstep "rstep" "rstep" Single Whole, ONE, HALF, "step of the angle",
        "Control register RSTEP: the step of the angle RIND, 16 bits.";
    Rmask "rmask" "rmask" Single Whole, ONE, HALF, reset |_| 0xffff, "bits of the angle that step",
        "Control register RMASK: the mask of the bits of the angle RIND that change when it steps, 16 bits.";
    Status "status" "status" Single Whole, ONE, WORD, writable status::STORED, "STATUS",
        "Control register STATUS, of which the sticky errors and the state of the mailbox are kept here.";
    Stopcode "stopcode" "stopcode" Single Whole, ONE, LONG, "code of the last stop",
        "Control register STOPCODE: the 64-bit code that the last `stop` gave.";
    Fccr "fccr" "fccr" PerSection Whole, ONE, |_| 8, ones FCCR_ONES as u64,
        reset |_| FCCR_ONES.into(), "condition codes",
        "Register FCCR of every section: the condition codes, 8 bits, of which bit 0 is always 1.";
    Fcsr "fcsr" "fcsr" PerSection Whole, ONE, WORD, writable FCSR_MASK as u64, "flags and cause",
        "Register FCSR of every section: sticky flags and cause of the exceptions of arithmetic.";
    Comm "comm" "comm" Single No, ONE, LONG, "mailbox",
        "Control register COMM: the mailbox of 64 bits through which kernel and host exchange values.";
    Pc "pc" "pc" Single No, ONE, |_| 16, "address of the next bundle",
        "Control register PC: the address of the next bundle.";
    Loops "loops" "loop " Numbered No, |core| core.loop_depth(), LONG,
        "active loops: count in bits 63:32, start in 31:16, end in 15:0",
        "Loop stack: the active hardware loops, the outermost first, each with count in bits 63:32, start in 31:16, end in 15:0.";
    Calls "calls" "call " Numbered No, |core| core.call_depth(), |_| 16, "return addresses",
        "Call stack: the return addresses of active calls, the outermost first.";
    Iram "iram" "bundle " Numbered No, |core| core.iram_bundles(), LONG, "instruction memory",
        "Instruction memory: the lower 64 bits of each bundle.";
    IramUpper "iram_upper" "upper word of bundle " Numbered No,
        |core| if core.has_wide_bundles() { core.iram_bundles() } else { 0 }, LONG,
        "upper words of instruction memory",
        "Instruction memory: the upper 64 bits of each bundle, on a core whose bundles have two words.";
}

impl Storage {
    /// Returns the kind that state files call `key`, such as `fpr`; `None` if there is none, or if state files leave
    /// the kind out.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.info().key == key && s.info().filed != Filed::No)
    }

    /// Returns the kind and the number of the register that the assembler calls `name`, such as `g2` or `rind`; the
    /// number is 0 for a register without one. `None` if no kind has such a name; whether a core has the number is not
    /// checked.
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

    /// Returns the kind that is the control register with this number; `None` for PSP, LC, LA and LSP, which show the
    /// stacks, and for other numbers.
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

    /// Returns `value` as a register of the kind holds it on the core: bits that do not exist are 0, and bits that are
    /// always 1 are 1.
    pub fn fitted(self, core: &Core, value: u64) -> u64 {
        let StorageInfo { bits, writable, ones, .. } = self.info();
        value & (u64::MAX >> (64 - bits(core))) & writable | ones
    }
}

impl RegFile {
    /// Returns the kind of register that the file consists of; `None` for control registers, each of which is a kind of
    /// its own.
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

/// A register, or a word of memory, of CP2: its kind, its number and its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageCell {
    /// Kind of the register or memory.
    pub storage: Storage,
    /// Number of the register or word, from 0; 0 for the only one of its kind.
    pub number: usize,
    /// Section of the register or word; section 0 if the sections share it.
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
