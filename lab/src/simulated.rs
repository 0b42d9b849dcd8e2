//! Rates beside an estimate: what was simulated here, and what the dissertation `[D]` measured. Each rate names its
//! origin, and is compared with the estimate only where it is of the same problem: the same matrix, grid, class, number
//! of vectors.

use crate::estimate::{Estimate, EstimatedWork};
use crate::inputs::{CoprocessorKind, Inputs, LabError, PerfSource};
use crate::key::EstimateKey;
use crate::plans::{self, CountedWorkload};
use crate::recorded::Subject;
use cp2_document::{self as document, Field, ValueKind as Json};
use cp2_emu::MachineConfig;
use cp2_evidence::measured;
use cp2_evidence::published::{Reading, rate_mops};
use cp2_kernels::multigrid::GridKernel;
use cp2_kernels::sparse::matrices::{CgClass, npb_cg};
use cp2_procedures::host::Procedure;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::Execution;
use cp2_session::cost::Cost;
use cp2_session::workload::OptionValue;
use serde_json::Value;
use std::fmt::Write as _;

/// Most points of all vectors together that are simulated as a plan has them.
const POINTS: f64 = 4_194_304.0;
/// Most vectors that are simulated where a plan has more points.
const VECTORS: f64 = 64.0;
/// Points along an axis of the largest grid that operators are simulated on.
const LARGEST_GRID: f64 = 128.0;
/// Points along an axis of the grid that is simulated where a plan has a larger one.
const GRID: u64 = 64;
/// Points along an axis of the largest class of MG that is simulated.
const LARGEST_CLASS: usize = 128;

/// Origin of a rate that is shown beside an estimate: the estimation method, the emulator, or the real processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateOrigin {
    /// The estimation method gives the rate, from the plan of the procedure.
    Estimate,
    /// The estimation method gives the rate, but from the bytes that our procedure moves and from the cycles of its
    /// kernels that the emulator counted.
    Calibrated,
    /// The emulator gives the rate: it counted the cycles of a run.
    Simulation,
    /// The rate was measured on a real processor, by the dissertation `[D]` or by whoever gave `work.measured_mops`.
    Measurement,
}

impl RateOrigin {
    const fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Calibrated => "calibrated",
            Self::Simulation => "simulation",
            Self::Measurement => "measurement",
        }
    }
}

/// Rate of a procedure in 10^6 operations per second from one origin (estimation method, emulator, real processor),
/// shown beside an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// Origin of the rate.
    pub origin: RateOrigin,
    /// Description, for people, of the problem, scheme or table that the rate belongs to.
    pub what: String,
    /// Rate in 10^6 operations per second, with the operations counted as in the estimate.
    pub mops: f64,
    /// Whether the rate is of the same problem as the estimate, so that the two may be compared.
    pub is_same: bool,
}

/// Rates of a procedure that were simulated or measured, beside that of its estimate, and notes on those that are
/// missing. [`ObservedRates::new`] makes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRates {
    /// Rates of all origins, that of the estimate first.
    pub rates: Vec<Rate>,
    /// Notes for people: which rates are missing, and why.
    pub missing: Vec<String>,
}

/// Returns the machine of an estimate's system; none if there is none, or its numbers were changed.
fn machine(inputs: &Inputs) -> Result<MachineConfig, String> {
    let changed = inputs.all().find(|(key, given)| {
        key.info().section == "system" && given.origin == crate::inputs::BY_HAND
    });
    match (changed, MachineConfig::preset(&inputs.name)) {
        (Some((key, _)), _) => Err(format!("{key} was changed, and no machine has that value")),
        (None, Some(config)) if inputs.kind == CoprocessorKind::Cp2 => Ok(config),
        _ => Err(format!("there is no emulator of {}", inputs.name)),
    }
}

