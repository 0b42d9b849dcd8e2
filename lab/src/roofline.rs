//! Roofline of a machine with whole runs of several kernels and procedures under its ceilings, in one picture. The
//! numbers are those of `cp2_analysis::roofline`.

use crate::inputs::LabError;
use crate::library::{self, FindWorkload};
use crate::picture::{Chart, Curve, Mark, PictureAxis};
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
        let low = marks.iter().map(|mark| mark.at.0).fold(1.0, f64::min) / 2.0;
        let high = marks.iter().map(|mark| mark.at.0).fold(8.0, f64::max) * 2.0;
        let peak = self
            .roofline
            .ceilings
            .iter()
            .find(|c| c.per == CeilingQuantity::Cycle)
            .map_or(40.0, |c| c.rate);
        let curve = |(colour, ceiling): (usize, &Ceiling)| {
            let (points, name) = match ceiling.per {
                CeilingQuantity::Cycle => (
                    vec![(low, peak), (high, peak)],
                    format!("{}: {peak:.0} operations per cycle", ceiling.name),
                ),
                per => {
                    let bytes =
                        ceiling.rate * if per == CeilingQuantity::SystemByte { 1.0 } else { WORD };
                    let knee = (peak / bytes).clamp(low, high);
                    let slope = vec![(low, low * bytes), (knee, (knee * bytes).min(peak))];
                    (slope, format!("{}: {bytes:.1} bytes per cycle", ceiling.name))
                }
            };
            Curve { name, points, colour, is_thin: false }
        };
        Chart {
            title: format!("Roofline of {}", self.machine.name()),
            axes: [
                PictureAxis { label: "operations per byte: of local memory (kernels, orange), of system memory (procedures, purple)".to_owned(), is_log: true },
                PictureAxis { label: "operations per cycle, all sections".to_owned(), is_log: true },
            ],
            curves: self.roofline.ceilings.iter().enumerate().map(curve).collect(),
            marks: marks.iter().map(without_place).collect(),
        }
    }
}

/// Returns the mark of a run: where local memory puts it if it is a kernel alone, else where system memory does.
fn marks(point: &RooflinePoint) -> Option<Mark> {
    let (name, y) = (point.name.clone(), point.flops_per_cycle());
    match (point.flops_per_byte(), point.flops_per_word()) {
        (Some(x), _) if y > 0.0 => Some(Mark { name, at: (x, y), colour: 3 }),
        (None, Some(x)) if y > 0.0 => Some(Mark { name, at: (x / WORD, y), colour: 1 }),
        _ => None,
    }
}

/// Returns the mark with its bare name: the colour tells whether it is a kernel or a procedure.
fn without_place(mark: &Mark) -> Mark {
    let name = mark.name.split(" (").next().unwrap_or_default().to_owned();
    Mark { name, ..mark.clone() }
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
