//! Parsers (nom) of one line. The parsers know the grammar and neither symbols nor operations.

mod allowed;
pub(crate) mod ast;
mod choice;
mod cursor;
mod declaration;
mod directive;
mod expr;
mod statement;

pub(crate) use cursor::{Cursor, Fault};
pub(crate) use declaration::array_head;
pub(crate) use directive::{DIRECTIVES, directive, keyword, macro_arguments};
pub(crate) use statement::{bundle, labels};

use cursor::Refused;

/// Returns the fault of a failed parse.
pub(crate) fn fault(error: nom::Err<Refused>) -> Fault {
    match error {
        nom::Err::Error(Refused::Wrong(f)) | nom::Err::Failure(Refused::Wrong(f)) => *f,
        nom::Err::Error(Refused::Absent(at)) | nom::Err::Failure(Refused::Absent(at)) => {
            Fault::new("C0101", at..at, "this is not expected here")
        }
        nom::Err::Incomplete(_) => Fault::new("C0101", 0..0, "the line ends too early"),
    }
}
