//! Programs of the control processor from ELF files, and the functions and source lines of their addresses.

mod objects;
mod variables;

pub use objects::cp2_objects;
pub use variables::{GlobalVariable, GlobalVariables};

use crate::memory::Allowed;
use addr2line::gimli;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{BigEndian, Object, ObjectSection, ObjectSymbol};
use std::fmt;

/// Segment of a program: bytes of its ELF file (a program header of type `PT_LOAD`), and their place in memory.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Virtual address of the first byte of the segment.
    pub address: u64,
    /// Bytes of the segment that the file has, at most `size`; zeros follow in memory up to `size`.
    pub bytes: Vec<u8>,
    /// Number of bytes of the segment in memory, zeros included.
    pub size: u64,
    /// Accesses that the pages of the segment allow.
    pub allowed: Allowed,
}

/// A program of the control processor as its ELF file has it, ready to be loaded: its entry, and its segments of
/// memory.
#[derive(Clone, Debug)]
pub struct ElfProgram {
    /// Virtual address of the first instruction that runs.
    pub entry: u64,
    /// Segments that are loaded to memory, at least one, in the order of the file.
    pub segments: Vec<Segment>,
    /// Virtual address at which the program headers lie when the program is loaded; 0 if no segment has them.
    pub headers: u64,
    /// Number of program headers in the file.
    pub n_headers: u64,
    /// Whether the file is a 32-bit ELF file; its addresses are sign-extended to 64 bits here.
    pub is_32_bit: bool,
}

/// Reason why a program cannot be loaded, as a text: the file is no program for the control processor, or it does not
/// fit into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfError(String);

impl ElfError {
    /// Creates an error with this text, which says why a program cannot be loaded.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ElfError {}

fn bad(text: impl fmt::Display) -> ElfError {
    ElfError(text.to_string())
}

/// Whether `bytes`, the content of a file, are an ELF file for a MIPS processor: of either byte order and word size,
/// executable or not.
#[must_use]
pub fn is_mips(bytes: &[u8]) -> bool {
    let machine = match (bytes.get(5), bytes.get(18..20)) {
        (Some(1), Some(&[low, high])) => u16::from_le_bytes([low, high]),
        (Some(2), Some(&[high, low])) => u16::from_be_bytes([high, low]),
        _ => return false,
    };
    bytes.starts_with(b"\x7fELF")
        && [elf::EM_MIPS, elf::EM_MIPS_RS3_LE].contains(&elf::Machine(machine))
}

impl ElfProgram {
    /// Whether the file has bytes for all `size` bytes of memory from a virtual address on; if not, some of them are zeros
    /// when the program is loaded (`.bss`).
    #[must_use]
    pub fn has_bytes(&self, address: u64, size: u64) -> bool {
        let is_in = |segment: &Segment| {
            let offset = address.checked_sub(segment.address);
            let end = offset.and_then(|offset| offset.checked_add(size));
            end.is_some_and(|end| end <= segment.bytes.len() as u64)
        };
        self.segments.iter().any(is_in)
    }

    /// Reads a program from the content of an ELF file: a statically linked executable with fixed addresses for
    /// big-endian MIPS64 (release 1 or 2), of 64 or 32 bits.
    ///
    /// # Errors
    /// Returns an error that says why the content is no such program, and how to compile one.
    pub fn read(bytes: &[u8]) -> Result<Self, ElfError> {
        if !bytes.starts_with(b"\x7fELF") {
            return Err(bad("no ELF file"));
        }
        if bytes.get(5) == Some(&1) {
            return Err(bad(match is_mips(bytes) {
                true => "a little-endian ELF file; compile for mips64, not mips64el",
                false => "a little-endian ELF file for another processor; compile for mips64",
            }));
        }
        match bytes.get(4) {
            Some(1) => Self::of::<elf::FileHeader32<BigEndian>>(bytes),
            _ => Self::of::<elf::FileHeader64<BigEndian>>(bytes),
        }
    }

    fn of<H: FileHeader<Endian = BigEndian>>(bytes: &[u8]) -> Result<Self, ElfError> {
        let header = H::parse(bytes).map_err(bad)?;
        let endian = BigEndian;
        let machine = header.e_machine(endian);
        if machine != elf::EM_MIPS {
            return Err(bad(format!(
                "an ELF file for machine {}, not for MIPS ({})",
                machine.0,
                elf::EM_MIPS.0
            )));
        }
        refuse_other_code(header.e_flags(endian).0)?;
        if header.e_type(endian) != elf::ET_EXEC {
            return Err(bad("not an executable with fixed addresses; link with -static -no-pie"));
        }
        let is_32_bit = header.is_class_32();
        let mut program = Self {
            entry: extended(header.e_entry(endian).into(), is_32_bit),
            segments: Vec::new(),
            headers: 0,
            n_headers: 0,
            is_32_bit,
        };
        let headers = header.program_headers(endian, bytes).map_err(bad)?;
        program.n_headers = headers.len() as u64;
        for part in headers {
            match part.p_type(endian) {
                elf::PT_INTERP => {
                    return Err(bad("a dynamically linked program; link with -static"));
                }
                elf::PT_MIPS_ABIFLAGS if is_32_bit => {
                    refuse_pairs(header.e_flags(endian).0, part.data(endian, bytes).ok())?;
                }
                elf::PT_LOAD => program.add(part, bytes, header.e_phoff(endian).into())?,
                _ => {}
            }
        }
        if program.segments.is_empty() {
            return Err(bad("nothing to load"));
        }
        Ok(program)
    }

