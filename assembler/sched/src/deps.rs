//! From the operations of a block to its dependences: values and the registers that they share,
//! resources of the machine, memory. All latencies come from the core.

use super::address::{self, Sets};
use super::graph::{Edge, Edges, Graph};
use super::place::Need;
use super::webs::{Value, Webs};
use super::{ScheduleError, Work};
use cp2_ir::linear::{LinearInst, Reg};
use cp2_isa::rules::landing::{in_order_from, unseen_from};
use cp2_isa::{Core, Halves, Resource, SharedAddress, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// A block with everything that placing and allocating need.
pub(super) struct BlockProblem {
    /// Indices into the operations of the region.
    pub(super) ops: Vec<usize>,
    pub(super) graph: Graph,
    /// The graph by which operations are placed, if that is for a slower core.
    slower: Option<Graph>,
    /// The graph without the edges that keep a register from coming back too soon: those go away when
    /// more iterations have registers of their own.
    renamed: Edges,
    pub(super) webs: Webs,
    pub(super) sets: Sets,
}

/// A resource whose accesses keep an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Fpr(Reg),
    /// A word of shared memory that an immediate address names.
    SharedWord(u16),
    /// Words of shared memory at an address that the run tells: which of them a store, or a load, is not known.
    SharedStored,
    SharedFound,
    Other(Resource),
}

/// An operation in the first or the second of two iterations.
type Event = (usize, bool);

#[derive(Default)]
struct Track {
    written: Option<Event>,
    read: Vec<Event>,
}

impl Work<'_> {
    /// Analyses the operations `ops` of one block. In a loop a register web must be free again
    /// after `unroll` iterations.
    pub(super) fn block(
        &self,
        ops: &[usize],
        is_loop: bool,
        unroll: i64,
    ) -> Result<BlockProblem, ScheduleError> {
        let mut sets = Sets::of(self, ops);
        let ops = sets.absorb(self, ops);
        let webs = Webs::of(self, &ops)?;
        let memory = address::memory_edges(self, &ops, &sets, is_loop);
        let memory = memory.ok_or_else(|| self.too_many_accesses(&ops))?;
        let build = |core| {
            let (edges, renamed) = (Edges::default(), Edges::default());
            let mut builder = Builder { work: self, core, ops: &ops, edges, renamed, is_loop };
            builder.values(&webs, unroll);
            builder.resources(&sets);
            memory.iter().for_each(|&edge| builder.both(edge));
            (Graph::new(ops.len(), builder.edges), builder.renamed)
        };
        let (graph, renamed) = build(&self.core);
        let slower = (self.placed != self.core).then(|| build(&self.placed).0);
        Ok(BlockProblem { ops, graph, slower, renamed, webs, sets })
    }
}

impl Work<'_> {
    fn too_many_accesses(&self, ops: &[usize]) -> ScheduleError {
        let span = ops.first().and_then(|&op| self.ops[op].span.clone());
        let most = address::MOST_MEETINGS;
        let message = format!("more than {most} pairs of accesses in this block may meet");
        let help = "promise `.disjoint` sets, or split the block";
        ScheduleError::new("C0612", span, message, help)
    }
}

impl BlockProblem {
    /// Returns the graph by which operations are placed.
    pub(super) fn placing(&self) -> &Graph {
        self.slower.as_ref().unwrap_or(&self.graph)
    }

    /// Whether operations may issue at these times, with a new iteration every `ii` cycles or, without it, once.
    pub(super) fn allows(&self, times: &[i64], ii: Option<i64>) -> bool {
        let is_met = |e: &Edge| {
            let between = times[e.to] - times[e.from] - e.latency;
            ii.map_or(e.distance > 0 || between >= 0, |ii| between + ii * e.distance >= 0)
        };
        self.slower.is_none() || self.graph.edges.iter().all(is_met)
    }

