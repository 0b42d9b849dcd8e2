//! Searches for what happened last before a cycle, or what comes next: writes of a register or word, cycles in which a
//! condition holds. Stretches whose counts show that they cannot contain it are passed over: between checkpoints by the
//! summary, within them by the counts of the engine. The others are gone through cycle by cycle.

use crate::counts::Counts;
use crate::error::RecordingError;
use crate::look::finder::{
    Condition, CountedCondition, Finder, MatchChoice, Times, Write, WriteCondition, moves,
};
use crate::look::legs::{SearchedSpan, earlier};
use crate::look::suspects::Suspects;
use crate::recording::Recording;
use cp2_emu::State;
use cp2_emu::dma::Beat;
use cp2_isa::{Cycle, StorageCell as Cell};
use std::ops::Range;

/// The knowledge of a stretch before it is gone through.
struct Facts<'a> {
    counts: &'a Counts,
    cycles: u64,
    /// Number of cycles of the bundles that are suspected, if they were counted.
    suspected: Option<u64>,
    /// Registers and local memory before the stretch, if they are at hand.
    before: Option<&'a State>,
}

/// A query: something to look for.
trait Query {
    type Found;

    /// Returns the number of cycles before a stretch in which something begins that ends in it.
    fn lead(&self) -> u64;

    /// Returns the bundles that can do what is looked for, if only some can.
    fn suspects(&self) -> Option<&Suspects>;

    /// Whether what is looked for may be in a stretch.
    fn may_be_in(&self, facts: &Facts<'_>) -> bool;

    fn search(
        &mut self,
        stretch: SearchedSpan,
        which: MatchChoice,
    ) -> Result<Option<Self::Found>, RecordingError>;
}

/// Query for a write of a place that meets a condition.
struct Writes<'a> {
    cell: Cell,
    condition: &'a dyn WriteCondition,
    lead: u64,
    suspects: Option<Suspects>,
}

impl Query for Writes<'_> {
    type Found = Write;

    fn lead(&self) -> u64 {
        self.lead
    }

    fn suspects(&self) -> Option<&Suspects> {
        self.suspects.as_ref()
    }

    fn may_be_in(&self, facts: &Facts<'_>) -> bool {
        self.suspects.as_ref().is_none_or(|s| s.may_be_in(facts.counts, facts.suspected))
    }

    fn search(
        &mut self,
        stretch: SearchedSpan,
        which: MatchChoice,
    ) -> Result<Option<Write>, RecordingError> {
        let Some(first) = stretch.parts.first() else { return Ok(None) };
        let (wanted, state) = ((which, self.condition), &first.place.machine.cp2.state);
        let mut finder = Finder::new(self.cell, wanted, stretch.begin, state);
        let mut beats = Vec::new();
        for mut part in stretch.parts {
            let begin = part.place.machine.cycle();
            part.place.machine.dma.keep_log();
            finder.expect(&part.acts);
            part.run(&mut finder)?;
            let machine = &part.place.machine;
            finder.settle(begin, machine.cycle(), &machine.cp2.state);
            beats.extend(part.place.machine.dma.take_beats());
            if which == MatchChoice::First && finder.found.is_some() {
                break;
            }
        }
        // A beat that changes nothing.
        let write = |beat: &Beat| {
            let (cycle, beat) = (beat.cycle, Some(*beat));
            Write { cycle, operation: None, beat, value: finder.value }
        };
        let mut beats = beats.into_iter().filter(|beat| {
            beat.cycle >= stretch.begin && moves(beat, self.cell) && finder.admits(&write(beat))
        });
        let beat = match which {
            MatchChoice::First => beats.next(),
            MatchChoice::Last => beats.next_back(),
        };
        let Some(beat) = beat else { return Ok(finder.found) };
        Ok(Some(match finder.found.take() {
            // The write of an operation comes first, or last.
            Some(write) if which == MatchChoice::First && write.cycle < beat.cycle => write,
            Some(write) if which == MatchChoice::Last && write.cycle > beat.cycle => write,
            Some(write) if write.cycle == beat.cycle => Write { beat: Some(beat), ..write },
            _ => {
                Write { cycle: beat.cycle, operation: None, beat: Some(beat), value: finder.value }
            }
        }))
    }
}

/// Query for a cycle in which a condition holds.
struct Moments<'a> {
    condition: &'a mut dyn Condition,
    lead: u64,
    about: Option<CountedCondition>,
    suspects: Option<Suspects>,
}

