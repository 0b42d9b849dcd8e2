//! V-cycles of MG on 2, 4 or 8 devices, each of which has a block of the fine levels: the grid is halved along the third axis,
//! then the second, then the first. Devices exchange the points at the ends of their blocks through memory of the host.
//! Coarse levels are gathered on the first device.

use super::block::{GridRegion, LevelPart};
use super::cycle::{WholeLevels, norm, smoother};
use super::faces::{
    FacePair, MOST_DEVICES, deal, ends, gather, owner, pack, pairs, shared, unpack,
};
use super::operators::{GridLevel, GridOperators};
use super::shape::GroupShapes;
use crate::kernels::BuiltKernels;
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent, PinnedMemory};
use cp2_procedures::multigrid::npb::{Class, charged_points};
use cp2_session::Environment;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

/// Way of exchanges between devices, and their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exchange {
    /// Through memory of the host, after each operator has ended on all devices.
    #[default]
    Synchronous,
    /// Through memory of the host, pair by pair of faces, while inner points are computed: those at the ends of a block are
    /// computed first.
    Overlapped,
    /// From device to device, pair by pair beside inner points.
    Direct,
    /// Never, which gives wrong results and the time of the operators alone.
    Left,
    /// Through memory of the host, without operators, which gives the time of the exchanges alone.
    Alone,
}

/// Part of a device: its blocks of the fine levels, finest last, and packed points, by turns for one exchange and the next.
struct BlockPart {
    operators: GridOperators,
    levels: Vec<GridLevel>,
    v: GpuBuffer<f64>,
    sent: [GpuBuffer<f64>; 2],
    received: [GpuBuffer<f64>; 2],
}

/// Launch of an operator on a region of a device's part.
type Launch<'a> = &'a dyn Fn(&BlockPart, GridRegion) -> Result<GpuEvent, GpuError>;

/// Events of the pairs of faces of a device.
type PairEvents = Vec<Rc<GpuEvent>>;

/// Array of a level.
#[derive(Clone, Copy, PartialEq)]
enum LevelArray {
    U,
    R,
}

impl BlockPart {
    /// Makes the part of device `place` with its right side of NPB.
    fn new(
        operators: GridOperators,
        parts: &[LevelPart],
        place: usize,
        (class, environment): (Class, &Environment),
    ) -> Result<Self, GpuError> {
        let (n, gpu) = (class.points(), operators.kernels.gpu.clone());
        let finest = parts[parts.len() - 1];
        let bytes = finest.points() as u64 * 8;
        gpu.require(&format!("a part of MG class {class}"), 3 * bytes + 2 * bytes / 7, bytes)?;
        let levels =
            parts.iter().map(|&part| GridLevel::new(&gpu, part)).collect::<Result<_, _>>()?;
        let v = gpu.buffer(finest.points())?;
        operators.fill(0.0, &v)?;
        for (at, charge) in charged_points(environment, n) {
            let (device, own) = owner(finest, [at % n, at / n % n, at / n / n]);
            if device == place {
                gpu.write(&v, finest.place(own), &[charge])?;
            }
        }
        let count = pairs(finest).last().map_or(0, |pair| pair.places.end);
        let packed = || Ok::<_, GpuError>([gpu.buffer(count)?, gpu.buffer(count)?]);
        let (sent, received) = (packed()?, packed()?);
        Ok(Self { operators, levels, v, sent, received })
    }

    fn gpu(&self) -> &Gpu {
        &self.operators.kernels.gpu
    }

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
    parts: Vec<BlockPart>,
    /// Levels that the first device has as a whole; the finest of them is the coarsest of the parts.
    gathered: WholeLevels,
    /// Blocks of that level, one behind the other, on the first device and on the host.
    blocks: GpuBuffer<f64>,
    level: PinnedMemory<f64>,
    /// Packed points of all devices on their way, by turns for one exchange and the next: what a neighbour has not loaded yet
    /// is not overwritten, since a device packs again only after it has unpacked what that neighbour sent afterwards.
    faces: [PinnedMemory<f64>; 2],
    /// Turn of the next exchange.
    turn: Cell<usize>,
    /// Points of a device from which on a level's ends are computed ahead of its inner points.
    ahead_from: usize,
}

