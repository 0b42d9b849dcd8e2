//! A comparison of two runs, A and B: the first cycle in which they differ, and what the difference costs, ranked by
//! source line. The programs may be different: their bundles are aligned as `diff` aligns the lines of two texts.

mod align;
mod costs;
mod first;
mod json;
mod text;

pub use align::Alignment;
pub use costs::{CostRow, DifferenceReason};
pub use first::{DivergentSide, First, RunDivergence};
pub use json::schema;

use crate::program::NamedProgram;
use cp2_emu::dma::ChannelCause;
use cp2_emu::{Difference, MachineConfig};
use cp2_recording::{Counts, Recording, RecordingError};

/// The cost of runs A and B in cycles and in operations that issued, added up by source line, hardware loop and label.
#[derive(Debug)]
pub struct CostComparison {
    /// Cost by source line, the largest difference in cycles first. A cycle in which operations of two lines issue
    /// counts for both.
    pub lines: Vec<CostRow>,
    /// Number of cycles in run A and in B that [`CostComparison::lines`] has twice, because two lines share a bundle.
    pub shared: [u64; 2],
    /// Cost by innermost hardware loop, the largest difference in cycles first.
    pub loops: Vec<CostRow>,
    /// Cost by label, the largest difference in cycles first.
    pub labels: Vec<CostRow>,
}

/// The result of comparing two recorded runs, A and B. Of each pair, the first value is of A.
#[derive(Debug)]
pub struct RunComparison {
    /// Number of cycles of the recording of run A, then of run B.
    pub cycles: [u64; 2],
    /// Number of cycles in which a kernel ran, of run A, then of run B.
    pub kernel_cycles: [u64; 2],
    /// Differences between the machines, each as text with the key and both values; empty if the machines are equal.
    pub machine: Vec<String>,
    /// Number of bundles of each program that are not in the other one.
    pub unmatched: [usize; 2],
    /// Number of bundles that both programs have, as [`Alignment`] pairs them.
    pub matched: usize,
    /// First register or word that differs at the begin of the recordings; `None` if none does. The programs in
    /// instruction memory do not count.
    pub input: Option<Difference>,
    /// First cycles in which the runs differ, in what issues and in values.
    pub first: First,
    /// Cost of both runs, in cycles and in operations that issued, by source line, hardware loop and label.
    pub costs: CostComparison,
    /// Cycles of the DMA channel of each run by cause, in the order of [`ChannelCause::ALL`].
    pub channel: [[u64; ChannelCause::ALL.len()]; 2],
    /// Cycles in which kernels ran, of each run, by cause in the order of `Cause::ALL`.
    pub causes: [[u64; 6]; 2],
    /// First register or word that differs at the end of the recordings; `None` if none does.
    pub result: Option<Difference>,
}

impl RunComparison {
    /// Returns true if both runs do the same in every cycle with the same values, as far as the comparison searched.
    /// Their machines may differ.
    pub fn is_identical(&self) -> bool {
        let Self { cycles, unmatched, input, first, costs, result, .. } = self;
        cycles[0] == cycles[1]
            && *unmatched == [0, 0]
            && input.is_none()
            && result.is_none()
            && *first == First::default()
            && costs.lines.iter().all(|row| row.cycles(0) == row.cycles(1))
    }
}

/// The number of cycles, from the begin of both runs, in which [`compare`] searches the first difference. It is rounded
/// up to a multiple of 2^15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimit(pub u64);

/// A recorded run to compare with another, and its program.
pub struct RecordedRun<'a> {
    /// Recording of the run.
    pub recording: &'a mut Recording,
    /// Program of the run, with its names.
    pub program: &'a NamedProgram<'a>,
}

