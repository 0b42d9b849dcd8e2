//! The part of one process in NPB CG on several processors: its rows of the matrix, its segments of the vectors, and the steps of a
//! run. The exchange of vectors and the sums over all processes are the caller's.

use super::kernels::VectorKernel;
use super::segments::{Segments, segment_elements};
use super::solver::{STEPS, order};
use super::vectors::Work;
use crate::host::Host;
use crate::host::pages::{self, Chain, Page};
use crate::sparse::{Operator, ProductPlan};
use cp2_asm::image::Image;
use cp2_emu::MachineConfig;
use cp2_isa::{Bytes, Cycle, MemoryAddress};
use cp2_kernels::sparse::matrices::{CgClass, npb_cg};
use cp2_session::cost::Cost;
use cp2_session::error::{KeepingError, KernelError};
use cp2_session::execution::Execution;
use cp2_session::sparse::{Csr, SparseError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the procedure in checkpoints.
const PROCEDURE: &str = "part of cg";
/// Number of segments of a vector, for any number of processes; so the most processes.
pub const CG_SEGMENTS: usize = 16;
/// Bytes of an element.
const ELEMENT: usize = 4;

/// NPB CG whose rows are dealt to segments: the matrix with rows and columns in the order of the segments, and empty ones at their
/// ends.
#[derive(Clone, Debug)]
pub struct SegmentedCg {
    class: CgClass,
    matrix: Csr,
    plan: ProductPlan,
    /// Place of each row of the class.
    places: Vec<usize>,
    /// Elements of a segment.
    segment: usize,
}

impl SegmentedCg {
    /// Makes the matrix of a class, and chooses the form in which its rows are stored for products on such a machine, whatever the
    /// number of processes is. Rows, the longer ones first, are dealt to the segments in turn.
    ///
    /// # Errors
    /// The memory of the machine does not hold the matrix in any form.
    pub fn new(config: &MachineConfig, class: CgClass) -> Result<Self, KernelError> {
        let matrix = npb_cg(class)?;
        let segment = segment_elements(class.order.div_ceil(CG_SEGMENTS));
        let mut places = vec![0; class.order];
        for (number, &row) in order(&matrix).iter().enumerate() {
            places[row] = number % CG_SEGMENTS * segment + number / CG_SEGMENTS;
        }
        let rows = CG_SEGMENTS * segment;
        let entries: Vec<_> = (0..matrix.rows())
            .flat_map(|row| {
                matrix.row(row).iter().map(move |&(column, value)| (row, column, value))
            })
            .map(|(row, column, value)| (places[row], places[column], value))
            .collect();
        let matrix = Csr::from_entries(rows, rows, &entries)?;
        let plan = ProductPlan::best(config, &matrix, |_| true)?;
        Ok(Self { class, matrix, plan, places, segment })
    }

    /// Returns the class.
    pub const fn class(&self) -> &CgClass {
        &self.class
    }

    /// Returns the plan for the products.
    pub const fn plan(&self) -> &ProductPlan {
        &self.plan
    }

    /// Returns the operations of the class, as NPB counts.
    pub const fn operations(&self) -> u64 {
        let row = self.class.nonzer * (self.class.nonzer + 1);
        let of_outer = 3 + row + STEPS * (5 + row) + 3;
        (2 * self.class.iterations * self.class.order * of_outer) as u64
    }

    /// Returns a vector in the order of the class from all its segments.
    pub fn ordered(&self, segments: &[f32]) -> Vec<f32> {
        self.places.iter().map(|&place| segments.get(place).copied().unwrap_or_default()).collect()
    }

    /// Returns a part of the first right side: 1 for each row of the class.
    fn right_side(&self, rows: std::ops::Range<usize>) -> Vec<f32> {
        let mut all = vec![0.0; self.matrix.rows()];
        self.places.iter().for_each(|&place| all[place] = 1.0);
        all.get(rows).map(<[f32]>::to_vec).unwrap_or_default()
    }

    /// Returns the rows of a process.
    fn rows_of(&self, rank: usize, processes: usize) -> Result<Csr, SparseError> {
        let rows = self.matrix.rows() / processes;
        let entry = |row: usize| {
            let entries = self.matrix.row(rank * rows + row).iter();
            entries.map(move |&(column, value)| (row, column, value))
        };
        let entries: Vec<_> = (0..rows).flat_map(entry).collect();
        Csr::from_entries(rows, self.matrix.columns(), &entries)
    }
}

/// Vector whose segments of all processes a product needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgVector {
    /// The direction p.
    Direction,
    /// The solution z.
    Solution,
}

