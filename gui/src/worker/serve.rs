//! Answers the questions that are asked of a recording.

use crate::model::heat::Heat;
use crate::model::viewport::{VALUES, WINDOW};
use crate::worker::make::Made;
use crate::worker::program::Schedules;
use crate::worker::request::{Answer, Info, Key, Report, Snapshot, Way, Writer, Writers};
use crate::worker::{Desk, Mouth};
use crate::worker::{spans, values};
use cp2_analysis::accounting::Account;
use cp2_analysis::arrays::{KernelWords, WordsInTime};
use cp2_analysis::history::History;
use cp2_analysis::program::NamedProgram;
use cp2_analysis::slice::{SliceLimits, slice};
use cp2_analysis::stall::why;
use cp2_asm::image::Image;
use cp2_emu::Profile;
use cp2_emu::memory::Direction;
use cp2_emu::trace::{Destination, Event, Observer, PastCycle, Wants};
use cp2_isa::{Core, Cycle, SECTIONS, SectionMask};
use cp2_recording::{MatchChoice, Recording, RecordingError};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Number of cycles whose costs are counted at once between questions.
const COUNTED: u64 = 2_000_000;
/// Most operations in the chain behind a cycle.
const LINKS: usize = 12;
/// Number of cycles before one in which writers of words are looked for.
const WRITERS: u64 = 1 << 14;

/// Server of a recording, with its program and what is kept between questions.
struct Server {
    recording: Recording,
    image: Arc<Image>,
    core: Core,
    cycles: Range<Cycle>,
    history: History,
    /// Costs of bundles in the cycles that are counted.
    profile: Profile,
    heat: Heat,
}

/// Answers questions until nobody looks at the recording any more.
pub(crate) fn serve(made: Made, desk: &Desk, mouth: &Mouth) {
    let Made { recording, info, schedules } = made;
    let mut server = Server {
        recording,
        image: info.image.clone(),
        core: info.core,
        cycles: info.cycles.clone(),
        history: History::default(),
        profile: Profile::of_all_runs(&info.core),
        heat: Heat::from(info.cycles.start),
    };
    open(info, schedules, mouth);
    while !desk.is_closed() {
        let is_counted = server.heat.covered.end >= server.cycles.end;
        match if is_counted { desk.wait() } else { desk.first() } {
            Some(key) => {
                let answer = server.answer(key);
                let answer = answer.unwrap_or_else(|e| Answer::None(e.to_string().into()));
                mouth.say(Report::Answer(key, answer));
                desk.done(key);
            }
            None if is_counted => return,
            None => server.count(mouth),
        }
    }
}

/// Tells that a recording is open, and the schedules of its program: before, if they are known, else when a thread of its own has
/// found them.
fn open(info: Box<Info>, schedules: Schedules, mouth: &Mouth) {
    let found = match schedules {
        Schedules::Known(loops) => {
            mouth.say(Report::Schedules(Arc::new(loops)));
            return mouth.say(Report::Open(info));
        }
        Schedules::Found(found) => found,
    };
    mouth.say(Report::Open(info));
    let told = mouth.clone();
    let work = move || told.say(Report::Schedules(Arc::new(found())));
    if std::thread::Builder::new().name("schedules".to_owned()).spawn(work).is_err() {
        mouth.say(Report::Schedules(Arc::default()));
    }
}

impl Server {
    /// Counts what bundles cost in the next cycles. What cannot be counted is passed over.
    fn count(&mut self, mouth: &Mouth) {
        let begin = self.heat.covered.end;
        let until = (begin + COUNTED).min(self.cycles.end);
        match self.recording.profile(begin..until) {
            Ok(profile) => {
                self.profile.join(&profile);
                self.heat.add(profile.bundles(), until);
            }
            Err(_) => self.heat.add(&[], until),
        }
        mouth.say(Report::Heat(Arc::new(self.heat.clone())));
        if until >= self.cycles.end {
            let program = NamedProgram::new(&self.image, &self.core);
            let account = Account::of_profile(&mut self.recording, &program, &self.profile);
            if let Ok(account) = account {
                mouth.say(Report::Account(Arc::new(account)));
            }
        }
    }

