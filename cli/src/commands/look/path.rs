//! `cp2 path`: the critical path of a run, and the same run on machines with a shorter latency.

use crate::args::{Path as Arguments, Start};
use crate::input::{machine, recording, subject};
use crate::process::exit::{Exit, Outcome, usage};
use crate::storage::files;
use cp2_analysis::path::{CriticalPath, PathReach, ShorterRun};
use cp2_isa::machine::Key;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn path(arguments: &Arguments) -> Outcome {
    let less = keys(arguments)?;
    let mut subject = subject::open(&arguments.run, &arguments.start, Path::new("-"))?;
    let subject::Subject { recording, programs, name, .. } = &mut subject;
    let reach = match arguments.every_cycle {
        true => PathReach::EveryCycle,
        false => PathReach::UnequalPieces,
    };
    let names = programs.names(recording.core());
    let found = CriticalPath::of(recording, &names, reach);
    let found = found.map_err(|e| subject::Subject::failed(name, &e))?;
    let shorter: Vec<ShorterRun> = less
        .into_iter()
        .map(|(key, value)| shorter_run(arguments, key, value))
        .collect::<Outcome<_>>()?;
    match arguments.json {
        true => files::print_json(&found.to_json(&shorter))?,
        false => {
            let text = found.text(arguments.places as usize) + &shorter_text(&found, &shorter);
            files::print(text.as_bytes())?;
        }
    }
    Ok(Exit::Success)
}

/// Returns the keys of `--less` with the numbers that they get.
fn keys(arguments: &Arguments) -> Outcome<Vec<(Key, u32)>> {
    let is_recording = recording::is_one(&arguments.run);
    let mut keys = Vec::new();
    for text in &arguments.less {
        if is_recording {
            return Err(usage(format!(
                "--less {text}: a recording cannot be run on another machine; give the program that was \
                 recorded, or use `cp2 whatif` for a kernel or procedure"
            )));
        }
        let named = text.split_once('.').and_then(|(section, name)| Key::named(section, name));
        let Some(key) = named else {
            return Err(usage(format!(
                "--less {text}: the machine has no such number; `cp2 run --machine vm7 --dump-config` \
                 prints all"
            )));
        };
        let (config, core) = machine::with_core(&arguments.start.machine)?;
        let of_core = || core.numbers().with_keys().into_iter().find(|(known, _)| *known == key);
        let value = match &config {
            Some(config) => Some(config.value(key)),
            None => of_core().map(|(_, value)| value),
        };
        let Some(value) = value.and_then(|value| value.checked_sub(1)) else {
            return Err(usage(format!("--less {text}: CP2 alone has no such number above 0")));
        };
        keys.push((key, value));
    }
    Ok(keys)
}

/// Runs the program again on a machine one of whose numbers is changed.
fn shorter_run(arguments: &Arguments, key: Key, value: u32) -> Outcome<ShorterRun> {
    let mut start: Start = arguments.start.clone();
    start.machine.changes.set.push(format!("{key}={value}"));
    // What the first run stores is not stored again.
    start.arrays.store.clear();
    let subject = subject::open(&arguments.run, &start, Path::new("-"))?;
    let cycles = subject.recording.cycles();
    let cycles = *cycles.end() - *cycles.start();
    Ok(ShorterRun { key: key.to_string(), value, cycles })
}

/// Returns the runs on other machines as text.
fn shorter_text(found: &CriticalPath, shorter: &[ShorterRun]) -> String {
    let all = found.total().cycles as i64;
    let mut text = if shorter.is_empty() { String::new() } else { "\n".to_owned() };
    for ShorterRun { key, value, cycles } in shorter {
        let edges = found.kinds.iter().find(|(kind, _)| kind.key() == Some(key));
        let estimate = edges.map_or(0, |(_, sum)| sum.edges);
        let saved = all - *cycles as i64;
        let _ = writeln!(
            text,
            "run again with {key}={value}: {cycles} cycles, {saved} saved; the path promised {estimate} at most"
        );
    }
    cp2_document::width::wrapped(&text)
}
