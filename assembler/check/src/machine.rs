//! Registers and memory with symbolic contents, and what is under way to them. What operations do
//! is in `operation`; the sequential meaning and the bundles both run on this machine.

use super::value::{
    InitialCell, Mask, NO_PART, Node, Nodes, ONE, Part, UNDEFINED, Value, ZERO, mix,
};
use super::words::WordSet;
use cp2_ir::linear::{PHYSICAL, Region};
use cp2_isa::rules::landing::WritePhase;
use cp2_isa::{Core, SECTIONS, Section, WordAddress, control};
use std::collections::BTreeMap;

/// The contents of a general, index or control register. The contents are numbers throughout. A number that stands for
/// symbolic data is *wild*: equal data give equal numbers, and nothing else is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) value: u64,
    pub(super) wild: bool,
}

impl Scalar {
    pub(super) fn known(value: u64) -> Self {
        Self { value, wild: false }
    }
}

/// A write to a register that takes time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// Parts of an FPR; `None` leaves the part alone.
    Fpr { reg: u32, parts: [Option<Part>; 4], load: bool },
    /// A condition code, by a comparison or by `mtc`.
    Condition { number: u8, part: Part },
    /// FCSR, by `mtc`, and with FCSR also STATUS.FPE, from which what was raised before the `mtc` is gone.
    Fcsr { part: Part, raised_before: u64 },
    /// Flags that an operation raises.
    Raise(u64),
}

impl Change {
    /// Returns the phase of a cycle in which the change is written.
    fn phase(&self) -> WritePhase {
        match self {
            Self::Fpr { load: true, .. } => WritePhase::Middle,
            _ => WritePhase::End,
        }
    }
}

/// An effect that the next bundle sees.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    Gpr(u8, Scalar),
    Ireg(u8, Scalar),
    A(u8, WordAddress),
    N(u8, u16),
    M(u8, u16),
    /// The section addresses of a set.
    SectionA(u8, [WordAddress; SECTIONS]),
    /// The shared address of a set.
    SharedA(u8, WordAddress),
    /// A word of shared memory.
    StoreShared(WordAddress, Value),
    Control(u8, Scalar),
    /// Flags that are raised in STATUS.
    Status(u64),
    Store(WordAddress, Value),
    /// A store in one section.
    StoreIn(Section, WordAddress, Value),
    /// An event that the world outside of CP2 can notice.
    Event(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct UnderWay {
    /// The first cycle whose operations see the change.
    seen: u64,
    mask: Option<Mask>,
    change: Change,
}

/// FCSR: what was written last, and the sum over the operations that have raised flags since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fcsr {
    pub(super) base: Part,
    pub(super) raised: u64,
}

/// STATUS.FPE: the number of what was written last, and the sum over the operations that have raised flags since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fpe {
    pub(super) base: u64,
    pub(super) raised: u64,
}

/// The state from which a run starts.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) gpr: [Scalar; 16],
    pub(super) ireg: [Scalar; 16],
    pub(super) a: [WordAddress; 16],
    pub(super) n: [u16; 16],
    pub(super) m: [u16; 16],
    pub(super) sa: [[WordAddress; SECTIONS]; 16],
    pub(super) qa: [WordAddress; 16],
    pub(super) control: [Scalar; control::COUNT as usize],
    /// First of the words that data-dependent section addresses reach.
    pub(super) own_window: WordAddress,
    /// Per general register that counts a loop: the counts that data may give the register.
    pub(super) counts: Vec<Vec<u64>>,
}

/// The scalar registers: addresses with their steps, general and index registers, control.
#[derive(Clone)]
pub(super) struct Scalars {
    pub(super) gpr: [Scalar; 16],
    pub(super) ireg: [Scalar; 16],
    pub(super) a: [WordAddress; 16],
    pub(super) n: [u16; 16],
    pub(super) m: [u16; 16],
    pub(super) sa: [[WordAddress; SECTIONS]; 16],
    pub(super) qa: [WordAddress; 16],
    pub(super) control: [Scalar; control::COUNT as usize],
}

/// Local and shared memory: words that a store has been to, and where data-dependent addresses begin.
#[derive(Clone)]
pub(super) struct Local {
    /// Words of shared memory that a store has been to.
    pub(super) shared: BTreeMap<WordAddress, Value>,
    /// Local memory, by word; nothing where no store has been.
    memory: Vec<Value>,
    pub(super) stored: WordSet,
    /// First of the words that data-dependent addresses of each set reach.
    pub(super) windows: [WordAddress; 16],
    /// First of the words that data-dependent section addresses reach, whichever set has them.
    pub(super) own_window: WordAddress,
}

/// Condition codes and flags of exceptions.
#[derive(Clone)]
pub(super) struct Flags {
    pub(super) conditions: [Part; 8],
    pub(super) fcsr: Fcsr,
    pub(super) status: Fpe,
    /// Sum over the operations that have ever raised flags.
    pub(super) raised: u64,
}

