//! A slice as JSON, with its schema.

use super::{Node, NodeSource, Slice, SliceOperand};
use crate::history::ValueSource;
use crate::program::OperationNames;
use crate::words::{NamedPosition, action_text, beat_text, location_name};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::memory::Direction;
use serde_json::Value;

const SCHEMA: &str = "cp2-slice-1";

/// A node with the names of its program.
struct Named {
    number: usize,
    node: Node,
    place: Option<NamedPosition>,
    /// Name of the location, if it is a word that has one.
    name: Option<String>,
    operands: Vec<NamedOperand>,
    /// Text for what moved or was done, if no operation gave the value.
    moved: Option<String>,
}

/// An operand of a node with the name of its location.
struct NamedOperand {
    operand: SliceOperand,
    name: Option<String>,
}

/// Description of the name of a location.
const NAME: &str = "of a word: element of an array, or the label before it and the distance";

impl Named {
    fn source(&self) -> Option<&ValueSource> {
        match &self.node.given {
            NodeSource::By(source) => Some(source),
            NodeSource::Halves => None,
        }
    }

    fn kind(&self) -> &'static str {
        match self.source() {
            None => "halves",
            Some(ValueSource::Operation(_)) => "operation",
            Some(ValueSource::Beat(..)) => "beat",
            Some(ValueSource::Act(_) | ValueSource::Host(_)) => "host",
            Some(ValueSource::Begin) => "input",
            Some(ValueSource::Unsearched(_)) => "unsearched",
        }
    }

    fn cycle(&self) -> Option<u64> {
        Some(match self.source()? {
            ValueSource::Operation(issued) => issued.cycle.0,
            ValueSource::Beat(beat, _) => beat.cycle.0,
            ValueSource::Act(act) => act.cycle.0,
            ValueSource::Host(cycle) | ValueSource::Unsearched(cycle) => cycle.0,
            ValueSource::Begin => return None,
        })
    }

    fn text(&self) -> Option<String> {
        Some(match self.source()? {
            ValueSource::Operation(issued) => issued.text(),
            _ => return self.moved.clone(),
        })
    }
}

fn hex(value: u64) -> Value {
    format!("{value:016x}").into()
}

const OPERAND: [Field<NamedOperand>; 4] = [
    Field::new("location", ValueKind::Text, "", "register or word that was read", |o| {
        o.operand.location.to_string().into()
    }),
    Field::or_null("name", ValueKind::Text, "", NAME, |o| o.name.clone().into()),
    Field::new("value", ValueKind::Text, "", "what was read, 16 hexadecimal digits", |o| {
        hex(o.operand.value)
    }),
    Field::or_null("node", ValueKind::Integer, "", "its node; null where the graph is cut", |o| {
        o.operand.node.into()
    }),
];

fn operand_schema() -> Value {
    document::schema(&OPERAND, &[])
}