/// Sum over all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgSum {
    /// r.r before the first step.
    First,
    /// p.q of a step.
    Curvature,
    /// r.r behind a step.
    Next,
    /// The square of b - A z.
    Residual,
    /// b.z, of which zeta is made.
    Along,
    /// z.z.
    Square,
}

/// Scalar that the host makes of sums and writes for the next kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgScalar {
    /// Length of a step, r.r / p.q.
    Length,
    /// Part of the old direction in the new one, of r.r behind and before the step.
    Turn,
    /// 1.
    One,
    /// 1 / |z|.
    Scale,
}

/// Step of the run of a part, in the order of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgStep {
    /// Pages: the chain of this number.
    Run(usize),
    /// Each process gives its segments of a vector to all others.
    Share(CgVector),
    /// Sum over all processes.
    Sum(CgSum),
    /// Scalar of the host.
    Scalar(CgScalar),
}

/// Sums and scalars of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct CgScalars {
    rho: f32,
    curvature: f32,
    next: f32,
    square: f32,
    steps: usize,
    residuals: Vec<f64>,
    zetas: Vec<f64>,
}

/// Addresses of vectors: of the own segments, or of those of all processes.
#[derive(Clone, Copy, Debug)]
struct PartArrays {
    b: MemoryAddress,
    r: MemoryAddress,
    q: MemoryAddress,
    zeros: MemoryAddress,
    all_p: MemoryAddress,
    all_z: MemoryAddress,
}

/// Part of one process in NPB CG: a machine with its rows and its segments of vectors.
pub struct CgPart {
    host: Host,
    problem: Arc<SegmentedCg>,
    processes: usize,
    rank: usize,
    segments: Segments,
    at: PartArrays,
    chains: Vec<Chain>,
    /// Fewest cycles of the kernels of each chain.
    least_cycles: Vec<f64>,
    scalars: CgScalars,
    image: Arc<Image>,
}

/// Numbers of the chains.
mod chain {
    pub(super) const BEGIN: usize = 0;
    pub(super) const SQUARE_OF_R: usize = 1;
    pub(super) const PRODUCT: usize = 2;
    pub(super) const STEP: usize = 3;
    pub(super) const DIRECTION: usize = 4;
    pub(super) const OF_SOLUTION: usize = 5;
    pub(super) const RESIDUAL: usize = 6;
    pub(super) const ALONG: usize = 7;
    pub(super) const SQUARE: usize = 8;
    pub(super) const SCALE: usize = 9;
}

impl CgPart {
    /// Creates the machine of a process, one of `processes`, with the configuration `config`.
    ///
    /// # Errors
    /// The number of processes is no power of two up to [`CG_SEGMENTS`], the memory of the machine does not hold the rows and the
    /// vectors, or its core cannot run the kernels.
    pub fn new(
        config: MachineConfig,
        execution: &Execution,
        problem: Arc<SegmentedCg>,
        (rank, processes): (usize, usize),
    ) -> Result<Self, KernelError> {
        if !processes.is_power_of_two() || processes > CG_SEGMENTS {
            let limit = format!("a power of two up to {CG_SEGMENTS}, the segments of a vector");
            let what = "number of processors";
            return Err(KernelError::Parameter { what, value: processes, limit });
        }
        pages::check(config.core())?;
        let mut host = Host::new(config, execution);
        let plan = problem.plan;
        let product = Operator::source(&host, &plan)?;
        let text =
            VectorKernel::ALL.into_iter().fold(product, |text, kernel| text + &kernel.source());
        let image = host.assemble(&format!("cg {}", plan.form), || Ok(text))?;
        host.send_bundles(&image)?;
        let entries: Vec<_> = image.kernels.iter().map(|kernel| kernel.start).collect();
        let (of_product, of_vectors) = entries.split_at(entries.len() - VectorKernel::ALL.len());
        let rows = problem.rows_of(rank, processes)?;
        let operator = Operator::new(&mut host, &rows, &plan, of_product)?;
        let of_vectors = of_vectors.try_into().unwrap_or_default();
        let of = (CG_SEGMENTS / processes, problem.segment);
        let segments = Segments::new(&mut host, of, of_vectors)?;
        let all = operator.array_bytes().max(Bytes::from(problem.matrix.columns() * ELEMENT));
        let mut array = || host.allocate(all);
        let [b, r, q, zeros] = [array()?, array()?, array()?, array()?];
        let at = PartArrays { b, r, q, zeros, all_p: array()?, all_z: array()? };
        let own = rows.rows();
        host.write_floats(b, &problem.right_side(rank * own..(rank + 1) * own))?;
        let mut part = Self {
            host,
            problem,
            processes,
            rank,
            segments,
            at,
            chains: Vec::new(),
            least_cycles: Vec::new(),
            scalars: CgScalars::default(),
            image,
        };
        part.make_chains(&operator)?;
        Ok(part)
    }

