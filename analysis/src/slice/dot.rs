//! A slice as a graph for Graphviz: values are boxes, arrows go to what was made of them.

use super::{NodeSource, Slice};
use crate::palette;
use crate::program::OperationNames;
use crate::words::{location_text, source_text, value_text};
use std::fmt::Write as _;

/// Returns a text as Graphviz reads it between quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Slice {
    /// Returns the graph in the language DOT, which Graphviz draws. `names` finds the source places of its operations.
    pub fn dot(&self, names: &dyn OperationNames) -> String {
        let mut text = String::from(
            "digraph slice {\n  rankdir=BT;\n  node [shape=box, style=filled, fontname=\"monospace\"];\n",
        );
        for (number, node) in self.nodes.iter().enumerate() {
            let (what, colour) = match &node.given {
                NodeSource::By(source) => (source_text(names, source), palette::of_source(source)),
                NodeSource::Halves => ("halves".to_owned(), palette::NEUTRAL),
            };
            let value = value_text(node.location, node.value);
            let _ = writeln!(
                text,
                "  n{number} [label=\"{}\\n{}\\n{}\", fillcolor=\"{}\"];",
                quoted(&location_text(names, node.location, self.named_in(number))),
                quoted(&value),
                quoted(&what),
                colour.light
            );
            for operand in &node.operands {
                if let Some(from) = operand.node {
                    let _ = writeln!(text, "  n{from} -> n{number};");
                }
            }
        }
        text + "}\n"
    }
}
