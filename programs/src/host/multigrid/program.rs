//! A run of V-cycles: chains of operators with the kernels that they want in instruction memory, and their order.

use super::faces;
use super::form::{Form, weights};
use super::installed::{Installed, Joined};
use super::levels::{Levels, Task};
use super::npb::Class;
use super::operator::Operation;
use super::whole::Residual;
use crate::error::KernelError;
use crate::host::pages::{Chain, Group};
use crate::host::session::Host;
use crate::host::steps::StepMinimum;
use crate::multigrid::sized::cycle;
use crate::multigrid::{Block, Kernel};
use cp2_asm::image::Image;
use cp2_isa::Core;
use std::sync::Arc;

/// Operators one after the other, with fewest cycles of their kernels.
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    pub(super) least_cycles: f64,
}

impl Plan {
    pub(super) fn new(
        core: &Core,
        installed: &Installed,
        tasks: &[Task],
    ) -> Result<Self, KernelError> {
        let mut plan = Self { groups: Vec::new(), least_cycles: 0.0 };
        for task in tasks {
            let group = group(core, installed, task)?;
            plan.least_cycles += group.least_cycles.iter().sum::<f64>();
            plan.groups.push(group);
        }
        Ok(plan)
    }
}

/// The pages of a task with the faces that it makes.
fn group(core: &Core, installed: &Installed, task: &Task) -> Result<Group, KernelError> {
    let missing = |name: &str| KernelError::Channel(format!("{name} is not installed"));
    let ((pages, least_cycles), tail) = match task {
        Task::One(kernel, grids) => {
            let mut residents = installed.residents.iter();
            let resident = residents.find(|resident| resident.kernel == *kernel);
            let &resident = resident.ok_or_else(|| missing(kernel.name()))?;
            let operation = Operation::new(resident, grids.faced.n)?;
            let tail = if grids.has_faces { faces::transfers(&grids.result)? } else { Vec::new() };
            let pages = operation.pages_on(grids)?;
            let least = vec![operation.least_cycles(core)?; pages.len()];
            ((pages, least), tail)
        }
        Task::Fused(grids, onto) => {
            let fused = installed.fused.ok_or_else(|| missing("the fused form"))?;
            (fused.pages(grids, *onto)?, faces::transfers(&grids.result)?)
        }
        Task::Down(grids, residual) => {
            let down = installed.down.ok_or_else(|| missing("residual with projection"))?;
            (down.pages(grids, *residual)?, faces_of(*residual)?)
        }
        Task::Whole(grids, residual) => {
            let whole = installed.whole.ok_or_else(|| missing("the form of all operators"))?;
            let mut tail = faces::transfers(&grids.result)?;
            tail.extend(faces_of(*residual)?);
            (whole.pages(grids, *residual)?, tail)
        }
    };
    Ok(Group { pages, tail, least_cycles })
}

/// The faces of a projected residual; nobody asks for those of the last one.
fn faces_of(residual: Residual) -> Result<Vec<cp2_emu::dma::Descriptor>, KernelError> {
    match residual {
        Residual::Projected(coarse) => faces::transfers(&coarse),
        Residual::Stored(_) => Ok(Vec::new()),
    }
}

/// Queues of a machine's channel with the kernels that they want.
struct Part {
    chain: Chain,
    least_cycles: f64,
    image: Arc<Image>,
}

impl Part {
    fn new(host: &mut Host, installed: &Installed, tasks: &[Task]) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let Plan { groups, least_cycles } = Plan::new(&core, installed, tasks)?;
        let chain = Chain::new(host, &groups)?;
        Ok(Self { chain, least_cycles, image: installed.image.clone() })
    }
}

/// Most points along an axis of grids that do not go in one go.
const SMALL: usize = 16;

/// The kernels for one operator each, with their frames.
pub(super) fn frames() -> Vec<(Kernel, Block)> {
    let mut frames = cycle();
    frames.retain(|&(kernel, _)| kernel != Kernel::Norm);
    frames
}

/// The same beside those in one go. Frames are as long as grids that do not go in one go, but for projections, so that all
/// kernels fit instruction memory.
fn small_frames() -> Vec<(Kernel, Block)> {
    let mut frames = frames();
    frames.retain(|&(kernel, _)| kernel != Kernel::Interp);
    for (kernel, frame) in &mut frames {
        match kernel {
            Kernel::Proj => {}
            Kernel::Interp0 => frame.n1 = SMALL / 2,
            // Only two points are smoothed with it.
            Kernel::Smooth0 => frame.n1 = 4,
            _ => frame.n1 = SMALL,
        }
    }
    frames
}

