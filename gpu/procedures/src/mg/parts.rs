//! V-cycles of MG on several devices, each of which has some layers of the fine levels. Devices exchange the layers at the
//! ends of their parts through memory of the host. Coarse levels are gathered on the first device.

use super::cycle::{WholeLevels, norm, smoother};
use super::operators::{GridLevel, GridOperators, LevelPart};
use super::shape::GroupShapes;
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent, PinnedMemory};
use cp2_procedures::multigrid::npb::{Class, charged_points};
use cp2_session::Environment;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

/// Time at which devices exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exchange {
    /// After each operator has ended on all devices.
    #[default]
    Synchronous,
    /// While inner layers are computed: those at the ends of a part are computed first.
    Overlapped,
    /// Never, which gives wrong results and the time of the kernels alone.
    Left,
}

/// Part of a device: its layers of the fine levels, finest last.
struct Slab {
    operators: GridOperators,
    levels: Vec<GridLevel>,
    v: GpuBuffer<f64>,
}

/// Launch of an operator on some layers of a device's part.
type Launch<'a> = &'a dyn Fn(&Slab, Range<usize>) -> Result<GpuEvent, GpuError>;

/// Array of a level.
#[derive(Clone, Copy, PartialEq)]
enum LevelArray {
    U,
    R,
}

impl Slab {
    fn array(&self, k: usize, which: LevelArray) -> &GpuBuffer<f64> {
        match which {
            LevelArray::U => &self.levels[k].u,
            LevelArray::R => &self.levels[k].r,
        }
    }
}

/// Run of MG of a class on several devices.
pub struct MgParts {
    class: Class,
    exchange: Exchange,
    slabs: Vec<Slab>,
    /// Levels that the first device has as a whole; the finest of them is the coarsest of the parts.
    gathered: WholeLevels,
    /// Layers on their way: two of each device, in turn for one exchange and the next, so that what a neighbour has not
    /// loaded yet is not overwritten.
    faces: [PinnedMemory<f64>; 2],
    /// Place of the one that the next exchange uses.
    turn: Cell<usize>,
    /// The gathered level on its way.
    level: PinnedMemory<f64>,
}

impl MgParts {
    /// Makes the arrays of a class on devices that were opened together, a power of two of them from 2 on. Levels with fewer than
    /// `least` layers for each device are gathered.
    ///
    /// # Errors
    /// The number of devices is no power of two or too large for the class, or a device has no room for its part.
    pub fn new(
        gpus: &[Gpu],
        (class, exchange, least): (Class, Exchange, usize),
        shapes: &GroupShapes,
        environment: &Environment,
    ) -> Result<Self, GpuError> {
        let (n, devices) = (class.points(), gpus.len());
        let least = least.max(2);
        if !devices.is_power_of_two() || devices < 2 || n / devices < 2 * least {
            return Err(GpuError::Call {
                call: "sharing out MG",
                error: format!(
                    "{devices} devices; MG class {class} is shared out among 2, 4 .. {} devices",
                    n / (2 * least)
                ),
            });
        }
        let sizes: Vec<usize> =
            (1..=n.trailing_zeros()).map(|k| 1 << k).filter(|n| n / devices >= least).collect();
        let slab = |(place, gpu): (usize, &Gpu)| {
            let points = (n * n * (n / devices + 2)) as u64;
            let what = format!("a part of MG class {class}");
            gpu.require(&what, points * 24 + points * 16 / 7, points * 8)?;
            let operators = GridOperators::new(gpu.clone(), shapes.clone())?;
            let level = |&n| GridLevel::new(gpu, LevelPart { n, layers: n / devices });
            let levels = sizes.iter().map(level).collect::<Result<Vec<_>, _>>()?;
            let v = gpu.buffer((n / devices + 2) * n * n)?;
            operators.fill(0.0, &v)?;
            let first = place * n / devices * n * n;
            for (at, charge) in charged_points(environment, n) {
                if (first..first + n / devices * n * n).contains(&at) {
                    gpu.write(&v, at - first + n * n, &[charge])?;
                }
            }
            Ok(Slab { operators, levels, v })
        };
        let slabs = gpus.iter().enumerate().map(slab).collect::<Result<Vec<_>, GpuError>>()?;
        Ok(Self {
            class,
            exchange,
            slabs,
            gathered: WholeLevels::new(&gpus[0], sizes[0], class, shapes.clone())?,
            faces: [gpus[0].pinned(2 * devices * n * n)?, gpus[0].pinned(2 * devices * n * n)?],
            turn: Cell::new(0),
            level: gpus[0].pinned(sizes[0].pow(3))?,
        })
    }

