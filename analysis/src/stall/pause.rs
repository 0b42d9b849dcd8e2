//! What happened beside a kernel or between two: beats, descriptors, acts of the host.

use super::Look;
use crate::history::Issued;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::{Act, Action};
use cp2_isa::{Cycle, Slot};
use cp2_recording::RecordingError;

/// Number of cycles within which the ends of a pause are searched.
const FAR: u64 = 1 << 20;

/// A beat that waited because the kernel used its bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Beat that waited, and moved later.
    pub beat: Beat,
    /// Visit of the channel to the descriptor of the beat.
    pub visit: Option<Visit>,
    /// Operation of the kernel whose access had the bank.
    pub access: Option<Issued>,
}

/// A pause: cycles between two kernels, in which none ran, and what host and channel did in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelGap {
    /// The last cycle of the kernel before, if there was one near enough.
    pub since: Option<Cycle>,
    /// The first cycle of the kernel behind, if there was one near enough.
    pub until: Option<Cycle>,
    /// Acts of the host in the pause up to its end, the earliest first; entries of the FIFO that are followed by others of
    /// their kind are left out.
    pub acts: Vec<Act>,
    /// The descriptors that the channel was at in the pause.
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
    let window = look.recording.watch(from..to, &mut cp2_emu::trace::Off)?;
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
