//! A host with a matrix, vectors and kernels on its machine: the steps of conjugate gradients, each of which goes
//! through pages.

use super::kernels::VectorKernel;
use super::vectors::{Vectors, Work};
use crate::host::Host;
use crate::host::pages::{self, Chain, Page};
use crate::sparse::{Operator, ProductPlan, Renewal};
use cp2_emu::machine::Key;
use cp2_isa::MemoryAddress;
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use cp2_session::workload::Listener;
use std::time::Instant;

/// Addresses of the vectors in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrays {
    /// The right side.
    pub(super) b: MemoryAddress,
    /// The solution.
    pub(super) z: MemoryAddress,
    /// The residual.
    pub(super) r: MemoryAddress,
    /// The direction.
    pub(super) p: MemoryAddress,
    /// The matrix times the direction.
    pub(super) q: MemoryAddress,
    /// A vector of zeros.
    pub(super) zeros: MemoryAddress,
}

/// Way in which each step of conjugate gradients computes its new direction, p := r + a p from the residual r. The
/// vectors are in system memory and go through local memory in pages, each the data that lie in one part of it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectionMethod {
    /// The sections share the computation: each computes a part of the direction, in pages of its own, and stores it
    /// before the product by the matrix.
    Plain,
    /// Every section computes the whole direction itself, in the pages in which all sections load it for the product by
    /// the matrix.
    Fused,
}

impl DirectionMethod {
    /// Returns the name of the method in options and reports: `plain` or `fused`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
        }
    }
}

/// The machine while it solves a problem.
pub(super) struct Machine {
    steps: DirectionMethod,
    pub(super) host: Host,
    pub(super) operator: Operator,
    vectors: Vectors,
    pub(super) at: Arrays,
    elements: usize,
    /// Pages that were run so far.
    pub(super) pages: usize,
    /// Fewest cycles of the kernels that were run so far.
    pub(super) least_cycles: f64,
}

impl Machine {
    /// Creates a machine with a square matrix in system memory and the kernels in instruction memory.
    pub(super) fn new(
        mut host: Host,
        matrix: &Csr,
        (plan, steps): (&ProductPlan, Option<DirectionMethod>),
        listener: &mut dyn Listener,
    ) -> Result<Self, KernelError> {
        pages::check(host.config().core())?;
        let since = Instant::now();
        let product = Operator::source(&host, plan)?;
        let text =
            VectorKernel::ALL.into_iter().fold(product, |text, kernel| text + &kernel.source());
        let entries = host.install_all(&format!("cg {}", plan.form), || Ok(text))?;
        listener.prepared("scheduling the kernels", since.elapsed());
        let since = Instant::now();
        let (of_product, of_vectors) = entries.split_at(entries.len() - VectorKernel::ALL.len());
        let operator = Operator::new(&mut host, matrix, plan, of_product)?;
        listener.prepared("converting the matrix", since.elapsed());
        let elements = matrix.rows();
        let of_vectors = of_vectors.try_into().unwrap_or_default();
        let vectors = Vectors::new(&mut host, elements, of_vectors)?;
        let bytes = Vectors::bytes(elements).max(operator.array_bytes());
        let mut array = || host.allocate(bytes);
        let [b, z, r, p, q, zeros] = [array()?, array()?, array()?, array()?, array()?, array()?];
        let at = Arrays { b, z, r, p, q, zeros };
        let steps = match steps {
            _ if !operator.can_renew() => DirectionMethod::Plain,
            Some(steps) => steps,
            None => better(&host, &vectors),
        };
        Ok(Self { steps, host, operator, vectors, at, elements, pages: 0, least_cycles: 0.0 })
    }

    /// Returns the way in which a step makes its direction.
    pub(super) fn steps(&self) -> DirectionMethod {
        self.steps
    }

    /// Runs pages as a stage of this name.
    fn run(&mut self, stage: &str, pages: Vec<Page>) -> Result<(), KernelError> {
        self.pages += pages.len();
        self.host.begin_step(StepLevel::Stage, || stage.to_owned());
        // A queue is of no use once its pages are done, so its memory is given back.
        let mark = self.host.allocated();
        let chain = Chain::of(&mut self.host, pages)?;
        chain.run(&mut self.host, &mut |_| {})?;
        self.host.free_from(mark);
        self.host.end_step(StepLevel::Stage);
        Ok(())
    }

    /// Turns a page, the host's work with a sum, and returns the sum that the last kernel left.
    fn sum(&mut self) -> Result<f32, KernelError> {
        self.host.turn_page()?;
        self.vectors.sum(&self.host)
    }

