//! What a run or a measurement found: named numbers with units, as text and as JSON.

use cp2_gpu::Gpu;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Named number.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuFigure {
    /// Name of the number.
    pub name: &'static str,
    /// Number, in its unit.
    pub value: f64,
    /// Unit of the number; empty if it has none.
    pub unit: &'static str,
    /// Meaning of the number.
    pub what: String,
}

/// Report of a run or measurement on devices.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuReport {
    /// Procedure with class and form, such as "mg C plain", or "measure".
    pub subject: String,
    /// Names of the devices, in their order.
    pub devices: Vec<String>,
    /// Version of the driver of the first device.
    pub driver: String,
    /// Whether the results are those of NPB; none where there is nothing to verify.
    pub is_verified: Option<bool>,
    /// Numbers that were found.
    pub figures: Vec<GpuFigure>,
}

impl GpuReport {
    /// Returns a report without numbers.
    pub fn new(subject: String, gpus: &[Gpu]) -> Self {
        let devices = gpus.iter().map(|gpu| gpu.info().name.clone()).collect();
        let driver = gpus.first().map(|gpu| gpu.info().driver.clone()).unwrap_or_default();
        Self { subject, devices, driver, is_verified: None, figures: Vec::new() }
    }

    /// Adds a number.
    pub fn add(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        what: impl Into<String>,
    ) {
        self.figures.push(GpuFigure { name, value, unit, what: what.into() });
    }

    /// Returns the number of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let mut text =
            format!("{} on {} (driver {})\n", self.subject, self.devices.join(", "), self.driver);
        if let Some(is_verified) = self.is_verified {
            let word = if is_verified {
                "verified"
            } else {
                "NOT verified: the result is not that of NPB"
            };
            let _ = writeln!(text, "{word}");
        }
        for GpuFigure { name, value, unit, what } in &self.figures {
            let _ = writeln!(text, "  {name:<20} {:>16} {unit:<8} {what}", number(*value));
        }
        text
    }

    /// Returns the report as a JSON object.
    pub fn to_json(&self) -> Value {
        let figure = |f: &GpuFigure| json!({"name": f.name, "value": f.value, "unit": f.unit, "what": f.what});
        json!({
            "subject": self.subject,
            "devices": self.devices,
            "driver": self.driver,
            "verified": self.is_verified,
            "figures": self.figures.iter().map(figure).collect::<Vec<_>>(),
        })
    }
}

/// Returns a number with six significant digits or more.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e12).contains(&value.abs()) {
        let digits = 5 - value.abs().max(1.0).log10() as usize % 6;
        return format!("{value:.digits$}");
    }
    format!("{value:.5e}")
}