impl MgParts {
    /// Makes the arrays of a class on devices that were opened together: 2, 4 or 8 of them. Levels with fewer than `least`
    /// points of a device along an axis that is cut are gathered. `kernels` are those of the first device.
    ///
    /// # Errors
    /// The number of devices is another one or too large for the class, or a device has no room for its part.
    pub fn new(
        kernels: &BuiltKernels,
        gpus: &[Gpu],
        (class, least): (Class, usize),
        shapes: &GroupShapes,
        environment: &Environment,
    ) -> Result<Self, GpuError> {
        let (n, devices) = (class.points(), gpus.len());
        let least = least.max(2);
        let refused = |error| Err(GpuError::Call { call: "sharing out MG", error });
        if ![2, 4, MOST_DEVICES].contains(&devices) {
            let several = "the grid is halved along up to three axes, among 2, 4 or 8 devices";
            return refused(format!("a number of {devices} devices; {several}"));
        }
        if n / 2 < 2 * least {
            let most = n / 4;
            return refused(format!(
                "parts of {least} points along an axis; class {class} has parts of at most {most} on its second level"
            ));
        }
        let sizes = (1..=n.trailing_zeros()).map(|k| 1 << k).filter(|n| n / 2 >= least);
        let levels: Vec<LevelPart> = sizes.map(|n| shared(n, devices)).collect();
        let part = |(place, gpu): (usize, &Gpu)| {
            let operators = GridOperators::new(kernels.on(gpu), shapes.clone())?;
            BlockPart::new(operators, &levels, place, (class, environment))
        };
        let parts = gpus.iter().enumerate().map(part).collect::<Result<Vec<_>, GpuError>>()?;
        let count = devices * parts[0].sent[0].count();
        let blocks = devices * levels[0].points();
        Ok(Self {
            class,
            parts,
            gathered: WholeLevels::new(
                kernels.on(&gpus[0]),
                2 * least.next_power_of_two(),
                class,
                shapes.clone(),
            )?,
            blocks: gpus[0].buffer(blocks)?,
            level: gpus[0].pinned(blocks)?,
            faces: [gpus[0].pinned(count)?, gpus[0].pinned(count)?],
            turn: Cell::new(0),
            ahead_from: 0,
        })
    }

    /// Computes ends ahead of inner points only on levels of so many points of a device: on small ones more launches cost more
    /// than what travels beside them.
    pub fn go_ahead_from(&mut self, points: usize) {
        self.ahead_from = points;
    }

    fn part(&self, k: usize) -> LevelPart {
        self.parts[0].levels[k].part
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.parts.iter().try_for_each(|part| part.gpu().finish())
    }

    /// Runs an operator on all devices, on all points of `of`, and exchanges the ends of the array of level `k` that it wrote.
    fn operate(
        &self,
        exchange: Exchange,
        (k, which): (usize, LevelArray),
        of: LevelPart,
        launch: Launch<'_>,
    ) -> Result<(), GpuError> {
        match exchange {
            Exchange::Left => {
                self.parts.iter().try_for_each(|part| launch(part, of.region()).map(drop))
            }
            Exchange::Synchronous => self.synchronous((k, which), of, launch),
            _ => self.overlapped(exchange, (k, which), of, launch),
        }
    }

    /// Runs an operator, then packs, then lets everything travel, each step behind the end of the one before on all devices.
    fn synchronous(
        &self,
        array: (usize, LevelArray),
        of: LevelPart,
        launch: Launch<'_>,
    ) -> Result<(), GpuError> {
        let pairs = pairs(self.part(array.0));
        self.parts.iter().try_for_each(|part| launch(part, of.region()).map(drop))?;
        self.finish()?;
        let mut sent = Vec::new();
        for (d, part) in self.parts.iter().enumerate() {
            let of_device =
                pairs.iter().map(|pair| self.send(Exchange::Synchronous, (d, part), array, pair));
            sent.push(of_device.collect::<Result<PairEvents, _>>()?);
            part.gpu().flush()?;
        }
        self.finish()?;
        self.receive(Exchange::Synchronous, array, &pairs, &sent)?;
        self.finish()
    }

