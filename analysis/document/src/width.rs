//! Text for people, 80 columns wide: lines that are broken between words, commands that a shell still accepts, and
//! tables whose columns are as wide as their texts. Every character counts as one column.

/// The greatest number of columns of a line of text for people.
pub const WIDTH: usize = 80;
/// Columns by which a continued line is further in than the line that it continues.
const HANG: usize = 4;
/// Fewest columns beside a table in which its texts are broken into several lines; in less they stand below their rows.
const LEAST: usize = 30;
/// Least number that is rounded in a table that would be too wide with all digits.
const MOST: u64 = 100_000;

/// Returns the number of columns of a text without line breaks.
fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Returns a text whose lines of more than [`WIDTH`] columns are broken between words. Continued lines are indented
/// more than the line that they continue. A word is never broken, however long it is.
pub fn wrapped(text: &str) -> String {
    text.split_inclusive('\n').map(wrapped_line).collect()
}

fn wrapped_line(line: &str) -> String {
    if columns(line.trim_end_matches('\n')) <= WIDTH {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let end = if line.ends_with('\n') { "\n" } else { "" };
    hanging(line, &" ".repeat((indent + HANG).min(WIDTH / 2))) + end
}

/// Returns a line that is broken between words if it has more than [`WIDTH`] columns. Each continued line begins with
/// `rest`: spaces or branches of a tree, no wider than half of a line.
pub fn hanging(line: &str, rest: &str) -> String {
    behind(line, 0, rest)
}

/// Breaks a line that is too long between words, but not in its first columns.
fn behind(line: &str, begin: usize, rest: &str) -> String {
    let mut text = String::new();
    let mut left = line.trim_end().to_owned();
    let mut begin = begin;
    while let Some((first, second)) = broken(&left, begin) {
        text.push_str(first.trim_end());
        text.push('\n');
        left = format!("{rest}{second}");
        begin = columns(rest);
    }
    text + &left
}

/// Returns both parts of a line that is too long; `begin` columns of it are no place to break, nor is a text in backquotes.
/// The best place is behind the last semicolon or at the last two spaces, if the first part does not become short by it; the
/// second best behind a comma, if no line more is needed for it.
fn broken(line: &str, begin: usize) -> Option<(&str, &str)> {
    if columns(line) <= WIDTH {
        return None;
    }
    let own = line.len() - line.trim_start_matches([' ', '│', '├', '└', '─', '…']).len();
    let begin = columns(&line[..own]).max(begin);
    let places = places(line, begin);
    let within = places.iter().filter(|(n, _)| *n <= WIDTH);
    let room = WIDTH.saturating_sub(begin).max(1);
    let best = |is_good: &dyn Fn(usize) -> bool, least: usize| {
        within.clone().rfind(|(n, at)| *n >= begin + least && is_good(*at))
    };
    let last = within.clone().next_back().or(places.first())?;
    let lines = |from: usize| (columns(line) - from).div_ceil(room);
    let part = best(&|at| line[..at].ends_with(';') || line[at..].starts_with("  "), room / 3);
    let comma = best(&|at| line[..at].ends_with([',', ':']), room / 2);
    let (_, at) = part.or(comma.filter(|(n, _)| lines(*n) == lines(last.0))).unwrap_or(last);
    Some((&line[..*at], line[*at..].trim_start_matches(' ')))
}

/// Returns where a line may be broken, each place as columns and as bytes.
fn places(line: &str, begin: usize) -> Vec<(usize, usize)> {
    let has_quotes = line.matches('`').count().is_multiple_of(2);
    let mut is_quoted = false;
    let mut places = Vec::new();
    for (n, (at, c)) in line.char_indices().enumerate() {
        is_quoted ^= c == '`' && has_quotes;
        if c == ' ' && n > begin && !is_quoted {
            places.push((n, at));
        }
    }
    places
}

/// Returns the text `before` and a shell command behind it, which is broken into several lines if it has more than
/// [`WIDTH`] columns. Each broken line ends in a backslash, so that a shell takes all as one; texts in quotes stay
/// whole.
pub fn wrapped_command(before: &str, command: &str) -> String {
    let mut text = before.to_owned();
    let mut used = columns(before);
    for (k, word) in words(command).into_iter().enumerate() {
        if k > 0 && used + 1 + columns(word) + 2 > WIDTH {
            text.push_str(" \\\n");
            text.push_str(&" ".repeat(HANG));
            used = HANG;
        } else if k > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += columns(word);
    }
    text
}

/// Returns the words of a command between spaces that are not in quotes.
fn words(command: &str) -> Vec<&str> {
    let mut quote = None;
    let split = |c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        c == ' ' && quote.is_none()
    };
    command.split(split).collect()
}

/// The side of a column of a [`TextTable`] to which its texts are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnSide {
    /// Texts of the column are aligned at the left, as for words.
    Left,
    /// Texts of the column are aligned at the right, as for numbers.
    Right,
}

/// Row of a table: a text for each column, and the last one, which has the rest of the line.
#[derive(Clone, Debug)]
struct Row {
    texts: Vec<String>,
    last: String,
    /// Whether the last text begins right behind the first one, over all other columns.
    is_note: bool,
}

/// A table for people: rows with a text in each column, and a last text that has the rest of the line. The last text is
/// broken into several lines, or stands below its row if the columns leave no room for it.
#[derive(Clone, Debug)]
pub struct TextTable {
    sides: Vec<ColumnSide>,
    /// Rows of the table; the first has the headings.
    rows: Vec<Row>,
    /// Texts for which the columns are wide enough, whether or not a row has them.
    reserved: Vec<Vec<String>>,
}

