//! An estimate beside what was simulated here and what the source work measured. Each rate names its side; a
//! simulation is never compared as a measurement.

use crate::estimate::Estimate;
use crate::inputs::{Inputs, Kind, LabError};
use crate::key::Key;
use cp2_document::{self as document, Field, Kind as Json};
use cp2_emu::MachineConfig;
use cp2_programs::catalogue::find;
use cp2_programs::host::multigrid::npb::Class;
use cp2_programs::host::published::{Reading, rate_mops};
use cp2_programs::host::{Cost, Procedure, measured};
use cp2_programs::multigrid::Kernel;
use cp2_programs::workload::{Given, Place, Request, Values};
use serde_json::Value;
use std::fmt::Write as _;

/// Most vectors that are simulated.
const VECTORS: f64 = 64.0;
/// Points along an axis of the grids that operators are simulated on.
const GRID: u64 = 64;

/// What a rate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Worked out by the method.
    Estimate,
    /// Counted by the emulator.
    Simulation,
    /// Measured by the source work on the real processor.
    Measurement,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Simulation => "simulation",
            Self::Measurement => "measurement",
        }
    }
}

/// A rate of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// Which side.
    pub side: Side,
    /// Of what.
    pub what: String,
    /// 10^6 operations per second, by the count of the estimate.
    pub mops: f64,
}

/// What of an estimate can be set beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// The rates, the estimate first.
    pub rates: Vec<Rate>,
    /// What there is not, and why.
    pub missing: Vec<String>,
}

/// The machine of an estimate's system; none if there is none, or its numbers were changed.
fn machine(inputs: &Inputs) -> Result<MachineConfig, String> {
    let changed = inputs.all().find(|(key, given)| {
        key.info().section == "system" && given.origin == crate::inputs::BY_HAND
    });
    match (changed, MachineConfig::preset(&inputs.name)) {
        (Some((key, _)), _) => Err(format!("{key} was changed, and no machine has it so")),
        (None, Some(config)) if inputs.kind == Kind::Cp2 => Ok(config),
        _ => Err(format!("there is no emulator of {}", inputs.name)),
    }
}

