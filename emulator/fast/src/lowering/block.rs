//! State of a block while it is translated: the value that every register holds in the cycle at hand, and the results under
//! way. Write-backs are settled here, so that translated code knows no pipeline. What operations mean is in the files beside
//! this one, what drives the translation in `translate`.

use super::address::{Addresses, Strays};
use crate::abi::context::{
    BANK_TURNS, BANKS, BANKS_MOST, CC, FPR, FPRS, Live, PEND, QA, SA, vector_at,
};
use crate::analysis::constants::Constants;
use crate::analysis::entry::EntryUses;
use crate::analysis::footprint::Footprint;
use crate::analysis::speculation::Speculation;
use crate::front_end::environment::{Environment, KnownMode};
use crate::front_end::shape::{PipelineState, ResultTarget};
use crate::front_end::trace::Granted;
use crate::ir::builder::{Builder, HIGH, LOW};
use crate::ir::instruction::Value;
use cp2_emu::Stats;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{Arith, Bank, BundleAddress, Core, Halves, Inst, Latencies};

/// Result under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) goal: ResultTarget,
    pub(super) value: Value,
    pub(super) mask: Option<Value>,
}

/// Operation with flags, and the values that it reads.
#[derive(Clone)]
pub(super) struct Flagged {
    pub(super) time: usize,
    pub(super) inst: Inst<Arith>,
    pub(super) mask: Option<Value>,
    /// Condition code that the mask is; 0 without one.
    pub(super) cc: u8,
    pub(super) operands: [Option<Value>; 5],
    pub(super) coefficient: Option<[Value; 2]>,
}

/// Value that a general register had before a write.
#[derive(Clone, Copy, Debug)]
pub(super) enum Old {
    Known(u64),
    /// Value kept in the context, by the cycle of the write.
    Scratch,
}

/// Values of registers in some cycle.
#[derive(Clone)]
pub(crate) struct RegisterValues {
    /// Value of every FPR.
    pub(super) view: [Value; FPRS],
    /// Section addresses, by set.
    pub(super) own: [Value; 16],
    /// Shared addresses by set, each the same in all sections.
    pub(super) shared: [Value; 16],
    pub(super) conditions: [Value; 8],
}

impl RegisterValues {
    /// Returns the values that stand in the context where a part of a block begins.
    pub(super) fn standing(b: &mut Builder) -> Self {
        Self {
            view: std::array::from_fn(|k| b.at(vector_at(FPR, k))),
            conditions: std::array::from_fn(|k| b.at(vector_at(CC, k))),
            own: std::array::from_fn(|k| b.at(vector_at(SA, k))),
            shared: std::array::from_fn(|k| b.at(vector_at(QA, k))),
        }
    }
}

/// Returns the results under way, by the cycle in which they land, that stand in the context where a part of a block begins
/// in cycle `now` with this shape.
pub(super) fn standing_under_way(
    b: &mut Builder,
    shape: &PipelineState,
    now: usize,
) -> Vec<Vec<Pending>> {
    let mut under_way: Vec<Vec<Pending>> = Vec::new();
    let mut slot = 0;
    for entry in &shape.entries {
        let time = now + usize::from(entry.offset);
        under_way.resize_with(under_way.len().max(time + 1), Vec::new);
        let mut next = || {
            slot += 1;
            b.at(vector_at(PEND, slot - 1))
        };
        let value = next();
        let mask = entry.masked.then(next);
        under_way[time].push(Pending { goal: entry.goal, value, mask });
    }
    under_way
}

/// Counts and costs of a pass.
#[derive(Clone)]
pub(crate) struct Counted {
    pub(super) flops: Option<Value>,
    pub(super) stats: Stats,
    /// Turn of the counters that the next access takes whose bank only the run knows.
    pub(super) bank_turn: usize,
    /// Cost of each bundle, in the order of issue, if costs are counted.
    pub(super) costs: Vec<(BundleAddress, BundleCost)>,
    pub(crate) footprint: Footprint,
}

