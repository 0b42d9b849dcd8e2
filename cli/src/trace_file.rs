//! Traces as files: Parquet, CSV, or text; one row per operation.

use crate::exit::Outcome;
use crate::files::{self, Output};
use cp2_emu::trace::{Cycle, Event, Observer, Wants};
use cp2_isa::{SECTIONS, Slot};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Rows that are kept before they are written.
const ROWS: usize = 1 << 16;

/// A column and its rows. A row without a value is `None`.
enum Column {
    Number(&'static str, Vec<Option<u64>>),
    Text(&'static str, Vec<Option<String>>),
}

const VALUE_COLUMNS: [[&str; SECTIONS]; 2] = [
    ["value_s0", "value_s1", "value_s2", "value_s3"],
    ["value2_s0", "value2_s1", "value2_s2", "value2_s3"],
];

/// The columns of an event, in the order of the file.
fn cells(event: &Event, values: bool) -> Vec<(&'static str, Cell)> {
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

enum Cell {
    Number(Option<u64>),
    Text(Option<String>),
}

type File = BufWriter<Output>;

enum Writer {
    Parquet(Box<SerializedFileWriter<File>>),
    Csv(File),
    Text(File),
    Standard(BufWriter<std::io::Stdout>),
}

/// A trace that is being written.
pub(crate) struct TraceFile<'a> {
    path: &'a Path,
    values: bool,
    writer: Writer,
    columns: Vec<Column>,
    rows: usize,
    first_error: Option<String>,
    /// The reader of standard output went away.
    is_unread: bool,
}

fn empty_columns(values: bool) -> Vec<Column> {
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
    let column = |(name, cell)| match cell {
        Cell::Number(_) => Column::Number(name, Vec::new()),
        Cell::Text(_) => Column::Text(name, Vec::new()),
    };
    cells(&blank, values).into_iter().map(column).collect()
}

fn schema(columns: &[Column]) -> String {
    let line = |c: &Column| match c {
        Column::Number(name, _) => format!("OPTIONAL INT64 {name} (INTEGER(64,false));"),
        Column::Text(name, _) => format!("OPTIONAL BYTE_ARRAY {name} (UTF8);"),
    };
    format!("message trace {{ {} }}", columns.iter().map(line).collect::<Vec<_>>().join(" "))
}

impl<'a> TraceFile<'a> {
    /// Opens a trace; the ending of the name chooses the form.
    pub(crate) fn open(path: &'a Path, values: bool) -> Outcome<Self> {
        let columns = empty_columns(values);
        let file = || Output::open(path).map(BufWriter::new);
        let writer = match path.extension().and_then(|e| e.to_str()) {
            _ if files::is_standard(path) => Writer::Standard(BufWriter::new(std::io::stdout())),
            Some("parquet") => {
                let message = parse_message_type(&schema(&columns))
                    .map_err(|e| files::cannot_write(path, e))?;
                let properties =
                    WriterProperties::builder().set_compression(Compression::UNCOMPRESSED);
                let writer = SerializedFileWriter::new(
                    file()?,
                    Arc::new(message),
                    Arc::new(properties.build()),
                )
                .map_err(|e| files::cannot_write(path, e))?;
                Writer::Parquet(Box::new(writer))
            }
            Some("csv") => Writer::Csv(file()?),
            _ => Writer::Text(file()?),
        };
        let mut trace =
            Self { path, values, writer, columns, rows: 0, first_error: None, is_unread: false };
        trace.heading();
        Ok(trace)
    }

    fn heading(&mut self) {
        let names: Vec<&str> = self
            .columns
            .iter()
            .map(|c| match c {
                Column::Number(name, _) | Column::Text(name, _) => *name,
            })
            .collect();
        let result = match &mut self.writer {
            Writer::Parquet(_) => Ok(()),
            Writer::Csv(file) => writeln!(file, "{}", names.join(",")),
            Writer::Text(file) => writeln!(file, "{}", Event::HEADING),
            Writer::Standard(out) => writeln!(out, "{}", Event::HEADING),
        };
        self.note_io(result);
    }

    fn note(&mut self, result: Result<(), impl std::fmt::Display>) {
        if let Err(e) = result {
            self.first_error.get_or_insert(e.to_string());
        }
    }

    /// A reader of standard output that went away is no error.
    fn note_io(&mut self, result: std::io::Result<()>) {
        match result {
            Err(e) if is_unread(&self.writer, &e) => self.is_unread = true,
            result => self.note(result),
        }
    }

    fn row_group(&mut self) {
        let result = match &mut self.writer {
            Writer::Parquet(writer) if self.rows > 0 => write_group(writer, &mut self.columns),
            _ => Ok(()),
        };
        self.rows = 0;
        self.note(result);
    }

    /// Writes what is left and gives the file its name.
    pub(crate) fn close(mut self) -> Outcome<()> {
        self.row_group();
        if let Some(e) = self.first_error {
            return Err(files::cannot_write(self.path, e));
        }
        let file = match self.writer {
            Writer::Standard(mut out) => {
                return match out.flush() {
                    Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                        Err(files::cannot_write(self.path, e))
                    }
                    _ => Ok(()),
                };
            }
            Writer::Csv(file) | Writer::Text(file) => file,
            Writer::Parquet(writer) => {
                writer.into_inner().map_err(|e| files::cannot_write(self.path, e))?
            }
        };
        let file = file.into_inner().map_err(|e| files::cannot_write(self.path, e))?;
        file.commit(self.path)
    }
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    columns: &mut [Column],
) -> parquet::errors::Result<()> {
    fn levels<T>(rows: &[Option<T>]) -> Vec<i16> {
        rows.iter().map(|r| i16::from(r.is_some())).collect()
    }
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut out) = group.next_column()? else { break };
        match column {
            Column::Number(_, rows) => {
                let present: Vec<i64> = rows.iter().flatten().map(|&v| v as i64).collect();
                out.typed::<Int64Type>().write_batch(&present, Some(&levels(rows)), None)?;
                rows.clear();
            }
            Column::Text(_, rows) => {
                let present: Vec<ByteArray> =
                    rows.iter().flatten().map(|t| ByteArray::from(t.as_str())).collect();
                out.typed::<ByteArrayType>().write_batch(&present, Some(&levels(rows)), None)?;
                rows.clear();
            }
        }
        out.close()?;
    }
    group.close().map(|_| ())
}

