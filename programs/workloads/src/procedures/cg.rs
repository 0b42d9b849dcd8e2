//! Conjugate gradients as a workload: NPB CG by its classes, and the solver of a system.

use crate::procedures::common::{distance_row, done_rows, machine_rows, no_source};
use crate::procedures::sparse::report::{
    PLAN, STATISTICS, form_option, plan_schema, plan_text, rates, statistics_schema,
    statistics_text,
};
use crate::workload::options;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_kernels::sparse::matrices;
use cp2_kernels::sparse::matrices::CgClass;
use cp2_procedures::cg::reference::{product, zetas};
use cp2_procedures::cg::{CgProblem, DirectionMethod, Report, SolverLimits, check, order, run};
use cp2_procedures::sparse::ProductPlan;
use cp2_session::cost::Cost;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::sparse::Csr;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
    largest,
};
use cp2_session::{npy, random};
use serde_json::{Value, json};
use std::time::Instant;

/// The family of conjugate gradients. Its cycles depend on the machine, so it is not counted.
pub(crate) const FAMILY: Family =
    Family { workloads: || vec![untyped(Gradients)], counted: Vec::new };

/// The workload of conjugate gradients.
struct Gradients;

/// Words of `--form`.
const FORMS: [&str; 3] = ["best", "sliced", "blocks"];
/// Points along an axis of the grid whose five-point stencil is the matrix if none is given.
const GRID: usize = 16;
/// Words of `--steps`.
const STEPS: [&str; 3] = ["best", DirectionMethod::Plain.name(), DirectionMethod::Fused.name()];
/// Texts for the counting of operations: of NPB CG, and of a system.
const COUNTING: [&str; 2] =
    ["as NPB counts", "at 2 operations for an entry and 10 for a row and step"];
/// Text for the counting of operations in a schema, which is for NPB CG and for systems.
const COUNTINGS: &str =
    "as NPB counts; of a system at 2 operations for an entry and 10 for a row and step";
/// Largest relative deviation of zeta from that in double precision.
const ZETA: f64 = 1e-6;
/// Largest deviation of a residual from the one that was asked for, relative to the sums of magnitudes of the rows.
const ROUNDING: f64 = 1e-6;

/// Input of the workload: the matrix and the problem.
pub(super) struct Input {
    matrix: Csr,
    problem: CgProblem,
}

impl TypedWorkload for Gradients {
    type Input = Input;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-cg-1";
    const ASKS: Option<&'static [Key]> = Some(&[Key::SectionAddressing]);

