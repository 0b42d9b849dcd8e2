//! Axes of a sweep, what is varied and over which values: lists, and ranges whose values are worked out when they are needed.

use crate::inputs::LabError;
use cp2_emu::machine::Key;
use cp2_isa::machine::KeyKind;
use std::fmt;
use toml::Value;

/// Value of an axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// Number; of a flag 0 or 1.
    Number(u64),
    /// Name, such as that of a machine.
    Text(String),
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Property of a point that the values of an axis choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisTarget {
    /// Kernel or procedure.
    Workload,
    /// Machine that a point starts from, before extensions and numbers.
    Machine,
    /// Extensions that are switched on, separated by commas.
    Enable,
    /// Number of the machine.
    Key(Key),
    /// Option of the workload.
    Option(&'static str),
}

/// Step from one value of a range to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeStep {
    Plus(u64),
    Times(u64),
}

/// Values of an axis: a list or a range.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    List(Vec<Choice>),
    Range { from: u64, step: RangeStep, count: u64 },
}

/// Axis of a sweep: a property of the points, and its values, one or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Name of the axis: `workload`, `machine`, `enable`, a key of machines, or `options.` with an option.
    pub name: String,
    /// Property that the values choose.
    pub target: AxisTarget,
    values: Values,
}

/// Returns the error `name: sentence`.
fn wrong<T>(name: &str, what: impl fmt::Display) -> Result<T, LabError> {
    LabError::of(format!("{name}: {what}"))
}

impl Axis {
    /// Creates an axis of these values.
    ///
    /// # Errors
    /// The list is empty, or a value stands in it twice.
    pub fn list(name: &str, target: AxisTarget, values: Vec<Choice>) -> Result<Self, LabError> {
        if values.is_empty() {
            return wrong(name, "the list is empty, so there would be no point at all");
        }
        if let Some(twice) = (1..values.len()).find(|&k| values[..k].contains(&values[k])) {
            return wrong(name, format!("{} stands twice in the list", values[twice]));
        }
        Ok(Self { name: name.to_owned(), target, values: Values::List(values) })
    }

    /// Creates an axis of what a file gives: a value, a list of values, or a range `{ from, to, step }`, or `times` for
    /// `step`. Without either, a range goes through all values that a key of this kind takes.
    ///
    /// # Errors
    /// What is wrong with the value of the file.
    pub fn read(
        name: &str,
        target: AxisTarget,
        kind: Option<KeyKind>,
        value: &Value,
    ) -> Result<Self, LabError> {
        match value {
            Value::Array(values) => {
                let values = values.iter().map(|value| choice(name, value));
                Self::list(name, target, values.collect::<Result<_, _>>()?)
            }
            Value::Table(range) => Self::range(name, target, kind, range),
            value => Self::list(name, target, vec![choice(name, value)?]),
        }
    }

