//! The page of the book.

use crate::{Rows, tables};
use std::error::Error;

const PAGE: &str = include_str!("../../data/page.md");

/// Returns the page: the text of `data/page.md`, in which `{{name}}` stands for a table.
pub(crate) fn text(rows: &Rows) -> Result<String, Box<dyn Error>> {
    let made =
        "<!-- Made by `cargo xtask bless cluster` from `programs/procedures/cluster/data/`. -->";
    let parts = [
        ("made", made.to_owned()),
        ("strong-vm9", tables::strong(rows, "vm9-torus")),
        ("strong-vm7", tables::strong(rows, "vm7-torus")),
        ("weak", tables::weak(rows)),
        ("latencies", tables::latencies(rows)),
        ("estimate-vm9", tables::estimates(rows, "vm9-torus")?),
        ("estimate-vm7", tables::estimates(rows, "vm7-torus")?),
        ("printed", tables::printed()?),
        ("ranks", tables::ranks(rows)),
        ("necks", tables::necks(rows)),
        ("all-S", tables::all(rows, "S")),
        ("all-W", tables::all(rows, "W")),
        ("all-B", tables::all(rows, "B")),
        ("all-C", tables::all(rows, "C")),
    ];
    let page = parts.into_iter().fold(PAGE.to_owned(), |page, (name, part)| {
        page.replace(&format!("{{{{{name}}}}}"), &part)
    });
    match page.split_once("{{") {
        None => Ok(page),
        Some((_, rest)) => {
            Err(format!("no table is named {}", rest.lines().next().unwrap_or("")).into())
        }
    }
}
