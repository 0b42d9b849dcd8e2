//! Prices of machines, and the goal of a search: the sections `[prices]` and `[goal]` of the file of `cp2 optimize`.

use super::goal::TimeGoal;
use crate::inputs::LabError;
use crate::sweep::{Axis, Choice, Spec};
use cp2_isa::machine::Toggle;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Names of the sections that the file of `cp2 optimize` has beside those of a sweep: prices of machines, and the goal
/// of the search.
pub const SECTIONS: [&str; 2] = ["prices", "goal"];

/// Price of a number of a machine.
#[derive(Clone, Debug, PartialEq)]
enum Price {
    /// Price of each unit of the number.
    Unit(f64),
    /// Price of each value, by the text of the value.
    Values(BTreeMap<String, f64>),
}

/// Prices of the numbers and extensions of machines, and the goal of a search: what the file of `cp2 optimize` says
/// beside its sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    of: BTreeMap<String, Price>,
    /// Goal of the search: the most time that the workload may take.
    pub goal: TimeGoal,
}

impl Prices {
    /// Reads prices and goal from `text`, the file of `cp2 optimize` (TOML), for the sweep `spec` of the same file.
    ///
    /// # Errors
    /// The sections `[prices]` or `[goal]` are missing or wrong, a number that varies has no price, something that does
    /// not vary has one, or the sweep varies more than the machine.
    pub fn parse(text: &str, spec: &Spec) -> Result<Self, LabError> {
        let table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| LabError::new(format!("not TOML: {}", e.message())))?;
        let goal = goal(table.get("goal"))?;
        let mut of = BTreeMap::new();
        match table.get("prices") {
            Some(Value::Table(prices)) => collect("", prices, spec, &mut of)?,
            _ => {
                return LabError::of(
                    "section [prices] is missing; give a price for each number that varies, such as memory.outstanding = 2",
                );
            }
        }
        for axis in spec.axes.iter().filter(|axis| axis.count() > 1) {
            if matches!(axis.name.as_str(), "workload") || axis.name.starts_with("options.") {
                return LabError::of(format!(
                    "{} varies; a search takes one workload with one size",
                    axis.name
                ));
            }
            let missing = match axis.name.as_str() {
                "enable" => {
                    let sets = axis.values().map(|set| set.to_string()).collect::<Vec<_>>();
                    let mut names = sets.iter().flat_map(|set| extensions(set));
                    let missing = names.find(|name| of_extension(&of, name).is_none());
                    missing.map(|name| format!("enable.{name}"))
                }
                name => (!of.contains_key(name)).then(|| name.to_owned()),
            };
            if let Some(name) = missing {
                return LabError::of(format!(
                    "prices.{name} is missing; give it a price, 0 if it costs nothing"
                ));
            }
        }
        let prices = Self { of, goal };
        for axis in &spec.axes {
            axis.values().try_for_each(|value| prices.of_value(axis, &value).map(drop))?;
        }
        Ok(prices)
    }

    /// Returns the price of the machine at `point`, the values of one point of the sweep `spec`: the sum of the prices
    /// of its values.
    ///
    /// # Errors
    /// A value has no price.
    pub fn of(&self, spec: &Spec, point: &[Choice]) -> Result<f64, LabError> {
        let each = spec.axes.iter().zip(point);
        each.map(|(axis, value)| self.of_value(axis, value)).sum()
    }

    fn of_value(&self, axis: &Axis, value: &Choice) -> Result<f64, LabError> {
        let name = &axis.name;
        if name == "enable" {
            let set = value.to_string();
            return Ok(extensions(&set).filter_map(|name| of_extension(&self.of, name)).sum());
        }
        match (self.of.get(name), value) {
            (None, _) => Ok(0.0),
            (Some(Price::Unit(price)), Choice::Number(number)) => Ok(price * *number as f64),
            (Some(Price::Values(prices)), value) => {
                let price = prices.get(&value.to_string()).copied();
                price.ok_or_else(|| LabError::new(format!("prices.{name}: {value} has no price")))
            }
            (Some(Price::Unit(_)), Choice::Text(text)) => LabError::of(format!(
                "prices.{name}: {text} is a name; give each name its price: {{ \"{text}\" = ... }}"
            )),
        }
    }
}