/// Compares two recorded runs: their machines, programs, inputs, cycles and results. The first difference is searched
/// in `reach` cycles.
///
/// # Errors
/// Returns an error if a recording is damaged.
pub fn compare(
    mut runs: [RecordedRun<'_>; 2],
    reach: SearchLimit,
) -> Result<RunComparison, RecordingError> {
    let alignment = Alignment::of(runs[0].program, runs[1].program);
    let machine = machines(&runs);
    let input = states(&mut runs, |recording| *recording.cycles().start())?;
    let is_same = machine.is_empty() && alignment.is_whole() && input.is_none();
    // The same program on the same core with the same state, and nobody beside it, does the same.
    let alone = |run: &RecordedRun<'_>| run.recording.header().machine.is_none();
    let lengths = runs.each_ref().map(|run| run.recording.cycles().end().0);
    let proven = is_same && runs.iter().all(alone) && lengths[0] == lengths[1];
    let first = if proven { First::default() } else { first::first(&mut runs, &alignment, reach)? };
    let mut totals = [Counts::default(), Counts::default()];
    let mut profiles = Vec::new();
    for (run, total) in runs.iter_mut().zip(&mut totals) {
        let all = *run.recording.cycles().start()..*run.recording.cycles().end();
        *total = run.recording.summary()?.total();
        profiles.push(run.recording.profile(all)?);
    }
    let result = states(&mut runs, |recording| *recording.cycles().end())?;
    let [a, b] = &runs;
    let costs = costs::Costs::new([a.program, b.program], &alignment, [&profiles[0], &profiles[1]]);
    let cycles = runs.each_ref().map(|run| {
        let all = run.recording.cycles();
        *all.end() - *all.start()
    });
    Ok(RunComparison {
        cycles,
        kernel_cycles: totals.each_ref().map(Counts::kernel_cycles),
        machine,
        unmatched: alignment.unmatched(),
        matched: alignment.matched(),
        input,
        first,
        channel: totals.each_ref().map(|total| total.dma.causes),
        causes: totals.each_ref().map(|total| total.causes),
        result,
        costs: CostComparison {
            lines: costs.lines(),
            shared: costs.shared(),
            loops: costs.loops(),
            labels: costs.labels(),
        },
    })
}

/// Returns the first register or word that differs between the states of the runs, each in a cycle of its own.
fn states(
    runs: &mut [RecordedRun<'_>; 2],
    cycle: fn(&Recording) -> cp2_isa::Cycle,
) -> Result<Option<Difference>, RecordingError> {
    for run in runs.iter_mut() {
        let cycle = cycle(run.recording);
        run.recording.seek(cycle)?;
    }
    // Programs are compared by their bundles, which the state has too.
    let [a, b] = runs.each_ref().map(|run| {
        let mut state = run.recording.state().clone();
        state.iram.fill(0);
        state.pc = Default::default();
        state.loops.clear();
        state.calls.clear();
        state
    });
    Ok(Difference::first(&a, &b))
}

/// Returns the keys of the machines that differ, with both values.
fn machines(runs: &[RecordedRun<'_>; 2]) -> Vec<String> {
    let lines = |run: &RecordedRun<'_>| -> Vec<String> {
        let header = run.recording.header();
        let config = header.machine.as_ref().and_then(|text| MachineConfig::parse(text).ok());
        let dump = config.map_or_else(String::new, |config| config.dump());
        let settings = dump.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        settings.filter(|line| line.contains('=')).map(str::to_owned).collect()
    };
    let [a, b] = runs.each_ref().map(lines);
    let mut all = Vec::new();
    match (a.is_empty(), b.is_empty()) {
        (true, false) => all.push("A is CP2 alone, B a whole machine".to_owned()),
        (false, true) => all.push("A is a whole machine, B CP2 alone".to_owned()),
        _ => {
            for line in a.iter().filter(|line| !b.contains(line)) {
                // A value may be a table with an origin, which has equal signs too.
                let parts = |line: &String| -> (String, String) {
                    let (key, value) = line.split_once('=').unwrap_or((line, ""));
                    (key.trim().to_owned(), value.trim().to_owned())
                };
                let key = parts(line).0;
                let other = b.iter().find(|other| parts(other).0 == key);
                let value = |line: &String| parts(line).1;
                let other = other.map_or("nothing".to_owned(), value);
                all.push(format!("{key}: {} and {other}", value(line)));
            }
        }
    }
    let cores = runs.each_ref().map(|run| run.program.core.changes());
    if cores[0] != cores[1] && all.is_empty() {
        let of = |k: usize| match cores[k].is_empty() {
            true => "the unmodified core".to_owned(),
            false => cores[k].join(", "),
        };
        all.push(format!("core: {} and {}", of(0), of(1)));
    }
    all
}