    fn work(&mut self, stage: &str, work: Work<'_>) -> Result<(), KernelError> {
        self.least_cycles += self.vectors.least_cycles(work.kernel);
        let pages = self.vectors.work(0, work, false)?;
        self.run(stage, pages)
    }

    /// Writes the right side to system memory; takes no time.
    pub(super) fn set_right_side(&mut self, b: &[f32]) -> Result<(), KernelError> {
        self.host.write_floats(self.at.b, b)
    }

    /// Begins a solution: z := 0, r := p := b. Returns the square of r.
    pub(super) fn begin(&mut self) -> Result<f32, KernelError> {
        let Arrays { b, z, r, p, zeros, .. } = self.at;
        let mut pages = self.vectors.copy(0, b, &[r, p])?;
        pages.extend(self.vectors.copy(pages.len(), zeros, &[z])?);
        self.run("copy", pages)?;
        self.dot(r, r)
    }

    /// Returns the scalar product of two vectors.
    pub(super) fn dot(&mut self, x: MemoryAddress, y: MemoryAddress) -> Result<f32, KernelError> {
        self.work("dot", Work { kernel: VectorKernel::Dot, from: &[x, y], to: &[] })?;
        self.sum()
    }

    /// Computes q := A p, with p := r + a p before if there is an a, and returns the scalar product of p and q.
    pub(super) fn along(&mut self, a: Option<f32>) -> Result<f32, KernelError> {
        let Arrays { r, p, .. } = self.at;
        let renewal = match a {
            Some(a) if self.steps == DirectionMethod::Fused => {
                self.vectors.set_scalar(&mut self.host, a)?;
                self.least_cycles +=
                    VectorKernel::Direction.cycles() * self.vectors.all_words() as f64;
                Some(self.vectors.renewal(r))
            }
            Some(a) => {
                self.direction(a)?;
                None
            }
            None => None,
        };
        self.product(p, renewal)
    }

    /// Computes q := A x and returns the scalar product of x and q.
    fn product(&mut self, x: MemoryAddress, renewal: Option<Renewal>) -> Result<f32, KernelError> {
        let q = self.at.q;
        let mut pages = self.operator.pages([x, q, q], renewal)?;
        let dot = Work { kernel: VectorKernel::Dot, from: &[x, q], to: &[] };
        pages.extend(self.vectors.work(pages.len(), dot, true)?);
        self.least_cycles +=
            self.operator.least_cycles + self.vectors.least_cycles(VectorKernel::Dot);
        self.run(if renewal.is_some() { "direction, A p, dot" } else { "A p, dot" }, pages)?;
        self.sum()
    }

    /// Does a step along the direction, z += a p, r -= a q, and returns the square of r.
    pub(super) fn step(&mut self, a: f32) -> Result<f32, KernelError> {
        let Arrays { z, r, p, q, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        let work = Work { kernel: VectorKernel::Step, from: &[p, q, z, r], to: &[(2, z), (3, r)] };
        self.work("step along p", work)?;
        self.sum()
    }

    /// Computes the new direction p := r + a p.
    fn direction(&mut self, a: f32) -> Result<(), KernelError> {
        let Arrays { r, p, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        let work = Work { kernel: VectorKernel::Direction, from: &[p, r], to: &[(0, p)] };
        self.work("direction", work)
    }

    /// Returns the square of b - A z.
    pub(super) fn residual(&mut self) -> Result<f32, KernelError> {
        let Arrays { b, z, q, zeros, .. } = self.at;
        self.product(z, None)?;
        self.vectors.set_scalar(&mut self.host, 1.0)?;
        let work = Work { kernel: VectorKernel::Step, from: &[zeros, q, zeros, b], to: &[] };
        self.work("residual", work)?;
        self.sum()
    }

    /// Computes the right side b := a z.
    pub(super) fn scale(&mut self, a: f32) -> Result<(), KernelError> {
        let Arrays { b, z, zeros, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        let work = Work { kernel: VectorKernel::Direction, from: &[z, zeros], to: &[(0, b)] };
        self.work("scale", work)
    }

    /// Reads the solution from system memory.
    pub(super) fn solution(&self) -> Result<Vec<f32>, KernelError> {
        self.host.read_floats(self.at.z, self.elements)
    }
}

/// Chooses the faster kind of steps: pages for the direction cost the host's work for two pages more; a direction that every
/// section makes costs three times more the cycles of its kernel.
fn better(host: &Host, vectors: &Vectors) -> DirectionMethod {
    let own = 2.0 * f64::from(host.config().value(Key::HostPage));
    let more = 0.75 * VectorKernel::Direction.cycles() * vectors.all_words() as f64;
    if more < own { DirectionMethod::Fused } else { DirectionMethod::Plain }
}