/// Returns the extensions of a value of the axis `enable`, with their values.
fn extensions(set: &str) -> impl Iterator<Item = &str> {
    set.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Returns the price of an extension: that of its value, such as `"more-fprs=128"`, or that of any value.
fn of_extension(of: &BTreeMap<String, Price>, name: &str) -> Option<f64> {
    let any = name.split('=').next().unwrap_or_default();
    let price = [name, any].into_iter().find_map(|name| of.get(&format!("enable.{name}")));
    match price {
        Some(Price::Unit(price)) => Some(*price),
        Some(Price::Values(_)) | None => None,
    }
}

/// Checks that a price may have this name below `enable`.
fn check_extension(name: &str) -> Result<(), LabError> {
    match Toggle::named(name) {
        Some(_) => Ok(()),
        None => crate::key::switch(name).map(drop),
    }
}

fn number(name: &str, value: &Value) -> Result<f64, LabError> {
    let number = match value {
        Value::Integer(n) => *n as f64,
        Value::Float(x) => *x,
        _ => f64::NAN,
    };
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        LabError::of(format!("prices.{name} is {value}; a price has to be a number from 0"))
    }
}

/// Takes the prices of a section, and of sections in it, under their names with points.
fn collect(
    prefix: &str,
    table: &Table,
    spec: &Spec,
    of: &mut BTreeMap<String, Price>,
) -> Result<(), LabError> {
    let known = |name: &str| spec.axes.iter().any(|axis| axis.name == name);
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        let is_extension = prefix == "enable.";
        if is_extension {
            check_extension(key).map_err(|e| LabError::new(format!("prices.{name}: {e}")))?;
        }
        let is_known = known(&name) || is_extension;
        match value {
            Value::Table(values) if known(&name) && name != "enable" => {
                let each = values.iter().map(|(key, value)| {
                    Ok((key.clone(), number(&format!("{name}.{key}"), value)?))
                });
                of.insert(name.clone(), Price::Values(each.collect::<Result<_, LabError>>()?));
            }
            Value::Table(inner) => collect(&format!("{name}."), inner, spec, of)?,
            value if is_known => {
                of.insert(name.clone(), Price::Unit(number(&name, value)?));
            }
            _ => {
                let names = spec.axes.iter().map(|axis| axis.name.as_str());
                let near = crate::key::nearest(&name, names);
                return LabError::of(format!(
                    "prices.{name}: the sweep has no such number; the nearest is {near}"
                ));
            }
        }
    }
    Ok(())
}

