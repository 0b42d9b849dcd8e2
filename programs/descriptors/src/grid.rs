//! The beats of a run in the order in which they are drawn: for each descriptor the beats of its stream, and the
//! sections that have these beats. How the drawings look is in `map` and `picture`.

use crate::run::Report;
use cp2_emu::dma::{Beat, Descriptor, Visit};
use cp2_isa::SECTIONS;
use std::ops::Range;

/// Beats of one descriptor.
pub(super) struct Stream<'a> {
    pub(super) visit: &'a Visit,
    pub(super) beats: &'a [Beat],
}

impl Stream<'_> {
    /// Returns the name of the action.
    pub(super) fn kind(&self) -> &'static str {
        self.visit.words.map_or("get", |words| Descriptor::decode(&words).action.name())
    }

    /// Returns the name of what one step of the stream moves.
    pub(super) fn thing(&self) -> &'static str {
        match (self.kind(), self.beats.first()) {
            ("get_words" | "put_words" | "gather", _) => "piece",
            (_, Some(beat)) if beat.bytes == 8 => "word",
            _ => "beat",
        }
    }

    /// Returns the words of local memory that `section` gives or takes, each with the place of its beat in the stream.
    pub(super) fn words(&self, section: usize) -> impl Iterator<Item = (usize, usize)> {
        self.beats.iter().enumerate().filter(move |(_, beat)| has(beat, section)).flat_map(
            |(place, beat)| {
                let first = beat.local.unwrap_or_default().index();
                beat.places().map(move |k| (first + k, place))
            },
        )
    }

    /// Returns the smallest window of local memory that has all words of the stream. The size is a power of two from 32
    /// words to `lmem_words`, and the window begins at a multiple of it.
    pub(super) fn window(&self, lmem_words: usize) -> Range<usize> {
        const LEAST: usize = 32;
        let words = || (0..SECTIONS).flat_map(|s| self.words(s)).map(|(word, _)| word);
        let (low, high) = (words().min().unwrap_or(0), words().max().unwrap_or(0));
        let mut size = LEAST.min(lmem_words);
        while low / size != high / size && size < lmem_words {
            size *= 2;
        }
        let begin = low / size * size;
        begin..begin + size
    }
}

/// Whether a section takes or gives a beat.
pub(super) fn has(beat: &Beat, section: usize) -> bool {
    beat.sections >> section & 1 == 1
}

/// Returns the descriptors of a report that moved beats, each with those of its beats that were kept.
pub(super) fn streams<'a>(report: &'a Report, beats: &'a [Beat]) -> Vec<Stream<'a>> {
    let mut rest = beats;
    let mut streams = Vec::new();
    for (n, visit) in (0..).zip(&report.visits) {
        let own = rest.iter().take_while(|beat| beat.visit == n).count();
        let (beats, others) = rest.split_at(own);
        rest = others;
        if !beats.is_empty() {
            streams.push(Stream { visit, beats });
        }
    }
    streams
}