impl TextTable {
    /// Creates a table without rows. `columns` are the headings of the columns with their sides; `last` is the heading
    /// of the last texts.
    pub fn new(columns: &[(&str, ColumnSide)], last: &str) -> Self {
        let texts = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let headings = Row { texts, last: last.to_owned(), is_note: false };
        let sides = columns.iter().map(|(_, side)| *side).collect();
        Self { sides, rows: vec![headings], reserved: Vec::new() }
    }

    /// Adds a row: a text for each column, and the last text. Fewer texts leave the last columns empty; more get columns
    /// of their own, without headings and aligned at the left.
    pub fn row(&mut self, texts: Vec<String>, last: impl Into<String>) {
        self.rows.push(Row { texts, last: last.into(), is_note: false });
    }

    /// Adds a row with a text in the first column only, and a last text that begins right behind it, over all other
    /// columns.
    pub fn note(&mut self, first: String, last: impl Into<String>) {
        self.rows.push(Row { texts: vec![first], last: last.into(), is_note: true });
    }

    /// Makes each column at least as wide as its text in `texts`, so that several tables get equal columns. No row is
    /// added.
    pub fn reserve(&mut self, texts: Vec<String>) {
        self.reserved.push(texts);
    }

    /// Returns the lines of the table, headings first. Large numbers are rounded if the columns would not fit into a
    /// line.
    pub fn text(&self) -> String {
        if self.end(&self.widths()) <= WIDTH {
            return self.lines();
        }
        let mut short = self.clone();
        let texts = short.rows.iter_mut().skip(1).map(|row| &mut row.texts);
        for text in texts.chain(&mut short.reserved).flatten() {
            *text = short_number(text);
        }
        short.lines()
    }

    fn lines(&self) -> String {
        let widths = self.widths();
        let end = self.end(&widths) + 2;
        let is_beside = self.is_beside(end);
        let mut lines = String::new();
        for row in &self.rows {
            let (begin, last) = (self.begin(row, &widths), &row.last);
            let line = match (row.is_note, is_beside) {
                (true, _) => {
                    behind(&format!("{begin} {last}"), widths[0] + 1, &" ".repeat(widths[0] + 1))
                }
                (_, true) => behind(&format!("{begin:<end$}{last}"), end, &" ".repeat(end)),
                (_, false) if last.is_empty() => wrapped(&begin),
                (_, false) => {
                    let below = format!("{:1$}{last}", "", 2 * HANG);
                    wrapped(begin.trim_end()) + "\n" + &hanging(&below, &" ".repeat(3 * HANG))
                }
            };
            lines += line.trim_end();
            lines += "\n";
        }
        lines
    }

    /// Returns whether the last texts have room behind `end` columns: all in a line each, in two if there are columns enough,
    /// or in more if the larger part of the line is theirs.
    fn is_beside(&self, end: usize) -> bool {
        let last = self.rows.iter().filter(|row| !row.is_note).map(|row| row.last.as_str());
        let widest = last.clone().map(columns).max().unwrap_or(0);
        let longest = last.flat_map(|text| text.split(' ')).map(columns).max().unwrap_or(0);
        let room = WIDTH.saturating_sub(end);
        let is_enough = room > WIDTH / 2 || room >= LEAST && widest <= 2 * room - longest.min(room);
        widest <= room || longest <= room && is_enough
    }

    fn widths(&self) -> Vec<usize> {
        let rows = self.rows.iter().map(|row| &row.texts);
        let all = rows.chain(&self.reserved);
        let count = all.clone().map(Vec::len).max().unwrap_or(0).max(self.sides.len());
        let mut widths = vec![0; count];
        for texts in all {
            for (width, text) in widths.iter_mut().zip(texts) {
                *width = columns(text).max(*width);
            }
        }
        widths
    }

    /// Returns the side of a column; the left one for a column that only rows have.
    fn side(&self, column: usize) -> ColumnSide {
        self.sides.get(column).copied().unwrap_or(ColumnSide::Left)
    }

    /// Returns the number of spaces before a column.
    fn gap(&self, column: usize) -> usize {
        match (column, self.side(column)) {
            (0, _) => 0,
            (_, ColumnSide::Left) => 2,
            (_, ColumnSide::Right) => 1,
        }
    }

    /// Returns where the columns end.
    fn end(&self, widths: &[usize]) -> usize {
        widths.iter().enumerate().map(|(k, width)| self.gap(k) + width).sum()
    }

    /// Returns a row without its last text.
    fn begin(&self, row: &Row, widths: &[usize]) -> String {
        let mut line = String::new();
        for (k, text) in row.texts.iter().enumerate() {
            line += &" ".repeat(self.gap(k));
            let width = widths[k];
            line += &match self.side(k) {
                ColumnSide::Left => format!("{text:<width$}"),
                ColumnSide::Right => format!("{text:>width$}"),
            };
        }
        line
    }
}

/// Returns a whole number as decimal digits in groups of three, with thin spaces between.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    parts.join("\u{2009}")
}

/// Returns a whole number in thousands, millions or more if it has too many digits, and any other text as it is.
fn short_number(text: &str) -> String {
    let digits = text.trim_start_matches(['+', '-']);
    let sign = &text[..text.len() - digits.len()];
    let Ok(mut number) = digits.parse::<u64>() else { return text.to_owned() };
    let mut unit = "";
    for larger in ["k", "M", "G", "T", "P"] {
        if number < MOST {
            break;
        }
        number = number / 1000 + u64::from(number % 1000 >= 500);
        unit = larger;
    }
    format!("{sign}{number}{unit}")
}

#[cfg(test)]
mod tests;