const NODE: [Field<Named>; 15] = [
    Field::new("node", ValueKind::Integer, "", "its number; 0 is the value asked for", |n| {
        n.number.into()
    }),
    Field::new("location", ValueKind::Text, "", "register or word, with its section", |n| {
        n.node.location.to_string().into()
    }),
    Field::or_null("name", ValueKind::Text, "", NAME, |n| n.name.clone().into()),
    Field::new("value", ValueKind::Text, "", "16 hexadecimal digits; halves left out are 0", |n| {
        hex(n.node.value)
    }),
    Field::new("depth", ValueKind::Integer, "", "values between it and the one asked for", |n| {
        n.node.depth.into()
    }),
    Field::new(
        "given_by",
        ValueKind::Text,
        "",
        "operation, beat, host, input (there when the recording began), halves (from different places), or unsearched",
        |n| n.kind().into(),
    ),
    Field::or_null(
        "cycle",
        ValueKind::Integer,
        "cycles since reset",
        "of the issue, the beat or the act; of unsearched, where the search ended",
        |n| n.cycle().into(),
    ),
    Field::or_null("text", ValueKind::Text, "", "the operation, or what moved or was done", |n| {
        n.text().into()
    }),
    Field::or_null("address", ValueKind::Integer, "bundles", "of the operation's bundle", |n| {
        match n.source() {
            Some(ValueSource::Operation(issued)) => issued.address.into(),
            _ => Value::Null,
        }
    }),
    Field::or_null(
        "label",
        ValueKind::Text,
        "",
        "label before the bundle, and the distance",
        |n| n.place.as_ref().and_then(|place| place.label.clone()).into(),
    ),
    Field::or_null("file", ValueKind::Text, "", "source file", |n| {
        n.place.as_ref().and_then(|place| place.file.clone()).into()
    }),
    Field::or_null("line", ValueKind::Integer, "", "in the file, from 1", |n| {
        n.place.as_ref().and_then(|place| place.line).into()
    }),
    Field::or_null(
        "word",
        ValueKind::Integer,
        "words",
        "first word of local memory accessed; of section 0 where each has its own",
        |n| match n.source() {
            Some(ValueSource::Operation(issued)) => issued.access.map(|a| a.word).into(),
            Some(ValueSource::Beat(beat, _)) => beat.local.into(),
            _ => Value::Null,
        },
    ),
    Field::or_null(
        "memory",
        ValueKind::Integer,
        "bytes",
        "address in memory of a beat that read",
        |n| match n.source() {
            Some(ValueSource::Beat(beat, _)) if beat.direction == Direction::Get => {
                beat.address.into()
            }
            _ => Value::Null,
        },
    ),
    Field::new("operands", ValueKind::Objects(operand_schema), "", "what it was made of", |n| {
        n.operands.iter().map(|o| document::object(&OPERAND, o)).collect()
    }),
];

fn node_schema() -> Value {
    document::schema(&NODE, &[])
}

/// A slice with the names of its program.
struct Whole {
    slice: Slice,
    nodes: Vec<Value>,
}

const WHOLE: [Field<Whole>; 4] = [
    Field::new("value", ValueKind::Text, "", "the location that was asked for", |w| {
        w.slice.nodes.first().map(|node| node.location.to_string()).into()
    }),
    Field::new(
        "cycle",
        ValueKind::Integer,
        "cycles since reset",
        "what an operation reads that issues in it",
        |w| w.slice.cycle.into(),
    ),
    Field::new(
        "cut",
        ValueKind::Flag,
        "",
        "whether something was left out (--depth, --nodes)",
        |w| w.slice.is_cut().into(),
    ),
    Field::new("nodes", ValueKind::Objects(node_schema), "", "values, by their depth", |w| {
        w.nodes.clone().into()
    }),
];

impl Slice {
    /// Returns the graph as a JSON object, whose values [`schema`] describes. `names` finds the source places of its
    /// operations.
    pub fn to_json(&self, names: &dyn OperationNames) -> Value {
        let named = |(number, node): (usize, &Node)| {
            let place = match &node.given {
                NodeSource::By(ValueSource::Operation(issued)) => {
                    Some(NamedPosition::of_operation(names, issued))
                }
                _ => None,
            };
            let cycle = self.named_in(number);
            let moved = match &node.given {
                NodeSource::By(ValueSource::Beat(beat, visit)) => {
                    Some(beat_text(names.words_in(beat.cycle), beat, visit.as_deref()))
                }
                NodeSource::By(ValueSource::Act(act)) => Some(action_text(&act.action)),
                _ => None,
            };
            let name = location_name(names, node.location, cycle);
            let operand = |operand: &SliceOperand| NamedOperand {
                operand: *operand,
                name: location_name(names, operand.location, cycle),
            };
            let operands = node.operands.iter().map(operand).collect();
            document::object(
                &NODE,
                &Named { number, node: node.clone(), place, name, operands, moved },
            )
        };
        let nodes = self.nodes.iter().enumerate().map(named).collect();
        document::document(SCHEMA, &WHOLE, &Whole { slice: self.clone(), nodes })
    }
}

/// Returns the JSON Schema of [`Slice::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &WHOLE, &[]);
    document::whole("Report of `cp2 why R --value V@C --json`", &[shape])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_schema_names_what_the_report_has() {
        let schema = schema();
        assert_eq!(schema["properties"]["schema"], json!({ "const": SCHEMA }));
        let nodes = &schema["properties"]["nodes"]["items"];
        assert_eq!(nodes["required"].as_array().map(Vec::len), Some(NODE.len()));
    }
}
