//! Rows of measurements: `part,name,n,h,key,value`, with `#` before comments.

/// A measured value.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Part of the page.
    pub(crate) part: String,
    /// Kernel, program or device.
    pub(crate) name: String,
    /// Rows of tables, or vertices.
    pub(crate) n: u64,
    /// Columns of tables, or bits of a weight; 0 where there is no such number.
    pub(crate) h: u64,
    /// Name of the value.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: f64,
}

/// All rows.
pub(crate) struct Rows(Vec<Row>);

impl Rows {
    /// Reads the text of a file.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        lines
            .map(|(at, line)| read(line).ok_or(format!("line {}: {line}", at + 1)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the rows of a part.
    pub(crate) fn of<'r>(&'r self, part: &'r str) -> impl Iterator<Item = &'r Row> {
        self.0.iter().filter(move |row| row.part == part)
    }

    /// Returns a value; `None` if it was not measured.
    pub(crate) fn value(
        &self,
        part: &str,
        name: &str,
        (n, h): (u64, u64),
        key: &str,
    ) -> Option<f64> {
        let mut rows = self.of(part);
        rows.find(|row| row.name == name && row.n == n && row.h == h && row.key == key)
            .map(|row| row.value)
    }
}

fn read(line: &str) -> Option<Row> {
    let [part, name, n, h, key, value] = line.split(',').collect::<Vec<_>>().try_into().ok()?;
    let (n, h, value) = (n.parse().ok()?, h.parse().ok()?, value.parse().ok()?);
    Some(Row { part: part.to_owned(), name: name.to_owned(), n, h, key: key.to_owned(), value })
}

/// Prints a row.
pub(crate) fn print(
    part: &str,
    name: &str,
    (n, h): (u64, u64),
    key: &str,
    value: impl std::fmt::Display,
) {
    println!("{part},{name},{n},{h},{key},{value}");
}
