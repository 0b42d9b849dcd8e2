//! Parsers (nom) of one line. They know the grammar and neither symbols nor operations.

mod cursor;
mod directive;
mod expr;
mod statement;

pub(crate) use cursor::{Cursor, Fault};
pub(crate) use directive::{DIRECTIVES, Directive, Parameter, directive, macro_arguments};
pub(crate) use statement::{bundle, labels};

use cursor::Refused;

/// The line without its comment and the blanks before it.
pub fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    let mut quoted = false;
    let mut last = 0;
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => return line[..i].trim_end(),
            b'/' if !quoted && last == b'/' => return line[..i - 1].trim_end(),
            _ => {}
        }
        last = byte;
    }
    line.trim_end()
}

/// What a failed parse has to say.
pub(crate) fn fault(error: nom::Err<Refused>) -> Fault {
    match error {
        nom::Err::Error(Refused::Wrong(f)) | nom::Err::Failure(Refused::Wrong(f)) => *f,
        nom::Err::Error(Refused::Absent(at)) | nom::Err::Failure(Refused::Absent(at)) => {
            Fault::new("C0101", at..at, "this is not expected here")
        }
        nom::Err::Incomplete(_) => Fault::new("C0101", 0..0, "the line ends too early"),
    }
}