/// Resources that a pass needs beside registers: coefficients, the undo log, flags that are worked out later, notes of
/// accesses.
#[derive(Clone)]
pub(crate) struct Needs {
    pub(super) reads_coefficients: bool,
    /// Number of entries of the undo log so far, in the part at hand.
    pub(crate) undos: i32,
    /// Number of entries of the undo log that the parts before it make.
    pub(super) undos_before: usize,
    pub(super) flagged: Vec<Flagged>,
    /// Number of the first operation with flags that belongs to the part at hand.
    pub(super) first_flagged: usize,
    /// Condition codes into which results have landed, one bit each.
    pub(super) changed_conditions: u8,
    pub(super) entry_uses: Box<EntryUses>,
    /// Whether accesses can be noted.
    pub(super) notes: bool,
}

#[derive(Clone)]
pub(crate) struct BlockTranslator {
    pub(crate) b: Builder,
    pub(crate) core: Core,
    pub(crate) environment: Environment,
    /// Registers as operations of the cycle at hand see them.
    pub(super) now: RegisterValues,
    /// Registers where a pass begins.
    pub(super) entry: RegisterValues,
    /// Results under way, by the cycle in which they land.
    pub(super) under_way: Vec<Vec<Pending>>,
    pub(crate) time: usize,
    pub(crate) addresses: Addresses,
    pub(crate) scalars: Constants,
    pub(super) gpr_writes: Vec<(usize, u8, Old)>,
    pub(super) needs: Needs,
    pub(super) counted: Counted,
}

/// State from which a translation starts.
pub(crate) struct Start<'a> {
    /// Results under way.
    pub(crate) shape: &'a PipelineState,
    pub(crate) environment: Environment,
    /// The registers, of which `speculation` tells what may be taken for granted.
    pub(crate) live: &'a Live,
    pub(crate) speculation: Speculation,
    /// Address sets whose one pointer would not stay in a bank.
    pub(crate) strays: Strays,
    /// Whether some accesses of the block have to be noted when it runs.
    pub(crate) notes: bool,
}

impl Start<'_> {
    /// Returns the general registers that a trace may take for granted.
    pub(super) fn granted(&self) -> Granted<'_> {
        let is_bold = self.speculation >= Speculation::Scalars;
        Granted { values: is_bold.then_some(&self.live.gpr), written: self.shape.gpr_written[0] }
    }
}

impl BlockTranslator {
    pub(super) fn new(core: &Core, start: &Start<'_>) -> Self {
        let Start { shape, environment, live, speculation, ref strays, notes } = *start;
        let mut b = Builder::default();
        let values = RegisterValues::standing(&mut b);
        let under_way = standing_under_way(&mut b, shape, 0);
        let modes = std::array::from_fn(|k| {
            if environment.linear >> k & 1 == 1 {
                KnownMode::Linear
            } else if environment.reversed >> k & 1 == 1 {
                KnownMode::Reversed
            } else {
                KnownMode::Circular
            }
        });
        let bold = speculation != Speculation::Nothing;
        Self {
            b,
            core: *core,
            environment,
            under_way,
            time: 0,
            addresses: Addresses::new(core, modes, bold.then_some(live.a), strays, notes),
            scalars: Constants::new(live, speculation),
            gpr_writes: Vec::new(),
            entry: values.clone(),
            now: values,
            counted: Counted {
                flops: None,
                stats: Stats::new(core),
                bank_turn: 0,
                costs: Vec::new(),
                footprint: Footprint::new(core),
            },
            needs: Needs {
                reads_coefficients: false,
                undos: 0,
                undos_before: 0,
                flagged: Vec::new(),
                first_flagged: 0,
                changed_conditions: 0,
                entry_uses: Box::new(EntryUses::new(core)),
                notes,
            },
        }
    }

    pub(crate) fn latencies(&self) -> &Latencies {
        self.core.latencies()
    }

    pub(super) fn hold(&mut self) {
        for _ in 1..self.latencies().sync {
            self.land();
            self.time += 1;
            self.counted.stats.count_cycle(Cause::SyncHold);
            if let Some((_, cost)) = self.counted.costs.last_mut() {
                cost.causes[Cause::SyncHold as usize] += 1;
            }
        }
    }