impl Query for Moments<'_> {
    type Found = Cycle;

    fn lead(&self) -> u64 {
        self.lead
    }

    fn suspects(&self) -> Option<&Suspects> {
        self.suspects.as_ref()
    }

    fn may_be_in(&self, facts: &Facts<'_>) -> bool {
        let Facts { counts, cycles, .. } = facts;
        match self.about {
            None => self.suspects.as_ref().is_none_or(|s| s.may_be_in(counts, facts.suspected)),
            Some(CountedCondition::Cause(Some(cause))) => counts.causes[cause as usize] > 0,
            Some(CountedCondition::Cause(None)) => counts.kernel_cycles() < *cycles,
            // Accesses of bundles that the host sends to CP2 are counted for no kernel.
            Some(CountedCondition::Bank(bank)) => {
                counts.kernel_cycles() < *cycles
                    || counts.banks.get(bank.index()).is_none_or(|&accesses| accesses > 0)
            }
            Some(CountedCondition::Value(cell, value)) => {
                facts.before.is_none_or(|state| state.get(cell) == Some(value))
                    || self.suspects.as_ref().is_none_or(|s| s.may_be_in(counts, facts.suspected))
            }
        }
    }

    fn search(
        &mut self,
        stretch: SearchedSpan,
        which: MatchChoice,
    ) -> Result<Option<Cycle>, RecordingError> {
        let (condition, begin) = (&mut *self.condition, stretch.begin);
        let mut times = Times { condition, which, begin, found: None };
        for mut part in stretch.parts {
            part.run(&mut times)?;
            if which == MatchChoice::First && times.found.is_some() {
                break;
            }
        }
        Ok(times.found)
    }
}

impl Recording {
    /// Returns the last write of a register or of a word of a memory of CP2 before the current cycle, by an operation,
    /// the channel or the host; `None` if there is none. The recording stays in its current cycle.
    ///
    /// # Errors
    /// A part of the recording is damaged, or the listener to the progress has cancelled the search.
    pub fn last_write(&mut self, cell: Cell) -> Result<Option<Write>, RecordingError> {
        self.write(cell, MatchChoice::Last)
    }

    /// Returns the first write of a register or of a word of a memory of CP2 in the current cycle or after it; `None`
    /// if there is none. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The same as of [`Self::last_write`].
    pub fn next_write(&mut self, cell: Cell) -> Result<Option<Write>, RecordingError> {
        self.write(cell, MatchChoice::First)
    }

    fn write(&mut self, cell: Cell, which: MatchChoice) -> Result<Option<Write>, RecordingError> {
        self.find_write(cell, self.range(which), which, &())
    }

    /// Returns the cycles from the current one on, or those before it.
    fn range(&self, which: MatchChoice) -> Range<Cycle> {
        match which {
            MatchChoice::First => self.cycle()..*self.cycles().end(),
            MatchChoice::Last => *self.cycles().start()..self.cycle(),
        }
    }

    /// Returns the first or last write of a register or of a word of a memory of CP2 in a range of cycles that meets a condition;
    /// `None` if there is none. Where the host acts just before the state that the condition asks for, a write is returned whether
    /// the condition holds or not. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The same as of [`Self::last_write`].
    pub fn find_write(
        &mut self,
        cell: Cell,
        range: Range<Cycle>,
        which: MatchChoice,
        condition: &dyn WriteCondition,
    ) -> Result<Option<Write>, RecordingError> {
        let (lead, suspects) = (self.lead(), self.suspects(cell)?);
        let found = self.walk(&range, which, &mut Writes { cell, condition, lead, suspects })?;
        let name = |write: Write| Write { operation: write.operation.map(|e| e.named()), ..write };
        Ok(found.map(name))
    }

    /// Returns the last cycle before the current one for which a condition on its cause, its accesses to banks or the
    /// state of CP2 after it holds; `None` if there is none. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The same as of [`Self::last_write`].
    pub fn last_time(
        &mut self,
        mut condition: impl Condition,
    ) -> Result<Option<Cycle>, RecordingError> {
        self.find_time(self.range(MatchChoice::Last), MatchChoice::Last, &mut condition)
    }

    /// Returns the first cycle, from the current one on, for which a condition on its cause, its accesses to banks or
    /// the state of CP2 after it holds; `None` if there is none. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The same as of [`Self::last_write`].
    pub fn next_time(
        &mut self,
        mut condition: impl Condition,
    ) -> Result<Option<Cycle>, RecordingError> {
        self.find_time(self.range(MatchChoice::First), MatchChoice::First, &mut condition)
    }

    /// Returns the first or last cycle of a range for which a condition holds; `None` if there is none. The recording stays in its
    /// current cycle.
    ///
    /// # Errors
    /// The same as of [`Self::last_write`].
    pub fn find_time(
        &mut self,
        range: Range<Cycle>,
        which: MatchChoice,
        condition: &mut dyn Condition,
    ) -> Result<Option<Cycle>, RecordingError> {
        let about = condition.about();
        let (lead, suspects) = match (about, condition.bundles()) {
            (Some(CountedCondition::Value(cell, _)), _) => (self.lead(), self.suspects(cell)?),
            (None, Some(bundles)) => {
                let mut suspects = Suspects::of_bundles(bundles, *self.core());
                self.instructions(|address, word| suspects.add(address, word))?;
                (1, Some(suspects))
            }
            _ => (0, None),
        };
        self.walk(&range, which, &mut Moments { condition, lead, about, suspects })
    }

