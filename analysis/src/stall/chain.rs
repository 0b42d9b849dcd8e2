//! The chain of dependences before an operation: what it waited for last, what that waited for, and so on.

use super::Look;
use super::constraint::{Need, constraints};
use crate::history::Issued;
use crate::location::Location;
use cp2_emu::dma::{Beat, Visit};
use cp2_isa::Cycle;
use cp2_recording::RecordingError;

/// An operation of a chain of dependences, and what it waited for last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Operation of the link.
    pub issued: Issued,
    /// Operand that came last, the cycle in which it was there, and its giver.
    pub last: Option<(Location, Cycle, Giver)>,
}

/// The giver of the operand that came last, with which the chain goes on or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Giver {
    /// An operation, which is the next of the chain.
    Operation,
    /// A beat of the channel, which ends the chain.
    Beat(Beat, Option<Box<Visit>>),
}

impl Link {
    /// Returns the number of cycles between the last operand and the issue.
    pub fn spare(&self) -> Option<u64> {
        self.last.as_ref().map(|(_, ready, _)| self.issued.cycle.saturating_since(*ready))
    }
}

/// Returns the chain that ends with an operation, that one first, of at most `most` operations.
pub(super) fn chain(
    look: &mut Look<'_>,
    first: Issued,
    most: usize,
) -> Result<Vec<Link>, RecordingError> {
    let (mut links, mut next) = (Vec::new(), Some(first));
    while let Some(issued) = next.take()
        && links.len() < most
    {
        let mut last = None;
        for constraint in constraints(look, &issued)?.into_iter().filter(|c| !c.is_step) {
            match constraint.need {
                Need::Operand(location, giver) => {
                    last = Some((location, constraint.ready, Giver::Operation));
                    next = Some(*giver);
                }
                Need::Beat(location, beat, visit) => {
                    last = Some((location, constraint.ready, Giver::Beat(beat, visit)));
                }
                Need::Order(..) | Need::Reader(..) => continue,
            }
            break;
        }
        links.push(Link { issued, last });
    }
    Ok(links)
}
