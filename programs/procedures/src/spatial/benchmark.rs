//! NPB FT on a machine: the spectrum of a field, and in every iteration the spectrum times its factors transformed
//! back. The products are computed in the first pass of the inverse transform.

use super::evolve;
use super::npb::{Class, ITERATIONS, factors, field, single, summed};
use super::plan::{DataPass, Order, PassKind, Sizes, passes};
use super::transform::{Work, install, least_cycles};
use crate::host::device_driven::{self, Transfers};
use crate::host::pages::bank;
use crate::host::walks::run_of;
use crate::host::{Host, operations, pages};
use cp2_emu::MachineConfig;
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_recording::StepLevel;
use cp2_reference::spatial::{scaled, transform};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use num_complex::{Complex32, Complex64};

/// Results and cost of a run of the benchmark NPB FT by [`run`] on CP2 with its DMA channel and system memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Class of NPB FT that was run.
    pub class: Class,
    /// Checksum of the field of each iteration, in order: the sum of 1024 of its elements.
    pub checksums: [Complex64; ITERATIONS],
    /// Field of the last iteration: its elements, x fastest.
    pub output: Vec<Complex32>,
    /// Cost of the run: its cycles, transfers, operations and activities; the number of vectors in it is the number of
    /// iterations.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// The passes of the forward transform, and of the inverse one from the spectrum.
struct Passes {
    forward: [DataPass; 2],
    inverse: [DataPass; 2],
    /// The axis of the columns.
    axis: usize,
    /// Order in memory of the fields that the inverse transforms make.
    order: Order,
}

impl Passes {
    fn of(sizes: &Sizes) -> Option<Self> {
        let forward: [DataPass; 2] = passes(sizes).try_into().ok()?;
        let [planes, columns] = forward;
        let PassKind::Columns(axis) = columns.kind else { return None };
        // Between the passes of the inverse transform data lie in the natural order, where short rows lie in few rows of the
        // memory.
        let order = planes.to;
        let inverse = [columns.reordered(Order::Natural, Order::Natural), planes];
        Some(Self { forward, inverse, axis, order })
    }

    /// Returns the place of an element in the order of the fields.
    fn place(&self, sizes: &Sizes, [i, j, k]: [usize; 3]) -> usize {
        let [x, y, z] = sizes.0;
        match self.order {
            Order::Natural => i + x * (j + y * k),
            Order::Swapped => i + x * (k + z * j),
        }
    }
}

/// Factors in memory: those of rows and of columns, iteration by iteration.
struct Tables {
    at: MemoryAddress,
    rows: usize,
    columns: usize,
}

impl Tables {
    /// Creates the factors and writes them to memory; the last ones include the division by the number of points. The host
    /// makes them before the work begins, which takes no time here.
    fn new(host: &mut Host, sizes: &Sizes, axis: usize) -> Result<Self, KernelError> {
        let rows = sizes.0[axis];
        let columns = sizes.points() / rows;
        let mut words = Vec::with_capacity(ITERATIONS * (rows + columns));
        let scale = 1.0 / sizes.points() as f64;
        let both = |factor: f64| Complex32::new(factor as f32, factor as f32);
        for t in 1..=ITERATIONS {
            let factors = factors(sizes, t);
            words.extend(factors[axis].iter().map(|&f| both(f)));
            // The axis that is neither that of the columns nor x.
            let beside = &factors[3 - axis];
            words.extend(
                beside.iter().flat_map(|&b| factors[0].iter().map(move |a| both(a * b * scale))),
            );
        }
        let at = host.allocate(Bytes::of_words(words.len()))?;
        host.write(at, &words)?;
        Ok(Self { at, rows, columns })
    }

    /// Returns the transfers that load the factors of page k in iteration `t`, both counted from 0.
    fn load(&self, core: &Core, t: usize, k: usize) -> Result<Vec<Descriptor>, KernelError> {
        let page = WordAddress::from_index(bank(core, k));
        let [of_rows, of_columns] = evolve::tables(page);
        let first = self.at.plus_words(t * (self.rows + self.columns));
        let beside = SECTIONS * evolve::WORDS / self.rows;
        let part = first.plus_words(self.rows + k * beside);
        let rows = LocalWalk::linear(of_rows, self.rows as u16 / 2);
        let columns = LocalWalk::interleaved(of_columns, (beside / SECTIONS / 2) as u16);
        Ok(vec![
            Descriptor::get(run_of(first, self.rows)?, rows, [Pattern::ALL; SECTIONS]),
            Descriptor::get(run_of(part, beside)?, columns, Pattern::dealt(1)),
        ])
    }
}

/// The machine while it runs the benchmark.
struct Solver<'a> {
    host: Host,
    sizes: Sizes,
    /// Words of a section that went through pages.
    done: usize,
    /// Words of a section that go through pages in the whole run.
    all: usize,
    progress: &'a mut dyn FnMut(usize, usize),
}

