//! The meaning of a region: its operations one after the other, and what every execution of each
//! looks at. The bundles are compared with this.

use super::machine::{Machine, Start};
use super::operation::{Execution, Reader, Who};
use super::short::Cuts;
use super::value::{Nodes, Part};
use super::words::WordSet;
use cp2_ir::linear::{
    ABSOLUTE, Block, LinearInst, Loop, OWN, PHYSICAL, PLACES, Reg, Region, TripCount,
};
use cp2_isa::rules::flow::loop_count;
use cp2_isa::{Address, Core, WordAddress};

/// The operands of one execution of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'a> {
    pub(super) operands: &'a [Part],
    pub(super) address: Option<WordAddress>,
    pub(super) loaded: &'a [Part],
}

/// The operands of the executions of an operation, in their order. Each execution looks at as many parts as the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    n_turns: usize,
    /// The FPRs that the operands are in, of one execution.
    pub(super) regs: Vec<Option<u32>>,
    operands: Vec<Part>,
    addresses: Vec<WordAddress>,
    n_loaded: usize,
    loaded: Vec<Part>,
}

impl Turns {
    /// Returns the number of executions.
    pub(super) fn len(&self) -> usize {
        self.n_turns
    }

    pub(super) fn get(&self, turn: usize) -> Option<Turn<'_>> {
        let row = |all, width: usize| -> &[Part] {
            let all: &Vec<Part> = all;
            &all[turn * width..][..width]
        };
        (turn < self.n_turns).then(|| Turn {
            operands: row(&self.operands, self.regs.len()),
            address: self.addresses.get(turn).copied(),
            loaded: row(&self.loaded, self.n_loaded),
        })
    }

    fn push(&mut self, execution: &Execution) {
        if self.n_turns == 0 {
            self.regs = execution.operands.iter().map(|operand| operand.reg).collect();
            self.n_loaded = execution.loaded.len();
        }
        debug_assert_eq!(self.regs.len(), execution.operands.len());
        debug_assert_eq!(self.n_loaded, execution.loaded.len());
        self.operands.extend(execution.operands.iter().map(|operand| operand.part));
        self.addresses.extend(execution.address);
        self.loaded.extend(&execution.loaded);
        self.n_turns += 1;
    }
}

/// A sequential run.
pub(super) struct Meaning {
    /// By operation, then by time.
    pub(super) turns: Vec<Turns>,
    /// The machine afterwards.
    pub(super) end: Machine,
    /// The run went to its end; otherwise the turns are a beginning.
    pub(super) complete: bool,
    /// Executions in all.
    pub(super) n_executions: usize,
    /// Words that each address set reaches, then those of [`ABSOLUTE`] and [`OWN`].
    pub(super) words: Vec<WordSet>,
    /// The first accesses in their order: address set and word.
    pub(super) accesses: Vec<(u8, WordAddress)>,
}

/// Executions after which a run is cut off.
const MOST: usize = 400_000;

/// Accesses that are remembered in their order.
const MOST_ACCESSES: usize = 4_000;

/// The reason why a run ends early.
enum Stop {
    /// The run is long enough.
    Long,
    /// A count breaks the promise of its loop.
    BadCount,
}

/// Returns the physical number of an assigned register, the number of any other.
pub(super) fn place(region: &Region, reg: Reg) -> Reg {
    let assigned = reg.virtual_index().and_then(|v| region.assigned.get(&v));
    assigned.map_or(reg, |&n| Reg(n.into()))
}

/// Returns the address set of an operation, or [`ABSOLUTE`], or [`OWN`] where each section has its own address; `None` if the
/// operation has no address.
pub(super) fn address_set(code: &LinearInst) -> Option<u8> {
    Some(match Address::of(code.row(), code.values())? {
        Address::Word(_) => ABSOLUTE,
        Address::Set { set, .. } => set,
        Address::Sections { .. } | Address::Fpr { .. } => OWN,
    })
}

struct Runner<'a> {
    region: &'a Region,
    cuts: &'a Cuts,
    codes: Vec<LinearInst>,
    /// Address set of each operation.
    sets: Vec<Option<u8>>,
    /// By register: the register after it, where an operation takes two.
    next: Vec<u32>,
    execution: Execution,
    nodes: &'a mut Nodes,
    meaning: Meaning,
}

