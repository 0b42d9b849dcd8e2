//! The FFT kernels as workloads: vectors from an array or at random, dealt to the sections.

mod strided;

use crate::workload::{
    CountRow, Counted, Family, Finished, ReportField, TypedWorkload, counts, untyped,
};
use crate::workload::{options, text};
use cp2_document::{Field, ValueKind};
use cp2_evidence::published;
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::fft::{
    BatchRun, CHECKED_VECTORS, COUNTED_BATCH, Check as Distance, InputVectors, LENGTHS, LONGEST,
    Options, Report, SINGLE_LENGTHS, butterflies, check_against_definition, fitting_batch,
    is_in_place, largest_batch, run_in_parts, single_source, source,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy::{ComplexMatrix, MatrixShape};
use cp2_session::numbers::Flushed;
use cp2_session::random;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, Text, Workload,
    WorkloadOption,
};
use num_complex::Complex32;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

/// The family of the FFT kernels.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let whole =
            LENGTHS.into_iter().chain([LONGEST]).map(|points| Fft { points, is_single: false });
        let single = SINGLE_LENGTHS.into_iter().map(|points| Fft { points, is_single: true });
        whole.chain(single).map(|fft| untyped(fft)).collect()
    },
    counted,
};

/// The kernel for a transform of a given number of points.
#[derive(Clone, Copy)]
struct Fft {
    points: usize,
    /// Whether the kernel transforms one vector in each section, in the registers.
    is_single: bool,
}

/// Order of the results that `fft4096` and the longer kernels leave to the host.
const PERMUTED: &str =
    "results bit-reversed in local memory, but for the lowest and the highest bit";

/// Reference of transforms, on CP2 alone and on machines.
pub(crate) const REFERENCE: Reference = Reference {
    is: Text::Borrowed("the transform in double precision"),
    measure: "relative RMS error",
    tolerance: Distance::LIMIT,
    unit: "",
    reason: "single precision rounds by 6e-8, and log2 N roundings in a row add up like the root of their number",
    hint: "",
};

/// The vectors of `--input`, or the description of random ones.
#[derive(Debug)]
pub(super) struct Source {
    given: Option<ComplexMatrix>,
    shape: MatrixShape,
    seed: u64,
}

impl Source {
    fn vectors(&self) -> InputVectors<'_> {
        match &self.given {
            Some(matrix) => InputVectors::Given(&matrix.values),
            None => InputVectors::Random { seed: self.seed, vectors: self.shape.rows },
        }
    }
}

/// Cost of a transform, with the first vectors, which are compared, and their transforms.
#[derive(Debug)]
pub(super) struct Transformed {
    report: Report,
    checked: Vec<Complex32>,
    flushed: Flushed,
}

const RUN_FIELDS: &[Field<BatchRun>] = &[
    Field::new(
        "vectors_per_section",
        ValueKind::Integer,
        "vectors",
        "in each section, zeros that fill up the last run included",
        |r| r.vectors_per_section.into(),
    ),
    Field::new(
        "cycles_per_vector",
        ValueKind::Number,
        "cycles",
        "for a vector of each section",
        |r| r.cycles_per_vector().into(),
    ),
    Field::new("stats", ValueKind::Defined("stats"), "", "what the run counted", |r| {
        r.stats.to_json()
    }),
];

const FIELDS: &[ReportField<Fft>] = &[
    Field::new("kernel", ValueKind::Name, "", "the kernel", |f| f.name().into()),
    Field::new("points", ValueKind::Integer, "points", "of a vector", |f| {
        f.outcome.report.points.into()
    }),
    Field::new("vectors", ValueKind::Integer, "vectors", "that were transformed", |f| {
        f.outcome.report.vectors.into()
    }),
    Field::new(
        "cycles",
        ValueKind::Integer,
        "cycles",
        "of all runs of the kernel; moving data is not counted",
        |f| f.outcome.report.cycles().into(),
    ),
    Field::new(
        "butterfly_bound",
        ValueKind::Integer,
        "cycles",
        "fewest for a vector of each section: one butterfly a cycle",
        |f| butterflies(f.outcome.report.points).into(),
    ),
    Field::new("checked_vectors", ValueKind::Integer, "vectors", "that were compared", |f| {
        f.check.vectors.into()
    }),
    Field::or_null(
        "relative_rms_error",
        ValueKind::Number,
        "",
        "against the transform in double precision; null where it is not a number",
        |f| json!(f.check.distance),
    ),
    Field::new(
        "runs",
        ValueKind::Objects(|| cp2_document::schema(RUN_FIELDS, &[])),
        "",
        "each run of the kernel, the first 1000",
        |f| f.outcome.report.runs.iter().map(|run| cp2_document::object(RUN_FIELDS, run)).collect(),
    ),
];

