//! Shortest paths on a whole machine, and paths that are kept while arcs are inserted. The table of weights lies in system memory, a
//! band of columns for each vertex. If local memory does not hold it, a pass streams the band of its vertex by two pages of columns: the
//! second comes while CP2 adds the first. Which vertex is next is known to CP2 only at the end of a pass; the host reads its number and
//! chooses the band.

use super::{collected, dealt};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_emu::dma::Descriptor;
use cp2_emu::machine::Key;
use cp2_isa::{BundleAddress, Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::star::{PathOrder, PathsKernels};
use cp2_session::cost::passes::DataPass;
use cp2_session::cost::{Cost, channel_rates};

use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;
use std::ops::Range;

/// Words of the result of a pass in a section.
const RESULT_WORDS: usize = 2;

/// An arc of a graph, or one that is inserted. Vertices count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedArc {
    /// Vertex that the arc leaves.
    pub tail: usize,
    /// Vertex that the arc enters.
    pub head: usize,
    /// Weight, less than the number of all ones.
    pub weight: u64,
}

/// A problem: the paths from a source in a graph, and then in the graph with more arcs, one after the other.
#[derive(Clone, Debug)]
pub struct PathsProblem {
    /// Number of vertices.
    pub vertices: usize,
    /// Bits of a weight, of which all ones stand for no arc and no path. No sum of a distance and a weight may reach that number.
    pub bits: usize,
    /// Arcs of the graph.
    pub arcs: Vec<WeightedArc>,
    /// Vertex where paths begin.
    pub source: usize,
    /// Arcs that are inserted. Of arcs between the same vertices the least weight stays.
    pub insertions: Vec<WeightedArc>,
    /// Vertex that is taken next while an arc is inserted; before that the nearest is.
    pub order: PathOrder,
}

