//! NPB MG as a workload.

mod operators;

use crate::procedures::common::{chosen_plan_row, done_rows, known_rows, machine_rows, no_source};
use crate::procedures::multigrid::operators::{OPERATORS, OnGrid};
use crate::workload::options;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, text, untyped};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_evidence::measured::{self, NamedRate};
use cp2_evidence::published::multigrid::class_mops;
use cp2_isa::Core;
use cp2_kernels::multigrid::Operator;
use cp2_procedures::host::StepBound;
use cp2_procedures::host::device_driven::waiting_in;
use cp2_procedures::multigrid::form::smoother;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::reference::{Solved, norm, solve};
use cp2_procedures::multigrid::{MultigridProblem, OperatorForm, Report, run};
use cp2_session::Environment;
use cp2_session::cost::Cost;
use cp2_session::cost::timeline::{Cp2Activity, HostActivity};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::npy;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
    largest,
};
use rayon::prelude::*;
use serde_json::{Value, json};

/// The family of multigrid: the operators and NPB MG. Their cycles depend on the machine, so none is counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let operators = OPERATORS.into_iter().map(|kernel| untyped(OnGrid(kernel)));
        operators.chain([untyped(Benchmark)]).collect()
    },
    counted: Vec::new,
};

struct Benchmark;

/// Largest deviation of the norm from NPB's, relative to it; derived in `specs/src/procedures/multigrid.md`.
const NORM: f64 = 1e-4;

/// Points that a core of the native machine compares at once.
const PART: usize = 1 << 16;

/// Letters of the classes.
const CLASSES: [&str; 4] = {
    let mut names = [""; 4];
    let mut k = 0;
    while k < names.len() {
        names[k] = Class::ALL[k].name();
        k += 1;
    }
    names
};

/// Words of `--sweep`: the names of the forms, and `best`.
const FORMS: [&str; 4] = ["best", "wide", "fused", "plain"];

/// Results of NPB MG: its report, and the norms with which its own is compared.
pub(super) struct Norms {
    report: Report,
    /// Norm of the last residual.
    found: f64,
    /// Norm of the last residual in single precision on plain arrays.
    single: f64,
    /// Largest difference of the last residual from that in single precision on plain arrays.
    difference: f64,
    /// Largest value of the solution in single precision on plain arrays.
    largest: f64,
    /// Measured rate, if it is known.
    known: Option<NamedRate>,
}

impl AsRef<Cost> for Norms {
    fn as_ref(&self) -> &Cost {
        &self.report.cost
    }
}

/// Results of V-cycles in single precision on plain arrays.
struct Exact {
    residual: Vec<f32>,
    /// Norm of the residual.
    norm: f64,
    /// The largest value of the solution.
    largest: f64,
}

impl Exact {
    fn of(environment: &Environment, problem: &MultigridProblem) -> Self {
        let class = problem.class;
        let Solved { u, r } = environment.on_other_cores(|| {
            solve(problem.v(), class.points(), smoother(class), class.iterations())
        });
        let largest = largest(u.iter().map(|&u: &f32| f64::from(u).abs()));
        Self { norm: norm(&r), largest, residual: r }
    }
}

impl Norms {
    /// Compares a run with V-cycles in single precision on plain arrays.
    fn of(report: Report, known: Option<NamedRate>, exact: &Exact) -> Self {
        let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
        let [found, expected] = [&report.residual, &exact.residual].map(|r| r.par_chunks(PART));
        let parts = found.zip(expected).map(|(a, b)| largest(a.iter().zip(b).map(distance)));
        let difference = largest(parts.collect::<Vec<_>>());
        let Exact { norm: single, largest, .. } = *exact;
        let found = report.norm;
        Self { found, single, difference, largest, report, known }
    }

    /// Returns the relative deviation of the norm from that of NPB, which is in double precision.
    fn deviation(&self) -> f64 {
        self.found / self.report.class.norm() - 1.0
    }

    /// Returns the larger deviation, of the residual or of its norm, each relative to its tolerance.
    fn distance(&self) -> f64 {
        let of_residual = self.difference / (1e-6 * Operator::A.magnitude() * self.largest);
        of_residual.max(self.deviation().abs() / NORM)
    }
}

impl TypedWorkload for Benchmark {
    type Input = Class;
    type Outcome = Norms;
    const SCHEMA: &'static str = "cp2-mg-1";
    const ASKS: Option<&'static [Key]> = Some(&[Key::WordAccess, Key::DmaWords]);