    fn about(&self) -> About {
        About {
            name: "cg".to_owned(),
            summary: "conjugate gradients: NPB CG, and the solver of a system".into(),
            family: "sparse",
            platform: Platform::Machine,
            input: "a class of NPB, or a Matrix Market file".to_owned(),
            output: "float32 (rows), the solution".to_owned(),
            order: "that of the rows of the matrix",
            permuted: None,
            reference: Reference {
                is: "zeta in double precision and the zeta that NPB verifies; of a system, the right side minus the matrix times the solution in double precision".into(),
                measure: "the largest deviation",
                tolerance: 1.0,
                unit: "1e-6 of zeta; of a system, the residual that was asked for and 1e-6 of the sums of magnitudes of the rows",
                reason: "zeta rests on sums whose terms round at 2^-24, 6e-8, each, and errors of the vectors reach it squared; a residual that steps update drifts from the true one by some roundings of its rows",
                hint: "--iterations may end before the residual is small",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let digits = "Solve a system until its residual is 10^-N of the right side, N from 1 to 7";
        let iterations = "Most steps of the solver of a system";
        vec![
            options::matrix(),
            options::class(&["none", "S", "W", "A"]),
            options::vector(ArraySpec::float32("b", &["rows"])),
            WorkloadOption::number("digits", "digits", Some(4), 7, digits),
            WorkloadOption::number("iterations", "steps", Some(1000), 1_000_000, iterations),
            options::output(ArraySpec::float32("x", &["rows"])),
            form_option(&FORMS),
            WorkloadOption::choice(
                "steps",
                &STEPS,
                "How the direction of a step is computed: plain, in pages of its own; fused, together with the pages of the product; best, the one with the shorter estimated time",
            ),
            options::seed().replaced_by(&["vector"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound {
            unit: "step",
            cycles: None,
            rests_on: "the larger of what the fuller slot issues for the elements with their padding and the vectors, and the bytes that were moved at the rates of the rows that moved",
            published: None,
            source: None,
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source("cg"))
    }

    fn inputs(&self, request: &Request) -> Result<Input, KernelError> {
        let values = &request.values;
        let class = CgClass::from_name(values.choice("class").unwrap_or_default());
        let matrix = match (values.matrix("matrix"), class) {
            (Some(_), Some(_)) => {
                let message = "--matrix and --class are two problems; give one of them";
                return Err(RequestError::Options(message).into());
            }
            (Some(matrix), None) => matrix.clone(),
            (None, Some(class)) => matrices::npb_cg(class)?,
            (None, None) => matrices::five_point(GRID, GRID)?,
        };
        check(&matrix)?;
        let given = values.floats("vector", "b");
        let problem = match (class, given) {
            (Some(_), Some(_)) => {
                let message = "--vector is of no use to a class of NPB, which has its own";
                return Err(RequestError::Options(message).into());
            }
            (Some(class), None) => CgProblem::Class(class),
            (None, given) => {
                let digits = values.number("digits").unwrap_or(4) as i32;
                let steps = values.number("iterations").unwrap_or(1000) as usize;
                let limits = SolverLimits { tolerance: 10f64.powi(-digits), steps };
                CgProblem::System { b: right_side(request, &matrix, given)?, limits }
            }
        };
        Ok(Input { matrix, problem })
    }

    fn run(
        &self,
        request: &Request,
        Input { matrix, problem }: &Input,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        let since = Instant::now();
        let form = request.values.choice("form").filter(|form| *form != FORMS[0]);
        let takes = |name: &str| FORMS.contains(&name) && form.is_none_or(|form| form == name);
        let sorted = matrix.reordered(&order(matrix));
        let plan = ProductPlan::best(request.machine()?, &sorted, takes)?;
        listener.prepared("choosing the form of the matrix", since.elapsed());
        let config = request.machine()?.clone();
        let named = |steps: &DirectionMethod| request.values.choice("steps") == Some(steps.name());
        let steps = [DirectionMethod::Plain, DirectionMethod::Fused].into_iter().find(named);
        run(config, matrix, problem, (&plan, steps), &request.execution(), listener)
    }

    fn check(&self, _: &Request, Input { matrix, problem }: &Input, report: &Report) -> Deviation {
        let distance = match problem {
            CgProblem::Class(class) => {
                let exact = zetas(matrix, class).last().copied().unwrap_or_default();
                let found = report.zetas.last().copied().unwrap_or_default();
                of_zetas(found, [exact, class.zeta])
            }
            CgProblem::System { b, limits } => {
                let (residual, rounding) = residual(matrix, &report.x, b);
                let allowed = limits.tolerance * norm(b.iter().map(|&b| f64::from(b)));
                residual / (allowed + ROUNDING * rounding).max(f64::MIN_POSITIVE)
            }
        };
        Deviation::new(distance, distance <= 1.0)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let x = &finished.outcome.x;
        Some(npy::Array::from_floats(vec![x.len()], x))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("matrix", ValueKind::Object(statistics_schema), "", "in its form", |f| {
                cp2_document::object(STATISTICS, &f.outcome.statistics)
            }),
            Field::new("plan", ValueKind::Object(plan_schema), "", "the form and why", |f| {
                cp2_document::object(PLAN, &f.outcome.plan)
            }),
            Field::new("steps", ValueKind::Integer, "steps", "of conjugate gradients", |f| {
                f.outcome.steps.into()
            }),
            Field::new("form", ValueKind::Text, "", "of the steps: plain or fused", |f| {
                f.outcome.method.name().into()
            }),
            Field::new(
                "residuals",
                ValueKind::Numbers,
                "",
                "of a system: norm relative to the right side, before the first step and after each; of NPB: norm of x - A z after each outer iteration",
                |f| json!(f.outcome.residuals),
            ),
            Field::new(
                "zetas",
                ValueKind::Numbers,
                "",
                "of NPB: after each outer iteration; empty for a system",
                |f| json!(f.outcome.zetas),
            ),
            Field::or_null(
                "zeta_of_npb",
                ValueKind::Number,
                "",
                "in double precision; null for a system",
                |f| class(f).map_or(Value::Null, |class| json!(class.zeta)),
            ),
        ];
        fields.extend(done_rows(COUNTINGS));
        fields.extend(machine_rows());
        fields.push(distance_row(
            "deviation",
            "1e-6 of zeta; of a system, the residual that was asked for and what rounding adds",
            "of zeta, the larger from double precision and from NPB; of a system, the true residual",
        ));
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let report = &finished.outcome;
        let cost = &report.cost;
        let [of_npb, of_system] = COUNTING;
        let (what, counting, measured_by, allowed) = match &finished.input.problem {
            CgProblem::Class(class) => {
                let what = format!("NPB CG class {}", class.name());
                (what, of_npb, "deviation of zeta", "1e-6 of it, which rounding allows")
            }
            CgProblem::System { .. } => {
                let what = "conjugate gradients".to_owned();
                (what, of_system, "true residual", "what was asked for and rounding adds")
            }
        };
        format!(
            "{what} on {}: {}, {} steps, {}, {}\n{}{}{} {:.2} of {allowed}\n{}",
            cost.config.name(),
            statistics_text(&report.statistics),
            report.steps,
            report.method.name(),
            cost.done(),
            plan_text(&report.plan, &report.statistics),
            found(finished),
            measured_by,
            finished.check.distance,
            // Without a step nothing was done, so there is no rate.
            if report.steps > 0 { rates(cost, counting, None) } else { String::new() },
        )
    }
}

/// Returns the larger distance of a zeta from the exact ones, relative to its tolerance.
fn of_zetas(found: f64, exact: [f64; 2]) -> f64 {
    largest(exact.map(|exact| (found - exact).abs() / (ZETA * exact.abs())))
}

fn class(finished: &Finished<Gradients>) -> Option<&CgClass> {
    match &finished.input.problem {
        CgProblem::Class(class) => Some(class),
        CgProblem::System { .. } => None,
    }
}

/// Returns a line or two of text with the result.
fn found(finished: &Finished<Gradients>) -> String {
    let report = &finished.outcome;
    let last = report.residuals.last().copied().unwrap_or_default();
    match &finished.input.problem {
        CgProblem::Class(class) => {
            let zeta = report.zetas.last().copied().unwrap_or_default();
            let deviation = zeta / class.zeta - 1.0;
            format!(
                "zeta {zeta:.9}; NPB {:.13} in double precision ({deviation:+.1e}); residual {last:.1e}\n",
                class.zeta
            )
        }
        CgProblem::System { limits, .. } if last > limits.tolerance => {
            let (steps, tolerance) = (report.steps, limits.tolerance);
            format!(
                "not converged: after {steps} steps the residual is {last:.2e} of the right side, and {tolerance:.0e} was requested; raise --iterations\n"
            )
        }
        CgProblem::System { .. } => {
            let shown = report.residuals.iter().step_by(report.residuals.len().div_ceil(10));
            let shown: Vec<String> = shown.map(|r| format!("{r:.1e}")).collect();
            format!("residual {last:.2e} of the right side; on the way {}\n", shown.join(", "))
        }
    }
}

fn right_side(
    request: &Request,
    matrix: &Csr,
    given: Option<Vec<f32>>,
) -> Result<Vec<f32>, KernelError> {
    let rows = matrix.rows();
    match given {
        Some(b) if b.len() != rows => {
            let (shape, takes) =
                (npy::shape_text(&[b.len()]), format!("the matrix has {rows} rows"));
            Err(KernelError::Shape { option: "vector", shape, takes })
        }
        Some(b) => {
            matrix.check_vector(&b)?;
            Ok(b)
        }
        None => {
            let seed = request.values.number("seed").unwrap_or(1).wrapping_add(6);
            let numbers = random::complex(seed, rows.div_ceil(2));
            Ok(numbers.iter().flat_map(|z| [z.re, z.im]).take(rows).collect())
        }
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// Returns the norm of b - A x, and the norm of the sums of the magnitudes of its terms.
fn residual(matrix: &Csr, x: &[f32], b: &[f32]) -> (f64, f64) {
    let exact: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let ax = product(matrix, &exact);
    let sizes = matrix.product(x).into_iter().map(|(_, size)| size);
    (norm(b.iter().zip(&ax).map(|(&b, ax)| f64::from(b) - ax)), norm(sizes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    /// The larger distance counts: from zeta in double precision with the same entries, or from that of NPB.
    #[test]
    fn zeta_is_held_to_that_of_npb() {
        let npb = matrices::CLASS_S.zeta;
        let distance = |found: f64| of_zetas(found, [npb, npb]);
        assert!(distance(npb * (1.0 + 0.9e-6)) < 1.0 && distance(npb * (1.0 + 1.1e-6)) > 1.0);
        assert!(of_zetas(npb, [npb, npb * (1.0 + 1.1e-6)]) > 1.0);
    }
}