/// What a procedure of the catalogue cost.
fn run(
    name: &str,
    config: &MachineConfig,
    options: &[(&'static str, Given)],
) -> Result<Cost, LabError> {
    let Some(workload) = find(Place::Machine, name) else {
        return LabError::of(format!("no procedure `{name}` runs on a machine"));
    };
    let mut values = Values::default();
    options.iter().for_each(|(name, value)| values.set(name, value.clone()));
    values.add_defaults(&workload.flags());
    let request = Request {
        values,
        core: *config.core(),
        machine: Some(config.clone()),
        ..Request::default()
    };
    let done = workload.execute(request, &mut |_: usize, _: usize| {});
    let done = done.map_err(|e| LabError(format!("{name}: {e}")))?;
    if let Some(complaint) = done.complaint {
        return LabError::of(format!("{name}: {complaint}"));
    }
    done.cost.ok_or_else(|| LabError(format!("{name}: no cost")))
}

/// The method applied to what a procedure of ours says of itself: the larger of its kernels and its bytes at BW,
/// pass by pass.
fn from_passes(cost: &Cost, inputs: &Inputs) -> Result<f64, LabError> {
    let (clock, bw) = (inputs.require(Key::Clock)?, inputs.bandwidth()?);
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

impl Beside {
    /// Everything that is known beside an estimate; procedures that take seconds are run.
    ///
    /// # Errors
    /// A procedure that should run does not.
    pub fn new(estimate: &Estimate) -> Result<Self, LabError> {
        let inputs = &estimate.inputs;
        let name = estimate.plan.procedure.as_str();
        let npb = estimate.quantity("npb_mops").filter(|_| name == "mg");
        let mut all = Self::default();
        let what = if npb.is_some() { "of the whole, in NPB's count" } else { "of the plan above" };
        all.add(Side::Estimate, what, npb.unwrap_or(estimate.mops));
        if let Some(mops) = inputs.get(Key::Measured) {
            all.add(Side::Measurement, "as given", mops);
        }
        match machine(inputs) {
            Ok(config) => match name {
                "fft" | "convolution" => all.transforms(estimate, &config)?,
                "mg" => all.benchmark(inputs, &config)?,
                "kernel" => {}
                _ => match Kernel::from_name(name) {
                    Some(kernel) => all.operator(kernel, inputs, &config)?,
                    None => all.any(name, inputs, &config)?,
                },
            },
            Err(why) => all.missing.push(format!("no simulation: {why}")),
        }
        Ok(all)
    }

    fn add(&mut self, side: Side, what: impl Into<String>, mops: f64) {
        self.rates.push(Rate { side, what: what.into(), mops });
    }

    fn ours(&mut self, what: &str, cost: &Cost, inputs: &Inputs) -> Result<(), LabError> {
        let passes = from_passes(cost, inputs)?;
        self.add(
            Side::Estimate,
            format!("from loads, kernels and stores of our procedure, {what}"),
            passes,
        );
        self.add(Side::Simulation, format!("our procedure, {what}"), cost.rate_mops());
        Ok(())
    }

    fn transforms(&mut self, estimate: &Estimate, config: &MachineConfig) -> Result<(), LabError> {
        let inputs = &estimate.inputs;
        let is_fft = estimate.plan.procedure == "fft";
        let n = inputs.or(Key::N, if is_fft { 8192.0 } else { 1024.0 });
        let vectors = inputs.or(Key::Vectors, if is_fft { 256.0 } else { 4096.0 });
        let (n, few) = (n as usize, vectors.min(VECTORS) as u64);
        let procedure = match is_fft {
            true => Procedure::Transform { points: n },
            false => Procedure::Convolution { transform: 2 * n },
        };
        if !(32..=65536).contains(&procedure.transform()) {
            self.missing.push(format!("no simulation: there is no procedure of {n} points"));
            return Ok(());
        }
        let failed = |e: cp2_programs::KernelError| LabError(e.to_string());
        let published = rate_mops(config, procedure, vectors as usize, &Reading::default());
        let what = format!("published scheme with published kernels, {vectors} vectors");
        self.add(Side::Simulation, what, published.map_err(failed)?);
        let number = Given::Number;
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
            Ok(cost) => self.ours(&format!("{few} vectors"), &cost, inputs)?,
            Err(e) => self.missing.push(format!("our procedure: {e}")),
        }
        match measured::find(config, procedure) {
            Some((table, row)) => self.add(Side::Measurement, table.source, row.mops),
            None => self.missing.push("no measurement of it on this machine".to_owned()),
        }
        Ok(())
    }

    fn operator(
        &mut self,
        kernel: Kernel,
        inputs: &Inputs,
        config: &MachineConfig,
    ) -> Result<(), LabError> {
        let cost = run(kernel.name(), config, &[("grid", Given::Number(GRID))])?;
        self.ours(&format!("a grid of {GRID}^3 points"), &cost, inputs)?;
        match measured::named(&measured::OPERATORS, config, kernel.name()) {
            Some((table, mops)) => self.add(Side::Measurement, table.source, mops),
            None => self.missing.push("no measurement of it on this machine".to_owned()),
        }
        Ok(())
    }

    fn benchmark(&mut self, inputs: &Inputs, config: &MachineConfig) -> Result<(), LabError> {
        if inputs.or(Key::Processors, 1.0) > 1.0 {
            self.missing.push(
                "several processors are not simulated, and nothing of them was measured".to_owned(),
            );
            return Ok(());
        }
        let cost = run("mg", config, &[("class", Given::Choice("S".to_owned()))])?;
        self.ours("class S, in NPB's count", &cost, inputs)?;
        for class in Class::ALL {
            if let Some((table, mops)) = measured::named(&measured::MULTIGRID, config, class.name())
            {
                self.add(Side::Measurement, format!("class {class}, {}", table.source), mops);
            }
        }
        Ok(())
    }

    /// A procedure of the catalogue by its name, with the defaults of its options.
    fn any(&mut self, name: &str, inputs: &Inputs, config: &MachineConfig) -> Result<(), LabError> {
        if find(Place::Machine, name).is_none() {
            self.missing.push(format!("no simulation: {name} does not run on a whole machine"));
            return Ok(());
        }
        let cost = run(name, config, &[])?;
        self.ours("defaults of its options", &cost, inputs)
    }

    /// The table for people.
    pub fn text(&self) -> String {
        let first = self.rates.first().map_or(1.0, |rate| rate.mops);
        let mut text = format!("\n{:<12} {:>10} {:>9}  of what\n", "side", "MOPS", "of first");
        for Rate { side, what, mops } in &self.rates {
            let _ =
                writeln!(text, "{:<12} {mops:>10.0} {:>9.2}  {what}", side.name(), mops / first);
        }
        for missing in &self.missing {
            let _ = writeln!(text, "note: {missing}");
        }
        text
    }

    /// The table as JSON.
    pub fn to_json(&self) -> Value {
        document::object(&BESIDE, self)
    }

    /// The schema of that.
    pub fn schema() -> Value {
        document::schema(&BESIDE, &[])
    }
}

const RATE: [Field<Rate>; 3] = [
    Field::new("side", Json::Text, "", "estimate, simulation or measurement", |r| {
        r.side.name().into()
    }),
    Field::new("what", Json::Text, "", "of what", |r| r.what.clone().into()),
    Field::new(
        "mops",
        Json::Number,
        "10^6 operations per second",
        "by the count of the estimate",
        |r| r.mops.into(),
    ),
];

const BESIDE: [Field<Beside>; 2] = [
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