    fn about(&self) -> About {
        About {
            name: "mg".to_owned(),
            summary: "NPB MG: V-cycles on a periodic grid".into(),
            family: "multigrid",
            platform: Platform::Machine,
            input: "a class of NPB".to_owned(),
            output: "float32 (n, n, n), the solution".to_owned(),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: Reference {
                is: "the same V-cycles in single precision, and the norm that NPB verifies".into(),
                measure: "the larger deviation, of the last residual or of its norm,",
                tolerance: 1.0,
                unit: "1e-6 of the sum of the weights of A times the largest solution, of the norm 1e-4",
                reason: "both round each value of the residual at most 16 times, each time by at most 2^-24 of that; the norm of the errors is added to that of the residual by squares",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let output = options::output(ArraySpec::float32("u", &["n", "n", "n"]));
        let form = "How the finest grid is computed: plain, one operator after the other; fused, interpolation, residual and smoother together, and residual and projection together, in columns of 32x32 points; wide, the same in columns of 64x16; best, fused or wide, the one with the fewest predicted cycles";
        vec![options::class(&CLASSES), WorkloadOption::choice("sweep", &FORMS, form), output]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound {
            unit: "V-cycle",
            cycles: None,
            rests_on: "the larger of what the kernels issue and of the bytes that were moved at the rates of the rows that moved",
            published: None,
            source: Some("[D] table 3.5, rates"),
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source("mg"))
    }

    fn inputs(&self, request: &Request) -> Result<Class, KernelError> {
        let name = request.values.choice("class").unwrap_or(CLASSES[0]);
        Class::from_name(name).ok_or_else(|| {
            let class = name.to_owned();
            RequestError::Class { workload: "mg", class, classes: &CLASSES }.into()
        })
    }

    fn run(
        &self,
        request: &Request,
        class: &Class,
        listener: &mut dyn Listener,
    ) -> Result<Norms, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        let config = request.machine()?.clone();
        let form = request.values.choice("sweep").and_then(OperatorForm::from_name);
        let environment = &request.environment;
        let problem =
            MultigridProblem::new(environment, *class, form, request.values.has("output"));
        let beside = || {
            let model = || class_mops(&request.execution(), &config, *class).map(Some);
            let known =
                NamedRate::find(environment, &measured::MULTIGRID, &config, class.name(), model);
            (known, Exact::of(environment, &problem))
        };
        let run = || run(config.clone(), &problem, &request.execution(), show);
        let (report, (known, exact)) = environment.both(run, beside);
        Ok(Norms::of(report?, known?, &exact))
    }

    fn check(&self, _: &Request, _: &Class, norms: &Norms) -> Deviation {
        let distance = norms.distance();
        Deviation::new(distance, distance <= 1.0)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let n = finished.input.points();
        let solution = finished.outcome.report.solution.as_ref()?;
        Some(npy::Array::from_floats(vec![n; 3], solution))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.report.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("class", ValueKind::Text, "", "of NPB", |f| f.input.name().into()),
            Field::new("points", ValueKind::Integer, "points", "along an axis", |f| {
                f.input.points().into()
            }),
            Field::new("iterations", ValueKind::Integer, "V-cycles", "", |f| {
                f.input.iterations().into()
            }),
            Field::new(
                "norm",
                ValueKind::Number,
                "",
                "root of the mean square of the residual",
                |f| json!(f.outcome.found),
            ),
            Field::new(
                "norm_in_single_precision",
                ValueKind::Number,
                "",
                "the same of V-cycles on plain arrays",
                |f| json!(f.outcome.single),
            ),
            Field::new("norm_of_npb", ValueKind::Number, "", "in double precision", |f| {
                json!(f.input.norm())
            }),
        ];
        fields.extend(done_rows("as NPB counts, 58 for a point and V-cycle"));
        fields.extend(turning_rows());
        fields.extend(known_rows(
            "measured, [D] tables 3.5 and B.7; null on a machine that was changed",
            [
                |f: &Finished<Self>| json!(f.outcome.known.map(|known| known.mops)),
                |f| json!(f.outcome.known.and_then(|known| known.model_error_percent())),
            ],
        ));
        fields.push(chosen_plan_row());
        fields.extend(machine_rows());
        fields.push(Field::new(
            "deviation",
            ValueKind::Number,
            "1e-6 of the sum of the weights of A times the largest solution, of the norm 1e-4",
            "the larger, of the residual from V-cycles in single precision or of its norm from NPB's",
            |f| json!(f.check.distance),
        ));
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let norms = &finished.outcome;
        let (class, cost) = (finished.input, &norms.report.cost);
        let rate = cost.rate_mops();
        format!(
            "NPB MG class {class} on {}, {form}: {n}x{n}x{n} points, {} V-cycles {}\n\
             norm of the residual {:.9e}; {:.9e} in single precision on plain arrays; NPB {:.9e} ({:+.1e})\n\
             largest deviation of the residual, or of the norm from NPB's, {:.2} of what rounding allows\n\
             {rate:.0} MOPS as NPB counts; overlap {:.1} %; {}\n{}\n{}\n{}{}{}",
            cost.config.name(),
            class.iterations(),
            cost.done(),
            norms.found,
            norms.single,
            class.norm(),
            norms.deviation(),
            finished.check.distance,
            cost.timeline.overlap_percent(),
            overhead_text(&norms.report),
            cost.row_bound().text(rate),
            norms.report.steps.text(rate),
            norms.known.map_or(String::new(), |known| known.text(rate)),
            cost.plan.text(cost.cycles()),
            text::assumptions(&cost.config),
            n = class.points(),
            form = norms.report.form.name(),
        )
    }
}

