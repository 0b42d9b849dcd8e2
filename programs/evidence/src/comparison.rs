//! A procedure's rate beside two others that are never mixed: that of the published scheme with the
//! published kernels, simulated on the same machine, and the measured one, beside which the model's
//! error on that row stands.

use super::measured::{self, MeasuredRow, MeasuredTable};
use super::published::{self, Reading};
use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_procedures::host::Procedure;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use serde_json::{Value, json};

/// Rates beside which the rate of a procedure is put: published and measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateComparison {
    /// The rate to compare, 10^6 operations per second.
    pub mops: f64,
    /// The rate of the published scheme with the published kernels on the same machine, with as many
    /// vectors; its kernels are installed before.
    pub published_mops: f64,
    /// The measured row, if there is one of this procedure and this machine.
    pub measured: Option<AgainstMeasured>,
}

/// A measured row and what the model makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgainstMeasured {
    /// Table that has the measured row.
    pub table: &'static MeasuredTable,
    /// Measured row.
    pub row: &'static MeasuredRow,
    /// The simulated rate of the published scheme with the published kernels, with the vectors of
    /// the row, 10^6 operations per second.
    pub model_mops: f64,
}

impl AgainstMeasured {
    /// Returns the percentage by which the rate of the model is above the measured rate.
    pub fn model_error_percent(&self) -> f64 {
        100.0 * (self.model_mops / self.row.mops - 1.0)
    }
}

impl RateComparison {
    /// Compares the rate of so many vectors; none on a core for which nothing was published.
    ///
    /// # Errors
    /// The machine cannot run the published scheme, as a small memory.
    pub fn new(
        environment: &Environment,
        config: &MachineConfig,
        procedure: Procedure,
        vectors: usize,
        mops: f64,
    ) -> Result<Option<Self>, KernelError> {
        if *config.core() != Core::CP2 {
            return Ok(None);
        }
        let reading = Reading::default();
        let rate =
            |vectors| published::rate_mops(environment, config, procedure, vectors, &reading);
        let measured = match measured::find(config, procedure) {
            Some((table, row)) => {
                let model_mops = rate(row.simulated_vectors())?;
                Some(AgainstMeasured { table, row, model_mops })
            }
            None => None,
        };
        Ok(Some(Self { mops, published_mops: rate(vectors)?, measured }))
    }

    /// Returns the rate relative to that of the published procedure, both simulated.
    pub fn same_model(&self) -> f64 {
        self.mops / self.published_mops
    }

    /// Returns both ratios in two lines, with the error of the model beside the measured one.
    pub fn text(&self) -> String {
        let mut text = format!(
            "same model: {:.2} times the published scheme with its kernels, {:.0} MOPS, both simulated\n",
            self.same_model(),
            self.published_mops
        );
        let Some(measured) = &self.measured else {
            return text + "measured: nothing on this machine\n";
        };
        let AgainstMeasured { table, row, .. } = measured;
        let vectors = row.vectors.map_or("vectors not told".to_owned(), |v| format!("{v} vectors"));
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

    /// Returns the ratio to the published procedure, both simulated, as an object of a JSON report.
    pub fn same_model_json(&self) -> Value {
        cp2_document::object(SAME_MODEL, self)
    }

    /// Returns the ratio to the measured rate as an object of a JSON report; null if nothing was measured.
    pub fn measured_json(&self) -> Value {
        let with = |measured| cp2_document::object(MEASURED, &(self.mops, measured));
        self.measured.map_or(Value::Null, with)
    }

    /// Returns the schema of [`RateComparison::same_model_json`].
    pub fn same_model_schema() -> Value {
        cp2_document::schema(SAME_MODEL, &[])
    }

    /// Returns the schema of [`RateComparison::measured_json`] where that is no null.
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
    Field::or_null("vectors", ValueKind::Integer, "vectors", "of the measurement, if told", |m| {
        json!(m.1.row.vectors)
    }),
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
