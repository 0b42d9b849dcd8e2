//! Tables that grow row by row as files: Parquet, CSV, or text. What stands in the rows is in
//! `trace_file` and `beat_file`.

use crate::exit::Outcome;
use crate::files::{self, Output};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

/// Rows that are kept before they are written.
const ROWS: usize = 1 << 16;

/// A column and its rows. A row without a value is `None`.
enum Column {
    Number(&'static str, Vec<Option<u64>>),
    Text(&'static str, Vec<Option<String>>),
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Self::Number(name, _) | Self::Text(name, _) => name,
        }
    }
}

/// A value of a row.
pub(crate) enum Cell {
    Number(Option<u64>),
    Text(Option<String>),
}

/// The names and values of a row, in the order of the file.
pub(crate) type Row = Vec<(&'static str, Cell)>;

/// A row as it will be written.
pub(crate) enum Prepared {
    Line(String),
    Cells(Row),
}

impl Prepared {
    /// Bytes of the row: of its line, or of its values before they are encoded.
    fn size(&self) -> u64 {
        let of_cell = |cell: &Cell| match cell {
            Cell::Number(_) => 8,
            Cell::Text(text) => text.as_ref().map_or(0, String::len) as u64,
        };
        match self {
            Self::Line(line) => line.len() as u64 + 1,
            Self::Cells(row) => row.iter().map(|(_, cell)| of_cell(cell)).sum(),
        }
    }
}

type File = BufWriter<Output>;

enum Writer {
    Parquet(Box<SerializedFileWriter<File>>),
    Csv(File),
    Text(File),
    Standard(BufWriter<std::io::Stdout>),
}

/// A table that is being written.
pub(crate) struct TableFile<'a> {
    path: &'a Path,
    writer: Writer,
    columns: Vec<Column>,
    rows: usize,
    /// Bytes so far, and how many there may be.
    size: u64,
    limit: u64,
    first_error: Option<String>,
    /// The reader of standard output went away.
    is_unread: bool,
}

fn schema(name: &str, columns: &[Column]) -> String {
    let line = |c: &Column| match c {
        Column::Number(name, _) => format!("OPTIONAL INT64 {name} (INTEGER(64,false));"),
        Column::Text(name, _) => format!("OPTIONAL BYTE_ARRAY {name} (UTF8);"),
    };
    format!("message {name} {{ {} }}", columns.iter().map(line).collect::<Vec<_>>().join(" "))
}

impl<'a> TableFile<'a> {
    /// Opens a table called `name` whose rows are like `blank`; the ending of the path chooses the
    /// form. Text has `heading` above its columns. The table has at most `limit` bytes.
    pub(crate) fn open(
        path: &'a Path,
        name: &str,
        blank: Row,
        heading: &str,
        limit: u64,
    ) -> Outcome<Self> {
        let column = |(name, cell)| match cell {
            Cell::Number(_) => Column::Number(name, Vec::new()),
            Cell::Text(_) => Column::Text(name, Vec::new()),
        };
        let columns: Vec<_> = blank.into_iter().map(column).collect();
        let file = || Output::open(path).map(BufWriter::new);
        let writer = match path.extension().and_then(|e| e.to_str()) {
            _ if files::is_standard(path) => Writer::Standard(BufWriter::new(std::io::stdout())),
            Some("parquet") => {
                let message = parse_message_type(&schema(name, &columns))
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
        let mut table = Self {
            path,
            writer,
            columns,
            rows: 0,
            size: 0,
            limit,
            first_error: None,
            is_unread: false,
        };
        table.heading(heading);
        Ok(table)
    }

    fn heading(&mut self, heading: &str) {
        let names: Vec<&str> = self.columns.iter().map(Column::name).collect();
        let line = match &self.writer {
            Writer::Parquet(_) => return,
            Writer::Csv(_) => names.join(","),
            Writer::Text(_) | Writer::Standard(_) => heading.to_owned(),
        };
        self.put(Prepared::Line(line));
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

    /// Whether more rows would be written, and read by somebody.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.is_unread && self.first_error.is_none()
    }

    fn row_group(&mut self) {
        let result = match &mut self.writer {
            Writer::Parquet(writer) if self.rows > 0 => write_group(writer, &mut self.columns),
            _ => Ok(()),
        };
        self.rows = 0;
        self.note(result);
    }

    /// A row for [`TableFile::put_all`]: its cells, or its line where the table is text.
    pub(crate) fn prepare(
        &self,
        cells: impl FnOnce() -> Row,
        line: impl FnOnce() -> String,
    ) -> Prepared {
        match &self.writer {
            Writer::Csv(_) => Prepared::Line(csv_line(&cells())),
            Writer::Text(_) | Writer::Standard(_) => Prepared::Line(line()),
            Writer::Parquet(_) => Prepared::Cells(cells()),
        }
    }

    /// Writes all of these rows, or none and tells so if the table would be too long.
    pub(crate) fn put_all(&mut self, rows: Vec<Prepared>) -> bool {
        let size: u64 = rows.iter().map(Prepared::size).sum();
        if self.size.saturating_add(size) > self.limit {
            return false;
        }
        rows.into_iter().for_each(|row| self.put(row));
        true
    }

    /// Writes a row: its cells, or its line where the table is text.
    pub(crate) fn row(&mut self, cells: impl FnOnce() -> Row, line: impl FnOnce() -> String) {
        self.put(self.prepare(cells, line));
    }

    fn put(&mut self, row: Prepared) {
        self.size += row.size();
        let result = match (&mut self.writer, row) {
            (Writer::Csv(file) | Writer::Text(file), Prepared::Line(line)) => {
                writeln!(file, "{line}")
            }
            (Writer::Standard(out), Prepared::Line(line)) => writeln!(out, "{line}"),
            (_, row) => {
                self.put_cells(row);
                Ok(())
            }
        };
        self.note_io(result);
    }

    fn put_cells(&mut self, row: Prepared) {
        let Prepared::Cells(cells) = row else { return };
        for (column, (_, cell)) in self.columns.iter_mut().zip(cells) {
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
