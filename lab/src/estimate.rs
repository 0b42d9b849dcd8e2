//! Estimates of procedures: the ten steps of the estimation method of the dissertation `[D]` (section 1.5), each kept
//! as data with its title, findings and numbers.

use crate::inputs::{Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Plan, PlanLoop, Quantity};
use crate::plans::{self, CountedWorkload};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;
use std::fmt::Write as _;

/// Step of the ten of the estimation method, as [`Estimate::new`] took it for a procedure on a system: its title,
/// its findings as text, and the numbers that it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateStep {
    /// Number of the step, from 1 to 10.
    pub number: usize,
    /// Title of the step: what is found out in it, such as "what overlaps".
    pub title: &'static str,
    /// Findings of the step as lines of text for people: one for each loop, or one for the whole.
    pub found: Vec<String>,
    /// Named numbers that the step gives, such as a rate or a time; those about one loop are of the main loop. Some
    /// steps have none.
    pub values: Vec<Quantity>,
}

/// Work that is estimated: a procedure of the dissertation `[D]`, or any workload, of which a run on the emulator was
/// counted.
#[derive(Clone, Debug, PartialEq)]
pub enum EstimatedWork {
    /// The procedure of this name, as in [`plans::ALL`]; a number behind the name is its size, as in `fft8192`.
    Procedure(String),
    /// A workload whose passes were counted in a run.
    Counted(Box<CountedWorkload>),
}

impl EstimatedWork {
    /// Returns the procedure of this name as what is estimated. Whether there is one is only known to
    /// [`Estimate::new`].
    pub fn procedure(name: &str) -> Self {
        Self::Procedure(name.to_owned())
    }

    /// Returns the name of the procedure or workload.
    pub fn name(&self) -> &str {
        match self {
            Self::Procedure(name) => name,
            Self::Counted(counted) => &counted.name,
        }
    }
}

/// Estimate of a procedure on a system (coprocessors that share a channel to memory) by the method of the dissertation
/// `[D]` (section 1.5): time and rate of the procedure, with all steps that lead to them. [`Estimate::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Numbers of the system and sizes of the work on which the estimate rests, each with its origin.
    pub inputs: Inputs,
    /// Plan of the procedure: its loops, and the parts of an iteration of each that load, compute, store and exchange.
    pub plan: Plan,
    /// The ten steps of the method, in their order.
    pub steps: Vec<EstimateStep>,
    /// Estimated time of the whole procedure, in microseconds.
    pub us: f64,
    /// Estimated rate of the procedure, in 10^6 operations per second; the operations are counted as [`Plan::counting`]
    /// says.
    pub mops: f64,
}

impl Estimate {
    /// Estimates a procedure or workload on the system and for the sizes in `inputs`.
    ///
    /// # Errors
    /// There is no such procedure, a number that it needs is not given, or it does not take the given numbers.
    pub fn new(work: &EstimatedWork, inputs: &Inputs) -> Result<Self, LabError> {
        let (plan, inputs) = match work {
            EstimatedWork::Procedure(name) => {
                let (known, inputs) = plans::find(name, inputs)?;
                (known.plan(&inputs)?, inputs)
            }
            EstimatedWork::Counted(counted) => (counted.plan(inputs)?, inputs.clone()),
        };
        let us: f64 = plan.loops.iter().map(PlanLoop::us).sum();
        let mops = plan.operations / us;
        let mut estimate = Self { inputs, plan, steps: Vec::new(), us, mops };
        estimate.steps = estimate.describe();
        Ok(estimate)
    }

    /// Returns the main loop: the loop of the plan that takes most time with all its iterations.
    pub fn main_loop(&self) -> &PlanLoop {
        let longest = (0..self.plan.loops.len())
            .max_by(|&a, &b| self.plan.loops[a].us().total_cmp(&self.plan.loops[b].us()));
        &self.plan.loops[longest.unwrap_or(0)]
    }

