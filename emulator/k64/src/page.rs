//! The page of the book about the control processor, made of prose, the table of system calls and the table of operations.

use crate::isa::table::{Release, rows};
use crate::user;
use std::fmt::Write as _;

/// Returns the text, in Markdown, of the page of the book about the control processor: the prose of `page.md`, in it
/// the table of system calls, then tables of all operations. A test compares the checked-in copy with it.
#[must_use]
pub fn page() -> String {
    let mut text = include_str!("page.md").replace("{{calls}}\n", &user::table_of_calls());
    let mut section = "";
    for row in rows() {
        if row.section != section {
            section = row.section;
            let _ = write!(
                text,
                "\n### {section}\n\n| operation | encoding | effect |\n| --- | --- | --- |\n"
            );
        }
        let operands: Vec<String> =
            row.operands.iter().map(|o| format!("{o:?}").to_lowercase()).collect();
        let mark = if row.release == Release::R2 { " (release 2)" } else { "" };
        let name = row.name.replace('?', "*cond*");
        let _ = writeln!(
            text,
            "| {name} {}{mark} | `{}` | {} |",
            operands.join(", "),
            row.pattern,
            row.doc.replace('|', "\\|")
        );
    }
    text
}