/// Returns text about the cost of the pages beside their kernels: the cycles in which CP2 waits in pages that it turns
/// itself, and the causes for which it stands still.
fn overhead_text(report: &Report) -> String {
    let Report { device_driven_pages, cost, bundles, .. } = report;
    let (waiting, idle) =
        (waiting_in(cost, *device_driven_pages), cost.timeline.cp2.cycles(Cp2Activity::Idle));
    let percent = |cycles: u64| 100.0 * cycles as f64 / cost.cycles() as f64;
    let [sent, commands, program, reads, transfers] = host_costs(report);
    let mut text = format!(
        "CP2 turns {device_driven_pages} pages and waits for the channel in {waiting} ({:.1} %) cycles of them\n\
         CP2 stands still in {idle} ({:.1} %) cycles:",
        percent(waiting),
        percent(idle),
    );
    for (cycles, what) in [
        (sent, format!("while {bundles} bundles go to instruction memory")),
        (program, "in the host's programs for calls and pages".to_owned()),
        (commands, "in its commands".to_owned()),
        (reads, "in its readings of STATUS".to_owned()),
        (transfers, "while the host waits for transfers".to_owned()),
    ] {
        text += &format!("\n{cycles:>12} {:>5.1} %  {what}", percent(cycles));
    }
    text
}

/// Returns the cycles in which CP2 stands still: while its kernels are sent, in other commands, in the host's programs, in
/// its readings of STATUS of CP2, and while the host waits for the channel.
fn host_costs(Report { cost, bundles, .. }: &Report) -> [u64; 5] {
    use HostActivity::{Command, Program, WaitCp2, WaitDma};
    let sent = *bundles as u64 * u64::from(cost.config.value(Key::HostBundle));
    let [commands, program, reads, transfers] =
        [Command, Program, WaitCp2, WaitDma].map(|activity| cost.timeline.idle_while(activity));
    [sent, commands - sent, program, reads, transfers]
}

/// Returns the rows of the cost of the pages beside their kernels, and of the bound step by step.
fn turning_rows() -> [ReportField<Benchmark>; 5] {
    [
        Field::new("turned_pages", ValueKind::Integer, "pages", "that CP2 turned itself", |f| {
            f.outcome.report.device_driven_pages.into()
        }),
        Field::new(
            "waiting_cycles",
            ValueKind::Integer,
            "cycles",
            "of the kernels, in which CP2 waits for the channel in pages that it turns",
            |f| waiting_in(&f.outcome.report.cost, f.outcome.report.device_driven_pages).into(),
        ),
        Field::new(
            "idle_cycles",
            ValueKind::Integer,
            "cycles",
            "in which no kernel runs: the host's calls and its work for pages, transfers that it waits for",
            |f| f.outcome.report.cost.timeline.cp2.cycles(Cp2Activity::Idle).into(),
        ),
        Field::new(
            "idle_cycles_by_cause",
            ValueKind::Object(idle_schema),
            "",
            "what CP2 stands still for",
            |f| cp2_document::object(IDLE, &f.outcome.report),
        ),
        Field::new(
            "step_bound",
            ValueKind::Object(StepBound::schema),
            "",
            "the sum over the steps of the page scheme of the larger of kernels and transfers, which nothing overlaps",
            |f| f.outcome.report.steps.to_json(),
        ),
    ]
}

const IDLE: &[Field<Report>] = &[
    Field::new("bundles", ValueKind::Integer, "cycles", "kernels go to instruction memory", |r| {
        host_costs(r)[0].into()
    }),
    Field::new("commands", ValueKind::Integer, "cycles", "other commands of the host", |r| {
        host_costs(r)[1].into()
    }),
    Field::new("programs", ValueKind::Integer, "cycles", "the host's for calls and pages", |r| {
        host_costs(r)[2].into()
    }),
    Field::new("readings", ValueKind::Integer, "cycles", "of STATUS of CP2", |r| {
        host_costs(r)[3].into()
    }),
    Field::new("transfers", ValueKind::Integer, "cycles", "the host waits for the channel", |r| {
        host_costs(r)[4].into()
    }),
];

fn idle_schema() -> Value {
    cp2_document::schema(IDLE, &[])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::MachineConfig;
    use cp2_session::execution::Execution;

    /// A residual as in single precision whose norm is not NPB's fails the check.
    #[test]
    fn the_norm_is_held_to_that_of_npb() {
        let config = MachineConfig::preset("vm9").unwrap();
        let on = Execution::on(*config.core());
        let problem =
            MultigridProblem::new(&Environment::new(), Class::S, Some(OperatorForm::Plain), false);
        let report = run(config, &problem, &on, &mut |_, _| {}).unwrap();
        let mut norms = Norms::of(report, None, &Exact::of(&Environment::new(), &problem));
        assert!(norms.deviation().abs() < 1e-5, "{:e}", norms.deviation());
        assert!(norms.distance() <= 1.0, "{}", norms.distance());
        norms.found *= 1.0 + 0.9 * NORM;
        assert!(norms.distance() <= 1.0, "{}", norms.distance());
        norms.found *= 1.0 + 0.2 * NORM;
        assert!(norms.distance() > 1.0, "{}", norms.distance());
    }
}
