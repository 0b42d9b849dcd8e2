//! Symbolic values: who made each 16-bit part of a register. Equal parts have equal numbers, so
//! two runs agree when their numbers agree. No machine state here.

use cp2_isa::{Section, WordAddress};
use std::collections::HashMap;

/// Number of a [`Node`]. The usual ones tell themselves what they are, so that they need no table:
/// the two highest bits say which kind it is (`SHORT`, `BITS`, `INITIAL`, `RESULT`), the others which.
pub(super) type Part = u64;

/// A 64-bit value, bits 15:0 first.
pub(super) type Value = [Part; 4];

/// A place whose content before the region is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum InitialCell {
    Fpr(u8),
    Memory(WordAddress),
    /// A word of shared memory, the same for every section.
    Shared(WordAddress),
    Condition(u8),
    Fcsr,
}

/// Sections in which a predicated write happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mask {
    /// The sections in which this condition code is 1.
    Condition(Part),
    /// In one section.
    Section(Section),
}

/// An origin of 16 bits, or of a condition code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A virtual register that nothing has been written to.
    Undefined,
    /// Constant bits, the same in every section.
    Bits(u16),
    /// The content of a place before the region.
    Initial(InitialCell, u8),
    /// Part of result `which` of execution `turn` of an operation of the region.
    Result { op: u32, turn: u32, which: u8, part: u8 },
    /// The value `inside` where the mask holds, `outside` elsewhere.
    Merged { mask: Mask, inside: Part, outside: Part },
    /// The part with its highest bit flipped.
    Flipped(Part),
    /// Condition code `number` of an FCCR made from this part.
    Bit { of: Part, number: u8 },
    /// FCSR: its base and the sum over the operations that have raised flags since.
    Flags { base: Part, raised: u64 },
    /// Number of the section.
    SectionNumber,
    /// The value of the part in one section, for every section.
    From { part: Part, section: Section },
    /// Computed from parts in a way that the checker does not look into.
    Opaque(u64),
}

/// The nodes of a check that have no number of their own.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Part>,
}

const KIND: u32 = 62;
const BITS: Part = 1 << KIND;
const INITIAL: Part = 2 << KIND;
const RESULT: Part = 3 << KIND;
/// Operations and turns below this fit into a number.
const SHORT: u32 = 1 << 28;

/// The number of no node.
pub(super) const NO_PART: Part = 0;
/// The number of [`Node::Undefined`], the first in the table.
pub(super) const UNDEFINED: Part = 1;
/// The number of `Node::Bits(0)`.
pub(super) const ZERO: Part = BITS;
/// The number of `Node::Bits(1)`.
pub(super) const ONE: Part = BITS | 1;

/// Returns the number of a node that needs no table; `None` for a node that needs one.
fn own_number(node: Node) -> Option<Part> {
    match node {
        Node::Bits(bits) => Some(BITS | Part::from(bits)),
        Node::Initial(place, part) => {
            let (kind, number) = match place {
                InitialCell::Fpr(n) => (0, n.into()),
                InitialCell::Memory(word) => (1, word.0),
                InitialCell::Condition(n) => (2, n.into()),
                InitialCell::Fcsr => (3, 0),
                InitialCell::Shared(word) => (4, word.0),
            };
            Some(INITIAL | kind << 24 | Part::from(number) << 8 | Part::from(part))
        }
        Node::Result { op, turn, which, part } if op < SHORT && turn < SHORT => {
            let execution = Part::from(op) << 28 | Part::from(turn);
            Some(RESULT | execution << 4 | Part::from(which & 3) << 2 | Part::from(part & 3))
        }
        _ => None,
    }
}

/// Returns the node with a number that needs no table.
fn own_node(part: Part) -> Node {
    match part & RESULT {
        BITS => Node::Bits(part as u16),
        INITIAL => {
            let number = (part >> 8) as u16;
            let place = match part >> 24 & 7 {
                0 => InitialCell::Fpr(number as u8),
                1 => InitialCell::Memory(WordAddress(number)),
                2 => InitialCell::Condition(number as u8),
                4 => InitialCell::Shared(WordAddress(number)),
                _ => InitialCell::Fcsr,
            };
            Node::Initial(place, part as u8)
        }
        _ => {
            let (op, turn) =
                (part >> 32 & Part::from(SHORT - 1), part >> 4 & Part::from(SHORT - 1));
            let (which, part) = ((part >> 2 & 3) as u8, (part & 3) as u8);
            Node::Result { op: op as u32, turn: turn as u32, which, part }
        }
    }
}

