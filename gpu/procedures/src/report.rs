//! What a run or a measurement found: named numbers with units, as text and as JSON.

use cp2_document::{Field, ValueKind, document, object, schema as fields_schema, tagged, whole};
use cp2_gpu::{Gpu, GpuInfo};
use serde_json::Value;
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
    /// Sentences that have to be said beside the numbers; none as a rule.
    pub notes: Vec<String>,
    /// Numbers that were found.
    pub figures: Vec<GpuFigure>,
}

impl GpuReport {
    /// Returns a report without numbers.
    pub fn new(subject: String, gpus: &[Gpu]) -> Self {
        let devices = gpus.iter().map(|gpu| gpu.info().name.clone()).collect();
        let driver = gpus.first().map(|gpu| gpu.info().driver.clone()).unwrap_or_default();
        let infos: Vec<&GpuInfo> = gpus.iter().map(Gpu::info).collect();
        let notes = unequal(&infos).into_iter().collect();
        Self { subject, devices, driver, is_verified: None, notes, figures: Vec::new() }
    }

    /// Adds a sentence.
    pub fn note(&mut self, sentence: String) {
        self.notes.push(sentence);
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
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        for GpuFigure { name, value, unit, what } in &self.figures {
            let _ = writeln!(text, "  {name:<20} {:>16} {unit:<8} {what}", number(*value));
        }
        text
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(TAG, REPORT, self)
    }
}

const TAG: &str = "cp2-gpu-1";
const DEVICES_TAG: &str = "cp2-gpu-devices-1";

const FIGURE: &[Field<GpuFigure>] = &[
    Field::new("name", ValueKind::Text, "", "Name of the number.", |f| f.name.into()),
    Field::or_null(
        "value",
        ValueKind::Number,
        "",
        "The number, in its unit; null if it is not finite.",
        |f| f.value.into(),
    ),
    Field::new("unit", ValueKind::Text, "", "Unit of the number; empty if it has none.", |f| {
        f.unit.into()
    }),
    Field::new("what", ValueKind::Text, "", "What the number is.", |f| f.what.clone().into()),
];

const REPORT: &[Field<GpuReport>] = &[
    Field::new(
        "subject",
        ValueKind::Text,
        "",
        "Procedure with class or matrix and form, or \"measure\".",
        |r| r.subject.clone().into(),
    ),
    Field::new("devices", ValueKind::Texts, "", "Names of the devices, in their order.", |r| {
        r.devices.clone().into()
    }),
    Field::new("driver", ValueKind::Text, "", "Version of the driver of the first device.", |r| {
        r.driver.clone().into()
    }),
    Field::or_null(
        "verified",
        ValueKind::Flag,
        "",
        "Whether the results are right: those of NPB, or of a user's matrix those of the host; null where there is nothing to verify.",
        |r| r.is_verified.into(),
    ),
    Field::new(
        "notes",
        ValueKind::Texts,
        "",
        "Sentences that have to be said beside the numbers.",
        |r| r.notes.clone().into(),
    ),
    Field::new(
        "figures",
        ValueKind::Objects(|| fields_schema(FIGURE, &[])),
        "",
        "Numbers that were found.",
        |r| r.figures.iter().map(|f| object(FIGURE, f)).collect(),
    ),
];

/// Device with its number.
struct ListedDevice(usize, GpuInfo);

