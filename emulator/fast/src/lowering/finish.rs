//! End of a block: the results left under way and the registers go where the next block looks for them, and the operands of
//! operations are kept whose flags may still be asked for.

use super::block::{BlockTranslator, Flagged, Needs};
use super::translation::{DeferredFlags, Facts, Pass, Translation};
use crate::abi::context::{CC, FLOPS, FPR, PEND, QA, SA, TAIL, vector_at};
use crate::abi::undo_entry;
use crate::analysis::contract::Contract;
use crate::analysis::speculation::{Guards, Speculation};
use crate::front_end::region::{BlockRegion, LONGEST};
use crate::front_end::shape::{PendingResult, PipelineState};
use crate::ir::instruction::{Base, Home, Value};
use crate::ir::scalar::{NOTES, built};
use cp2_isa::SECTIONS;
use iced_x86::{Code, Instruction, Register};

impl BlockTranslator {
    pub(super) fn finish(
        mut self,
        region: &BlockRegion,
        entry: &PipelineState,
        stable: bool,
        may_repeat: bool,
    ) -> Option<Translation> {
        self.addresses.settle_all(&mut self.b);
        let gpr_written = self.settle_scalars(entry);
        let (tail, tail_slots, closes) = self.put_tail()?;
        let mut shape = self.put_registers();
        shape.gpr_written = gpr_written;
        if !self.counted.footprint.noted.is_empty() {
            let noted = 4 * self.counted.footprint.noted.len() as i32;
            self.b.raw(built(Instruction::with2(Code::Add_rm64_imm32, NOTES, noted)));
        }
        let cycles = self.time as u32;
        // Flags of an earlier pass are not kept, so a pass has to supersede them.
        let repeats = may_repeat
            && (closes || self.supersedes_flags())
            && cycles >= self.needs.entry_uses.settled()
            && shape == *entry
            && self.scalars.recurs();
        let contract = self.contract(repeats, tail_slots);
        // An epoch that goes on has room for what so many bundles overwrite.
        if contract.undos > SECTIONS * LONGEST {
            return None;
        }
        let facts = Facts {
            ending: region.ending,
            depth: region.depth,
            channel_use: region.channel_use(),
            counts: self.counted.stats.into(),
            costs: self.counted.costs,
            shape,
            tail,
            stable,
            entry_uses: self.needs.entry_uses,
            footprint: self.counted.footprint,
            pass: Pass { times: region.times, is_turn: region.is_turn, cycles },
        };
        self.b.end_part(1, Vec::new());
        Some(Translation { parts: self.b.parts, constants: self.b.constants, facts, contract })
    }

    /// Brings registers, results under way and counters to where the next part or block looks for them, and takes the place in
    /// the undo log behind the entries so far. Returns the results under way.
    pub(super) fn put_registers(&mut self) -> PipelineState {
        if self.needs.undos > 0 {
            let step = self.needs.undos * undo_entry::ENTRY as i32;
            self.b.raw(built(Instruction::with2(Code::Add_rm64_imm32, Register::R10, step)));
        }
        let (shape, mut puts) = self.pending_at_end();
        puts.extend(self.changed_registers());
        puts.extend(self.counted.flops.take().map(|total| (FLOPS, total)));
        self.store_all(&puts);
        shape
    }

    /// Returns the registers that hold other values than at the beginning, as places in the context and values.
    fn changed_registers(&self) -> Vec<(i32, Value)> {
        let registers: [(i32, &[Value], &[Value]); 4] = [
            (FPR, &self.now.view, &self.entry.view),
            (CC, &self.now.conditions, &self.entry.conditions),
            (SA, &self.now.own, &self.entry.own),
            (QA, &self.now.shared, &self.entry.shared),
        ];
        let mut changed = Vec::new();
        for (place, now, then) in registers {
            let those = (0..now.len()).filter(|&k| now[k] != then[k]);
            changed.extend(those.map(|k| (vector_at(place, k), now[k])));
        }
        changed
    }

