//! Axes of a sweep: a property of the points, and its values, which are a list, or a range whose values are computed
//! when they are needed.

use crate::inputs::LabError;
use cp2_emu::machine::Key;
use cp2_isa::machine::KeyKind;
use std::fmt;
use toml::Value;

/// Value on an axis of a sweep, such as a clock, or the name of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// Value that is a whole number; of a property that is on or off, 1 for on and 0 for off.
    Number(u64),
    /// Value that is a text: a name, such as that of a machine, or extensions separated by commas.
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

/// Property of the points of a sweep that the values of an axis set; there are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisTarget {
    /// Name of the kernel or procedure that runs.
    Workload,
    /// Name of the machine from which a point starts, before extensions are switched on and numbers are set.
    Machine,
    /// Extensions of the machine that are switched on: names, separated by commas.
    Enable,
    /// Setting of the machine with this key, a number such as the clock of the memory.
    Key(Key),
    /// Option of the workload with this name.
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

/// Axis of a sweep: a property of the points (runs of workloads), and its values, one or more. An axis with one value
/// sets the property for all points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Name of the axis: `workload`, `machine`, `enable`, the key of a number of the machine, or `options.` followed by
    /// the name of an option.
    pub name: String,
    /// Property of the points that the values set.
    pub target: AxisTarget,
    values: Values,
}

/// Returns the error `name: sentence`.
fn wrong<T>(name: &str, what: impl fmt::Display) -> Result<T, LabError> {
    LabError::of(format!("{name}: {what}"))
}

impl Axis {
    /// Creates an axis with the values of a list, in its order. `name` is as in [`Axis::name`], `target` the property
    /// that the values set.
    ///
    /// # Errors
    /// The list is empty, or a value stands in it twice.
    pub fn list(name: &str, target: AxisTarget, values: Vec<Choice>) -> Result<Self, LabError> {
        if values.is_empty() {
            return wrong(name, "the list is empty; give at least one value");
        }
        if let Some(twice) = (1..values.len()).find(|&k| values[..k].contains(&values[k])) {
            return wrong(name, format!("{} is in the list twice", values[twice]));
        }
        Ok(Self { name: name.to_owned(), target, values: Values::List(values) })
    }

    /// Creates an axis from `value`, what the file of a sweep gives for it: a value, a list of values, or a range `{
    /// from, to, step }`, or `{ from, to, times }` whose values grow by a factor. Of a range without step and factor,
    /// `kind`, the kind of a number of the machine, decides: powers of two double, multiples go on by their unit, and
    /// all else goes on by 1. `to` belongs to the range if it is reached.
    ///
    /// # Errors
    /// The list or the range is empty, or the value has another form; the message says what is wrong.
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
            return wrong(name, format!("a range has no key `{stranger}`; the nearest is {near}"));
        }
        let number = |key: &str| match range.get(key) {
            None => Ok(None),
            Some(Value::Integer(n)) if *n >= 0 => Ok(Some(*n as u64)),
            Some(other) => {
                wrong(name, format!("{key} is {other}; it has to be a whole number from 0"))
            }
        };
        let (Some(from), Some(to)) = (number("from")?, number("to")?) else {
            return wrong(name, "a range is { from = ..., to = ..., step = ... or times = ... }");
        };
        let step = match (number("step")?, number("times")?) {
            (Some(_), Some(_)) => return wrong(name, "a range has `step` or `times`, not both"),
            (Some(0), _) => return wrong(name, "step is 0; it has to be at least 1"),
            (_, Some(0 | 1)) => {
                return wrong(name, "times is less than 2; it has to be at least 2");
            }
            (_, Some(_)) if from == 0 => {
                return wrong(name, "from is 0 in a range with `times`; begin at 1");
            }
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

    /// Returns the number of values of the axis, at least 1.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::List(values) => values.len() as u64,
            Values::Range { count, .. } => *count,
        }
    }

    /// Returns the value with the number `k`, from 0.
    ///
    /// # Panics
    /// The function panics if the axis has no value with the number `k`: if `k` is not below [`Self::count`].
    pub fn value(&self, k: u64) -> Choice {
        let count = self.count();
        assert!(k < count, "{} has no value {k}; it has values 0 to {}", self.name, count - 1);
        match &self.values {
            Values::List(values) => values[k as usize].clone(),
            Values::Range { from, step, .. } => Choice::Number(match step {
                RangeStep::Plus(step) => from + step * k,
                RangeStep::Times(times) => from * times.pow(k as u32),
            }),
        }
    }

    /// Returns all values of the axis, in their order.
    pub fn values(&self) -> impl Iterator<Item = Choice> + '_ {
        (0..self.count()).map(|k| self.value(k))
    }
}

fn choice(name: &str, value: &Value) -> Result<Choice, LabError> {
    match value {
        Value::Integer(n) if *n >= 0 => Ok(Choice::Number(*n as u64)),
        Value::Boolean(on) => Ok(Choice::Number(u64::from(*on))),
        Value::String(text) => Ok(Choice::Text(text.clone())),
        other => wrong(
            name,
            format!("{other} is not a whole number from 0, not a name and not true or false"),
        ),
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
    #[should_panic(expected = "x has no value 3; it has values 0 to 2")]
    fn no_value_is_beyond_the_last_one() {
        let table: toml::Table = "x = { from = 1, to = 8, step = 3 }".parse().unwrap();
        Axis::read("x", AxisTarget::Option("x"), None, &table["x"]).unwrap().value(3);
    }

    #[test]
    fn what_gives_no_point_is_refused() {
        for (text, why) in [
            ("[]", "empty"),
            ("[1, 2, 1]", "1 is in the list twice"),
            ("{ from = 5, to = 4 }", "from 5 to 4 is empty"),
            ("{ from = 5 }", "a range is"),
            ("{ from = 5, too = 4 }", "the nearest is to"),
            ("{ from = 1, to = 4, step = 0 }", "step is 0"),
            ("{ from = 1, to = 4, times = 1 }", "less than 2"),
            ("{ from = 0, to = 4, times = 2 }", "begin at 1"),
            ("{ from = 1, to = 4, times = 2, step = 1 }", "not both"),
            ("-1", "not a whole number"),
            ("1.5", "not a whole number"),
        ] {
            let message = axis(text).unwrap_err();
            assert!(message.starts_with("x: ") && message.contains(why), "{text}: {message}");
        }
    }
}
