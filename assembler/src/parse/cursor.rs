//! The input of the parsers: the rest of a line that knows where in the line it stands, and the error that parsers give. No
//! grammar.

use super::ast::Word;
use nom::error::{ErrorKind, ParseError};
use nom::{Compare, CompareResult, Input, Needed, Offset};
use std::borrow::Cow;
use std::ops::Range;

/// The rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor<'a> {
    /// The rest.
    pub(crate) text: &'a str,
    /// Byte of the line at which the rest begins.
    pub(crate) offset: usize,
    /// Brackets that are open, so that no input exhausts the stack.
    pub(crate) depth: u16,
}

/// The reason why a line does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Stable code.
    pub(crate) code: &'static str,
    /// Bytes of the line.
    pub(crate) at: Range<usize>,
    /// Message: what is wrong.
    pub(crate) message: Cow<'static, str>,
    /// Advice: what to do; may be empty.
    pub(crate) help: Cow<'static, str>,
}

/// The reason why a parser reads nothing. The type is small because alternatives refuse all the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The text at this byte does not begin a thing of the kind. Where all alternatives refuse, a parser says what it
    /// expected.
    Absent(usize),
    /// The text is wrong, as the fault says.
    Wrong(Box<Fault>),
}

pub(crate) type Parsed<'a, T> = nom::IResult<Cursor<'a>, T, Refused>;

impl<'a> Cursor<'a> {
    /// Creates the cursor of a whole line.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, depth: 0 }
    }

    /// Returns the rest of a line from a byte on.
    pub(crate) fn at(line: &'a str, offset: usize) -> Self {
        nom::Input::take_from(&Self::new(line), offset)
    }

    /// Returns the bytes from here to the start of `rest`.
    pub(crate) fn until(&self, rest: &Cursor<'_>) -> Range<usize> {
        self.offset..rest.offset
    }

    /// Returns all bytes of the text, for a piece that a parser has read.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns the text as a word to be kept, for a piece that a parser has read.
    pub(crate) fn word(self) -> Word {
        Word { text: self.text.to_owned(), at: self.bytes() }
    }

    /// Returns the letters, digits and `_` that the rest begins with; may be empty.
    pub(crate) fn leading_word(self) -> Self {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let length = self.text.bytes().position(|b| !is_word(b)).unwrap_or(self.text.len());
        nom::Input::take(&self, length)
    }

    /// Returns the bytes of the token that starts here, for messages.
    pub(crate) fn token(&self) -> Range<usize> {
        match (self.leading_word().text.len(), self.text.chars().next()) {
            (0, Some(c)) => self.offset..self.offset + c.len_utf8(),
            (length, _) => self.offset..self.offset + length,
        }
    }

    /// Returns the name in messages of the token that starts here.
    pub(crate) fn found(&self) -> String {
        match &self.text[..self.token().len()] {
            "" | ";" => "the end of the line".into(),
            token => format!("`{token}`"),
        }
    }

    /// Creates an error at the token that starts here, which no alternative can mend.
    pub(crate) fn expected(&self, what: &str) -> nom::Err<Refused> {
        let message = format!("expected {what}, found {}", self.found());
        Fault::new("C0101", self.token(), message).fatal()
    }
}

impl Fault {
    pub(crate) fn new(
        code: &'static str,
        at: Range<usize>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { code, at, message: message.into(), help: Cow::Borrowed("") }
    }

    pub(crate) fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = help.into();
        self
    }

    pub(crate) fn fatal(self) -> nom::Err<Refused> {
        nom::Err::Failure(Refused::Wrong(Box::new(self)))
    }
}

impl<'a> ParseError<Cursor<'a>> for Refused {
    fn from_error_kind(input: Cursor<'a>, _: ErrorKind) -> Self {
        Self::Absent(input.offset)
    }

    fn append(_: Cursor<'a>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> Input for Cursor<'a> {
    type Item = char;
    type Iter = std::str::Chars<'a>;
    type IterIndices = std::str::CharIndices<'a>;

    fn input_len(&self) -> usize {
        self.text.len()
    }

    fn take(&self, index: usize) -> Self {
        Self { text: &self.text[..index], ..*self }
    }

    fn take_from(&self, index: usize) -> Self {
        Self { text: &self.text[index..], offset: self.offset + index, ..*self }
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P: Fn(char) -> bool>(&self, predicate: P) -> Option<usize> {
        self.text.find(predicate)
    }

    fn iter_elements(&self) -> Self::Iter {
        self.text.chars()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.text.char_indices()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        Input::slice_index(&self.text, count)
    }
}

impl Offset for Cursor<'_> {
    fn offset(&self, second: &Self) -> usize {
        second.offset - self.offset
    }
}

impl Compare<&str> for Cursor<'_> {
    fn compare(&self, t: &str) -> CompareResult {
        self.text.compare(t)
    }

    fn compare_no_case(&self, t: &str) -> CompareResult {
        self.text.compare_no_case(t)
    }
}