fn goal(section: Option<&Value>) -> Result<TimeGoal, LabError> {
    let Some(Value::Table(table)) = section else {
        return LabError::of("section [goal] is missing; give it `cycles = N` or `us = N`");
    };
    let only = |name: &str| if table.len() == 1 { table.get(name) } else { None };
    match (only("cycles"), only("us")) {
        (Some(Value::Integer(n)), _) if *n > 0 => Ok(TimeGoal::Cycles(*n as u64)),
        (_, Some(Value::Integer(n))) if *n > 0 => Ok(TimeGoal::Us(*n as f64)),
        (_, Some(Value::Float(x))) if *x > 0.0 => Ok(TimeGoal::Us(*x)),
        _ => LabError::of(
            "[goal] takes either `cycles`, a whole number above 0, or `us`, a number above 0",
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::sweep::Finders;

    const SPEC: &str = "procedure = 'fft64'\nmachine = 'vm9'\nenable = ['', 'memory-controller']\n\
                        [set]\nmemory.outstanding = [1, 2, 4]\nmemory.clock_mhz = [600, 667]\n";

    fn spec(text: &str) -> Spec {
        let mut machines = |_: &str| Err(String::new());
        let mut finders = Finders { machines: &mut machines, workloads: &mut |_, _| None };
        Spec::parse(text, &mut finders, &SECTIONS).unwrap()
    }

    fn prices(more: &str) -> Result<Vec<f64>, String> {
        let text = format!("{SPEC}{more}");
        let spec = spec(&text);
        let prices = Prices::parse(&text, &spec).map_err(|e| e.to_string())?;
        Ok((0..spec.count()).map(|row| prices.of(&spec, &spec.point(row)).unwrap()).collect())
    }

    #[test]
    fn a_machine_costs_the_sum_of_its_numbers() {
        let all = "[goal]\ncycles = 7\n[prices]\nmemory.outstanding = 1.5\nenable.memory-controller = 100\n\
                   memory.clock_mhz = { '600' = 0, '667' = 10 }\n";
        let each = [1.5, 11.5, 3.0, 13.0, 6.0, 16.0];
        let with = each.map(|price| price + 100.0);
        // The memory clock goes slower than the transactions: the order of machine files.
        let found = prices(all).unwrap();
        let mut sorted = found.clone();
        sorted.sort_by(f64::total_cmp);
        let mut expected = [each, with].concat();
        expected.sort_by(f64::total_cmp);
        assert_eq!(sorted, expected);
        let sums = [&found[..6], &found[6..]].map(|half| half.iter().sum::<f64>());
        assert_eq!(sums[0] + 600.0, sums[1]);
    }

    #[test]
    fn extensions_with_a_value_have_a_price_for_it_or_for_any() {
        let text = "kernel = 'axpy'\nenable = ['', 'more-fprs=128', 'word-access,more-fprs=256']\n[goal]\ncycles = 7\n\
                    [prices]\nenable.more-fprs = 3\nenable.\"more-fprs=256\" = 5\nenable.word-access = 10\n";
        let spec = spec(text);
        let prices = Prices::parse(text, &spec).unwrap();
        let each = (0..spec.count()).map(|row| prices.of(&spec, &spec.point(row)).unwrap());
        assert_eq!(each.collect::<Vec<_>>(), [0.0, 3.0, 15.0]);
    }

    #[test]
    fn what_has_no_price_is_refused() {
        let goal = "[goal]\ncycles = 7\n";
        let outstanding = "[prices]\nmemory.outstanding = 1\nmemory.clock_mhz = 0\n";
        for (text, why) in [
            (String::new(), "section [goal] is missing"),
            ("[goal]\ncycles = 0\n".to_owned(), "[goal] takes either"),
            (goal.to_owned(), "section [prices] is missing"),
            (
                format!("{goal}[prices]\nmemory.outstanding = 1\n"),
                "prices.enable.memory-controller",
            ),
            (format!("{goal}{outstanding}"), "prices.enable.memory-controller is missing"),
            (
                format!("{goal}[prices]\nmemory.outstandin = 1\n"),
                "the nearest is memory.outstanding",
            ),
            (format!("{goal}{outstanding}enable.memory-controller = -1\n"), "a number from 0"),
            (
                format!("{goal}{outstanding}enable.memory-controler = 1\n"),
                "prices.enable.memory-controler: there is no extension `memory-controler`; the nearest is memory-controller",
            ),
            (
                format!("{goal}{outstanding}enable.\"more-fprs=64\" = 1\n"),
                "prices.enable.more-fprs=64: more-fprs takes a value",
            ),
            (
                format!(
                    "{goal}[prices]\nmemory.outstanding = 1\nenable.memory-controller = 1\nmemory.clock_mhz = {{ '600' = 1 }}\n"
                ),
                "667 has no price",
            ),
        ] {
            let message = prices(&text).unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }
}
