//! Tables that grow row by row: Parquet, CSV, or text. The content of the rows is made in `rows` and `beats`.

use crate::error::TraceError;
use crate::stream::Room;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{BufWriter, Write};
use std::sync::Arc;

/// Number of rows that are kept before they are written.
const ROWS: usize = 1 << 16;

/// A form of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Parquet,
    Csv,
    Text,
}

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Number(Option<u64>),
    Text(Option<String>),
}

impl Cell {
    pub(crate) fn number(value: impl Into<u64>) -> Self {
        Self::Number(Some(value.into()))
    }

    pub(crate) fn text(value: impl Into<String>) -> Self {
        Self::Text(Some(value.into()))
    }

    /// Returns a cell of the same kind without a value.
    pub(crate) fn none(&self) -> Self {
        match self {
            Self::Number(_) => Self::Number(None),
            Self::Text(_) => Self::Text(None),
        }
    }
}

/// The names and values of a row, in the order of the file.
pub(crate) type Row = Vec<(&'static str, Cell)>;

/// A row as it will be written.
pub(crate) enum Prepared {
    Line(String),
    Cells(Row),
}

impl Prepared {
    /// Returns the number of bytes of the row: of its line, or of its values before they are encoded.
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

enum Writer<W: Write + Send> {
    Parquet(Box<SerializedFileWriter<BufWriter<W>>>),
    Csv(BufWriter<W>),
    Text(BufWriter<W>),
}

/// A table that is being written.
pub(crate) struct Table<W: Write + Send> {
    writer: Writer<W>,
    columns: Vec<Column>,
    rows: usize,
    room: Room,
}

fn schema(name: &str, columns: &[Column]) -> String {
    let line = |c: &Column| match c {
        Column::Number(name, _) => format!("OPTIONAL INT64 {name} (INTEGER(64,false));"),
        Column::Text(name, _) => format!("OPTIONAL BYTE_ARRAY {name} (UTF8);"),
    };
    format!("message {name} {{ {} }}", columns.iter().map(line).collect::<Vec<_>>().join(" "))
}

impl<W: Write + Send> Table<W> {
    /// Begins a table called `name` whose rows are like `blank`. Text has `heading` above its columns. The
    /// table has at most `limit` bytes.
    pub(crate) fn begin(
        out: W,
        form: Form,
        (name, blank): (&str, Row),
        heading: &str,
        limit: u64,
    ) -> Result<Self, TraceError> {
        let column = |(name, cell)| match cell {
            Cell::Number(_) => Column::Number(name, Vec::new()),
            Cell::Text(_) => Column::Text(name, Vec::new()),
        };
        let columns: Vec<_> = blank.into_iter().map(column).collect();
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        let (names, file) = (names.join(","), BufWriter::new(out));
        let writer = match form {
            Form::Parquet => {
                let message = Arc::new(parse_message_type(&schema(name, &columns))?);
                let properties = WriterProperties::builder();
                let properties = properties.set_compression(Compression::UNCOMPRESSED).build();
                let writer = SerializedFileWriter::new(file, message, Arc::new(properties))?;
                Writer::Parquet(Box::new(writer))
            }
            Form::Csv => Writer::Csv(file),
            Form::Text => Writer::Text(file),
        };
        let mut table = Self { writer, columns, rows: 0, room: Room::new(limit) };
        match form {
            Form::Parquet => {}
            Form::Csv => table.put_heading(names)?,
            Form::Text => table.put_heading(heading.to_owned())?,
        }
        Ok(table)
    }

    fn put_heading(&mut self, line: String) -> Result<(), TraceError> {
        let line = Prepared::Line(line);
        self.room.take_anyway(line.size());
        self.write_row(line)
    }

    /// Whether the table is lines for people.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.writer, Writer::Text(_))
    }

    /// Returns a row for [`Table::put_all`]: its cells, or its line where the table is text.
    pub(crate) fn prepare(
        &self,
        cells: impl FnOnce() -> Row,
        line: impl FnOnce() -> String,
    ) -> Prepared {
        match &self.writer {
            Writer::Csv(_) => Prepared::Line(csv_line(&cells())),
            Writer::Text(_) => Prepared::Line(line()),
            Writer::Parquet(_) => Prepared::Cells(cells()),
        }
    }

    /// Writes all of these rows; writes none and returns false if the table would be too long.
    pub(crate) fn put_all(&mut self, rows: Vec<Prepared>) -> Result<bool, TraceError> {
        if !self.room.take(rows.iter().map(Prepared::size).sum()) {
            return Ok(false);
        }
        rows.into_iter().try_for_each(|row| self.write_row(row))?;
        Ok(true)
    }

    fn write_row(&mut self, row: Prepared) -> Result<(), TraceError> {
        match (&mut self.writer, row) {
            (Writer::Csv(file) | Writer::Text(file), Prepared::Line(line)) => {
                Ok(writeln!(file, "{line}")?)
            }
            (_, row) => self.put_cells(row),
        }
    }

    fn put_cells(&mut self, row: Prepared) -> Result<(), TraceError> {
        let Prepared::Cells(cells) = row else { return Ok(()) };
        for (column, (_, cell)) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Number(_, rows), Cell::Number(v)) => rows.push(v),
                (Column::Text(_, rows), Cell::Text(v)) => rows.push(v),
                _ => {}
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.row_group() } else { Ok(()) }
    }

    fn row_group(&mut self) -> Result<(), TraceError> {
        if let Writer::Parquet(writer) = &mut self.writer
            && self.rows > 0
        {
            write_group(writer, &mut self.columns)?;
        }
        self.rows = 0;
        Ok(())
    }

    /// Writes what is left and returns the output.
    pub(crate) fn finish(mut self) -> Result<W, TraceError> {
        self.row_group()?;
        let file = match self.writer {
            Writer::Csv(file) | Writer::Text(file) => file,
            Writer::Parquet(writer) => writer.into_inner()?,
        };
        file.into_inner().map_err(|e| TraceError::Write(e.into_error()))
    }
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<BufWriter<W>>,
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

/// Returns the values with commas between them; those with a comma or a quotation mark stand in quotation marks.
fn csv_line(cells: &[(&str, Cell)]) -> String {
    let cell = |c: &Cell| match c {
        Cell::Number(v) => v.map(|v| v.to_string()).unwrap_or_default(),
        Cell::Text(None) => String::new(),
        Cell::Text(Some(t)) if t.contains([',', '"', '\n']) => {
            format!("\"{}\"", t.replace('"', "\"\""))
        }
        Cell::Text(Some(t)) => t.clone(),
    };
    cells.iter().map(|(_, c)| cell(c)).collect::<Vec<_>>().join(",")
}
