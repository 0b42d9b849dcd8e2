//! Traces as files: one row per operation.

use crate::args::{Cycles, Size, TraceChoice};
use crate::exit::{Outcome, complain};
use crate::table_file::{Cell, Prepared, Row, TableFile};
use cp2_asm::places::{Places, Site};
use cp2_emu::trace::{Event, Observer, Off, PastCycle, Wants};
use cp2_isa::{Bundle, BundleAddress, SECTIONS, Slot};
use std::ops::ControlFlow;
use std::path::Path;

const VALUE_COLUMNS: [[&str; SECTIONS]; 2] = [
    ["value_s0", "value_s1", "value_s2", "value_s3"],
    ["value2_s0", "value2_s1", "value2_s2", "value2_s3"],
];

/// The columns of an event, in the order of the file.
fn cells(event: &Event, site: &Site<'_>, values: bool) -> Row {
    let slot = match event.slot {
        Slot::Arithmetic => "arithmetic",
        Slot::Exchange => "exchange",
    };
    let text = |text: Option<&str>| Cell::Text(text.map(str::to_owned));
    let destination = |k: usize| Cell::Text(event.written[k].map(|w| w.destination.to_string()));
    let is_placed = site.label.is_some();
    let mut cells = vec![
        ("issue_cycle", Cell::Number(Some(event.cycle))),
        ("address", Cell::Number(Some(event.address.into()))),
        ("slot", text(Some(slot))),
        ("operation", text(Some(event.name))),
        ("text", text(Some(&event.text))),
        ("sections", Cell::Number(Some(event.enabled.into()))),
        ("read_cycle", Cell::Number(Some(event.read_cycle))),
        ("write_cycle", Cell::Number(event.write_cycle)),
        ("destination", destination(0)),
        ("destination2", destination(1)),
        ("lmem_address", Cell::Number(event.access.map(|a| a.word.into()))),
        ("lmem_words", Cell::Number(event.access.map(|a| a.words.into()))),
        ("label", text(site.label)),
        ("label_offset", Cell::Number(is_placed.then_some(site.offset.into()))),
        ("file", text(site.file)),
        ("line", Cell::Number(site.file.map(|_| site.line.into()))),
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
    path: &'a Path,
    table: TableFile<'a>,
    places: Places<'a>,
    widths: (usize, usize),
    values: bool,
    cycles: Cycles,
    limit: Size,
    /// The cycle at hand and its rows.
    cycle: u64,
    pending: Vec<Prepared>,
    /// The first cycle that found no room.
    full_at: Option<u64>,
}

impl<'a> TraceFile<'a> {
    /// Opens the trace that is asked for, if one is; the ending of its name chooses the form.
    pub(crate) fn open(choice: &'a TraceChoice, places: Places<'a>) -> Outcome<Option<Self>> {
        let TraceChoice { trace, trace_values: values, trace_cycles, trace_limit } = choice;
        let Some(path) = trace else { return Ok(None) };
        let blank = Event {
            cycle: 0,
            address: BundleAddress::default(),
            bundle: Bundle::NOP,
            slot: Slot::Arithmetic,
            name: "",
            text: String::new(),
            enabled: 0,
            read_cycle: 0,
            write_cycle: None,
            written: [None; 2],
            access: None,
        };
        let widths = widths(&places);
        let heading = Event::heading(&place(("label", "line"), widths));
        let row = cells(&blank, &places.site(BundleAddress(0)), *values);
        let table = TableFile::open(path, "trace", row, &heading, trace_limit.0)?;
        Ok(Some(Self {
            path,
            table,
            places,
            widths,
            values: *values,
            cycles: trace_cycles.unwrap_or(Cycles::ALL),
            limit: *trace_limit,
            cycle: 0,
            pending: Vec::new(),
            full_at: None,
        }))
    }

    /// Whether it has no room for more.
    pub(crate) fn is_full(&self) -> bool {
        self.full_at.is_some()
    }

    /// Up to which cycle a run that has come to cycle `now` is traced, or is not.
    pub(crate) fn border(&self, now: u64) -> (bool, u64) {
        let Cycles { start, end } = self.cycles;
        match () {
            () if self.is_full() || now >= end => (false, u64::MAX),
            () if now < start => (false, start),
            () => (true, end),
        }
    }

    /// Writes the rows of the cycle that is over.
    fn flush(&mut self) {
        let rows = std::mem::take(&mut self.pending);
        if self.full_at.is_none() && !self.table.put_all(rows) {
            self.full_at = Some(self.cycle);
        }
    }

    /// Writes what is left and gives the file its name. Tells if it has no room for all.
    pub(crate) fn close(mut self) -> Outcome<()> {
        self.flush();
        self.table.close()?;
        if let Some(cycle) = self.full_at {
            complain(format!(
                "cp2: {} is complete up to cycle {cycle}; later cycles are left out, for the trace would be \
                 longer than {} (--trace-limit)",
                self.path.display(),
                self.limit
            ));
        }
        Ok(())
    }
}

/// What stands before an operation: label and line, as wide as they are somewhere in the program.
fn place((label, line): (&str, &str), (labels, lines): (usize, usize)) -> String {
    let column = |text: &str, width| match width {
        0 => String::new(),
        width => format!("{text:<width$}  "),
    };
    column(label, labels) + &column(line, lines)
}

/// Characters of the longest label and line, the words above them included.
fn widths(places: &Places<'_>) -> (usize, usize) {
    let wide =
        |longest: usize, heading: &str| if longest == 0 { 0 } else { longest.max(heading.len()) };
    let (labels, lines) = places.widths();
    (wide(labels, "label"), wide(lines, "line"))
}

impl Observer for TraceFile<'_> {
    fn wants(&self) -> Wants {
        Wants::OPERATIONS.union(Wants::CYCLES)
    }

    /// What cannot be written, or is read by nobody, need not run on.
    fn cycle(&mut self, _: &PastCycle<'_>) -> ControlFlow<()> {
        self.flush();
        match self.table.is_wanted() && !self.is_full() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn operation(&mut self, event: &Event) {
        let Self { table, places, widths, values, pending, cycle, .. } = self;
        let site = places.site(event.address);
        let line = || {
            let place = place((&site.label_text(), &site.line_text()), *widths);
            event.line(&place, *values)
        };
        *cycle = event.cycle;
        pending.push(table.prepare(|| cells(event, &site, *values), line));
    }
}

/// Who watches a run, and from when to when.
pub(crate) struct Watcher<'a> {
    trace: Option<TraceFile<'a>>,
    nobody: Off,
}

impl<'a> Watcher<'a> {
    /// The trace that is asked for, if one is.
    pub(crate) fn open(choice: &'a TraceChoice, places: Places<'a>) -> Outcome<Self> {
        Ok(Self { trace: TraceFile::open(choice, places)?, nobody: Off })
    }

    /// Who watches from cycle `now` on, and up to which cycle.
    pub(crate) fn at(&mut self, now: u64) -> (&mut dyn Observer, u64) {
        let Self { trace, nobody } = self;
        match trace {
            None => (nobody, u64::MAX),
            Some(trace) => match trace.border(now) {
                (true, until) => (trace, until),
                (false, until) => (nobody, until),
            },
        }
    }

    /// Whether a run that was paused can go on: nobody asked for the pause but for want of room.
    pub(crate) fn goes_on(&self) -> bool {
        self.trace.as_ref().is_some_and(TraceFile::is_full)
    }

    /// Ends the trace.
    pub(crate) fn close(self) -> Outcome<()> {
        self.trace.map_or(Ok(()), TraceFile::close)
    }
}
