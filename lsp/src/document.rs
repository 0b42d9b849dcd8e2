//! An open text, and its places: bytes here, lines and characters in the protocol.

use crate::made::{MadeName, made_names};
use cp2_asm::cases::case_begins;
use cp2_asm::is_symbol_name;
use cp2_asm::outline::{OutlineWord, WordKind, outline};
use gen_lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};
use std::ops::Range as Bytes;
use std::sync::OnceLock;

/// Unit in which a client counts characters of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Words of 16 bits, as all clients can.
    Utf16,
}

impl Encoding {
    /// Returns the unit that a client takes, bytes if it can.
    pub(crate) fn of(offered: Option<&[PositionEncodingKind]>) -> Self {
        match offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8)) {
            true => Self::Utf8,
            false => Self::Utf16,
        }
    }

    /// Returns the name of the unit in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Self::Utf16 if !text.is_ascii() => text.encode_utf16().count(),
            Self::Utf8 | Self::Utf16 => text.len(),
        }
    }
}

/// A text with the places of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    text: String,
    /// Bytes at which lines begin.
    lines: Vec<usize>,
    /// Words of the text, once they were asked for.
    words: OnceLock<Vec<OutlineWord>>,
    /// Names of the text with holes, once they were asked for.
    made: OnceLock<Vec<MadeName>>,
    /// Bytes at which the cases of a file test begin, once they were asked for.
    cases: OnceLock<Vec<usize>>,
    encoding: Encoding,
    /// Version that the client has given it.
    pub(crate) version: i32,
}