/// Returns a well mixed function of two words.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Nodes {
    pub(super) fn new() -> Self {
        // Nothing has the number 0.
        let mut nodes = Self { nodes: vec![Node::Undefined], numbers: HashMap::new() };
        nodes.number(Node::Undefined);
        nodes
    }

    /// Returns the number of a node, and enters a new one into the table.
    pub(super) fn number(&mut self, node: Node) -> Part {
        if let Some(number) = own_number(node) {
            return number;
        }
        let next = self.nodes.len() as Part;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    pub(super) fn node(&self, part: Part) -> Node {
        if part < BITS { self.nodes[part as usize] } else { own_node(part) }
    }

    pub(super) fn initial(&mut self, place: InitialCell) -> Value {
        [0, 1, 2, 3].map(|part| self.number(Node::Initial(place, part)))
    }

    pub(super) fn result(&mut self, (op, turn): (u32, u32), which: u8) -> Value {
        [0, 1, 2, 3].map(|part| self.number(Node::Result { op, turn, which, part }))
    }

    pub(super) fn word(&mut self, word: u64) -> Value {
        [0, 16, 32, 48].map(|shift| self.number(Node::Bits((word >> shift) as u16)))
    }

    pub(super) fn opaque(&mut self, what: u64, from: &[Part]) -> Part {
        let hash = from.iter().fold(what, |hash, &part| mix(hash, part));
        self.number(Node::Opaque(hash))
    }

    pub(super) fn merged(&mut self, mask: Mask, inside: Part, outside: Part) -> Part {
        if inside == outside {
            return inside;
        }
        self.number(Node::Merged { mask, inside, outside })
    }

    pub(super) fn flipped(&mut self, part: Part) -> Part {
        match self.node(part) {
            Node::Bits(bits) => self.number(Node::Bits(bits ^ 0x8000)),
            Node::Flipped(of) => of,
            _ => self.number(Node::Flipped(part)),
        }
    }

    /// Returns the value of a part in one section.
    pub(super) fn in_section(&self, part: Part, section: Section) -> Part {
        match self.node(part) {
            Node::Merged { mask: Mask::Section(s), inside, outside } => {
                self.in_section(if s == section { inside } else { outside }, section)
            }
            _ => part,
        }
    }

    /// Returns the value of a part in one section, as a part that is the same in every section.
    pub(super) fn of_section(&mut self, part: Part, section: Section) -> Part {
        let part = self.in_section(part, section);
        match self.node(part) {
            Node::Bits(_)
            | Node::Undefined
            | Node::From { .. }
            | Node::Initial(InitialCell::Shared(_), _) => part,
            Node::SectionNumber => self.number(Node::Bits(section.index() as u16)),
            _ => self.number(Node::From { part, section }),
        }
    }

    /// Returns the bits of a value in a section, if they are known.
    pub(super) fn bits(&self, value: Value, section: Section) -> Option<u64> {
        value.iter().rev().try_fold(0, |word, &part| {
            match self.node(self.in_section(part, section)) {
                Node::Bits(bits) => Some(word << 16 | u64::from(bits)),
                _ => None,
            }
        })
    }

    /// Applies an integer function of 32 bits to a half, exactly where the bits are known.
    pub(super) fn map_half(
        &mut self,
        what: u64,
        half: [Part; 2],
        function: &dyn Fn(u32) -> u32,
    ) -> [Part; 2] {
        let nodes = half.map(|part| self.node(part));
        if let [Node::Bits(lo), Node::Bits(hi)] = nodes {
            let result = function(u32::from(lo) | u32::from(hi) << 16);
            return [result, result >> 16].map(|bits| self.number(Node::Bits(bits as u16)));
        }
        let mask = nodes.iter().find_map(|node| match node {
            Node::Merged { mask: mask @ Mask::Section(_), .. } => Some(*mask),
            _ => None,
        });
        if let Some(mask @ Mask::Section(section)) = mask {
            let inside = half.map(|part| self.in_section(part, section));
            let outside = [0, 1].map(|k| match nodes[k] {
                Node::Merged { mask: m, outside, .. } if m == mask => outside,
                _ => half[k],
            });
            let inside = self.map_half(what, inside, function);
            let outside = self.map_half(what, outside, function);
            return [0, 1].map(|k| self.merged(mask, inside[k], outside[k]));
        }
        [0, 1].map(|k| self.opaque(mix(what, k), &half))
    }

    /// Whether `found` is what `expected` asks for; nothing is asked where nothing was written.
    pub(super) fn agree(&self, expected: Part, found: Part) -> bool {
        if expected == found || expected == UNDEFINED {
            return true;
        }
        match (self.node(expected), self.node(found)) {
            (
                Node::Merged { mask: m1, inside: i1, outside: o1 },
                Node::Merged { mask: m2, inside: i2, outside: o2 },
            ) => m1 == m2 && self.agree(i1, i2) && self.agree(o1, o2),
            (Node::Merged { inside, outside, .. }, _) => {
                self.agree(inside, found) && self.agree(outside, found)
            }
            (Node::Flipped(a), Node::Flipped(b)) => self.agree(a, b),
            (Node::Flipped(UNDEFINED), _) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
