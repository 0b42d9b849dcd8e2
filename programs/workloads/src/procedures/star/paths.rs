//! Shortest paths of the STAR machine on a whole machine as workloads: random graphs, and arcs that are inserted.

use crate::procedures::common::{done_rows, machine_rows};
use crate::procedures::sparse::report::rates;
use crate::workload::options;
use crate::workload::{Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::star::{PathOrder, PathsKernels};
use cp2_procedures::star::paths::{PathsProblem, PathsReport, WeightedArc, find_paths};
use cp2_reference::star as reference;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::random::split_mix_64;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, Platform, Reference, Request, Workload, WorkloadOption,
};
use std::sync::Arc;

/// Vertices and bits of a weight where none are given.
const VERTICES: usize = 512;
const BITS: usize = 16;
/// Arcs that are drawn for each vertex, and the greatest weight of one.
const DEGREE: usize = 16;
const GREATEST_WEIGHT: u64 = 255;
/// Arcs that are inserted where no number is given, and the most.
const INSERTIONS: u64 = 64;
const MOST_INSERTIONS: usize = 1 << 16;

/// Shortest paths in a graph in system memory, with or without arcs that are inserted.
pub(super) struct Paths {
    /// Vertex that is taken next while arcs are inserted; `None` if there are no insertions.
    insertions: Option<PathOrder>,
}

/// Returns all workloads.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Workload>> {
    let forms = [None, Some(PathOrder::First), Some(PathOrder::Nearest)];
    forms.into_iter().map(|insertions| untyped(Paths { insertions }))
}

/// Text for the counting of operations.
const COUNTING: &str = "at 2 operations, a sum and a comparison, for a pass and a vertex";

impl Paths {
    fn name(&self) -> &'static str {
        match self.insertions {
            None => "star_paths",
            Some(PathOrder::First) => "star_paths_insert",
            Some(PathOrder::Nearest) => "star_paths_insert_nearest",
        }
    }

    fn plan(vertices: usize, bits: usize, core: &Core) -> Result<PathsKernels, KernelError> {
        PathsKernels::new(vertices, bits, PathOrder::Nearest, core)
    }

    /// Returns the vertices where none are given: as many as local memory has room for.
    fn vertices(core: &Core) -> usize {
        let mut vertices = VERTICES;
        while vertices > 64 && Self::plan(vertices, BITS, core).is_err() {
            vertices /= 2;
        }
        vertices
    }
}

/// Returns a random arc between different vertices, with a weight up to `most`.
fn arc(vertices: usize, most: u64, state: &mut u64) -> WeightedArc {
    let tail = split_mix_64(state) as usize % vertices;
    let step = 1 + split_mix_64(state) as usize % (vertices - 1).max(1);
    let weight = split_mix_64(state) % (most + 1);
    WeightedArc { tail: tail + 1, head: (tail + step) % vertices + 1, weight }
}

/// Returns a random graph whose longest path has a length that the bits hold, and random insertions.
fn problem(
    (vertices, bits): (usize, usize),
    (insertions, order): (usize, PathOrder),
    seed: u64,
) -> PathsProblem {
    let infinity = u64::MAX >> (64 - bits);
    let most = ((infinity - 1) / vertices as u64).min(GREATEST_WEIGHT);
    let mut state = seed;
    let mut arcs = |count: usize| -> Vec<WeightedArc> {
        let all = (0..count).map(|_| arc(vertices, most, &mut state));
        all.filter(|arc| arc.tail != arc.head).collect()
    };
    let (arcs, insertions) = (arcs(DEGREE * vertices), arcs(insertions));
    PathsProblem { vertices, bits, arcs, source: 1, insertions, order }
}

/// Returns how many vertices have a wrong distance, or a parent by which they are not as near.
fn wrong(problem: &PathsProblem, report: &PathsReport) -> usize {
    let all = problem.arcs.iter().chain(&problem.insertions);
    let arcs: Vec<_> = all.map(|arc| (arc.tail, arc.head, arc.weight)).collect();
    let expected = reference::distances(problem.vertices, &arcs, problem.source);
    let infinity = problem.infinity();
    let is_parent = |vertex: usize, parent: usize| {
        let [near, far] = [parent, vertex].map(|v| report.distances.get(v - 1).copied());
        let Some((near, far)) = near.zip(far) else { return false };
        arcs.iter()
            .any(|(tail, head, weight)| (*tail, *head) == (parent, vertex) && near + weight == far)
    };
    let is_right = |(row, expected): (usize, &Option<u64>)| {
        let (distance, parent) = (report.distances.get(row), report.parents.get(row).copied());
        let has_parent = expected.is_some() && row + 1 != problem.source;
        distance == Some(&expected.unwrap_or(infinity))
            && match parent {
                Some(0) => !has_parent,
                Some(parent) => has_parent && is_parent(row + 1, parent),
                None => false,
            }
    };
    expected.iter().enumerate().filter(|vertex| !is_right(*vertex)).count()
}