impl TypedWorkload for Fft {
    type Input = Source;
    type Outcome = Transformed;
    const SCHEMA: &'static str = "cp2-kernel-1";

    fn about(&self) -> About {
        let Self { points, is_single } = *self;
        About {
            name: format!("fft{points}{}", if is_single { "_single" } else { "" }),
            summary: match is_single {
                true => "FFT of one vector in each section, in the fewest cycles",
                false => "FFT, forward and inverse",
            }
            .into(),
            family: "fft",
            platform: Platform::Cp2,
            input: format!("complex64 (vectors, {points})"),
            output: format!("complex64 (vectors, {points})"),
            order: match is_in_place(points) {
                true => {
                    "ascending; in local memory the bits of k between the lowest and the highest are reversed"
                }
                false => "ascending",
            },
            permuted: is_in_place(points).then_some(PERMUTED),
            reference: Reference {
                hint: "values so large that sums overflow do this",
                ..REFERENCE
            },
        }
    }

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        let singles = SINGLE_LENGTHS.into_iter().filter(|&points| points == self.points);
        let both = |points| [false, true].map(|is_single| untyped(Fft { points, is_single }));
        singles.flat_map(both).collect()
    }

    fn needs(&self) -> Option<&'static str> {
        match (self.is_single, self.points) {
            (true, 128) => Some("more-fprs=128"),
            (true, 256) => Some("more-fprs=256"),
            (false, LONGEST) => Some("larger-local-memory=16384"),
            _ => None,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let batch = "Vectors per section in one run of the kernel; as many as fit if absent";
        let array = || ArraySpec::complex64("vectors", self.points);
        let mut options = vec![options::input(array()), options::output(array())];
        options.extend(options::transform());
        options.push(options::non_finite());
        if !self.is_single {
            let largest = largest_batch(&Core::WIDEST, self.points);
            options.push(WorkloadOption::number("batch", "vectors", None, largest, batch));
        }
        options.push(options::vectors());
        options.push(options::seed().replaced_by(&["input"]));
        options
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let bound = Bound::new("vector", butterflies(self.points) as f64, "butterflies");
        let theirs = published::count(&TypedWorkload::about(self).name);
        Ok(published::bound_with_published(
            bound,
            theirs,
            sides(if self.is_single { 1 } else { 16 }),
        ))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        match self.is_single {
            true => single_source(core, self.points),
            false => source(core, self.points),
        }
    }

    fn inputs(&self, request: &Request) -> Result<Source, KernelError> {
        let values = &request.values;
        let [rows, seed] = ["vectors", "seed"].map(|name| values.number(name).unwrap_or(1));
        let given = values.array("input").cloned();
        let random = MatrixShape { rows: rows as usize, columns: self.points, is_vector: false };
        let shape = given.as_ref().map_or(random, ComplexMatrix::shape);
        Ok(Source { given, shape, seed })
    }

    fn run(
        &self,
        request: &Request,
        input: &Source,
        listener: &mut dyn Listener,
    ) -> Result<Transformed, KernelError> {
        let (mut checked, mut output) = (Vec::new(), Vec::new());
        let (mut done, mut flushed) = (0, Flushed::default());
        let wants_output = request.values.has("output");
        if wants_output {
            listener.begin(input.shape)?;
        }
        let part = &mut |vectors: &[Complex32], results: &[Complex32]| {
            let kept = (CHECKED_VECTORS * self.points - checked.len()).min(vectors.len());
            checked.extend_from_slice(&vectors[..kept]);
            output.extend_from_slice(&results[..kept]);
            flushed.inputs += Flushed::of_complex(vectors).inputs;
            if wants_output {
                listener.add(results)?;
            }
            done += vectors.len() / self.points;
            listener.progress(done, input.shape.rows);
            Ok(())
        };
        let report = run_in_parts(self.points, input.vectors(), &self.run_options(request), part)?;
        Ok(Transformed { report: Report { output, ..report }, checked, flushed })
    }

    fn check(&self, request: &Request, _: &Source, outcome: &Transformed) -> Deviation {
        let Transformed { report, checked, flushed } = outcome;
        let distance = check_against_definition(report, checked, &self.run_options(request));
        Deviation {
            distance: distance.relative_rms_error,
            vectors: distance.vectors,
            is_passed: distance.is_passed(),
            flushed: Flushed { results: distance.lost, ..*flushed },
        }
    }

    fn fields() -> Vec<ReportField<Self>> {
        FIELDS.to_vec()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome: Transformed { report, .. }, check, .. } = finished;
        let bound = butterflies(report.points);
        let mut text = format!(
            "{}: {} of {} points in {} kernel cycles\n\
             relative RMS error {:.2e} against the transform in double precision; {} checked\n",
            finished.name(),
            text::vectors(report.vectors),
            report.points,
            report.cycles(),
            check.distance,
            text::vectors(check.vectors)
        );
        for (i, run) in report.runs.iter().enumerate() {
            let cycles = run.cycles_per_vector();
            let _ = writeln!(
                text,
                "run {}: {} in each of 4 sections, {cycles:.1} cycles per vector; bound {bound}, {:.1} %",
                i + 1,
                text::vectors(run.vectors_per_section),
                100.0 * bound as f64 / cycles
            );
        }
        if report.further_runs > 0 {
            let _ = writeln!(text, "and {} further runs", report.further_runs);
        }
        if let Some(run) = report.runs.first() {
            text += "the first run:\n";
            text += &counts(&run.stats);
        }
        text
    }
}

