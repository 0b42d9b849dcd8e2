//! Reading objects. Any bytes give an image or an error.

use super::{
    CALLS, HINTS, INTERFACE, LMEM, MACHINE, MERGED, ObjectError, PROMISES, TEXT, UNIT, UPPER,
    calls, dwarf, hints, promises,
};
use crate::image::{Chunk, Image, Kernel, Symbol, SymbolKind, merged};
use crate::interface::{self, Interface};
use crate::names;
use cp2_isa::{BundleAddress, BundleBits, Core, Extensions, SECTIONS, WordAddress};
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{BigEndian, Object as _, ObjectSection as _, ObjectSymbol as _, elf};

type File<'a> = ElfFile64<'a, BigEndian>;

/// Reads an object file into an image for a core.
///
/// # Errors
/// Returns the first fault found: the bytes are no well-formed object file of CP2, or the program does not fit the
/// core.
pub fn read(bytes: &[u8], core: &Core) -> Result<Image, ObjectError> {
    let file = File::parse(bytes)
        .map_err(|e| ObjectError::new(format!("not a big-endian ELF64 file: {e}")))?;
    check_header(&file)?;
    let mut image = Image { requires: required(&file, core)?, ..Image::default() };
    for section in file.sections() {
        let name = section.name().map_err(broken)?;
        if let Some(kernel) = name.strip_prefix(TEXT) {
            let (start, words) = contents(&section, core.iram_bundles())?;
            let start = BundleAddress::from_index(start);
            let words = words.into_iter().map(BundleBits::from).collect();
            image.kernels.push(Kernel { name: kernel.to_owned(), start, words });
        } else if let Some(which) = name.strip_prefix(LMEM) {
            let (start, words) = contents(&section, core.lmem_words())?;
            let start = WordAddress::from_index(start);
            image.data.push(Chunk { section: lmem_section(which)?, start, words });
        } else if name == HINTS {
            image.hints = hints::from_text(section.data().map_err(broken)?, core)?;
        } else if name == INTERFACE {
            let text = section.data().map_err(broken)?;
            image.interfaces = interface::from_object(text, core).map_err(ObjectError::new)?;
        }
    }
    check_kernels(&mut image.kernels)?;
    for section in file.sections() {
        let name = section.name().map_err(broken)?;
        if let Some(kernel) = name.strip_prefix(UPPER) {
            let (start, words) = contents(&section, core.iram_bundles())?;
            widen(&mut image.kernels, kernel, start, &words)?;
        }
    }
    check_extensions(&image)?;
    check_registers(&image, core)?;
    check_interfaces(&image)?;
    image.data = merged(std::mem::take(&mut image.data));
    check_data(&image.data, core)?;
    image.symbols = symbols(&file)?;
    let named = |name: &str| {
        let section = file.section_by_name(name);
        section.and_then(|s| s.data().ok()).unwrap_or_default().to_vec()
    };
    let lines = dwarf::read(&named)?;
    (image.files, image.lines, image.exchange_lines) = (lines.files, lines.whole, lines.exchange);
    if let Some(section) = file.section_by_name(PROMISES) {
        let data = section.data().map_err(broken)?;
        image.promises = promises::from_text(data, core, image.files.len())?;
    }
    if let Some(section) = file.section_by_name(CALLS) {
        let data = section.data().map_err(broken)?;
        image.calls = calls::from_text("macro calls", data, image.files.len())?;
    }
    if let Some(section) = file.section_by_name(MERGED) {
        let data = section.data().map_err(broken)?;
        image.merged_lines = calls::from_text("merged operations", data, image.files.len())?;
    }
    Ok(image)
}

fn broken(error: object::Error) -> ObjectError {
    ObjectError::new(format!("the object is damaged: {error}"))
}

fn check_header(file: &File<'_>) -> Result<(), ObjectError> {
    let header = file.elf_header();
    let machine = header.e_machine(BigEndian);
    if machine != MACHINE {
        let message = format!("the object is for machine 0x{machine:x}, CP2 is 0x{MACHINE:x}");
        return Err(ObjectError::new(message));
    }
    if header.e_type(BigEndian) != elf::ET_EXEC {
        return Err(ObjectError::new("the object is not a placed program (ET_EXEC)"));
    }
    Ok(())
}

/// Returns the extensions that the object says it needs, which the core has to have.
fn required(file: &File<'_>, core: &Core) -> Result<Extensions, ObjectError> {
    let flags = file.elf_header().e_flags(BigEndian).0;
    let known = u16::try_from(flags).ok().and_then(Extensions::from_bits);
    let Some(requires) = known else {
        return Err(ObjectError::new(format!("the flags 0x{flags:x} are unknown")));
    };
    let missing = requires - core.extensions();
    if missing.is_empty() {
        return Ok(requires);
    }
    let names = missing.names();
    let message = format!("the object needs {names}, which this machine does not have");
    Err(ObjectError::new(format!("{message}; `--enable {}`", missing.switches())))
}

/// Checks that the object says of all extensions that it uses.
fn check_extensions(image: &Image) -> Result<(), ObjectError> {
    match image.used() - image.requires {
        none if none.is_empty() => Ok(()),
        unsaid => {
            let names = unsaid.names();
            Err(ObjectError::new(format!("the object uses {names}, and its flags do not say so")))
        }
    }
}

