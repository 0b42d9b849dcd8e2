//! Beats of the DMA channel as files: one row per beat.

use crate::exit::Outcome;
use crate::table_file::{Cell, Row, TableFile};
use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_isa::{Core, Cycle, SECTIONS};
use std::path::Path;

const HEADING: &str =
    "   cycle   visit  descr  way   memory     bytes  sections  local  bank  mask";

/// Beats that are being written.
pub(crate) struct BeatFile<'a> {
    table: TableFile<'a>,
    core: Core,
    values: bool,
}

fn way(beat: &Beat) -> &'static str {
    match beat.direction {
        Direction::Get => "get",
        Direction::Put => "put",
    }
}

/// The sections as their digits.
fn sections(beat: &Beat) -> String {
    (0..SECTIONS).filter(|s| beat.sections >> s & 1 == 1).map(|s| s.to_string()).collect()
}

/// The words that move, 16 hexadecimal digits each.
fn words(beat: &Beat) -> impl Iterator<Item = String> {
    beat.words.iter().take(usize::from(beat.bytes / 8)).map(|word| format!("{word:016x}"))
}

fn cells(core: &Core, descriptor: u32, beat: &Beat, values: bool) -> Row {
    let number = |n: u64| Cell::Number(Some(n));
    let mut cells = vec![
        ("cycle", number(beat.cycle.0)),
        ("visit", number(beat.visit)),
        ("descriptor", number(descriptor.into())),
        ("direction", Cell::Text(Some(way(beat).into()))),
        ("memory_address", number(beat.address.into())),
        ("bytes", number(beat.bytes.into())),
        ("sections", number(beat.sections.into())),
        ("local_word", Cell::Number(beat.local.map(u64::from))),
        ("bank", Cell::Number(beat.local.map(|word| core.bank_of(word).0.into()))),
        ("mask", number(beat.mask.into())),
        ("conflicts", number(beat.conflicts)),
    ];
    if values {
        let mut words = words(beat);
        cells.push(("word0", Cell::Text(words.next())));
        cells.push(("word1", Cell::Text(words.next())));
    }
    cells
}

fn line(core: &Core, descriptor: u32, beat: &Beat, values: bool) -> String {
    let dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let sections = Some(sections(beat)).filter(|text| !text.is_empty());
    let mut line = format!(
        "{:>8} {:>7} {descriptor:>6}  {}  0x{:08x} {:>6}  {:<8} {:>6} {:>5}  {:04b}",
        beat.cycle,
        beat.visit,
        way(beat),
        beat.address,
        beat.bytes,
        dash(sections),
        dash(beat.local.map(|word| word.to_string())),
        dash(beat.local.map(|word| core.bank_of(word).to_string())),
        beat.mask,
    );
    if values {
        words(beat).for_each(|word| line = format!("{line}  {word}"));
    }
    line
}

impl<'a> BeatFile<'a> {
    /// Opens a file of beats; the ending of the name chooses the form.
    pub(crate) fn open(path: &'a Path, core: &Core, values: bool) -> Outcome<Self> {
        let blank = Beat {
            cycle: Cycle::RESET,
            visit: 0,
            conflicts: 0,
            direction: Direction::Get,
            address: 0,
            bytes: 0,
            local: None,
            sections: 0,
            mask: 0,
            words: [0; 2],
        };
        let table =
            TableFile::open(path, "beats", cells(core, 0, &blank, values), HEADING, u64::MAX)?;
        Ok(Self { table, core: *core, values })
    }

    /// Adds a beat of a descriptor.
    pub(crate) fn add(&mut self, descriptor: u32, beat: &Beat) {
        let Self { table, core, values } = self;
        table.row(
            || cells(core, descriptor, beat, *values),
            || line(core, descriptor, beat, *values),
        );
    }

    /// Writes what is left and gives the file its name.
    pub(crate) fn close(self) -> Outcome<()> {
        self.table.close()
    }
}
