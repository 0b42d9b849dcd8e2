//! The chain of dependences before an operation: the operation whose result it waited for last, the one that this
//! waited for, and so on.

use super::Look;
use super::constraint::{ConstraintKind, constraints};
use crate::history::Issued;
use crate::location::Location;
use cp2_emu::dma::{Beat, Visit};
use cp2_isa::Cycle;
use cp2_recording::RecordingError;

/// A link of a chain of dependences: an operation, and the operand that it waited for last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The operation of this link of the chain, with its cycle.
    pub issued: Issued,
    /// Operand that was ready last: its location, the first cycle in which the operation could see it, and its source.
    /// `None` if no operand came from an operation or a beat.
    pub last: Option<(Location, Cycle, OperandSource)>,
}

/// The source of an operand in a chain of dependences, with which the chain goes on or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandSource {
    /// An operation gave the operand; it is the next link of the chain.
    Operation,
    /// A beat of the DMA channel gave the operand and ends the chain; with the visit to its descriptor, if it is known.
    Beat(Beat, Option<Box<Visit>>),
}

impl Link {
    /// Returns the number of cycles from the one in which the last operand was ready to the issue of the operation;
    /// `None` if no operand is known.
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
            match constraint.kind {
                ConstraintKind::Operand(location, giver) => {
                    last = Some((location, constraint.ready, OperandSource::Operation));
                    next = Some(*giver);
                }
                ConstraintKind::Beat(location, beat, visit) => {
                    last = Some((location, constraint.ready, OperandSource::Beat(beat, visit)));
                }
                ConstraintKind::Order(..) | ConstraintKind::Reader(..) => continue,
            }
            break;
        }
        links.push(Link { issued, last });
    }
    Ok(links)
}
