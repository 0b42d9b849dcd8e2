//! The plan of a procedure, which is how it uses a machine, and the plans that it was chosen from.

use cp2_document::{Field, ValueKind};
use serde_json::{Value, json};

/// Plan by which a procedure used a machine: how its data are cut into pages, where these lie in local memory, and which
/// kernels are in instruction memory together. It was chosen among all that the procedure knows, by predicted cycles.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ChosenPlan {
    /// Name of the plan, such as `whole vectors`; empty for a procedure that names none, since it knows one only or reports
    /// its plan otherwise.
    pub name: String,
    /// Cycles that were predicted for the whole run; `None` if nothing was compared, since no other plan was possible.
    pub predicted_cycles: Option<f64>,
    /// The other plans: those that were predicted to take more cycles, fewest first, then those that the machine does not
    /// allow.
    pub others: Vec<OtherPlan>,
}

/// Plan of a procedure that was not chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherPlan {
    /// Name of the plan.
    pub name: String,
    /// Predicted cycles of the whole run, or the sentence that says what forbids the plan.
    pub outcome: Result<f64, String>,
}

impl ChosenPlan {
    /// Creates the choice of a procedure that knows one plan only.
    pub fn only(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the lines of a report for people on the plan, each ended by a newline, for a run that took `cycles` cycles:
    /// the plan, how far the prediction is from the run, the next best plan, and what forbids others. There are none if
    /// there was no choice.
    pub fn text(&self, cycles: u64) -> String {
        if self.others.is_empty() {
            return String::new();
        }
        let mut text = format!("plan: {}", self.name);
        if let Some(predicted) = self.predicted_cycles {
            let percent = 100.0 * (predicted / cycles.max(1) as f64 - 1.0);
            // Adding 0 makes a zero of -0.
            let percent = (100.0 * percent).round() / 100.0 + 0.0;
            text += &format!(", {predicted:.0} cycles predicted, {percent:+.2} % against the run");
        }
        if let Some((name, predicted)) = self.next_best() {
            text += &format!("; next best: {name}, {predicted:.0}");
        }
        text.push('\n');
        for OtherPlan { name, outcome } in &self.others {
            if let Err(reason) = outcome {
                text += &format!("    not {name}: {reason}\n");
            }
        }
        text
    }

    fn next_best(&self) -> Option<(&str, f64)> {
        self.others.iter().find_map(|OtherPlan { name, outcome }| match outcome {
            Ok(cycles) => Some((name.as_str(), *cycles)),
            Err(_) => None,
        })
    }

    /// Returns the plan as a JSON object.
    pub fn to_json(&self) -> Value {
        cp2_document::object(FIELDS, self)
    }

    /// Returns the JSON schema of the object that [`Self::to_json`] makes.
    pub fn schema() -> Value {
        cp2_document::schema(FIELDS, &[])
    }
}

const FIELDS: &[Field<ChosenPlan>] = &[
    Field::new("name", ValueKind::Text, "", "name of the plan, such as `whole vectors`", |plan| {
        plan.name.as_str().into()
    }),
    Field::or_null(
        "predicted_cycles",
        ValueKind::Number,
        "cycles",
        "of the whole run; null where nothing was compared",
        |plan| json!(plan.predicted_cycles),
    ),
    Field::new(
        "others",
        ValueKind::Objects(OtherPlan::schema),
        "",
        "plans that were not chosen",
        |plan| plan.others.iter().map(OtherPlan::to_json).collect(),
    ),
];

impl OtherPlan {
    fn to_json(&self) -> Value {
        cp2_document::object(OTHER_FIELDS, self)
    }

    fn schema() -> Value {
        cp2_document::schema(OTHER_FIELDS, &[])
    }
}

const OTHER_FIELDS: &[Field<OtherPlan>] = &[
    Field::new("name", ValueKind::Text, "", "name of the plan", |plan| plan.name.as_str().into()),
    Field::or_null(
        "predicted_cycles",
        ValueKind::Number,
        "cycles",
        "of the whole run; null where the machine does not allow it",
        |plan| json!(plan.outcome.as_ref().ok()),
    ),
    Field::optional("forbidden_by", ValueKind::Text, "", "what the machine lacks", |plan| {
        json!(plan.outcome.as_ref().err())
    }),
];
