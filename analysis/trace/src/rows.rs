//! Traces as rows: one for every operation, and in a whole trace one for every cycle, beat, descriptor and act
//! of the host too.

use crate::error::TraceError;
use crate::format::{Content, TraceSetup};
use crate::step::{
    BeatRecord, Exporter, TracedCycle, TracedOperation, TracedVisit, WindowBegin, WindowEnd,
};
use crate::table::{Cell, Form, Prepared, Row, Table};
use crate::{beats, host};
use cp2_emu::dma::Visit;
use cp2_emu::machine::Act;
use cp2_emu::trace::Event;
use cp2_ir::sites::{NamesByCycle, Site};
use cp2_isa::{
    Bundle, BundleAddress, Core, Cycle, Extensions, SECTIONS, Section, SectionMask, Slot,
};
use std::io::Write;

const VALUE_COLUMNS: [[&str; SECTIONS]; 3] = [
    ["value_s0", "value_s1", "value_s2", "value_s3"],
    ["value2_s0", "value2_s1", "value2_s2", "value2_s3"],
    ["value3_s0", "value3_s1", "value3_s2", "value3_s3"],
];

/// Returns the columns of a place in the source.
fn place_cells(site: &Site<'_>) -> Row {
    let text = |text: Option<&str>| Cell::Text(text.map(str::to_owned));
    vec![
        ("label", text(site.label)),
        ("label_offset", Cell::Number(site.label.map(|_| site.offset.into()))),
        ("file", text(site.file)),
        ("line", Cell::Number(site.file.map(|_| site.line.into()))),
    ]
}

/// Names of the columns for the first words of the other sections, on cores on which each can have its own.
const OTHER_WORDS: [(Section, &str); SECTIONS - 1] = [
    (Section::ALL[1], "lmem_address_s1"),
    (Section::ALL[2], "lmem_address_s2"),
    (Section::ALL[3], "lmem_address_s3"),
];

/// Returns the columns of an operation.
fn operation(
    core: &Core,
    event: &Event<Cycle>,
    site: &Site<'_>,
    values: Option<SectionMask>,
) -> Row {
    let slot = match event.slot {
        Slot::Arithmetic => "arithmetic",
        Slot::Exchange => "exchange",
    };
    let destination = |k: usize| Cell::Text(event.written[k].map(|w| w.destination.to_string()));
    let mut cells = vec![
        ("issue_cycle", Cell::number(event.cycle)),
        ("address", Cell::number(event.address)),
        ("slot", Cell::text(slot)),
        ("operation", Cell::text(event.name)),
        ("text", Cell::text(&*event.text)),
        ("sections", Cell::number(event.enabled)),
        ("read_cycle", Cell::number(event.read_cycle)),
        ("write_cycle", Cell::Number(event.write_cycle.map(u64::from))),
        ("destination", destination(0)),
        ("destination2", destination(1)),
        ("destination3", destination(2)),
        ("lmem_address", Cell::Number(event.access.map(|a| a.word.into()))),
        ("lmem_words", Cell::Number(event.access.map(|a| a.words.into()))),
    ];
    if core.extensions().contains(Extensions::SECTION_ADDRESSING) {
        cells.extend(OTHER_WORDS.map(|(section, name)| {
            (name, Cell::Number(event.access.map(|a| a.word_in(section).into())))
        }));
    }
    cells.extend(place_cells(site));
    if let Some(sections) = values {
        for (k, names) in VALUE_COLUMNS.iter().enumerate() {
            for (section, name) in Section::ALL.into_iter().zip(names) {
                let s = section.index();
                let written = event.written[k].filter(|w| s < w.destination.sections());
                let value = written
                    .filter(|w| w.destination.sections() == 1 || sections.contains(section))
                    .map(|w| format!("{:016x}", w.value[s]));
                cells.push((name, Cell::Text(value)));
            }
        }
    }
    cells
}

