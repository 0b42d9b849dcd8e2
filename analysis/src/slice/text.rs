//! A slice as a tree of text. A value that is read in several places is told in the first of them.

use super::{Node, NodeSource, Slice};
use crate::program::OperationNames;
use crate::words::{location_text, source_text, value_text};
use cp2_document::width::{hanging, wrapped};
use std::fmt::Write as _;

/// Most columns of the branches before a line.
const BRANCHES: usize = 30;

/// A tree that is being written.
struct Writer<'a> {
    slice: &'a Slice,
    names: &'a dyn OperationNames,
    told: Vec<bool>,
    text: String,
}

impl Slice {
    /// Returns the slice as a tree for people: a line for each value with its source, and below it, further in, the
    /// values from which it was computed. `names` finds the source places of its operations.
    pub fn text(&self, names: &dyn OperationNames) -> String {
        let mut text = String::new();
        let told = vec![false; self.nodes.len()];
        if let Some(root) = self.nodes.first() {
            let location = location_text(names, root.location, self.cycle);
            let _ = writeln!(text, "{location} in cycle {}:", self.cycle);
        }
        let mut writer = Writer { slice: self, names, told, text };
        writer.node(0, "", "");
        let mut text = writer.text;
        if self.is_cut() {
            let n: usize = self.nodes.len();
            let limits = format!(
                "\n`...`: not followed; {n} values are shown, limits are --depth {} and --nodes {}\n",
                self.limits.depth, self.limits.nodes
            );
            text += &wrapped(&limits);
        }
        text
    }
}

/// Returns the branches before a line; of many only those that are nearest to it.
fn near(branches: &str) -> String {
    let n = branches.chars().count();
    match n.checked_sub(BRANCHES) {
        None | Some(0) => branches.to_owned(),
        Some(more) => "…".chars().chain(branches.chars().skip(more + 1)).collect(),
    }
}

impl Writer<'_> {
    fn node(&mut self, number: usize, first: &str, rest: &str) {
        let Some(Node { location, value, given, operands, .. }) = self.slice.nodes.get(number)
        else {
            return;
        };
        let value = value_text(*location, *value);
        let what = match given {
            NodeSource::By(source) => source_text(self.names, source),
            NodeSource::Halves => "its halves come from different places".to_owned(),
        };
        let cycle = self.slice.named_in(number);
        let location = location_text(self.names, *location, cycle);
        let is_told = self.told[number] && !operands.is_empty();
        let end = if is_told { "  (shown above)" } else { "" };
        let has_below = !is_told && !operands.is_empty();
        self.line(first, rest, has_below, &format!("{location} = {value}  {what}{end}"));
        if is_told {
            return;
        }
        self.told[number] = true;
        for (k, operand) in operands.iter().enumerate() {
            let is_last = k + 1 == operands.len();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let first = format!("{rest}{branch}");
            match operand.node {
                Some(number) => self.node(number, &first, &format!("{rest}{below}")),
                None => {
                    let value = value_text(operand.location, operand.value);
                    let location = location_text(self.names, operand.location, cycle);
                    let line = format!("{location} = {value}  ...");
                    self.line(&first, &format!("{rest}{below}"), false, &line);
                }
            }
        }
    }

    /// Writes a line behind its branch; what is continued stands behind the branches that go on below it.
    fn line(&mut self, first: &str, rest: &str, has_below: bool, line: &str) {
        let below = if has_below { "│     " } else { "      " };
        let continued = format!("{}{below}", near(rest));
        self.text += &hanging(&format!("{}{line}", near(first)), &continued);
        self.text += "\n";
    }
}
