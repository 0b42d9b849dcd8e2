//! Walks from each operation along every feasible path until its result has landed, and the pairs
//! of accesses on the way that come too early. What is said about a pair is in `hazards`.

use super::distances::{distance, landing, longest};
use super::flow::{Edge, EdgeEffect, Graph, NodeId, Then};
use super::program::Control;
use cp2_isa::rules::landing::{in_order_from, order};
use cp2_isa::{Access, AccessMode, BundleAddress, Certainty, Latencies, Resource, Slot, Unit};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The kind of access that comes too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Early {
    /// A read before the value has arrived.
    Read,
    /// A write that lands in the same cycle as an older one. Of arithmetic and a load the arithmetic
    /// result stays, else the later write.
    Collision,
    /// A write that lands before an older one.
    Overtaking,
}

/// The most remarkable thing that a path goes through besides bundles in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Via {
    /// Bundles in a row alone.
    Straight,
    /// A loop that goes zero times.
    Skip,
    /// A jump.
    Jump,
    /// A call.
    Call,
    /// A return.
    Return,
    /// The back edge of a hardware loop.
    Back,
}

/// Two accesses, the second too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meeting {
    /// Distance on the path, in cycles.
    pub(super) found: u32,
    /// Distance at which all would be well.
    pub(super) needed: u32,
    /// Most remarkable thing on the path.
    pub(super) via: Via,
    /// The units of the first and the second access.
    pub(super) units: [Unit; 2],
}

/// The bundle of the second access, its kind, and the resource.
pub(super) type SecondAccess = (BundleAddress, Early, Resource);

/// All pairs: place of the second access, then address of the first.
pub(super) type Pairs = BTreeMap<SecondAccess, BTreeMap<BundleAddress, Meeting>>;

/// Iterations that a loop still has, this one included.
#[derive(Clone, Copy, Debug)]
enum Left {
    Exactly(u32),
    AtMost(u32),
    Unknown,
}

#[derive(Clone)]
struct State {
    node: NodeId,
    cycle: u32,
    left: Vec<Left>,
    callers: Vec<(NodeId, Vec<Left>)>,
    via: Via,
    /// The first accesses, each with the part of the register that nothing has replaced since.
    live: Vec<Option<Resource>>,
}

impl State {
    fn cross(&mut self, via: Via) {
        self.via = self.via.max(via);
    }
}

/// Returns every pair of accesses that come too close in the graph.
pub(super) fn pairs(graph: &Graph<'_>, latencies: &Latencies) -> Pairs {
    let mut pairs = Pairs::new();
    for id in 0..graph.nodes.len() {
        let node = &graph.nodes[id];
        let Some(decoded) = graph.program.get(node.address).filter(|_| !node.is_nullified()) else {
            continue;
        };
        let slow = decoded.uses.iter().filter(|access| !is_at_once(access));
        let writes: Vec<(Access, Resource)> =
            slow.filter_map(|access| Some((*access, access.changed()?))).collect();
        let horizon = writes.iter().map(|(access, what)| longest(latencies, access, *what)).max();
        let horizon = horizon.unwrap_or(0);
        if horizon > 1 {
            let mut walk = Walk { graph, latencies, id, writes, horizon, pairs: &mut pairs };
            walk.start();
        }
    }
    pairs
}

struct Walk<'a> {
    graph: &'a Graph<'a>,
    latencies: &'a Latencies,
    id: NodeId,
    writes: Vec<(Access, Resource)>,
    horizon: u32,
    pairs: &'a mut Pairs,
}

