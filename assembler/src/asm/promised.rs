//! The places in which the promises of linear code were written.

use super::line::Loc;
use crate::diagnostic::Span;
use crate::linear::{Block, Region, TripCount};

/// The places in which the promises of a region were written: loops that count by registers, `.disjoint`, sets of `.even`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promised {
    pub(crate) counts: Vec<Option<Span>>,
    pub(crate) disjoint: Vec<Span>,
    pub(crate) even: Vec<Span>,
}

impl Promised {
    pub(crate) fn of(region: &Region, disjoint: &[Loc], even: &[Loc]) -> Self {
        let mut counts = Vec::new();
        places_of_counts(&region.blocks, &mut counts);
        let spans = |locs: &[Loc]| locs.iter().map(Loc::outermost).collect();
        Self { counts, disjoint: spans(disjoint), even: spans(even) }
    }
}

/// Adds the places of loops that count by registers. An outer loop comes before those inside.
fn places_of_counts(blocks: &[Block], found: &mut Vec<Option<Span>>) {
    for block in blocks {
        if let Block::Loop(l) = block {
            let is_counted = matches!(l.count, TripCount::Register { .. });
            found.extend(is_counted.then(|| l.span.clone()));
            places_of_counts(&l.body, found);
        }
    }
}
