//! A report on a run as one page of HTML that needs no other file: summary, timeline, roofline, heat by line. The
//! numbers are those of the account and of the recording's summary; windows show every cycle. Drawn with uPlot (MIT),
//! which is part of the page with its licence.

mod rows;

use crate::accounting::{Account, AccountError};
use crate::arrays::WordsInTime;
use crate::history::{History, Issued};
use crate::palette::{self, Colour};
use crate::program::{NamedProgram, ProgramInCycles};
use crate::words::{beat_text, operation_text_with, place_text};
use cp2_document::html;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_isa::{Cycle, Slot};
use cp2_recording::{CycleRecord, Leaf, Recording, RecordingError, Window};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Number of stretches of the timeline at most.
const STRETCHES: u64 = 4096;
/// Number of cycles of a stretch of a long run at least: an engine that translates counts those of 512 cycles and more.
const SHORTEST: u64 = 512;
/// Length of the longest run whose stretches may be shorter, in cycles: the reference engine counts them.
const SHORT_RUN: u64 = 1 << 18;
/// Length of the longest run whose stretches are counted anew where its summary is too coarse, in cycles.
const COUNTED: u64 = 1 << 24;
/// The greatest number of cycles of a window that a page shows one by one: 8192.
pub const WINDOW: u64 = 1 << 13;

/// A request for a page about a run: its title, and the windows of cycles that it shows one by one.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// Title of the HTML page.
    pub title: String,
    /// Command line that asked for the page, which the page shows.
    pub made_by: String,
    /// Ranges of cycles, counted from reset, that the page shows one by one, each of at most [`WINDOW`] cycles.
    pub windows: Vec<Range<Cycle>>,
}