impl Document {
    pub(crate) fn new(text: String, version: i32, encoding: Encoding) -> Self {
        let (words, made, cases) = Default::default();
        let mut document = Self { text, lines: Vec::new(), words, made, cases, encoding, version };
        document.find_lines();
        document
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the words of the text, read as assembly.
    pub(crate) fn words(&self) -> &[OutlineWord] {
        self.words.get_or_init(|| {
            let mut words = outline(&self.text);
            let is_filled =
                |word: &OutlineWord| self.text[word.range.end..].starts_with(['\\', '{']);
            // A register whose number stands in a hole, such as `f{\k}`, is no name.
            for word in words.iter_mut().filter(|word| is_filled(word)) {
                let name = &self.text[word.range.clone()];
                if word.kind == WordKind::Symbol && !is_symbol_name(&format!("{name}0")) {
                    word.kind = WordKind::Register;
                }
            }
            words
        })
    }

    /// Returns the names of the text with holes, in their order.
    pub(crate) fn made(&self) -> &[MadeName] {
        self.made.get_or_init(|| made_names(&self.text, self.words()))
    }

    /// Returns the name with holes that has a byte, or ends there.
    pub(crate) fn made_at(&self, byte: usize) -> Option<&MadeName> {
        let all = self.made();
        let found = all.get(all.partition_point(|made| made.range.end < byte))?;
        (found.range.start <= byte).then_some(found)
    }

    /// Whether two bytes belong to one program: they are in one case of a file test, or one of them stands before all cases.
    pub(crate) fn are_together(&self, one: usize, other: usize) -> bool {
        let begins = || case_begins(&self.text).into_iter().map(|line| self.start_of_line(line));
        let cases = self.cases.get_or_init(|| begins().collect());
        let [one, other] = [one, other].map(|byte| cases.partition_point(|begin| *begin <= byte));
        one == other || one == 0 || other == 0
    }

    fn find_lines(&mut self) {
        let ends = self.text.match_indices('\n').map(|(at, _)| at + 1);
        self.lines = std::iter::once(0).chain(ends).collect();
    }

    /// Changes a part of the text, or all of it.
    pub(crate) fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let range = self.bytes(part.range);
                self.text.replace_range(range, &part.text);
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                self.text = whole.text;
            }
        }
        self.words.take();
        self.made.take();
        self.cases.take();
        self.find_lines();
    }

    /// Returns the text of a line, from 0, without its end.
    pub(crate) fn line(&self, line: usize) -> &str {
        let begin = self.lines.get(line).copied().unwrap_or(self.text.len());
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[begin..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns the byte at which a line, from 0, begins; the end of the text for lines behind it.
    pub(crate) fn start_of_line(&self, line: usize) -> usize {
        self.lines.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns the text of a line before a place in it.
    pub(crate) fn line_before(&self, position: Position) -> &str {
        let before = &self.text[..self.byte(position)];
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// Returns the name of the TOML table whose header is the last at a line, from 0, or above; `None` if there is none.
    pub(crate) fn header_above(&self, line: usize) -> Option<&str> {
        let mut lines = (0..=line).rev().map(|line| self.line(line).trim());
        let header = lines.find(|line| line.starts_with('['))?;
        Some(header.trim_start_matches('[').split(']').next()?.trim())
    }

    /// Returns the byte of a place; places behind the end of a line or of the text are its end.
    pub(crate) fn byte(&self, position: Position) -> usize {
        let line = self.line(position.line as usize);
        let begin = self.lines.get(position.line as usize).copied().unwrap_or(self.text.len());
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= position.character as usize {
                return begin + at;
            }
            units += self.encoding.length(c.encode_utf8(&mut [0; 4]));
        }
        begin + line.len()
    }

    fn bytes(&self, range: Range) -> Bytes<usize> {
        let begin = self.byte(range.start);
        begin..self.byte(range.end).max(begin)
    }

    /// Returns the number of the line, from 0, that has a byte.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|&begin| begin <= byte).saturating_sub(1)
    }

    /// Returns the place of a byte.
    pub(crate) fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.text.len());
        let line = self.line_of(byte);
        let before = self.text.get(self.lines[line]..byte).unwrap_or_default();
        Position { line: line as u32, character: self.encoding.length(before) as u32 }
    }

    /// Returns the place of the end of a line, from 0.
    pub(crate) fn end_of_line(&self, line: usize) -> Position {
        let character = self.encoding.length(self.line(line)) as u32;
        Position { line: line as u32, character }
    }

    /// Returns the places and lengths of parts of the text that stand one behind the other, none over the end of a line.
    pub(crate) fn places(
        &self,
        parts: impl Iterator<Item = Bytes<usize>>,
    ) -> impl Iterator<Item = (Position, u32)> {
        let (mut line, mut at, mut character) = (0, 0, 0);
        parts.map(move |part| {
            let before = line;
            while self.lines.get(line + 1).is_some_and(|begin| *begin <= part.start) {
                line += 1;
            }
            if line > before {
                (at, character) = (self.lines[line], 0);
            }
            let units = |bytes| self.encoding.length(self.text.get(bytes).unwrap_or_default());
            character += units(at..part.start) as u32;
            at = part.start;
            (Position { line: line as u32, character }, units(part) as u32)
        })
    }

    /// Returns the places of bytes.
    pub(crate) fn range(&self, bytes: Bytes<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_lsp_types::TextDocumentContentChangePartial;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn places_count_in_the_unit_of_the_client() {
        let text = "a\u{e9}\u{1d11e}b\r\nc";
        for (encoding, b) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4)] {
            let document = Document::new(text.to_owned(), 0, encoding);
            assert_eq!(document.position(7), at(0, b));
            assert_eq!(document.byte(at(0, b)), 7);
            assert_eq!(document.byte(at(0, 99)), 8, "the end of the line, before its mark");
            assert_eq!(document.byte(at(1, 1)), text.len());
            assert_eq!(document.byte(at(9, 0)), text.len());
            assert_eq!(document.line(1), "c");
            let parts = [0..1, 3..7, 7..8, 10..11];
            let places: Vec<_> = document.places(parts.iter().cloned()).collect();
            let by_range = parts.map(|part| {
                let range = document.range(part);
                (range.start, range.end.character - range.start.character)
            });
            assert_eq!(places, by_range);
        }
    }

    #[test]
    #[allow(deprecated, reason = "the type has a field that is written as none")]
    fn changes_replace_parts() {
        let mut document = Document::new("one\ntwo\n".to_owned(), 0, Encoding::Utf16);
        let change = |start, end, text: &str| {
            let range = Range { start, end };
            let text = text.to_owned();
            let part = TextDocumentContentChangePartial { range, range_length: None, text };
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part)
        };
        document.change(change(at(0, 1), at(1, 1), "X\nY\nZ"));
        assert_eq!(document.text(), "oX\nY\nZwo\n");
        document.change(change(at(2, 0), at(9, 0), ""));
        assert_eq!((document.text(), document.line(1)), ("oX\nY\n", "Y"));
    }
}
