//! The activity of DMA channel and host beside a kernel, or between two kernels: beats, descriptors, actions.

use super::Look;
use crate::history::Issued;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::{Act, Action};
use cp2_isa::{Cycle, Slot};
use cp2_recording::RecordingError;

/// Number of cycles within which the ends of a pause are searched.
const FAR: u64 = 1 << 20;

/// A conflict: a beat of the DMA channel waited in a cycle, because the kernel accessed the bank of local memory that
/// it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The beat that waited, with the later cycle in which it moved.
    pub beat: Beat,
    /// Visit of the channel to the descriptor of the beat; `None` if it is not known.
    pub visit: Option<Visit>,
    /// Operation of the kernel that accessed local memory in the cycle; `None` if it is not known.
    pub access: Option<Issued>,
}

/// A gap between two kernels: cycles in which none ran, and the activity of host and DMA channel in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelGap {
    /// Last cycle of the kernel before the gap; `None` if none is found within 2^20 cycles.
    pub since: Option<Cycle>,
    /// First cycle of the kernel behind the gap; `None` if none is found within 2^20 cycles.
    pub until: Option<Cycle>,
    /// Actions of the host from the begin of the gap to its end, in the order of time; of consecutive entries that it
    /// sent to the FIFO only the last.
    pub acts: Vec<Act>,
    /// Visits of the channel to descriptors in the gap, each from its turn to a descriptor until it leaves it, in the
    /// order of time.
    pub visits: Vec<Visit>,
}

/// The activity of the channel in a cycle.
pub(super) struct BesideCycle {
    pub(super) beats: Vec<(Beat, Option<Visit>)>,
    pub(super) conflict: Option<Conflict>,
    pub(super) descriptor: Option<Visit>,
}

pub(super) fn kernel_gap(look: &mut Look<'_>, cycle: Cycle) -> Result<BesideCycle, RecordingError> {
    let beside = look.history.segment_events(look.recording, cycle)?;
    let visit = |beat: &Beat| beside.visits.get(beat.visit as usize).cloned();
    let beats = beside.beats.iter().filter(|beat| beat.cycle == cycle);
    let beats: Vec<_> = beats.map(|beat| (*beat, visit(beat))).collect();
    let waits = |beat: &&Beat| {
        beat.cycle > cycle && beat.cycle.0 - beat.conflicts.min(beat.cycle.0) <= cycle.0
    };
    let waiting = beside.beats.iter().find(waits).map(|beat| (*beat, visit(beat)));
    let is_at = |visit: &&Visit| visit.begin <= cycle && visit.end.is_none_or(|end| cycle < end);
    let descriptor = beside.visits.iter().rev().find(is_at).cloned();
    let conflict = match waiting {
        None => None,
        Some((beat, visit)) => {
            let issued = look.history.issued(look.recording, cycle..cycle + 1)?;
            let access =
                issued.into_iter().find(|i| i.slot == Slot::Exchange && i.access.is_some());
            Some(Conflict { beat, visit, access })
        }
    };
    Ok(BesideCycle { beats, conflict, descriptor })
}

/// Returns the pause that a cycle is in.
pub(super) fn pause(look: &mut Look<'_>, cycle: Cycle) -> Result<KernelGap, RecordingError> {
    let begin = *look.recording.cycles().start();
    let runs = |look: &mut Look<'_>, cycle| -> Result<bool, RecordingError> {
        let past = look.history.cycle(look.recording, cycle)?;
        Ok(past.is_some_and(|past| past.cause.is_some()))
    };
    let (mut since, mut until) = (None, None);
    let mut at = cycle;
    while at > begin && cycle - at < FAR {
        at = at - 1;
        if runs(look, at)? {
            since = Some(at);
            break;
        }
    }
    let mut at = cycle + 1;
    let end = *look.recording.cycles().end();
    while at < end && at - cycle < FAR {
        if runs(look, at)? {
            until = Some(at);
            break;
        }
        at += 1;
    }
    let from = since.unwrap_or(begin);
    let to = until.unwrap_or(at);
    let window = look.recording.watch(from..to, &mut cp2_emu::trace::NoObserver)?;
    let is_in = |act: &&Act| act.cycle >= from && act.cycle <= to;
    let mut acts: Vec<Act> = Vec::new();
    for act in window.acts.iter().filter(is_in) {
        let sends = |act: &Act| matches!(act.action, Action::Send(_));
        if acts.last().is_some_and(sends) && sends(act) {
            acts.pop();
        }
        acts.push(act.clone());
    }
    Ok(KernelGap { since, until, acts, visits: window.visits })
}
