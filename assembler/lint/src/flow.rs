//! The graph of the flow of control, bundle by bundle. A node is an address together with the hardware loops that are active
//! there and with the transfer that is under way (delay slots). So a path in the graph is a path of the machine, but for loop
//! counts, which `walk` keeps.

use super::program::{Control, Program, Slot};
use super::trace::Counts;
use cp2_isa::rules::flow::{Body, entries_after_push};
use cp2_isa::{BundleAddress, Core};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Index of a node.
pub(super) type NodeId = usize;

/// Ways to reach one address that are told apart; more mean that the flow is not understood.
const MOST_NODES_OF_ADDRESS: usize = 32;

/// The flow after a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Then {
    /// To where the bundle itself leads.
    Free,
    /// To the target of the jump before.
    Jump(Option<BundleAddress>),
    /// To the target of the call before.
    Call(Option<BundleAddress>),
    /// To the caller.
    Return,
    /// To the start of the innermost loop.
    Back,
    /// The bundle is nullified by a loop of no iterations and the flow goes on there.
    Nullified(BundleAddress),
}

/// The change that an edge makes to the knowledge of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeEffect {
    /// The next bundle, or the target of a jump.
    Plain,
    /// The innermost loop begins one more iteration.
    Repeat,
    /// The innermost loop was in its last iteration.
    Leave,
    /// A loop begins.
    Enter,
    /// A loop of no iterations is passed over.
    Skip,
    /// A call; the node to return to.
    Call(NodeId),
    /// A return to one of the callers in the image.
    Return,
    /// The flow comes back after code that is not known.
    Unknown,
}

/// A successor of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) to: NodeId,
    pub(super) step: EdgeEffect,
}

/// The reason why the known flow ends at a node, or may end there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// `stop`.
    Stop,
    /// `ret`; edges lead to the callers that are known.
    Return,
    /// Jump or call through a register, or a form of flow that is not followed.
    Unknown,
    /// The machine refuses to go on: control operations where none is allowed.
    Refused,
    /// A word that is no bundle.
    Undefined,
    /// No kernel covers the address.
    Outside,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    address: BundleAddress,
    loops: Rc<[BundleAddress]>,
    then: Then,
}

/// A bundle in a certain state of the flow.
pub(super) struct Node {
    pub(super) address: BundleAddress,
    /// Addresses of the `do`s of the active loops, the innermost last. Those of callers are left
    /// out.
    pub(super) loops: Rc<[BundleAddress]>,
    pub(super) then: Then,
    pub(super) edges: Vec<Edge>,
    pub(super) end: Option<End>,
}

impl Node {
    /// Whether the bundle has no effect.
    pub(super) fn is_nullified(&self) -> bool {
        matches!(self.then, Then::Nullified(_))
    }
}

/// The flow of an image.
pub(super) struct Graph<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) nodes: Vec<Node>,
    pub(super) counts: &'a Counts,
    /// Every transfer was followed, so what was not reached is not reachable.
    pub(super) complete: bool,
    /// Some call goes to an address that is not known, so a return may lead anywhere.
    pub(super) unknown_calls: bool,
    /// The node belongs to a procedure that is called in the image.
    pub(super) called: Vec<bool>,
    by_key: HashMap<Key, NodeId>,
    by_address: Vec<Vec<NodeId>>,
    calls: BTreeSet<(NodeId, NodeId)>,
}

impl<'a> Graph<'a> {
    /// Follows the flow from every entry of the program.
    pub(super) fn new(program: &'a Program<'a>, counts: &'a Counts) -> Self {
        let mut graph = Self {
            program,
            nodes: Vec::new(),
            counts,
            complete: true,
            unknown_calls: false,
            called: Vec::new(),
            by_key: HashMap::new(),
            by_address: vec![Vec::new(); program.core.iram_bundles() + 2],
            calls: BTreeSet::new(),
        };
        for entry in program.entries() {
            graph.node(entry, &Rc::from([]), Then::Free);
        }
        let mut next = 0;
        while next < graph.nodes.len() {
            graph.expand(next);
            next += 1;
        }
        graph.connect_returns();
        graph
    }

