//! What an editor shows of a run that stands: frames, scopes, variables, sources.

use super::Session;
use super::requests::Answered;
use crate::debugger::Debugger;
use crate::place::{calls_of, lines_of};
use crate::values::NamedValue;
use cp2_asm::sites::short;
use cp2_isa::{BundleAddress, Section};
use serde_json::{Value, json};
use std::path::Path;

/// References of the scopes: sections from 1 on, then these.
const SHARED: u64 = 5;
const PIPELINE: u64 = 6;
const LOOPS: u64 = 7;
const ARRAYS: u64 = 8;
const MEMORY: u64 = 9;
/// Reference of the words behind the first label of local memory; those of the others follow.
const WORDS: u64 = 1000;
/// Reference of the sections of the first word of local memory; those of the others follow.
const WORD: u64 = 1 << 30;

/// Returns the name of a variable with its section, as it is written without a scope.
pub(super) fn full_name(reference: u64, name: &str) -> String {
    match reference {
        1..SHARED => format!("{name}.s{}", reference - 1),
        WORD.. => format!("[{}].{name}", reference - WORD),
        _ => name.to_owned(),
    }
}

fn variable(NamedValue { name, text }: NamedValue) -> Value {
    json!({ "name": name, "value": text, "variablesReference": 0 })
}

/// Returns a source as the protocol has it: with its path if the file is there and has the text that was assembled, else with a reference by
/// which that text can be asked for.
fn source(debugger: &Debugger, file: &str) -> Value {
    let name = short(file);
    let text = debugger.run().sources.text_of(file);
    if let Ok(path) = Path::new(file).canonicalize() {
        let is_same =
            text.is_none_or(|text| std::fs::read(&path).is_ok_and(|now| now == text.as_bytes()));
        if is_same {
            return json!({ "name": name, "path": path.display().to_string() });
        }
    }
    match debugger.run().sources.names().position(|known| known == file) {
        Some(place) => json!({ "name": name, "sourceReference": place + 1 }),
        None => json!({ "name": name }),
    }
}

impl Session<'_, '_> {
    /// Answers `stackTrace`: the bundle of the cycle, and the bundles to which calls return.
    pub(super) fn frames(&mut self, arguments: &Value) -> Answered {
        let shift = u32::from(!self.lines_from_one);
        let debugger = self.debugger()?;
        let place = debugger.place().map_err(|e| e.to_string())?;
        let calls: Vec<BundleAddress> = debugger.state().calls.iter().rev().copied().collect();
        let mut frames = vec![(place.text(), place.lines.first().cloned(), place.address)];
        let image = debugger.image_in(place.cycle);
        if let (Some(image), Some(address)) = (image, place.address) {
            for line in calls_of(image, address).into_iter().rev() {
                frames.push(("in the macro that is called here".to_owned(), Some(line), None));
            }
        }
        for address in calls {
            let lines = debugger.image_in(place.cycle).map(|image| lines_of(image, address));
            let line = lines.and_then(|lines| lines.into_iter().next());
            frames.push((format!("returns to @{address}"), line, Some(address)));
        }
        let total = frames.len();
        let first = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"].as_u64().filter(|levels| *levels > 0);
        let levels = levels.map_or(total, |levels| levels as usize);
        let frames = (1..).zip(frames).skip(first).take(levels);
        let told = frames.map(|(number, (name, line, address)): (u64, _)| {
            let mut frame = json!({ "id": number, "name": name, "line": 0, "column": 0 });
            if let Some((file, line)) = line {
                frame["source"] = source(debugger, &file);
                frame["line"] = json!(line.saturating_sub(shift));
                frame["column"] = json!(u32::from(shift == 0));
            }
            if let Some(address) = address {
                frame["instructionPointerReference"] = json!(address.to_string());
            }
            frame
        });
        let told: Vec<Value> = told.collect();
        Ok(json!({ "stackFrames": told, "totalFrames": total }))
    }

