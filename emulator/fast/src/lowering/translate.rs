//! Drives the translation of a block: bundle by bundle, until the block ends or a bundle has to be left
//! to the portable engine.

use super::address::Strays;
use super::block::{BlockTranslator, Flagged, Start};
use super::operands::{Lowering, Operands, Results};
use super::translation::Translation;
use crate::abi::context::FLOPS;
use crate::analysis::speculation::Scalar;
use crate::front_end::region::{BlockRegion, BlockStart, CodeSource, Extent, LONG_TURNS, UNROLLED};
use crate::front_end::shape::{PipelineState, ResultTarget};
use crate::ir::instruction::Value;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{
    Arith, Bundle, BundleAddress, Effects, Exch, Inst, MoveReg, OperandKind, RegFile, SECTIONS,
    control, fields,
};
use iced_x86::Code;
use std::ops::Range;

/// Refusal of a bundle, by number, that cannot be translated in its place.
pub(super) struct Refused(pub(super) usize);

/// Translates the block at a place, of at most so many bundles, for the state that `start` tells. `None` if not even one
/// bundle can be translated, or if there is no block of this extent.
pub(crate) fn translate(
    program: CodeSource<'_>,
    (place, mut most): (&BlockStart, usize),
    mut start: Start<'_>,
    extent: Extent,
) -> Option<Translation> {
    // Turns of which each pass is a call of its own are made longer.
    let mut unrolled = UNROLLED;
    loop {
        let region = match extent {
            Extent::Straight => place.region(program, most),
            Extent::Turns(times) => place.region(program, most).repeated(times)?,
            Extent::Through(turns) => {
                let region = place.trace(program, most, start.granted())?;
                let turns = unrolled.div_ceil(region.cycles()).min(turns);
                if turns > 1 && region.is_turn { region.repeated(turns)? } else { region }
            }
        };
        if region.bundles.is_empty() {
            return None;
        }
        match BlockTranslator::new(program.core, &start).run(&region, place, start.shape) {
            Ok(Outcome::Done(translation)) => {
                let is_through = matches!(extent, Extent::Through(2..));
                let is_single = region.is_turn && !translation.contract.repeats;
                if !(is_through && is_single && unrolled == UNROLLED) {
                    return Some(*translation);
                }
                unrolled = LONG_TURNS;
            }
            Ok(Outcome::Strays(Strays { plain, parts })) => {
                start.strays.plain |= plain;
                start.strays.parts.extend(parts);
            }
            Ok(Outcome::Unnoted) => start.notes = true,
            Err(Refused(k)) if region.times == 1 => most = k,
            Err(_) => return None,
        }
    }
}

/// Outcome of a translation.
enum Outcome {
    Done(Box<Translation>),
    /// The block has address sets that must not be one pointer each.
    Strays(Strays),
    /// The block has accesses that have to be noted, for which the translation did not provide.
    Unnoted,
}

impl BlockTranslator {
    fn run(
        mut self,
        region: &BlockRegion,
        place: &BlockStart,
        entry: &PipelineState,
    ) -> Result<Outcome, Refused> {
        let modes = self.addresses.modes;
        for &register in &region.counts {
            self.scalars.granted(Scalar::Gpr(register)).ok_or(Refused(0))?;
        }
        let mut k = 0;
        for turns in &region.rolled {
            self.issue(k..turns.first, region, place)?;
            self = self.roll(turns, region, place)?;
            k = turns.end;
        }
        self.issue(k..region.bundles.len(), region, place)?;
        let stable = self.addresses.modes == modes && !region.changes_mode();
        // The addresses at which the passes of a loop begin have to be known before the first pass.
        let may_repeat = stable && region.channel_use().is_none() && region.is_turn;
        let mut strays = self.addresses.strays();
        let unknown = self.addresses.settle_pointers();
        strays.plain |= if may_repeat { unknown } else { 0 };
        if !strays.is_empty() {
            return Ok(Outcome::Strays(strays));
        }
        if !self.counted.footprint.noted.is_empty() && !self.needs.notes {
            return Ok(Outcome::Unnoted);
        }
        let first_rolled = region.rolled.first().map_or(0, |turns| turns.first);
        let done = self.finish(region, entry, stable, may_repeat).ok_or(Refused(first_rolled))?;
        Ok(Outcome::Done(Box::new(done)))
    }