impl Solver<'_> {
    /// Runs a pass over the array.
    fn run(
        &mut self,
        stage: &str,
        entry: BundleAddress,
        pages: &[Transfers],
    ) -> Result<(), KernelError> {
        self.host.begin_step(StepLevel::Stage, || stage.to_owned());
        let (done, all, progress) = (self.done, self.all, &mut self.progress);
        let of_pass = self.sizes.points() / SECTIONS;
        let words = of_pass / pages.len().max(1);
        let show = &mut |now| progress(done + now * words, all);
        device_driven::run(&mut self.host, entry, pages, show)?;
        self.host.end_step(StepLevel::Stage);
        self.done += of_pass;
        Ok(())
    }

    fn checksum(&self, passes: &Passes, field: MemoryAddress) -> Result<Complex64, KernelError> {
        let mut sum = Complex64::default();
        for place in summed(&self.sizes) {
            let at = field.plus_words(passes.place(&self.sizes, place));
            for x in self.host.read(at, 1)? {
                sum += Complex64::new(x.re.into(), x.im.into());
            }
        }
        Ok(sum)
    }
}

/// Runs a class of the benchmark NPB FT on a simulated machine (CP2, its DMA channel and system memory) with the
/// configuration `config`. `progress` is called with the number of words of one section's local memory that went
/// through pages so far, and that go through pages in the whole run, where a page is the data that lie in one part of
/// local memory at once.
///
/// # Errors
/// The memory of the machine does not hold the arrays, its core cannot run the kernels, or a kernel or a transfer does
/// not end.
pub fn run(
    config: MachineConfig,
    class: Class,
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    let core = *config.core();
    pages::check(&core)?;
    let sizes = class.sizes();
    let none = KernelError::Internal("a class of ft does not go in two passes");
    let passes = Passes::of(&sizes).ok_or(none)?;
    let mut host = Host::new(config, execution);
    let bytes = Bytes::of_words(sizes.points());
    let [spectrum, middle] = [host.allocate(bytes)?, host.allocate(bytes)?];
    let is_swapped = passes.order == Order::Swapped;
    let fields = if is_swapped { host.allocate(bytes)? } else { middle };
    host.write(spectrum, &field(&sizes).iter().map(single).collect::<Vec<_>>())?;
    let tables = Tables::new(&mut host, &sizes, passes.axis)?;
    let [planes, columns] = passes.forward.map(|pass| Work::plain(pass, &sizes));
    let words = passes.inverse[0].words(&sizes, evolve::WORDS);
    let evolved = Work { pass: passes.inverse[0], words, evolves: true };
    let entries = install(&mut host, &sizes, &[planes, columns, evolved])?;
    let pages_of = |pass: DataPass, words, places| pass.pages(&core, &sizes, words, places);
    // The forward transform goes through the place of the fields, if these are in another order.
    let between = if is_swapped { fields } else { spectrum };
    let forward = [
        pages_of(planes.pass, planes.words, [spectrum, between])?,
        pages_of(columns.pass, columns.words, [between, spectrum])?,
    ];
    let back = pages_of(passes.inverse[1], planes.words, [middle, fields])?;
    let n_evolved = evolved.pass.n_pages(&sizes, words);
    let all = forward[0].len() + forward[1].len() + ITERATIONS * (n_evolved + back.len());
    let passes_of_all = forward.len() + 2 * ITERATIONS;
    let words_of_all = passes_of_all * sizes.points() / SECTIONS;
    let mut solver = Solver { host, sizes, done: 0, all: words_of_all, progress };
    solver.host.begin_step(StepLevel::Iteration, || "transform".to_owned());
    solver.run("first pass", entries[0], &forward[0])?;
    solver.run("second pass", entries[1], &forward[1])?;
    solver.host.change_direction(true)?;
    let mut checksums = [Complex64::default(); ITERATIONS];
    for (t, checksum) in checksums.iter_mut().enumerate() {
        let mut pages = pages_of(evolved.pass, words, [spectrum, middle])?;
        for (k, page) in pages.iter_mut().enumerate() {
            page.load.extend(tables.load(&core, t, k)?);
        }
        solver.host.begin_step(StepLevel::Iteration, || format!("iteration {}", t + 1));
        solver.run("factors and first pass back", entries[2], &pages)?;
        solver.run("second pass back", entries[0], &back)?;
        *checksum = solver.checksum(&passes, fields)?;
    }
    let mut host = solver.host;
    host.end_step(StepLevel::Iteration);
    let lying = host.read(fields, sizes.points())?;
    let [x, y, z] = sizes.0;
    let places = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
    let output = places.map(|place| lying[passes.place(&sizes, place)]).collect();
    let operations = operations(sizes.points()) * (1 + ITERATIONS as u64);
    // The kernels do butterflies, and two products for each element of an iteration.
    let products = (2 * ITERATIONS * sizes.points() / SECTIONS) as f64;
    let least = least_cycles(&sizes) * (1 + ITERATIONS) as f64 + products;
    let cost = host.cost(operations, (ITERATIONS, all), least);
    Ok(Report { class, checksums, output, cost })
}

/// Returns the exact checksum of each iteration of a class of NPB FT, computed in double precision on plain arrays,
/// without CP2.
pub fn reference(class: Class) -> [Complex64; ITERATIONS] {
    let sizes = class.sizes();
    let [x, y, _] = sizes.0;
    let mut spectrum = field(&sizes);
    transform(sizes.0, &mut spectrum, false);
    std::array::from_fn(|t| {
        let mut field = scaled(&spectrum, factors(&sizes, t + 1));
        transform(sizes.0, &mut field, true);
        let sum: Complex64 = summed(&sizes).map(|[i, j, k]| field[i + x * (j + y * k)]).sum();
        sum / sizes.points() as f64
    })
}