    /// Makes the chains, in the order of their numbers.
    fn make_chains(&mut self, operator: &Operator) -> Result<(), KernelError> {
        use VectorKernel::{Direction, Dot, Step};
        let (segments, PartArrays { b, r, q, zeros, all_p, all_z }) = (self.segments, self.at);
        let (p, z) = (self.own(CgVector::Direction).0, self.own(CgVector::Solution).0);
        let work = |kernel, from: &[MemoryAddress], to: &[(usize, MemoryAddress)]| {
            let pages = segments.work(0, Work { kernel, from, to }, false)?;
            Ok::<_, KernelError>((pages, segments.least_cycles(kernel)))
        };
        let mut begin = segments.copy(0, b, &[r, p])?;
        begin.extend(segments.copy(begin.len(), zeros, &[z])?);
        let mut product = operator.pages([all_p, q, q], None)?;
        let dot = Work { kernel: Dot, from: &[p, q], to: &[] };
        product.extend(segments.work(product.len(), dot, true)?);
        let all: [(Vec<Page>, f64); 10] = [
            (begin, 0.0),
            work(Dot, &[r, r], &[])?,
            (product, operator.least_cycles + segments.least_cycles(Dot)),
            work(Step, &[p, q, z, r], &[(2, z), (3, r)])?,
            work(Direction, &[p, r], &[(0, p)])?,
            (operator.pages([all_z, q, q], None)?, operator.least_cycles),
            work(Step, &[zeros, q, zeros, b], &[])?,
            work(Dot, &[b, z], &[])?,
            work(Dot, &[z, z], &[])?,
            work(Direction, &[z, zeros], &[(0, b)])?,
        ];
        for (pages, least) in all {
            self.chains.push(Chain::of(&mut self.host, pages)?);
            self.least_cycles.push(least);
        }
        Ok(())
    }

    /// Returns the steps of the run.
    pub fn steps(&self) -> Vec<CgStep> {
        use CgStep::{Run, Scalar, Share, Sum};
        let class = &self.problem.class;
        let mut steps = Vec::new();
        for outer in 0..class.iterations {
            steps.extend([Run(chain::BEGIN), Run(chain::SQUARE_OF_R), Sum(CgSum::First)]);
            for step in 0..STEPS {
                if step > 0 {
                    steps.extend([Scalar(CgScalar::Turn), Run(chain::DIRECTION)]);
                }
                let product = [Share(CgVector::Direction), Run(chain::PRODUCT)];
                steps.extend(product);
                steps.extend([Sum(CgSum::Curvature), Scalar(CgScalar::Length)]);
                steps.extend([Run(chain::STEP), Sum(CgSum::Next)]);
            }
            steps.extend([Share(CgVector::Solution), Run(chain::OF_SOLUTION)]);
            steps.extend([Scalar(CgScalar::One), Run(chain::RESIDUAL), Sum(CgSum::Residual)]);
            steps.extend([Run(chain::ALONG), Sum(CgSum::Along)]);
            steps.extend([Run(chain::SQUARE), Sum(CgSum::Square)]);
            if outer + 1 < class.iterations {
                steps.extend([Scalar(CgScalar::Scale), Run(chain::SCALE)]);
            }
        }
        steps
    }

    /// Returns the place and the bytes of the segments of a process in a vector of all.
    pub fn segments_of(&self, vector: CgVector, rank: usize) -> (MemoryAddress, usize) {
        let all = match vector {
            CgVector::Direction => self.at.all_p,
            CgVector::Solution => self.at.all_z,
        };
        let bytes = CG_SEGMENTS / self.processes * self.problem.segment * ELEMENT;
        (all + Bytes::from(rank * bytes), bytes)
    }

    fn own(&self, vector: CgVector) -> (MemoryAddress, usize) {
        self.segments_of(vector, self.rank)
    }

