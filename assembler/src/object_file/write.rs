//! Writing objects.

use super::{
    CALLS, HINTS, INTERFACE, LMEM, MACHINE, MERGED, ObjectError, PROMISES, TEXT, UNIT, UPPER,
    calls, dwarf, hints, promises,
};
use crate::image::{Image, Symbol, SymbolKind};
use crate::interface;
use crate::names;
use object::Endianness;
use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, SectionHeader, SectionIndex, Sym, Writer};

/// A section before it has a place in the file.
struct Section {
    name: String,
    flags: elf::SectionFlags,
    address: u64,
    data: Vec<u8>,
    /// Kind of the symbols that the section can have, with the first address and the one behind the last.
    holds: Option<(SymbolKind, u64, u64)>,
}

/// Returns the bytes of an object file with the program of an image.
///
/// # Errors
/// Returns an error if a name in the image is none that the assembler accepts, or if the ELF file cannot be written.
pub fn write(image: &Image) -> Result<Vec<u8>, ObjectError> {
    check_names(image)?;
    let sections = sections(image)?;
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Big, true, &mut bytes);
    emit(&mut writer, image, &sections)
        .map_err(|e| ObjectError::new(format!("the object cannot be written: {e}")))?;
    Ok(bytes)
}

fn check_names(image: &Image) -> Result<(), ObjectError> {
    let kernels = image.kernels.iter().map(|k| &k.name);
    match kernels.chain(image.symbols.iter().map(|s| &s.name)).find(|n| !names::is_symbol_name(n)) {
        Some(name) => Err(ObjectError::new(format!("a symbol cannot have the name `{name}`"))),
        None => Ok(()),
    }
}

fn bytes_of(words: impl Iterator<Item = u64>) -> Vec<u8> {
    words.flat_map(u64::to_be_bytes).collect()
}

fn sections(image: &Image) -> Result<Vec<Section>, ObjectError> {
    let mut all = Vec::new();
    for kernel in &image.kernels {
        let start = u64::from(kernel.start);
        all.push(Section {
            name: format!("{TEXT}{}", kernel.name),
            flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
            address: start * UNIT,
            data: bytes_of(kernel.words.iter().map(|&word| word as u64)),
            holds: Some((SymbolKind::Bundle, start, start + kernel.words.len() as u64)),
        });
        if kernel.words.iter().any(|word| word >> 64 != 0) {
            all.push(Section {
                name: format!("{UPPER}{}", kernel.name),
                flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
                address: start * UNIT,
                data: bytes_of(kernel.words.iter().map(|word| (word >> 64) as u64)),
                holds: None,
            });
        }
    }
    for chunk in &image.data {
        let start = u64::from(chunk.start);
        let which = chunk.section.map_or("all".to_owned(), |s| s.to_string());
        all.push(Section {
            name: format!("{LMEM}{which}"),
            flags: elf::SHF_ALLOC | elf::SHF_WRITE,
            address: start * UNIT,
            data: bytes_of(chunk.words.iter().copied()),
            holds: Some((SymbolKind::Word, start, start + chunk.words.len() as u64)),
        });
    }
    let mut extra = |name: &str, data: Vec<u8>| {
        let flags = elf::SectionFlags::default();
        all.push(Section { name: name.to_owned(), flags, address: 0, data, holds: None });
    };
    let hints = hints::to_text(&image.hints);
    if !hints.is_empty() {
        extra(HINTS, hints.into_bytes());
    }
    let promises = promises::to_text(&image.promises);
    if !promises.is_empty() {
        extra(PROMISES, promises.into_bytes());
    }
    let calls = calls::to_text(&image.calls);
    if !calls.is_empty() {
        extra(CALLS, calls.into_bytes());
    }
    let merged = calls::to_text(&image.merged_lines);
    if !merged.is_empty() {
        extra(MERGED, merged.into_bytes());
    }
    let declared = interface::to_object(&image.interfaces);
    if !declared.is_empty() {
        extra(INTERFACE, declared.into_bytes());
    }
    for (name, data) in dwarf::write(image)? {
        extra(name, data);
    }
    Ok(all)
}

/// Returns the section that a symbol belongs to: the one that holds its address, or else ends there.
fn home(symbol: &Symbol, sections: &[Section]) -> Option<usize> {
    let address = u64::try_from(symbol.value).ok()?;
    let holding = |end_too: bool| {
        sections.iter().position(|s| {
            s.holds.is_some_and(|(kind, start, end)| {
                kind == symbol.kind
                    && start <= address
                    && (address < end || end_too && address == end)
            })
        })
    };
    holding(false).or_else(|| holding(true))
}

