//! A run of V-cycles: chains of operators with the kernels that they need in instruction memory, and the order of the chains.

use super::faces;
use super::images::Images;
use super::installed::Installed;
use super::levels::{Levels, Task};
use super::npb::Class;
use super::operator::Operation;
use crate::host::pages::{Chain, Group, Page, in_banks};
use crate::host::{Host, StepMinimum, predict_cycles};
use cp2_asm::image::Image;
use cp2_emu::dma::Descriptor;
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;
use std::sync::Arc;

/// Operators one after the other, with the fewest cycles of their kernels.
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    pub(super) least_cycles: f64,
}

impl Plan {
    pub(super) fn new(installed: &Installed, tasks: &[Task]) -> Result<Self, KernelError> {
        let mut plan = Self { groups: Vec::new(), least_cycles: 0.0 };
        for task in tasks {
            let group = group(installed, task)?;
            plan.least_cycles += group.least_cycles.iter().sum::<f64>();
            plan.groups.push(group);
        }
        Ok(plan)
    }
}

/// Returns the pages of a task, and the transfers that make the faces after them.
fn group(installed: &Installed, task: &Task) -> Result<Group, KernelError> {
    let missing = || KernelError::Internal("an operation of a program is not installed");
    let ((pages, least_cycles), tail) = match task {
        Task::One(kernel, grids) => {
            let mut residents = installed.residents.iter();
            let resident = residents.find(|resident| resident.kernel == *kernel);
            let &resident = resident.ok_or_else(missing)?;
            let operation = Operation::new(resident, grids.faced.n)?;
            let tail = faces::transfers(&grids.result, grids.periodic)?;
            let pages = operation.pages_on(grids)?;
            let least = vec![operation.least_cycles(); pages.len()];
            ((pages, least), tail)
        }
        Task::Fused(grids) => {
            let fused = installed.fused.ok_or_else(missing)?;
            (fused.pages(grids)?, Vec::new())
        }
        Task::Down(grids, residual) => {
            let down = if grids.u.is_some() { installed.down } else { installed.proj };
            let down = down.ok_or_else(missing)?;
            (down.pages(grids, *residual)?, Vec::new())
        }
    };
    let pages = in_banks(&installed.core, pages);
    Ok(Group { name: task.name(), pages, tail, least_cycles })
}

/// A chain of pages with the program that it needs in instruction memory.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) chain: Chain,
    pub(super) least_cycles: f64,
    image: Arc<Image>,
}

impl Part {
    pub(super) fn new(
        host: &mut Host,
        installed: &Installed,
        tasks: &[Task],
    ) -> Result<Self, KernelError> {
        let Plan { groups, least_cycles } = Plan::new(installed, tasks)?;
        let chain = Chain::new(host, &groups)?;
        Ok(Self { chain, least_cycles, image: installed.image.clone() })
    }

    /// Makes a part of pages that are no operators, and of transfers behind them.
    pub(super) fn of_pages(
        host: &mut Host,
        installed: &Installed,
        pages: Vec<Page>,
        tail: Vec<Descriptor>,
    ) -> Result<Self, KernelError> {
        let group = Group { pages: in_banks(&installed.core, pages), tail, ..Group::default() };
        let chain = Chain::new(host, &[group])?;
        Ok(Self { chain, least_cycles: 0.0, image: installed.image.clone() })
    }
}

/// Tasks that follow each other with the kernels of one image, and the number of the image.
type Run = (usize, Vec<Task>);

/// Returns the name of iteration `k` of a run, for its recording: before the first V-cycle, 0, there is a residual alone.
fn iteration_name(k: usize) -> String {
    if k == 0 { "first residual".to_owned() } else { format!("V-cycle {k}") }
}