    /// Runs an operator on all devices, `layers` of them on each, and exchanges the ends of the array of level `k` that it
    /// wrote.
    fn operate(
        &self,
        (k, which): (usize, LevelArray),
        layers: usize,
        launch: Launch<'_>,
    ) -> Result<(), GpuError> {
        if self.exchange != Exchange::Overlapped || layers < 3 {
            for slab in &self.slabs {
                launch(slab, 0..layers)?;
            }
            if self.exchange == Exchange::Left {
                return Ok(());
            }
            self.finish()?;
            let sent =
                self.slabs.iter().enumerate().map(|(d, slab)| self.send(d, slab, (k, which), &[]));
            let sent = sent.collect::<Result<Vec<_>, _>>()?;
            self.finish()?;
            self.receive((k, which), &sent)?;
            return self.finish();
        }
        let mut sent = Vec::new();
        for (d, slab) in self.slabs.iter().enumerate() {
            let ends = [launch(slab, 0..1)?, launch(slab, layers - 1..layers)?];
            sent.push(self.send(d, slab, (k, which), &[&ends[0], &ends[1]])?);
            launch(slab, 1..layers - 1)?;
            slab.operators.kernels.gpu.flush()?;
        }
        self.receive((k, which), &sent)
    }

    /// Unloads the layers at both ends of a device's part.
    fn send(
        &self,
        d: usize,
        slab: &Slab,
        (k, which): (usize, LevelArray),
        after: &[&GpuEvent],
    ) -> Result<[Rc<GpuEvent>; 2], GpuError> {
        let LevelPart { n, layers } = slab.levels[k].part;
        let (face, gpu, array) = (n * n, &slab.operators.kernels.gpu, slab.array(k, which));
        let unload = |layer: usize, place: usize| {
            let event = gpu.unload(
                array,
                layer * face,
                self.faces(),
                place * face..(place + 1) * face,
                after,
            )?;
            Ok(Rc::new(event))
        };
        Ok([unload(1, 2 * d)?, unload(layers, 2 * d + 1)?])
    }

    /// Loads the layers of the neighbours of each device once they were sent; the next kernel of a device waits for them.
    fn receive(
        &self,
        (k, which): (usize, LevelArray),
        sent: &[[Rc<GpuEvent>; 2]],
    ) -> Result<(), GpuError> {
        let devices = self.slabs.len();
        for (d, slab) in self.slabs.iter().enumerate() {
            let LevelPart { n, layers } = slab.levels[k].part;
            let (face, gpu, array) = (n * n, &slab.operators.kernels.gpu, slab.array(k, which));
            let (before, behind) = ((d + devices - 1) % devices, (d + 1) % devices);
            for (layer, from, end) in [(0, before, 1), (layers + 1, behind, 0)] {
                let place = 2 * from + end;
                let range = place * face..(place + 1) * face;
                let event =
                    gpu.load(array, layer * face, self.faces(), range, &[&sent[from][end]])?;
                slab.operators.wait_for([Rc::new(event)]);
            }
            gpu.flush()?;
        }
        self.turn.set(1 - self.turn.get());
        Ok(())
    }

    fn faces(&self) -> &PinnedMemory<f64> {
        &self.faces[self.turn.get()]
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.slabs.iter().try_for_each(|slab| slab.operators.kernels.gpu.finish())
    }

    /// Computes the residual of a level of the parts.
    fn resid(&self, k: usize) -> Result<(), GpuError> {
        let is_finest = k + 1 == self.slabs[0].levels.len();
        self.operate((k, LevelArray::R), self.slabs[0].levels[k].part.layers, &|slab, layers| {
            let level = &slab.levels[k];
            let v = if is_finest { &slab.v } else { &level.r };
            slab.operators.resid(level.part, layers, [&level.u, v, &level.r])
        })
    }

