//! Arrays as trees of an editor: each branch has a reference by which its rows are asked for.

use super::Session;
use super::requests::Answered;
use crate::arrays::brackets;
use crate::values::NamedValue;
use serde_json::{Value, json};

/// Reference of the first branch.
const FIRST: u64 = 1 << 20;
/// Most rows of a branch that an editor gets at once.
const MOST_ROWS: usize = 1 << 16;

/// Branches that an editor has been told: name of the array and indices, in the order of their references.
#[derive(Default)]
pub(super) struct ArrayViews(Vec<(String, Vec<usize>)>);

impl ArrayViews {
    /// Returns the reference of a branch.
    fn reference(&mut self, name: &str, indices: &[usize]) -> u64 {
        let known = self.0.iter().position(|(n, i)| n == name && i == indices);
        let place = known.unwrap_or_else(|| {
            self.0.push((name.to_owned(), indices.to_vec()));
            self.0.len() - 1
        });
        FIRST + place as u64
    }

    /// Returns the branch of a reference.
    fn branch(&self, reference: u64) -> Option<&(String, Vec<usize>)> {
        self.0.get(usize::try_from(reference.checked_sub(FIRST)?).ok()?)
    }

    /// Returns the name of an element whose branch has a reference, as it is written without one.
    pub(super) fn full_name(&self, reference: u64, name: &str) -> Option<String> {
        let (array, indices) = self.branch(reference)?;
        Some(format!("{array}{}{name}", brackets(indices)))
    }
}

impl Session<'_, '_> {
    /// Returns the arrays of the kernel that runs.
    pub(super) fn arrays(&mut self) -> Answered {
        let arrays = self.debugger()?.arrays().map_err(|e| e.to_string())?;
        let rows: Vec<Value> = arrays
            .into_iter()
            .map(|(name, array)| match array {
                Ok(array) => json!({
                    "name": name,
                    "value": array.text(),
                    "evaluateName": name,
                    "variablesReference": self.views.reference(&name, &[]),
                    "indexedVariables": array.shape.first().copied().unwrap_or(0),
                }),
                Err(sentence) => {
                    json!({ "name": name, "value": sentence, "variablesReference": 0 })
                }
            })
            .collect();
        Ok(json!({ "variables": rows }))
    }

    /// Returns an array as the answer to an expression that names it; `None` for any other expression.
    pub(super) fn whole_array(&mut self, text: &str) -> Result<Option<Value>, String> {
        if !cp2_asm::is_identifier(text) || text.parse::<crate::operand::DebugOperand>().is_ok() {
            return Ok(None);
        }
        let Ok(array) = self.debugger()?.array(text) else { return Ok(None) };
        Ok(Some(json!({
            "result": array.text(),
            "variablesReference": self.views.reference(text, &[]),
            "indexedVariables": array.shape.first().copied().unwrap_or(0),
        })))
    }

    /// Returns rows of a branch; `None` if the reference is of none.
    pub(super) fn array_rows(
        &mut self,
        reference: u64,
        arguments: &Value,
    ) -> Result<Option<Value>, String> {
        let Some((name, indices)) = self.views.branch(reference).cloned() else { return Ok(None) };
        let debugger = self.debugger()?;
        let array = debugger.array(&name).map_err(|e| e.to_string())?;
        let size = array.shape.get(indices.len()).copied().unwrap_or(0);
        let number = |name: &str| arguments[name].as_u64().and_then(|n| usize::try_from(n).ok());
        let start = number("start").unwrap_or(0).min(size);
        let count = number("count").filter(|count| *count > 0).unwrap_or(size - start);
        let end = start.saturating_add(count.min(MOST_ROWS)).min(size);
        let rows = debugger.array_part(&array, &indices, start..end).map_err(|e| e.to_string())?;
        let mut told = Vec::new();
        for (NamedValue { name: row, text }, all) in rows {
            let is_branch = all.len() < array.shape.len();
            let mut variable = json!({
                "name": row,
                "value": text,
                "evaluateName": format!("{name}{}", brackets(&all)),
                "variablesReference": 0,
            });
            if is_branch {
                variable["variablesReference"] = json!(self.views.reference(&name, &all));
                variable["indexedVariables"] = json!(array.shape[all.len()]);
            }
            told.push(variable);
        }
        Ok(Some(json!({ "variables": told })))
    }
}
