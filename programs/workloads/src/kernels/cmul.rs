//! The pointwise products as workloads: two rows of an array, or of random numbers.

use crate::workload::options;
use crate::workload::{CountRow, Counted, Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::cmul::{Product, distance, largest, relative_rms_error, run};
use cp2_kernels::fft;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy::{self, ComplexMatrix};
use cp2_session::numbers::Flushed;
use cp2_session::random;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
};
use num_complex::Complex32;
use serde_json::json;

/// The family of the pointwise products.
pub(crate) const FAMILY: Family = Family {
    workloads: || Product::ALL.into_iter().map(|product| untyped(product)).collect(),
    counted,
};

/// Words of each row of random data.
const RANDOM_WORDS: usize = 4096;

/// The outcome of a kernel for pointwise products: the products, the cycles of all runs of the kernel, and the lower
/// bound in cycles of a word in every section.
#[derive(Debug)]
pub struct Multiplied {
    products: Vec<Complex32>,
    cycles: u64,
    bound: f64,
}

const FIELDS: &[ReportField<Product>] = &[
    Field::new("kernel", ValueKind::Name, "", "the kernel", |f| f.name().into()),
    Field::new("words", ValueKind::Integer, "words", "of the result, dealt to the sections", |f| {
        f.outcome.products.len().into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "of all runs of the kernel", |f| {
        f.outcome.cycles.into()
    }),
    Field::new(
        "exchange_bound",
        ValueKind::Number,
        "cycles",
        "fewest for a word of each section",
        |f| f.outcome.bound.into(),
    ),
    Field::or_null(
        "relative_rms_error",
        ValueKind::Number,
        "",
        "against the products in double precision; null where it is not a number",
        |f| json!(f.check.distance),
    ),
];

impl TypedWorkload for Product {
    type Input = ComplexMatrix;
    type Outcome = Multiplied;
    const SCHEMA: &'static str = "cp2-kernel-1";

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self {
                Self::Plain => "products x[i] y[i] of the two rows",
                Self::Conjugate => "products x[i] conj(y[i]) of the two rows",
                Self::Scale => "products x[i] y[0] of the first row",
            }
            .into(),
            family: "products",
            platform: Platform::Cp2,
            input: "complex64 (2, words)".to_owned(),
            output: "complex64 (words)".to_owned(),
            order: "ascending",
            permuted: None,
            reference: Reference {
                is: "the products in double precision".into(),
                measure: "relative RMS error",
                tolerance: fft::Check::LIMIT,
                unit: "",
                reason: "two products and a sum round by at most 6e-8 each",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let seed = options::seed().replaced_by(&["input"]);
        let input = options::input(ArraySpec::complex64(2, "words"));
        vec![input, options::output(ArraySpec::complex64(1, "words")), options::non_finite(), seed]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound::new("word", Product::bound(*self), "exchange slots"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Product::source(*self, core)
    }

    fn inputs(&self, request: &Request) -> Result<ComplexMatrix, KernelError> {
        let values = &request.values;
        if let Some(matrix) = values.array("input") {
            if !values.has("non-finite") {
                KernelError::require_finite(matrix.columns, &matrix.values)?;
            }
            return Ok(matrix.clone());
        }
        let values = random::complex(values.number("seed").unwrap_or(1), 2 * RANDOM_WORDS);
        Ok(ComplexMatrix { rows: 2, columns: RANDOM_WORDS, is_vector: false, values })
    }

    fn run(
        &self,
        request: &Request,
        input: &ComplexMatrix,
        _: &mut dyn Listener,
    ) -> Result<Multiplied, KernelError> {
        let (x, y) = input.values.split_at(input.columns);
        let (products, cycles) = run(*self, x, y, &request.execution())?;
        Ok(Multiplied { products, cycles, bound: Product::bound(*self) })
    }

    fn check(&self, _: &Request, input: &ComplexMatrix, outcome: &Multiplied) -> Deviation {
        let (x, y) = input.values.split_at(input.columns);
        let found = distance(*self, x, y, &outcome.products);
        let distance = relative_rms_error(&found);
        let flushed = Flushed { results: found.lost(), ..Flushed::of_complex(&input.values) };
        Deviation { flushed, ..Deviation::new(distance, distance < fft::Check::LIMIT) }
    }

    fn fields() -> Vec<ReportField<Self>> {
        FIELDS.to_vec()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome, check, .. } = finished;
        format!(
            "{}: {} words in {} kernel cycles; bound {} per word and section\n\
             relative RMS error {:.2e} against the products in double precision\n",
            finished.name(),
            outcome.products.len(),
            outcome.cycles,
            Product::bound(*self),
            check.distance
        )
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let values = finished.outcome.products.clone();
        Some(npy::Array::from(ComplexMatrix {
            rows: 1,
            columns: values.len(),
            is_vector: true,
            values,
        }))
    }
}

/// Returns every product, to be counted.
fn counted() -> Vec<Counted> {
    let count = |product: Product| {
        Counted::new(product.name().to_owned(), move |name, on| row(name, product, on))
    };
    Product::ALL.into_iter().map(count).collect()
}

/// Counts a product on half of the words that one run multiplies at most.
fn row(name: &str, product: Product, on: &Execution) -> Result<CountRow, KernelError> {
    let words = largest(&on.core) / 2;
    let numbers = random::complex(1, 2 * words * SECTIONS);
    let (x, y) = numbers.split_at(words * SECTIONS);
    let (products, cycles) = run(product, x, y, on)?;
    let bound = TypedWorkload::bound(&product, &on.core)?;
    let row =
        CountRow::new(name.to_owned(), format!("{words} words"), (words as u64, cycles), &bound);
    Ok(row.checked(relative_rms_error(&distance(product, x, y, &products)) < fft::Check::LIMIT))
}
