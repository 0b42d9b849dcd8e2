//! A run step by step as one page of HTML that needs no other file: the text of the program beside slices and tables as they
//! are drawn on paper, rows beside rows.

use super::recorder::StepRecorder;
use crate::language::{CheckedProgram, ValueType, VariableRole};
use crate::machine::ElementaryOperation;
use crate::run::StarValue;
use crate::values::{ColumnMeaning, Dimensions};
use cp2_asm::diagnostic::Sources;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page of the steps that a recorder has kept. `made_by` is the command that made it.
pub fn page(
    recorder: &StepRecorder,
    program: &CheckedProgram,
    (title, made_by): (&str, &str),
    sources: &Sources,
    dimensions: Dimensions,
) -> String {
    let text = sources.text(program.file);
    let data = json!({
        "text": text,
        "rows": dimensions.rows,
        "bits": dimensions.weight_bits,
        "variables": variables(recorder, program, dimensions),
        "steps": steps(recorder, text),
        "cut": recorder.is_cut(),
    });
    let data = data.to_string().replace('<', "\\u003c");
    PAGE.replace("@TITLE@", &escaped(title))
        .replace("@COMMAND@", &escaped(made_by))
        .replace("@CSS@", STYLE)
        .replace("@JS@", SCRIPT)
        .replace("@DATA@", &data)
}

/// Returns the variables with their first values, by number.
fn variables(
    recorder: &StepRecorder,
    program: &CheckedProgram,
    dimensions: Dimensions,
) -> Vec<Value> {
    program
        .variables
        .iter()
        .enumerate()
        .map(|(slot, variable)| {
            // A parameter that was given a variable is that variable, and changes nothing of its own.
            let changes =
                |slot| recorder.steps.iter().any(|step| step.changes.iter().any(|c| c.0 == slot));
            let is_shown = !matches!(variable.role, VariableRole::Parameter(_)) || changes(slot);
            let band = match ColumnMeaning::of(&variable.kind) {
                ColumnMeaning::Bits => 0,
                ColumnMeaning::Field | ColumnMeaning::Bands => dimensions.weight_bits,
            };
            json!({
                "name": StepRecorder::name(program, slot),
                "type": variable.kind.to_string(),
                "shape": match variable.kind {
                    ValueType::Slice => "slice",
                    ValueType::Word(_) => "word",
                    ValueType::Table(_) => "table",
                    _ => "number",
                },
                "shown": is_shown,
                "band": band,
                "first": recorder.first.get(slot).map_or(Value::Null, value_json),
            })
        })
        .collect()
}

/// Returns the steps: begin and end in the text, condition, changes, counts, variables that began anew.
fn steps(recorder: &StepRecorder, text: &str) -> Vec<Value> {
    recorder
        .steps
        .iter()
        .map(|step| {
            let valued = |all: &[(usize, StarValue)]| -> Value {
                all.iter().map(|(slot, value)| json!([slot, value_json(value)])).collect()
            };
            let (changes, begun) = (valued(&step.changes), valued(&step.begun));
            let counts = [step.counts.total(), step.counts.of(ElementaryOperation::is_critical)];
            json!([
                characters(text, step.at.start),
                characters(text, step.at.end),
                step.condition,
                changes,
                counts,
                begun
            ])
        })
        .collect()
}

/// Number of UTF-16 units before a byte, as scripts of pages count.
fn characters(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| before.encode_utf16().count())
}

fn value_json(value: &StarValue) -> Value {
    match value {
        StarValue::Int(number) => (*number).into(),
        StarValue::Bool(truth) => (*truth).into(),
        StarValue::Bits(bits) => bits.to_string().into(),
        StarValue::Table(table) => {
            (1..=table.rows()).map(|row| table.row(row).to_string()).collect::<Vec<_>>().into()
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
