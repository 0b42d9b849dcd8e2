//! Transforms of two and three dimensions, and NPB FT, as workloads.

use super::benchmark::{self, reference as ft_reference};
use super::npb::{Class, ITERATIONS};
use super::plan::Sizes;
use super::reference::transform;
use super::transform::{Options, Report, run};
use crate::document::{self, Field, Kind};
use crate::error::KernelError;
use crate::fft;
use crate::host::common::{count_rows, machine_rows, no_source, rate_rows};
use crate::host::cost::Cost;
use crate::host::timeline::Timeline;
use crate::host::turning;
use crate::npy;
use crate::numbers::{Distance, Flushed, read_complex};
use crate::random;
use crate::workload::{
    About, Array, Bound, Check, Family, Finished, Flag, Listener, Place, Reference, ReportField,
    Request, Workload, boxed, largest, text,
};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use num_complex::{Complex32, Complex64};
use serde_json::{Value, json};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub const FAMILY: Family = Family {
    workloads: || {
        vec![
            boxed(Transform { dimensions: 2 }),
            boxed(Transform { dimensions: 3 }),
            boxed(Benchmark),
        ]
    },
    counted: Vec::new,
};

const BOUND: Bound = Bound {
    unit: "transform",
    cycles: None,
    rests_on: "the larger of butterflies and products, and of the bytes moved at the rates of long rows",
    published: None,
    source: None,
    sides: None,
};

/// Transforms of arrays of so many dimensions.
struct Transform {
    dimensions: usize,
}

/// An array.
struct Field3 {
    sizes: Sizes,
    values: Vec<Complex32>,
}

/// Points along an axis of a random array.
const POINTS: u64 = 64;

/// Options for the sizes of random arrays, of the first axis first.
const SIZES: [&str; 3] = ["n3", "n2", "n1"];

impl Transform {
    fn axes(&self) -> &'static [&'static str] {
        &SIZES[SIZES.len() - self.dimensions..]
    }

    fn array(&self, name: &'static str) -> Array {
        let shape = self.axes().iter().map(|&axis| axis.to_owned()).collect();
        Array { name, kind: npy::Kind::Complex64, shape, is_optional: false }
    }

    /// The sizes of a shape, whose last axis is contiguous.
    fn sizes(shape: &[usize]) -> Sizes {
        let mut sizes = [1; 3];
        for (size, &points) in sizes.iter_mut().zip(shape.iter().rev()) {
            *size = points;
        }
        Sizes(sizes)
    }

    fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        sizes.0[..self.dimensions].iter().rev().copied().collect()
    }
}

fn options(request: &Request) -> Options {
    let has = |name| request.values.has(name);
    Options { inverse: has("inverse"), scale: has("scale"), execution: request.execution() }
}

/// The bound at the rates of the rows that move, beside a rate.
fn rows_text(cost: &Cost, bound_cycles: f64) -> String {
    let share = 100.0 * bound_cycles / cost.cycles() as f64;
    let mops = cost.rate_mops() * cost.cycles() as f64 / bound_cycles;
    format!("bound {mops:.0} MOPS at the rates of the rows that move: {share:.1} %\n")
}

/// The row of the cycles in which CP2 looks at the channel.
fn waiting_row<W>() -> ReportField<W>
where
    W: Workload<Outcome: AsRef<Cost>>,
{
    Field::new(
        "waiting_cycles",
        Kind::Integer,
        "cycles",
        "of the kernels, in which CP2 waits for the channel",
        |f| turning::waiting(f.outcome.as_ref()).into(),
    )
}

/// The row of that bound.
fn rows_row<W>(of: fn(&Finished<W>) -> Value) -> ReportField<W>
where
    W: Workload,
{
    Field::new(
        "bound_cycles",
        Kind::Number,
        "cycles",
        "fewest: of the words that move at the rates of their rows, or of butterflies and products",
        of,
    )
}

impl Workload for Transform {
    type Input = Field3;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-spatial-fft-1";

    fn about(&self) -> About {
        let axes = self.axes().join(", ");
        About {
            name: format!("fft{}d", self.dimensions),
            summary: if self.dimensions == 2 {
                "FFT of two dimensions, forward and inverse"
            } else {
                "FFT of three dimensions, forward and inverse"
            },
            family: "fft",
            place: Place::Machine,
            input: format!("complex64 ({axes})"),
            output: format!("complex64 ({axes})"),
            order: "ascending along every axis",
            permuted: None,
            reference: fft::REFERENCE,
        }
    }