    /// Returns the number of cycles after which everything has landed that is under way.
    pub(crate) fn lead(&self) -> u64 {
        self.core().latencies().longest().into()
    }

    /// Returns the bundles that may write a place, whenever they were in instruction memory.
    fn suspects(&mut self, cell: Cell) -> Result<Option<Suspects>, RecordingError> {
        let Some(mut suspects) = Suspects::of(cell, *self.core()) else { return Ok(None) };
        self.instructions(|address, word| suspects.add(address, word))?;
        Ok(Some(suspects))
    }

    /// Goes through a range of cycles, forwards or back, until something is found.
    fn walk<Q: Query>(
        &mut self,
        range: &Range<Cycle>,
        which: MatchChoice,
        query: &mut Q,
    ) -> Result<Option<Q::Found>, RecordingError> {
        let all = self.cycles();
        let range = range.start.max(*all.start())..range.end.min(*all.end());
        if range.is_empty() {
            return Ok(None);
        }
        let mut numbers: Vec<usize> = self.intervals(&range).collect();
        if which == MatchChoice::Last {
            numbers.reverse();
        }
        self.aside(|recording| {
            let mut done = 0;
            for number in numbers {
                recording.told.tell(done, range.end - range.start)?;
                let span = recording.span(number);
                let span = span.start.max(range.start)..span.end.min(range.end);
                if recording.may_be_between(number, query)? {
                    let found = recording.look_between(number, &span, which, query)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                done += span.end - span.start;
            }
            Ok(None)
        })
    }

    /// Whether something may be found behind a checkpoint and before the next one.
    fn may_be_between<Q: Query>(
        &mut self,
        number: usize,
        query: &Q,
    ) -> Result<bool, RecordingError> {
        let span = self.span(number);
        let counted = self.counted(earlier(span.start, query.lead())..span.end)?;
        let (counts, cycles) = (&counted.counts, counted.cycles());
        if query.may_be_in(&Facts { counts, cycles, suspected: None, before: None }) {
            return Ok(true);
        }
        let Some(suspects) = query.suspects() else { return Ok(false) };
        Ok(self.begin_of(number)?.is_cut || self.is_open(number, suspects)?)
    }

    /// Whether a place may be written behind a checkpoint by others than the bundles of kernels.
    fn is_open(&mut self, number: usize, suspects: &Suspects) -> Result<bool, RecordingError> {
        if self.begin_of(number)?.has_queue {
            return Ok(true);
        }
        // What was sent just before a checkpoint lands behind it.
        for number in number.saturating_sub(1)..=number {
            if suspects.may_act(&self.acts_behind(number)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for something behind a checkpoint and before the next one.
    fn look_between<Q: Query>(
        &mut self,
        number: usize,
        span: &Range<Cycle>,
        which: MatchChoice,
        query: &mut Q,
    ) -> Result<Option<Q::Found>, RecordingError> {
        let is_open = match query.suspects() {
            Some(suspects) => self.is_open(number, suspects)?,
            None => false,
        };
        let mut legs = self.legs(number, span, query.lead())?;
        let mut hot = Vec::new();
        // What issues at the end of a leg lands in the next one, and what issues in the first cycles of a leg belongs to the
        // stretch before. Cycles before the first leg were not counted.
        let mut waiting: Option<(SearchedSpan, bool)> = None;
        let mut was_hot = true;
        while let Some((stretch, leg)) = legs.next_leg(self, query.suspects())? {
            self.told.again()?;
            let facts = Facts {
                counts: &leg.counts,
                cycles: leg.cycles,
                suspected: leg.suspected,
                before: stretch.parts.last().map(|part| &part.place.machine.cp2.state),
            };
            let is_hot = is_open || query.may_be_in(&facts);
            let before = waiting.replace((stretch, is_hot || query.lead() > 0 && was_hot));
            was_hot = is_hot;
            hot.extend(before.filter(|(_, hot)| *hot || is_hot).map(|(stretch, _)| stretch));
            if which == MatchChoice::First
                && let Some(stretch) = hot.pop()
                && let Some(found) = query.search(stretch, which)?
            {
                return Ok(Some(found));
            }
        }
        hot.extend(waiting.filter(|(_, hot)| *hot).map(|(stretch, _)| stretch));
        if which == MatchChoice::Last {
            hot.reverse();
        }
        for stretch in hot {
            self.told.again()?;
            if let Some(found) = query.search(stretch, which)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
