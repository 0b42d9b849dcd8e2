//! C0504: results that are never read. A backward analysis of which registers are still to be read;
//! a write ends a value only where nothing reads it until that write has landed.

use super::distances::{landing, longest};
use super::finding::Finding;
use super::flow::{End, Graph, NodeId};
use super::program::{Decoded, steps_angle};
use super::walk::{Early, Pairs};
use cp2_isa::{Access, Arith, BundleAddress, FprSet, Halves, Latencies, Resource, Slot, control};
use std::collections::BTreeSet;

/// A set of halves of FPRs, condition codes and general registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set {
    low: FprSet,
    high: FprSet,
    /// Condition codes from bit 0 on, general registers from bit 8 on.
    others: u32,
}

impl Set {
    const ALL: Self = Self { low: FprSet::ALL, high: FprSet::ALL, others: u32::MAX };

    /// Returns the bits of a resource; empty for what is not analysed.
    fn of(resource: Resource) -> Self {
        let mut set = Self::default();
        match resource {
            Resource::Fpr(n, halves) => {
                let of = |half| if halves.contains(half) { FprSet::one(n) } else { FprSet::EMPTY };
                (set.low, set.high) = (of(Halves::LO), of(Halves::HI));
            }
            Resource::Fccr(n) => set.others = 1 << n,
            Resource::Gpr(n) => set.others = 1 << (8 + n),
            _ => {}
        }
        set
    }

    fn or(self, other: Self) -> Self {
        let (low, high) = (self.low | other.low, self.high | other.high);
        Self { low, high, others: self.others | other.others }
    }

    fn and(self, other: Self) -> Self {
        let (low, high) = (self.low & other.low, self.high & other.high);
        Self { low, high, others: self.others & other.others }
    }

    fn without(self, other: Self) -> Self {
        let (low, high) = (self.low.without(other.low), self.high.without(other.high));
        Self { low, high, others: self.others & !other.others }
    }

    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Condition code 0 always reads 1.
const CC0: Resource = Resource::Fccr(0);

struct Dead<'a> {
    graph: &'a Graph<'a>,
    latencies: &'a Latencies,
    /// `soon[k][node]`: read in the next `k` bundles after the node.
    soon: Vec<Vec<Set>>,
    /// Read after the node.
    live: Vec<Set>,
    /// Live on entry to the node.
    before: Vec<Set>,
}

/// Returns the findings. `pairs` tells which results outlive a later write, because they land after it.
pub(super) fn findings(graph: &Graph<'_>, latencies: &Latencies, pairs: &Pairs) -> Vec<Finding> {
    let mut dead = Dead {
        graph,
        latencies,
        soon: Vec::new(),
        live: vec![Set::default(); graph.nodes.len()],
        before: vec![Set::default(); graph.nodes.len()],
    };
    dead.look_ahead();
    dead.solve();
    let late: BTreeSet<BundleAddress> = pairs
        .iter()
        .filter(|((_, early, _), _)| *early != Early::Read)
        .flat_map(|(_, meetings)| meetings.keys().copied())
        .collect();
    let program = graph.program;
    let mut findings = Vec::new();
    for (address, decoded) in program.bundles() {
        if graph.is_reached(address) && !late.contains(&address) {
            for slot in [Slot::Arithmetic, Slot::Exchange] {
                findings.extend(dead.report(address, decoded, slot));
            }
        }
    }
    findings
}