    fn flags(&self) -> Vec<Flag> {
        let mut flags = vec![Flag::inputs(vec![self.array("x")]), Flag::output(self.array("y"))];
        flags.extend(Flag::transform());
        let help = "Points along an axis of a random array, a power of two from 8 to 256, of the last axis from 32; 64 if absent";
        flags.extend(
            self.axes()
                .iter()
                .map(|&axis| Flag::number(axis, "points", None, 256, help).replaced_by(&["input"])),
        );
        flags.push(Flag::seed().replaced_by(&["input"]));
        flags
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(BOUND)
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source(&self.about().name))
    }

    fn inputs(&self, request: &Request) -> Result<Field3, KernelError> {
        let values = &request.values;
        let number = |&axis: &&str| values.number(axis).unwrap_or(POINTS) as usize;
        let (matrix, array) = (values.array("input"), values.named("input", "x"));
        let sizes = match (matrix, array) {
            (Some(matrix), _) => Self::sizes(&[matrix.rows, matrix.columns]),
            (None, Some(array)) => Self::sizes(&array.shape),
            (None, None) => Self::sizes(&self.axes().iter().map(number).collect::<Vec<_>>()),
        };
        sizes.check()?;
        let size = u64::from(request.machine()?.value(Key::MemorySize)) << 20;
        let needed = 8 * sizes.points() as u64;
        if needed > size {
            return Err(KernelError::Memory { needed, size });
        }
        let values = match (matrix, array) {
            (Some(matrix), _) => matrix.values.clone(),
            (None, Some(array)) => array.to_complex(),
            (None, None) => random::complex(values.number("seed").unwrap_or(1), sizes.points()),
        };
        Ok(Field3 { sizes, values })
    }

    fn run(
        &self,
        request: &Request,
        input: &Field3,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        run(request.machine()?.clone(), &input.sizes, &input.values, &options(request), show)
    }

    fn check(&self, request: &Request, input: &Field3, outcome: &Report) -> Check {
        let options = options(request);
        let mut exact: Vec<Complex64> = input.values.iter().map(|x| read_complex(*x)).collect();
        transform(&input.sizes, &mut exact, options.inverse);
        let points = input.sizes.points();
        let factor = if options.scale { 1.0 / points as f64 } else { 1.0 };
        let mut distance = Distance::default();
        distance.add(&outcome.output, &exact, factor);
        let flushed = Flushed { results: distance.lost(), ..Flushed::of_complex(&input.values) };
        let distance = distance.relative(fft::lost(points) * factor);
        Check { distance, vectors: 1, is_passed: distance < fft::Check::LIMIT, flushed }
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let shape = self.shape(&finished.input.sizes);
        Some(npy::Array::from_complex(shape, &finished.outcome.output))
    }

    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        Some(&finished.outcome.cost.timeline)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("points", Kind::Numbers, "points", "along x, y and z", |f| {
                json!(f.input.sizes.0)
            }),
            Field::new("passes", Kind::Integer, "passes", "over memory", |f| {
                f.outcome.passes.into()
            }),
        ];
        fields.extend(count_rows());
        fields.extend(rate_rows("at 5 N log2 N"));
        fields.push(waiting_row());
        fields.push(rows_row(|f| f.outcome.bound_cycles.into()));
        fields.extend(machine_rows());
        fields.push(Field::or_null(
            "relative_rms_error",
            Kind::Number,
            "",
            "against the transform in double precision; null where it is no number",
            |f| json!(f.check.distance),
        ));
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { input, outcome, check, .. } = finished;
        let cost = &outcome.cost;
        let rate = cost.rate_mops();
        format!(
            "{} on {}: {} points {} passes over memory, {}\n\
             relative RMS error {:.2e} against the transform in double precision\n\
             {rate:.0} MOPS at 5 N log2 N; CP2 turns the pages and waits for the channel in {} cycles\n{}\n{}{}",
            finished.name(),
            cost.config.name(),
            self.shape(&input.sizes).iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
            outcome.passes,
            cost.done(),
            check.distance,
            turning::waiting(cost),
            cost.bounds().text(rate),
            rows_text(cost, outcome.bound_cycles),
            text::assumptions(&cost.config),
        )
    }
}

struct Benchmark;

/// Letters of the classes.
const CLASSES: [&str; 2] = [Class::ALL[0].name(), Class::ALL[1].name()];

/// What the benchmark made, and the checksums of double precision.
struct Summed {
    report: benchmark::Report,
    exact: [Complex64; ITERATIONS],
}

impl AsRef<Cost> for Summed {
    fn as_ref(&self) -> &Cost {
        &self.report.cost
    }
}

impl Summed {
    /// The largest relative distance from some checksums.
    fn distance(&self, from: &[Complex64; ITERATIONS]) -> f64 {
        let pairs = self.report.checksums.iter().zip(from);
        largest(pairs.map(|(a, b)| (a - b).norm() / b.norm()))
    }

    /// The rate by NPB's own count, 10^6 operations per second.
    fn rate_of_npb(&self) -> f64 {
        self.report.class.operations_of_npb() / self.report.cost.microseconds()
    }
}

/// A checksum in the JSON report: the iteration, what was found, and double precision.
type SumRow = (usize, Complex64, Complex64);

const SUM: &[Field<SumRow>] = &[
    Field::new("iteration", Kind::Integer, "", "from 1 on", |s| s.0.into()),
    Field::new("re", Kind::Number, "", "real part", |s| s.1.re.into()),
    Field::new("im", Kind::Number, "", "imaginary part", |s| s.1.im.into()),
    Field::new("npb_re", Kind::Number, "", "real part as NPB verifies it", |s| s.2.re.into()),
    Field::new("npb_im", Kind::Number, "", "imaginary part as NPB verifies it", |s| s.2.im.into()),
];

