//! The kernels' cycle counts beside their bounds and the published hand-made ones. Each kernel
//! family makes its own rows.

use crate::error::KernelError;
use crate::{cmul, fft, multigrid, sparse, vector};
use serde_json::{Value, json};

/// One kernel at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// Its parameters.
    pub parameters: String,
    /// Units of work in each section.
    pub count: u64,
    /// What a unit of work is.
    pub unit: &'static str,
    /// Cycles of the whole run, counted by the engine.
    pub cycles: u64,
    /// Fewest cycles that a unit can cost.
    pub bound: f64,
    /// What makes that bound.
    pub bound_is: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Where that figure stands.
    pub source: Option<&'static str>,
}

impl Row {
    /// Cycles of one unit of work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// How much of the bound is reached, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound / self.per_unit()
    }

    /// How many times faster than the published kernel.
    pub fn ratio(&self) -> Option<f64> {
        self.published.map(|published| published as f64 / self.per_unit())
    }

    fn to_json(&self) -> Value {
        json!({
            "kernel": self.kernel,
            "parameters": self.parameters,
            "count": self.count,
            "unit": self.unit,
            "cycles": self.cycles,
            "bound_cycles": (self.bound * self.count as f64).round() as u64,
            "bound_is": self.bound_is,
            "published_per_unit": self.published,
            "source": self.source,
        })
    }
}

/// Runs every kernel and counts.
pub fn rows() -> Result<Vec<Row>, KernelError> {
    let mut rows = fft::bench_rows()?;
    rows.extend(cmul::bench_rows()?);
    rows.extend(multigrid::bench_rows()?);
    rows.extend(sparse::bench_rows()?);
    rows.extend(vector::bench_rows()?);
    Ok(rows)
}

/// The counts as JSON: what the golden file holds.
pub fn to_json(rows: &[Row]) -> Value {
    json!({ "schema": "cp2-bench-2", "kernels": rows.iter().map(Row::to_json).collect::<Vec<_>>() })
}

/// Lines that tell where a golden file differs from the counts; none if it does not.
pub fn differences(rows: &[Row], golden: &Value) -> Vec<String> {
    let empty = Vec::new();
    let old = golden["kernels"].as_array().unwrap_or(&empty);
    let find = |name: &str| old.iter().find(|k| k["kernel"] == *name);
    let mut lines = Vec::new();
    for row in rows {
        match find(&row.kernel) {
            None => lines.push(format!("{}: not in the golden file", row.kernel)),
            Some(k) if *k != row.to_json() => lines.push(format!(
                "{}: {} cycles for {} {}s, the golden file has {}",
                row.kernel, row.cycles, row.count, row.unit, k
            )),
            Some(_) => {}
        }
    }
    for kernel in old {
        let name = kernel["kernel"].as_str().unwrap_or("?");
        if !rows.iter().any(|row| row.kernel == name) {
            lines.push(format!("{name}: in the golden file, but there is no such kernel"));
        }
    }
    lines
}