    /// Returns the value of the quantity of this name among [`Estimate::quantities`], in its unit there; `None` if the
    /// estimate has no such quantity.
    pub fn quantity(&self, name: &str) -> Option<f64> {
        let known = self.quantities();
        known.iter().find(|quantity| quantity.name == name).map(|quantity| quantity.value)
    }

    /// Returns all named values that the estimate gives: rate and time of the whole procedure, values of the main loop,
    /// the efficiency (measured rate in percent of the estimated one) if a measured rate is given, then those that are
    /// special to the procedure.
    pub fn quantities(&self) -> Vec<Quantity> {
        let main = self.main_loop();
        let mut all = vec![
            Quantity::new("mops", self.mops, "MOPS", "operations / time"),
            Quantity::new("us", self.us, "us", "time of the whole"),
            Quantity::new("perf_mops", main.perf.mops, "MOPS", "Perf_kern of the main loop"),
            Quantity::new("kernel_us", main.kernel_us(), "us", "T_C of an iteration"),
            Quantity::new("transfer_us", main.transfer_us(), "us", "T_LS of an iteration"),
        ];
        if let Some(sides) = &main.sides {
            all.push(Quantity::new("left", sides.left, "", &sides.formula));
            all.push(Quantity::new("right", sides.right, "", &sides.formula));
        }
        if let Some(bw) = main.balanced_bw() {
            let formula = "bytes / T_C of the main loop";
            all.push(Quantity::new("balanced_bw_mb_s", bw, "MB/s", formula));
        }
        if let Some(measured) = self.inputs.get(EstimateKey::Measured) {
            let percent = 100.0 * measured / self.rated();
            all.push(Quantity::new(
                "efficiency_percent",
                percent,
                "percent",
                "measured rate / estimate",
            ));
        }
        all.extend(self.plan.quantities.iter().cloned());
        all
    }

    /// Returns the rate that measurements are compared with: by the source's own count, if the plan has another.
    fn rated(&self) -> f64 {
        let own = self.plan.quantities.iter().find(|q| q.name == "rated_mops");
        own.map_or(self.mops, |quantity| quantity.value)
    }

    fn describe(&self) -> Vec<EstimateStep> {
        let Self { plan, .. } = self;
        let main = self.main_loop();
        let step = |number, title, found: Vec<String>, values: Vec<Quantity>| EstimateStep {
            number,
            title,
            found,
            values,
        };
        let each =
            |line: &dyn Fn(&PlanLoop) -> String| plan.loops.iter().map(line).collect::<Vec<_>>();
        let total = vec![Quantity::new("us", self.us, "us", "sum over the loops")];
        let rate = vec![Quantity::new("mops", self.mops, "MOPS", "operations / time")];
        vec![
            step(1, "base operation", vec![plan.base.clone()], Vec::new()),
            step(2, "loads, kernels, stores of an iteration", each(&parts_line), Vec::new()),
            step(3, "what overlaps", each(&overlap_line), Vec::new()),
            step(4, "main loop", vec![main_line(main, self.us)], Vec::new()),
            step(
                5,
                "rate of the kernel on one coprocessor, Perf_kern",
                each(&perf_line),
                vec![Quantity::new("perf_mops", main.perf.mops, "MOPS", &main.perf.origin)],
            ),
            step(
                6,
                "time of the kernels = operations / (K Perf_kern)",
                each(&kernel_line),
                vec![Quantity::new("kernel_us", main.kernel_us(), "us", "T_C of the main loop")],
            ),
            step(
                7,
                "time of transfers = bytes of all coprocessors / BW",
                each(&transfer_line),
                vec![Quantity::new(
                    "transfer_us",
                    main.transfer_us(),
                    "us",
                    "T_LS of the main loop",
                )],
            ),
            step(
                8,
                "one iteration = the larger of what overlaps + the rest",
                each(&iteration_line),
                vec![Quantity::new("iteration_us", main.iteration_us(), "us", "of the main loop")],
            ),
            step(9, "times iterations", each(&times_line), total),
            step(10, "performance", vec![self.rate_line()], rate),
        ]
    }