    /// Writes the results that are first seen in this cycle: loads, then the rest in the order of issue.
    pub(super) fn land(&mut self) {
        let landing = self.under_way.get_mut(self.time).map(std::mem::take);
        let Some(mut landing) = landing else { return };
        landing.sort_by_key(|entry| entry.goal.phase());
        for (k, entry) in landing.iter().enumerate() {
            if landing[..k].iter().any(|older| older.goal.collides(entry.goal)) {
                self.counted.stats.collisions.iter_mut().for_each(|n| *n += 1);
            }
            match entry.goal {
                ResultTarget::Fpr { reg, .. } => {
                    let reg = usize::from(reg);
                    self.now.view[reg] = self.written(self.now.view[reg], entry);
                }
                ResultTarget::Condition(cc) => {
                    self.needs.changed_conditions |= 1 << cc;
                    let cc = usize::from(cc);
                    self.now.conditions[cc] = self.written(self.now.conditions[cc], entry);
                }
            }
        }
    }

    /// Returns the value of a register after the write of a result.
    fn written(&mut self, place: Value, entry: &Pending) -> Value {
        let b = &mut self.b;
        let whole = match entry.goal {
            ResultTarget::Fpr { halves: Halves::LO, .. } => b.blend(place, entry.value, LOW),
            ResultTarget::Fpr { halves: Halves::HI, .. } => b.blend(place, entry.value, HIGH),
            _ => entry.value,
        };
        let Some(mask) = entry.mask else { return whole };
        let clean = b.is_clean(place) && b.is_clean(whole);
        let merged = b.select(place, whole, mask);
        if clean {
            b.set_clean(merged);
        }
        merged
    }

    /// Plans a result; `None` for one whose collisions only the run could tell.
    pub(super) fn plan(
        &mut self,
        delay: u32,
        goal: ResultTarget,
        value: Value,
        mask: Option<Value>,
    ) -> Option<()> {
        let visible = self.time + delay as usize;
        self.under_way.resize_with(self.under_way.len().max(visible + 1), Vec::new);
        let slot = &mut self.under_way[visible];
        let clash = |o: &Pending| o.goal.collides(goal) && (o.mask.is_some() || mask.is_some());
        if slot.iter().any(clash) {
            return None;
        }
        self.needs.entry_uses.land(goal, visible);
        slot.push(Pending { goal, value, mask });
        Some(())
    }

    pub(crate) fn plan_fpr(
        &mut self,
        delay: u32,
        reg: i32,
        value: Value,
        mask: Option<Value>,
        from_load: bool,
    ) -> Option<()> {
        let goal = ResultTarget::Fpr { reg: reg as u8, halves: Halves::BOTH, from_load };
        self.plan(delay, goal, value, mask)
    }

    pub(crate) fn fpr(&mut self, n: i32) -> Value {
        self.needs.entry_uses.read_fpr(n as usize, self.time);
        self.now.view[n as usize]
    }

    /// Returns the value of an FPR as `psprmsgn` sees it.
    pub(crate) fn bypassed(&mut self, n: i32) -> Value {
        self.needs.entry_uses.read_ahead(n as usize, self.time);
        let value = self.fpr(n);
        let mut seen = Vec::new();
        for entry in self.under_way.get(self.time + 1).into_iter().flatten() {
            if let ResultTarget::Fpr { reg, from_load: true, .. } = entry.goal
                && i32::from(reg) == n
            {
                seen.push(*entry);
            }
        }
        seen.iter().fold(value, |value, entry| self.written(value, entry))
    }

    /// Returns the mask of a condition code; `None` for code 0.
    pub(crate) fn predicate(&mut self, cc: u8) -> Option<Value> {
        self.needs.entry_uses.read_condition(cc, self.time);
        (cc != 0).then(|| self.now.conditions[usize::from(cc)])
    }

    /// Counts an access of a bank.
    pub(crate) fn count_access(&mut self, bank: Bank) {
        self.counted.stats.bank_accesses[bank.index()] += 1;
    }

    /// Returns the place in the context of the counters by bank, for an access whose bank only the run knows.
    pub(crate) fn bank_counters(&mut self) -> i32 {
        let turn = self.counted.bank_turn;
        self.counted.bank_turn = (turn + 1) % BANK_TURNS;
        BANKS + (turn * BANKS_MOST * size_of::<u64>()) as i32
    }
}
