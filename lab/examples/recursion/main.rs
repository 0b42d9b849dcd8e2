//! Measures recursive searches on CP2, and makes the page of the book of them, `specs/src/recursion-measured.md`:
//! `cargo run --release -p cp2-lab --example recursion -- measure PART`, where PART is `forms`, `form NAME` (one of them), `extensions`, `depths`, `steps`, `trees`, `branches` or `stops`,
//! prints rows for `lab/data/recursion.csv`; `page` prints the page from that file and from `gpu/recursion/data`.

mod gpu;
mod measure;
mod page;
#[path = "../shared/rows.rs"]
mod rows;
#[path = "../shared/table.rs"]
mod table;

use measure::{depths, extensions, forms, puzzles, steps};
use rows::Rows;

/// Rows that were measured on the emulator.
const MEASURED: &str = include_str!("../../data/recursion.csv");

/// Lines of graphics processors.
const OF_GPU: &str = include_str!("../../../gpu/recursion/data/2026-11-29-h200.jsonl");

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["measure", "extensions"] => extensions::extensions(),
        ["measure", "forms"] => forms::forms(),
        ["measure", "form", name] => forms::form_of(name),
        ["measure", "depths"] => depths::depths(),
        ["measure", "steps"] => steps::steps(),
        ["measure", "trees"] => depths::trees(),
        ["measure", "branches"] => puzzles::branches(),
        ["measure", "stops"] => puzzles::stops(),
        ["page"] => {
            let mut page = page::page(&Rows::read(MEASURED)?);
            gpu::part(&mut page, &gpu::read(OF_GPU)?);
            print!("{page}");
            Ok(())
        }
        _ => Err("takes `measure` with forms, form NAME, extensions, depths, steps, trees, branches or stops, or `page`"
            .to_owned()),
    }
}