/// Runs the region from a start, without the iterations that are left out; `None` if some loop's count
/// is not what the region promises.
pub(super) fn run(
    core: &Core,
    region: &Region,
    cuts: &Cuts,
    start: &Start,
    nodes: &mut Nodes,
) -> Option<Meaning> {
    let end = Machine::new(core, region, start, nodes);
    let meaning = Meaning {
        turns: vec![Turns::default(); region.ops.len()],
        end,
        complete: true,
        n_executions: 0,
        words: vec![WordSet::NONE; PLACES],
        accesses: Vec::new(),
    };
    let codes: Vec<LinearInst> =
        region.ops.iter().map(|op| op.code.with_registers(|r| place(region, r))).collect();
    let sets = codes.iter().map(address_set).collect();
    let (next, execution) = (successors(region), Execution::default());
    let mut runner = Runner { region, cuts, codes, sets, next, execution, nodes, meaning };
    match runner.blocks(&region.blocks) {
        Ok(()) => {}
        Err(Stop::Long) => runner.meaning.complete = false,
        Err(Stop::BadCount) => return None,
    }
    let Runner { nodes, mut meaning, .. } = runner;
    meaning.end.drain(nodes);
    Some(meaning)
}

/// Returns, by register, the register after it, where an operation takes two.
fn successors(region: &Region) -> Vec<u32> {
    let last = PHYSICAL as u32 - 1;
    let mut next: Vec<u32> = (0..(PHYSICAL + region.names.len()) as u32)
        .map(|reg| if reg < last { reg + 1 } else { reg })
        .collect();
    for (&a, &b) in &region.next {
        next[place(region, a).0 as usize] = place(region, b).0;
    }
    next
}

impl Runner<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> Result<(), Stop> {
        for block in blocks {
            match block {
                Block::Straight(range) => range.clone().try_for_each(|op| self.operation(op))?,
                Block::Loop(inner) => self.repeat(inner)?,
            }
        }
        Ok(())
    }

    fn repeat(&mut self, inner: &Loop) -> Result<(), Stop> {
        let count = match inner.count {
            TripCount::Fixed(count) => count,
            TripCount::Register { gpr, min, multiple, .. } => {
                let count = loop_count(self.meaning.end.scalars.gpr[usize::from(gpr)].value);
                if count < min || !count.is_multiple_of(multiple.max(1)) {
                    return Err(Stop::BadCount);
                }
                count
            }
        };
        let left_out = self.cuts.iterations(inner);
        let count = count - left_out;
        if left_out == 0 {
            return (0..count).try_for_each(|_| self.blocks(&inner.body));
        }
        (1..count).try_for_each(|_| self.blocks(&inner.body))?;
        self.last_followed(inner, left_out)
    }

    /// Follows the last iteration of a loop of which others are left out; the words that those would reach count as reached.
    fn last_followed(&mut self, inner: &Loop, left_out: u32) -> Result<(), Stop> {
        let none = vec![WordSet::NONE; self.meaning.words.len()];
        let before = std::mem::replace(&mut self.meaning.words, none);
        let a = self.meaning.end.scalars.a;
        let done = self.blocks(&inner.body);
        let machine = &self.meaning.end;
        for (set, (words, before)) in self.meaning.words.iter_mut().zip(&before).enumerate() {
            let mask = machine.core.address_mask();
            if machine.scalars.m.get(set) == Some(&mask) {
                let step = machine.scalars.a[set].0.wrapping_sub(a[set].0) & mask;
                *words =
                    std::mem::replace(words, WordSet::NONE).spread(&machine.core, step, left_out);
            }
            words.join(before);
        }
        done
    }

    fn operation(&mut self, op: usize) -> Result<(), Stop> {
        if self.meaning.n_executions == MOST {
            return Err(Stop::Long);
        }
        self.meaning.n_executions += 1;
        let code = self.codes[op];
        let next = |reg: u32| self.next[reg as usize];
        let mut reader = Reader {
            machine: &self.meaning.end,
            nodes: self.nodes,
            who: Who::Op(op as u32, self.meaning.turns[op].len() as u32),
            cc: self.region.ops[op].cc,
            next: &next,
        };
        self.execution.clear();
        reader.execute(&code, &mut self.execution);
        self.remember(op);
        let machine = &mut self.meaning.end;
        self.execution.happen(machine, self.nodes);
        machine.drain(self.nodes);
        Ok(())
    }

    fn remember(&mut self, op: usize) {
        let execution = &self.execution;
        if let (Some(address), Some(set)) = (execution.address, self.sets[op]) {
            let count = self.codes[op].row().words().into();
            let words = &mut self.meaning.words[usize::from(set)];
            for first in execution.own.iter().flatten().chain(&[address]) {
                (0..count).for_each(|k| words.insert(first.plus(k)));
            }
            if self.meaning.accesses.len() < MOST_ACCESSES {
                self.meaning.accesses.push((set, address));
            }
        }
        self.meaning.turns[op].push(execution);
    }
}