/// Returns the runs of tasks of a class in their order, each with its iteration: 0 for the residual of u = 0, then V-cycles.
fn runs_of_tasks(
    class: Class,
    images: &Images,
    levels: &Levels,
) -> Result<Vec<(usize, Run)>, KernelError> {
    let last = class.iterations() - 1;
    let turned = levels.turned();
    let of = |k: usize| if k.is_multiple_of(2) { levels } else { &turned };
    let mut runs = Vec::new();
    let mut add = |iteration: usize, tasks: &[(usize, Task)]| {
        for run in tasks.chunk_by(|(image, _), (next, _)| image == next) {
            let image = run.first().map_or(0, |(image, _)| *image);
            let tasks = run.iter().map(|(_, task)| *task).collect();
            runs.push((iteration, (image, tasks)));
        }
    };
    add(0, &images.on_finest(levels.descent(false))?);
    for k in 0..=last {
        let mut tasks = images.below(levels.below())?;
        tasks.extend(images.on_finest(of(k).on_finest(k == last))?);
        add(k + 1, &tasks);
    }
    Ok(runs)
}

/// Predicts the cycles of the program of a class by trials of its parts on a host that nothing else uses. Parts whose grids
/// have the same sizes take as long.
///
/// # Errors
/// The errors are those of [`Program::new`] and [`Program::run`].
pub(super) fn predicted_cycles(
    host: &mut Host,
    class: Class,
    images: &Images,
    levels: &Levels,
) -> Result<f64, KernelError> {
    let (mut sent, mut all) = (None, 0.0);
    let mut known: Vec<(Run, f64)> = Vec::new();
    for (_, (image, tasks)) in runs_of_tasks(class, images, levels)? {
        let installed = images.get(image);
        if sent.replace(image) != Some(image) {
            all += host.sending_cycles(&installed.image) as f64;
        }
        let form = (image, tasks.iter().map(|task| task.form()).collect());
        let found = known.iter().find(|(run, _)| *run == form).map(|(_, cycles)| *cycles);
        let cycles = match found {
            Some(cycles) => cycles,
            None => {
                host.send_bundles(&installed.image)?;
                predict_cycles(host, &Plan::new(installed, &tasks)?.groups)?
            }
        };
        if found.is_none() {
            known.push((form, cycles));
        }
        all += cycles;
    }
    Ok(all)
}

/// The parts of a run of V-cycles, and their order.
pub(super) struct Program {
    parts: Vec<Part>,
    /// Tasks of each part.
    tasks: Vec<Run>,
    /// Iterations and numbers of the parts, in the order in which they are run.
    order: Vec<(usize, usize)>,
}

impl Program {
    /// Creates the program of a class by these images: the residual of u = 0, then V-cycles. Kernels that are not in one image
    /// take turns in instruction memory.
    pub(super) fn new(
        host: &mut Host,
        class: Class,
        images: &Images,
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let mut program = Self { parts: Vec::new(), tasks: Vec::new(), order: Vec::new() };
        for (iteration, run) in runs_of_tasks(class, images, levels)? {
            let known = program.tasks.iter().position(|known| *known == run);
            if known.is_none() {
                program.parts.push(Part::new(host, images.get(run.0), &run.1)?);
                program.tasks.push(run);
            }
            program.order.push((iteration, known.unwrap_or(program.parts.len() - 1)));
        }
        Ok(program)
    }

    pub(super) fn pages(&self) -> usize {
        self.order.iter().map(|&(_, part)| self.parts[part].chain.pages).sum()
    }

    /// Returns the number of device-driven pages.
    pub(super) fn device_driven_pages(&self) -> usize {
        self.order.iter().map(|&(_, part)| self.parts[part].chain.device_driven).sum()
    }

    pub(super) fn least_cycles(&self) -> f64 {
        self.order.iter().map(|&(_, part)| self.parts[part].least_cycles).sum()
    }

    /// Returns the lower bounds of each step.
    pub(super) fn least(&self) -> Vec<StepMinimum> {
        self.order.iter().flat_map(|&(_, part)| &self.parts[part].chain.least).copied().collect()
    }

