//! The `.hex` format: one bundle a line, from bundle address 0 on. A line has 16 hexadecimal digits, or 32 if the upper
//! word of the bundle is not 0.

use crate::asm::{AssemblyError, MAX_ERRORS, leave_out};
use crate::codes::INSTRUCTION_MEMORY_FULL;
use crate::diagnostic::{Diagnostic, Sources, Span};
use crate::image::{Image, Kernel, SourcePosition, Symbol, SymbolKind};
use cp2_isa::{BundleAddress, BundleBits, Core, bundle_digits};
use std::fmt::Write as _;

/// Name of the kernel that a `.hex` file becomes.
const KERNEL: &str = "main";

/// Reads a `.hex` file into an image for a core: one kernel `main` at bundle address 0, with the line of each bundle.
/// `file` is the index of the file in `sources`.
///
/// # Errors
/// Returns a diagnostic for each line that is neither a bundle nor empty, at most [`MAX_ERRORS`] of them, and one if
/// the file has no bundle or more than instruction memory takes.
pub fn read(sources: &Sources, file: u32, core: &Core) -> Result<Image, Vec<Diagnostic>> {
    let mut words = Vec::new();
    let mut errors = Vec::new();
    let mut more = 0;
    let mut image = Image { files: vec![sources.name(file).to_owned()], ..Image::default() };
    let mut offset = 0;
    for (number, line) in sources.text(file).split_inclusive('\n').enumerate() {
        let code = line.split([';', '#']).next().unwrap_or_default();
        let word = code.trim();
        let start = code.len() - code.trim_start().len();
        let span = Span { file, range: offset + start..offset + start + word.len() };
        offset += line.len();
        if word.is_empty() {
            continue;
        }
        let most = core.iram_bundles();
        if words.len() == most {
            let message =
                format!("the file has more than the {most} bundles of instruction memory");
            errors.push(Diagnostic::error(INSTRUCTION_MEMORY_FULL, span, message));
            break;
        }
        let address = BundleAddress::from_index(words.len());
        match bundle(word, core) {
            Ok(bits) => words.push(bits),
            Err(_) if errors.len() == MAX_ERRORS => {
                more += 1;
                continue;
            }
            Err(message) => {
                errors.push(Diagnostic::error("C0111", span, message).help(
                    match core.has_wide_bundles() {
                        true => "a line is one bundle: 16 or 32 hexadecimal digits",
                        false => "a line is one bundle: 16 hexadecimal digits",
                    },
                ));
                continue;
            }
        }
        let column = code[..start].chars().count() as u32 + 1;
        image.lines.insert(address, SourcePosition { file: 0, line: number as u32 + 1, column });
    }
    if words.is_empty() && errors.is_empty() {
        let span = Span { file, range: 0..0 };
        errors.push(Diagnostic::error("C0411", span, "the file has no bundles"));
    }
    if !errors.is_empty() {
        leave_out(&mut errors, more);
        for d in &mut errors {
            d.label = crate::codes::caret(d.code).to_owned();
        }
        return Err(errors);
    }
    image.kernels.push(Kernel { name: KERNEL.into(), start: BundleAddress::default(), words });
    let main = Symbol { name: KERNEL.into(), value: 0, kind: SymbolKind::Bundle, global: true };
    image.symbols.push(main);
    image.requires = image.used();
    Ok(image)
}

/// Reads the text of a `.hex` file as [`read`] does. `name` is the file name for messages.
///
/// # Errors
/// Returns the diagnostics of [`read`], together with the text that their places refer to.
pub fn read_str(name: &str, text: &str, core: &Core) -> Result<Image, AssemblyError> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    read(&sources, file, core).map_err(|diagnostics| AssemblyError { sources, diagnostics })
}

fn bundle(word: &str, core: &Core) -> Result<BundleBits, String> {
    if let Some(c) = word.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{c}` is not a hexadecimal digit"));
    }
    match (word.len(), core.has_wide_bundles()) {
        (16, _) | (32, true) => {}
        (32, false) => {
            return Err(
                "32 digits, a bundle of two words, which `--enable more-fprs=128` gives".into()
            );
        }
        (digits, true) => return Err(format!("{digits} digits; a bundle has 16 or 32")),
        (digits, false) => return Err(format!("{digits} digits; a bundle has 16")),
    }
    BundleBits::from_str_radix(word, 16).map_err(|e| e.to_string())
}

/// Returns the bundles of an image as the text of a `.hex` file, from bundle address 0 on; gaps between kernels are
/// filled with `nop`. Data and symbols are lost, because the format has none.
pub fn write(image: &Image) -> String {
    let mut text = String::new();
    let mut next = 0;
    for kernel in &image.kernels {
        for _ in next..kernel.start.index() {
            text.push_str("0000000000000000\n");
        }
        for word in &kernel.words {
            let _ = writeln!(text, "{}", bundle_digits(*word));
        }
        next = kernel.start.index() + kernel.words.len();
    }
    text
}