/// Returns the columns of a whole trace, all without a value. Beats share `sections` with others.
fn blank(core: &Core, values: bool) -> Row {
    let mut row = vec![
        ("kind", Cell::Text(None)),
        ("cycle", Cell::Number(None)),
        ("end_cycle", Cell::Number(None)),
    ];
    row.extend(operation(core, &NO_EVENT, &NO_SITE, values.then_some(SectionMask::ALL)));
    row.extend([("cause", Cell::Text(None)), ("banks", Cell::Number(None))]);
    for (name, cell) in beats::cells(core, 0, &beats::BLANK, values) {
        if row.iter().all(|(there, _)| *there != name) {
            row.push((name, cell));
        }
    }
    row.extend([("action", Cell::Text(None)), ("detail", Cell::Text(None))]);
    row.into_iter().map(|(name, cell)| (name, cell.none())).collect()
}

const NO_EVENT: Event<Cycle> = Event {
    cycle: Cycle::RESET,
    address: BundleAddress(0),
    bundle: Bundle::NOP,
    slot: Slot::Arithmetic,
    name: "",
    text: String::new(),
    enabled: 0,
    read_cycle: Cycle::RESET,
    write_cycle: None,
    written: [None; 3],
    access: None,
};

const NO_SITE: Site<'static> = Site { kernel: None, label: None, offset: 0, file: None, line: 0 };

/// Returns the numbers of characters of the longest label and line, the words above them included.
fn widths(names: &NamesByCycle<'_>) -> (usize, usize) {
    let wide =
        |longest: usize, heading: &str| if longest == 0 { 0 } else { longest.max(heading.len()) };
    let (labels, lines) = names.widths();
    (wide(labels, "label"), wide(lines, "line"))
}

/// Returns the text before an operation: label and line, as wide as they are somewhere in the program.
fn place((label, line): (&str, &str), (labels, lines): (usize, usize)) -> String {
    let column = |text: &str, width| match width {
        0 => String::new(),
        width => format!("{text:<width$}  "),
    };
    column(label, labels) + &column(line, lines)
}

/// A writer of rows.
pub(crate) struct Rows<W: Write + Send> {
    table: Table<W>,
    core: Core,
    content: Content,
    /// The sections whose values are written, if values are.
    values: Option<SectionMask>,
    /// A row of a whole trace without a value.
    blank: Row,
    widths: (usize, usize),
}

impl<W: Write + Send> Rows<W> {
    pub(crate) fn begin(
        out: W,
        setup: &TraceSetup<'_>,
        names: &NamesByCycle<'_>,
        core: &Core,
    ) -> Result<Self, TraceError> {
        let (widths, blank) = (widths(names), blank(core, setup.values));
        let values = setup.values.then(|| setup.selection.sections());
        let columns = match setup.content {
            Content::Operations => operation(core, &NO_EVENT, &NO_SITE, values),
            Content::Everything => blank.clone(),
        };
        let form = setup.format.table().unwrap_or(Form::Text);
        let heading = Event::heading(&place(("label", "line"), widths));
        let table = Table::begin(out, form, ("trace", columns), &heading, setup.limit)?;
        Ok(Self { table, core: *core, content: setup.content, values, blank, widths })
    }

    /// Returns a row of a whole trace.
    fn whole(&self, kind: &str, cycle: Cycle, end: Option<Cycle>, values: Row) -> Row {
        let mut row = self.blank.clone();
        row[0].1 = Cell::text(kind);
        row[1].1 = Cell::number(cycle);
        row[2].1 = Cell::Number(end.map(u64::from));
        for (name, value) in values {
            if let Some((_, cell)) = row.iter_mut().find(|(there, _)| *there == name) {
                *cell = value;
            }
        }
        row
    }

    fn of_operation(&self, TracedOperation { event, site }: &TracedOperation<'_>) -> Prepared {
        let cells = || {
            let cells = operation(&self.core, event, site, self.values);
            match self.content {
                Content::Operations => cells,
                Content::Everything => self.whole("operation", event.cycle, None, cells),
            }
        };
        let line = || {
            let place = place((&site.label_text(), &site.line_text()), self.widths);
            event.line(&place, self.values.is_some())
        };
        self.table.prepare(cells, line)
    }