impl TypedWorkload for Paths {
    type Input = PathsProblem;
    type Outcome = PathsReport;
    const SCHEMA: &'static str = "cp2-paths-1";

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self.insertions {
                None => "shortest paths from a vertex, weights by pages",
                Some(PathOrder::First) => {
                    "shortest paths while arcs are inserted, the first vertex next"
                }
                Some(PathOrder::Nearest) => {
                    "shortest paths while arcs are inserted, the nearest vertex next"
                }
            }
            .into(),
            family: "star",
            platform: Platform::Machine,
            input: "a table of weights, a band of columns for each vertex".to_owned(),
            output: "a table of distances and one of parents".to_owned(),
            order: "column by column, contiguous shares of the rows",
            permuted: None,
            reference: Reference {
                is: "the method of Dijkstra on lists of arcs".into(),
                measure: "vertices with a wrong distance or parent",
                tolerance: 0.5,
                unit: "",
                reason: "distances are exact, so not one may be wrong",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let help = "Vertices of the random graph, one row of a table for each; 512 if absent, fewer where local memory has no room";
        let most = PathsKernels::MOST_VERTICES;
        let bits_help = "Bits of a weight and of a distance; all ones stand for no arc and no path";
        let mut options = vec![
            WorkloadOption::number("vertices", "vertices", None, most, help),
            WorkloadOption::number(
                "weight-bits",
                "bits",
                Some(BITS as u64),
                PathsKernels::MOST_BITS,
                bits_help,
            ),
        ];
        if self.insertions.is_some() {
            let help = "Random arcs that are inserted one after the other";
            let most = MOST_INSERTIONS;
            options.push(WorkloadOption::number(
                "insertions",
                "arcs",
                Some(INSERTIONS),
                most,
                help,
            ));
        }
        options.push(options::seed());
        options
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let plan = Self::plan(Self::vertices(core), BITS, core)?;
        Ok(Bound::new("pass", plan.pass_bound(core) as f64, "the fuller slot, or the chain"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Ok(Self::plan(Self::vertices(core), BITS, core)?.source())
    }

    fn inputs(&self, request: &Request) -> Result<PathsProblem, KernelError> {
        let (values, core) = (&request.values, *request.machine()?.core());
        let number = |name: &str| values.number(name).map(|number| number as usize);
        let vertices = number("vertices").unwrap_or_else(|| Self::vertices(&core));
        let bits = number("weight-bits").unwrap_or(BITS);
        Self::plan(vertices, bits, &core)?;
        let insertions = match self.insertions {
            Some(order) => (number("insertions").unwrap_or(INSERTIONS as usize), order),
            None => (0, PathOrder::Nearest),
        };
        Ok(problem((vertices, bits), insertions, values.number("seed").unwrap_or(1)))
    }

    fn run(
        &self,
        request: &Request,
        problem: &PathsProblem,
        listener: &mut dyn Listener,
    ) -> Result<PathsReport, KernelError> {
        find_paths(request.machine()?.clone(), problem, &request.execution(), listener)
    }

    fn check(&self, _: &Request, problem: &PathsProblem, report: &PathsReport) -> Deviation {
        let wrong = wrong(problem, report);
        Deviation::new(wrong as f64, wrong == 0)
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("vertices", ValueKind::Integer, "vertices", "of the graph", |f| {
                f.input.vertices.into()
            }),
            Field::new("weight_bits", ValueKind::Integer, "bits", "of a weight", |f| {
                f.input.bits.into()
            }),
            Field::new("arcs", ValueKind::Integer, "arcs", "that were drawn", |f| {
                f.input.arcs.len().into()
            }),
            Field::new("insertions", ValueKind::Integer, "arcs", "that were inserted", |f| {
                f.input.insertions.len().into()
            }),
            Field::new("passes", ValueKind::Integer, "passes", "before insertions", |f| {
                f.outcome.passes.into()
            }),
            Field::new("insertion_passes", ValueKind::Integer, "passes", "of insertions", |f| {
                f.outcome.insertion_passes.into()
            }),
            Field::new(
                "weights_stay",
                ValueKind::Flag,
                "",
                "whether the table of weights stays in local memory",
                |f| f.outcome.is_resident.into(),
            ),
            Field::new(
                "wrong",
                ValueKind::Number,
                "",
                "vertices with a wrong distance or parent",
                |f| f.check.distance.into(),
            ),
        ];
        fields.extend(done_rows(COUNTING));
        fields.extend(machine_rows());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { input, outcome, .. } = finished;
        let (cost, passes) = (&outcome.cost, outcome.passes + outcome.insertion_passes);
        let weights = if outcome.is_resident {
            "the weights stay in local memory"
        } else {
            "weights by pages"
        };
        let insertions = match self.insertions {
            Some(_) => format!(
                "; {} insertions, {} passes",
                input.insertions.len(),
                outcome.insertion_passes
            ),
            None => String::new(),
        };
        format!(
            "{} on {}: {} vertices, {} bits, {}\n{} passes{insertions}; {weights}\n{:.1} cycles for a pass, {} wrong\n{}",
            finished.name(),
            cost.config.name(),
            input.vertices,
            input.bits,
            cost.done(),
            outcome.passes,
            cost.cycles() as f64 / passes.max(1) as f64,
            finished.check.distance,
            rates(cost, COUNTING, None),
        )
    }
}
