//! The meaning of a region: its operations one after the other, and what every execution of each
//! looks at. The bundles are compared with this.

use super::machine::{Machine, Start};
use super::operation::{Execution, Operand, Reader, Who};
use super::value::{Nodes, Part};
use crate::linear::{ABSOLUTE, Block, Code, Count, Loop, Reg, Region};
use cp2_isa::{Kind, Latencies};
use std::collections::{BTreeSet, HashMap};

/// What one execution of an operation looks at.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) operands: Box<[Operand]>,
    pub(super) address: Option<u16>,
    pub(super) loaded: Box<[Part]>,
}

/// A sequential run.
pub(super) struct Meaning {
    /// By operation, then by time.
    pub(super) turns: Vec<Vec<Turn>>,
    /// The machine afterwards.
    pub(super) end: Machine,
    /// The run went to its end; otherwise the turns are a beginning.
    pub(super) complete: bool,
    /// Executions in all.
    pub(super) n_executions: usize,
    /// Words that each address set reaches, [`ABSOLUTE`] last.
    pub(super) words: Vec<BTreeSet<u16>>,
}

/// Executions after which a run is cut off.
const MOST: usize = 400_000;

/// Why a run ends early.
enum Stop {
    /// It is long enough.
    Long,
    /// A count breaks the promise of its loop.
    BadCount,
}

/// The physical number of an assigned register, the number of any other.
pub(super) fn place(region: &Region, reg: Reg) -> Reg {
    let assigned = reg.virtual_index().and_then(|v| region.assigned.get(&v));
    assigned.map_or(reg, |&n| Reg(n.into()))
}

/// The address set of an operation, or [`ABSOLUTE`].
pub(super) fn address_set(code: &Code) -> Option<u8> {
    code.row().operands.iter().zip(code.values()).find_map(|(o, &v)| match o.kind {
        Kind::WordAddress => Some(ABSOLUTE),
        Kind::Address(_) => Some((v & 15) as u8),
        _ => None,
    })
}

struct Runner<'a> {
    region: &'a Region,
    codes: Vec<Code>,
    next: HashMap<u32, u32>,
    nodes: &'a mut Nodes,
    meaning: Meaning,
}

/// Runs the region from a start; `None` if some loop's count is not what the region promises.
pub(super) fn run(region: &Region, start: &Start, nodes: &mut Nodes) -> Option<Meaning> {
    let end = Machine::new(region, start, nodes);
    let meaning = Meaning {
        turns: vec![Vec::new(); region.ops.len()],
        end,
        complete: true,
        n_executions: 0,
        words: vec![BTreeSet::new(); usize::from(ABSOLUTE) + 1],
    };
    let codes = region.ops.iter().map(|op| op.code.with_registers(|r| place(region, r))).collect();
    let pairs = region.next.iter().map(|(&a, &b)| (place(region, a).0, place(region, b).0));
    let mut runner = Runner { region, codes, next: pairs.collect(), nodes, meaning };
    match runner.blocks(&region.blocks) {
        Ok(()) => {}
        Err(Stop::Long) => runner.meaning.complete = false,
        Err(Stop::BadCount) => return None,
    }
    let Runner { mut meaning, nodes, .. } = runner;
    meaning.end.settle(nodes);
    Some(meaning)
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
            Count::Fixed(count) => count,
            Count::Register { gpr, min, multiple } => {
                let count = self.meaning.end.gpr[usize::from(gpr)].value as u32;
                if count < min || !count.is_multiple_of(multiple.max(1)) {
                    return Err(Stop::BadCount);
                }
                count
            }
        };
        (0..count).try_for_each(|_| self.blocks(&inner.body))
    }

    fn operation(&mut self, op: usize) -> Result<(), Stop> {
        if self.meaning.n_executions == MOST {
            return Err(Stop::Long);
        }
        self.meaning.n_executions += 1;
        let code = self.codes[op];
        let next = |reg: u32| {
            let named = self.next.get(&reg).copied();
            named.unwrap_or(if reg < 63 { reg + 1 } else { reg })
        };
        let mut reader = Reader {
            machine: &self.meaning.end,
            nodes: self.nodes,
            latencies: &Latencies::CP2,
            who: Who::Op(op as u32, self.meaning.turns[op].len() as u32),
            cc: self.region.ops[op].cc,
            next: &next,
        };
        let execution = reader.execute(&code);
        self.remember(op, &execution);
        let machine = &mut self.meaning.end;
        for (distance, mask, change) in execution.changes {
            machine.plan(distance, mask, change);
        }
        execution.effects.into_iter().for_each(|effect| machine.apply(effect));
        machine.settle(self.nodes);
        Ok(())
    }

    fn remember(&mut self, op: usize, execution: &Execution) {
        if let (Some(address), Some(set)) = (execution.address, address_set(&self.codes[op])) {
            let double = self.codes[op].row().effects.contains(cp2_isa::Effects::DOUBLE);
            let words = &mut self.meaning.words[usize::from(set)];
            words.extend(address..=address + u16::from(double));
        }
        self.meaning.turns[op].push(Turn {
            operands: execution.operands.as_slice().into(),
            address: execution.address,
            loaded: execution.loaded.as_slice().into(),
        });
    }
}
