//! A cycle of a run as a page shows it: why it is as it is, registers, operations under way.

use crate::running::{RecordedRun, explained};
use cp2_analysis::program::NamedProgram;
use cp2_debug::{Debugger, NamedValue};
use cp2_isa::{Cycle, Section};
use serde_json::{Value, json};

/// Registers at a cycle: those that the sections share, then those of each section.
type Registers = (Vec<NamedValue>, [Vec<NamedValue>; 4]);

impl RecordedRun {
    /// Returns what the page shows of a cycle.
    pub(crate) fn moment(&mut self, cycle: u64) -> Result<Value, String> {
        let [first, last] = self.debugger.ends();
        let cycle = Cycle(cycle);
        if !(first..=last).contains(&cycle) {
            return Err(format!("there is no cycle {cycle}; the run has cycles {first} to {last}"));
        }
        let before = match cycle > first {
            true => Some(registers(&mut self.debugger, cycle - 1)?),
            false => None,
        };
        let here = registers(&mut self.debugger, cycle)?;
        let failed = |e: cp2_debug::DebugError| e.to_string();
        let pairs = |values: Vec<NamedValue>| {
            values.into_iter().map(|v| json!([v.name, v.text])).collect::<Vec<_>>()
        };
        let pipeline = pairs(self.debugger.pipeline().map_err(failed)?);
        let (loops, place) = (pairs(self.debugger.loops()), self.debugger.place().map_err(failed)?);
        let names = NamedProgram::new(self.program.image(), self.program.core());
        let why = match cycle < last {
            true => explained(&mut self.debugger, &names, cycle)?,
            false => Value::Null,
        };
        Ok(json!({
            "cycle": cycle,
            "operations": place.operations,
            "label": place.label,
            "cause": place.cause,
            "shared": shared(&here, before.as_ref()),
            "sections": sections(&here, before.as_ref()),
            "pipeline": pipeline,
            "loops": loops,
            "why": why,
        }))
    }
}

fn registers(debugger: &mut Debugger, cycle: Cycle) -> Result<Registers, String> {
    debugger.go_to(cycle).map_err(|e| e.to_string())?;
    let of_section = Section::ALL.map(|section| debugger.section_registers(section));
    Ok((debugger.shared_registers(), of_section))
}

/// Whether a text is that of a value all of whose bits are 0.
fn is_zero(text: &str) -> bool {
    let digits = text.split(' ').next().unwrap_or_default();
    let digits = digits.trim_start_matches("0x").trim_start_matches("0b");
    !digits.is_empty() && digits.bytes().all(|byte| byte == b'0')
}

/// Registers of one kind, one behind the other, that hold the same value.
struct Stretch<'a> {
    first: &'a str,
    last: &'a str,
    text: &'a str,
    has_changed: bool,
}

/// Returns the shared registers that are not 0 or have changed: name, value, whether it has changed in the cycle before. Neighbours of one
/// kind that hold the same value are one row.
fn shared((here, _): &Registers, before: Option<&Registers>) -> Value {
    let kind = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let mut rows: Vec<Stretch<'_>> = Vec::new();
    let mut is_beside = false;
    for (k, NamedValue { name, text }) in here.iter().enumerate() {
        let has_changed = before.is_some_and(|(old, _)| old.get(k) != here.get(k));
        if !has_changed && is_zero(text) {
            is_beside = false;
            continue;
        }
        match rows.last_mut() {
            Some(row)
                if is_beside
                    && row.text == text
                    && row.has_changed == has_changed
                    && kind(row.first) == kind(name) =>
            {
                row.last = name;
            }
            _ => rows.push(Stretch { first: name, last: name, text, has_changed }),
        }
        is_beside = true;
    }
    let told = |row: &Stretch<'_>| {
        let name = match row.first == row.last {
            true => row.first.to_owned(),
            false => format!("{} to {}", row.first, row.last),
        };
        json!([name, row.text, row.has_changed])
    };
    rows.iter().map(told).collect()
}

/// Returns the registers of sections that are not 0 in all of them or have changed: name, and for each section the value and whether it has
/// changed.
fn sections((_, here): &Registers, before: Option<&Registers>) -> Value {
    let row = |k: usize| {
        let of = |section: &Vec<NamedValue>| section.get(k).cloned();
        let values: Vec<NamedValue> = here.iter().filter_map(of).collect();
        let changed: Vec<bool> = (0..values.len())
            .map(|s| before.is_some_and(|(_, old)| old[s].get(k) != Some(&values[s])))
            .collect();
        let is_shown =
            changed.iter().any(|changed| *changed) || !values.iter().all(|v| is_zero(&v.text));
        let cells: Vec<Value> =
            values.iter().zip(&changed).map(|(v, changed)| json!([v.text, changed])).collect();
        is_shown.then(|| json!([values[0].name, cells]))
    };
    (0..here[0].len()).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_hold_the_same_are_one_row() {
        let of = |texts: &[(&str, &str)]| {
            let value = |&(name, text): &(&str, &str)| NamedValue {
                name: name.to_owned(),
                text: text.to_owned(),
            };
            (texts.iter().map(value).collect::<Vec<_>>(), [const { Vec::new() }; 4])
        };
        let old =
            of(&[("g0", "1"), ("g1", "1"), ("g2", "0"), ("g3", "1"), ("n0", "1"), ("n1", "1")]);
        let told = json!([["g0 to g1", "1", false], ["g3", "1", false], ["n0 to n1", "1", false]]);
        assert_eq!(shared(&old, Some(&old)), told);
        let new =
            of(&[("g0", "1"), ("g1", "0"), ("g2", "0"), ("g3", "1"), ("n0", "1"), ("n1", "1")]);
        assert_eq!(shared(&new, Some(&old))[1], json!(["g1", "0", true]));
    }

    #[test]
    fn zeros_of_all_forms_are_left_out() {
        for text in ["0", "0x0", "0b00000000", "0000000000000000 (0:0)"] {
            assert!(is_zero(text), "{text}");
        }
        for text in ["1", "0x10", "8000000000000000 (-0:0)", ""] {
            assert!(!is_zero(text), "{text}");
        }
    }
}