    /// Returns the predicted cycles of all chains, without those in which kernels are sent.
    fn chain_cycles(&self) -> usize {
        self.order.iter().map(|&(_, part)| self.parts[part].chain.predicted_cycles).sum()
    }

    /// Runs the program; kernels are sent where others are in instruction memory. `progress` is told how many of how many
    /// predicted cycles are done. Returns the number of bundles that were sent.
    pub(super) fn run(
        &self,
        host: &mut Host,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, KernelError> {
        let (all, mut done, mut bundles) = (self.chain_cycles(), 0, 0);
        let mut sent: Option<&Arc<Image>> = None;
        let mut begun = None;
        for &(iteration, part) in &self.order {
            if begun.replace(iteration) != Some(iteration) {
                host.begin_step(StepLevel::Iteration, || iteration_name(iteration));
            }
            let Part { chain, image, .. } = &self.parts[part];
            if !sent.is_some_and(|sent| Arc::ptr_eq(sent, image)) {
                host.send_bundles(image)?;
                bundles += image.kernels.iter().map(|kernel| kernel.words.len()).sum::<usize>();
                sent = Some(image);
            }
            chain.run(host, &mut |of_part| progress(done + of_part, all))?;
            done += chain.predicted_cycles;
        }
        host.end_step(StepLevel::Iteration);
        Ok(bundles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::down::{DownGrids, Residual};
    use super::super::fused::FusedGrids;
    use super::super::grid::PaddedGrid;
    use super::super::installed::Joined;
    use super::super::reference::applied;
    use super::*;
    use cp2_isa::machine::MachineConfig;
    use cp2_kernels::multigrid::GridKernel;
    use cp2_kernels::multigrid::columns::Columns;
    use cp2_kernels::multigrid::fused::InterpolationMode;
    use cp2_session::engine::Engine;
    use cp2_session::execution::Execution;
    use cp2_session::random;

    fn numbers(seed: u64, n: usize) -> Vec<f32> {
        random::complex(seed, n.pow(3)).into_iter().map(|z| z.re).collect()
    }

    /// A machine with grids of random numbers in its memory.
    struct Bench {
        host: Host,
    }

    impl Bench {
        fn new(engine: Engine) -> Self {
            let config = MachineConfig::preset("vm9").unwrap();
            let on = Execution { engine, ..Execution::on(*config.core()) };
            Self { host: Host::new(config, &on) }
        }

        fn grid(&mut self, points: &[f32], n: usize) -> PaddedGrid {
            let grid = PaddedGrid::cube(&mut self.host, n).unwrap();
            grid.write(&mut self.host, points).unwrap();
            grid
        }

        fn run(&mut self, joined: Joined, task: Task) -> u64 {
            let host = &mut self.host;
            let installed = Installed::new(host, &[], &[joined], GridKernel::operator).unwrap();
            let part = Part::new(host, &installed, &[task]).unwrap();
            host.send_bundles(&part.image).unwrap();
            part.chain.run(host, &mut |_| {}).unwrap();
            host.machine().cycle().0
        }

        /// Checks that the points of a grid are near the exact ones, and that its faces are the points of the other side.
        fn check(&self, grid: &PaddedGrid, exact: &[f64], has_faces: bool, what: &str) {
            let found = grid.read(&self.host).unwrap();
            let far = found.iter().zip(exact).map(|(&a, b)| (f64::from(a) - b).abs());
            assert!(far.fold(0.0, f64::max) < 1e-5, "{what}");
            let n = grid.edge() as isize;
            let at = |[x, y, z]: [isize; 3]| {
                let pair = self.host.read(grid.point([x & !1, y, z]), 1).unwrap()[0];
                if x % 2 == 0 { pair.re } else { pair.im }
            };
            let places = [-2, -1, 0, 1, n / 2, n - 1, n, n + 1];
            for (z, y, x) in all(&places).filter(|_| has_faces) {
                let wrapped = [x, y, z].map(|k: isize| k.rem_euclid(n));
                assert_eq!(at([x, y, z]), at(wrapped), "{what}: {x} {y} {z}");
            }
        }
    }

    fn all(places: &[isize]) -> impl Iterator<Item = (isize, isize, isize)> + '_ {
        let pairs = places.iter().flat_map(move |&z| places.iter().map(move |&y| (z, y)));
        pairs.flat_map(move |(z, y)| places.iter().map(move |&x| (z, y, x)))
    }

    const CUTS: [(Columns, usize); 3] =
        [(Columns::WIDE, 64), (Columns::SQUARE, 32), (Columns::SQUARE, 64)];

    fn exact(kernel: GridKernel, n: usize, faced: &[f64], plain: &[f64]) -> Vec<f64> {
        let single = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<_>>();
        applied(kernel, n, &single(faced), &single(plain))
    }

    fn wide(points: &[f32]) -> Vec<f64> {
        points.iter().map(|&x| x.into()).collect()
    }

    #[test]
    fn a_residual_and_its_projection_in_columns_are_those_of_the_definition() {
        for (columns, n) in CUTS {
            let [u, v] = [1, 2].map(|seed| numbers(seed, n));
            let residual = exact(GridKernel::Resid, n, &wide(&u), &wide(&v));
            let mut bench = Bench::new(Engine::Fast);
            let grids = DownGrids { u: Some(bench.grid(&u, n)), v: bench.grid(&v, n) };
            let [coarse, kept] = [n / 2, n].map(|n| bench.grid(&numbers(9, n), n));
            let down = Joined::Down(columns);
            bench.run(down, Task::Down(grids, Residual::Projected(coarse)));
            let projected = exact(GridKernel::Proj, n, &residual, &[]);
            bench.check(&coarse, &projected, true, &format!("projected, {columns}, {n}"));
            bench.run(down, Task::Down(grids, Residual::Stored(kept)));
            bench.check(&kept, &residual, false, &format!("kept, {columns}, {n}"));
            let given = DownGrids { u: None, v: grids.v };
            bench.run(Joined::Proj(columns), Task::Down(given, Residual::Projected(coarse)));
            let projected = exact(GridKernel::Proj, n, &wide(&v), &[]);
            bench.check(&coarse, &projected, true, &format!("given, {columns}, {n}"));
        }
    }

    #[test]
    fn three_operators_in_columns_are_those_of_the_definition_on_both_engines() {
        for ((columns, n), mode) in CUTS.into_iter().flat_map(|cut| {
            [InterpolationMode::Add, InterpolationMode::Replace].map(|mode| (cut, mode))
        }) {
            let [old, v, coarse] = [(1, n), (2, n), (3, n / 2)].map(|(seed, n)| numbers(seed, n));
            let by = if mode == InterpolationMode::Add {
                GridKernel::Interp
            } else {
                GridKernel::Interp0
            };
            let u = exact(by, n / 2, &wide(&coarse), &wide(&old));
            let residual = exact(GridKernel::Resid, n, &u, &wide(&v));
            let smooth = exact(GridKernel::Smooth, n, &residual, &u);
            let engines =
                if n == 32 { &[Engine::Fast, Engine::Reference][..] } else { &[Engine::Fast] };
            let mut cycles = Vec::new();
            for &engine in engines {
                let mut bench = Bench::new(engine);
                let grids = FusedGrids {
                    coarse: bench.grid(&coarse, n / 2),
                    u: bench.grid(&old, n),
                    v: bench.grid(&v, n),
                    result: bench.grid(&old, n),
                };
                cycles.push(bench.run(Joined::Fused(columns, mode), Task::Fused(grids)));
                let what = format!("{columns}, {n}, {mode:?}, {engine:?}");
                bench.check(&grids.result, &smooth, true, &what);
            }
            assert!(cycles.iter().all(|&of| of == cycles[0]), "{cycles:?}");
        }
    }
}