    /// Whether operations that issue at these times, with a new iteration every `ii` cycles, meet all dependences, and no two
    /// need one slot or two predicates of a bundle.
    pub(super) fn is_schedule(&self, needs: &[Need], times: &[i64], ii: i64) -> bool {
        let late = |e: &Edge| times[e.to] - times[e.from] + ii * e.distance >= e.latency;
        let mut rows: Vec<[Option<usize>; 2]> = vec![[None; 2]; ii.max(1) as usize];
        let mut placed = needs.iter().zip(times).enumerate();
        let fits = placed.all(|(op, (need, time))| {
            let row = &mut rows[time.rem_euclid(ii.max(1)) as usize];
            row[usize::from(need.exchange)].replace(op).is_none()
        });
        let predicate = |slot: Option<usize>| slot.and_then(|op| needs[op].predicate);
        let agrees = |[a, b]: &[Option<usize>; 2]| match (predicate(*a), predicate(*b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        ii > 0 && fits && rows.iter().all(agrees) && self.graph.edges.iter().all(late)
    }

    /// Returns two recurrence bounds, as [`Graph::recurrence_bound`] gives them: that of the block with as many registers as
    /// it may want, and that with those that its loop lets it have.
    pub(super) fn recurrence_bounds(&self) -> ((i64, Vec<usize>), i64) {
        let (cycles, operations) = self.graph.recurrence_bound();
        if cycles <= 1 {
            return ((cycles, operations), cycles);
        }
        (Graph::new(self.ops.len(), self.renamed.clone()).recurrence_bound(), cycles)
    }
}

struct Builder<'a> {
    work: &'a Work<'a>,
    /// Core whose latencies count.
    core: &'a Core,
    ops: &'a [usize],
    edges: Edges,
    renamed: Edges,
    is_loop: bool,
}

/// Returns the keys that an access of shared memory reads and writes, so that two accesses keep their order if one is a store
/// and they may meet: a store at an address of the run meets every other access, a load at such an address every store.
fn shared_keys(code: &LinearInst) -> Vec<(Key, bool, bool)> {
    let LinearInst::Exch(inst) = code else { return Vec::new() };
    let Some(access) = inst.shared_access() else { return Vec::new() };
    let (reads, writes) = (|key| (key, true, false), |key| (key, false, true));
    let first = match access.address {
        SharedAddress::Word(first) => first,
        SharedAddress::Set { .. } if access.is_store => return vec![writes(Key::SharedStored)],
        SharedAddress::Set { .. } => {
            return vec![reads(Key::SharedStored), writes(Key::SharedFound)];
        }
    };
    let places = access.places(first);
    let touched: BTreeSet<u16> =
        access.sections().iter().map(|section| places[section.index()].0).collect();
    let word = |n| (Key::SharedWord(n), !access.is_store, access.is_store);
    let mut all: Vec<_> = touched.into_iter().map(word).collect();
    all.push(reads(Key::SharedStored));
    all.extend(access.is_store.then(|| reads(Key::SharedFound)));
    all
}

/// Returns the distance at which `consumer` sees a register that `producer` writes.
pub(super) fn fpr_distance(core: &Core, producer: Unit, consumer: Unit) -> u32 {
    core.latencies().distance(producer, Resource::Fpr(0, Halves::BOTH), consumer)
}

impl Builder<'_> {
    fn unit(&self, op: usize) -> Unit {
        self.work.ops[self.ops[op]].code.row().unit
    }

    fn edge(&mut self, from: usize, to: usize, latency: i64, distance: i64) {
        self.both(Edge { from, to, latency, distance });
    }

    fn both(&mut self, edge: Edge) {
        self.edges.add(edge);
        if self.is_loop {
            self.renamed.add(edge);
        }
    }

    /// Adds the edges of values in registers that the allocator chooses.
    fn values(&mut self, webs: &Webs, unroll: i64) {
        for value in &webs.values {
            for &reader in &value.readers {
                let latency = fpr_distance(self.core, value.unit, self.unit(reader));
                self.edge(value.def, reader, latency.into(), 0);
            }
        }
        for web in &webs.webs {
            for pair in web.values.windows(2) {
                self.successor(&webs.values[pair[0]], &webs.values[pair[1]], 0);
            }
            if self.is_loop {
                let first = &webs.values[web.values[0]];
                for &value in &web.values {
                    self.successor(&webs.values[value], first, unroll);
                }
            }
        }
    }