impl Fft {
    fn run_options(self, request: &Request) -> Options {
        let values = &request.values;
        Options {
            inverse: values.has("inverse"),
            scale: values.has("scale"),
            batch: values.number("batch").unwrap_or(0) as usize,
            is_single: self.is_single,
            takes_any: values.has("non-finite"),
            execution: request.execution(),
        }
    }
}

/// Returns the sides of the ratio to the published kernel for this number of vectors in each section: \[D\] does not tell for
/// how many its kernels were counted.
fn sides(vectors: usize) -> &'static str {
    match vectors {
        1 => "one vector in each section, against a published batch of unknown size",
        2 => "two vectors in each section, against a published batch of unknown size",
        _ => "a batch in each section, against a published batch of unknown size",
    }
}

/// Lengths that are counted also with one and with two vectors in each section.
const FEW: [usize; 3] = [64, 128, 256];

/// Returns the kernels that are counted: those with one vector in the registers, of CP2 and of cores with more registers;
/// batches of one and of two vectors; every length; then the strided kernels.
fn counted() -> Vec<Counted> {
    let of = |name: String, fft: Fft, vectors: usize| {
        let counted = Counted::new(name, move |name, on| row(name, fft, vectors, &on.clone()));
        match TypedWorkload::needs(&fft) {
            Some(extension) => counted.needing(extension),
            None => counted,
        }
    };
    let batch = |name, points, vectors| of(name, Fft { points, is_single: false }, vectors);
    let single = |points| of(format!("fft{points}_single"), Fft { points, is_single: true }, 1);
    let mut counted: Vec<Counted> = SINGLE_LENGTHS.map(single).into();
    for points in FEW {
        counted.push(batch(format!("fft{points}_one"), points, 1));
        counted.push(batch(format!("fft{points}_two"), points, 2));
    }
    let whole = LENGTHS.into_iter().chain([LONGEST]);
    counted.extend(whole.map(|points| batch(format!("fft{points}"), points, COUNTED_BATCH)));
    counted.extend(strided::counted());
    counted
}

fn row(name: &str, fft: Fft, vectors: usize, on: &Execution) -> Result<CountRow, KernelError> {
    let Fft { points, is_single } = fft;
    let largest = if is_single { 1 } else { fitting_batch(&on.core, points)? };
    let batch = vectors.min(largest);
    let input = random::complex(1, points * batch * SECTIONS);
    let options = Options { is_single, execution: on.clone(), ..Options::default() };
    let report = cp2_kernels::fft::run(points, &input, &options)?;
    let bound = TypedWorkload::bound(&fft, &on.core)?;
    let bound = Bound { sides: bound.sides.map(|_| sides(batch)), ..bound };
    let counted = (batch as u64, report.cycles());
    let row = CountRow::new(name.to_owned(), format!("{points} points"), counted, &bound);
    let is_right = check_against_definition(&report, &input, &options).is_passed();
    Ok(row.checked(is_right).permuted(TypedWorkload::about(&fft).permuted))
}