    /// Runs an operator at the ends of all blocks and lets them travel, pair by pair, beside the inner points.
    fn overlapped(
        &self,
        exchange: Exchange,
        array: (usize, LevelArray),
        of: LevelPart,
        launch: Launch<'_>,
    ) -> Result<(), GpuError> {
        let pairs = pairs(self.part(array.0));
        let goes_ahead = of.region().sizes().iter().product::<usize>() >= self.ahead_from;
        let regions = if exchange == Exchange::Alone || !goes_ahead { None } else { ends(of) };
        let mut sent = Vec::new();
        for (d, part) in self.parts.iter().enumerate() {
            if regions.is_none() && exchange != Exchange::Alone {
                launch(part, of.region())?;
            }
            let mut events = Vec::new();
            for (place, pair) in pairs.iter().enumerate() {
                for &end in regions.iter().flat_map(|(ends, _)| &ends[place]) {
                    launch(part, end)?;
                }
                events.push(self.send(exchange, (d, part), array, pair)?);
            }
            if let Some((_, inner)) = &regions {
                launch(part, *inner)?;
            }
            part.gpu().flush()?;
            sent.push(events);
        }
        self.receive(exchange, array, &pairs, &sent)
    }

    /// Packs a pair of faces of a device, and unloads it if it goes through the host.
    fn send(
        &self,
        exchange: Exchange,
        (d, part): (usize, &BlockPart),
        (k, which): (usize, LevelArray),
        pair: &FacePair,
    ) -> Result<Rc<GpuEvent>, GpuError> {
        let packed = &part.sent[self.turn.get()];
        let arrays = [part.array(k, which), packed];
        let event = pack(&part.operators, self.part(k), pair, arrays)?;
        if exchange == Exchange::Direct {
            return Ok(Rc::new(event));
        }
        let FacePair { places, .. } = pair;
        let at = d * packed.count();
        let on_host = at + places.start..at + places.end;
        part.gpu().unload(packed, places.start, self.faces(), on_host, &[&event]).map(Rc::new)
    }

    /// Loads what the neighbours of each device sent, pair by pair, and puts it beside the device's own points.
    fn receive(
        &self,
        exchange: Exchange,
        (k, which): (usize, LevelArray),
        pairs: &[FacePair],
        sent: &[PairEvents],
    ) -> Result<(), GpuError> {
        let turn = self.turn.get();
        for (d, part) in self.parts.iter().enumerate() {
            let received = &part.received[turn];
            for (place, pair) in pairs.iter().enumerate() {
                for (set, places) in &pair.sets {
                    let neighbour = d ^ set;
                    let after = &sent[neighbour][place];
                    let event = if exchange == Exchange::Direct {
                        let from = &self.parts[neighbour];
                        let there = (received, places.start);
                        from.gpu().hand_over((&from.sent[turn], places.clone()), there, &[after])?
                    } else {
                        let at = neighbour * received.count();
                        let on_host = at + places.start..at + places.end;
                        part.gpu().load(received, places.start, self.faces(), on_host, &[after])?
                    };
                    part.operators.wait_for([Rc::new(event)]);
                }
                if exchange == Exchange::Direct {
                    self.parts.iter().try_for_each(|part| part.gpu().flush())?;
                }
                unpack(&part.operators, self.part(k), pair, [part.array(k, which), received])?;
            }
            part.gpu().flush()?;
        }
        self.turn.set(1 - turn);
        Ok(())
    }

    fn faces(&self) -> &PinnedMemory<f64> {
        &self.faces[self.turn.get()]
    }

    /// Computes the residual of a level of the parts.
    fn resid(&self, exchange: Exchange, k: usize) -> Result<(), GpuError> {
        let is_finest = k + 1 == self.parts[0].levels.len();
        self.operate(exchange, (k, LevelArray::R), self.part(k), &|part, region| {
            let level = &part.levels[k];
            let v = if is_finest { &part.v } else { &level.r };
            part.operators.resid(level.part, region, [&level.u, v, &level.r])
        })
    }

