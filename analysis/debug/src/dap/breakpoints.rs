//! Breakpoints as editors set them: all lines of a file, all functions, all data at once, in place of those before.

use super::Session;
use super::requests::Answered;
use crate::breakpoint::{BreakPlace, Breakpoint};
use crate::condition::ValueCondition;
use crate::console::break_place;
use crate::debugger::Debugger;
use crate::error::DebugError;
use serde_json::{Value, json};

/// Returns the condition of a breakpoint that an editor sets.
fn condition(debugger: &mut Debugger, asked: &Value) -> Result<Option<ValueCondition>, DebugError> {
    match asked["condition"].as_str().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => debugger.condition(text).map(Some),
    }
}

/// Sets a breakpoint at a place, if there is one; returns the breakpoint.
fn set(
    debugger: &mut Debugger,
    place: Result<BreakPlace, DebugError>,
    asked: &Value,
) -> Result<Breakpoint, DebugError> {
    for unknown in ["hitCondition", "logMessage"] {
        if asked[unknown].as_str().is_some_and(|text| !text.trim().is_empty()) {
            let sentence = format!("{unknown} is not known here; give a condition");
            return Err(DebugError::refused(sentence));
        }
    }
    let place = place?;
    let condition = condition(debugger, asked)?;
    debugger.set(place, condition)
}

/// Returns a breakpoint as the protocol has it, and keeps its number.
fn breakpoint_answer(set: Result<Breakpoint, DebugError>, numbers: &mut Vec<u32>) -> Value {
    match set {
        Ok(breakpoint) => {
            numbers.push(breakpoint.number);
            json!({ "id": breakpoint.number, "verified": true })
        }
        Err(error) => json!({ "verified": false, "message": error.to_string() }),
    }
}

/// Removes breakpoints.
fn remove(debugger: &mut Debugger, numbers: Vec<u32>) {
    for number in numbers {
        debugger.remove(number);
    }
}

fn asked_of(arguments: &Value) -> Vec<Value> {
    arguments["breakpoints"].as_array().cloned().unwrap_or_default()
}

impl Session<'_, '_> {
    /// Sets the breakpoints of a file.
    pub(super) fn set_lines(&mut self, arguments: &Value) -> Answered {
        let source = &arguments["source"];
        let file = source["path"].as_str().or(source["name"].as_str()).unwrap_or_default();
        let before = self.set.of_source.remove(file).unwrap_or_default();
        let shift = u32::from(!self.lines_from_one);
        let debugger = self.debugger()?;
        remove(debugger, before);
        let mut numbers = Vec::new();
        let mut answers = Vec::new();
        for asked in asked_of(arguments) {
            let line = u32::try_from(asked["line"].as_u64().unwrap_or(0)).unwrap_or(u32::MAX);
            let found = debugger.line(Some(file), line.saturating_add(shift));
            let at = found.as_ref().ok().map(|(_, line)| *line);
            let set = set(debugger, found.map(|(place, _)| place), &asked);
            let mut answer = breakpoint_answer(set, &mut numbers);
            if let Some(line) = at {
                answer["line"] = json!(line - shift);
            }
            answers.push(answer);
        }
        self.set.of_source.insert(file.to_owned(), numbers);
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets the breakpoints of labels, kernels and cycles (`@1234`).
    pub(super) fn set_functions(&mut self, arguments: &Value) -> Answered {
        let before = std::mem::take(&mut self.set.of_functions);
        let debugger = self.debugger()?;
        remove(debugger, before);
        let mut numbers = Vec::new();
        let mut answers = Vec::new();
        for asked in asked_of(arguments) {
            let place = break_place(debugger, asked["name"].as_str().unwrap_or_default().trim());
            answers.push(breakpoint_answer(set(debugger, place, &asked), &mut numbers));
        }
        self.set.of_functions = numbers;
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets the breakpoints of registers and words.
    pub(super) fn set_data(&mut self, arguments: &Value) -> Answered {
        let before = std::mem::take(&mut self.set.of_data);
        let debugger = self.debugger()?;
        remove(debugger, before);
        let mut numbers = Vec::new();
        let mut answers = Vec::new();
        for asked in asked_of(arguments) {
            let name = asked["dataId"].as_str().unwrap_or_default();
            let place = match asked["accessType"].as_str() {
                None | Some("write") => debugger.operand(name).map(BreakPlace::Write),
                Some(other) => Err(DebugError::refused(format!(
                    "accesses of the kind `{other}` are not watched; writes are: take `write`"
                ))),
            };
            answers.push(breakpoint_answer(set(debugger, place, &asked), &mut numbers));
        }
        self.set.of_data = numbers;
        Ok(json!({ "breakpoints": answers }))
    }

    /// Tells whether writes of a variable can be watched, and under which name.
    pub(super) fn data_information(&mut self, arguments: &Value) -> Answered {
        let name = arguments["name"].as_str().unwrap_or_default();
        let reference = arguments["variablesReference"].as_u64().unwrap_or(0);
        let in_array = self.views.full_name(reference, name);
        let full = in_array.unwrap_or_else(|| super::shown::full_name(reference, name));
        if full.starts_with('[') && !full.contains(".s") {
            let told = format!(
                "{full} has a word in each section; open its row and watch one, or {full}.s0 by name"
            );
            return Ok(json!({ "dataId": null, "description": told }));
        }
        Ok(match self.debugger()?.operand(&full) {
            Ok(operand) if operand.location().cell().is_some() => json!({
                "dataId": operand.to_string(),
                "description": format!("writes of {operand}"),
                "accessTypes": ["write"],
                "canPersist": true,
            }),
            Ok(operand) => json!({
                "dataId": null,
                "description": format!("{operand} is no register or word of local memory"),
            }),
            Err(error) => json!({ "dataId": null, "description": error.to_string() }),
        })
    }
}
