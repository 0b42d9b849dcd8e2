//! Comparison of a procedure's rate with two others that are never mixed: the simulated rate of the published scheme
//! with the published kernels on the same machine, and the measured rate, beside which the error of the model stands.

use super::measured::{self, MeasuredRow, MeasuredTable};
use super::published::{self, Reading};
use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_procedures::host::Procedure;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use serde_json::{Value, json};

/// The rate of a run of a procedure beside two others: the simulated rate of the scheme and the kernels that the source
/// \[D\] published, on the same machine, and the rate that \[D\] measured on the chip. [`RateComparison::new`] makes
/// it. All are in 10^6 operations per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateComparison {
    /// Rate of the run that is compared, 10^6 operations per second.
    pub mops: f64,
    /// Simulated rate of the published scheme with the published kernels on the same machine and with as many vectors,
    /// 10^6 operations per second. Sending the kernels to CP2 is not counted.
    pub published_mops: f64,
    /// The measured rate, with the rate that this program simulates for the same vectors; `None` if \[D\] measured no
    /// such procedure on this machine.
    pub measured: Option<AgainstMeasured>,
}

/// A measured rate, and the rate of the same published scheme as this program simulates it: the difference is the error
/// of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgainstMeasured {
    /// Table of \[D\] that has the measured rate.
    pub table: &'static MeasuredTable,
    /// Row of the table: the procedure, its number of vectors, and the measured rate.
    pub row: &'static MeasuredRow,
    /// Simulated rate of the published scheme with the published kernels, for as many vectors as the row tells, 10^6
    /// operations per second.
    pub model_mops: f64,
}

impl AgainstMeasured {
    /// Returns the percentage by which the simulated rate of the published scheme is above the measured one; negative
    /// if it is below.
    pub fn model_error_percent(&self) -> f64 {
        100.0 * (self.model_mops / self.row.mops - 1.0)
    }
}

impl RateComparison {
    /// Compares `mops`, the rate of a run of the procedure on this number of vectors, in 10^6 operations per second;
    /// simulates the published scheme for that, in the environment and with the limit
    /// of cycles of `on`. `None` for a core other than that of CP2, for which nothing was
    /// published.
    ///
    /// # Errors
    /// The machine cannot run the published scheme, for instance because its memory is too small.
    pub fn new(
        on: &Execution,
        config: &MachineConfig,
        procedure: Procedure,
        vectors: usize,
        mops: f64,
    ) -> Result<Option<Self>, KernelError> {
        if *config.core() != Core::CP2 {
            return Ok(None);
        }
        let reading = Reading::default();
        let rate = |vectors| published::rate_mops(on, config, procedure, vectors, &reading);
        let measured = match measured::find(config, procedure) {
            Some((table, row)) => {
                let model_mops = rate(row.simulated_vectors())?;
                Some(AgainstMeasured { table, row, model_mops })
            }
            None => None,
        };
        Ok(Some(Self { mops, published_mops: rate(vectors)?, measured }))
    }

    /// Returns the ratio of the compared rate to that of the published scheme, both simulated; above 1 if the compared
    /// one is faster.
    pub fn same_model(&self) -> f64 {
        self.mops / self.published_mops
    }

    /// Returns two lines of text: the ratio of the compared rate to the simulated rate of the published scheme, then
    /// that to the measured rate with the error of the simulation in percent. If nothing was measured, the second line
    /// says so.
    pub fn text(&self) -> String {
        let mut text = format!(
            "same model: {:.2} times the published scheme with its kernels, {:.0} MOPS, both simulated\n",
            self.same_model(),
            self.published_mops
        );
        let Some(measured) = &self.measured else {
            return text + "measured: no rate on this machine\n";
        };
        let AgainstMeasured { table, row, .. } = measured;
        let vectors = row
            .vectors
            .map_or("number of vectors not stated".to_owned(), |v| format!("{v} vectors"));
        text += &format!(
            "measured: {:.2} times {:.0} MOPS ({}, {vectors}); the model's error there is {:+.1} %",
            self.mops / row.mops,
            row.mops,
            table.source,
            measured.model_error_percent()
        );
        if let Some(theory) = row.theory_mops() {
            text += &format!("; [D]'s theory {theory:.0} MOPS");
        }
        text + "\n"
    }

    /// Returns the simulated rate of the published scheme, and the ratio of the compared rate to it, as an object of a
    /// JSON report.
    pub fn same_model_json(&self) -> Value {
        cp2_document::object(SAME_MODEL, self)
    }

    /// Returns the measured rate, the ratio of the compared rate to it, and the error of the simulation as an object of
    /// a JSON report; null if nothing was measured.
    pub fn measured_json(&self) -> Value {
        let with = |measured| cp2_document::object(MEASURED, &(self.mops, measured));
        self.measured.map_or(Value::Null, with)
    }

    /// Returns the JSON Schema of the object that [`RateComparison::same_model_json`] makes.
    pub fn same_model_schema() -> Value {
        cp2_document::schema(SAME_MODEL, &[])
    }

    /// Returns the JSON Schema of the object that [`RateComparison::measured_json`] makes if something was measured.
    pub fn measured_schema() -> Value {
        cp2_document::schema(MEASURED, &[])
    }
}

const MOPS: &str = "10^6 operations per second";

const SAME_MODEL: &[Field<RateComparison>] = &[
    Field::new(
        "published_mops",
        ValueKind::Number,
        MOPS,
        "of the published scheme with the published kernels, simulated on this machine with as many vectors",
        |c| c.published_mops.into(),
    ),
    Field::new("ratio", ValueKind::Number, "", "this rate relative to that one", |c| {
        c.same_model().into()
    }),
];

const MEASURED: &[Field<(f64, AgainstMeasured)>] = &[
    Field::new("table", ValueKind::Text, "", "where the measured rate stands", |m| {
        m.1.table.source.into()
    }),
    Field::or_null(
        "vectors",
        ValueKind::Integer,
        "vectors",
        "of the measurement; null if not stated",
        |m| json!(m.1.row.vectors),
    ),
    Field::new("mops", ValueKind::Number, MOPS, "as measured", |m| m.1.row.mops.into()),
    Field::new("ratio", ValueKind::Number, "", "this rate relative to the measured one", |m| {
        (m.0 / m.1.row.mops).into()
    }),
    Field::new(
        "model_error_percent",
        ValueKind::Number,
        "percent",
        "by which the simulated rate of the published scheme with the published kernels is above the measured one",
        |m| m.1.model_error_percent().into(),
    ),
    Field::or_null("theory_mops", ValueKind::Number, MOPS, "as the source estimates it", |m| {
        json!(m.1.row.theory_mops())
    }),
];
