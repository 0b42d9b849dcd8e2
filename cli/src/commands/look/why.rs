//! `cp2 why`: a cycle or a value explained.

use crate::args::Why;
use crate::input::programs::Programs;
use crate::input::subject::{self, Subject};
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use cp2_analysis::arrays::WordsInTime;
use cp2_analysis::history::History;
use cp2_analysis::location::Location;
use cp2_analysis::program::NamedProgram;
use cp2_analysis::slice::{self, SliceLimits};
use cp2_analysis::stall;
use cp2_isa::Cycle;
use cp2_recording::{Recording, RecordingError};
use std::path::Path;

pub(crate) fn why(arguments: &Why) -> Outcome {
    let mut subject = subject::open(&arguments.run, &arguments.start, Path::new("-"))?;
    match (arguments.value, arguments.cycle) {
        (Some((location, cycle)), _) => value(arguments, &mut subject, location, Cycle(cycle)),
        (None, cycle) => cycle_of(arguments, &mut subject, Cycle(cycle.unwrap_or_default())),
    }
}

fn value(arguments: &Why, subject: &mut Subject, location: Location, cycle: Cycle) -> Outcome {
    subject.check(cycle)?;
    let core = *subject.recording.core();
    if !location.exists(&core) {
        return Err(bad_input(format!(
            "--value {location}: the machine has no such register or word"
        )));
    }
    let limits = SliceLimits {
        depth: arguments.depth,
        nodes: arguments.nodes as usize,
        addresses: arguments.addresses,
    };
    let mut history = History::new(arguments.reach);
    let Subject { recording, programs, name, .. } = subject;
    let slice = slice::slice(recording, &mut history, location, cycle, limits);
    let slice = slice.map_err(|e| Subject::failed(name, &e))?;
    let names = programs.names(&core);
    let words = words(recording, &mut history, programs, slice.named_cycles());
    let words = words.map_err(|e| Subject::failed(name, &e))?;
    let names = NamedProgram::new(programs.image_in(cycle), &core).with_turns(&names);
    let names = names.with_words(&words);
    match (arguments.json, arguments.dot) {
        (true, _) => files::print_json(&slice.to_json(&names))?,
        (_, true) => files::print(slice.dot(&names).as_bytes())?,
        _ => files::print(slice.text(&names).as_bytes())?,
    }
    Ok(Exit::Success)
}

/// Returns the names that words of local memory have in some cycles.
fn words(
    recording: &mut Recording,
    history: &mut History,
    programs: &Programs,
    cycles: impl IntoIterator<Item = Cycle>,
) -> Result<WordsInTime, RecordingError> {
    let mut words = WordsInTime::of(programs.whole(), recording.core());
    words.find(recording, history, cycles, &|cycle| Some(programs.image_in(cycle)))?;
    Ok(words)
}

fn cycle_of(arguments: &Why, subject: &mut Subject, cycle: Cycle) -> Outcome {
    subject.check(cycle)?;
    let core = *subject.recording.core();
    let mut history = History::new(arguments.reach);
    let Subject { recording, programs, name, .. } = subject;
    let names = programs.names(&core);
    let words = words(recording, &mut history, programs, [cycle]);
    let words = words.map_err(|e| Subject::failed(name, &e))?;
    let program = NamedProgram::new(programs.image_in(cycle), &core).with_turns(&names);
    let program = program.with_words(&words);
    let why = stall::why(recording, &mut history, &program, cycle, arguments.depth as usize);
    let why = why.map_err(|e| Subject::failed(name, &e))?;
    match arguments.json {
        true => files::print_json(&why.to_json(&program))?,
        false => files::print(why.text(&program).as_bytes())?,
    }
    Ok(Exit::Success)
}
