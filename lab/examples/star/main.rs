//! Measures the STAR machine on CP2, and makes the page of the book of it, `specs/src/star-measured.md`:
//! `cargo run --release -p cp2-lab --example star -- measure PART`, where PART is `kernels`, `closures`, `paths`,
//! `insertions` or `machine`, prints rows for `lab/data/star.csv`; `page` prints the page from that file and from `lab/data/star-gpu.csv`.

mod insertions;
mod measure;
mod page;
#[path = "../shared/rows.rs"]
mod rows;
#[path = "../shared/table.rs"]
mod table;

use rows::Rows;

/// Rows that were measured on the emulator and the native machine.
const MEASURED: &str = include_str!("../../data/star.csv");
/// Rows of graphics processors; the part of the page is left out while there are none.
const OF_GPU: &str = include_str!("../../data/star-gpu.csv");

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["measure", "kernels"] => measure::kernels(),
        ["measure", "closures"] => measure::closures(),
        ["measure", "paths"] => measure::paths(),
        ["measure", "insertions"] => insertions::measure(),
        ["measure", "machine"] => measure::machine().and_then(|()| insertions::machine()),
        ["page"] => {
            print!("{}", page::page(&Rows::read(MEASURED)?, &Rows::read(OF_GPU)?));
            Ok(())
        }
        _ => Err("takes `measure` with kernels, closures, paths, insertions or machine, or `page`"
            .to_owned()),
    }
}
