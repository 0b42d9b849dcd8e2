//! The explanation of a cycle of a run: what issued, what kept a slot empty or the whole issue held, and the chain of
//! dependences before it.

mod chain;
mod constraint;
mod hold;
mod json;
mod pause;
mod slot;
mod text;

pub use chain::{Link, OperandSource};
pub use constraint::{Constraint, ConstraintKind};
pub use hold::{AwaitedResult, Hold};
pub use json::schema;
pub use pause::{Conflict, KernelGap};
pub use slot::{NextOperation, Reason, SlotExplanation};

use crate::history::{History, SegmentCycle};
use crate::program::{LoopUse, NamedProgram};
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::stats::Cause;
use cp2_isa::{Banks, BundleAddress, Cycle, Slot};
use cp2_recording::{Recording, RecordingError};

/// The activity of the DMA channel in an explained cycle: the beats that moved, one that waited, and the descriptor
/// that the channel worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelExplanation {
    /// Beats, transfers of at most 16 bytes, that moved in the cycle, each with the visit of the channel to its
    /// descriptor, if that is known.
    pub beats: Vec<(Beat, Option<Visit>)>,
    /// Beat that had to wait, because the kernel accessed its bank; `None` if none had to.
    pub conflict: Option<Conflict>,
    /// Visit to the descriptor at which the channel was; `None` if it was at none.
    pub descriptor: Option<Visit>,
}

/// The explanation of a cycle of a recorded run, as [`why`] finds it: its cause, and why nothing more issued in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleExplanation {
    /// Number of the explained cycle, counted from reset.
    pub cycle: Cycle,
    /// Cause of the cycle, which slots issued or why no bundle did; `None` if no kernel ran in it.
    pub cause: Option<Cause>,
    /// Address of the bundle that issued, was nullified or held the issue; `None` if no kernel ran.
    pub address: Option<BundleAddress>,
    /// Banks of local memory that the kernel accessed in the cycle.
    pub banks: Banks,
    /// Innermost hardware loop whose body contains the bundle; `None` if it is in no loop.
    pub within: Option<LoopUse>,
    /// Explanations of the arithmetic and the exchange slot; empty unless a bundle issued.
    pub slots: Vec<SlotExplanation>,
    /// Explanation of the hold, if `sync` or `stop` held the issue: which results it waited for, and how long that was
    /// needed.
    pub hold: Option<Hold>,
    /// Address of the `do` that skipped the bundle because its count was 0; `None` unless the bundle was nullified.
    pub skipped_by: Option<BundleAddress>,
    /// Gap between two kernels that the cycle lies in; `None` if a kernel ran.
    pub pause: Option<KernelGap>,
    /// Activity of the DMA channel in the cycle.
    pub channel: ChannelExplanation,
    /// Chain of dependences: the operation that explains the cycle, then the one whose result it waited for last, and
    /// so on. Empty if no such operation is known.
    pub chain: Vec<Link>,
}

/// The run and its program, which the parts of an explanation look at.
struct Look<'a> {
    recording: &'a mut Recording,
    history: &'a mut History,
    program: &'a NamedProgram<'a>,
}

/// Explains the cycle with this number, counted from reset: returns its cause, what kept a slot empty or held the
/// issue, and what the DMA channel did. `history` keeps what it computes for further calls. `links` is the greatest
/// number of operations in the chain of dependences.
///
/// # Errors
/// Returns an error if the recording does not have the cycle or is damaged.
pub fn why(
    recording: &mut Recording,
    history: &mut History,
    program: &NamedProgram<'_>,
    cycle: Cycle,
    links: usize,
) -> Result<CycleExplanation, RecordingError> {
    if !recording.cycles().contains(&cycle) {
        return Err(RecordingError::NoSuchCycle(cycle, recording.cycles()));
    }
    let mut look = Look { recording, history, program };
    let past = look.history.cycle(look.recording, cycle)?;
    let (cause, address, banks) = match &past {
        Some(past) => (past.cause, past.address, past.banks),
        None => (None, None, Banks::NONE),
    };
    let beside = pause::kernel_gap(&mut look, cycle)?;
    let mut why = CycleExplanation {
        cycle,
        cause,
        address,
        banks,
        within: address.and_then(|address| look.program.innermost(address)),
        slots: Vec::new(),
        hold: None,
        skipped_by: None,
        pause: None,
        chain: Vec::new(),
        channel: ChannelExplanation {
            beats: beside.beats,
            conflict: beside.conflict,
            descriptor: beside.descriptor,
        },
    };
    match (cause, past) {
        (Some(Cause::SyncHold), Some(past)) => why.hold = hold::hold(&mut look, &past)?,
        (Some(Cause::Nullified), Some(past)) => {
            why.skipped_by = past.address.map(BundleAddress::before);
        }
        (Some(_), Some(past)) => slots(&mut look, &mut why, &past, links)?,
        _ => why.pause = Some(pause::pause(&mut look, cycle)?),
    }
    Ok(why)
}

/// Tells both slots of a bundle that issued, and the chain before the later of the operations that explain them.
fn slots(
    look: &mut Look<'_>,
    why: &mut CycleExplanation,
    past: &SegmentCycle,
    links: usize,
) -> Result<(), RecordingError> {
    for slot in [Slot::Arithmetic, Slot::Exchange] {
        why.slots.push(slot::story(look, past, slot, why.within)?);
    }
    // An operation that something kept explains more than one that the program puts later.
    let told = why.slots.iter().filter_map(SlotExplanation::binding);
    let first = told.max_by_key(|(_, by)| *by).map(|(issued, _)| issued.clone());
    if let Some(first) = first {
        why.chain = chain::chain(look, first, links)?;
    }
    Ok(())
}