fn symbol_type(symbol: &Symbol, image: &Image) -> elf::SymbolType {
    match symbol.kind {
        SymbolKind::Bundle if image.kernel(&symbol.name).is_some() => elf::STT_FUNC,
        SymbolKind::Word => elf::STT_OBJECT,
        SymbolKind::Bundle | SymbolKind::Constant => elf::STT_NOTYPE,
    }
}

fn symbol_entry(symbol: &Symbol, image: &Image, name: u32, home: Option<SectionIndex>) -> Sym {
    let bind = if symbol.global { elf::STB_GLOBAL } else { elf::STB_LOCAL };
    // An absolute bundle address is a function, so that it is no constant.
    let kind = match (symbol.kind, home) {
        (SymbolKind::Bundle, None) => elf::STT_FUNC,
        _ => symbol_type(symbol, image),
    };
    let scale = if symbol.kind == SymbolKind::Constant { 1 } else { UNIT as i64 };
    let size = match image.kernel(&symbol.name) {
        Some(kernel) if kind == elf::STT_FUNC => kernel.words.len() as u64 * UNIT,
        _ => 0,
    };
    Sym {
        section: home.map(|index| index.0),
        st_name: name,
        st_info: elf::SymbolInfo::new(bind, kind),
        st_other: elf::SymbolOther::default(),
        st_shndx: elf::SHN_ABS,
        st_value: symbol.value.wrapping_mul(scale) as u64,
        st_size: size,
    }
}

/// Reserves everything, then writes it in the same order.
fn emit<'a>(
    writer: &mut Writer<'a>,
    image: &'a Image,
    sections: &'a [Section],
) -> Result<(), object::write::Error> {
    writer.reserve_file_header();
    let mut placed: Vec<(StringId, SectionIndex, u64)> = Vec::new();
    for section in sections {
        let name = writer.add_section_name(section.name.as_bytes());
        let index = writer.reserve_section_index();
        let align = if section.holds.is_some() { UNIT } else { 1 };
        placed.push((name, index, writer.reserve(section.data.len() as u64, align)));
    }
    let symbols: Vec<_> = ordered(image)
        .into_iter()
        .map(|symbol| {
            let home = home(symbol, sections).map(|i| placed[i].1);
            let name = writer.add_string(symbol.name.as_bytes());
            writer.reserve_symbol_index(home);
            (symbol, name, home)
        })
        .collect();
    if symbols.is_empty() {
        writer.reserve_null_symbol_index();
    }
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab()?;
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();

    writer.write_file_header(&header(image))?;
    for (section, (_, _, offset)) in sections.iter().zip(&placed) {
        writer.pad_until(*offset);
        writer.write(&section.data);
    }
    writer.write_null_symbol();
    for (symbol, name, home) in &symbols {
        let name = writer.string_offset(Some(*name));
        writer.write_symbol(&symbol_entry(symbol, image, name, *home));
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    for (section, (name, _, offset)) in sections.iter().zip(&placed) {
        let name = writer.section_name_offset(Some(*name));
        writer.write_section_header(&section_header(section, name, *offset));
    }
    let locals = symbols.iter().filter(|(s, ..)| !s.global).count() as u32;
    writer.write_symtab_section_header(1 + locals);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(())
}

/// Returns the symbols, the local ones first, as ELF wants them.
fn ordered(image: &Image) -> Vec<&Symbol> {
    let mut symbols: Vec<_> = image.symbols.iter().collect();
    symbols.sort_by_key(|s| s.global);
    symbols
}

fn header(image: &Image) -> FileHeader {
    FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: MACHINE,
        e_entry: image.kernels.first().map_or(0, |k| u64::from(k.start) * UNIT),
        e_flags: elf::FileFlags(image.requires.bits().into()),
    }
}

fn section_header(section: &Section, name: u32, offset: u64) -> SectionHeader {
    SectionHeader {
        sh_name: name,
        sh_type: elf::SHT_PROGBITS,
        sh_flags: section.flags,
        sh_addr: section.address,
        sh_offset: offset,
        sh_size: section.data.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: if section.holds.is_some() { UNIT } else { 1 },
        sh_entsize: 0,
    }
}