    /// Answers `scopes`.
    pub(super) fn scopes(&self) -> Value {
        let scope = |name: String, reference: u64| json!({ "name": name, "variablesReference": reference, "expensive": false });
        let sections = Section::ALL.into_iter().zip(1..);
        let mut scopes: Vec<Value> = sections
            .map(|(section, reference)| scope(format!("Section {section}"), reference))
            .collect();
        for (name, reference) in [
            ("Shared registers", SHARED),
            ("Operations under way", PIPELINE),
            ("Hardware loops", LOOPS),
            ("Arrays", ARRAYS),
            ("Local memory", MEMORY),
        ] {
            scopes.push(scope(name.to_owned(), reference));
        }
        json!({ "scopes": scopes })
    }

    /// Answers `variables`.
    pub(super) fn variables(&mut self, arguments: &Value) -> Answered {
        let reference = arguments["variablesReference"].as_u64().unwrap_or(0);
        if reference == ARRAYS {
            return self.arrays();
        }
        if let Some(rows) = self.array_rows(reference, arguments)? {
            return Ok(rows);
        }
        let debugger = self.debugger()?;
        let values = match reference {
            1..SHARED => {
                let section = Section::new((reference - 1) as usize).unwrap_or(Section::FIRST);
                debugger.section_registers(section)
            }
            SHARED => debugger.shared_registers(),
            PIPELINE => debugger.pipeline().map_err(|e| e.to_string())?,
            LOOPS => debugger.loops(),
            MEMORY => return Ok(labels(debugger)),
            WORD.. => return word_sections(debugger, reference - WORD),
            _ => return words(debugger, reference, arguments),
        };
        let values: Vec<Value> = values.into_iter().map(variable).collect();
        Ok(json!({ "variables": values }))
    }

    /// Answers `source`: the text of a source that is no file.
    pub(super) fn source(&mut self, arguments: &Value) -> Answered {
        let of_source = &arguments["source"]["sourceReference"];
        let reference = of_source.as_u64().or(arguments["sourceReference"].as_u64()).unwrap_or(0);
        let sources = &self.debugger()?.run().sources;
        let place = usize::try_from(reference).ok().and_then(|reference| reference.checked_sub(1));
        let place = place.filter(|place| *place < sources.names().count());
        let place = place.ok_or_else(|| format!("there is no source {reference}"))?;
        Ok(json!({ "content": sources.text(place as u32) }))
    }
}

/// Returns the labels of local memory, each with its words behind it.
fn labels(debugger: &Debugger) -> Value {
    let rows = debugger.labelled_words().into_iter().zip(WORDS..).map(|(words, reference)| {
        let end = words.first + words.count - 1;
        json!({
            "name": words.name,
            "value": format!("words {} to {end}, sections 0 to 3", words.first),
            "variablesReference": reference,
            "indexedVariables": words.count,
        })
    });
    let rows: Vec<Value> = rows.collect();
    json!({ "variables": rows })
}

/// Returns the words behind a label that an editor asks for, each with its sections behind it.
fn words(debugger: &mut Debugger, reference: u64, arguments: &Value) -> Answered {
    let place = reference.checked_sub(WORDS).and_then(|place| usize::try_from(place).ok());
    let labelled = place.and_then(|place| debugger.labelled_words().into_iter().nth(place));
    let words = labelled.ok_or_else(|| format!("there are no variables {reference}"))?;
    let start = arguments["start"].as_u64().unwrap_or(0).min(words.count as u64);
    let rest = words.count as u64 - start;
    let count = arguments["count"].as_u64().filter(|count| *count > 0).unwrap_or(rest);
    let count = count.min(rest);
    let first = words.first as u64 + start;
    let rows = (first..).zip(debugger.words(first as usize, count as usize));
    let rows = rows.map(|(number, row)| {
        let mut row = variable(row);
        row["variablesReference"] = json!(WORD + number);
        row
    });
    Ok(json!({ "variables": rows.collect::<Vec<Value>>() }))
}

/// Returns a word of local memory in each section, which can be watched.
fn word_sections(debugger: &Debugger, number: u64) -> Answered {
    let number = usize::try_from(number).ok();
    let rows = number.and_then(|number| debugger.word_sections(number));
    let rows = rows.ok_or("local memory has no such word")?.into_iter().map(|row| {
        let name = row.name.clone();
        let mut row = variable(row);
        row["name"] = json!(name.rsplit('.').next());
        row["evaluateName"] = json!(name);
        row
    });
    Ok(json!({ "variables": rows.collect::<Vec<Value>>() }))
}
