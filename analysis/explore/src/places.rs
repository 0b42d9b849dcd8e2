//! Places of a text as a page counts them: lines from 1, and units of 16 bits within a line.

use cp2_asm::outline::{WordKind, outline};
use serde_json::{Value, json};
use std::ops::Range;

/// A text with the bytes at which its lines begin.
pub(crate) struct Places<'a> {
    text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, lines: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the line of a byte, from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|&begin| begin <= byte).max(1)
    }

    /// Returns line and unit of a byte.
    fn place(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.text.len());
        let line = self.line(byte);
        let before = self.text.get(self.lines[line - 1]..byte).unwrap_or_default();
        (line, before.encode_utf16().count())
    }

    /// Returns line and first unit, last line and unit behind the end, of bytes.
    pub(crate) fn range(&self, bytes: &Range<usize>) -> Value {
        let ((line, from), (last, to)) = (self.place(bytes.start), self.place(bytes.end));
        json!([line, from, last, to])
    }
}

/// Returns the letter by which the page knows a kind of word.
fn letter(kind: WordKind) -> &'static str {
    match kind {
        WordKind::Comment => "c",
        WordKind::Text => "t",
        WordKind::Number => "n",
        WordKind::Directive => "d",
        WordKind::Operation => "o",
        WordKind::Register => "r",
        WordKind::Virtual => "v",
        WordKind::Symbol => "s",
        WordKind::Parameter => "p",
    }
}

/// Returns the words of a text by line: first unit, number of units, kind.
pub(crate) fn words(text: &str) -> Value {
    let places = Places::new(text);
    let mut lines: Vec<Vec<Value>> = vec![Vec::new(); places.lines.len()];
    for word in outline(text) {
        let (line, from) = places.place(word.range.start);
        let length = text[word.range].encode_utf16().count();
        lines[line - 1].push(json!([from, length, letter(word.kind)]));
    }
    json!(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_units_of_sixteen_bits() {
        let places = Places::new("a\u{1d11e}b\nc");
        assert_eq!(places.range(&(5..6)), json!([1, 3, 1, 4]));
        assert_eq!(places.range(&(7..99)), json!([2, 0, 2, 1]));
        assert_eq!(Places::new("").range(&(0..0)), json!([1, 0, 1, 0]));
    }

    #[test]
    fn words_stand_in_their_lines() {
        assert_eq!(words("nop\n ; \u{e9}x\n"), json!([[[0, 3, "o"]], [[1, 4, "c"]], []]));
    }
}