    fn rate_line(&self) -> String {
        format!(
            "{} operations ({}) in {} us: {} MOPS",
            number(self.plan.operations),
            self.plan.counting,
            number(self.us),
            number(self.mops)
        )
    }

    /// Returns the estimate as text for people: the numbers of system and work with their origins, the ten steps,
    /// further named values, and notes.
    pub fn text(&self) -> String {
        let Self { inputs, plan, .. } = self;
        let mut text = format!(
            "{} on {} ({}): {}\n\nnumbers\n",
            plan.procedure, inputs.name, inputs.what, plan.what
        );
        for (key, given) in inputs.all() {
            let unit = key.info().unit;
            let _ = writeln!(
                text,
                "  {:<28} {:>14} {unit:<8} {}",
                key.to_string(),
                number(given.value),
                given.origin
            );
        }
        for step in &self.steps {
            let _ = writeln!(text, "\n{:>2}  {}", step.number, step.title);
            for line in &step.found {
                let _ = writeln!(text, "    {line}");
            }
        }
        let more: Vec<_> = self.quantities().into_iter().skip(5).collect();
        if !more.is_empty() {
            text.push_str("\nfurther\n");
        }
        for Quantity { name, value, unit, formula } in more {
            let _ = writeln!(text, "  {name:<20} {:>14} {unit:<8} {formula}", number(value));
        }
        for note in &plan.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    /// Returns the estimate as a JSON object, which [`Estimate::schema`] describes.
    pub fn to_json(&self) -> Value {
        document::object(&ESTIMATE, self)
    }

    /// Returns the JSON schema of the object that [`Estimate::to_json`] returns.
    pub fn schema() -> Value {
        document::schema(&ESTIMATE, &[])
    }
}

/// Returns a number as text for reports, with at least four significant digits: whole numbers below 10^9 in full,
/// others with decimals or, from 10^7 on and below 1, with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e9 {
        format!("{value}")
    } else if size >= 1e7 {
        format!("{value:.4e}")
    } else if size >= 1000.0 {
        format!("{value:.1}")
    } else if size >= 1.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.4e}")
    }
}

fn parts_line(of: &PlanLoop) -> String {
    let unit = |what| if what == PartKind::Kernel { "operations" } else { "bytes" };
    let part = |part: &crate::plan::PlanPart| {
        let (what, amount) = (part.what.name(), number(part.amount));
        format!("{what} {} ({amount} {})", part.name, unit(part.what))
    };
    format!("{}: {}", of.name, of.parts.iter().map(part).collect::<Vec<_>>().join("; "))
}

fn overlap_line(of: &PlanLoop) -> String {
    let names = |overlaps: bool| {
        let parts = of.parts.iter().filter(|part| part.overlaps == overlaps);
        parts.map(|part| format!("{} {}", part.what.name(), part.name)).collect::<Vec<_>>()
    };
    match (names(true), names(false)) {
        (all, none) if none.is_empty() => format!("{}: {}", of.name, all.join(" | ")),
        (none, all) if none.is_empty() => format!("{}: nothing; {}", of.name, all.join(", then ")),
        (some, rest) => format!("{}: {}; alone: {}", of.name, some.join(" | "), rest.join(", ")),
    }
}

fn main_line(of: &PlanLoop, all: f64) -> String {
    let limit = if of.is_channel_bound() { "the channel" } else { "computing" };
    format!(
        "{}: {:.1} % of the time; {limit} limits it ({} us computing, {} us moving data)",
        of.name,
        100.0 * of.us() / all,
        number(of.kernel_us()),
        number(of.transfer_us())
    )
}

