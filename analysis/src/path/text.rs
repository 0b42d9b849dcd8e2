//! A critical path as text for people.

use super::{CriticalPath, PathPlace, PathSum};
use crate::words::NamedPosition;
use cp2_document::width::ColumnSide::Right;
use cp2_document::width::{TextTable, wrapped};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most letters of a file that is named beside a label.
const MOST_LETTERS: usize = 24;
/// Number of kinds that are named of a place.
const KINDS: usize = 3;

impl CriticalPath {
    /// Returns the path as text for people: sums by kind of edge, and those of the first `places` places of the program.
    pub fn text(&self, places: usize) -> String {
        let all = self.total().cycles;
        let mut text = format!(
            "critical path of cycles {} to {}: {all} cycles, all cycles of the run\n",
            self.cycles.start,
            self.cycles.end.saturating_sub(1)
        );
        let columns = [("cycles", Right), ("%", Right), ("edges", Right), ("cycles/edge", Right)];
        let mut table = TextTable::new(&columns, "what was waited for");
        for (kind, sum) in &self.kinds {
            let key = kind.key().map_or(String::new(), |key| format!(" ({key})"));
            table.row(numbers(sum, all), format!("{}{key}", kind.description()));
        }
        let _ = write!(text, "\n{}", table.text());
        text += "\nA cycle less for each edge of a row saves as many cycles as it has edges, at most: \
                 then another path may be the longest.\n";
        let labels = self.labels();
        if labels.len() > 1 {
            text += &table_of("label", &labels, all, places);
        }
        let shown: Vec<_> = self.places.iter().filter(|p| p.sum.edges > 0).cloned().collect();
        if !shown.is_empty() {
            text += &table_of("place", &shown, all, places);
        }
        wrapped(&text)
    }

    /// Returns the sums by label, the largest first.
    fn labels(&self) -> Vec<PathPlace> {
        let mut all: Vec<PathPlace> = Vec::new();
        for place in self.places.iter().filter(|place| place.position.label.is_some()) {
            let label = &place.position.label;
            let at = all.iter().position(|known| known.position.label == *label);
            let at = at.unwrap_or_else(|| {
                let position = NamedPosition { label: label.clone(), ..NamedPosition::default() };
                all.push(PathPlace { position, sum: PathSum::default(), kinds: BTreeMap::new() });
                all.len() - 1
            });
            all[at].sum.add(place.sum);
            for (kind, sum) in &place.kinds {
                all[at].kinds.entry(*kind).or_default().add(*sum);
            }
        }
        all.sort_by_key(|place| std::cmp::Reverse(place.sum.cycles));
        all
    }
}

/// Returns a table of the first places, and how many there are more.
fn table_of(what: &str, places: &[PathPlace], all: u64, most: usize) -> String {
    let columns = [("cycles", Right), ("%", Right), ("edges", Right)];
    let mut table = TextTable::new(&columns, &format!("{what}, and what was waited for"));
    for place in places.iter().take(most) {
        let mut texts = numbers(&place.sum, all);
        texts.truncate(3);
        table.row(texts, place_text(place));
    }
    let left = places.len().saturating_sub(most);
    let more =
        if left > 0 { format!("and {left} {what}s more (--places)\n") } else { String::new() };
    format!("\n{}{more}", table.text())
}

fn numbers(sum: &PathSum, all: u64) -> Vec<String> {
    let percent = 100.0 * sum.cycles as f64 / all.max(1) as f64;
    let each = sum.cycles as f64 / sum.edges.max(1) as f64;
    vec![
        sum.cycles.to_string(),
        format!("{percent:.1}"),
        sum.edges.to_string(),
        format!("{each:.1}"),
    ]
}

/// Returns a place with the kinds of its longest sums.
fn place_text(place: &PathPlace) -> String {
    let mut kinds: Vec<_> = place.kinds.iter().collect();
    kinds.sort_by_key(|(kind, sum)| (std::cmp::Reverse(sum.cycles), **kind));
    let is_told = |sum: &&PathSum| 100 * sum.cycles >= place.sum.cycles;
    let kinds = kinds.iter().filter(|(_, sum)| is_told(sum)).take(KINDS).map(|(kind, sum)| {
        let part = 100 * sum.cycles / place.sum.cycles.max(1);
        format!("{} {part} %", kind.name().replace('_', " "))
    });
    let kinds: Vec<_> = kinds.collect();
    format!("{}: {}", place.name(), kinds.join(", "))
}

impl PathPlace {
    /// Returns the name of the place: line and label, or one of them.
    pub fn name(&self) -> String {
        let position = &self.position;
        let file = position.file.as_deref().map(cp2_ir::sites::short);
        let line = file.zip(position.line).map(|(file, line)| format!("{file}:{line}"));
        // Names that are made of many kernels would fill a line.
        let is_long = file.is_some_and(|file| file.chars().count() > MOST_LETTERS);
        if let (true, Some(line), Some(label)) = (is_long, position.line, &position.label) {
            return format!("{label}, line {line}");
        }
        match (line, &position.label) {
            (Some(line), Some(label)) => format!("{line} ({label})"),
            (Some(line), None) => line,
            (None, Some(label)) => label.clone(),
            (None, None) => "without a name".to_owned(),
        }
    }
}