    /// Returns the nodes of an address.
    pub(super) fn at(&self, address: BundleAddress) -> &[NodeId] {
        self.by_address.get(address.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether the bundle at the address can execute.
    pub(super) fn is_reached(&self, address: BundleAddress) -> bool {
        self.at(address).iter().any(|&id| !self.nodes[id].is_nullified())
    }

    /// Whether the bundle at the address can execute, as far as the flow is known.
    pub(super) fn may_execute(&self, address: BundleAddress) -> bool {
        !self.complete || self.is_reached(address)
    }

    /// Returns the node of a state of the flow, a new one if there is none yet; `None` if the address has too many.
    fn node(
        &mut self,
        address: BundleAddress,
        loops: &Rc<[BundleAddress]>,
        then: Then,
    ) -> Option<NodeId> {
        let key = Key { address, loops: loops.clone(), then };
        if let Some(&id) = self.by_key.get(&key) {
            return Some(id);
        }
        let siblings = self.by_address.get_mut(address.index())?;
        if siblings.len() >= MOST_NODES_OF_ADDRESS {
            return None;
        }
        let id = self.nodes.len();
        siblings.push(id);
        self.nodes.push(Node { address, loops: loops.clone(), then, edges: Vec::new(), end: None });
        self.by_key.insert(key, id);
        Some(id)
    }

    fn edge(
        &mut self,
        from: NodeId,
        step: EdgeEffect,
        address: BundleAddress,
        loops: &Rc<[BundleAddress]>,
        then: Then,
    ) {
        match self.node(address, loops, then) {
            Some(to) => self.nodes[from].edges.push(Edge { to, step }),
            None => self.end(from, End::Unknown),
        }
    }

    fn end(&mut self, node: NodeId, end: End) {
        self.nodes[node].end = Some(end);
        self.complete &= !matches!(end, End::Unknown | End::Refused | End::Undefined);
    }

    fn expand(&mut self, id: NodeId) {
        self.expand_edges(id);
        if self.changes_loops(self.nodes[id].address) {
            self.end(id, End::Unknown);
        }
    }

    fn expand_edges(&mut self, id: NodeId) {
        let Node { address, ref loops, then, .. } = self.nodes[id];
        let loops = loops.clone();
        let next = address.plus(1);
        let control = match self.program.slot(address) {
            Slot::Absent => return self.end(id, End::Outside),
            Slot::Undefined(_) => return self.end(id, End::Undefined),
            Slot::Bundle(decoded) => decoded.control,
        };
        match then {
            Then::Nullified(to) => self.edge(id, EdgeEffect::Plain, to, &loops, Then::Free),
            Then::Free => self.expand_free(id, next, &loops, control),
            _ if control != Control::None => self.end(id, End::Refused),
            Then::Jump(Some(to)) => self.edge(id, EdgeEffect::Plain, to, &loops, Then::Free),
            Then::Jump(None) => self.end(id, End::Unknown),
            Then::Call(to) => self.expand_call(id, next, &loops, to),
            Then::Return => self.end(id, End::Return),
            Then::Back => {
                let start = loops.last().map_or(next, |&at| at.plus(1));
                self.edge(id, EdgeEffect::Plain, start, &loops, Then::Free);
            }
        }
    }

    fn expand_call(
        &mut self,
        id: NodeId,
        back: BundleAddress,
        loops: &Rc<[BundleAddress]>,
        target: Option<BundleAddress>,
    ) {
        let Some(target) = target else {
            self.unknown_calls = true;
            self.edge(id, EdgeEffect::Unknown, back, loops, Then::Free);
            return self.end(id, End::Unknown);
        };
        let Some(back) = self.node(back, loops, Then::Free) else {
            return self.end(id, End::Unknown);
        };
        let before = self.nodes[id].edges.len();
        self.edge(id, EdgeEffect::Call(back), target, &Rc::from([]), Then::Free);
        if let Some(edge) = self.nodes[id].edges.get(before) {
            self.calls.insert((edge.to, back));
        }
    }

    /// Adds the edges of a bundle at a place where no transfer is under way.
    fn expand_free(
        &mut self,
        id: NodeId,
        next: BundleAddress,
        loops: &Rc<[BundleAddress]>,
        control: Control,
    ) {
        let address = self.nodes[id].address;
        let innermost = loops.last().copied();
        let ends = innermost.and_then(|at| self.program.body(at)).map(|body| body.end);
        if ends == Some(address) {
            return self.expand_loop_end(id, next, loops, control);
        }
        match control {
            Control::None | Control::Sync => {
                self.edge(id, EdgeEffect::Plain, next, loops, Then::Free);
            }
            Control::Jump(to) => self.edge(id, EdgeEffect::Plain, next, loops, Then::Jump(to)),
            Control::Call(to) => self.edge(id, EdgeEffect::Plain, next, loops, Then::Call(to)),
            Control::Ret => self.edge(id, EdgeEffect::Plain, next, loops, Then::Return),
            Control::Enddo => {
                self.edge(id, EdgeEffect::Plain, next, &without_last(loops), Then::Free);
            }
            Control::Stop => self.end(id, End::Stop),
            Control::Run => self.end(id, End::Refused),
            Control::Do { end, .. } => {
                let count = self.counts.of(self.program, address);
                if count.max != Some(0) {
                    let inner = with(&self.program.core, loops, address);
                    self.edge(id, EdgeEffect::Enter, next, &inner, Then::Free);
                }
                if count.min == 0 {
                    let after = Body::behind(address, end).after();
                    self.edge(id, EdgeEffect::Skip, next, loops, Then::Nullified(after));
                }
            }
        }
    }

    fn expand_loop_end(
        &mut self,
        id: NodeId,
        next: BundleAddress,
        loops: &Rc<[BundleAddress]>,
        control: Control,
    ) {
        if control != Control::None {
            return self.end(id, End::Refused);
        }
        let innermost = loops.last().copied().unwrap_or_default();
        if self.counts.of(self.program, innermost).max != Some(1) {
            self.edge(id, EdgeEffect::Repeat, next, loops, Then::Back);
        }
        self.edge(id, EdgeEffect::Leave, next, &without_last(loops), Then::Free);
    }

    /// Whether the bundle gives the innermost loop other bounds: a `move` to LA does.
    fn changes_loops(&self, address: BundleAddress) -> bool {
        let written = self.program.get(address).and_then(|d| d.bundle.exch.control_written());
        written == Some(cp2_isa::control::LA)
    }

    /// Leads every `ret` back to the callers of the procedures that it belongs to.
    fn connect_returns(&mut self) {
        self.called = vec![false; self.nodes.len()];
        let calls: Vec<_> = self.calls.iter().copied().collect();
        for group in calls.chunk_by(|a, b| a.0 == b.0) {
            for node in self.procedure(group[0].0) {
                self.called[node] = true;
                if self.nodes[node].end != Some(End::Return) {
                    continue;
                }
                for &(_, back) in group {
                    let edges = &mut self.nodes[node].edges;
                    if !edges.iter().any(|edge| edge.to == back) {
                        edges.push(Edge { to: back, step: EdgeEffect::Return });
                    }
                }
            }
        }
    }

    /// Returns the nodes from an entry to the returns, calls stepped over.
    fn procedure(&self, entry: NodeId) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        seen[entry] = true;
        let mut nodes = vec![entry];
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            next += 1;
            for edge in &self.nodes[node].edges {
                let to = match edge.step {
                    EdgeEffect::Call(back) => back,
                    EdgeEffect::Return => continue,
                    _ => edge.to,
                };
                if !std::mem::replace(&mut seen[to], true) {
                    nodes.push(to);
                }
            }
        }
        nodes
    }
}

fn without_last(loops: &Rc<[BundleAddress]>) -> Rc<[BundleAddress]> {
    loops.split_last().map_or_else(|| loops.clone(), |(_, rest)| Rc::from(rest))
}

/// Returns the loops with another inside; a loop for which the stack has no room replaces the innermost.
fn with(core: &Core, loops: &Rc<[BundleAddress]>, inner: BundleAddress) -> Rc<[BundleAddress]> {
    let kept = entries_after_push(loops.len(), core.loop_depth());
    loops[..kept].iter().copied().chain([inner]).collect()
}