    /// Makes the steps of bundles, given by their numbers in the region.
    pub(super) fn issue(
        &mut self,
        bundles: Range<usize>,
        region: &BlockRegion,
        place: &BlockStart,
    ) -> Result<(), Refused> {
        for k in bundles {
            let (pc, bundle) = &region.bundles[k];
            self.land();
            let Some(bundle) = bundle else {
                self.nullified(*pc);
                continue;
            };
            let next = region.next_address(k, place);
            self.cost(*pc, bundle).ok_or(Refused(k))?;
            self.bundle(next, bundle).ok_or(Refused(k))?;
            self.time += 1;
            if bundle.exch.op == Exch::Sync {
                self.hold();
            }
        }
        Ok(())
    }

    /// Takes the cycle of a bundle that is nullified.
    fn nullified(&mut self, pc: BundleAddress) {
        self.counted.stats.count_cycle(Cause::Nullified);
        if self.environment.profiled {
            let mut cost = BundleCost::default();
            cost.causes[Cause::Nullified as usize] = 1;
            self.counted.costs.push((pc, cost));
        }
        self.time += 1;
    }

    /// Notes the cost of a bundle, if costs are counted. Operations of which only the run knows in how many sections they are
    /// floating-point operations are left to the portable engine then.
    fn cost(&mut self, pc: BundleAddress, bundle: &Bundle) -> Option<()> {
        if !self.environment.profiled {
            return Some(());
        }
        let row = bundle.arith.op.row();
        if row.flops > 0 && row.obeys(bundle.cc) {
            return None;
        }
        let mut cost = BundleCost::default();
        cost.causes[Cause::of_bundle(bundle) as usize] = 1;
        cost.flops = SECTIONS as u64 * u64::from(row.flops);
        self.counted.costs.push((pc, cost));
        Some(())
    }

    /// Makes the steps of a bundle, behind which the one at `next` issues, if that is known.
    fn bundle(&mut self, next: Option<BundleAddress>, bundle: &Bundle) -> Option<()> {
        let row = bundle.arith.op.row();
        let mask = if row.obeys(bundle.cc) { self.predicate(bundle.cc) } else { None };
        self.counted.stats.count_bundle(bundle, if mask.is_some() { 0 } else { 0xf });
        let steps = row.effects.contains(Effects::COEFFICIENT);
        let coefficient = steps.then(|| self.coefficient());
        const RIND: MoveReg = MoveReg { file: RegFile::Control, number: control::RIND };
        // A `move` reads the angle behind its step, and writes it behind its step.
        if steps && !matches!(bundle.exch.moved(), Some((RIND, from)) if from != RIND) {
            self.step_angle();
        }
        let addresses = bundle
            .arith
            .section_addresses()
            .map(|(set, register, half)| (usize::from(set), self.addresses_in(register, half)));
        let results = self.arithmetic(bundle, mask, coefficient)?;
        // If two results land in one cycle, that of the exchange operation is the later one.
        self.commit(&bundle.arith, mask, &results)?;
        self.exchange(next, bundle)?;
        // If both operations write section addresses, the write of the arithmetic operation wins.
        if let Some((set, value)) = addresses {
            self.now.own[set] = match mask {
                Some(mask) => self.b.select(self.now.own[set], value, mask),
                None => value,
            };
        }
        Some(())
    }

    fn arithmetic(
        &mut self,
        bundle: &Bundle,
        mask: Option<Value>,
        coefficient: Option<[Value; 2]>,
    ) -> Option<Results> {
        let inst = &bundle.arith;
        if matches!(inst.op, Arith::Nop | Arith::Amtsa) {
            return Some(Results::default());
        }
        let (named, read) = self.sources(inst);
        let [d, s, t, s_next, t_next] = named;
        let operands = Operands { d, s, t, s_next, t_next, coefficient };
        let rounding = self.environment.rounding;
        let results = Lowering { b: &mut self.b, rounding }.lower(inst, &operands)?;
        if inst.op.row().effects.contains(Effects::FLAGS) {
            self.needs.flagged.push(Flagged {
                time: self.time,
                inst: *inst,
                mask,
                cc: mask.map_or(0, |_| bundle.cc),
                operands: read,
                coefficient,
            });
        }
        Some(results)
    }

