//! The difference operators of multigrid on whole periodic grids as workloads.

use crate::procedures::common::{
    chosen_plan_row, count_rows, known_rows, machine_rows, no_source, overlap_row, rate_rows,
    row_bound_row,
};
use crate::workload::options;
use crate::workload::{Finished, ReportField, TypedWorkload, text};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_evidence::measured::{self, NamedRate};
use cp2_evidence::published::multigrid::operator_mops;
use cp2_isa::Core;
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::multigrid::reference::applied;
use cp2_procedures::multigrid::{Applied, apply, outer_points};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
    largest,
};
use cp2_session::{npy, random};
use serde_json::json;

/// The six operators of multigrid.
pub(super) const OPERATORS: [GridKernel; 6] = [
    GridKernel::Resid,
    GridKernel::Proj,
    GridKernel::Interp,
    GridKernel::Interp0,
    GridKernel::Smooth,
    GridKernel::Smooth0,
];

/// Points along an axis of random grids.
const POINTS: u64 = 64;
/// Most points along an axis of random grids.
const MOST: usize = 256;

/// The workload of an operator on whole grids.
pub(super) struct OnGrid(pub(super) GridKernel);

/// Result of an operator, and its measured rate, if it is known.
pub(super) struct Compared {
    applied: Applied,
    known: Option<NamedRate>,
}

impl AsRef<Cost> for Compared {
    fn as_ref(&self) -> &Cost {
        &self.applied.cost
    }
}

/// Operands of an operator: the grid with faces and the other one.
pub(super) struct Operands {
    /// Points along an axis of the grid that is read with its faces.
    n: usize,
    faced: Vec<f32>,
    plain: Vec<f32>,
}

impl OnGrid {
    /// Returns the names of the sizes along an axis: that of the operand with faces, then that of the other operand and of
    /// the result.
    fn axes(&self) -> [&'static str; 2] {
        match self.0 {
            GridKernel::Proj => ["2*n", "n"],
            GridKernel::Interp | GridKernel::Interp0 => ["n", "2*n"],
            _ => ["n", "n"],
        }
    }

    fn arrays(&self) -> Vec<ArraySpec> {
        let [faced, plain] = self.0.operand_names();
        let [of_faced, of_plain] = self.axes();
        let mut arrays = vec![ArraySpec::float32(faced, &[of_faced; 3])];
        if self.0.takes_plain() {
            arrays.push(ArraySpec::float32(plain, &[of_plain; 3]));
        }
        arrays
    }

    /// Returns the cube that was given under this name, and its points along an axis.
    fn given(
        &self,
        request: &Request,
        name: &str,
    ) -> Result<Option<(usize, Vec<f32>)>, KernelError> {
        let Some(array) = request.values.named("input", name) else { return Ok(None) };
        let n = array.shape.first().copied().unwrap_or_default();
        if array.shape != [n; 3] || n < 2 {
            let shape = npy::shape_text(&array.shape);
            let takes =
                format!("{} takes cubes of at least 2 points along each axis", self.0.name());
            return Err(KernelError::Shape { option: "input", shape, takes });
        }
        Ok(Some((n, array.to_floats())))
    }
}

impl TypedWorkload for OnGrid {
    type Input = Operands;
    type Outcome = Compared;
    const SCHEMA: &'static str = "cp2-operator-1";
    const ASKS: Option<&'static [Key]> = Some(&[Key::WordAccess, Key::DmaWords]);