/// Puts the upper words of a kernel's bundles to the lower ones.
fn widen(
    kernels: &mut [Kernel],
    name: &str,
    start: usize,
    upper: &[u64],
) -> Result<(), ObjectError> {
    let is = |kernel: &&mut Kernel| {
        (kernel.name.as_str(), kernel.range()) == (name, start..start + upper.len())
    };
    let Some(kernel) = kernels.iter_mut().find(is) else {
        let message = format!("section `{UPPER}{name}` has no `{TEXT}{name}` of the same bundles");
        return Err(ObjectError::new(message));
    };
    for (word, &upper) in kernel.words.iter_mut().zip(upper) {
        *word |= BundleBits::from(upper) << 64;
    }
    Ok(())
}

/// Checks that the core has the registers that bundles name.
fn check_registers(image: &Image, core: &Core) -> Result<(), ObjectError> {
    let fprs = core.fprs();
    let last = core.has_wide_bundles().then(|| image.last_fpr()).flatten();
    match last.filter(|&last| usize::from(last) >= fprs) {
        Some(last) => Err(ObjectError::new(format!(
            "the object uses f{last}, and this machine has f0 to f{}; `--enable more-fprs={}`",
            fprs - 1,
            (usize::from(last) + 1).next_multiple_of(128)
        ))),
        None => Ok(()),
    }
}

/// Returns the place of the first word and the words of a section in a memory of `size` words.
fn contents<'a>(
    section: &object::read::elf::ElfSection64<'a, '_, BigEndian>,
    size: usize,
) -> Result<(usize, Vec<u64>), ObjectError> {
    let name = || section.name().unwrap_or("?").to_owned();
    let data = section.data().map_err(broken)?;
    let (words, rest) = data.as_chunks::<8>();
    let start = section.address() / UNIT;
    if !section.address().is_multiple_of(UNIT) || !rest.is_empty() || words.is_empty() {
        return Err(ObjectError::new(format!("section `{}` is not made of 64-bit words", name())));
    }
    if start.saturating_add(words.len() as u64) > size as u64 {
        return Err(ObjectError::new(format!("section `{}` does not fit in {size} words", name())));
    }
    Ok((start as usize, words.iter().map(|w| u64::from_be_bytes(*w)).collect()))
}

fn lmem_section(which: &str) -> Result<Option<u8>, ObjectError> {
    match which.parse::<u8>() {
        _ if which == "all" => Ok(None),
        Ok(s) if usize::from(s) < SECTIONS && which.len() == 1 => Ok(Some(s)),
        _ => Err(ObjectError::new(format!("there is no section `{which}` of local memory"))),
    }
}

fn check_kernels(kernels: &mut [Kernel]) -> Result<(), ObjectError> {
    kernels.sort_by_key(|k| k.start);
    for (i, kernel) in kernels.iter().enumerate() {
        let name = &kernel.name;
        if !names::is_symbol_name(name) {
            return Err(ObjectError::new(format!("a kernel cannot have the name `{name}`")));
        }
        if kernels[..i].iter().any(|k| k.name == *name) {
            return Err(ObjectError::new(format!("two kernels have the name `{name}`")));
        }
    }
    match kernels.windows(2).find(|k| k[0].start.index() + k[0].words.len() > k[1].start.index()) {
        Some(k) => {
            Err(ObjectError::new(format!("kernels `{}` and `{}` overlap", k[0].name, k[1].name)))
        }
        None => Ok(()),
    }
}

fn check_interfaces(image: &Image) -> Result<(), ObjectError> {
    if let Some(name) = image.interfaces.keys().find(|name| image.kernel(name).is_none()) {
        return Err(ObjectError::new(format!("the interface of `{name}` belongs to no kernel")));
    }
    let names = image.interfaces.values().flat_map(|Interface { arguments, arrays }| {
        let arguments = arguments.iter().map(|argument| &argument.name);
        arguments.chain(arrays.iter().map(|array| &array.name))
    });
    match names.into_iter().find(|name| names::is_reserved(name)) {
        Some(name) => {
            let message = format!("an interface has the reserved name `{name}`");
            Err(ObjectError::new(message))
        }
        None => Ok(()),
    }
}

fn check_data(chunks: &[Chunk], core: &Core) -> Result<(), ObjectError> {
    let mut owned = vec![[false; SECTIONS]; core.lmem_words()];
    for chunk in chunks {
        let sections = chunk.section.map_or(0..SECTIONS, |s| usize::from(s)..usize::from(s) + 1);
        let start = chunk.start.index();
        for (address, word) in owned.iter_mut().enumerate().skip(start).take(chunk.words.len()) {
            for section in sections.clone() {
                if std::mem::replace(&mut word[section], true) {
                    let message = format!("word {address} of local memory is given a value twice");
                    return Err(ObjectError::new(message));
                }
            }
        }
    }
    Ok(())
}

fn symbols(file: &File<'_>) -> Result<Vec<Symbol>, ObjectError> {
    let mut all = Vec::new();
    for symbol in file.symbols() {
        let raw = symbol.elf_symbol();
        let kind = match (raw.st_type(), symbol.section_index()) {
            (elf::STT_SECTION | elf::STT_FILE, _) => continue,
            (elf::STT_OBJECT, _) => SymbolKind::Word,
            (elf::STT_FUNC, _) | (_, Some(_)) => SymbolKind::Bundle,
            _ => SymbolKind::Constant,
        };
        let name = symbol.name().map_err(broken)?;
        if !names::is_symbol_name(name) {
            return Err(ObjectError::new(format!("a symbol cannot have the name `{name}`")));
        }
        let value = symbol.address() as i64;
        let scale = if kind == SymbolKind::Constant { 1 } else { UNIT as i64 };
        let global = raw.st_bind() == elf::STB_GLOBAL;
        all.push(Symbol { name: name.to_owned(), value: value / scale, kind, global });
    }
    all.sort_by_key(|s| s.global);
    Ok(all)
}