    /// Returns the values of D, S, T, next S and next T as far as an operation names them, and those of them that it reads.
    fn sources(&mut self, inst: &Inst<Arith>) -> ([Value; 5], [Option<Value>; 5]) {
        let row = inst.op.row();
        let mut named = [self.now.view[0]; 5];
        let mut read = [None; 5];
        for fpr in row.fprs(&inst.values) {
            let place = match (row.operands[fpr.operand].kind, fpr.next) {
                (OperandKind::Fpr(fields::FD), _) => 0,
                (
                    OperandKind::Fpr(fields::FS)
                    | OperandKind::FprHalf(fields::FS, _)
                    | OperandKind::FprPair(fields::FS),
                    false,
                ) => 1,
                (OperandKind::Fpr(fields::FT) | OperandKind::FprPair(fields::FT), false) => 2,
                (OperandKind::FprPair(fields::FS), true) => 3,
                (OperandKind::FprPair(fields::FT), true) => 4,
                _ => continue,
            };
            let register = fpr.register as usize + usize::from(fpr.next);
            named[place] = self.now.view[register];
            if !fpr.reads.is_empty() {
                self.needs.entry_uses.read_fpr(register, self.time);
                read[place] = Some(named[place]);
            }
        }
        (named, read)
    }

    fn commit(&mut self, inst: &Inst<Arith>, mask: Option<Value>, results: &Results) -> Option<()> {
        if let (Some(conditions), Some(comparison)) = (results.conditions, inst.comparison()) {
            for (cc, value) in (comparison.cc..).zip(conditions).take(comparison.codes().into()) {
                if cc != 0 {
                    self.plan(
                        self.latencies().condition,
                        ResultTarget::Condition(cc),
                        value,
                        mask,
                    )?;
                }
            }
        }
        let made = [results.d, results.s, results.q];
        let written = inst.op.row().fprs(&inst.values).filter(|fpr| !fpr.writes.is_empty());
        for (fpr, value) in written.zip(made.into_iter().flatten()) {
            let (reg, halves) = (fpr.register as u8, fpr.writes);
            let goal = ResultTarget::Fpr { reg, halves, from_load: false };
            self.plan(self.latencies().arithmetic, goal, value, mask)?;
        }
        if let (Some(mask), flops @ 1..) = (mask, inst.op.row().flops) {
            let amount = self.b.constant(flops.into());
            let counted = self.b.and(mask, amount);
            let total = match self.counted.flops {
                Some(total) => total,
                None => self.b.at(FLOPS),
            };
            self.counted.flops =
                Some(self.b.binary(Code::VEX_Vpaddq_ymm_ymm_ymmm256, counted, total));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::abi::context::Live;
    use crate::analysis::speculation::Speculation;
    use crate::front_end::environment::Environment;
    use cp2_isa::{BundleBits, Core, encode};

    /// Translates a block that loads from three planes and stores to the middle one, for this address in address set 0.
    fn planes(address: u32) -> Translation {
        let core = Core::CP2;
        let access = |op: Exch, offset: i32| {
            let mut bundle = Bundle::NOP;
            bundle.exch.op = op;
            bundle.exch.values[..2].copy_from_slice(&[6, 16 * offset]);
            encode(&bundle)
        };
        let iram: Vec<BundleBits> = vec![
            access(Exch::Lwo, 2047),
            access(Exch::Lwo, 2047),
            access(Exch::Lwo, -2000),
            access(Exch::Swo, 0),
        ];
        let mut live = Live::ZERO;
        live.a[0] = address;
        live.m = [core.address_mask().into(); 16];
        let start = Start {
            shape: &PipelineState::default(),
            environment: Environment::of(&core, &live, 0, true),
            live: &live,
            speculation: Speculation::Scalars,
            strays: Strays::default(),
            notes: false,
        };
        let place = BlockStart::new(BundleAddress(0), None, false);
        translate(
            CodeSource { core: &core, iram: &iram },
            (&place, iram.len()),
            start,
            Extent::Straight,
        )
        .unwrap()
    }

    #[test]
    fn planes_in_both_banks_have_pointers_and_no_notes() {
        for address in [5, 2000, 2100, 4100, 8100] {
            let Translation { facts, contract, .. } = planes(address);
            assert_eq!((facts.footprint.noted.len(), contract.notes, contract.undos), (0, 0, 0));
            assert_eq!(contract.guards.pointers.len(), 3, "{address}");
        }
        // A plane that lies in both banks is not one pointer's.
        for address in [2040, 6136] {
            let Translation { facts, contract, .. } = planes(address);
            assert_eq!((facts.footprint.noted.len(), contract.notes, contract.undos), (4, 4, 1));
            assert!(contract.guards.pointers.is_empty(), "{address}");
        }
    }
}
