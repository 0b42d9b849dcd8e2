//! A machine with a matrix, vectors and kernels in it: the steps of conjugate gradients, each through pages.

use super::kernels::Kernel;
use super::vectors::{Vectors, Work};
use crate::host::Host;
use crate::host::pages::{self, Chain, Page};
use crate::sparse::{Operator, Plan, Renewal};
use cp2_emu::machine::Key;
use cp2_isa::MemoryAddress;
use cp2_session::error::KernelError;
use cp2_session::sparse::Csr;
use cp2_session::workload::Listener;
use std::time::Instant;

/// Addresses of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrays {
    /// The right side.
    pub(super) b: MemoryAddress,
    /// The solution.
    pub(super) z: MemoryAddress,
    /// Residual, direction, and the matrix times the direction.
    pub(super) r: MemoryAddress,
    pub(super) p: MemoryAddress,
    pub(super) q: MemoryAddress,
    pub(super) zeros: MemoryAddress,
}

/// How the steps go through their pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The direction is made in pages of its own.
    Plain,
    /// It is made where all sections get it for the product, by each of them.
    Fused,
}

impl Steps {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
        }
    }
}

/// The machine while it solves.
pub(super) struct Machine {
    steps: Steps,
    pub(super) host: Host,
    pub(super) operator: Operator,
    vectors: Vectors,
    pub(super) at: Arrays,
    elements: usize,
    /// Pages so far, and the fewest cycles of their kernels.
    pub(super) pages: usize,
    pub(super) least_cycles: f64,
}

impl Machine {
    /// Puts a square matrix into memory, kernels into instruction memory.
    pub(super) fn new(
        mut host: Host,
        matrix: &Csr,
        (plan, steps): (&Plan, Option<Steps>),
        listener: &mut dyn Listener,
    ) -> Result<Self, KernelError> {
        pages::check(host.config().core())?;
        let since = Instant::now();
        let product = Operator::source(&host, plan)?;
        let text = Kernel::ALL.into_iter().fold(product, |text, kernel| text + &kernel.source());
        let entries = host.install_all(&format!("cg {}", plan.form), || Ok(text))?;
        listener.prepared("scheduling the kernels", since.elapsed());
        let since = Instant::now();
        let (of_product, of_vectors) = entries.split_at(entries.len() - Kernel::ALL.len());
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
            _ if !operator.can_renew() => Steps::Plain,
            Some(steps) => steps,
            None => better(&host, &vectors),
        };
        Ok(Self { steps, host, operator, vectors, at, elements, pages: 0, least_cycles: 0.0 })
    }

    /// How its steps go.
    pub(super) fn steps(&self) -> Steps {
        self.steps
    }

    fn run(&mut self, pages: Vec<Page>) -> Result<(), KernelError> {
        self.pages += pages.len();
        // Queues are of no use behind their pages.
        let mark = self.host.allocated();
        let chain = Chain::of(&mut self.host, pages)?;
        chain.run(&mut self.host, &mut |_| {})?;
        self.host.free_from(mark);
        Ok(())
    }

    /// What the host does with a sum before it goes on.
    fn sum(&mut self) -> Result<f32, KernelError> {
        self.host.turn_page()?;
        self.vectors.sum(&self.host)
    }

    fn work(&mut self, work: Work<'_>) -> Result<(), KernelError> {
        self.least_cycles += self.vectors.least_cycles(work.kernel);
        let pages = self.vectors.work(0, work, false)?;
        self.run(pages)
    }

    /// Writes the right side; takes no time.
    pub(super) fn set_right_side(&mut self, b: &[f32]) -> Result<(), KernelError> {
        self.host.write_floats(self.at.b, b)
    }

    /// z := 0, r := p := b; the square of r.
    pub(super) fn begin(&mut self) -> Result<f32, KernelError> {
        let Arrays { b, z, r, p, zeros, .. } = self.at;
        let mut pages = self.vectors.copy(0, b, &[r, p])?;
        pages.extend(self.vectors.copy(pages.len(), zeros, &[z])?);
        self.run(pages)?;
        self.dot(r, r)
    }

    /// The scalar product of two vectors.
    pub(super) fn dot(&mut self, x: MemoryAddress, y: MemoryAddress) -> Result<f32, KernelError> {
        self.work(Work { kernel: Kernel::Dot, from: &[x, y], to: &[] })?;
        self.sum()
    }

    /// q := A p, and the scalar product of both; p := r + a p before.
    pub(super) fn along(&mut self, a: Option<f32>) -> Result<f32, KernelError> {
        let Arrays { r, p, .. } = self.at;
        let renewal = match a {
            Some(a) if self.steps == Steps::Fused => {
                self.vectors.set_scalar(&mut self.host, a)?;
                self.least_cycles += Kernel::Direction.cycles() * self.vectors.all_words() as f64;
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

    /// q := A x, and the scalar product of both.
    fn product(&mut self, x: MemoryAddress, renewal: Option<Renewal>) -> Result<f32, KernelError> {
        let q = self.at.q;
        let mut pages = self.operator.pages([x, q, q], renewal)?;
        let dot = Work { kernel: Kernel::Dot, from: &[x, q], to: &[] };
        pages.extend(self.vectors.work(pages.len(), dot, true)?);
        self.least_cycles += self.operator.least_cycles + self.vectors.least_cycles(Kernel::Dot);
        self.run(pages)?;
        self.sum()
    }

    /// z += a p, r -= a q; the square of r.
    pub(super) fn step(&mut self, a: f32) -> Result<f32, KernelError> {
        let Arrays { z, r, p, q, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        self.work(Work { kernel: Kernel::Step, from: &[p, q, z, r], to: &[(2, z), (3, r)] })?;
        self.sum()
    }

    /// p := r + a p.
    fn direction(&mut self, a: f32) -> Result<(), KernelError> {
        let Arrays { r, p, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        self.work(Work { kernel: Kernel::Direction, from: &[p, r], to: &[(0, p)] })
    }

    /// The square of b - A z.
    pub(super) fn residual(&mut self) -> Result<f32, KernelError> {
        let Arrays { b, z, q, zeros, .. } = self.at;
        self.product(z, None)?;
        self.vectors.set_scalar(&mut self.host, 1.0)?;
        self.work(Work { kernel: Kernel::Step, from: &[zeros, q, zeros, b], to: &[] })?;
        self.sum()
    }

    /// b := a z.
    pub(super) fn scale(&mut self, a: f32) -> Result<(), KernelError> {
        let Arrays { b, z, zeros, .. } = self.at;
        self.vectors.set_scalar(&mut self.host, a)?;
        self.work(Work { kernel: Kernel::Direction, from: &[z, zeros], to: &[(0, b)] })
    }

    /// The solution.
    pub(super) fn solution(&self) -> Result<Vec<f32>, KernelError> {
        self.host.read_floats(self.at.z, self.elements)
    }
}

/// How steps go faster: pages of their own take the host's work for two of them more, a direction that every section makes
/// takes the kernel of three more.
fn better(host: &Host, vectors: &Vectors) -> Steps {
    let own = 2.0 * f64::from(host.config().value(Key::HostPage));
    let more = 0.75 * Kernel::Direction.cycles() * vectors.all_words() as f64;
    if more < own { Steps::Fused } else { Steps::Plain }
}
