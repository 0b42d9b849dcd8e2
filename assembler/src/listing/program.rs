//! The listing of a program: address, word, bundle and source line of every bundle, words of local memory.

use super::pipeline::pipelines;
use crate::asm::Scheduled;
use crate::diagnostic::Sources;
use crate::image::{Chunk, Image, Kernel, SourcePosition, SymbolKind};
use cp2_isa::{Core, bundle_digits, decode};
use std::fmt::Write as _;

/// Column of the source line.
const SOURCE: usize = 72;

/// Returns the listing of an image for people: each kernel by address, with encoding (hexadecimal), text and source
/// line of every bundle and the tables of the pipelined loops in it, then the data of local memory. `regions` are the
/// image's scheduled regions, `sources` the texts that it was made from.
pub fn program(image: &Image, core: &Core, regions: &[Scheduled], sources: &Sources) -> String {
    let mut text = String::new();
    for kernel in &image.kernels {
        list_kernel(&mut text, image, core, kernel, sources);
        let end = kernel.start.plus(kernel.words.len() as u16);
        for region in regions.iter().filter(|r| (kernel.start..end).contains(&r.start)) {
            let tables = pipelines(region, sources);
            if !tables.is_empty() {
                let _ = write!(text, "\n{tables}");
            }
        }
        text.push('\n');
    }
    for chunk in &image.data {
        list_data(&mut text, image, chunk);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn list_kernel(text: &mut String, image: &Image, core: &Core, kernel: &Kernel, sources: &Sources) {
    let plural = if kernel.words.len() == 1 { "" } else { "s" };
    let _ = writeln!(text, "kernel {}: {} bundle{plural}\n", kernel.name, kernel.words.len());
    let _ = writeln!(text, "addr  word              {:<46}  source", "bundle");
    let mut last = None;
    for (k, &word) in kernel.words.iter().enumerate() {
        let address = kernel.start.plus(k as u16);
        labels(text, image, SymbolKind::Bundle, address.0);
        let bundle = decode(word, core).map_or_else(|_| "?".to_owned(), |b| b.to_string());
        let line = format!("{:>4}  {}  {bundle}", address.0, bundle_digits(word));
        let place = image.lines.get(&address).copied();
        let source = place.filter(|_| place != last).and_then(|p| source_line(image, p, sources));
        // What the scheduler leaves empty comes from no line but the head of the region.
        let source = source.filter(|(_, text)| word != 0 || !text.starts_with('.'));
        last = place;
        let _ = match source {
            Some((at, source)) => writeln!(text, "{line:<SOURCE$}  {at}: {source}"),
            None => writeln!(text, "{line}"),
        };
    }
}

/// Returns line and text of a place, with the file if there are several.
fn source_line<'a>(
    image: &Image,
    place: SourcePosition,
    sources: &'a Sources,
) -> Option<(String, &'a str)> {
    let name = image.files.get(place.file as usize)?;
    let text = sources.text_of(name)?.lines().nth(place.line as usize - 1)?;
    let file = if image.files.len() > 1 { format!("{name}:") } else { String::new() };
    Some((format!("{file}{}", place.line), text.trim()))
}

fn labels(text: &mut String, image: &Image, kind: SymbolKind, address: u16) {
    let here = |s: &&crate::image::Symbol| s.kind == kind && s.value == i64::from(address);
    for symbol in image.symbols.iter().filter(here) {
        let _ = writeln!(text, "{}:", symbol.name);
    }
}

fn list_data(text: &mut String, image: &Image, chunk: &Chunk) {
    let section = chunk.section.map_or("all sections".to_owned(), |s| format!("section {s}"));
    let plural = if chunk.words.len() == 1 { "" } else { "s" };
    let _ = writeln!(text, "local memory, {section}: {} word{plural}\n", chunk.words.len());
    for (k, word) in chunk.words.iter().enumerate() {
        let address = chunk.start.0 + k as u16;
        labels(text, image, SymbolKind::Word, address);
        let _ = writeln!(text, "{address:>4}  {word:016x}");
    }
    text.push('\n');
}