/// Returns the HTML page about a recorded run. `programs` are those that took turns in instruction memory, each with the
/// cycles in which it was there, which are all cycles together. `source` returns the text of a line, given the name of its file and its
/// number from 1; `None` if the text is not at hand.
///
/// # Errors
/// Returns an error if the recording is damaged, or if the sums of the account do not agree.
pub fn page(
    recording: &mut Recording,
    programs: &[ProgramInCycles<'_>],
    request: &ReportRequest,
    source: &dyn Fn(&str, u32) -> Option<String>,
) -> Result<String, AccountError> {
    let mut account = Account::of_programs(recording, programs)?;
    let leaves = stretches(recording)?;
    let banks = recording.core().banks();
    let mut windows = Vec::new();
    for range in &request.windows {
        windows.push(window(recording, programs, range.clone())?);
    }
    let parts = rows::Parts::of(&mut account.profile, source);
    let mut data = json!({
        "account": account.to_json(),
        "parts": parts.to_json(),
        "timeline": { "banks": banks, "rows": rows::text_of(leaves.iter().map(|leaf| row(leaf, banks))) },
        "steps": rows::steps(recording.steps()?),
        "windows": windows,
        "palette": colours(),
        "made_by": request.made_by,
    });
    hide_folders(&mut data, &[&account.command, &request.made_by]);
    Ok(filled(&request.title, &data))
}

/// Cuts the folders off all files that `commands` or the lines of the profile name by absolute paths, and off the program that a
/// command begins with: a page that is sent to others does not tell where its sender keeps files.
fn hide_folders(data: &mut Value, commands: &[&str]) {
    let mut folders = BTreeSet::new();
    let mut add = |path: &str| {
        if let Some((folder, _)) = path.rsplit_once('/') {
            folders.insert(format!("{folder}/"));
        }
    };
    let is_absolute = |path: &&str| path.starts_with('/');
    for command in commands {
        let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        words.next().into_iter().for_each(&mut add);
        let values = words.map(|word| word.rsplit('=').next().unwrap_or(word));
        values.filter(is_absolute).for_each(&mut add);
    }
    let files = data["parts"]["files"].as_array().into_iter().flatten();
    let files: BTreeSet<&str> = files.filter_map(Value::as_str).collect();
    files.into_iter().filter(is_absolute).for_each(&mut add);
    // The longest first, since one may begin with another.
    let mut folders: Vec<_> = folders.into_iter().filter(|folder| folder.len() > 1).collect();
    folders.sort_by_key(|folder| Reverse(folder.len()));
    replace_in_texts(data, &folders);
}

/// Takes texts out of all texts and keys of a document.
fn replace_in_texts(data: &mut Value, taken: &[String]) {
    if taken.is_empty() {
        return;
    }
    // Most texts have no folder in them, and a page has many.
    let has_one = |text: &str| {
        text.contains('/') && taken.iter().any(|folder| text.contains(folder.as_str()))
    };
    let without = |text: &str| {
        taken.iter().fold(text.to_owned(), |text, folder| text.replace(folder.as_str(), ""))
    };
    match data {
        Value::String(text) if has_one(text) => *text = without(text),
        Value::String(_) => {}
        Value::Array(all) => all.iter_mut().for_each(|one| replace_in_texts(one, taken)),
        Value::Object(all) => {
            all.values_mut().for_each(|value| replace_in_texts(value, taken));
            if all.keys().any(|key| has_one(key)) {
                let old = std::mem::take(all);
                all.extend(old.into_iter().map(|(key, value)| (without(&key), value)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the template with its parts filled in.
fn filled(title: &str, data: &Value) -> String {
    let (data, title) = (html::in_script(data), html::escaped(title));
    let parts = [
        ("@TITLE@", title.as_str()),
        ("@UPLOT_CSS@", include_str!("report/uplot/uPlot.min.css")),
        ("@CSS@", include_str!("report/page.css")),
        ("@LICENSE@", include_str!("report/uplot/LICENSE")),
        ("@UPLOT@", include_str!("report/uplot/uPlot.iife.min.js")),
        ("@MACHINE@", include_str!("report/machine.js")),
        ("@JS@", include_str!("report/page.js")),
        ("@DATA@", data.as_str()),
    ];
    html::filled(include_str!("report/page.html"), &parts)
}

/// Returns the stretches of the whole run, as fine as a page can hold.
fn stretches(recording: &mut Recording) -> Result<Vec<Leaf>, RecordingError> {
    let all = *recording.cycles().start()..*recording.cycles().end();
    let length = all.end - all.start;
    let coarse = recording.summary()?.within(&all, STRETCHES as usize);
    if length > COUNTED || coarse.len() as u64 >= STRETCHES / 4 {
        return Ok(coarse.to_vec());
    }
    let n = if length > SHORT_RUN { STRETCHES.min(length / SHORTEST) } else { STRETCHES };
    recording.counts(all, n as usize)
}

/// Returns a stretch as numbers: begin, end, causes, causes of the channel, banks, flops, bytes from and to system memory.
fn row(leaf: &Leaf, banks: usize) -> Vec<u64> {
    let counts = &leaf.counts;
    let mut row = vec![leaf.begin.0, leaf.end.0];
    row.extend(counts.causes);
    row.extend(counts.dma.causes);
    row.extend((0..banks).map(|bank| counts.banks.get(bank).copied().unwrap_or_default()));
    row.extend([counts.total_flops(), counts.dma.bytes_get, counts.dma.bytes_put]);
    row
}

/// Returns a window: every cycle as a stretch of its own, and what happened in it.
fn window(
    recording: &mut Recording,
    programs: &[ProgramInCycles<'_>],
    range: Range<Cycle>,
) -> Result<Value, RecordingError> {
    let Window { cycles, beats, visits, .. } = recording.window(range.clone())?;
    let banks = recording.core().banks();
    let length = (range.end - range.start) as usize;
    let counts = recording.counts(range.clone(), length)?;
    let mut rows = counts.iter().map(|l| row(l, banks)).collect::<Vec<_>>();
    rows.retain(|row| row[0] >= range.start.0 && row[1] <= range.end.0);
    let words = words_in(recording, programs, &cycles)?;
    let mut told: Vec<Value> = vec![Value::Null; (range.end - range.start) as usize];
    for record in &cycles {
        let at = (record.number - range.start) as usize;
        let program = program_in(programs, record.number);
        let text = |slot: Slot| {
            let own = record.operations.iter().find(|event| event.slot == slot).map(Issued::at);
            own.map_or(String::new(), |own| {
                operation_text_with(&own, Some(words.names(record.number)))
            })
        };
        let place = record.operations.first().zip(program);
        let place = place.map(|(e, program)| place_text(&program.places, e.address));
        let beat = beats.iter().find(|beat| beat.cycle == record.number);
        let beat = beat.map(|beat| {
            beat_text(Some(words.names(beat.cycle)), beat, visits.get(beat.visit as usize))
        });
        let cause = record.cause.map_or(-1, |cause| cause as i64);
        told[at] = json!([
            cause,
            record.banks.to_string(),
            text(Slot::Arithmetic),
            text(Slot::Exchange),
            place.unwrap_or_default(),
            beat.unwrap_or_default(),
        ]);
    }
    Ok(json!({ "begin": range.start.0, "end": range.end.0, "rows": rows, "cycles": told }))
}

/// Returns the names of words of local memory in the cycles of a window.
fn words_in(
    recording: &mut Recording,
    programs: &[ProgramInCycles<'_>],
    cycles: &[CycleRecord],
) -> Result<WordsInTime, RecordingError> {
    let image_in = |cycle| program_in(programs, cycle).map(|program| program.image);
    // Between kernel runs the one program names words; of several it is not known which does.
    let mut words = match programs {
        [(program, _)] => WordsInTime::of(program.image, recording.core()),
        _ => WordsInTime::default(),
    };
    let running = cycles.iter().filter(|record| record.cause.is_some());
    let running = running.map(|record| record.number);
    words.find(recording, &mut History::default(), running, &image_in)?;
    Ok(words)
}

/// Returns the program that is in instruction memory in a cycle.
fn program_in<'a>(programs: &[ProgramInCycles<'a>], cycle: Cycle) -> Option<&'a NamedProgram<'a>> {
    let is_there = |(_, cycles): &&ProgramInCycles<'_>| cycles.iter().any(|c| c.contains(&cycle));
    programs.iter().find(is_there).map(|(program, _)| *program)
}

fn pair(colour: Colour) -> Value {
    json!([colour.light, colour.dark])
}

fn colours() -> Value {
    let cause = |cause: Cause| json!({ "name": cause.name(), "text": cause.description(), "colour": pair(palette::of_cause(cause)) });
    let channel = |cause: ChannelCause| json!({ "name": cause.name(), "text": cause.description(), "colour": pair(palette::of_channel(cause)) });
    json!({
        "causes": Cause::ALL.map(cause),
        "channel": ChannelCause::ALL.map(channel),
        "banks": palette::BANKS.map(pair),
        "heat": palette::HEAT.map(pair),
        "neutral": pair(palette::NEUTRAL),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_their_element() {
        let page = filled("a < b", &json!({ "text": "</script><b>" }));
        assert!(page.contains("a &lt; b") && !page.contains("</script><b>"));
        assert!(page.contains("\\u003c/script>\\u003cb>"));
        for name in ["@TITLE@", "@DATA@", "@JS@", "@UPLOT@", "@CSS@"] {
            assert!(!page.contains(name), "{name}");
        }
    }

    #[test]
    fn folders_of_the_sender_are_not_told() {
        let command =
            "target/release/cp2 run /users/someone/fir.s --record=/scratch/x/r.cp2rec --arg n=1/2";
        let mut data = json!({
            "account": { "command": command },
            "parts": { "files": ["/users/someone/lib/a.s"] },
            "places": ["/users/someone/fir.s:12 (loop+3)", "/users/someone/lib/a.s:1"],
            "by_place": { "/users/someone/fir.s:12": "psadd f0, f1, f2" },
        });
        hide_folders(&mut data, &[command]);
        let text = data.to_string();
        assert!(!text.contains("someone") && !text.contains("/scratch"), "{text}");
        assert_eq!(data["account"]["command"], "cp2 run fir.s --record=r.cp2rec --arg n=1/2");
        assert_eq!(data["places"], json!(["fir.s:12 (loop+3)", "a.s:1"]));
        assert_eq!(data["by_place"]["fir.s:12"], "psadd f0, f1, f2");
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let page = filled("x", &json!({}));
        for part in ["src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(part), "{part}");
        }
    }
}
