//! Symbolic values in words, for messages.

use super::source::name_of;
use super::value::{InitialCell, Mask, Node, Nodes, Part};
use cp2_ir::linear::Region;

/// Most levels of a description: a value that is merged again and again is a graph whose text doubles with every level.
const LEVELS: usize = 6;

/// Returns the description of a part.
pub(super) fn describe(region: &Region, nodes: &Nodes, part: Part) -> String {
    levels(region, nodes, part, LEVELS)
}

/// Returns the description of a part in so many levels at most; what is below them is a value made of others.
fn levels(region: &Region, nodes: &Nodes, part: Part, left: usize) -> String {
    let Some(left) = left.checked_sub(1) else { return "a value made of others".into() };
    let describe = |part| levels(region, nodes, part, left);
    match nodes.node(part) {
        Node::Undefined => "nothing".into(),
        Node::Bits(bits) => format!("{bits:#06x}"),
        Node::Initial(place, _) => match place {
            InitialCell::Fpr(n) => format!("what f{n} held before the region"),
            InitialCell::Memory(word) => format!("what word {word} held before the region"),
            InitialCell::Shared(word) => format!("what shared word {word} held before the region"),
            InitialCell::Condition(n) => format!("what cc{n} held before the region"),
            InitialCell::Fcsr => "what fcsr held before the region".into(),
        },
        Node::Result { op, turn, .. } => {
            format!("the result of {} in turn {turn}", name_of(region, op as usize))
        }
        Node::Merged { mask, inside, outside } => {
            let inside = describe(inside);
            let outside = describe(outside);
            match mask {
                Mask::Section(s) => format!("{inside} in section {s}, elsewhere {outside}"),
                Mask::Condition(_) => format!("{inside} under a predicate, else {outside}"),
            }
        }
        Node::From { part, section } => {
            format!("{} in section {section}", describe(part))
        }
        Node::Flipped(of) => format!("minus {}", describe(of)),
        Node::Bit { of, number } => format!("bit {number} of {}", describe(of)),
        Node::Flags { .. } => "fcsr with the flags raised so far".into(),
        Node::SectionNumber => "the section number".into(),
        Node::Opaque(_) => "a computed value".into(),
    }
}

/// Returns the description of how two results of one operation differ.
pub(super) fn difference(nodes: &Nodes, expected: Part, found: Part) -> Option<String> {
    match (nodes.node(expected), nodes.node(found)) {
        (Node::Result { op: a, turn: e, .. }, Node::Result { op: b, turn: f, .. }) if a == b => {
            match e.cmp(&f) {
                std::cmp::Ordering::Greater => Some(format!("{} turns old", e - f)),
                std::cmp::Ordering::Less => Some(format!("{} turns early", f - e)),
                std::cmp::Ordering::Equal => None,
            }
        }
        _ => None,
    }
}