/// The state that a region can change.
#[derive(Clone)]
pub(super) struct Machine {
    pub(super) core: Core,
    pub(super) fpr: Vec<Value>,
    pub(super) flags: Flags,
    pub(super) scalars: Scalars,
    pub(super) local: Local,
    pub(super) events: Vec<(u32, u32)>,
    pub(super) counts: Vec<Vec<u64>>,
    pub(super) cycle: u64,
    under_way: Vec<UnderWay>,
    /// Results that land in the cycle at hand; empty between cycles.
    landing: Vec<UnderWay>,
    /// Cycle, register and old value of writes to general registers.
    gpr_log: Vec<(u64, u8, Scalar)>,
}

impl Machine {
    pub(super) fn new(core: &Core, region: &Region, start: &Start, nodes: &mut Nodes) -> Self {
        let mut fpr = vec![[UNDEFINED; 4]; PHYSICAL + region.names.len()];
        for (n, value) in fpr.iter_mut().enumerate().take(PHYSICAL) {
            *value = nodes.initial(InitialCell::Fpr(n as u8));
        }
        let mut condition = |n: u8| match n {
            0 => ONE,
            _ => nodes.number(Node::Initial(InitialCell::Condition(n), 0)),
        };
        let conditions = [0, 1, 2, 3, 4, 5, 6, 7].map(&mut condition);
        let base = nodes.number(Node::Initial(InitialCell::Fcsr, 0));
        Self {
            core: *core,
            fpr,
            events: Vec::new(),
            counts: start.counts.clone(),
            cycle: 0,
            under_way: Vec::new(),
            landing: Vec::new(),
            gpr_log: Vec::new(),
            scalars: Scalars {
                gpr: start.gpr,
                ireg: start.ireg,
                a: start.a,
                n: start.n,
                m: start.m,
                control: start.control,
                sa: start.sa,
                qa: start.qa,
            },
            local: Local {
                memory: vec![[NO_PART; 4]; core.lmem_words()],
                stored: WordSet::NONE,
                shared: BTreeMap::new(),
                windows: start.a,
                own_window: start.own_window,
            },
            flags: Flags {
                conditions,
                fcsr: Fcsr { base, raised: 0 },
                status: Fpe::default(),
                raised: 0,
            },
        }
    }

    /// Returns the content of a word of local memory.
    pub(super) fn word(&self, address: WordAddress, nodes: &mut Nodes) -> Value {
        match self.local.memory[address.index() % self.local.memory.len()] {
            [NO_PART, ..] => nodes.initial(InitialCell::Memory(address)),
            value => value,
        }
    }

    /// Returns the content of a word of shared memory.
    pub(super) fn shared_word(&self, address: WordAddress, nodes: &mut Nodes) -> Value {
        self.local
            .shared
            .get(&address)
            .copied()
            .unwrap_or_else(|| nodes.initial(InitialCell::Shared(address)))
    }

    /// Returns a general register as an operation sees it whose operands are `distance` cycles behind.
    pub(super) fn late_gpr(&self, number: u8, distance: u32) -> Scalar {
        let unseen = |cycle: u64| cycle + u64::from(distance) > self.cycle;
        let hidden = self.gpr_log.iter().find(|&&(c, n, _)| n == number && unseen(c));
        hidden.map_or(self.scalars.gpr[usize::from(number)], |&(_, _, old)| old)
    }

    /// Returns the general registers that were written less than [`Self::latest_gpr`] cycles before results landed last.
    pub(super) fn fresh_gprs(&self) -> impl Iterator<Item = u8> {
        self.gpr_log.iter().map(|&(_, n, _)| n)
    }

    /// Returns an FPR as `psprmsgn` reads it: a load that lands in the next cycle is seen.
    pub(super) fn bypassed(&self, reg: u32, nodes: &mut Nodes) -> Value {
        let mut value = self.fpr[reg as usize];
        for entry in self.under_way.iter().filter(|entry| entry.seen == self.cycle + 1) {
            if let Change::Fpr { reg: r, parts, load: true } = entry.change
                && r == reg
            {
                value = [0, 1, 2, 3].map(|k| match parts[k] {
                    Some(new) => masked(nodes, entry.mask, new, value[k]),
                    None => value[k],
                });
            }
        }
        value
    }

    /// Plans a change for readers from `distance` cycles on.
    pub(super) fn plan(&mut self, distance: u32, mask: Option<Mask>, change: Change) {
        let seen = self.cycle + u64::from(distance);
        self.under_way.push(UnderWay { seen, mask, change });
    }

    /// Lets everything land that is seen from this cycle on, by phase, then in the order of issue.
    pub(super) fn land(&mut self, nodes: &mut Nodes) {
        let cycle = self.cycle;
        let mut now = std::mem::take(&mut self.landing);
        now.extend(self.under_way.extract_if(.., |entry| entry.seen <= cycle));
        now.sort_by_key(|entry| (entry.seen, entry.change.phase()));
        now.drain(..).for_each(|entry| self.write(&entry, nodes));
        self.landing = now;
        let reach = u64::from(self.latest_gpr());
        self.gpr_log.retain(|&(c, ..)| c + reach > cycle);
    }