    fn range(
        name: &str,
        target: AxisTarget,
        kind: Option<KeyKind>,
        range: &toml::Table,
    ) -> Result<Self, LabError> {
        const KEYS: [&str; 4] = ["from", "to", "step", "times"];
        if let Some(stranger) = range.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let near = crate::key::nearest(stranger, KEYS.into_iter());
            return wrong(name, format!("a range has no `{stranger}`; the nearest is {near}"));
        }
        let number = |key: &str| match range.get(key) {
            None => Ok(None),
            Some(Value::Integer(n)) if *n >= 0 => Ok(Some(*n as u64)),
            Some(other) => wrong(name, format!("{key} is {other}; it is a whole number from 0")),
        };
        let (Some(from), Some(to)) = (number("from")?, number("to")?) else {
            return wrong(name, "a range is { from = ..., to = ..., step = ... or times = ... }");
        };
        let step = match (number("step")?, number("times")?) {
            (Some(_), Some(_)) => return wrong(name, "a range has `step` or `times`, not both"),
            (Some(0), _) => return wrong(name, "step is 0; it is 1 or more"),
            (_, Some(0 | 1)) => return wrong(name, "times is less than 2"),
            (_, Some(_)) if from == 0 => return wrong(name, "0 times anything is 0; begin at 1"),
            (Some(step), None) => RangeStep::Plus(step),
            (None, Some(times)) => RangeStep::Times(times),
            (None, None) => match kind {
                Some(KeyKind::Power(..)) => RangeStep::Times(2),
                Some(KeyKind::Multiple(of, _)) => RangeStep::Plus(of.into()),
                _ => RangeStep::Plus(1),
            },
        };
        if from > to {
            return wrong(name, format!("the range from {from} to {to} is empty"));
        }
        let count = match step {
            RangeStep::Plus(step) => (to - from) / step + 1,
            RangeStep::Times(times) => (to / from).ilog(times).into(),
        };
        let count = count + u64::from(matches!(step, RangeStep::Times(_)));
        let values = Values::Range { from, step, count };
        Ok(Self { name: name.to_owned(), target, values })
    }

    /// Returns the number of values of the axis, at least one.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::List(values) => values.len() as u64,
            Values::Range { count, .. } => *count,
        }
    }

    /// Returns the value of this number, from 0.
    pub fn value(&self, k: u64) -> Choice {
        match &self.values {
            Values::List(values) => values[k as usize].clone(),
            Values::Range { from, step, .. } => Choice::Number(match step {
                RangeStep::Plus(step) => from + step * k,
                RangeStep::Times(times) => from * times.pow(k as u32),
            }),
        }
    }

    /// Returns all values of the axis.
    pub fn values(&self) -> impl Iterator<Item = Choice> + '_ {
        (0..self.count()).map(|k| self.value(k))
    }
}

fn choice(name: &str, value: &Value) -> Result<Choice, LabError> {
    match value {
        Value::Integer(n) if *n >= 0 => Ok(Choice::Number(*n as u64)),
        Value::Boolean(on) => Ok(Choice::Number(u64::from(*on))),
        Value::String(text) => Ok(Choice::Text(text.clone())),
        other => wrong(name, format!("{other} is no whole number from 0, no name and no flag")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn axis(text: &str) -> Result<Vec<u64>, String> {
        let table: toml::Table = format!("x = {text}").parse().unwrap();
        let kind = Some(KeyKind::Multiple(16, 4096));
        let axis = Axis::read("x", AxisTarget::Option("x"), kind, &table["x"]);
        let number = |choice| match choice {
            Choice::Number(n) => n,
            Choice::Text(text) => panic!("{text}"),
        };
        axis.map(|axis| axis.values().map(number).collect()).map_err(|e| e.to_string())
    }

    #[test]
    fn ranges_end_at_the_last_value_that_is_within() {
        assert_eq!(axis("7"), Ok(vec![7]));
        assert_eq!(axis("[3, 1]"), Ok(vec![3, 1]));
        assert_eq!(axis("{ from = 1, to = 8, step = 3 }"), Ok(vec![1, 4, 7]));
        assert_eq!(axis("{ from = 3, to = 100, times = 3 }"), Ok(vec![3, 9, 27, 81]));
        assert_eq!(axis("{ from = 3, to = 81, times = 3 }"), Ok(vec![3, 9, 27, 81]));
        assert_eq!(axis("{ from = 3, to = 80, times = 3 }"), Ok(vec![3, 9, 27]));
        assert_eq!(axis("{ from = 16, to = 48 }"), Ok(vec![16, 32, 48]));
        assert_eq!(axis("{ from = 5, to = 5 }"), Ok(vec![5]));
    }

    #[test]
    fn what_gives_no_point_is_refused() {
        for (text, why) in [
            ("[]", "empty"),
            ("[1, 2, 1]", "1 stands twice"),
            ("{ from = 5, to = 4 }", "from 5 to 4 is empty"),
            ("{ from = 5 }", "a range is"),
            ("{ from = 5, too = 4 }", "the nearest is to"),
            ("{ from = 1, to = 4, step = 0 }", "step is 0"),
            ("{ from = 1, to = 4, times = 1 }", "less than 2"),
            ("{ from = 0, to = 4, times = 2 }", "begin at 1"),
            ("{ from = 1, to = 4, times = 2, step = 1 }", "not both"),
            ("-1", "no whole number"),
            ("1.5", "no whole number"),
        ] {
            let message = axis(text).unwrap_err();
            assert!(message.starts_with("x: ") && message.contains(why), "{text}: {message}");
        }
    }
}
