//! What searches found, as text and as JSON.

use crate::plan::{SearchPlan, StackPlace};
use crate::search::SearchResult;
use cp2_document::{Field, ValueKind, document, object, schema as fields_schema, tagged, whole};
use cp2_gpu::Gpu;
use serde_json::Value;
use std::fmt::Write as _;

/// Search with what it found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRow {
    /// Task, such as "queens 8 on 8".
    pub subject: String,
    /// Number that the task asks for.
    pub value: u64,
    /// Meaning of the number, such as "placements".
    pub of: &'static str,
    /// Whether there is what was looked for; none where nothing is.
    pub is_found: Option<bool>,
    /// Solution of a puzzle, row by row.
    pub solution: Option<String>,
    /// Whether the host found the same; none where it was not asked.
    pub is_verified: Option<bool>,
    /// Plan of the search.
    pub plan: SearchPlan,
    /// Result of the search.
    pub result: SearchResult,
}

/// Report of searches on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// Name of the device.
    pub device: String,
    /// Version of its driver.
    pub driver: String,
    /// Sentences that have to be said beside the numbers.
    pub notes: Vec<String>,
    /// Searches, in their order.
    pub searches: Vec<SearchRow>,
}

impl SearchRow {
    fn stack(&self) -> &'static str {
        let of_plan = |(_, stack): &&(&str, StackPlace)| *stack == self.plan.stack;
        StackPlace::ALL.iter().find(of_plan).map_or("", |(name, _)| *name)
    }

    /// Returns the search as lines for people.
    fn text(&self) -> String {
        let Self { subject, value, of, result, .. } = self;
        let mut text = format!("{subject}: {value} ({of})");
        match self.is_found {
            Some(true) => text += ", found",
            Some(false) => text += ", not found",
            None => {}
        }
        match self.is_verified {
            Some(true) => text += ", verified by the host",
            Some(false) => text += ", NOT verified: the host found something else",
            None => {}
        }
        text.push('\n');
        if let Some(solution) = &self.solution {
            let _ = writeln!(text, "  {solution}");
        }
        if !result.is_whole {
            let done = result.state.done;
            let _ = writeln!(text, "  not whole: {done} of {} contexts solved", result.contexts);
        }
        let [host, device, combining] = result.seconds.map(|seconds| 1e3 * seconds);
        let plan = &self.plan;
        let plural = if result.contexts == 1 { "" } else { "s" };
        let rate = match result.rate() {
            Some(rate) => format!("{rate:.4e} nodes/s"),
            None => "no context was left to be solved".to_owned(),
        };
        let _ = writeln!(
            text,
            "  {} nodes, {} of them on the host; {} context{plural} at depth {}; launches: {}\n  {} stacks, {}, {} groups of {} work-items, lane efficiency {:.1} %\n  \
             host {host:.3} ms, device {device:.3} ms, combining {combining:.3} ms; {rate}",
            result.nodes(),
            result.host_calls,
            result.contexts,
            result.depth,
            result.state.launches,
            self.stack(),
            self.plan.dealing.name(),
            plan.groups,
            plan.items,
            100.0 * result.efficiency(),
        );
        text
    }
}

impl SearchReport {
    /// Returns a report without searches.
    pub fn new(gpu: &Gpu) -> Self {
        let info = gpu.info();
        let (device, driver) = (info.name.clone(), info.driver.clone());
        Self { device, driver, notes: Vec::new(), searches: Vec::new() }
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let mut text = format!("{} (driver {})\n", self.device, self.driver);
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text + &self.searches.iter().map(SearchRow::text).collect::<String>()
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(TAG, REPORT, self)
    }
}

const TAG: &str = "cp2-gpu-search-1";

const SEARCH: &[Field<SearchRow>] = &[
    Field::new("subject", ValueKind::Text, "", "Task.", |s| s.subject.clone().into()),
    Field::new("value", ValueKind::Integer, "", "Number that the task asks for.", |s| {
        s.value.into()
    }),
    Field::new("of", ValueKind::Text, "", "Meaning of the number.", |s| s.of.into()),
    Field::or_null(
        "found",
        ValueKind::Flag,
        "",
        "Whether there is what was looked for; null where nothing is.",
        |s| s.is_found.into(),
    ),
    Field::or_null(
        "solution",
        ValueKind::Text,
        "",
        "Solution of a puzzle, row by row; null where none was asked for or found.",
        |s| s.solution.clone().into(),
    ),
    Field::or_null(
        "verified",
        ValueKind::Flag,
        "",
        "Whether the host found the same; null where it was not asked.",
        |s| s.is_verified.into(),
    ),
    Field::new(
        "whole",
        ValueKind::Flag,
        "",
        "Whether the search ended; if not, value and nodes are of the contexts that are solved.",
        |s| s.result.is_whole.into(),
    ),
    Field::new("nodes", ValueKind::Integer, "", "Calls of host and work-items.", |s| {
        s.result.nodes().into()
    }),
    Field::new("host_nodes", ValueKind::Integer, "", "Calls of the host.", |s| {
        s.result.host_calls.into()
    }),
    Field::new("contexts", ValueKind::Integer, "", "Calls that the host handed over.", |s| {
        s.result.contexts.into()
    }),
    Field::new("done", ValueKind::Integer, "", "Contexts that are solved.", |s| {
        s.result.state.done.into()
    }),
    Field::new("depth", ValueKind::Integer, "", "Depth of the contexts.", |s| {
        s.result.depth.into()
    }),
    Field::new("launches", ValueKind::Integer, "", "Launches of the kernel.", |s| {
        s.result.state.launches.into()
    }),
    Field::new("stack", ValueKind::Text, "", "Memory of the stacks.", |s| s.stack().into()),
    Field::new("dealing", ValueKind::Text, "", "Way in which contexts are dealt out.", |s| {
        s.plan.dealing.name().into()
    }),
    Field::new("items", ValueKind::Integer, "", "Work-items of a group.", |s| s.plan.items.into()),
    Field::new("groups", ValueKind::Integer, "", "Groups.", |s| s.plan.groups.into()),
    Field::new(
        "efficiency",
        ValueKind::Number,
        "",
        "Passes of all work-items over those of the one with most, times work-items.",
        |s| s.result.efficiency().into(),
    ),
    Field::new("host", ValueKind::Number, "s", "Time of the calls of the host.", |s| {
        s.result.seconds[0].into()
    }),
    Field::new("device", ValueKind::Number, "s", "Time of the device, with transfers.", |s| {
        s.result.seconds[1].into()
    }),
    Field::new("combining", ValueKind::Number, "s", "Time of combining values.", |s| {
        s.result.seconds[2].into()
    }),
];

const REPORT: &[Field<SearchReport>] = &[
    Field::new("device", ValueKind::Text, "", "Name of the device.", |r| r.device.clone().into()),
    Field::new("driver", ValueKind::Text, "", "Version of the driver.", |r| {
        r.driver.clone().into()
    }),
    Field::new(
        "notes",
        ValueKind::Texts,
        "",
        "Sentences that have to be said beside the numbers.",
        |r| r.notes.clone().into(),
    ),
    Field::new(
        "searches",
        ValueKind::Objects(|| fields_schema(SEARCH, &[])),
        "",
        "Searches, in their order.",
        |r| r.searches.iter().map(|s| object(SEARCH, s)).collect(),
    ),
];

/// Returns the JSON Schema of reports.
pub fn schema() -> Value {
    let title = "Report of `cp2 gpu run queens --json` and of other searches";
    whole(title, &[tagged(TAG, REPORT, &[])])
}
