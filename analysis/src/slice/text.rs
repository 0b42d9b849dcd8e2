//! A slice as a tree of text. A value that is read in several places is told in the first of them.

use super::{Node, NodeSource, Slice};
use crate::words::{source_text, value_text};
use cp2_ir::sites::BundleNames;
use std::fmt::Write as _;

/// A tree that is being written.
struct Writer<'a> {
    slice: &'a Slice,
    places: &'a BundleNames<'a>,
    told: Vec<bool>,
    text: String,
}

impl Slice {
    /// Returns the tree: a line for a value with what gave it, below it the values of which it was made.
    pub fn text(&self, places: &BundleNames<'_>) -> String {
        let mut text = String::new();
        let told = vec![false; self.nodes.len()];
        if let Some(root) = self.nodes.first() {
            let _ = writeln!(text, "{} in cycle {}:", root.location, self.cycle);
        }
        let mut writer = Writer { slice: self, places, told, text };
        writer.node(0, "", "");
        let mut text = writer.text;
        if self.is_cut() {
            let n: usize = self.nodes.len();
            let _ = writeln!(
                text,
                "\n`...`: not followed; {n} values are shown, limits are --depth {} and --nodes {}",
                self.limits.depth, self.limits.nodes
            );
        }
        text
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
            NodeSource::By(source) => source_text(self.places, source),
            NodeSource::Halves => "its halves came from different places".to_owned(),
        };
        let _ = write!(self.text, "{first}{location} = {value}  {what}");
        if self.told[number] && !operands.is_empty() {
            let _ = writeln!(self.text, "  (told above)");
            return;
        }
        self.told[number] = true;
        let _ = writeln!(self.text);
        for (k, operand) in operands.iter().enumerate() {
            let is_last = k + 1 == operands.len();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let first = format!("{rest}{branch}");
            match operand.node {
                Some(number) => self.node(number, &first, &format!("{rest}{below}")),
                None => {
                    let value = value_text(operand.location, operand.value);
                    let _ = writeln!(self.text, "{first}{} = {value}  ...", operand.location);
                }
            }
        }
    }
}
