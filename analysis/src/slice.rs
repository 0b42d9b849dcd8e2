//! Slices: the operations, beats and inputs that a value was made of, as a graph that is cut at a depth and a size. Every
//! node is a value with what gave it; its operands are other nodes.

mod dot;
mod evaluate;
mod json;
mod operands;
mod text;

pub use evaluate::evaluate;
pub use json::schema;

use crate::history::{History, Reader, ValueOrigin, ValueSource};
use crate::location::Location;
use cp2_emu::dma::Beat;
use cp2_isa::{Cycle, Halves, MemoryAddress, Resource, Slot};
use cp2_recording::{Recording, RecordingError};
use std::collections::HashMap;

/// The limits at which a graph is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimits {
    /// Number of steps from the value that was asked for to the farthest.
    pub depth: u32,
    /// Largest number of values that the graph has in all.
    pub nodes: usize,
    /// Whether addresses are followed too: a load then has the registers of its address set as operands.
    pub addresses: bool,
}

impl Default for SliceLimits {
    fn default() -> Self {
        Self { depth: 12, nodes: 60, addresses: false }
    }
}

/// A value of the graph, with what gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Register or word that has the value.
    pub location: Location,
    /// Bits of the value; 0 in the halves that `location` leaves out.
    pub value: u64,
    /// Source that gave the value: an operation, a beat, the host, or the begin of the recording.
    pub given: NodeSource,
    /// Number of steps from the value that was asked for to this one.
    pub depth: u32,
    /// Values of which this one was made.
    pub operands: Vec<SliceOperand>,
}

/// The sources that gave a value of the graph: one for all of it, or one for each half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeSource {
    /// The source that gave all of the value.
    By(ValueSource),
    /// Two different sources, which gave a half each.
    Halves,
}

/// A value that another one was made of: an operand of what gave that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceOperand {
    /// Register, or half of one, or word, from which the operand was read, with its section; of system memory, which has
    /// none, the address.
    pub location: Location,
    /// Bits of the operand as they were when it was read.
    pub value: u64,
    /// Number of the operand among the nodes; `None` where the graph is cut.
    pub node: Option<usize>,
}

/// The graph of the values from which a value came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Cycle that was asked for: the value is that which an operation reads that issues in it.
    pub cycle: Cycle,
    /// Nodes: the value that was asked for, then others by their depth.
    pub nodes: Vec<Node>,
    /// Limits at which the graph was cut.
    pub limits: SliceLimits,
}

impl Slice {
    /// Whether some operands were left out.
    pub fn is_cut(&self) -> bool {
        self.nodes.iter().flat_map(|node| &node.operands).any(|operand| operand.node.is_none())
    }
}

/// The key that tells values of a location apart: the same giver gave the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Giver {
    Operation(Cycle, bool),
    Beat(Cycle, MemoryAddress),
    Other(Option<Cycle>),
    /// Different givers of the two halves, as a reader saw them.
    Halves(Reader),
}

fn giver(source: &ValueSource) -> Giver {
    match source {
        ValueSource::Operation(issued) => {
            Giver::Operation(issued.cycle, issued.slot == Slot::Exchange)
        }
        ValueSource::Beat(beat, _) => Giver::Beat(beat.cycle, beat.address),
        ValueSource::Act(act) => Giver::Other(Some(act.cycle)),
        ValueSource::Host(cycle) | ValueSource::Unsearched(cycle) => Giver::Other(Some(*cycle)),
        ValueSource::Begin => Giver::Other(None),
    }
}

/// A graph that is being made.
struct Builder<'a> {
    history: &'a mut History,
    recording: &'a mut Recording,
    nodes: Vec<Node>,
    numbers: HashMap<(Location, Giver), usize>,
    /// Reader of each node, for the nodes whose halves come from different places.
    readers: Vec<Reader>,
    limits: SliceLimits,
}

/// Makes the graph of the values from which the value of a location came that an operation reads that issues in a cycle.
///
/// # Errors
/// There is no such cycle, or the recording is damaged.
pub fn slice(
    recording: &mut Recording,
    history: &mut History,
    location: Location,
    cycle: Cycle,
    limits: SliceLimits,
) -> Result<Slice, RecordingError> {
    let (nodes, numbers, readers) = (Vec::new(), HashMap::new(), Vec::new());
    let mut builder = Builder { history, recording, nodes, numbers, readers, limits };
    let (_, value, given, key) = builder.find(location, Reader::at(cycle))?;
    builder.add(
        Node { location, value, given, depth: 0, operands: Vec::new() },
        key,
        Reader::at(cycle),
    );
    let mut next = 0;
    while next < builder.nodes.len() {
        builder.expand(next)?;
        next += 1;
    }
    Ok(Slice { cycle, nodes: builder.nodes, limits })
}

type Found = (Location, u64, NodeSource, Giver);

impl Builder<'_> {
    /// Finds the value of a location that a reader sees, and what gave it.
    fn find(&mut self, location: Location, reader: Reader) -> Result<Found, RecordingError> {
        let Location::Register(Resource::Fpr(n, Halves::BOTH), section) = location else {
            let ValueOrigin { value, source } =
                self.history.find(self.recording, location, reader)?;
            let key = giver(&source);
            return Ok((location, value, NodeSource::By(source), key));
        };
        let mut half = |halves| {
            let half = Location::Register(Resource::Fpr(n, halves), section);
            self.history.find(self.recording, half, reader)
        };
        let (low, high) = (half(Halves::LO)?, half(Halves::HI)?);
        let value = low.value | high.value;
        match giver(&low.source) == giver(&high.source) {
            true => Ok((location, value, NodeSource::By(low.source.clone()), giver(&low.source))),
            false => Ok((location, value, NodeSource::Halves, Giver::Halves(reader))),
        }
    }

    fn add(&mut self, node: Node, key: Giver, reader: Reader) -> usize {
        let number = self.nodes.len();
        self.numbers.insert((node.location, key), number);
        self.nodes.push(node);
        self.readers.push(reader);
        number
    }

    /// Finds the values of which a node was made.
    fn expand(&mut self, number: usize) -> Result<(), RecordingError> {
        let Node { location, given, depth, .. } = self.nodes[number].clone();
        let wanted = match &given {
            NodeSource::By(source) => operands::of(source, location, self.limits.addresses),
            NodeSource::Halves => operands::halves(location, self.readers[number]),
        };
        for (location, reader) in wanted {
            let (location, mut value, given, key) = self.find(location, reader)?;
            // Only the beat that read memory tells the value of what a masked beat left as it was.
            if let NodeSource::By(ValueSource::Beat(Beat { mask: 1.., .. }, _)) = given {
                value = self.nodes[number].value;
            }
            let known = self.numbers.get(&(location, key)).copied();
            let fits = depth < self.limits.depth && self.nodes.len() < self.limits.nodes;
            let node = match known {
                Some(number) => Some(number),
                None if fits => {
                    let operands = Vec::new();
                    let node = Node { location, value, given, depth: depth + 1, operands };
                    Some(self.add(node, key, reader))
                }
                None => None,
            };
            self.nodes[number].operands.push(SliceOperand { location, value, node });
        }
        Ok(())
    }
}