    /// Returns the row of a cycle; in text only of one that shows no operation.
    fn of_cycle(&self, step: &TracedCycle<'_>) -> Option<Prepared> {
        let usage = step.usage?;
        let cells = || {
            let address = step.address.map(u64::from);
            let mut cells = step.site.map(|site| place_cells(&site)).unwrap_or_default();
            cells.extend([
                ("address", Cell::Number(address)),
                ("cause", Cell::Text(usage.cause.map(|cause| cause.name().to_owned()))),
                ("banks", Cell::number(usage.banks.bits())),
            ]);
            self.whole("cycle", step.cycle, Some(step.cycle + 1), cells)
        };
        let line = || {
            let cause = usage.cause.map_or("no kernel ran", |cause| cause.description());
            format!("{:>8}  ({cause})", step.cycle.0)
        };
        let is_shown = step.operations.is_empty() || !self.table.is_text();
        is_shown.then(|| self.table.prepare(cells, line))
    }

    fn of_beat(&self, BeatRecord { beat, descriptor }: &BeatRecord) -> Prepared {
        let values = self.values.is_some();
        let cells = || {
            let cells = beats::cells(&self.core, *descriptor, beat, values);
            self.whole("beat", beat.cycle, Some(beat.cycle + 1), cells)
        };
        let line = || {
            let local = match (beat.local, beat.bytes / 8) {
                (None, _) => String::new(),
                (Some(word), 1) => format!(", [{word}] of sections {}", beats::sections(beat)),
                (Some(word), n) => {
                    let end = u32::from(word.0) + u32::from(n);
                    format!(", [{word}..{end}] of sections {}", beats::sections(beat))
                }
            };
            let way = beats::way(beat);
            format!("{:>8}  (DMA {way} {descriptor}: 0x{:08x}{local})", beat.cycle, beat.address)
        };
        self.table.prepare(cells, line)
    }

    fn of_visit(&self, traced: &TracedVisit<'_>) -> Prepared {
        let Visit { number, address, begin, end, ref stats, .. } = *traced.visit;
        let cells = || {
            let cells = vec![
                ("visit", Cell::number(traced.index)),
                ("descriptor", Cell::number(number)),
                ("memory_address", Cell::number(address)),
                ("bytes", Cell::number(stats.bytes_get + stats.bytes_put)),
            ];
            self.whole("descriptor", begin, end, cells)
        };
        let line = || {
            let end = end.map_or_else(String::new, |end| end.to_string());
            let bytes = stats.bytes_get + stats.bytes_put;
            format!(
                "{begin:>8}  (DMA descriptor {number} at 0x{address:08x}: cycles {begin}..{end}, {bytes} bytes)"
            )
        };
        self.table.prepare(cells, line)
    }

    fn of_act(&self, act: &Act) -> Prepared {
        let (name, detail) = (host::name(&act.action), host::detail(&act.action));
        let cells = || {
            let cells = vec![("action", Cell::text(name)), ("detail", Cell::text(&*detail))];
            self.whole("host", act.cycle, None, cells)
        };
        let line = || match detail.is_empty() {
            true => format!("{:>8}  (host: {name})", act.cycle),
            false => format!("{:>8}  (host: {name}, {detail})", act.cycle),
        };
        self.table.prepare(cells, line)
    }
}

impl<W: Write + Send> Exporter<W> for Rows<W> {
    fn begin(&mut self, _: &WindowBegin<'_>) -> Result<(), TraceError> {
        Ok(())
    }

    fn step(&mut self, step: &TracedCycle<'_>) -> Result<bool, TraceError> {
        let operations = step.operations.iter().map(|operation| self.of_operation(operation));
        let rows = match self.content {
            Content::Operations => operations.collect(),
            Content::Everything => {
                let before = step.acts.iter().map(|act| self.of_act(act));
                let behind = step.beats.iter().map(|beat| self.of_beat(beat));
                let over = step.ended_visits.iter().map(|traced| self.of_visit(traced));
                let issued = operations.chain(self.of_cycle(step));
                before.chain(issued).chain(behind).chain(over).collect()
            }
        };
        self.table.put_all(rows)
    }

    fn finish(mut self: Box<Self>, end: Option<&WindowEnd<'_>>) -> Result<(W, bool), TraceError> {
        let traced = end.and_then(|end| end.visit).filter(|_| self.content == Content::Everything);
        let rows = traced.iter().map(|traced| self.of_visit(traced)).collect();
        let fits = self.table.put_all(rows)?;
        Ok((self.table.finish()?, fits))
    }
}