    /// Returns the distance in cycles from a write of a general register to its latest reader.
    pub(super) fn latest_gpr(&self) -> u32 {
        let latencies = self.core.latencies();
        latencies.gpr_to_loop.max(latencies.gpr_to_stop)
    }

    /// Goes on to a cycle in which nothing is under way any more.
    pub(super) fn drain(&mut self, nodes: &mut Nodes) {
        let latencies = self.core.latencies();
        self.cycle += u64::from(latencies.longest().max(self.latest_gpr()));
        self.land(nodes);
    }

    /// Returns the changes that are under way: FPRs and others.
    pub(super) fn unlanded(&self) -> impl Iterator<Item = &Change> {
        self.under_way.iter().map(|entry| &entry.change)
    }

    fn write(&mut self, entry: &UnderWay, nodes: &mut Nodes) {
        match entry.change {
            Change::Fpr { reg, parts, .. } => {
                let value = &mut self.fpr[reg as usize];
                for (old, new) in value.iter_mut().zip(parts) {
                    if let Some(new) = new {
                        *old = masked(nodes, entry.mask, new, *old);
                    }
                }
            }
            Change::Condition { number, part } => {
                let old = &mut self.flags.conditions[usize::from(number)];
                *old = masked(nodes, entry.mask, part, *old);
            }
            Change::Fcsr { part, raised_before } => {
                let old = nodes.number(self.flags.fcsr.node());
                self.flags.fcsr = Fcsr { base: masked(nodes, entry.mask, part, old), raised: 0 };
                // Sections that the predicate disables leave nothing of the old flags in STATUS.
                let base = masked(nodes, entry.mask, part, ZERO);
                self.flags.status =
                    Fpe { base, raised: self.flags.raised.wrapping_sub(raised_before) };
            }
            Change::Raise(by) => self.flags.fcsr.raised = self.flags.fcsr.raised.wrapping_add(by),
        }
    }

    /// Lets an effect happen.
    pub(super) fn apply(&mut self, effect: Effect, nodes: &mut Nodes) {
        match effect {
            Effect::Gpr(n, value) => {
                let register = &mut self.scalars.gpr[usize::from(n)];
                self.gpr_log.push((self.cycle, n, *register));
                *register = value;
            }
            Effect::Ireg(n, value) => self.scalars.ireg[usize::from(n)] = value,
            Effect::A(n, value) => self.scalars.a[usize::from(n)] = value,
            Effect::N(n, value) => self.scalars.n[usize::from(n)] = value,
            Effect::M(n, value) => self.scalars.m[usize::from(n)] = value,
            Effect::SectionA(n, value) => self.scalars.sa[usize::from(n)] = value,
            Effect::SharedA(n, value) => self.scalars.qa[usize::from(n)] = value,
            Effect::StoreShared(address, value) => {
                self.local.shared.insert(address, value);
            }
            Effect::Control(n, value) => {
                self.scalars.control[usize::from(n)] = value;
                if n == control::STATUS {
                    self.flags.status = Fpe { base: mix(1, value.value), raised: 0 };
                }
            }
            Effect::Status(by) => {
                self.flags.raised = self.flags.raised.wrapping_add(by);
                self.flags.status.raised = self.flags.status.raised.wrapping_add(by);
            }
            Effect::Store(address, value) => {
                let words = self.local.memory.len();
                self.local.memory[address.index() % words] = value;
                self.local.stored.insert(address);
            }
            Effect::StoreIn(section, address, value) => {
                let old = self.word(address, nodes);
                let mask = Some(Mask::Section(section));
                let words = self.local.memory.len();
                self.local.memory[address.index() % words] =
                    [0, 1, 2, 3].map(|k| masked(nodes, mask, value[k], old[k]));
                self.local.stored.insert(address);
            }
            Effect::Event(op, turn) => self.events.push((op, turn)),
        }
    }

    /// Returns a number for parts whose bits are not known. For a general register that counts loops, the number is a count.
    pub(super) fn wild(&self, gpr: Option<u8>, parts: &[Part]) -> Scalar {
        let hash = parts.iter().fold(0x5eed, |hash, &part| mix(hash, part));
        let counts = gpr.and_then(|n| self.counts.get(usize::from(n)));
        let value = match counts {
            Some(counts) if !counts.is_empty() => counts[hash as usize % counts.len()],
            _ => hash,
        };
        Scalar { value, wild: true }
    }
}

impl Fcsr {
    pub(super) fn node(self) -> Node {
        Node::Flags { base: self.base, raised: self.raised }
    }
}

fn masked(nodes: &mut Nodes, mask: Option<Mask>, new: Part, old: Part) -> Part {
    mask.map_or(new, |mask| nodes.merged(mask, new, old))
}