fn is_unread(writer: &Writer, e: &std::io::Error) -> bool {
    matches!(writer, Writer::Standard(_)) && e.kind() == ErrorKind::BrokenPipe
}

fn csv_line(cells: &[(&str, Cell)]) -> String {
    let cell = |c: &Cell| match c {
        Cell::Number(v) => v.map(|v| v.to_string()).unwrap_or_default(),
        Cell::Text(None) => String::new(),
        Cell::Text(Some(t)) if t.contains(',') => format!("\"{t}\""),
        Cell::Text(Some(t)) => t.clone(),
    };
    cells.iter().map(|(_, c)| cell(c)).collect::<Vec<_>>().join(",")
}

impl Observer for TraceFile<'_> {
    fn wants(&self) -> Wants {
        Wants::OPERATIONS.union(Wants::CYCLES)
    }

    /// What cannot be written, or is read by nobody, need not run on.
    fn cycle(&mut self, _: &Cycle<'_>) -> ControlFlow<()> {
        match self.is_unread || self.first_error.is_some() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn operation(&mut self, event: &Event) {
        let result = match &mut self.writer {
            Writer::Csv(file) => writeln!(file, "{}", csv_line(&cells(event, self.values))),
            Writer::Text(file) => writeln!(file, "{}", event.line(self.values)),
            Writer::Standard(out) => writeln!(out, "{}", event.line(self.values)),
            Writer::Parquet(_) => {
                for (column, (_, cell)) in self.columns.iter_mut().zip(cells(event, self.values)) {
                    match (column, cell) {
                        (Column::Number(_, rows), Cell::Number(v)) => rows.push(v),
                        (Column::Text(_, rows), Cell::Text(v)) => rows.push(v),
                        _ => {}
                    }
                }
                self.rows += 1;
                if self.rows == ROWS {
                    self.row_group();
                }
                Ok(())
            }
        };
        self.note_io(result);
    }
}
