//! The operands of the operation that is being written.

use crate::document::Document;
use cp2_asm::without_comment;
use cp2_isa::doc::{form, matching, operands};
use cp2_isa::{Core, Row};
use gen_lsp_types::{
    ActiveParameter, Documentation, ParameterInformation, ParameterInformationLabel, Position,
    SignatureHelp, SignatureInformation,
};

/// Returns the operation in whose operands a place is, in all its forms, with the number of the operand; `None` if it is in none.
pub(crate) fn signature(
    core: &Core,
    document: &Document,
    position: Position,
) -> Option<SignatureHelp> {
    let line = document.line(position.line as usize);
    let begin = document.byte(Position { line: position.line, character: 0 });
    let before = &line[..document.byte(position) - begin];
    // A comment has no operands.
    if without_comment(before) != before.trim_end() {
        return None;
    }
    let half = before.rsplit('|').next()?;
    let half = half.rsplit(':').find(|part| !part.trim().is_empty())?;
    let half = half.trim_start();
    let half =
        half.split_once(')').filter(|_| half.starts_with("if")).map_or(half, |(_, rest)| rest);
    let (name, rest) = half.trim_start().split_once([' ', '\t'])?;
    let rows = matching(name);
    if rows.is_empty() {
        return None;
    }
    let active = Some(ActiveParameter::Int(rest.matches(',').count() as u32));
    Some(SignatureHelp {
        signatures: rows.iter().map(|row| information(core, row)).collect(),
        active_signature: None,
        active_parameter: active,
    })
}

/// Returns a form of an operation: its operands in words, and when its result can be used.
fn information(core: &Core, row: &Row) -> SignatureInformation {
    let label = form(row);
    let parameters = operands(row).into_iter().map(|operand| {
        let access = match (operand.is_read, operand.is_written) {
            (true, true) => "read and written",
            (false, true) => "written",
            _ => "read",
        };
        ParameterInformation {
            label: ParameterInformationLabel::String(operand.name.to_owned()),
            documentation: Some(Documentation::String(format!("{}, {access}", operand.meaning))),
        }
    });
    let entry = cp2_isa::doc::entry(row, core);
    let summary = entry.lines().next().unwrap_or_default().to_owned();
    SignatureInformation {
        label,
        documentation: Some(Documentation::String(summary)),
        parameters: Some(parameters.collect()),
        active_parameter: None,
    }
}