const DEVICE: &[Field<ListedDevice>] = &[
    Field::new(
        "number",
        ValueKind::Integer,
        "",
        "Number of the device, which `--device` takes.",
        |d| d.0.into(),
    ),
    Field::new("name", ValueKind::Text, "", "Name of the device.", |d| d.1.name.clone().into()),
    Field::new("vendor", ValueKind::Text, "", "Vendor of the device.", |d| {
        d.1.vendor.clone().into()
    }),
    Field::new("driver", ValueKind::Text, "", "Version of the driver.", |d| {
        d.1.driver.clone().into()
    }),
    Field::new("version", ValueKind::Text, "", "Version of OpenCL that the device has.", |d| {
        d.1.version.clone().into()
    }),
    Field::new("units", ValueKind::Integer, "", "Compute units.", |d| d.1.units.into()),
    Field::new(
        "clock_mhz",
        ValueKind::Integer,
        "MHz",
        "Clock; 0 if the driver does not tell it.",
        |d| d.1.clock_mhz.into(),
    ),
    Field::new("memory", ValueKind::Integer, "bytes", "Memory of the device.", |d| {
        d.1.memory.into()
    }),
    Field::new("largest", ValueKind::Integer, "bytes", "Largest array in it.", |d| {
        d.1.largest.into()
    }),
    Field::new("local", ValueKind::Integer, "bytes", "Local memory of a work-group.", |d| {
        d.1.local.into()
    }),
    Field::new("items", ValueKind::Integer, "", "Most work-items of a work-group.", |d| {
        d.1.items.into()
    }),
    Field::new(
        "double",
        ValueKind::Flag,
        "",
        "Whether the device computes in double precision.",
        |d| d.1.has_double.into(),
    ),
];

/// Devices as a list.
struct DeviceList(Vec<Value>);

const LIST: &[Field<DeviceList>] = &[Field::new(
    "devices",
    ValueKind::Objects(|| fields_schema(DEVICE, &[])),
    "",
    "Devices in the order of their numbers.",
    |list| list.0.clone().into(),
)];

/// Returns the list of devices as a JSON document.
pub fn devices_document(all: &[GpuInfo]) -> Value {
    let row =
        |(number, info): (usize, &GpuInfo)| object(DEVICE, &ListedDevice(number, info.clone()));
    document(DEVICES_TAG, LIST, &DeviceList(all.iter().enumerate().map(row).collect()))
}

/// Returns the JSON Schemas of reports and of the list of devices, each with its name.
pub fn schemas() -> [(&'static str, Value); 2] {
    let report = "Report of `cp2 gpu run mg --json`, of cg and ft, and of `cp2 gpu measure --json`";
    [
        ("gpu", whole(report, &[tagged(TAG, REPORT, &[])])),
        (
            "gpu-devices",
            whole("List of `cp2 gpu devices --json`", &[tagged(DEVICES_TAG, LIST, &[])]),
        ),
    ]
}

/// Returns the sentence that devices are unequal, if they are. Shares are equal, since the method has one Perf.
fn unequal(infos: &[&GpuInfo]) -> Option<String> {
    let first = infos.first()?;
    let other = infos.iter().find(|info| {
        (&info.name, info.units, info.memory) != (&first.name, first.units, first.memory)
    })?;
    let told = |info: &GpuInfo| {
        format!("{} with {} units and {} MiB", info.name, info.units, info.memory >> 20)
    };
    Some(format!(
        "the devices are unequal: {} and {}; each takes an equal share, so that the slowest decides",
        told(first),
        told(other)
    ))
}

/// Returns a number with six significant digits or more.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e12).contains(&value.abs()) {
        let digits = 5 - value.abs().max(1.0).log10() as usize % 6;
        return format!("{value:.digits$}");
    }
    format!("{value:.5e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, units: usize) -> GpuInfo {
        GpuInfo {
            name: name.to_owned(),
            vendor: String::new(),
            driver: String::new(),
            version: String::new(),
            units,
            clock_mhz: 0,
            memory: 6 << 30,
            largest: 1 << 30,
            local: 48 << 10,
            items: 1024,
            has_double: true,
        }
    }

    #[test]
    fn unequal_devices_are_told() {
        let [a, b] = [info("a", 14), info("b", 13)];
        assert_eq!(unequal(&[&a, &a]), None);
        let told = unequal(&[&a, &b, &a]).unwrap_or_default();
        assert!(told.contains("a with 14 units and 6144 MiB and b with 13 units"), "{told}");
    }

    #[test]
    fn numbers_that_are_not_finite_are_null() {
        let figures =
            vec![GpuFigure { name: "rest", value: f64::NAN, unit: "", what: String::new() }];
        let report = GpuReport {
            subject: String::new(),
            devices: Vec::new(),
            driver: String::new(),
            is_verified: None,
            notes: vec!["a note".to_owned()],
            figures,
        };
        assert!(report.to_json()["figures"][0]["value"].is_null());
        assert!(report.text().contains("\nnote: a note\n"));
    }
}
