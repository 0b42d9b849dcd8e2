//! Reading the text of a directive from left to right: words, numbers, signs.

use std::ops::Range;

/// Cursor in the text of a directive.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Byte of the file at which the text begins.
    offset: usize,
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// A whole number, and whether it is written in base 16.
    Whole(i128, bool),
    /// A number with a point or an exponent, or `inf` or `nan`.
    Float(f32),
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the begin of a text that stands at `offset` in the file.
    pub(crate) fn new(text: &'a str, offset: usize) -> Self {
        Self { text, at: 0, offset }
    }

    /// Returns the text that has not been read yet.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Whether nothing is left but blanks.
    pub(crate) fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    pub(crate) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a sign if it comes next.
    pub(crate) fn eat(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    /// Takes a sign that has to come next.
    pub(crate) fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.eat(sign) { Ok(()) } else { Err(format!("expected `{sign}` {}", self.place())) }
    }

    /// Takes as many characters as `accept` does.
    pub(crate) fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Takes a name: letters, digits, `_`, `$`.
    pub(crate) fn word(&mut self) -> &'a str {
        self.skip_blanks();
        self.take(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    }

    /// Returns the place of the next thing, in bytes of the file.
    pub(crate) fn position(&mut self) -> usize {
        self.skip_blanks();
        self.offset + self.at
    }

    /// Returns the range of the file from a position to where the cursor stands now.
    pub(crate) fn since(&self, position: usize) -> Range<usize> {
        position..self.offset + self.at
    }

    /// Describes the place of the cursor by what follows it, for messages.
    pub(crate) fn place(&self) -> String {
        match self.rest().trim_start() {
            "" => "at the end".to_owned(),
            rest => format!("before `{rest}`"),
        }
    }

    /// Takes a whole number or a float.
    pub(crate) fn number(&mut self) -> Result<Number, String> {
        let place = self.place();
        self.skip_blanks();
        let negative = self.eat('-');
        let begin = self.at;
        let is_hex = self.rest().starts_with("0x");
        let digit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        self.take(digit);
        if !is_hex
            && self.text[begin..self.at].ends_with(['e', 'E'])
            && self.rest().starts_with(['-', '+'])
        {
            self.at += 1;
            self.take(digit);
        }
        let text = self.text[begin..self.at].replace('_', "");
        let sign = |n: i128| if negative { -n } else { n };
        if let Some(digits) = text.strip_prefix("0x") {
            let value = i128::from_str_radix(digits, 16);
            return value.map(|n| Number::Whole(sign(n), true)).map_err(|_| no_number(&place));
        }
        if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
            let value = text.parse::<i128>();
            return value.map(|n| Number::Whole(sign(n), false)).map_err(|_| no_number(&place));
        }
        if text == "nan" {
            return Ok(Number::Float(f32::from_bits(0x7fff_ffff)));
        }
        if text != "inf" && !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Err(no_number(&place));
        }
        let value = text.parse::<f32>().map_err(|_| no_number(&place))?;
        Ok(Number::Float(if negative { -value } else { value }))
    }
}

fn no_number(place: &str) -> String {
    format!("expected a number {place}")
}
