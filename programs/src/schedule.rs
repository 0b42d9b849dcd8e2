//! Scheduled regions on the engine: whether the predicted cycles are the simulated ones.

use crate::error::KernelError;
use cp2_asm::Scheduled;
use cp2_asm::linear::{Block, Code, Count, Reg};
use cp2_asm::sched::Placed;
use cp2_emu::{Cp2, End};
use cp2_isa::{Bundle, Exch, Inst, Resource};
use std::collections::BTreeMap;

/// Cycles of a region for some counts of its loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// General registers that hold counts, with the counts.
    pub counts: BTreeMap<u8, u64>,
    /// Cycles that the scheduler predicts.
    pub predicted: i64,
    /// Cycles that the engine counts, or why they are not comparable.
    pub simulated: Result<i64, String>,
}

/// Most cycles of a run that compares.
const LIMIT: u64 = 50_000_000;

/// Runs the bundles of a region from a reset machine, for several counts if its loops have counts in
/// registers, and gives predicted and simulated cycles.
///
/// # Errors
/// What stops the run before the region ends.
pub fn compare(scheduled: &Scheduled) -> Result<Vec<Comparison>, KernelError> {
    let mut promises = BTreeMap::new();
    collect(&scheduled.region.blocks, &mut promises);
    let trips = scheduled.report.blocks.iter().map(|b| b.minimum_trips).max().unwrap_or(1);
    let least = trips.max(1) as u64;
    let turns: &[u64] = if promises.is_empty() { &[0] } else { &[0, 1, 2, 5] };
    turns
        .iter()
        .map(|&turn| {
            let counts: BTreeMap<u8, u64> = promises
                .iter()
                .map(|(&gpr, &(min, multiple))| {
                    let first = min.max(least).div_ceil(multiple) * multiple;
                    (gpr, first.saturating_add(turn.saturating_mul(multiple)))
                })
                .collect();
            let mut registers = [0; 16];
            for (&gpr, &count) in &counts {
                registers[usize::from(gpr)] = count;
            }
            let predicted = scheduled.report.cost.cycles(&registers);
            let simulated = if let Some(gpr) = promises.keys().find(|&&g| sets(scheduled, g)) {
                Err(format!("the region sets g{gpr} itself"))
            } else if predicted > LIMIT as i64 || counts.values().any(|&n| n > u32::MAX.into()) {
                Err(format!("more than {LIMIT} cycles"))
            } else {
                Ok(simulate(&scheduled.bundles, &registers)?)
            };
            Ok(Comparison { predicted, simulated, counts })
        })
        .collect()
}

/// Least count and divisor of each general register that counts a loop.
fn collect(blocks: &[Block], promises: &mut BTreeMap<u8, (u64, u64)>) {
    for block in blocks {
        let Block::Loop(l) = block else { continue };
        if let Count::Register { gpr, min, multiple } = l.count {
            let known = promises.entry(gpr).or_insert((1, 1));
            known.0 = known.0.max(u64::from(min));
            known.1 = lcm(known.1, u64::from(multiple));
        }
        collect(&l.body, promises);
    }
}

/// Whether an operation of the region writes a general register.
fn sets(scheduled: &Scheduled, gpr: u8) -> bool {
    scheduled.region.ops.iter().any(|op| {
        let mut found = false;
        if let Code::Exch(inst) = op.code.with_registers(|_| Reg(0)) {
            inst.for_each_access(0, &mut |a| found |= a.write && a.resource == Resource::Gpr(gpr));
        }
        found
    })
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).saturating_mul(b)
}

fn simulate(bundles: &[Placed], registers: &[u64; 16]) -> Result<i64, KernelError> {
    let mut cp2 = Cp2::default();
    let mut stop = Bundle::NOP;
    stop.exch = Inst::new(Exch::Stopi, &[0]);
    let words = bundles.iter().map(|p| p.bundle).chain([stop]);
    for (place, bundle) in cp2.state.iram.iter_mut().zip(words) {
        *place = cp2_isa::encode(&bundle);
    }
    cp2.state.gpr = *registers;
    let run = cp2.run_untraced(0, LIMIT);
    match run.end {
        // The stop is one more cycle.
        End::Stopped(_) => Ok(run.stats.cycles as i64 - 1),
        end => Err(KernelError::Run(Box::new(end))),
    }
}
