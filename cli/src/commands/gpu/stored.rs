//! Checkpoints of searches: a search, and how far it is.

use crate::process::exit::{Outcome, bad_input};
use crate::storage::files;
use cp2_gpu_recursion::SearchState;
use serde_json::{Value, json};
use std::path::Path;

const TAG: &str = "cp2-gpu-search-state-1";

/// Search that was stopped.
pub(super) struct StoredSearch {
    /// Task.
    pub subject: String,
    /// Depth of the contexts.
    pub depth: usize,
    /// Number that stands for the contexts.
    pub fingerprint: u64,
    /// State behind the contexts that are solved.
    pub state: SearchState,
}

impl StoredSearch {
    /// Writes the checkpoint.
    pub(super) fn write(&self, path: &Path) -> Outcome<()> {
        let SearchState { done, sum, values, calls, passes, longest, launches, .. } = &self.state;
        let document = json!({
            "schema": TAG, "subject": self.subject, "depth": self.depth, "contexts": self.fingerprint, "done": done, "sum": sum,
            "values": values, "calls": calls, "passes": passes, "longest": longest, "launches": launches,
        });
        files::write(path, format!("{document}\n").as_bytes())
    }

    /// Reads a checkpoint.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let name = path.display();
        let refused = |what: String| bad_input(format!("{name}: {what}"));
        let document: Value = serde_json::from_slice(&files::read(path)?)
            .map_err(|e| refused(format!("no checkpoint of a search: {e}")))?;
        if document["schema"] != TAG {
            return Err(refused(format!(
                "no checkpoint of a search; `schema` of one is \"{TAG}\""
            )));
        }
        let number = |member: &str| {
            let wrong = || refused(format!("`{member}` is no number from 0 on"));
            document[member].as_u64().ok_or_else(wrong)
        };
        let values = document["values"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |value: &Value| {
            let wrong = || refused(format!("`values` has {value}, which is no word of 32 bits"));
            value.as_u64().and_then(|value| value.try_into().ok()).ok_or_else(wrong)
        };
        let state = SearchState {
            done: number("done")? as usize,
            sum: number("sum")?,
            values: values.iter().map(of).collect::<Outcome<_>>()?,
            calls: number("calls")?,
            passes: number("passes")?,
            longest: number("longest")?,
            launches: number("launches")?,
            ..SearchState::default()
        };
        let subject = document["subject"].as_str().unwrap_or_default().to_owned();
        let (depth, fingerprint) = (number("depth")? as usize, number("contexts")?);
        Ok(Self { subject, depth, fingerprint, state })
    }
}