    /// Returns the contract of the block.
    fn contract(&mut self, repeats: bool, tail_slots: usize) -> Contract {
        // In a part that is run several times the distances change from turn to turn.
        let is_bold = self.scalars.speculation >= Speculation::Distances;
        let apart = self.addresses.apart(repeats, is_bold && self.b.parts.is_empty());
        let pointers = std::mem::take(&mut self.addresses.pointers);
        let scalars = std::mem::take(&mut self.scalars.guards);
        Contract {
            lmem_words: self.core.lmem_words(),
            guards: Guards { scalars, pointers, apart },
            repeats,
            undos: self.needs.undos_before + self.needs.undos as usize,
            notes: self.counted.footprint.noted.len(),
            tail_slots,
            coefficients: self.needs.reads_coefficients.then_some(self.environment.inverse),
        }
    }

    /// Keeps the operands of the operations whose flags may still be asked for. Returns these operations, the number of
    /// vectors kept, and whether one of the operations supersedes all flags before it. `None` if operations of an earlier part
    /// are among them.
    pub(super) fn put_tail(&mut self) -> Option<(Vec<DeferredFlags>, usize, bool)> {
        let mut slots: Vec<Value> = Vec::new();
        let mut slot = |value: Value| {
            slots.iter().position(|&v| v == value).unwrap_or_else(|| {
                slots.push(value);
                slots.len() - 1
            })
        };
        let (mut tail, mut replaced) = (Vec::new(), Vec::new());
        let mut closes = false;
        let first = self.needs.first_flagged;
        for op in self.needs.flagged[first..].iter().rev() {
            // A later operation of the same sections has replaced the flags of this one.
            if op.mask.is_some_and(|mask| replaced.contains(&mask)) {
                continue;
            }
            tail.push(DeferredFlags {
                age: (self.time - op.time) as u32,
                inst: op.inst,
                mask: op.mask.map(&mut slot),
                operands: op.operands.map(|v| v.map(&mut slot)),
                coefficient: op.coefficient.map(|pair| pair.map(&mut slot)),
            });
            match op.mask {
                _ if !self.has_landed(op) => {}
                Some(mask) => replaced.push(mask),
                None => {
                    closes = true;
                    break;
                }
            }
        }
        if first > 0 && !closes && !self.supersedes_flags() {
            return None;
        }
        tail.reverse();
        let n = slots.len();
        if n > 0 {
            self.b.load64(Register::RAX, TAIL);
        }
        for (k, value) in slots.into_iter().enumerate() {
            self.b.store(value, Base::Rax, 32 * k as i32);
        }
        Some((tail, n, closes))
    }

    /// Whether the flags of an operation have landed.
    fn has_landed(&self, op: &Flagged) -> bool {
        op.time + (self.latencies().condition as usize) < self.time
    }

    /// Whether the flags that have landed of the part at hand replace those of all parts of this pass and of the passes
    /// before: the part has operations with all predicates of the block, and these are always the same sections.
    fn supersedes_flags(&self) -> bool {
        let Needs { flagged, first_flagged, changed_conditions, .. } = &self.needs;
        let predicates = |all: u8, op: &Flagged| all | 1 << op.cc;
        let all = flagged.iter().fold(0, predicates);
        let landed = flagged[*first_flagged..].iter().filter(|op| self.has_landed(op));
        all & !landed.fold(0, predicates) == 0 && all & changed_conditions == 0
    }

    /// Returns the shape behind the last cycle, and the places to which the values under way go.
    pub(super) fn pending_at_end(&self) -> (PipelineState, Vec<(i32, Value)>) {
        let (mut shape, mut puts) = (PipelineState::default(), Vec::new());
        for (time, slot) in self.under_way.iter().enumerate().skip(self.time) {
            for entry in slot {
                let offset = (time - self.time) as u8;
                shape.entries.push(PendingResult {
                    offset,
                    goal: entry.goal,
                    masked: entry.mask.is_some(),
                });
                for value in [Some(entry.value), entry.mask].into_iter().flatten() {
                    puts.push((vector_at(PEND, puts.len()), value));
                }
            }
        }
        (shape, puts)
    }

    /// Stores values to their places, as if all at once.
    pub(super) fn store_all(&mut self, puts: &[(i32, Value)]) {
        let mut moves = Vec::with_capacity(puts.len());
        for &(to, value) in puts {
            let home = self.b.homes[value as usize];
            if home == Some(Home::Context(to)) {
                continue;
            }
            let overwritten = puts.iter().any(|&(other, _)| home == Some(Home::Context(other)));
            moves.push((to, if overwritten { self.b.moved(value) } else { value }));
        }
        for (to, value) in moves {
            self.b.store(value, Base::Context, to);
        }
    }
}
