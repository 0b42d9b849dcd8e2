//! Beats and words that each section has, as text.

use crate::grid::{Stream, has, streams};
use crate::report::visit_sentence;
use crate::run::Report;
use cp2_emu::dma::Beat;
use cp2_isa::SECTIONS;
use std::fmt::Write as _;

/// Beats of a row, and of local memory columns.
const COLUMNS: usize = 64;
/// Rows of beats that are drawn of one descriptor.
const ROWS: usize = 32;
/// Descriptors that are drawn.
const STREAMS: usize = 32;

/// Returns the letter of a beat.
fn letter(beat: &Beat) -> char {
    match (beat.local, beat.sections) {
        (None, _) => 'm',
        (_, 0) => '.',
        (_, 0b1111) => 'A',
        (_, sections) if sections.count_ones() == 1 => {
            char::from_digit(sections.trailing_zeros(), 10).unwrap_or('?')
        }
        _ => '+',
    }
}

/// Draws a run of a chain as text, descriptor by descriptor: which section has which beat (16 bytes that move in one
/// cycle), and which words of local memory are touched. `beats` are the beats of the run in the order in which they
/// moved, all or only the first; `lmem_words` is the number of words of local memory in a section.
pub fn map(report: &Report, beats: &[Beat], lmem_words: usize) -> String {
    let all = streams(report, beats);
    let mut text = String::from(
        "beats in the order of the stream: 0 to 3 the section that has it, A all sections, + several, . none,\n\
         m from memory to memory; words of local memory: # all words of a column, + some\n",
    );
    if all.is_empty() {
        text += "\nno beat has moved\n";
    }
    for stream in all.iter().take(STREAMS) {
        let _ = writeln!(
            text,
            "\ndescriptor {}: {}",
            stream.visit.number,
            visit_sentence(stream.visit)
        );
        beat_rows(&mut text, stream);
        if stream.beats.iter().any(|beat| beat.local.is_some()) {
            local_rows(&mut text, stream, lmem_words);
        }
    }
    if all.len() > STREAMS {
        let _ = writeln!(text, "\nand {} more descriptors", all.len() - STREAMS);
    }
    text
}

fn beat_rows(text: &mut String, stream: &Stream<'_>) {
    for (row, beats) in stream.beats.chunks(COLUMNS).take(ROWS).enumerate() {
        let line: String = beats.iter().map(letter).collect();
        let _ = writeln!(text, "  {:>8}  {line}", row * COLUMNS);
    }
    let drawn = ROWS * COLUMNS;
    if stream.beats.len() > drawn {
        let rest = stream.beats.len() - drawn;
        let _ = writeln!(text, "  {:>8}  and {rest} {}s more", drawn, stream.thing());
    }
}

fn local_rows(text: &mut String, stream: &Stream<'_>, lmem_words: usize) {
    let window = stream.window(lmem_words);
    let per_column = window.len().div_ceil(COLUMNS);
    let does = if stream.kind().starts_with("put") { "gives" } else { "takes" };
    let _ = writeln!(text, "  words {} to {}, {per_column} a column", window.start, window.end - 1);
    for section in 0..SECTIONS {
        if !stream.beats.iter().any(|beat| has(beat, section)) {
            let _ = writeln!(text, "  section {section} {does} nothing");
            continue;
        }
        let mut touched = vec![false; window.len()];
        for (word, _) in stream.words(section) {
            if let Some(touched) = touched.get_mut(word - window.start) {
                *touched = true;
            }
        }
        let line: String = touched
            .chunks(per_column)
            .map(|column| match column.iter().filter(|&&on| on).count() {
                0 => '.',
                n if n == column.len() => '#',
                _ => '+',
            })
            .collect();
        let _ = writeln!(text, "  section {section} {line}");
    }
}