impl Walk<'_> {
    fn start(&mut self) {
        self.check_halves();
        let node = &self.graph.nodes[self.id];
        let mut left: Vec<Left> = node.loops.iter().map(|&at| self.left_of(at)).collect();
        if let (Then::Back, Some(Left::AtMost(n))) = (node.then, left.last_mut()) {
            *n = n.saturating_sub(1);
        }
        let live = self.writes.iter().map(|(_, what)| Some(*what)).collect();
        self.follow(&State {
            node: self.id,
            cycle: 0,
            left,
            callers: Vec::new(),
            via: Via::Straight,
            live,
        });
    }

    /// Returns the iterations that are left of a loop that the walk did not see begin.
    fn left_of(&self, at: BundleAddress) -> Left {
        let count = self.graph.counts.of(self.graph.program, at);
        count.max.map_or(Left::Unknown, Left::AtMost)
    }

    /// Compares the writes of the two halves of the bundle to one register.
    fn check_halves(&mut self) {
        let address = self.graph.nodes[self.id].address;
        let of = |slot| self.writes.iter().filter(move |(access, _)| access.slot == slot).copied();
        let (arithmetic, exchange) =
            (of(Slot::Arithmetic).collect::<Vec<_>>(), of(Slot::Exchange).collect::<Vec<_>>());
        for (arith, a) in &arithmetic {
            for (exch, b) in &exchange {
                let Some(what) = a.common(*b).filter(|what| is_delayed(*what)) else { continue };
                let Some((early, needed)) = self.too_early(arith, *a, exch, *b, 0) else {
                    continue;
                };
                let units = [arith.unit, exch.unit];
                let meeting = Meeting { found: 0, needed, via: Via::Straight, units };
                self.keep_worst((address, early, what), address, meeting);
            }
        }
    }

    /// Keeps of the meetings of two bundles the one that lacks most, on the simplest path.
    fn keep_worst(&mut self, place: SecondAccess, from: BundleAddress, meeting: Meeting) {
        let rank = |meeting: &Meeting| (std::cmp::Reverse(meeting.lack()), meeting.via);
        let kept = self.pairs.entry(place).or_default().entry(from).or_insert(meeting);
        if rank(&meeting) < rank(kept) {
            *kept = meeting;
        }
    }

    /// Goes on along every edge that the loop counts allow.
    fn follow(&mut self, state: &State) {
        let graph = self.graph;
        let cycle = state.cycle + self.cycles(state.node);
        if cycle >= self.horizon {
            return;
        }
        let node = &graph.nodes[state.node];
        let returns_to = match node.then {
            Then::Return => state.callers.last(),
            _ => None,
        };
        if let Some((back, left)) = returns_to {
            let mut next = State { node: *back, cycle, left: left.clone(), ..state.clone() };
            next.callers.pop();
            next.cross(Via::Return);
            return self.visit(next);
        }
        for edge in &graph.nodes[state.node].edges {
            if let Some(next) = self.take(state, *edge) {
                self.visit(State { cycle, ..next });
            }
        }
    }

    /// Returns the number of cycles from the issue of a bundle to the next one.
    fn cycles(&self, id: NodeId) -> u32 {
        let node = &self.graph.nodes[id];
        match self.graph.program.get(node.address) {
            Some(decoded) if decoded.control == Control::Sync && !node.is_nullified() => {
                self.latencies.sync
            }
            _ => 1,
        }
    }

    /// Returns the state after an edge, unless the loop counts exclude it.
    fn take(&self, state: &State, edge: Edge) -> Option<State> {
        let graph = self.graph;
        let (from, to) = (&graph.nodes[state.node], &graph.nodes[edge.to]);
        let mut next = State { node: edge.to, ..state.clone() };
        match edge.step {
            EdgeEffect::Plain => {
                match from.then {
                    Then::Jump(_) => next.cross(Via::Jump),
                    Then::Back => next.cross(Via::Back),
                    _ => {}
                }
                next.left.truncate(to.loops.len());
            }
            EdgeEffect::Repeat => match next.left.last_mut()? {
                Left::Exactly(n) | Left::AtMost(n) if *n <= 1 => return None,
                Left::Exactly(n) | Left::AtMost(n) => *n -= 1,
                Left::Unknown => {}
            },
            EdgeEffect::Leave => match next.left.pop()? {
                Left::Exactly(n) if n > 1 => return None,
                _ => {}
            },
            EdgeEffect::Enter => {
                let at = *to.loops.last()?;
                let count = graph.counts.of(graph.program, at);
                next.left.truncate(to.loops.len() - 1);
                next.left.push(match count.max {
                    Some(n) if n == count.min => Left::Exactly(n),
                    Some(n) => Left::AtMost(n),
                    None => Left::Unknown,
                });
            }
            EdgeEffect::Skip => next.cross(Via::Skip),
            EdgeEffect::Call(back) => {
                next.cross(Via::Call);
                next.callers.push((back, std::mem::take(&mut next.left)));
            }
            EdgeEffect::Return => {
                next.cross(Via::Return);
                next.left = to.loops.iter().map(|&at| self.left_of(at)).collect();
            }
            EdgeEffect::Unknown => return None,
        }
        Some(next)
    }

    /// Compares the accesses of a bundle with those that the walk started from.
    fn visit(&mut self, mut state: State) {
        let node = &self.graph.nodes[state.node];
        let decoded = self.graph.program.get(node.address).filter(|_| !node.is_nullified());
        if let Some(decoded) = decoded {
            for access in &decoded.uses {
                self.check_read(&state, node.address, access);
                self.check_write(&state, node.address, access);
            }
            for access in &decoded.uses {
                replace(&self.writes, &mut state.live, access);
            }
        }
        self.follow(&state);
    }

    fn check_read(&mut self, state: &State, at: BundleAddress, access: &Access) {
        let Some(read) = access.used() else { return };
        for k in 0..self.writes.len() {
            let (write, _) = &self.writes[k];
            let Some(what) = state.live[k].and_then(|live| live.common(read)) else { continue };
            let needed = distance(self.latencies, write, what, access);
            if write.sections.meets(access.sections) && state.cycle < needed {
                self.note(state, (at, Early::Read, what), needed, [write.unit, access.unit]);
            }
        }
    }

    fn check_write(&mut self, state: &State, at: BundleAddress, access: &Access) {
        let Some(written) = access.changed().filter(|_| access.mode == AccessMode::Define) else {
            return;
        };
        for k in 0..self.writes.len() {
            let (write, resource) = &self.writes[k];
            let Some(what) = resource.common(written).filter(|what| is_delayed(*what)) else {
                continue;
            };
            if !write.sections.meets(access.sections) {
                continue;
            }
            let met = self.too_early(write, *resource, access, written, state.cycle);
            if let Some((early, needed)) = met {
                self.note(state, (at, early, what), needed, [write.unit, access.unit]);
            }
        }
    }

    /// Returns what is wrong with a write `cycles` after another one, and the distance that is in order.
    fn too_early(
        &self,
        first: &Access,
        of_first: Resource,
        second: &Access,
        of_second: Resource,
        cycles: u32,
    ) -> Option<(Early, u32)> {
        let lands = landing(self.latencies, first, of_first);
        let takes = landing(self.latencies, second, of_second);
        let behind = in_order_from(lands, takes).max(0) as u32;
        match order(lands, takes, cycles) {
            Ordering::Less if of_first == Resource::Fpe => Some((Early::Overtaking, behind - 1)),
            Ordering::Less => Some((Early::Overtaking, behind)),
            // A `move` to STATUS that lands with an older `mtc` is what stays, and nothing is lost.
            Ordering::Equal if of_first != Resource::Fpe => Some((Early::Collision, behind)),
            _ => None,
        }
    }

    fn note(&mut self, state: &State, place: SecondAccess, needed: u32, units: [Unit; 2]) {
        let meeting = Meeting { found: state.cycle, needed, via: state.via, units };
        let from = self.graph.nodes[self.id].address;
        self.keep_worst(place, from, meeting);
    }
}

