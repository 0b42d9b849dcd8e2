//! A run step by step as text: each statement with what it changed.

use super::recorder::StepRecorder;
use crate::language::{CheckedProgram, ValueType};
use crate::run::StarValue;
use crate::values::{ColumnMeaning, Dimensions};
use cp2_asm::diagnostic::{Sources, Span};
use std::fmt::Write as _;

/// Most columns of a table that are printed in a line.
const COLUMNS: usize = 128;

/// Returns the steps that a recorder has kept as text. A slice is a line of bits from row 1 on; a table has a line for each row,
/// with its number behind it if the table has one field.
pub fn steps_text(
    recorder: &StepRecorder,
    program: &CheckedProgram,
    sources: &Sources,
    dimensions: Dimensions,
) -> String {
    let mut text = String::new();
    for (number, step) in recorder.steps.iter().enumerate() {
        let span = Span { file: program.file, range: step.at.clone() };
        let (line, _) = sources.line_column(&span);
        let statement = sources.text(program.file).get(step.at.clone()).unwrap_or_default();
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let holds = match step.condition {
            Some(true) => "  holds",
            Some(false) => "  does not hold",
            None => "",
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:>5}  line {line}: {statement}{holds}", number + 1);
        for (slot, value) in &step.changes {
            let name = StepRecorder::name(program, *slot);
            text += &value_text(&name, &program.variables[*slot].kind, value, dimensions);
        }
    }
    if recorder.is_cut() {
        let _ = writeln!(
            text,
            "The run goes on; only the first {} steps were kept.",
            recorder.steps.len()
        );
    }
    text
}

fn value_text(name: &str, kind: &ValueType, value: &StarValue, dimensions: Dimensions) -> String {
    let head = format!("           {name} = ");
    match value {
        StarValue::Int(number) => format!("{head}{number}\n"),
        StarValue::Bool(truth) => format!("{head}{truth}\n"),
        StarValue::Bits(bits) => format!("{head}{bits}\n"),
        StarValue::Table(table) => {
            let is_field = ColumnMeaning::of(kind) == ColumnMeaning::Field;
            let mut lines = String::new();
            for row in 1..=table.rows() {
                let bits = table.row(row);
                let number = bits.number().filter(|_| is_field).map(|number| match number {
                    number if number == dimensions.infinity() => "  inf".to_owned(),
                    number => format!("  {number}"),
                });
                let mut shown = bits.to_string();
                if shown.len() > COLUMNS {
                    shown.truncate(COLUMNS);
                    shown.push_str("...");
                }
                let begin = if row == 1 { head.clone() } else { " ".repeat(head.len()) };
                lines += &format!("{begin}{shown}{}\n", number.unwrap_or_default());
            }
            lines
        }
    }
}