    fn answer(&mut self, key: Key) -> Result<Answer, RecordingError> {
        let Self { recording, cycles, history, image, .. } = self;
        Ok(match key {
            Key::State(cycle) => {
                let cycle = recording.seek(cycle)?;
                let cp2 = recording.cp2();
                let (state, cause) = (recording.state().clone(), cp2.cause());
                let status = cp2.status();
                Answer::State(Arc::new(Snapshot { cycle, state, cause, status }))
            }
            Key::Window(number) => {
                Answer::Window(Arc::new(recording.window(block(number, WINDOW, cycles))?))
            }
            Key::Stretches(grain, number) => {
                let range = block(number, grain.block(), cycles);
                let n = (range.end - range.start).div_ceil(grain.stretch());
                Answer::Stretches(Arc::new(recording.counts(range, n as usize)?))
            }
            Key::Writers(cycle) => Answer::Writers(Arc::new(writers(recording, cycle, cycles)?)),
            Key::Words(cycle) => {
                let found = KernelWords::find(recording, history, cycle, &|_| Some(&**image))?;
                Answer::Words(found.map(Arc::new))
            }
            Key::LastWrite(place, cycle) => {
                recording.seek(cycle)?;
                Answer::LastWrite(recording.last_write(place)?.map(Arc::new))
            }
            Key::Slice(location, cycle) => {
                let limits = SliceLimits::default();
                let found = slice(recording, history, location, cycle, limits)?;
                let words = words(recording, history, image, found.named_cycles())?;
                Answer::Slice(Arc::new(found), Arc::new(words))
            }
            Key::Why(cycle) => {
                let words = words(recording, history, image, vec![cycle])?;
                let program = NamedProgram::new(image, &self.core).with_words(&words);
                let found = why(recording, history, &program, cycle, LINKS)?;
                Answer::Why(found.text(&program).into())
            }
            Key::Spans => named_spans(recording, image),
            Key::Costs(begin, end) => {
                let mut costs = Heat::from(begin);
                costs.add(recording.profile(begin..end)?.bundles(), end);
                Answer::Costs(Arc::new(costs))
            }
            Key::Values(place, number) => {
                let range = block(number, VALUES, cycles);
                Answer::Values(Arc::new(values::course(recording, place, range)?))
            }
            Key::FindValue(place, test, cycle, way) => {
                let range = match way {
                    Way::Back => (cycles.start..cycle, MatchChoice::Last),
                    Way::Forward => (cycle..cycles.end, MatchChoice::First),
                };
                Answer::FoundValue(values::find(recording, place, test, range)?)
            }
            Key::Account(begin, end) => {
                account(recording, &NamedProgram::new(image, &self.core), begin..end)
            }
        })
    }
}

/// Returns the names of words of local memory in some cycles.
fn words(
    recording: &mut Recording,
    history: &mut History,
    image: &Image,
    cycles: Vec<Cycle>,
) -> Result<WordsInTime, RecordingError> {
    let mut words = WordsInTime::of(image, recording.core());
    words.find(recording, history, cycles, &|_| Some(image))?;
    Ok(words)
}

/// Returns the names of the run in the course of its cycles.
fn named_spans(recording: &mut Recording, image: &Image) -> Answer {
    match spans::spans(recording, image) {
        Ok(spans) => Answer::Spans(Arc::new(spans)),
        Err(e) => Answer::None(e.to_string().into()),
    }
}

/// Returns the account of a span.
fn account(recording: &mut Recording, program: &NamedProgram<'_>, span: Range<Cycle>) -> Answer {
    match Account::of_span(recording, &[(program, vec![span.clone()])], span) {
        Ok(account) => Answer::Account(Arc::new(account)),
        Err(e) => Answer::None(e.to_string().into()),
    }
}

/// Returns the cycles of a block that the run has.
fn block(number: u64, length: u64, cycles: &Range<Cycle>) -> Range<Cycle> {
    let begin = Cycle(number * length).max(cycles.start);
    let end = Cycle((number + 1).saturating_mul(length)).min(cycles.end);
    begin..end.max(begin)
}

/// Observer that notes which bundle writes which word.
struct Notes {
    writers: Writers,
    /// Words that were written in the cycle that is under way.
    now: Vec<(u16, u8, Writer)>,
}

impl Observer for Notes {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        for written in event.written.iter().flatten() {
            let words = match written.destination {
                Destination::Word(word) => [word; SECTIONS],
                Destination::Words(words) => words,
                Destination::Register(_) => continue,
            };
            let writer = Writer { cycle: Cycle::RESET, bundle: Some(event.address) };
            let sections = SectionMask::from_bits(event.enabled);
            let all = sections.iter().map(|s| (words[s.index()].0, s.index() as u8, writer));
            self.now.extend(all);
        }
    }

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        for (word, section, writer) in self.now.drain(..) {
            let writer = Writer { cycle: past.number, ..writer };
            self.writers.words.insert((word, section), writer);
        }
        ControlFlow::Continue(())
    }
}

fn writers(
    recording: &mut Recording,
    cycle: Cycle,
    cycles: &Range<Cycle>,
) -> Result<Writers, RecordingError> {
    let begin = Cycle(cycle.0.saturating_sub(WRITERS)).max(cycles.start);
    let mut notes = Notes { writers: Writers::default(), now: Vec::new() };
    notes.writers.cycles = begin..cycle;
    let beside = recording.watch(begin..cycle, &mut notes)?;
    let mut writers = notes.writers;
    for beat in beside.beats.iter().filter(|beat| beat.direction == Direction::Get) {
        let Some(local) = beat.local else { continue };
        for word in local.0..local.0 + u16::from(beat.bytes / 8) {
            for section in SectionMask::from_bits(beat.sections).iter() {
                let writer = Writer { cycle: beat.cycle, bundle: None };
                let place = writers.words.entry((word, section.index() as u8)).or_insert(writer);
                if place.cycle <= writer.cycle {
                    *place = writer;
                }
            }
        }
    }
    Ok(writers)
}