impl Dead<'_> {
    fn uses(&self, id: NodeId) -> &[Access] {
        let node = &self.graph.nodes[id];
        match self.graph.program.get(node.address) {
            Some(decoded) if !node.is_nullified() => &decoded.uses,
            _ => &[],
        }
    }

    fn reads(&self, id: NodeId) -> Set {
        let reads = self.uses(id).iter().filter_map(|access| access.used());
        reads.fold(Set::default(), |set, what| set.or(Set::of(what)))
    }

    /// Returns the resources that are read after the last bundle that is known.
    fn at_end(&self, id: NodeId) -> Set {
        let node = &self.graph.nodes[id];
        match node.end {
            None => Set::default(),
            Some(End::Stop) => self.after_stop(node.address),
            Some(End::Return) if !node.edges.is_empty() && !self.graph.unknown_calls => {
                Set::default()
            }
            Some(_) => Set::ALL,
        }
    }

    /// Returns all resources, unless the source tells which FPRs count.
    fn after_stop(&self, address: BundleAddress) -> Set {
        let program = self.graph.program;
        let live_out = &program.image.hints.live_out;
        let named = program.kernel(address).and_then(|kernel| live_out.get(&kernel.name));
        let Some(registers) = named else { return Set::ALL };
        let live: FprSet = registers.iter().copied().collect();
        Set { low: live, high: live, ..Set::ALL }
    }

    fn look_ahead(&mut self) {
        let count = self.graph.nodes.len();
        let reads: Vec<Set> = (0..count).map(|id| self.reads(id)).collect();
        let unknown: Vec<Set> = (0..count)
            .map(|id| match self.graph.nodes[id].end {
                Some(End::Stop) | None => Set::default(),
                Some(_) => self.at_end(id),
            })
            .collect();
        self.soon.push(vec![Set::default(); count]);
        let reach = self.latencies.longest().max(self.latencies.gpr_to_stop) as usize;
        for k in 1..reach {
            let nearer = &self.soon[k - 1];
            let level = (0..count)
                .map(|id| {
                    let edges = self.graph.nodes[id].edges.iter();
                    edges.fold(unknown[id], |set, edge| set.or(reads[edge.to]).or(nearer[edge.to]))
                })
                .collect();
            self.soon.push(level);
        }
    }

    /// Returns the resources whose values the writes of a bundle end for certain.
    fn kills(&self, id: NodeId) -> Set {
        let mut set = Set::default();
        for access in self.uses(id).iter().filter(|access| access.kills()) {
            let Some(what) = access.changed() else { continue };
            let window = longest(self.latencies, access, what).max(1) as usize - 1;
            let soon = self.soon[window.min(self.soon.len() - 1)][id];
            set = set.or(Set::of(what).without(soon));
        }
        set
    }

    fn solve(&mut self) {
        let count = self.graph.nodes.len();
        let reads: Vec<Set> = (0..count).map(|id| self.reads(id)).collect();
        let kills: Vec<Set> = (0..count).map(|id| self.kills(id)).collect();
        let mut sources: Vec<Vec<NodeId>> = vec![Vec::new(); count];
        for (id, node) in self.graph.nodes.iter().enumerate() {
            node.edges.iter().for_each(|edge| sources[edge.to].push(id));
        }
        let mut queued = vec![true; count];
        let mut queue: Vec<NodeId> = (0..count).collect();
        while let Some(id) = queue.pop() {
            queued[id] = false;
            let edges = self.graph.nodes[id].edges.iter();
            let live = edges.fold(self.at_end(id), |set, edge| set.or(self.before[edge.to]));
            let before = live.without(kills[id]).or(reads[id]);
            self.live[id] = live;
            if before != self.before[id] {
                self.before[id] = before;
                for &source in &sources[id] {
                    if !std::mem::replace(&mut queued[source], true) {
                        queue.push(source);
                    }
                }
            }
        }
    }

    /// Returns the resources that are read on some path after the bundle at the address.
    fn live_after(&self, address: BundleAddress) -> Set {
        let nodes = self.graph.at(address).iter();
        let executed = nodes.filter(|&&id| !self.graph.nodes[id].is_nullified());
        executed.fold(Set::default(), |set, &id| set.or(self.live[id]))
    }

    fn report(&self, address: BundleAddress, decoded: &Decoded, slot: Slot) -> Option<Finding> {
        if has_other_use(decoded, slot) {
            return None;
        }
        let live = self.live_after(address);
        let results: Vec<(&Access, Resource)> = decoded
            .uses
            .iter()
            .filter(|access| access.slot == slot)
            .filter_map(|access| Some((access, access.changed()?)))
            .filter(|(_, what)| !Set::of(*what).is_empty())
            .collect();
        let is_dead = |what: Resource| what == CC0 || Set::of(what).and(live).is_empty();
        let dead: Vec<_> = results.iter().filter(|(_, what)| is_dead(*what)).collect();
        if dead.len() == results.len() {
            let &&(write, what) = dead.first()?;
            return Some(self.finding(address, decoded, write, what, &all_names(&results)));
        }
        let &[&(_, what)] = dead.as_slice() else { return None };
        let half = match decoded.bundle.arith.op {
            Arith::Caddsub if slot == Slot::Arithmetic => "`cadd` or `csub`",
            Arith::Psaddsub if slot == Slot::Arithmetic => "`psadd` or `pssub`",
            _ => return None,
        };
        let text = format!("of two results, the one in {what} is never read");
        let help = format!("{half} gives the other result alone");
        Some(Finding::new("C0504", address, text).label(format!("{what} is not read")).help(help))
    }

    fn finding(
        &self,
        address: BundleAddress,
        decoded: &Decoded,
        write: &Access,
        what: Resource,
        names: &str,
    ) -> Finding {
        if what == CC0 {
            return Finding::new("C0504", address, "the result in cc0 is lost: cc0 always reads 1")
                .label("writes cc0")
                .help("use cc1 to cc7");
        }
        let text = match write.slot {
            Slot::Arithmetic => decoded.bundle.arith.to_string(),
            Slot::Exchange => decoded.bundle.exch.to_string(),
        };
        let finding =
            Finding::new("C0504", address, format!("the result of `{text}` is never read"));
        let finding = finding.label(format!("{names} is not read before it is overwritten"));
        match self.overwriter(address, what) {
            Some(by) => finding.related(by, "overwritten here").help(format!(
                "read {what} from distance {} on and before that, or remove the operation",
                landing(self.latencies, write, what)
            )),
            None => finding
                .label(format!("no path reads {names}, and it does not count after a stop"))
                .help("remove the operation, or name the register in `.live`"),
        }
    }

    /// Returns the address of the nearest bundle that overwrites the register; `None` if there is none.
    fn overwriter(&self, address: BundleAddress, what: Resource) -> Option<BundleAddress> {
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut queue: Vec<NodeId> = self.graph.at(address).to_vec();
        let mut next = 0;
        while let Some(&id) = queue.get(next) {
            next += 1;
            for edge in &self.graph.nodes[id].edges {
                if std::mem::replace(&mut seen[edge.to], true) {
                    continue;
                }
                let writes = |access: &Access| {
                    access.kills() && access.changed().is_some_and(|write| write.overlaps(what))
                };
                if self.uses(edge.to).iter().any(writes) {
                    return Some(self.graph.nodes[edge.to].address);
                }
                queue.push(edge.to);
            }
        }
        None
    }
}

fn all_names(results: &[(&Access, Resource)]) -> String {
    let names: Vec<String> = results.iter().map(|(_, what)| what.to_string()).collect();
    names.join(", ")
}

/// Whether an operation is worth it without its result.
fn has_other_use(decoded: &Decoded, slot: Slot) -> bool {
    let bundle = &decoded.bundle;
    match slot {
        Slot::Arithmetic => steps_angle(bundle),
        // Reading COMM tells the control processor so.
        Slot::Exchange => bundle.exch.control_read() == Some(control::COMM),
    }
}