impl Meeting {
    /// Returns the number of cycles that are missing.
    pub(super) fn lack(&self) -> u32 {
        self.needed - self.found
    }
}

/// Whether nothing comes too early after an access: flags are in STATUS at once.
fn is_at_once(access: &Access) -> bool {
    access.mode == AccessMode::Update && access.resource == Resource::Fpe
}

/// Whether a register is written later than in the cycle of the issue.
fn is_delayed(what: Resource) -> bool {
    matches!(what, Resource::Fpr(..) | Resource::Fccr(_) | Resource::Fcsr | Resource::Fpe)
}

/// Takes away what a later write replaces: who reads after it means the later one.
fn replace(writes: &[(Access, Resource)], live: &mut [Option<Resource>], later: &Access) {
    let is_sure = later.mode == AccessMode::Define && later.certainty == Certainty::Always;
    let Some(written) = later.changed().filter(|_| is_sure) else { return };
    for ((write, _), live) in writes.iter().zip(live) {
        if !later.sections.covers(write.sections) {
            continue;
        }
        *live = match (*live, written) {
            (Some(Resource::Fpr(n, x)), Resource::Fpr(m, y)) if n == m => {
                let left = x.difference(y);
                (!left.is_empty()).then_some(Resource::Fpr(n, left))
            }
            (Some(resource), _) if resource == written => None,
            (kept, _) => kept,
        };
    }
}