    /// Returns the host.
    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    /// Returns the cycle of the machine.
    pub fn cycle(&self) -> Cycle {
        self.host.machine().cycle()
    }

    /// Runs a chain.
    ///
    /// # Errors
    /// A kernel or a transfer has a fault, or does not end.
    pub fn run_chain(&mut self, number: usize) -> Result<(), KernelError> {
        let chain = self.chains.get(number).ok_or(KernelError::Internal("no such chain"))?;
        chain.run(&mut self.host, &mut |_| {})
    }

    /// Turns a page, the host's work with a sum, and returns the sum over the own segments that the last kernel left.
    ///
    /// # Errors
    /// The machine has a fault.
    pub fn own_sum(&mut self) -> Result<f64, KernelError> {
        self.host.turn_page()?;
        self.segments.sum(&self.host)
    }

    /// Takes a sum over all processes.
    pub fn take_sum(&mut self, of: CgSum, sum: f64) {
        let (shift, scalars) = (self.problem.class.shift, &mut self.scalars);
        let single = sum as f32;
        match of {
            CgSum::First => scalars.rho = single,
            CgSum::Curvature => scalars.curvature = single,
            CgSum::Next => {
                scalars.next = single;
                scalars.steps += 1;
            }
            CgSum::Residual => scalars.residuals.push(sum.sqrt()),
            CgSum::Along => scalars.zetas.push(shift + 1.0 / sum),
            CgSum::Square => scalars.square = single,
        }
    }

    /// Makes a scalar and writes it for the next kernel, which takes no time.
    ///
    /// # Errors
    /// The scalar is no number of single precision.
    pub fn make_scalar(&mut self, of: CgScalar) -> Result<(), KernelError> {
        let scalars = &mut self.scalars;
        let (above, below) = match of {
            CgScalar::Length => (scalars.rho, scalars.curvature),
            CgScalar::Turn => (scalars.next, std::mem::replace(&mut scalars.rho, scalars.next)),
            CgScalar::One => (1.0, 1.0),
            CgScalar::Scale => (1.0, scalars.square.sqrt()),
        };
        let scalar = above / below;
        if !scalar.is_finite() {
            let step = scalars.steps % STEPS + 1;
            return Err(SparseError::Quotient { step, above, below }.into());
        }
        self.segments.set_scalar(&mut self.host, scalar)
    }

    /// Returns zeta after each outer iteration so far.
    pub fn zetas(&self) -> &[f64] {
        &self.scalars.zetas
    }

    /// Returns the norm of b - A z after each outer iteration so far.
    pub fn residuals(&self) -> &[f64] {
        &self.scalars.residuals
    }

    /// Returns the own segments of the solution.
    ///
    /// # Errors
    /// The array reaches beyond memory.
    pub fn solution(&self) -> Result<Vec<f32>, KernelError> {
        let (at, bytes) = self.own(CgVector::Solution);
        self.host.read_floats(at, bytes / ELEMENT)
    }

    /// Returns the machine with its memories, the scalars, and what is known of its run, as bytes: between two chains.
    ///
    /// # Errors
    /// The machine is larger than the format allows.
    pub fn save(&mut self) -> Result<Vec<u8>, KernelError> {
        let failed = |reason: String| KernelError::from(KeepingError::NotWritten { reason });
        let saved = (&self.scalars, self.host.save(PROCEDURE)?);
        postcard::to_stdvec(&saved).map_err(|e| failed(e.to_string()))
    }

    /// Goes on from what a part of the same process has [saved](Self::save).
    ///
    /// # Errors
    /// The bytes are damaged, or of another machine.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError> {
        let saved: (CgScalars, Vec<u8>) =
            postcard::from_bytes(saved).map_err(|_| KernelError::from(KeepingError::Damaged))?;
        self.scalars = saved.0;
        self.host.restore(PROCEDURE, &saved.1, Some(&self.image))
    }

    /// Returns the cost of what the process did so far; the operations are its share of those of the class.
    pub fn cost(&self) -> Cost {
        let runs = self.steps().into_iter().filter_map(|step| match step {
            CgStep::Run(number) => Some(number),
            _ => None,
        });
        let (mut pages, mut least) = (0, 0.0);
        for number in runs {
            pages += self.chains.get(number).map_or(0, |chain| chain.pages);
            least += self.least_cycles.get(number).copied().unwrap_or_default();
        }
        let operations = self.problem.operations() / self.processes as u64;
        self.host.cost(operations, (self.scalars.steps, pages), least)
    }
}
