//! Scheduled regions of linear code on an engine: whether they take the cycles that the scheduler predicts.

use crate::error::KernelError;
use crate::load::cp2;
use cp2_asm::Scheduled;
use cp2_asm::linear::CounterPromise;
use cp2_asm::sched::ScheduledBundle;
use cp2_emu::End;
use cp2_isa::{Bundle, BundleAddress, Core, Exch, Inst};
use std::collections::BTreeMap;

/// Cycles of a scheduled region of linear code for one choice of the counts of its loops: those that the scheduler
/// predicts beside those of a simulated run. Made by [`compare`]. Cycles are signed because the scheduler's formula is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedCycles {
    /// Counts of loops, by the number of the general register (0 to 15) that holds the count. Empty if no loop of the
    /// region has its count in a register.
    pub counts: BTreeMap<u8, u64>,
    /// Cycles of the region, from its first bundle to its last, that the scheduler predicts for these counts.
    pub predicted: i64,
    /// Cycles of the region in a simulated run, or the reason why none was made: the region sets a count itself, or
    /// would take too long.
    pub simulated: Result<i64, String>,
}

/// Most cycles of a run that compares.
const LIMIT: u64 = 50_000_000;

/// Predicts and simulates the cycles of a scheduled region of linear code on a CP2 after reset, for comparison by the
/// caller. If its loops have counts in registers, this is done for at most four choices of counts that its promises
/// allow, from the least on; otherwise once.
///
/// # Errors
/// [`KernelError::Run`] if a simulated run does not come to its end: a fault or the limit of 50 000 000 cycles.
pub fn compare(core: &Core, scheduled: &Scheduled) -> Result<Vec<PredictedCycles>, KernelError> {
    let region = &scheduled.region;
    let promises = region.promises();
    let trips = scheduled.report.blocks.iter().map(|b| b.minimum_trips).max().unwrap_or(1);
    let least = trips.max(1) as u64;
    let turns: &[usize] = if promises.is_empty() { &[0] } else { &[0, 1, 2, 5] };
    let mut comparisons = Vec::new();
    for &turn in turns {
        let nth = |(&gpr, p): (&u8, &CounterPromise)| Some((gpr, p.counts(least).nth(turn)?));
        let counts: Option<BTreeMap<u8, u64>> = promises.iter().map(nth).collect();
        let Some(counts) = counts else { break };
        let mut registers = [0; 16];
        for (&gpr, &count) in &counts {
            registers[usize::from(gpr)] = count;
        }
        let predicted = scheduled.report.cost.cycles(&registers);
        let set = |gpr: &&u8| region.ops.iter().any(|op| op.writes_gpr(**gpr));
        let simulated = if let Some(gpr) = promises.keys().find(set) {
            Err(format!("the region sets g{gpr} itself"))
        } else if predicted > LIMIT as i64 {
            Err(format!("more than {LIMIT} cycles"))
        } else {
            Ok(simulate(core, &scheduled.bundles, &registers)?)
        };
        comparisons.push(PredictedCycles { predicted, simulated, counts });
    }
    Ok(comparisons)
}

fn simulate(
    core: &Core,
    bundles: &[ScheduledBundle],
    registers: &[u64; 16],
) -> Result<i64, KernelError> {
    let mut cp2 = cp2(core);
    let mut stop = Bundle::NOP;
    stop.exch = Inst::new(Exch::Stopi, &[0]);
    let words = bundles.iter().map(|p| p.bundle).chain([stop]);
    for (place, bundle) in cp2.state.iram.iter_mut().zip(words) {
        *place = cp2_isa::encode(&bundle);
    }
    cp2.state.gpr = *registers;
    let run = cp2.run_untraced(BundleAddress::default(), LIMIT);
    match run.end {
        // The stop is one more cycle.
        End::Stopped(_) => Ok(run.stats.cycles as i64 - 1),
        end => Err(KernelError::Run(Box::new(end))),
    }
}