    fn add<P: ProgramHeader<Endian = BigEndian>>(
        &mut self,
        part: &P,
        bytes: &[u8],
        headers: u64,
    ) -> Result<(), ElfError> {
        let endian = BigEndian;
        let address = extended(part.p_vaddr(endian).into(), self.is_32_bit);
        let size = part.p_memsz(endian).into();
        let data =
            part.data(endian, bytes).map_err(|()| bad("a segment lies outside of the file"))?;
        let is_in_range = address.checked_add(size).is_some() && data.len() as u64 <= size;
        if !is_in_range {
            return Err(bad(format!("a segment at {address:#x} has an impossible size")));
        }
        let flags = part.p_flags(endian);
        let has = |flag: elf::ProgramFlags| flags.0 & flag.0 != 0;
        let allowed =
            Allowed { read: has(elf::PF_R), write: has(elf::PF_W), execute: has(elf::PF_X) };
        let offset = part.p_offset(endian).into();
        if (offset..offset + data.len() as u64).contains(&headers) {
            self.headers = address + (headers - offset);
        }
        self.segments.push(Segment { address, bytes: data.to_vec(), size, allowed });
        Ok(())
    }
}

/// Refuses code that is none of MIPS64 releases 1 and 2, or has other NaNs, by the flags of the file.
fn refuse_other_code(flags: u32) -> Result<(), ElfError> {
    const COMPRESSED: u32 = 0x0600_0000;
    let is_release_6 = [elf::EF_MIPS_ARCH_32R6, elf::EF_MIPS_ARCH_64R6]
        .map(|release| release.0)
        .contains(&(flags & elf::EF_MIPS_ARCH));
    if is_release_6 {
        return Err(bad(
            "code of MIPS release 6, which has other instructions; compile with -march=mips64r2",
        ));
    }
    if flags & COMPRESSED != 0 {
        return Err(bad("code of MIPS16 or microMIPS; compile without -mips16 and -mmicromips"));
    }
    if flags & elf::EF_MIPS_NAN2008.0 != 0 {
        return Err(bad("NaNs in the encoding of 2008; compile with -mnan=legacy"));
    }
    Ok(())
}

/// Refuses code of the o32 ABI that has doubles in pairs of registers: here each register has 64 bits.
fn refuse_pairs(flags: u32, abi: Option<&[u8]>) -> Result<(), ElfError> {
    const PAIRS: u8 = 1;
    let is_o32 = flags & elf::EF_MIPS_ABI == elf::EF_MIPS_ABI_O32.0;
    if is_o32 && abi.and_then(|abi| abi.get(7)) == Some(&PAIRS) {
        return Err(bad("doubles in pairs of registers (-mfp32); compile with -mfp64 or -mfpxx"));
    }
    Ok(())
}

/// Returns an address of the file as the core has it: those of 32 bits are sign-extended.
const fn extended(address: u64, is_32_bit: bool) -> u64 {
    if is_32_bit { address as i32 as u64 } else { address }
}

/// Symbols and line numbers of an ELF file, which give the function and the source line of an address of the program.
pub struct Symbolizer<'a> {
    symbols: Vec<(u64, u64, String)>,
    /// Whether the addresses of lines have 32 bits.
    is_32_bit: bool,
    lines: Option<addr2line::Context<gimli::EndianSlice<'a, gimli::RunTimeEndian>>>,
}

impl<'a> Symbolizer<'a> {
    /// Reads the symbols and line numbers (DWARF) from the content of an ELF file. There are none if the file has none,
    /// or is no ELF file.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Self {
        let Ok(file) = object::File::parse(bytes) else {
            return Self { symbols: Vec::new(), is_32_bit: false, lines: None };
        };
        let is_32_bit = !file.is_64();
        let mut symbols: Vec<(u64, u64, String)> = file
            .symbols()
            .filter(|s| s.kind() == object::SymbolKind::Text && s.address() != 0)
            .filter_map(|s| {
                Some((extended(s.address(), is_32_bit), s.size(), s.name().ok()?.to_owned()))
            })
            .collect();
        symbols.sort();
        let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|s| s.data().ok()).unwrap_or_default();
            Ok(gimli::EndianSlice::new(data, gimli::RunTimeEndian::Big))
        };
        let dwarf = gimli::Dwarf::load(section).ok();
        Self {
            symbols,
            is_32_bit,
            lines: dwarf.and_then(|d| addr2line::Context::from_dwarf(d).ok()),
        }
    }

    /// Returns the virtual address of the function with a name; `None` if there is none.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|(.., other)| other == name).map(|(address, ..)| *address)
    }

    /// Returns function and source line of a virtual address, such as `main+0x10 (sum.c:12)`. A part that is not known
    /// is left out, so the text may be empty.
    #[must_use]
    pub fn describe(&self, address: u64) -> String {
        let behind = self.symbols.partition_point(|(start, ..)| *start <= address);
        let symbol = behind.checked_sub(1).map(|i| &self.symbols[i]);
        let symbol = symbol.filter(|(start, size, _)| *size == 0 || address - start < *size);
        let function = symbol.map(|(start, _, name)| format!("{name}+{:#x}", address - start));
        let place = if self.is_32_bit { address & 0xffff_ffff } else { address };
        let location =
            self.lines.as_ref().and_then(|lines| lines.find_location(place).ok().flatten());
        let line = location.and_then(|l| Some(format!("({}:{})", l.file?, l.line?)));
        [function, line].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}