/// What is run, and in which order.
pub(super) struct Program {
    parts: Vec<Part>,
    order: Vec<usize>,
}

impl Program {
    /// The residual of u = 0, then V-cycles.
    pub(super) fn new(
        host: &mut Host,
        (class, form): (Class, Form),
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let mut make = |frames: &[(Kernel, Block)], joined: &[Joined]| {
            Installed::new(host, frames, joined, |kernel| weights(kernel, class))
        };
        let joined = [Joined::Fused, Joined::Down];
        match form {
            Form::Plain => {
                let installed = make(&frames(), &[])?;
                Self::of_cycles(host, &installed, class, levels)
            }
            Form::Fused => {
                let installed = make(&small_frames(), &joined)?;
                Self::of_cycles(host, &installed, class, levels)
            }
            Form::Whole => {
                let installed = [make(&small_frames(), &joined)?, make(&[], &[Joined::Whole])?];
                Self::in_one_go(host, &installed, class, levels)
            }
        }
    }

    /// V-cycles with all their kernels in instruction memory.
    fn of_cycles(
        host: &mut Host,
        installed: &Installed,
        class: Class,
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let last = class.iterations() - 1;
        let turned = levels.turned();
        let of = |k: usize| if k.is_multiple_of(2) { levels } else { &turned };
        let parts = vec![
            Part::new(host, installed, &levels.descent(false))?,
            Part::new(host, installed, &of(0).cycle(false))?,
            Part::new(host, installed, &of(1).cycle(false))?,
            Part::new(host, installed, &of(last).cycle(true))?,
        ];
        let of_cycle = |k: usize| if k == last { 3 } else { 1 + k % 2 };
        Ok(Self { parts, order: [0].into_iter().chain((0..=last).map(of_cycle)).collect() })
    }

    /// The same with the finest grid in one go, whose kernels do not fit beside the others: they take turns. The
    /// residual of u = 0 is projected as by itself, later ones with what makes them.
    fn in_one_go(
        host: &mut Host,
        [others, whole]: &[Installed; 2],
        class: Class,
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let (turned, last) = (levels.turned(), class.iterations() - 1);
        let mut first = levels.descent(false);
        first.extend(levels.below());
        let of_last = if last.is_multiple_of(2) { levels } else { &turned };
        let parts = vec![
            Part::new(host, others, &first)?,
            Part::new(host, others, &levels.below())?,
            Part::new(host, whole, &[levels.whole(false)])?,
            Part::new(host, whole, &[turned.whole(false)])?,
            Part::new(host, whole, &[of_last.whole(true)])?,
        ];
        let of_cycle = |k: usize| [usize::from(k > 0), if k == last { 4 } else { 2 + k % 2 }];
        Ok(Self { parts, order: (0..=last).flat_map(of_cycle).collect() })
    }

    pub(super) fn pages(&self) -> usize {
        self.order.iter().map(|&part| self.parts[part].chain.pages).sum()
    }

    /// Those of them that CP2 turns.
    pub(super) fn turned(&self) -> usize {
        self.order.iter().map(|&part| self.parts[part].chain.turned).sum()
    }

    pub(super) fn least_cycles(&self) -> f64 {
        self.order.iter().map(|&part| self.parts[part].least_cycles).sum()
    }

    /// What each step cannot do without.
    pub(super) fn least(&self) -> Vec<StepMinimum> {
        self.order.iter().flat_map(|&part| &self.parts[part].chain.least).copied().collect()
    }

    /// Runs it; kernels are sent where others are in instruction memory. Tells how many bundles were.
    pub(super) fn run(
        &self,
        host: &mut Host,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, KernelError> {
        let (all, mut done, mut bundles) = (self.pages(), 0, 0);
        let mut sent: Option<&Arc<Image>> = None;
        for &part in &self.order {
            let Part { chain, image, .. } = &self.parts[part];
            if !sent.is_some_and(|sent| Arc::ptr_eq(sent, image)) {
                host.send_bundles(image)?;
                bundles += image.kernels.iter().map(|kernel| kernel.words.len()).sum::<usize>();
                sent = Some(image);
            }
            chain.run(host, &mut |pages| progress(done + pages, all))?;
            done += chain.pages;
        }
        Ok(bundles)
    }
}
