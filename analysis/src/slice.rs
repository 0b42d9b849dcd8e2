//! Slices: the operations, beats and inputs from which a value was computed, as a graph that ends at a depth and a
//! size. Every node is a value with its source; its operands are other nodes.

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

/// The limits at which the graph of a [`Slice`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimits {
    /// Greatest number of steps, from a value to one of its operands, between the value that was asked for and any
    /// other.
    pub depth: u32,
    /// Greatest number of values in the graph.
    pub nodes: usize,
    /// True to follow addresses too: an access to memory then has the registers of its address set as operands.
    pub addresses: bool,
}

impl Default for SliceLimits {
    fn default() -> Self {
        Self { depth: 12, nodes: 60, addresses: false }
    }
}

/// A node of a slice: a value in a register or word, the source that wrote it, and the values that it was computed
/// from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Register, half of one, or word that held the value.
    pub location: Location,
    /// Bits of the value; if the location is a half of a register, the other half is 0.
    pub value: u64,
    /// Source that wrote the value: an operation, a beat, the host, or the begin of the recording.
    pub given: NodeSource,
    /// Number of steps from the value that was asked for, which has 0, to this one.
    pub depth: u32,
    /// Values from which this one was computed, in the order in which its operation reads them.
    pub operands: Vec<SliceOperand>,
}

/// The source of a value in a slice: one for the whole value, or two for its halves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeSource {
    /// A single source, which wrote the whole value.
    By(ValueSource),
    /// Two sources, which wrote a half each; the operands of the node are these halves.
    Halves,
}

/// An operand of a node of a slice: a value from which the node's value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceOperand {
    /// Location that was read: a register, a half of one, a word, or bytes of system memory.
    pub location: Location,
    /// Bits of the operand when it was read.
    pub value: u64,
    /// Index of the operand in [`Slice::nodes`]; `None` if the limits left it out.
    pub node: Option<usize>,
}

/// A slice: the graph of the values from which one value in a recorded run was computed, as [`slice()`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Cycle, counted from reset, for which the value was asked: the first node has the value that an arithmetic
    /// operation which issues in it would read.
    pub cycle: Cycle,
    /// Nodes of the graph: the value that was asked for first, then the others in the order of their depth.
    pub nodes: Vec<Node>,
    /// Limits with which the graph was made.
    pub limits: SliceLimits,
}

impl Slice {
    /// Returns true if the limits left out an operand.
    pub fn is_cut(&self) -> bool {
        self.nodes.iter().flat_map(|node| &node.operands).any(|operand| operand.node.is_none())
    }

    /// Returns the cycle in which the location of a node, by its number, is named: that of the operation that gave the value,
    /// else that of the first operation that read it.
    pub fn named_in(&self, number: usize) -> Cycle {
        let issue = |node: &Node| match &node.given {
            NodeSource::By(ValueSource::Operation(issued)) => Some(issued.cycle),
            _ => None,
        };
        let own = self.nodes.get(number).and_then(issue);
        let reads = |node: &&Node| node.operands.iter().any(|read| read.node == Some(number));
        let reader = || self.nodes.iter().find(reads).and_then(issue);
        own.or_else(reader).unwrap_or(self.cycle)
    }

    /// Returns the cycles in which locations of the graph are named, that of the question first.
    pub fn named_cycles(&self) -> Vec<Cycle> {
        let cycles = [self.cycle].into_iter();
        cycles.chain((0..self.nodes.len()).map(|number| self.named_in(number))).collect()
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

/// Finds the values from which a value was computed: the value that an arithmetic operation issued in `cycle` would
/// read at `location`. The cycle is counted from reset.
///
/// # Errors
/// [`RecordingError::NoSuchCycle`] if the cycle lies before the recording; another error if the recording is damaged.
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
