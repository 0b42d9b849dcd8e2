//! Beats of the DMA channel as rows: a table of their own, and columns of a trace.

use crate::error::TraceError;
use crate::format::TraceFormat;
use crate::table::{Cell, Row, Table};
use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_isa::{Core, Cycle, MemoryAddress, SECTIONS};
use std::io::Write;

const HEADING: &str =
    "   cycle   visit  descr  way   memory     bytes  sections  local  bank  mask";

/// A beat of which nothing is known.
pub(crate) const BLANK: Beat = Beat {
    cycle: Cycle::RESET,
    visit: 0,
    conflicts: 0,
    direction: Direction::Get,
    address: MemoryAddress::FIRST,
    bytes: 0,
    local: None,
    sections: 0,
    mask: 0,
    words: [0; 2],
};

pub(crate) fn way(beat: &Beat) -> &'static str {
    match beat.direction {
        Direction::Get => "get",
        Direction::Put => "put",
    }
}

/// Returns the sections of a beat as their digits.
pub(crate) fn sections(beat: &Beat) -> String {
    (0..SECTIONS).filter(|s| beat.sections >> s & 1 == 1).map(|s| s.to_string()).collect()
}

/// Returns the words that move, 16 hexadecimal digits each.
fn words(beat: &Beat) -> impl Iterator<Item = String> {
    beat.places().map(|k| format!("{:016x}", beat.words[k]))
}

/// Returns the columns of a beat but for its cycle and its sections.
pub(crate) fn cells(core: &Core, descriptor: u32, beat: &Beat, values: bool) -> Row {
    let bank = beat.local.map(|word| core.bank_of(word).0.into());
    let mut cells = vec![
        ("visit", Cell::number(beat.visit)),
        ("descriptor", Cell::number(descriptor)),
        ("direction", Cell::text(way(beat))),
        ("memory_address", Cell::number(beat.address)),
        ("bytes", Cell::number(beat.bytes)),
        ("sections", Cell::number(beat.sections)),
        ("local_word", Cell::Number(beat.local.map(u64::from))),
        ("bank", Cell::Number(bank)),
        ("mask", Cell::number(beat.mask)),
        ("conflicts", Cell::number(beat.conflicts)),
    ];
    if values {
        let mut words = words(beat);
        cells.push(("word0", Cell::Text(words.next())));
        cells.push(("word1", Cell::Text(words.next())));
    }
    cells
}

fn row(core: &Core, descriptor: u32, beat: &Beat, values: bool) -> Row {
    let cycle = ("cycle", Cell::number(beat.cycle.0));
    std::iter::once(cycle).chain(cells(core, descriptor, beat, values)).collect()
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

/// A writer of a table of beats, the transfers of 128 bits that the DMA channel makes in one cycle: a row for each.
pub struct BeatTable<W: Write + Send> {
    table: Table<W>,
    core: Core,
    values: bool,
    /// Error of the first write that failed; nothing is written behind it.
    failure: Option<TraceError>,
}

impl<W: Write + Send> BeatTable<W> {
    /// Begins a table on `out`: Parquet or CSV if `format` is one of these, else text. `values` adds columns with the
    /// words that move.
    ///
    /// # Errors
    /// Returns an error if the begin of the table cannot be written.
    pub fn begin(
        out: W,
        format: TraceFormat,
        core: &Core,
        values: bool,
    ) -> Result<Self, TraceError> {
        let form = format.table().unwrap_or(crate::table::Form::Text);
        let blank = ("beats", row(core, 0, &BLANK, values));
        let table = Table::begin(out, form, blank, HEADING, u64::MAX)?;
        Ok(Self { table, core: *core, values, failure: None })
    }

    /// Adds the row of a beat; `descriptor` is the number, in its table, of the descriptor that it belongs to. If
    /// writing fails, nothing more is written, and [`Self::finish`] returns the error.
    pub fn add(&mut self, descriptor: u32, beat: &Beat) {
        let Self { table, core, values, failure } = self;
        if failure.is_none() {
            let prepared = table.prepare(
                || row(core, descriptor, beat, *values),
                || line(core, descriptor, beat, *values),
            );
            *failure = table.put_all(vec![prepared]).err();
        }
    }

    /// Writes the rows that are left and returns the output.
    ///
    /// # Errors
    /// Returns an error if the table could not be written, now or at an earlier row.
    pub fn finish(self) -> Result<W, TraceError> {
        self.failure.map_or(Ok(()), Err)?;
        self.table.finish()
    }
}
