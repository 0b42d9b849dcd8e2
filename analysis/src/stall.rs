//! The explanation of a cycle of a run: what issued, what kept a slot empty or the whole issue held, and the chain of
//! dependences before it.

mod chain;
mod constraint;
mod hold;
mod json;
mod pause;
mod slot;
mod text;

pub use chain::{Giver, Link};
pub use constraint::{Constraint, Need};
pub use hold::{AwaitedResult, Hold};
pub use json::schema;
pub use pause::{Conflict, KernelGap};
pub use slot::{NextOperation, Reason, SlotStory};

use crate::history::{History, SegmentCycle};
use crate::program::{LoopUse, NamedProgram};
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::stats::Cause;
use cp2_isa::{Banks, BundleAddress, Cycle, Slot};
use cp2_recording::{Recording, RecordingError};

/// The activity of the DMA channel in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelStory {
    /// Beats that moved, each with its descriptor.
    pub beats: Vec<(Beat, Option<Visit>)>,
    /// Beat that waited because the kernel used its bank.
    pub conflict: Option<Conflict>,
    /// Descriptor that the channel was at in the cycle, with its visit.
    pub descriptor: Option<Visit>,
}

/// The explanation of a cycle of a recorded run: why it passed, and why nothing more issued in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Number of the cycle since reset.
    pub cycle: Cycle,
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Address of the bundle that issued, was nullified or held the issue.
    pub address: Option<BundleAddress>,
    /// Banks of local memory that the kernel accessed.
    pub banks: Banks,
    /// Innermost hardware loop that the bundle is in.
    pub within: Option<LoopUse>,
    /// Stories of both slots, if a bundle issued.
    pub slots: Vec<SlotStory>,
    /// Hold of the issue, if `sync` or `stop` held it.
    pub hold: Option<Hold>,
    /// Address of the `do` whose count was 0, if the bundle was nullified for it: it is the one before.
    pub skipped_by: Option<BundleAddress>,
    /// Pause between two kernels that the cycle lies in, if none ran.
    pub pause: Option<KernelGap>,
    /// Activity of the DMA channel in the cycle.
    pub channel: ChannelStory,
    /// Chain of dependences: the operation that explains the cycle, then what it waited for, and so on.
    pub chain: Vec<Link>,
}

/// The run and its program, which the parts of an explanation look at.
struct Look<'a> {
    recording: &'a mut Recording,
    history: &'a mut History,
    program: &'a NamedProgram<'a>,
}

/// Explains a cycle, with a chain of at most `links` operations.
///
/// # Errors
/// There is no such cycle, or the recording is damaged.
pub fn why(
    recording: &mut Recording,
    history: &mut History,
    program: &NamedProgram<'_>,
    cycle: Cycle,
    links: usize,
) -> Result<Why, RecordingError> {
    let mut look = Look { recording, history, program };
    let past = look.history.cycle(look.recording, cycle)?;
    let (cause, address, banks) = match &past {
        Some(past) => (past.cause, past.address, past.banks),
        None => (None, None, Banks::NONE),
    };
    let beside = pause::kernel_gap(&mut look, cycle)?;
    let mut why = Why {
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
        channel: ChannelStory {
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
    why: &mut Why,
    past: &SegmentCycle,
    links: usize,
) -> Result<(), RecordingError> {
    for slot in [Slot::Arithmetic, Slot::Exchange] {
        why.slots.push(slot::story(look, past, slot, why.within)?);
    }
    // An operation that something kept explains more than one that the program puts later.
    let told = why.slots.iter().filter_map(SlotStory::binding);
    let first = told.max_by_key(|(_, by)| *by).map(|(issued, _)| issued.clone());
    if let Some(first) = first {
        why.chain = chain::chain(look, first, links)?;
    }
    Ok(())
}