fn sum_rows(report: &benchmark::Report) -> Vec<SumRow> {
    let npb = report.class.checksums();
    report.checksums.iter().zip(npb).enumerate().map(|(t, (&s, n))| (t + 1, s, n)).collect()
}

impl Workload for Benchmark {
    type Input = Class;
    type Outcome = Summed;
    const SCHEMA: &'static str = "cp2-ft-1";

    fn about(&self) -> About {
        About {
            name: "ft".to_owned(),
            summary: "NPB FT: a field by its spectrum, six times",
            family: "fft",
            place: Place::Machine,
            input: "a class of NPB".to_owned(),
            output: "complex64 (n3, n2, n1), the last field".to_owned(),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: Reference {
                is: "the checksums in double precision, and those of NPB",
                measure: "largest relative distance",
                tolerance: 1e-6,
                unit: "",
                reason: "an element of a field has a relative RMS error of at most 3e-7 by each of two transforms, and two products add 2e-7",
                hint: "",
            },
        }
    }

    fn flags(&self) -> Vec<Flag> {
        let output = Array {
            name: "u",
            kind: npy::Kind::Complex64,
            shape: SIZES.map(str::to_owned).to_vec(),
            is_optional: false,
        };
        vec![Flag::class(&CLASSES), Flag::output(output)]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound { unit: "iteration", ..BOUND })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source("ft"))
    }

    fn inputs(&self, request: &Request) -> Result<Class, KernelError> {
        let name = request.values.choice("class").unwrap_or(CLASSES[0]);
        Class::from_name(name).ok_or_else(|| {
            KernelError::Array(format!("ft has no class {name}; it has {}", CLASSES.join(", ")))
        })
    }

    fn run(
        &self,
        request: &Request,
        class: &Class,
        listener: &mut dyn Listener,
    ) -> Result<Summed, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        let config = request.machine()?.clone();
        let report = benchmark::run(config, *class, request.execution(), show)?;
        Ok(Summed { report, exact: ft_reference(*class) })
    }

    fn check(&self, _: &Request, class: &Class, summed: &Summed) -> Check {
        let distance = summed.distance(&summed.exact).max(summed.distance(&class.checksums()));
        let limit = Workload::about(self).reference.tolerance;
        Check::new(distance, distance <= limit)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let shape = finished.input.sizes().0.into_iter().rev().collect();
        Some(npy::Array::from_complex(shape, &finished.outcome.report.output))
    }

    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        Some(&finished.outcome.report.cost.timeline)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("class", Kind::Text, "", "of NPB", |f| f.input.name().into()),
            Field::new("points", Kind::Numbers, "points", "along x, y and z", |f| {
                json!(f.input.sizes().0)
            }),
            Field::new("iterations", Kind::Integer, "iterations", "", |_| ITERATIONS.into()),
            Field::new(
                "checksums",
                Kind::Objects(|| document::schema(SUM, &[])),
                "",
                "of the field after every iteration",
                |f| {
                    let rows = sum_rows(&f.outcome.report);
                    rows.iter().map(|row| document::object(SUM, row)).collect()
                },
            ),
        ];
        fields.extend(count_rows());
        fields.extend(rate_rows("at 5 N log2 N for each of seven transforms"));
        fields.push(Field::new(
            "npb_rate_mops",
            Kind::Number,
            "10^6 operations per second",
            "as NPB counts",
            |f| f.outcome.rate_of_npb().into(),
        ));
        fields.push(waiting_row());
        fields.push(rows_row(|f| f.outcome.report.bound_cycles.into()));
        fields.extend(machine_rows());
        fields.push(Field::new(
            "deviation",
            Kind::Number,
            "",
            "largest relative distance of a checksum from double precision and from NPB",
            |f| json!(f.check.distance),
        ));
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let summed = &finished.outcome;
        let (class, cost) = (finished.input, &summed.report.cost);
        let [x, y, z] = class.sizes().0;
        let rate = cost.rate_mops();
        let mut out = format!(
            "NPB FT class {class} on {}: {x}x{y}x{z} points, {ITERATIONS} iterations {}\n",
            cost.config.name(),
            cost.done(),
        );
        for (t, sum, npb) in sum_rows(&summed.report) {
            out += &format!(
                "checksum {t}: {:.6} {:+.6}i; NPB {:.6} {:+.6}i ({:.0e})\n",
                sum.re,
                sum.im,
                npb.re,
                npb.im,
                (sum - npb).norm() / npb.norm()
            );
        }
        out + &format!(
            "{rate:.0} MOPS at 5 N log2 N for seven transforms, {:.0} as NPB counts\n\
             CP2 turns the pages and waits for the channel in {} cycles; the host adds the checksums in no time\n{}\n{}{}",
            summed.rate_of_npb(),
            turning::waiting(cost),
            cost.bounds().text(rate),
            rows_text(cost, summed.report.bound_cycles),
            text::assumptions(&cost.config),
        )
    }
}
