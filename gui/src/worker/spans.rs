//! The names of a recorded run in the course of its cycles, from the programs that it keeps.

use crate::model::spans::{PauseSpan, RunSpans};
use cp2_asm::image::{Image, Kernel};
use cp2_asm::sites::BundleNames;
use cp2_emu::dma::ChannelCause;
use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::{Recording, RunPiece};
use cp2_session::recorded::{self, RecordedProgramError};
use std::collections::BTreeSet;
use std::ops::Range;

/// Most cycles of a kernel that are one piece: more than any run has.
const WHOLE: u64 = 1 << 48;

/// Program with the cycles in which it was in instruction memory.
struct Turn {
    image: Image,
    cycles: Vec<Range<Cycle>>,
}

/// Returns the names of a run. `shown` is the program whose names hold where the recording keeps none.
pub(super) fn spans(
    recording: &mut Recording,
    shown: &Image,
) -> Result<RunSpans, RecordedProgramError> {
    let core = *recording.core();
    let turns: Vec<Turn> = recorded::by_code(recording)?
        .into_iter()
        .map(|names| {
            let own = names.programs.image;
            let image = if own.kernels.is_empty() { shown.clone() } else { own };
            Turn { image, cycles: names.cycles }
        })
        .collect();
    let names: Vec<BundleNames<'_>> =
        turns.iter().map(|turn| BundleNames::new(&turn.image, &core)).collect();
    let mut spans = RunSpans::default();
    spans.loops = turns.iter().zip(&names).map(|(turn, names)| loops(&turn.image, names)).collect();
    spans.add_steps(&recording.steps()?);
    for piece in recording.run_pieces(WHOLE)? {
        add(&mut spans, &piece, |first, cycle| {
            let program = program_in(&turns, cycle);
            let name = names.get(program).map_or(String::new(), |of| of.site(first).label_text());
            (if name.is_empty() { format!("bundle {first}") } else { name }, program)
        });
    }
    Ok(spans)
}

fn add(
    spans: &mut RunSpans,
    piece: &RunPiece,
    name: impl Fn(BundleAddress, Cycle) -> (String, usize),
) {
    let cycles = piece.cycles.clone();
    match piece.kernel {
        Some(kernel) if !kernel.is_start => spans.extend_last(cycles.end),
        Some(kernel) => {
            let (name, program) = name(kernel.first, cycles.start);
            spans.kernel(cycles, &name, program);
        }
        None => {
            let host = piece.channel[ChannelCause::Idle as usize].min(cycles.end - cycles.start);
            match spans.pauses.last_mut() {
                Some(last) if last.cycles.end == cycles.start => {
                    last.cycles.end = cycles.end;
                    last.host += host;
                }
                _ => spans.pauses.push(PauseSpan { cycles, host }),
            }
        }
    }
}

/// Returns the number of the program that is in instruction memory in a cycle: the one that came last.
fn program_in(turns: &[Turn], cycle: Cycle) -> usize {
    let begun = |turn: &Turn| {
        let at = turn.cycles.partition_point(|range| range.start <= cycle);
        at.checked_sub(1).map(|at| turn.cycles[at].start)
    };
    let all = turns.iter().enumerate();
    let latest = all.filter_map(|(k, turn)| Some((begun(turn)?, k))).max();
    latest.map_or(0, |(_, k)| k)
}

/// Returns the hardware loops of a program, outer ones before those in them.
fn loops(image: &Image, names: &BundleNames<'_>) -> Vec<(Body, String)> {
    let mut seen: BTreeSet<BundleAddress> = BTreeSet::new();
    let mut all = Vec::new();
    for (address, _) in image.kernels.iter().flat_map(Kernel::bundles) {
        for (at, body) in names.bodies(address) {
            if seen.insert(at) {
                all.push((body, format!("loop {}", names.loop_text(at))));
            }
        }
    }
    all
}
