//! The machine while it solves a problem: what lies where in system memory, and the order in which host, channel and CP2 do their work.

use super::super::{collected, dealt};
use super::problem::{PathsProblem, PathsReport, WeightedArc};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host, StageNames};
use cp2_emu::dma::Descriptor;
use cp2_isa::{BundleAddress, Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::star::PathsKernels;
use cp2_session::cost::passes::DataPass;
use cp2_session::error::KernelError;
use cp2_session::workload::Listener;
use std::ops::Range;

/// Words of the result of a pass in a section.
const RESULT_WORDS: usize = 2;

/// Addresses of arrays in system memory.
#[derive(Clone, Copy, Debug)]
struct Arrays {
    weights: MemoryAddress,
    distances: MemoryAddress,
    parents: MemoryAddress,
    open: MemoryAddress,
    result: MemoryAddress,
}

/// Transfers that the channel makes at once, and a kernel that runs beside them. All have ended when the next step begins.
struct Step {
    transfers: Vec<Descriptor>,
    call: Option<Call>,
}

impl Step {
    fn moving(transfers: Vec<Descriptor>) -> Self {
        Self { transfers, call: None }
    }

    fn calling(call: Call) -> Self {
        Self { transfers: Vec::new(), call: Some(call) }
    }
}

/// Makes the transfers of all steps one queue: the channel waits before those of every step but the first that has some.
fn link(steps: &mut [Step]) {
    let firsts = steps.iter_mut().filter_map(|step| step.transfers.first_mut());
    firsts.skip(1).for_each(|transfer| transfer.sync_before = true);
    if let Some(last) = steps.iter_mut().rev().find_map(|step| step.transfers.last_mut()) {
        last.stop = true;
    }
}

/// The machine while it solves a problem.
pub(super) struct Solver<'p> {
    problem: &'p PathsProblem,
    plan: PathsKernels,
    entries: Vec<BundleAddress>,
    pub(super) host: Host,
    at: Arrays,
    /// Fewest cycles of the kernels so far.
    least_cycles: f64,
    /// Pages that went through local memory.
    pages: usize,
}

impl<'p> Solver<'p> {
    pub(super) fn new(
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
    pub(super) fn install(&mut self, plan: PathsKernels) -> Result<(), KernelError> {
        let name = format!("paths {plan:?}");
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
    pub(super) fn begin(&mut self) -> Result<usize, KernelError> {
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
        let take = Call::new(self.entry(0), Vec::new());
        let store = self.store_result()?;
        self.carry_out(vec![Step::moving(load), Step::calling(take), Step::moving(vec![store])])?;
        self.read_result()
    }

    /// Returns the vertex that the last kernel took, from 1; 0 if there was none.
    fn read_result(&self) -> Result<usize, KernelError> {
        let words = self.host.read_words(self.at.result, 1)?;
        Ok(words.first().map_or(0, |&word| word as u32 as usize))
    }

    /// Makes passes until no vertex is left to be taken; returns their number.
    pub(super) fn follow(
        &mut self,
        mut vertex: usize,
        listener: &mut dyn Listener,
    ) -> Result<usize, KernelError> {
        let (mut passes, all) = (0, self.problem.vertices);
        while vertex > 0 {
            vertex = self.relax(vertex)?;
            passes += 1;
            self.host.tell(passes, &mut |passes| listener.progress(passes.min(all), all));
        }
        Ok(passes)
    }

    /// Lets rows get nearer by way of a vertex, which counts from 1; returns the next one.
    fn relax(&mut self, vertex: usize) -> Result<usize, KernelError> {
        self.least_cycles += self.plan.pass_bound(self.host.config().core()) as f64;
        let pages = self.plan.pages();
        let (mut steps, mut arguments) = (Vec::new(), Vec::new());
        if self.plan.is_resident() {
            arguments.push(self.plan.band_address(vertex - 1) as u16);
        } else {
            for columns in &pages {
                let transfers = vec![self.load_band(vertex - 1, columns.clone())?];
                steps.push(Step::moving(transfers));
            }
        }
        // The kernel of a page runs beside the load of the next one; that of the last page behind all of them.
        for page in 1..=pages.len() {
            let call = Call::new(self.entry(page), arguments.clone());
            match steps.get_mut(page) {
                Some(step) => step.call = Some(call),
                None => steps.push(Step::calling(call)),
            }
        }
        steps.push(Step::moving(vec![self.store_result()?]));
        self.carry_out(steps)?;
        self.read_result()
    }

    /// Goes through steps, of which the last stores, and does the host's own work behind them: it reads the result and chooses the next
    /// transfers.
    fn carry_out(&mut self, mut steps: Vec<Step>) -> Result<(), KernelError> {
        let mark = self.host.allocated();
        self.describe(&steps);
        let calls = |steps: &[Step]| {
            steps.iter().filter_map(|s| s.call.as_ref().map(|c| c.entry)).collect()
        };
        let names = StageNames::of_one(&mut self.host, || calls(&steps));
        link(&mut steps);
        self.host.set_queue(steps.iter().flat_map(|step| &step.transfers))?;
        let mut is_started = false;
        for step in &steps {
            let moves = !step.transfers.is_empty();
            match (moves, is_started) {
                (true, true) => self.host.release_dma()?,
                (true, false) => self.host.start_queue()?,
                (false, _) => {}
            }
            is_started |= moves;
            if let Some(call) = &step.call {
                self.host.start_kernel(call)?;
                self.host.wait_for_cp2()?;
            }
            if moves {
                self.host.wait_for_dma()?;
            }
        }
        self.host.turn_page()?;
        names.end(&mut self.host);
        let calls = steps.iter().filter_map(|step| step.call.as_ref());
        self.host.end_part(0, calls.map(|call| call.entry));
        self.host.end_passes();
        self.host.free_from(mark);
        Ok(())
    }

    /// Begins a pass in the record of the host, with what the steps load and store.
    fn describe(&mut self, steps: &[Step]) {
        let Some((last, before)) = steps.split_last() else { return };
        let loads: Vec<Descriptor> =
            before.iter().flat_map(|step| step.transfers.iter().cloned()).collect();
        let page = [&[][..], &loads, &last.transfers];
        self.host.begin_passes(&[DataPass::of([page].into_iter())]);
        self.host.begin_part();
        self.pages += before.iter().filter(|step| !step.transfers.is_empty()).count();
    }

    /// Inserts an arc, if there is none of its weight or less; returns the vertex to be taken after that, `None` if nothing changed.
    pub(super) fn insert(&mut self, arc: WeightedArc) -> Result<Option<usize>, KernelError> {
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
        self.relax(arc.tail).map(Some)
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
    pub(super) fn report(
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
        self.carry_out(vec![Step::moving(stores)])?;
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