    fn cycle(&self, exchange: Exchange) -> Result<(), GpuError> {
        let count = self.parts[0].levels.len();
        for k in (1..count).rev() {
            self.operate(exchange, (k - 1, LevelArray::R), self.part(k - 1), &|part, region| {
                let [coarse, fine] = [&part.levels[k - 1], &part.levels[k]];
                part.operators.proj(fine.part, region, [&fine.r, &coarse.r])
            })?;
        }
        self.solve_gathered(exchange)?;
        let smoother = smoother(self.class);
        for k in 1..count {
            let is_finest = k + 1 == count;
            self.operate(exchange, (k, LevelArray::U), self.part(k - 1), &|part, region| {
                let [coarse, fine] = [&part.levels[k - 1], &part.levels[k]];
                part.operators.interp(fine.part, region, [&coarse.u, &fine.u], !is_finest)
            })?;
            self.resid(exchange, k)?;
            self.operate(exchange, (k, LevelArray::U), self.part(k), &|part, region| {
                let level = &part.levels[k];
                part.operators.smooth(level.part, region, smoother, [&level.r, &level.u], false)
            })?;
        }
        Ok(())
    }

    /// Finds the correction of the coarsest level of the parts on the first device, and deals it out with the points beside
    /// each block.
    fn solve_gathered(&self, exchange: Exchange) -> Result<(), GpuError> {
        let Some(whole) = self.gathered.levels.last() else { return Ok(()) };
        if exchange == Exchange::Left {
            return self.gathered.solve();
        }
        let (operators, part) = (&self.gathered.operators, self.part(0));
        let (gpu, count) = (&operators.kernels.gpu, part.points());
        self.finish()?;
        for (d, own) in self.parts.iter().enumerate() {
            let places = d * count..(d + 1) * count;
            own.gpu().unload(&own.levels[0].r, 0, &self.level, places, &[])?;
            own.gpu().flush()?;
        }
        self.finish()?;
        let all = self.parts.len() * count;
        let loaded = gpu.load(&self.blocks, 0, &self.level, 0..all, &[])?;
        operators.wait_for([Rc::new(loaded)]);
        gather(operators, part, whole.part.points(), [&self.blocks, &whole.r])?;
        if exchange != Exchange::Alone {
            self.gathered.solve()?;
        }
        let dealt = deal(operators, part, self.parts.len(), [&whole.u, &self.blocks])?;
        gpu.unload(&self.blocks, 0, &self.level, 0..all, &[&dealt])?;
        self.finish()?;
        for (d, own) in self.parts.iter().enumerate() {
            let places = d * count..(d + 1) * count;
            own.gpu().load(&own.levels[0].u, 0, &self.level, places, &[])?;
            own.gpu().flush()?;
        }
        self.finish()
    }

    /// Runs the class from u = 0 and returns the norm of the last residual and the seconds that it took, without making the
    /// arrays, which are on the devices.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run(&self, exchange: Exchange) -> Result<(f64, f64), GpuError> {
        self.run_cycles(exchange, self.class.iterations())
    }

    /// Runs `count` V-cycles as [`Self::run`] runs those of the class.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run_cycles(&self, exchange: Exchange, count: usize) -> Result<(f64, f64), GpuError> {
        let top = self.parts[0].levels.len() - 1;
        for part in &self.parts {
            part.operators.fill(0.0, &part.levels[top].u)?;
        }
        self.finish()?;
        let begin = Instant::now();
        self.resid(exchange, top)?;
        for _ in 0..count {
            self.cycle(exchange)?;
            self.resid(exchange, top)?;
        }
        self.finish()?;
        let mut squares = 0.0;
        for part in &self.parts {
            squares += part.operators.squares(self.part(top), &part.levels[top].r)?;
        }
        Ok((norm(squares, self.class), begin.elapsed().as_secs_f64()))
    }

    /// Returns the seconds that one exchange of the faces of the finest level takes with no operator beside it, and the bytes
    /// that all devices send and receive in it.
    ///
    /// # Errors
    /// A device is lost.
    pub fn exchange_seconds(&self) -> Result<(f64, f64), GpuError> {
        let top = self.parts[0].levels.len() - 1;
        let mut found = Vec::new();
        for _ in 0..11 {
            self.finish()?;
            let begin = Instant::now();
            self.overlapped(Exchange::Alone, (top, LevelArray::R), self.part(top), &|part, _| {
                part.operators.fill(0.0, &part.v)
            })?;
            self.finish()?;
            found.push(begin.elapsed().as_secs_f64());
        }
        let bytes = 16 * self.parts.len() * self.parts[0].sent[0].count();
        Ok((crate::timing::median(&mut found[1..]), bytes as f64))
    }
}
