//! The kernels' cycle counts beside their bounds and the published hand-made ones.

use crate::error::KernelError;
use crate::{fft, random};
use cp2_isa::SECTIONS;
use serde_json::{Value, json};

/// Vectors in each section at which the FFT kernels are counted.
const BATCH: usize = 16;

/// One kernel at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// Units of work in each section.
    pub count: u64,
    /// What a unit of work is.
    pub unit: &'static str,
    /// Cycles of the whole run, counted by the engine.
    pub cycles: u64,
    /// Fewest cycles that a unit can cost: arithmetic operations that it needs.
    pub bound: u64,
    /// Cycles of a unit in the published hand-made kernel.
    pub published: u64,
    /// Where that figure stands.
    pub source: &'static str,
}

impl Row {
    /// Cycles of one unit of work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// How much of the bound is reached, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound as f64 / self.per_unit()
    }

    /// How many times faster than the published kernel.
    pub fn ratio(&self) -> f64 {
        self.published as f64 / self.per_unit()
    }

    fn to_json(&self) -> Value {
        json!({
            "kernel": self.kernel,
            "count": self.count,
            "unit": self.unit,
            "cycles": self.cycles,
            "bound_per_unit": self.bound,
            "published_per_unit": self.published,
            "source": self.source,
        })
    }
}

/// Runs every kernel and counts.
pub fn rows() -> Result<Vec<Row>, KernelError> {
    let published = [(64, 247), (128, 579), (256, 1218)];
    published
        .into_iter()
        .map(|(points, published)| {
            let input = random::complex(1, points * BATCH * SECTIONS);
            let report = fft::run(points, &input, &fft::Options::default())?;
            Ok(Row {
                kernel: format!("fft{points}"),
                count: BATCH as u64,
                unit: "vector",
                cycles: report.cycles(),
                bound: fft::butterflies(points) as u64,
                published,
                source: "[D] table B.2",
            })
        })
        .collect()
}

/// The counts as JSON: what the golden file holds.
pub fn to_json(rows: &[Row]) -> Value {
    json!({ "schema": "cp2-bench-1", "kernels": rows.iter().map(Row::to_json).collect::<Vec<_>>() })
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