fn perf_line(of: &PlanLoop) -> String {
    format!("{}: {} MOPS, {}", of.perf.kernel, number(of.perf.mops), of.perf.origin)
}

fn kernel_line(of: &PlanLoop) -> String {
    format!("{}: {} us", of.name, number(of.kernel_us()))
}

fn transfer_line(of: &PlanLoop) -> String {
    format!("{}: {} us", of.name, number(of.transfer_us()))
}

fn iteration_line(of: &PlanLoop) -> String {
    format!("{}: {} us", of.name, number(of.iteration_us()))
}

fn times_line(of: &PlanLoop) -> String {
    let (iterations, each) = (number(of.iterations), number(of.iteration_us()));
    format!("{}: {iterations} x {each} us = {} us", of.name, number(of.us()))
}

const QUANTITY: [Field<Quantity>; 4] = [
    Field::new("name", ValueKind::Text, "", "of the value", |q| q.name.into()),
    Field::new("value", ValueKind::Number, "as `unit` says", "what was found", |q| q.value.into()),
    Field::new("unit", ValueKind::Text, "", "of the value", |q| q.unit.into()),
    Field::new("formula", ValueKind::Text, "", "what it is, with its number in the source", |q| {
        q.formula.clone().into()
    }),
];

fn quantity_schema() -> Value {
    document::schema(&QUANTITY, &[])
}

fn quantities_json(all: &[Quantity]) -> Value {
    all.iter().map(|quantity| document::object(&QUANTITY, quantity)).collect()
}

const STEP: [Field<EstimateStep>; 4] = [
    Field::new("number", ValueKind::Integer, "", "from 1 to 10", |s| s.number.into()),
    Field::new("title", ValueKind::Text, "", "what is done", |s| s.title.into()),
    Field::new("found", ValueKind::Texts, "", "what was found, loop by loop", |s| {
        s.found.clone().into()
    }),
    Field::new(
        "values",
        ValueKind::Objects(quantity_schema),
        "",
        "the numbers of the main loop",
        |s| quantities_json(&s.values),
    ),
];

fn step_schema() -> Value {
    document::schema(&STEP, &[])
}

const INPUT: [Field<(EstimateKey, crate::inputs::InputNumber)>; 4] = [
    Field::new("key", ValueKind::Text, "", "as `--set` takes it", |i| i.0.to_string().into()),
    Field::new("value", ValueKind::Number, "as `unit` says", "of the key", |i| i.1.value.into()),
    Field::new("unit", ValueKind::Text, "", "of the value", |i| i.0.info().unit.into()),
    Field::new("origin", ValueKind::Text, "", "where the number comes from", |i| {
        i.1.origin.clone().into()
    }),
];

fn input_schema() -> Value {
    document::schema(&INPUT, &[])
}

const ESTIMATE: [Field<Estimate>; 7] = [
    Field::new("procedure", ValueKind::Text, "", "that is estimated", |e| {
        e.plan.procedure.clone().into()
    }),
    Field::new("system", ValueKind::Text, "", "on which", |e| e.inputs.name.clone().into()),
    Field::new("inputs", ValueKind::Objects(input_schema), "", "numbers that are given", |e| {
        let all = e.inputs.all().map(|(key, given)| (key, given.clone()));
        all.map(|input| document::object(&INPUT, &input)).collect()
    }),
    Field::new("steps", ValueKind::Objects(step_schema), "", "of the method", |e| {
        e.steps.iter().map(|step| document::object(&STEP, step)).collect()
    }),
    Field::new("quantities", ValueKind::Objects(quantity_schema), "", "all values", |e| {
        quantities_json(&e.quantities())
    }),
    Field::new(
        "is_channel_bound",
        ValueKind::Flag,
        "",
        "whether the channel limits the main loop",
        |e| e.main_loop().is_channel_bound().into(),
    ),
    Field::new("notes", ValueKind::Texts, "", "what has to be known to read it", |e| {
        e.plan.notes.clone().into()
    }),
];