    fn cycle(&self) -> Result<(), GpuError> {
        let levels = &self.slabs[0].levels;
        for k in (1..levels.len()).rev() {
            self.operate((k - 1, LevelArray::R), levels[k - 1].part.layers, &|slab, layers| {
                let [coarse, fine] = [&slab.levels[k - 1], &slab.levels[k]];
                slab.operators.proj([fine.part, coarse.part], layers, [&fine.r, &coarse.r])
            })?;
        }
        self.solve_gathered()?;
        let smoother = smoother(self.class);
        for k in 1..levels.len() {
            let is_finest = k + 1 == levels.len();
            self.operate((k, LevelArray::U), levels[k - 1].part.layers, &|slab, layers| {
                let [coarse, fine] = [&slab.levels[k - 1], &slab.levels[k]];
                let parts = [fine.part, coarse.part];
                slab.operators.interp(parts, layers, [&coarse.u, &fine.u], !is_finest)
            })?;
            self.resid(k)?;
            self.operate((k, LevelArray::U), levels[k].part.layers, &|slab, layers| {
                let level = &slab.levels[k];
                slab.operators.smooth(level.part, layers, smoother, [&level.r, &level.u], false)
            })?;
        }
        Ok(())
    }

    /// Finds the correction of the coarsest level of the parts on the first device, and deals it out.
    fn solve_gathered(&self) -> Result<(), GpuError> {
        let Some(whole) = self.gathered.levels.last() else { return Ok(()) };
        let gpu = &self.gathered.operators.kernels.gpu;
        let face = whole.part.n * whole.part.n;
        let count = self.slabs[0].levels[0].part.layers * face;
        self.finish()?;
        for (d, slab) in self.slabs.iter().enumerate() {
            let range = d * count..(d + 1) * count;
            slab.operators.kernels.gpu.unload(&slab.levels[0].r, face, &self.level, range, &[])?;
        }
        self.finish()?;
        gpu.load(&whole.r, 0, &self.level, 0..face * whole.part.n, &[])?;
        self.finish()?;
        self.gathered.solve()?;
        self.finish()?;
        gpu.unload(&whole.u, 0, &self.level, 0..face * whole.part.n, &[])?;
        self.finish()?;
        for (d, slab) in self.slabs.iter().enumerate() {
            let (gpu, u, n) = (&slab.operators.kernels.gpu, &slab.levels[0].u, whole.part.n);
            gpu.load(u, face, &self.level, d * count..(d + 1) * count, &[])?;
            let before = (d * count / face + n - 1) % n * face;
            gpu.load(u, 0, &self.level, before..before + face, &[])?;
            let behind = (d + 1) * count / face % n * face;
            gpu.load(u, count + face, &self.level, behind..behind + face, &[])?;
        }
        self.finish()
    }

    /// Runs the class from u = 0 and returns the norm of the last residual and the seconds that it took, without making the
    /// arrays, which are on the devices.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run(&self) -> Result<(f64, f64), GpuError> {
        let top = self.slabs[0].levels.len() - 1;
        for slab in &self.slabs {
            slab.operators.fill(0.0, &slab.levels[top].u)?;
        }
        self.finish()?;
        let begin = Instant::now();
        self.resid(top)?;
        for _ in 0..self.class.iterations() {
            self.cycle()?;
            self.resid(top)?;
        }
        let mut squares = 0.0;
        for slab in &self.slabs {
            squares += slab.operators.squares(slab.levels[top].part, &slab.levels[top].r)?;
        }
        Ok((norm(squares, self.class), begin.elapsed().as_secs_f64()))
    }

    /// Returns the seconds that one exchange of the faces of the finest level takes with no kernel beside it.
    ///
    /// # Errors
    /// A device is lost.
    pub fn exchange_seconds(&self) -> Result<f64, GpuError> {
        let top = self.slabs[0].levels.len() - 1;
        let mut found = Vec::new();
        for _ in 0..11 {
            self.finish()?;
            let begin = Instant::now();
            let array = (top, LevelArray::R);
            let sent =
                self.slabs.iter().enumerate().map(|(d, slab)| self.send(d, slab, array, &[]));
            let sent = sent.collect::<Result<Vec<_>, _>>()?;
            self.receive(array, &sent)?;
            self.finish()?;
            found.push(begin.elapsed().as_secs_f64());
        }
        Ok(crate::timing::median(&mut found))
    }
}