impl PathsProblem {
    /// Returns the number that stands for no arc and no path.
    pub fn infinity(&self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    /// Checks vertices and weights, of which the kernels take any.
    fn check(&self) -> Result<(), KernelError> {
        let most = self.infinity() - 1;
        let refuse = |what, value: u64, limit| {
            Err(KernelError::Parameter { what, value: value as usize, limit })
        };
        for arc in self.arcs.iter().chain(&self.insertions) {
            if let Some(&vertex) =
                [arc.tail, arc.head].iter().find(|v| !(1..=self.vertices).contains(*v))
            {
                let limit = format!("1 to {}, the vertices of the graph", self.vertices);
                return refuse("vertex of an arc", vertex as u64, limit);
            }
            if arc.weight > most {
                let limit = format!("at most {most} with {} bits", self.bits);
                return refuse("weight of an arc", arc.weight, limit);
            }
        }
        if !(1..=self.vertices).contains(&self.source) {
            let limit = format!("1 to {}, the vertices of the graph", self.vertices);
            return refuse("source of the paths", self.source as u64, limit);
        }
        Ok(())
    }
}

/// Paths, and the cost of finding them.
#[derive(Clone, Debug, PartialEq)]
pub struct PathsReport {
    /// Distance of each vertex; all ones if there is no path.
    pub distances: Vec<u64>,
    /// Number of the parent of each vertex, from 1; 0 for the source and where there is no path.
    pub parents: Vec<usize>,
    /// Vertices taken in the graph as it was.
    pub passes: usize,
    /// Vertices taken while arcs were inserted.
    pub insertion_passes: usize,
    /// Cycles of the machine for each insertion, in their order. A run that goes on from a checkpoint knows none of those before it: they
    /// are 0.
    pub insertion_cycles: Vec<u64>,
    /// Whether the table of weights stayed in local memory.
    pub is_resident: bool,
    /// Cost of the run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for PathsReport {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Addresses of arrays in system memory.
#[derive(Clone, Copy, Debug)]
struct Arrays {
    weights: MemoryAddress,
    distances: MemoryAddress,
    parents: MemoryAddress,
    open: MemoryAddress,
    result: MemoryAddress,
}

/// The machine while it solves a problem.
struct Solver<'p> {
    problem: &'p PathsProblem,
    plan: PathsKernels,
    entries: Vec<BundleAddress>,
    host: Host,
    at: Arrays,
    /// Fewest cycles of the kernels so far.
    least_cycles: f64,
    /// Pages that went through local memory.
    pages: usize,
}

/// Finds shortest paths on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`, then inserts
/// arcs. `listener` is told the passes done so far and the vertices.
///
/// # Errors
/// A vertex is not of the graph, a weight is too large, the bits are more than 32, local memory does not hold what stays there, system
/// memory does not hold the weights, or a kernel or a transfer does not end.
pub fn find_paths(
    config: MachineConfig,
    problem: &PathsProblem,
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<PathsReport, KernelError> {
    problem.check()?;
    let plan = |order| plan(&config, problem, order);
    let [nearest, first_plan] = [plan(PathOrder::Nearest)?, plan(PathOrder::First)?];
    let mut solver = Solver::new(Host::new(config, execution), problem, nearest)?;
    let first = solver.begin()?;
    let passes = solver.follow(first, listener)?;
    let (mut insertion_passes, mut insertion_cycles) = (0, Vec::new());
    if problem.order == PathOrder::First && !problem.insertions.is_empty() {
        solver.install(first_plan)?;
    }
    for arc in &problem.insertions {
        let before = solver.host.machine().cycle();
        if let Some(next) = solver.insert(*arc)? {
            insertion_passes += solver.follow(next, listener)?;
        }
        insertion_cycles.push(solver.host.machine().cycle() - before);
    }
    let report = solver.report(passes, insertion_passes)?;
    Ok(PathsReport { insertion_cycles, ..report })
}

/// Plans the kernels for a machine. A band comes in one page if the other half of it is there before the host has called the kernel for the
/// first.
fn plan(
    config: &MachineConfig,
    problem: &PathsProblem,
    order: PathOrder,
) -> Result<PathsKernels, KernelError> {
    let plan = PathsKernels::new(problem.vertices, problem.bits, order, config.core())?;
    let bytes = plan.bits() / 2 * plan.layout().words() * 8 * SECTIONS;
    let clock = f64::from(config.value(Key::CpuClock));
    let half = bytes as f64 / channel_rates(config).get * clock;
    let is_short = half < f64::from(config.value(Key::HostCall));
    Ok(if is_short { plan.in_one_page() } else { plan })
}

impl<'p> Solver<'p> {
    fn new(
        mut host: Host,
        problem: &'p PathsProblem,
        plan: PathsKernels,
    ) -> Result<Self, KernelError> {
        let layout = plan.layout();
        let words = |columns: usize| Bytes(8) * (columns * layout.words() * SECTIONS);
        let (table, size) = (words(plan.bits() * layout.rows()), host.machine().memory.size());
        if table > size {
            let limit = format!(
                "at most {} of the machine: the weights of {} vertices with {} bits take them; take fewer, or more memory with \
                 memory.size_mib",
                size.0,
                layout.rows(),
                plan.bits()
            );
            let (what, value) = ("bytes of system memory", table.0 as usize);
            return Err(KernelError::Parameter { what, value, limit });
        }
        let at = Arrays {
            weights: host.allocate(table)?,
            distances: host.allocate(words(plan.bits()))?,
            parents: host.allocate(words(plan.parent_bits()))?,
            open: host.allocate(words(1))?,
            result: host.allocate(Bytes(8) * (RESULT_WORDS * SECTIONS))?,
        };
        let entries = Vec::new();
        let mut solver =
            Self { problem, plan: plan.clone(), entries, host, at, least_cycles: 0.0, pages: 0 };
        solver.install(plan)?;
        solver.write_inputs()?;
        Ok(solver)
    }

    /// Sends the kernels of a plan to CP2; tables have the same places in plans of all orders.
    fn install(&mut self, plan: PathsKernels) -> Result<(), KernelError> {
        let name = format!("paths {:?}", plan);
        self.entries = self.host.install_all(&name, || Ok(plan.source()))?;
        self.plan = plan;
        Ok(())
    }

    /// Writes weights, distances, parents and the source to system memory.
    fn write_inputs(&mut self) -> Result<(), KernelError> {
        let (problem, layout) = (self.problem, self.plan.layout());
        let (n, h) = (problem.vertices, problem.bits);
        let mut of_tail: Vec<Vec<WeightedArc>> = vec![Vec::new(); n + 1];
        for arc in &problem.arcs {
            of_tail[arc.tail].push(*arc);
        }
        let mut weights = vec![problem.infinity(); n];
        for (tail, arcs) in of_tail.iter().enumerate().skip(1) {
            for arc in arcs {
                weights[arc.head - 1] = weights[arc.head - 1].min(arc.weight);
            }
            let band = dealt(layout, &columns(&weights, h));
            self.host.write_words(self.band(tail - 1, 0), &band)?;
            arcs.iter().for_each(|arc| weights[arc.head - 1] = problem.infinity());
        }
        let mut distances = weights;
        distances[problem.source - 1] = 0;
        self.host.write_words(self.at.distances, &dealt(layout, &columns(&distances, h)))?;
        let none = vec![0; self.plan.parent_bits() * layout.words() * SECTIONS];
        self.host.write_words(self.at.parents, &none)?;
        self.write_open(problem.source)
    }

    /// Writes the slice of one vertex to system memory.
    fn write_open(&mut self, vertex: usize) -> Result<(), KernelError> {
        let mut slice = vec![0; self.problem.vertices.div_ceil(64)];
        slice[(vertex - 1) / 64] = 1 << ((vertex - 1) % 64);
        self.host.write_words(self.at.open, &dealt(self.plan.layout(), &[slice]))
    }

    /// Returns the address in system memory of a column of the band of a vertex; both count from 0.
    fn band(&self, vertex: usize, column: usize) -> MemoryAddress {
        let of_column = self.plan.layout().words() * SECTIONS;
        self.at.weights + Bytes(8) * ((vertex * self.plan.bits() + column) * of_column)
    }

    /// Returns the transfer of columns of the band of a vertex, which counts from 0, to its place.
    fn load_band(&self, vertex: usize, columns: Range<usize>) -> Result<Descriptor, KernelError> {
        let w = self.plan.layout().words();
        let to = self.plan.band_address(vertex) + columns.start * w;
        get_dealt(self.band(vertex, columns.start), columns.len() * w, WordAddress(to as u16))
    }

    /// Returns the transfer of a table or slice from system memory to its place.
    fn load(
        &self,
        from: MemoryAddress,
        columns: usize,
        to: usize,
    ) -> Result<Descriptor, KernelError> {
        get_dealt(from, columns * self.plan.layout().words(), WordAddress(to as u16))
    }

    fn store_result(&self) -> Result<Descriptor, KernelError> {
        let from = WordAddress(self.plan.result_address() as u16);
        put_dealt(from, RESULT_WORDS, self.at.result)
    }

    /// Loads what stays in local memory, and takes the source; returns it.
    fn begin(&mut self) -> Result<usize, KernelError> {
        let plan = &self.plan;
        let mut load = vec![
            self.load(self.at.distances, plan.bits(), plan.distances_address())?,
            self.load(self.at.parents, plan.parent_bits(), plan.parents_address())?,
            self.load(self.at.open, 1, plan.open_address())?,
        ];
        if plan.is_resident() {
            for vertex in 0..self.problem.vertices {
                load.push(self.load_band(vertex, 0..plan.bits())?);
            }
        }
        self.take_opened(load)
    }

    /// Loads a slice of vertices to be taken, with more, and takes the first of them; returns it.
    fn take_opened(&mut self, load: Vec<Descriptor>) -> Result<usize, KernelError> {
        let entry = self.entry(0);
        self.page(vec![load, vec![self.store_result()?]], &[(1, Call::new(entry, Vec::new()))])?;
        self.taken()
    }

    /// Returns the vertex that the last kernel took, from 1; 0 if there was none.
    fn taken(&self) -> Result<usize, KernelError> {
        let words = self.host.read_words(self.at.result, 1)?;
        Ok(words.first().map_or(0, |&word| word as u32 as usize))
    }

    /// Makes passes until no vertex is left to be taken; returns their number.
    fn follow(
        &mut self,
        mut vertex: usize,
        listener: &mut dyn Listener,
    ) -> Result<usize, KernelError> {
        let (mut passes, all) = (0, self.problem.vertices);
        while vertex > 0 {
            vertex = self.pass(vertex)?;
            passes += 1;
            self.host.tell(passes, &mut |passes| listener.progress(passes.min(all), all));
        }
        Ok(passes)
    }

    /// Lets rows get nearer by way of a vertex, which counts from 1; returns the next one.
    fn pass(&mut self, vertex: usize) -> Result<usize, KernelError> {
        self.least_cycles += self.plan.pass_bound(self.host.config().core()) as f64;
        let address = self.plan.band_address(vertex - 1) as u16;
        let store = vec![self.store_result()?];
        if self.plan.is_resident() {
            let call = Call::new(self.entry(1), vec![address]);
            self.page(vec![Vec::new(), store], &[(1, call)])?;
            return self.taken();
        }
        let mut loads = Vec::new();
        for columns in self.plan.pages() {
            loads.push(vec![self.load_band(vertex - 1, columns)?]);
        }
        // Behind each load the kernel that works on it, while the next one comes.
        let calls: Vec<(usize, Call)> =
            (1..=loads.len()).map(|page| (page, Call::new(self.entry(page), Vec::new()))).collect();
        loads.push(store);
        self.page(loads, &calls)?;
        self.taken()
    }

    /// Goes through steps: transfers that the channel makes at once, and a kernel beside those of the step with its number. A kernel
    /// needs the transfers of all steps before its own; the last step stores, and begins when the kernels have ended. The host's work
    /// between two pages follows: it reads the result and chooses the next transfers.
    fn page(
        &mut self,
        steps: Vec<Vec<Descriptor>>,
        calls: &[(usize, Call)],
    ) -> Result<(), KernelError> {
        let mark = self.host.allocated();
        let last = steps.len() - 1;
        let descriptions = [[&[][..], &steps[..last].concat(), &steps[last]]];
        self.host.begin_passes(&[DataPass::of(descriptions.into_iter())]);
        self.host.begin_part();
        let mut is_started = false;
        let mut queue = steps.clone();
        let mut is_behind_others = false;
        for first in queue.iter_mut().filter_map(|step| step.first_mut()) {
            first.sync_before = is_behind_others;
            is_behind_others = true;
        }
        if let Some(end) = queue.iter_mut().rev().find_map(|step| step.last_mut()) {
            end.stop = true;
        }
        self.host.set_queue(queue.iter().flatten())?;
        for (number, step) in steps.iter().enumerate() {
            let call = calls.iter().find(|(at, _)| *at == number).map(|(_, call)| call);
            let stores = number == last;
            if let Some(call) = call.filter(|_| stores) {
                self.host.start_kernel(call)?;
                self.host.wait_for_cp2()?;
            }
            if !step.is_empty() {
                if is_started {
                    self.host.release_dma()?;
                } else {
                    self.host.start_queue()?;
                    is_started = true;
                }
            }
            if let Some(call) = call.filter(|_| !stores) {
                self.host.start_kernel(call)?;
                self.host.wait_for_cp2()?;
            }
            if !step.is_empty() {
                self.host.wait_for_dma()?;
            }
        }
        self.host.turn_page()?;
        self.host.end_part(0, calls.iter().map(|(_, call)| call.entry));
        self.host.end_passes();
        self.host.free_from(mark);
        self.pages += last;
        Ok(())
    }

    /// Inserts an arc, if there is none of its weight or less; returns the vertex to be taken after that, `None` if nothing changed.
    fn insert(&mut self, arc: WeightedArc) -> Result<Option<usize>, KernelError> {
        self.host.turn_page()?;
        if !self.lower_weight(arc)? {
            return Ok(None);
        }
        // All other arcs from the tail are as they were, so a pass from it lets the head get nearer, or none.
        self.write_open(arc.tail)?;
        let mut load = vec![self.load(self.at.open, 1, self.plan.open_address())?];
        if self.plan.is_resident() {
            load.push(self.load_band(arc.tail - 1, 0..self.plan.bits())?);
        }
        self.take_opened(load)?;
        self.pass(arc.tail).map(Some)
    }

    /// Writes the weight of an arc to system memory, if that there is greater; returns whether it was.
    fn lower_weight(&mut self, arc: WeightedArc) -> Result<bool, KernelError> {
        let (layout, h) = (self.plan.layout(), self.plan.bits());
        let (section, word, bit) = layout.place(arc.head - 1);
        let at = Bytes(8) * ((word / 2 * SECTIONS + section) * 2 + word % 2);
        let mut words = Vec::new();
        for column in 0..h {
            let place = self.band(arc.tail - 1, column) + at;
            words.push((place, self.host.read_words(place, 1)?.first().copied().unwrap_or(0)));
        }
        let before = words.iter().fold(0, |number, (_, word)| number << 1 | word >> bit & 1);
        if arc.weight >= before {
            return Ok(false);
        }
        for (column, (place, word)) in words.into_iter().enumerate() {
            let is_one = arc.weight >> (h - 1 - column) & 1;
            self.host.write_words(place, &[word & !(1 << bit) | is_one << bit])?;
        }
        Ok(true)
    }

    fn entry(&self, number: usize) -> BundleAddress {
        self.entries.get(number).copied().unwrap_or_default()
    }

    /// Brings distances and parents to system memory, and reads them.
    fn report(
        mut self,
        passes: usize,
        insertion_passes: usize,
    ) -> Result<PathsReport, KernelError> {
        let plan = &self.plan;
        let store = |from: usize, columns: usize, to| {
            put_dealt(WordAddress(from as u16), columns * plan.layout().words(), to)
        };
        let stores = vec![
            store(plan.distances_address(), plan.bits(), self.at.distances)?,
            store(plan.parents_address(), plan.parent_bits(), self.at.parents)?,
        ];
        self.page(vec![Vec::new(), stores], &[])?;
        let table = |at, columns: usize| {
            let words =
                self.host.read_words(at, columns * self.plan.layout().words() * SECTIONS)?;
            Ok(numbers(&collected(self.plan.layout(), &words), self.problem.vertices))
        };
        let distances = table(self.at.distances, self.plan.bits())?;
        let parents: Result<Vec<u64>, KernelError> =
            table(self.at.parents, self.plan.parent_bits());
        let all = passes + insertion_passes;
        let operations = 2 * (all * self.problem.vertices) as u64;
        Ok(PathsReport {
            distances,
            parents: parents?.into_iter().map(|parent| parent as usize).collect(),
            passes,
            insertion_passes,
            insertion_cycles: Vec::new(),
            is_resident: self.plan.is_resident(),
            cost: self.host.cost(operations, (all, self.pages), self.least_cycles),
        })
    }
}

/// Returns the columns of numbers of so many bits, the most significant first, as words of 64 rows.
fn columns(numbers: &[u64], bits: usize) -> Vec<Vec<u64>> {
    let mut columns = vec![vec![0; numbers.len().div_ceil(64)]; bits];
    for (row, &number) in numbers.iter().enumerate() {
        for (at, column) in columns.iter_mut().enumerate() {
            column[row / 64] |= (number >> (bits - 1 - at) & 1) << (row % 64);
        }
    }
    columns
}

/// Returns the numbers of rows whose columns are given, the most significant first.
fn numbers(columns: &[Vec<u64>], rows: usize) -> Vec<u64> {
    let number = |row: usize| {
        columns.iter().fold(0, |number, column| number << 1 | column[row / 64] >> (row % 64) & 1)
    };
    (0..rows).map(number).collect()
}

#[cfg(test)]
mod tests;