    fn about(&self) -> About {
        let [of_faced, of_result] = self.axes();
        About {
            name: self.0.name().to_owned(),
            summary: match self.0 {
                GridKernel::Resid => "multigrid: residual r = v - A u of a periodic grid",
                GridKernel::Proj => "multigrid: projection of a periodic grid",
                GridKernel::Interp => "multigrid: adds the interpolation of a periodic grid",
                GridKernel::Interp0 => "multigrid: interpolation of a periodic grid",
                GridKernel::Smooth => "multigrid: smoother u + S r on a periodic grid",
                _ => "multigrid: smoother S r on a periodic grid",
            }
            .into(),
            family: "multigrid",
            platform: Platform::Machine,
            input: format!("float32 ({of_faced}, {of_faced}, {of_faced})"),
            output: format!("float32 ({of_result}, {of_result}, {of_result})"),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: Reference {
                is: "the definition in double precision".into(),
                measure: "deviation",
                tolerance: 1.0,
                unit: "1e-6 of the sum of the weights times the largest number",
                reason: "a value is rounded at most 16 times on its way, the weights once, each time by at most 2^-24 of the scale",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let output = options::output(ArraySpec::float32("r", &[self.axes()[1]; 3]));
        let help = "Points along each axis of a random grid";
        vec![
            options::inputs(self.arrays()),
            output,
            WorkloadOption::number("grid", "points", Some(POINTS), MOST, help)
                .replaced_by(&["input"]),
            options::seed().replaced_by(&["input"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound {
            unit: "grid",
            cycles: None,
            rests_on: "the larger of what the kernel issues and of the bytes that were moved at the rates of the rows that moved",
            published: None,
            source: Some("[D] tables 3.3 and 3.4, rates"),
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source(self.0.name()))
    }

    fn inputs(&self, request: &Request) -> Result<Operands, KernelError> {
        let [faced, plain] = self.0.operand_names();
        let takes_plain = self.0.takes_plain();
        if let Some((n, faced)) = self.given(request, faced)? {
            let other = if takes_plain { self.given(request, plain)? } else { None };
            let outer = outer_points(self.0, n);
            let (size, plain) = other.unwrap_or((outer, Vec::new()));
            if size != outer {
                let takes = format!(
                    "for {n} points along an axis of one array, {} takes {outer} of the other",
                    self.0.name()
                );
                return Err(KernelError::Shape { option: "input", shape: size.to_string(), takes });
            }
            return Ok(Operands { n, faced, plain });
        }
        let number = |name| request.values.number(name);
        let (n, seed) = (number("grid").unwrap_or(POINTS) as usize, number("seed").unwrap_or(1));
        let random = |seed: u64, count: usize| -> Vec<f32> {
            let numbers = random::complex(seed, count.div_ceil(2));
            numbers.into_iter().flat_map(|z| [z.re, z.im]).take(count).collect()
        };
        let outer = if takes_plain { outer_points(self.0, n).pow(3) } else { 0 };
        let plain = random(seed.wrapping_add(1), outer);
        Ok(Operands { n, faced: random(seed, n.pow(3)), plain })
    }

    fn run(
        &self,
        request: &Request,
        Operands { n, faced, plain }: &Operands,
        listener: &mut dyn Listener,
    ) -> Result<Compared, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        let config = request.machine()?.clone();
        let applied = apply(config, self.0, (*n, faced, plain), &request.execution(), show)?;
        let finer = (*n).max(outer_points(self.0, *n));
        let known = if finer == measured::OPERATOR_POINTS {
            let config = &applied.cost.config;
            let model = || operator_mops(&request.execution(), config, self.0, *n).map(Some);
            NamedRate::find(
                &request.environment,
                &measured::OPERATORS,
                config,
                self.0.name(),
                model,
            )?
        } else {
            None
        };
        Ok(Compared { applied, known })
    }

    fn check(&self, _: &Request, input: &Operands, outcome: &Compared) -> Deviation {
        let Operands { n, faced, plain } = input;
        let exact: Vec<f64> = applied(self.0, *n, faced, plain);
        let size = largest(faced.iter().chain(plain).map(|&x| f64::from(x).abs()));
        let weights = self.0.operator().magnitude() + f64::from(u8::from(self.0.takes_plain()));
        let pairs = outcome.applied.output.iter().zip(&exact);
        let difference = largest(pairs.map(|(&found, exact)| (f64::from(found) - exact).abs()));
        let scale = (1e-6 * size * weights).max(f64::from(f32::MIN_POSITIVE));
        Deviation::new(difference / scale, difference <= scale)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let n = outer_points(self.0, finished.input.n);
        Some(npy::Array::from_floats(vec![n; 3], &finished.outcome.applied.output))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(finished.outcome.as_ref())
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![Field::new(
            "points",
            ValueKind::Integer,
            "points",
            "along an axis of the grid that is read with its faces",
            |f| f.input.n.into(),
        )];
        fields.extend(count_rows());
        fields.extend(rate_rows("as [D] counts: 31 for a point of resid and smooth, 30 of smooth0, 30, 35 and 27 for a coarse point of proj, interp and interp0"));
        fields.push(row_bound_row());
        fields.push(overlap_row());
        fields.extend(known_rows(
            "measured, [D] tables 3.3 and 3.4; null for other sizes and on a machine that was changed",
            [
                |f: &Finished<Self>| json!(f.outcome.known.map(|known| known.mops)),
                |f| json!(f.outcome.known.and_then(|known| known.model_error_percent())),
            ],
        ));
        fields.push(Field::new(
            "deviation",
            ValueKind::Number,
            "1e-6 of the sum of the weights times the largest number",
            "largest from the definition in double precision",
            |f| json!(f.check.distance),
        ));
        fields.push(chosen_plan_row());
        fields.extend(machine_rows());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let cost: &Cost = finished.outcome.as_ref();
        let (n, rate) = (finished.input.n, cost.rate_mops());
        let measured = finished.outcome.known.map_or(String::new(), |known| known.text(rate));
        format!(
            "{} on {}: a periodic grid of {n}x{n}x{n} points {}\n\
             largest deviation from double precision: {:.2} of the limit\n\
             {rate:.0} MOPS as [D] counts; overlap {:.1} %\n{}\n{}{}{}",
            self.0.name(),
            cost.config.name(),
            cost.done(),
            finished.check.distance,
            cost.timeline.overlap_percent(),
            cost.row_bound().text(rate),
            measured,
            cost.plan.text(cost.cycles()),
            text::assumptions(&cost.config),
        )
    }
}
