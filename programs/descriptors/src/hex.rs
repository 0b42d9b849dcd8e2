//! A chain from words of 16 hexadecimal digits, 8 for a descriptor, and back.

use crate::{Chain, ChainSource, DescriptorSpans, codes, sentence};
use cp2_asm::diagnostic::{Diagnostic, Sources, Span};
use cp2_emu::dma::{Descriptor, FieldError};
use std::fmt::Write as _;

/// Words of a descriptor.
const WORDS: usize = 8;

/// Reads a chain from the text of a `.hex` file, words of 16 hexadecimal digits, 8 for each descriptor; comments begin
/// with `;` or `#`. `file` is the number of the text in `sources`. Such a text sets no registers.
///
/// # Errors
/// A word is not one of 16 hexadecimal digits, or the words do not make whole descriptors: a diagnostic for each
/// problem.
pub fn read(sources: &Sources, file: u32) -> Result<ChainSource, Vec<Diagnostic>> {
    let mut words = Vec::new();
    let mut problems = Vec::new();
    let mut offset = 0;
    for line in sources.text(file).split_inclusive('\n') {
        let code = line.split([';', '#']).next().unwrap_or_default();
        for word in code.split_whitespace() {
            let start = offset + (word.as_ptr() as usize - line.as_ptr() as usize);
            let span = Span { file, range: start..start + word.len() };
            match parse(word) {
                Ok(bits) => words.push((bits, span)),
                Err(message) => problems.push(
                    Diagnostic::error(codes::NO_WORD, span, message)
                        .help("a word is 16 hexadecimal digits"),
                ),
            }
        }
        offset += line.len();
    }
    let (whole, rest) = words.as_chunks::<WORDS>();
    if problems.is_empty() && (whole.is_empty() || !rest.is_empty()) {
        let span = rest.first().map_or(Span { file, range: 0..0 }, |(_, span)| span.clone());
        let message = match rest.len() {
            0 => "the file has no descriptor".to_owned(),
            n => format!("descriptor {} has {n} words; it takes {WORDS}", whole.len()),
        };
        problems.push(Diagnostic::error(codes::NOT_WHOLE, span, message));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut source = ChainSource { chain: Chain::default(), places: Vec::new() };
    for words in whole {
        source.chain.descriptors.push(Descriptor::decode(&words.each_ref().map(|(bits, _)| *bits)));
        let range = words[0].1.range.start..words[WORDS - 1].1.range.end;
        source.places.push(DescriptorSpans { whole: Span { file, range }, fields: Vec::new() });
    }
    Ok(source)
}

fn parse(word: &str) -> Result<u64, String> {
    if let Some(c) = word.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{c}` is not a hexadecimal digit"));
    }
    if word.len() != 16 {
        return Err(format!("{} digits; a word has 16", word.len()));
    }
    u64::from_str_radix(word, 16).map_err(|e| e.to_string())
}

/// Writes the descriptors of a chain as the text of a `.hex` file, each after a comment that says in a sentence what
/// it does. Registers stand in comments alone, so that reading the text loses them.
///
/// # Errors
/// A field of a descriptor does not fit its bits: the first such field. A chain that was read from a file has none.
pub fn write(chain: &Chain) -> Result<String, FieldError> {
    let mut text = String::new();
    for (register, value) in &chain.registers {
        let _ = writeln!(text, "; {} = 0x{value:08x}", register.name());
    }
    for (half, value) in &chain.halves {
        let _ = writeln!(text, "; {} = 0x{value:08x}", sentence::half_register(*half));
    }
    for (number, descriptor) in chain.descriptors.iter().enumerate() {
        let _ = writeln!(text, "; {number}: {}", sentence::sentence(descriptor));
        for half in descriptor.encode()?.chunks(WORDS / 2) {
            let words: Vec<_> = half.iter().map(|word| format!("{word:016x}")).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
    }
    Ok(text)
}
