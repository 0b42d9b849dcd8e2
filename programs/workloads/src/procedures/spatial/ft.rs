//! NPB FT as a workload.

use super::transform::{BOUND, SIZES, paging_rows, rows_text};
use crate::procedures::common::{count_rows, machine_rows, no_source, rate_rows};
use crate::workload::options;
use crate::workload::{Finished, ReportField, TypedWorkload, text};
use cp2_document::{Field, ValueKind};
use cp2_evidence::bounds::RateBounds;
use cp2_isa::Core;
use cp2_procedures::host::device_driven;
use cp2_procedures::spatial::benchmark::{self, reference as ft_reference};
use cp2_procedures::spatial::npb::{Class, ITERATIONS};
use cp2_session::cost::Cost;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::npy;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
    largest,
};
use num_complex::Complex64;
use serde_json::json;

/// The workload of NPB FT.
pub(super) struct Benchmark;

/// Text for the rate by NPB's count, which includes work of the host that takes no time here.
const UNTIMED: &str = "as NPB counts, too high by what is not timed here: the field, the tables of factors and the checksums, all of them the host's";

/// Letters of the classes.
const CLASSES: [&str; 2] = [Class::ALL[0].name(), Class::ALL[1].name()];

/// Results of NPB FT, and the checksums in double precision.
pub(super) struct Summed {
    report: benchmark::Report,
    exact: [Complex64; ITERATIONS],
}

impl AsRef<Cost> for Summed {
    fn as_ref(&self) -> &Cost {
        &self.report.cost
    }
}

impl Summed {
    /// Returns the largest relative distance of the checksums from others.
    fn distance(&self, from: &[Complex64; ITERATIONS]) -> f64 {
        let pairs = self.report.checksums.iter().zip(from);
        largest(pairs.map(|(a, b)| (a - b).norm() / b.norm()))
    }

    /// Returns the rate by NPB's own count, in 10^6 operations per second.
    fn rate_of_npb(&self) -> f64 {
        self.report.class.operations_of_npb() / self.report.cost.microseconds()
    }
}

/// A checksum in the JSON report: the iteration, the checksum of the run, and that of NPB.
type SumRow = (usize, Complex64, Complex64);

const SUM: &[Field<SumRow>] = &[
    Field::new("iteration", ValueKind::Integer, "", "from 1 on", |s| s.0.into()),
    Field::new("re", ValueKind::Number, "", "real part", |s| s.1.re.into()),
    Field::new("im", ValueKind::Number, "", "imaginary part", |s| s.1.im.into()),
    Field::new("npb_re", ValueKind::Number, "", "real part as NPB verifies it", |s| s.2.re.into()),
    Field::new("npb_im", ValueKind::Number, "", "imaginary part as NPB verifies it", |s| {
        s.2.im.into()
    }),
];

fn sum_rows(report: &benchmark::Report) -> Vec<SumRow> {
    let npb = report.class.checksums();
    report.checksums.iter().zip(npb).enumerate().map(|(t, (&s, n))| (t + 1, s, n)).collect()
}

impl TypedWorkload for Benchmark {
    type Input = Class;
    type Outcome = Summed;
    const SCHEMA: &'static str = "cp2-ft-1";

    fn about(&self) -> About {
        About {
            name: "ft".to_owned(),
            summary: "NPB FT: a field by its spectrum, six times".into(),
            family: "fft",
            platform: Platform::Machine,
            input: "a class of NPB".to_owned(),
            output: "complex64 (n3, n2, n1), the last field".to_owned(),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: Reference {
                is: "the checksums in double precision, and those of NPB".into(),
                measure: "largest relative distance",
                tolerance: 1e-6,
                unit: "",
                reason: "an element of a field has a relative RMS error of at most 3e-7 by each of two transforms, and two products add 2e-7",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let output = ArraySpec {
            name: "u".into(),
            kind: npy::NumberType::Complex64,
            shape: SIZES.map(str::to_owned).to_vec(),
            is_optional: false,
        };
        vec![options::class(&CLASSES), options::output(output)]
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
            let class = name.to_owned();
            RequestError::Class { workload: "ft", class, classes: &CLASSES }.into()
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
        let report = benchmark::run(config, *class, &request.execution(), show)?;
        Ok(Summed { report, exact: ft_reference(*class) })
    }

    fn check(&self, _: &Request, class: &Class, summed: &Summed) -> Deviation {
        let distance = summed.distance(&summed.exact).max(summed.distance(&class.checksums()));
        let limit = TypedWorkload::about(self).reference.tolerance;
        Deviation::new(distance, distance <= limit)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let shape = finished.input.sizes().0.into_iter().rev().collect();
        Some(npy::Array::from_complex(shape, &finished.outcome.report.output))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.report.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("class", ValueKind::Text, "", "of NPB", |f| f.input.name().into()),
            Field::new("points", ValueKind::Numbers, "points", "along x, y and z", |f| {
                json!(f.input.sizes().0)
            }),
            Field::new("iterations", ValueKind::Integer, "iterations", "", |_| ITERATIONS.into()),
            Field::new(
                "checksums",
                ValueKind::Objects(|| cp2_document::schema(SUM, &[])),
                "",
                "of the field after every iteration",
                |f| {
                    let rows = sum_rows(&f.outcome.report);
                    rows.iter().map(|row| cp2_document::object(SUM, row)).collect()
                },
            ),
        ];
        fields.extend(count_rows());
        fields.extend(rate_rows("at 5 N log2 N for each of seven transforms"));
        fields.push(Field::new(
            "npb_rate_mops",
            ValueKind::Number,
            "10^6 operations per second",
            UNTIMED,
            |f| f.outcome.rate_of_npb().into(),
        ));
        fields.extend(paging_rows());
        fields.extend(machine_rows());
        fields.push(Field::new(
            "deviation",
            ValueKind::Number,
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
            "{rate:.0} MOPS at 5 N log2 N for seven transforms, {:.0} {UNTIMED}\n\
             CP2 turns the pages and waits for the channel in {} cycles\n{}\n{}{}",
            summed.rate_of_npb(),
            device_driven::waiting(cost),
            RateBounds::of(cost).text(rate),
            rows_text(cost),
            text::assumptions(&cost.config),
        )
    }
}