    /// Adds the edges that follow because `new` takes the register of `old`, `distance` iterations later.
    fn successor(&mut self, old: &Value, new: &Value, distance: i64) {
        let mut edge = |from: usize, latency: i64| {
            let edge = Edge { from, to: new.def, latency, distance };
            self.edges.add(edge);
            if self.is_loop && distance == 0 {
                self.renamed.add(edge);
            }
        };
        let (core, ops) = (self.core, &self.work.ops);
        let unit = |op: usize| ops[self.ops[op]].code.row().unit;
        for &reader in &old.readers {
            edge(reader, unseen_from(fpr_distance(core, new.unit, unit(reader))));
        }
        let times = core.latencies();
        let behind = |old, new| in_order_from(times.write_fpr(old), times.write_fpr(new));
        for &keeper in &old.keepers {
            if keeper != new.def || distance > 0 {
                edge(keeper, behind(unit(keeper), new.unit));
            }
        }
        edge(old.def, behind(old.unit, new.unit));
    }

    /// Adds the edges of registers with a fixed place, and of everything else that the table knows.
    fn resources(&mut self, sets: &Sets) {
        let mut tracks: BTreeMap<Key, Track> = BTreeMap::new();
        for second in [false, true] {
            if second && !self.is_loop {
                break;
            }
            for op in 0..self.ops.len() {
                for (key, read, write) in self.accesses(op, sets) {
                    let track = tracks.entry(key).or_default();
                    self.order(key, track, (op, second), read, write);
                }
            }
        }
    }

    /// Returns the resources that an operation reads and writes and whose accesses keep an order.
    fn accesses(&self, op: usize, sets: &Sets) -> Vec<(Key, bool, bool)> {
        let work = self.work;
        let op = &work.ops[self.ops[op]];
        let mut all = Vec::new();
        for access in work.region.fpr_accesses(op) {
            // Two names may stand for one place.
            if let Some(place) = work.fixed_register(access.reg) {
                let key = Key::Fpr(Reg(u32::from(place)));
                all.push((key, access.read || access.keeps, access.write));
            }
        }
        for access in op.resources() {
            match access.resource {
                Resource::Shared => all.extend(shared_keys(&op.code)),
                // Flags add up in any order, and nothing in linear code reads them.
                Resource::Fcsr => {}
                Resource::A(n) | Resource::N(n) | Resource::M(n) if sets.is_linear(n) => {}
                resource => {
                    let write = access.changed().is_some();
                    all.push((Key::Other(resource), !write, write));
                }
            }
        }
        // Reads first: an operation sees what was there before it.
        all.sort_by_key(|&(_, _, write)| write);
        all
    }

    fn distance(&self, producer: usize, key: Key, consumer: Unit) -> u32 {
        let resource = match key {
            Key::Fpr(_) => Resource::Fpr(0, Halves::BOTH),
            Key::Other(resource) => resource,
            Key::SharedWord(_) | Key::SharedStored | Key::SharedFound => Resource::Shared,
        };
        self.core.latencies().distance(self.unit(producer), resource, consumer)
    }

    fn order(&mut self, key: Key, track: &mut Track, event: Event, read: bool, write: bool) {
        let (op, second) = event;
        let distance = |from: Event| i64::from(second && !from.1);
        let counts = |from: Event| !(second && from.1);
        if read {
            if let Some(from) = track.written.filter(|&f| counts(f)) {
                let latency = self.distance(from.0, key, self.unit(op));
                self.edge(from.0, op, latency.into(), distance(from));
            }
            track.read.push(event);
        }
        if write {
            for from in std::mem::take(&mut track.read) {
                if from != event && counts(from) {
                    let latency = unseen_from(self.distance(op, key, self.unit(from.0)));
                    self.edge(from.0, op, latency, distance(from));
                }
            }
            if let Some(from) = track.written.filter(|&f| counts(f)) {
                let plain = Unit::Arithmetic;
                let times = [from.0, op].map(|write| self.distance(write, key, plain));
                let latency = in_order_from(times[0], times[1]);
                self.edge(from.0, op, latency, distance(from));
            }
            track.written = Some(event);
        }
    }
}
