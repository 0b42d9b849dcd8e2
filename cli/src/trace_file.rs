//! Traces as files: one row per operation.

use crate::exit::Outcome;
use crate::table_file::{Cell, Row, TableFile};
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{SECTIONS, Slot};
use std::ops::ControlFlow;
use std::path::Path;

const VALUE_COLUMNS: [[&str; SECTIONS]; 2] = [
    ["value_s0", "value_s1", "value_s2", "value_s3"],
    ["value2_s0", "value2_s1", "value2_s2", "value2_s3"],
];

/// The columns of an event, in the order of the file.
fn cells(event: &Event, values: bool) -> Row {
    let slot = match event.slot {
        Slot::Arithmetic => "arithmetic",
        Slot::Exchange => "exchange",
    };
    let destination = |k: usize| Cell::Text(event.written[k].map(|w| w.destination.to_string()));
    let mut cells = vec![
        ("issue_cycle", Cell::Number(Some(event.cycle))),
        ("address", Cell::Number(Some(event.address.into()))),
        ("slot", Cell::Text(Some(slot.into()))),
        ("operation", Cell::Text(Some(event.name.into()))),
        ("text", Cell::Text(Some(event.text.clone()))),
        ("sections", Cell::Number(Some(event.enabled.into()))),
        ("read_cycle", Cell::Number(Some(event.read_cycle))),
        ("write_cycle", Cell::Number(event.write_cycle)),
        ("destination", destination(0)),
        ("destination2", destination(1)),
    ];
    if values {
        for (k, names) in VALUE_COLUMNS.iter().enumerate() {
            for (s, name) in names.iter().enumerate() {
                let written = event.written[k].filter(|w| s < w.destination.sections());
                let value = written.map(|w| format!("{:016x}", w.value[s]));
                cells.push((name, Cell::Text(value)));
            }
        }
    }
    cells
}

/// A trace that is being written.
pub(crate) struct TraceFile<'a> {
    table: TableFile<'a>,
    values: bool,
}

impl<'a> TraceFile<'a> {
    /// Opens a trace; the ending of the name chooses the form.
    pub(crate) fn open(path: &'a Path, values: bool) -> Outcome<Self> {
        let blank = Event {
            cycle: 0,
            address: 0,
            slot: Slot::Arithmetic,
            name: "",
            text: String::new(),
            enabled: 0,
            read_cycle: 0,
            write_cycle: None,
            written: [None; 2],
        };
        let table = TableFile::open(path, "trace", cells(&blank, values), Event::HEADING)?;
        Ok(Self { table, values })
    }

    /// Writes what is left and gives the file its name.
    pub(crate) fn close(self) -> Outcome<()> {
        self.table.close()
    }
}

impl Observer for TraceFile<'_> {
    fn wants(&self) -> Wants {
        Wants::OPERATIONS.union(Wants::CYCLES)
    }

    /// What cannot be written, or is read by nobody, need not run on.
    fn cycle(&mut self, _: &PastCycle<'_>) -> ControlFlow<()> {
        match self.table.is_wanted() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn operation(&mut self, event: &Event) {
        self.table.row(|| cells(event, self.values), || event.line(self.values));
    }
}
