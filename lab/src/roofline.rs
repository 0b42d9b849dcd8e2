//! Roofline of a machine with whole runs of several kernels and procedures under its ceilings, in one picture. The
//! numbers are those of `cp2_analysis::roofline`.

use crate::inputs::LabError;
use crate::library::{self, FindWorkload};
use crate::picture::{Chart, Curve, CurveForm, Mark, PictureAxis, Shade};
use crate::recorded::Subject;
use cp2_analysis::roofline::{Ceiling, CeilingQuantity, Roofline, RooflinePoint};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_recording::Counts;
use cp2_session::workload::{About, Platform, Workload};
use serde_json::Value;
use std::sync::Arc;

/// Names of the kernels in a roofline report for which no names are given; [`PROCEDURES`] follow them.
pub const KERNELS: [&str; 5] = ["fft64", "fft256", "resid", "interp", "axpy"];
/// Names of the procedures in a roofline report for which no names are given, behind [`KERNELS`].
pub const PROCEDURES: [&str; 4] = ["fft256", "fft8192", "resid", "mg"];
/// Colour of kernels, and of the ceilings of local memory.
const KERNEL: Shade = Shade::Series(1);
/// Colour of procedures, and of the ceiling of the DMA channel.
const PROCEDURE: Shade = Shade::Series(3);
/// Bytes of a word of local memory.
const WORD: f64 = 8.0;

/// Report of `cp2 roofline`: the ceilings of a machine (the most operations and bytes in a cycle), and a point for the
/// whole run of each kernel and procedure. [`RooflineReport::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflineReport {
    /// Machine on which the procedures run; kernels run on its CP2 alone.
    pub machine: MachineConfig,
    /// Ceilings of the machine (the most operations and bytes in a cycle), and a point for the whole run of every
    /// kernel and procedure.
    pub roofline: Roofline,
}

impl RooflineReport {
    /// Runs the kernels and procedures of these names with the defaults of their options, and finds the point of each:
    /// its operations per cycle and per byte. A name that both a kernel and a procedure have stands for both; without
    /// names they are [`KERNELS`] and [`PROCEDURES`]. `elsewhere` finds workloads that the catalogue does not have.
    ///
    /// # Errors
    /// There is no kernel or procedure of a name, a run does not come to its end, or its result is wrong.
    pub fn new(
        machine: &MachineConfig,
        names: &[String],
        elsewhere: FindWorkload<'_>,
    ) -> Result<Self, LabError> {
        let core = *machine.core();
        let mut points = Vec::new();
        for workload in chosen(names, elsewhere)? {
            let About { name, platform, .. } = workload.about();
            let config = (platform == Platform::Machine).then(|| machine.clone());
            let mut run = Subject::new(workload, config, core).record_right()?;
            let account = run.account()?;
            let what = if platform == Platform::Machine { "procedure" } else { "kernel" };
            let point = account.roofline.points.into_iter().next();
            points.extend(
                point.map(|point| RooflinePoint { name: format!("{name} ({what})"), ..point }),
            );
        }
        let ceilings = Roofline::new(&core, Some(machine), &Counts::default(), Vec::new()).ceilings;
        Ok(Self { machine: machine.clone(), roofline: Roofline { ceilings, points } })
    }

    /// Returns the report as text for people: tables of ceilings and points.
    pub fn text(&self) -> String {
        format!("{}: points are whole runs\n{}", self.machine.name(), self.roofline.text())
    }

    /// Returns the report as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }

    /// Returns the picture of the report: floating-point operations per cycle over operations per byte, on logarithmic
    /// axes. The bytes are of local memory for kernels, of system memory for procedures.
    pub fn chart(&self) -> Chart {
        let marks: Vec<Mark> = self.roofline.points.iter().flat_map(marks).collect();
        let ceilings = &self.roofline.ceilings;
        let peak = ceilings.iter().find(|c| c.per == CeilingQuantity::Cycle);
        let peak = peak.map_or(40.0, |ceiling| ceiling.rate);
        let slopes = ceilings.iter().filter(|c| c.per != CeilingQuantity::Cycle).map(bytes);
        // More than a decade of the steepest slope is seen, so that its name has room.
        let steepest = peak / slopes.fold(1.0, f64::max) / 16.0;
        let places = marks.iter().map(|mark| mark.at.0);
        let low = places.clone().fold(1.0, f64::min).min(2.0 * steepest) / 2.0;
        let high = places.fold(8.0, f64::max) * 2.0;
        let curve = |ceiling: &Ceiling| {
            let rate = bytes(ceiling);
            let knee = (peak / rate).clamp(low, high);
            let slope = vec![(low, low * rate), (knee, (knee * rate).min(peak))];
            let (points, unit, rate, shade) = match ceiling.per {
                CeilingQuantity::Cycle => {
                    (vec![(low, peak), (high, peak)], "operations", peak, Shade::Series(0))
                }
                CeilingQuantity::SystemByte => (slope, "bytes", rate, PROCEDURE),
                _ => (slope, "bytes", rate, KERNEL),
            };
            let name = format!("{}: {} {unit} per cycle", ceiling.name, short(rate));
            Curve { name, points, shade, form: CurveForm::Bound }
        };
        Chart {
            title: format!("Roofline of {}", self.machine.name()),
            axes: [
                PictureAxis { label: "operations per byte".to_owned(), is_log: true },
                PictureAxis {
                    label: "operations per cycle, all sections".to_owned(),
                    is_log: true,
                },
            ],
            keys: vec![
                (KERNEL, "kernels and bytes of local memory".to_owned()),
                (PROCEDURE, "procedures and bytes of system memory".to_owned()),
            ],
            curves: self.roofline.ceilings.iter().map(curve).collect(),
            marks,
        }
    }
}

/// Returns the bytes per cycle of a ceiling of a memory.
fn bytes(ceiling: &Ceiling) -> f64 {
    ceiling.rate * if ceiling.per == CeilingQuantity::SystemByte { 1.0 } else { WORD }
}

/// Returns a rate with one decimal where it has any.
fn short(rate: f64) -> String {
    format!("{rate:.1}").trim_end_matches(".0").to_owned()
}

/// Returns the mark of a run: where local memory puts it if it is a kernel alone, else where system memory does.
fn marks(point: &RooflinePoint) -> Option<Mark> {
    let y = point.flops_per_cycle();
    let (x, memory, shade) = match (point.flops_per_byte(), point.flops_per_word()) {
        (Some(x), _) => (x, "system", PROCEDURE),
        (None, Some(x)) => (x / WORD, "local", KERNEL),
        (None, None) => return None,
    };
    // The colour tells whether a name is of a kernel or of a procedure.
    let name = point.name.split(" (").next().unwrap_or_default().to_owned();
    let title =
        format!("{}: {y:.2} operations per cycle, {x:.2} per byte of {memory} memory", point.name);
    (y > 0.0).then_some(Mark { name, title, at: (x, y), shade })
}

/// Returns the workloads of these names; a name that both a kernel and a procedure have stands for both.
fn chosen(
    names: &[String],
    elsewhere: FindWorkload<'_>,
) -> Result<Vec<Arc<dyn Workload>>, LabError> {
    if names.is_empty() {
        let kernels = KERNELS.map(|name| (Platform::Cp2, name));
        let all = kernels.into_iter().chain(PROCEDURES.map(|name| (Platform::Machine, name)));
        let find = |(platform, name): (_, &str)| library::find(platform, name, &mut *elsewhere);
        return all.map(find).collect();
    }
    let mut all = Vec::new();
    for name in names {
        all.extend(library::find_all(name, &mut *elsewhere)?);
    }
    Ok(all)
}

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-roofline-1";

/// Returns the JSON schema of the document of `cp2 roofline --json` ([`RooflineReport::to_json`]).
pub fn schema() -> Value {
    document::whole("Report of `cp2 roofline --json`", &[document::tagged(SCHEMA, &REPORT, &[])])
}

const REPORT: [Field<RooflineReport>; 2] = [
    Field::new("machine", ValueKind::Defined("machine"), "", "the machine", |r| {
        r.machine.to_json()
    }),
    Field::new(
        "roofline",
        ValueKind::Object(Roofline::schema),
        "",
        "ceilings, and whole runs",
        |r| r.roofline.to_json(),
    ),
];