/// Runs a procedure of the catalogue, and returns its cost.
fn run(
    name: &str,
    config: &MachineConfig,
    options: &[(&'static str, OptionValue)],
) -> Result<Cost, LabError> {
    Subject::procedure(name, config.clone(), options)?.cost()
}

/// Applies the method to what a procedure of ours says of itself, and returns the rate in MOPS: the larger of its
/// kernels and its bytes at BW, pass by pass.
fn from_passes(cost: &Cost, inputs: &Inputs) -> Result<f64, LabError> {
    let (clock, bw) = (inputs.require(EstimateKey::Clock)?, inputs.bandwidth()?);
    let us: f64 = cost
        .passes
        .iter()
        .map(|pass| {
            let beside = pass.moved.load_bytes + pass.moved.store_bytes;
            let kernels = pass.counts.cycles as f64 / clock;
            kernels.max(beside as f64 / bw) + pass.moved.prepare_bytes as f64 / bw
        })
        .sum();
    Ok(cost.operations as f64 / us)
}

/// Name of a problem in tables, and the option that chooses it.
type Problem = (String, (&'static str, OptionValue));

/// Returns the matrix with so many rows and nonzeros that procedures can make.
fn matrix(rows: f64, nonzeros: f64, is_product: bool) -> Result<Option<Problem>, LabError> {
    for (letter, class) in CgClass::ALL {
        if class.order as f64 == rows {
            let made = npb_cg(class).map_err(|e| LabError::new(e.to_string()))?;
            if made.nonzeros() as f64 == nonzeros {
                let name = letter.to_owned();
                return Ok(Some((name.clone(), ("class", OptionValue::Choice(name)))));
            }
        }
    }
    let is_random = is_product && rows <= 8192.0 && (rows * rows / 16.0).ceil() == nonzeros;
    let random = || (rows.to_string(), ("rows", OptionValue::Number(rows as u64)));
    Ok(is_random.then(random))
}

impl ObservedRates {
    /// Collects all rates that are known beside an estimate: runs our procedure on the emulator, on a smaller problem
    /// if that of the estimate would take too long, and looks up measured rates. If no procedure, machine or
    /// measurement fits the estimate, a note in `missing` says why. Two cases get no note: the plan `kernel`, of which
    /// nothing is simulated or looked up, and classes of NPB MG that were not measured.
    ///
    /// # Errors
    /// A simulation fails.
    pub fn new(estimate: &Estimate) -> Result<Self, LabError> {
        let inputs = &estimate.inputs;
        let name = estimate.plan.procedure.as_str();
        let npb = estimate.quantity("npb_mops").filter(|_| name == "mg");
        let mut all = Self::default();
        let what = if npb.is_some() { "of the whole, in NPB's count" } else { "of the plan above" };
        all.add(RateOrigin::Estimate, what, npb.unwrap_or(estimate.mops), true);
        if let Some(mops) = inputs.get(EstimateKey::Measured) {
            all.add(RateOrigin::Measurement, "as given", mops, true);
        }
        match machine(inputs) {
            Ok(config) => match name {
                "kernel" => {}
                "fft" | "convolution" => all.transforms(estimate, &config)?,
                "mg" => all.benchmark(inputs, &config)?,
                "spmv" | "cg" => all.sparse(name, inputs, &config)?,
                _ => match GridKernel::from_name(name) {
                    Some(kernel) => all.operator(kernel, inputs, &config)?,
                    None => all.missing.push(format!("no simulation: {name} is not a procedure")),
                },
            },
            Err(why) => all.missing.push(format!("no simulation: {why}")),
        }
        Ok(all)
    }

    /// Collects the rates beside an estimate of a workload that was run: that of the method with the counted cycles of
    /// its kernels, where the estimate has another rate of them, and that of the run itself.
    ///
    /// # Errors
    /// See [`Estimate::new`].
    pub fn of_counted(estimate: &Estimate, counted: &CountedWorkload) -> Result<Self, LabError> {
        let inputs = &estimate.inputs;
        let mut all = Self::default();
        all.add(RateOrigin::Estimate, "of the plan above", estimate.mops, true);
        if let Some(mops) = inputs.get(EstimateKey::Measured) {
            all.add(RateOrigin::Measurement, "as given", mops, true);
        }
        if inputs.perf != PerfSource::Ours && inputs.given(EstimateKey::Perf).is_none() {
            let mut ours = inputs.clone();
            ours.perf = PerfSource::Ours;
            let work = EstimatedWork::Counted(Box::new(counted.clone()));
            let mops = Estimate::new(&work, &ours)?.mops;
            let what = "the same plan with the counted cycles of the kernels";
            all.add(RateOrigin::Calibrated, what, mops, true);
        }
        match machine(inputs) {
            Ok(config) if config == counted.cost.config => {
                let mops = counted.operations() / counted.cost.microseconds();
                let what = format!("the run on {}", counted.machine());
                all.add(RateOrigin::Simulation, what, mops, true);
            }
            Ok(_) => all.missing.push(format!("no simulation: it ran on {}", counted.machine())),
            Err(why) => all.missing.push(format!("no simulation: {why}")),
        }
        Ok(all)
    }

    fn add(&mut self, origin: RateOrigin, what: impl Into<String>, mops: f64, is_same: bool) {
        self.rates.push(Rate { origin, what: what.into(), mops, is_same });
    }

    /// Adds a measured rate, or the note that there is none.
    fn measured(&mut self, found: Option<(&'static str, f64)>, is_same: bool) {
        match found {
            Some((source, mops)) => self.add(RateOrigin::Measurement, source, mops, is_same),
            None => self.missing.push("no measurement of it on this machine".to_owned()),
        }
    }

    /// Adds the rate of our procedure, and that of the method applied to what the procedure says of itself.
    fn ours(
        &mut self,
        what: &str,
        cost: &Cost,
        inputs: &Inputs,
        is_same: bool,
    ) -> Result<(), LabError> {
        let passes = from_passes(cost, inputs)?;
        let calibrated = format!("from what our procedure moves and its kernels count, {what}");
        self.add(RateOrigin::Calibrated, calibrated, passes, is_same);
        self.add(
            RateOrigin::Simulation,
            format!("our procedure, {what}"),
            cost.rate_mops(),
            is_same,
        );
        Ok(())
    }

    fn transforms(&mut self, estimate: &Estimate, config: &MachineConfig) -> Result<(), LabError> {
        let inputs = &estimate.inputs;
        let is_fft = estimate.plan.procedure == "fft";
        let n = inputs.or(EstimateKey::N, if is_fft { 8192.0 } else { 1024.0 });
        let vectors = inputs.or(EstimateKey::Vectors, if is_fft { 256.0 } else { 4096.0 });
        let simulated = if n * vectors <= POINTS { vectors } else { vectors.min(VECTORS) };
        let (n, few) = (n as usize, simulated as u64);
        let procedure = match is_fft {
            true => Procedure::Transform { points: n },
            false => Procedure::Convolution { transform: 2 * n },
        };
        if !(32..=65536).contains(&procedure.transform()) {
            self.missing.push(format!("no simulation: there is no procedure of {n} points"));
            return Ok(());
        }
        let failed = |e: cp2_session::KernelError| LabError::new(e.to_string());
        let published = rate_mops(
            &Execution::default(),
            config,
            procedure,
            vectors as usize,
            &Reading::default(),
        );
        let what = format!("published scheme with published kernels, {vectors} vectors");
        self.add(RateOrigin::Simulation, what, published.map_err(failed)?, true);
        let number = OptionValue::Number;
        let (name, options) = match is_fft {
            true => (format!("fft{n}"), vec![("vectors", number(few))]),
            false => {
                let n = n as u64;
                (
                    "convolution".to_owned(),
                    vec![("vectors", number(few)), ("points", number(n)), ("taps", number(n))],
                )
            }
        };
        match run(&name, config, &options) {
            Ok(cost) => {
                self.ours(&format!("{few} vectors"), &cost, inputs, simulated == vectors)?;
            }
            Err(e) => self.missing.push(format!("our procedure: {e}")),
        }
        let found = measured::find(config, procedure);
        let of = found.and_then(|(_, row)| row.vectors);
        self.measured(
            found.map(|(table, row)| (table.source, row.mops)),
            of.is_none_or(|n| n as f64 == vectors),
        );
        if found.is_some() && of.is_none() {
            self.missing.push("the source does not say how many vectors were measured".to_owned());
        }
        Ok(())
    }

    fn operator(
        &mut self,
        kernel: GridKernel,
        inputs: &Inputs,
        config: &MachineConfig,
    ) -> Result<(), LabError> {
        let n = inputs.or(EstimateKey::N, plans::operator_points(kernel));
        let is_own = (8.0..=LARGEST_GRID).contains(&n);
        let grid = if is_own { n as u64 } else { GRID };
        let cost = run(kernel.name(), config, &[("grid", OptionValue::Number(grid))])?;
        self.ours(&format!("a grid of {grid}^3 points"), &cost, inputs, is_own)?;
        let found = measured::named(&measured::OPERATORS, config, kernel.name());
        self.measured(found.map(|(table, mops)| (table.source, mops)), true);
        if found.is_some() {
            self.missing.push("the source does not say which grid was measured".to_owned());
        }
        Ok(())
    }

    fn benchmark(&mut self, inputs: &Inputs, config: &MachineConfig) -> Result<(), LabError> {
        if inputs.or(EstimateKey::Processors, 1.0) > 1.0 {
            self.missing.push("several processors are neither simulated nor measured".to_owned());
            return Ok(());
        }
        let n = inputs.or(EstimateKey::N, plans::BENCHMARK_POINTS);
        let is_of = |class: Class| class.points() as f64 == n;
        let own = Class::ALL.into_iter().find(|&class| is_of(class));
        let own = own.filter(|class| class.points() <= LARGEST_CLASS);
        let class = own.unwrap_or(Class::S);
        let cost = run("mg", config, &[("class", OptionValue::Choice(class.name().to_owned()))])?;
        let what = format!("class {class}, in NPB's count");
        self.ours(&what, &cost, inputs, is_of(class))?;
        for class in Class::ALL {
            if let Some((table, mops)) = measured::named(&measured::MULTIGRID, config, class.name())
            {
                let what = format!("class {class}, {}", table.source);
                self.add(RateOrigin::Measurement, what, mops, is_of(class));
            }
        }
        Ok(())
    }

    /// Adds the rates of a product, or of conjugate gradients, with the matrix of the plan, where there is one like it.
    fn sparse(
        &mut self,
        name: &str,
        inputs: &Inputs,
        config: &MachineConfig,
    ) -> Result<(), LabError> {
        let (rows, nonzeros) = plans::matrix_of(inputs);
        let Some((matrix, option)) = matrix(rows, nonzeros, name == "spmv")? else {
            self.missing.push(format!(
                "no simulation: {name} has no matrix of {rows} rows with {nonzeros} nonzeros; it has those of NPB CG, and spmv random ones with one element in 16"
            ));
            return Ok(());
        };
        let cost = run(name, config, &[option])?;
        self.ours(&format!("matrix {matrix}"), &cost, inputs, true)?;
        if name == "spmv" {
            let found = measured::named(&measured::SPARSE, config, &matrix);
            self.measured(found.map(|(table, mops)| (table.source, mops)), true);
        } else {
            self.missing.push("no measurement of it on this machine".to_owned());
        }
        Ok(())
    }

    /// Returns the rates as a table in text for people, with the notes on those that are missing.
    pub fn text(&self) -> String {
        let first = self.rates.first().map_or(1.0, |rate| rate.mops);
        let mut text = format!("\n{:<12} {:>10} {:>9}  of what\n", "side", "MOPS", "of first");
        for Rate { origin, what, mops, is_same } in &self.rates {
            let ratio = if *is_same { format!("{:.2}", mops / first) } else { "-".to_owned() };
            let _ = writeln!(text, "{:<12} {mops:>10.0} {ratio:>9}  {what}", origin.name());
        }
        if self.rates.iter().any(|rate| !rate.is_same) {
            text += "note: a rate without a ratio is of another problem than the estimate\n";
        }
        for missing in &self.missing {
            let _ = writeln!(text, "note: {missing}");
        }
        text
    }

    /// Returns the rates as a JSON object, which [`ObservedRates::schema`] describes.
    pub fn to_json(&self) -> Value {
        document::object(&OBSERVED, self)
    }

    /// Returns the JSON schema of the object that [`ObservedRates::to_json`] returns.
    pub fn schema() -> Value {
        document::schema(&OBSERVED, &[])
    }
}

const RATE: [Field<Rate>; 4] = [
    Field::new(
        "side",
        Json::Text,
        "",
        "estimate, calibrated (the method with simulated cycles of kernels), simulation or measurement",
        |r| r.origin.name().into(),
    ),
    Field::new("what", Json::Text, "", "of what", |r| r.what.clone().into()),
    Field::new(
        "mops",
        Json::Number,
        "10^6 operations per second",
        "by the count of the estimate",
        |r| r.mops.into(),
    ),
    Field::new(
        "is_same",
        Json::Flag,
        "",
        "whether it is of the problem of the estimate; else the two are not compared",
        |r| r.is_same.into(),
    ),
];

const OBSERVED: [Field<ObservedRates>; 2] = [
    Field::new(
        "rates",
        Json::Objects(|| document::schema(&RATE, &[])),
        "",
        "the estimate first",
        |b| b.rates.iter().map(|rate| document::object(&RATE, rate)).collect(),
    ),
    Field::new("missing", Json::Texts, "", "what there is not, and why", |b| {
        b.missing.clone().into()
    }),
];
