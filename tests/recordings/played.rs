//! A random kernel on a random machine, with a channel that works through random descriptors and a host
//! that does something at random cycles: run once with a recorder around the fast engine, and once cycle
//! by cycle with somebody who watches everything.

use crate::random;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{Beat, DmaRegister, ctrl};
use cp2_emu::machine::Action;
use cp2_emu::memory::Direction;
use cp2_emu::trace::{Event, NoObserver, Observer, PastCycle, Wants};
use cp2_emu::{Cp2, End, Engine, Fault, Goal, Machine, MachineConfig, ReferenceEngine};
use cp2_fast::Translator;
use cp2_isa::{
    Bundle, BundleAddress, Bytes, Core, Cycle, Exch, Inst, MemoryAddress, Section, Storage,
    StorageCell, encode,
};
use cp2_recording::{CycleRecord, Follower, Header, Recorder, RecordingInMemory, Spacing};
use cp2_session::load;
use cp2_tests::{SplitMix64, at_random};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

const TABLE: u32 = 0x10_0000;

/// Returns the registers and words of which the last write is looked for.
pub(crate) fn cells() -> Vec<StorageCell> {
    let cell = |storage, number, section: usize| {
        let section = Section::ALL[section];
        StorageCell { storage, number, section }
    };
    vec![
        cell(Storage::Fpr, 26, 1),
        cell(Storage::Fpr, 8, 3),
        cell(Storage::Fpr, 28, 0),
        cell(Storage::Gpr, 4, 0),
        cell(Storage::Gpr, 9, 0),
        cell(Storage::A, 1, 0),
        cell(Storage::Lmem, 64, 2),
        cell(Storage::Lmem, 130, 0),
        cell(Storage::Fcsr, 0, 1),
        cell(Storage::N, 1, 0),
        cell(Storage::Ireg, 2, 0),
        cell(Storage::Fpr, 2, 0),
        cell(Storage::Comm, 0, 0),
        cell(Storage::Status, 0, 0),
    ]
}

/// Records of a run that is watched from its start.
pub(crate) struct Watched {
    pub(crate) begin: Cycle,
    pub(crate) cycles: Vec<CycleRecord>,
    pub(crate) beats: Vec<Beat>,
    /// Values of the cells behind each cycle, and before the first.
    values: Vec<Vec<u64>>,
    first: Vec<u64>,
    /// The machine in some cycles, what the host did before them included.
    pub(crate) settled: Vec<Machine>,
}

/// Write of a cell: its cycle, the operation, whether a beat, the value.
pub(crate) type Told = (Cycle, Option<(Cycle, String)>, bool, u64);

impl Watched {
    pub(crate) fn end(&self) -> Cycle {
        self.settled.last().expect("a machine").cycle()
    }

    /// Returns all writes of a cell, by its number.
    pub(crate) fn writes(&self, n: usize) -> Vec<Told> {
        let cell = cells()[n];
        let late = matches!(cell.storage, Storage::Fpr | Storage::Fccr | Storage::Fcsr);
        // The latest operation that lands in each cycle.
        let mut landing = BTreeMap::new();
        for event in self.cycles.iter().flat_map(|record| &record.operations) {
            if names(event, cell) {
                let at = if late { event.write_cycle } else { None };
                landing.insert(at.unwrap_or(event.cycle), event);
            }
        }
        let beats: BTreeSet<Cycle> =
            self.beats.iter().filter(|beat| fills(beat, cell)).map(|beat| beat.cycle).collect();
        let (mut all, mut value) = (Vec::new(), self.first[n]);
        for (record, values) in self.cycles.iter().zip(&self.values) {
            let operation = landing.get(&record.number);
            let beat = beats.contains(&record.number);
            if operation.is_some() || beat || values[n] != value {
                let operation = operation.map(|event| (event.cycle, event.text.clone()));
                all.push((record.number, operation, beat, values[n]));
            }
            value = values[n];
        }
        all
    }

    /// Returns the values of a cell, by its number, behind each cycle.
    pub(crate) fn values(&self, n: usize) -> impl DoubleEndedIterator<Item = (Cycle, u64)> {
        self.cycles.iter().zip(&self.values).map(move |(record, values)| (record.number, values[n]))
    }
}

/// Whether an operation names a cell as what it writes.
fn names(event: &Event<Cycle>, cell: StorageCell) -> bool {
    let name = match cell.storage {
        Storage::Lmem => format!("[{}]", cell.number),
        Storage::Fcsr => "fcsr".to_owned(),
        storage => format!("{}{}", storage.info().name, cell.number),
    };
    let is_there = cell.storage.info().layout.sections() == 1
        || event.enabled >> cell.section.index() & 1 == 1;
    if event.written.iter().all(Option::is_none) {
        return false;
    }
    let plain = |text: String| text.split('.').next().unwrap_or_default().to_owned();
    is_there
        && event
            .written
            .iter()
            .flatten()
            .any(|written| plain(written.destination.to_string()) == name)
}

fn fills(beat: &Beat, cell: StorageCell) -> bool {
    let Some(local) = beat.local else { return false };
    let words = local.index()..local.index() + usize::from(beat.bytes) / 8;
    cell.storage == Storage::Lmem
        && beat.direction == Direction::Get
        && beat.sections >> cell.section.index() & 1 == 1
        && words.contains(&cell.number)
}

/// A run and its recording.
pub(crate) struct Played {
    pub(crate) file: Vec<u8>,
    pub(crate) watched: Watched,
}

/// Driver of a run, which takes the machine from cycle to cycle.
trait Driver {
    /// Advances a machine to a cycle.
    fn go(&mut self, machine: &mut Machine, cycle: Cycle) -> Result<(), Fault>;
    /// Takes note of a machine that does not change before the host does something.
    fn settle(&mut self, _: &Machine) {}
}

struct Recorded(Box<dyn Engine>);

impl Driver for Recorded {
    fn go(&mut self, machine: &mut Machine, cycle: Cycle) -> Result<(), Fault> {
        while machine.cycle() < cycle {
            self.0.advance(machine, Goal::cycle(cycle), &mut NoObserver)?;
        }
        Ok(())
    }
}

/// Driver that watches a run cycle by cycle.
struct Watcher {
    watched: Watched,
    operations: Vec<Event>,
    s: SplitMix64,
}

impl Observer for Watcher {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.operations.push(event.clone());
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let number = cycle.number;
        let operations = std::mem::take(&mut self.operations).into_iter().map(|event| Event {
            cycle: number,
            read_cycle: number + (event.read_cycle - event.cycle),
            write_cycle: event.write_cycle.map(|at| number + (at - event.cycle)),
            address: event.address,
            bundle: event.bundle,
            slot: event.slot,
            name: event.name,
            text: event.text,
            enabled: event.enabled,
            written: event.written,
            access: event.access,
        });
        let (cause, banks) = (cycle.cause, cycle.banks);
        self.watched.cycles.push(CycleRecord {
            number,
            cause,
            banks,
            operations: operations.collect(),
        });
        self.watched.values.push(values(cycle.state));
        ControlFlow::Continue(())
    }
}

/// Driver that takes a follower through a window of cycles.
struct Followed<'a> {
    follower: &'a mut dyn Follower,
    window: Range<Cycle>,
    /// Whether the window has begun, and whether it is over.
    stage: (bool, bool),
}

impl Followed<'_> {
    fn acts(&mut self, machine: &mut Machine) {
        for act in machine.take_acts() {
            if self.stage == (true, false) && act.cycle < self.window.end {
                self.follower.act(&act);
            }
        }
    }

    fn end(&mut self, machine: &mut Machine) {
        self.acts(machine);
        if self.stage == (true, false) {
            self.follower.end(machine);
            self.stage.1 = true;
        }
    }
}

impl Driver for Followed<'_> {
    fn go(&mut self, machine: &mut Machine, cycle: Cycle) -> Result<(), Fault> {
        loop {
            let now = machine.cycle();
            if now >= self.window.end {
                self.end(machine);
            }
            if now >= cycle {
                return Ok(());
            }
            self.acts(machine);
            if now >= self.window.start && !self.stage.0 {
                machine.dma.keep_log();
                self.follower.begin(machine);
                self.stage.0 = true;
            }
            let next = Goal::cycle(now + 1);
            if self.stage == (true, false) {
                ReferenceEngine.advance(machine, next, self.follower.observer())?;
                let _ = self.follower.cycle(machine);
            } else {
                ReferenceEngine.advance(machine, next, &mut NoObserver)?;
            }
        }
    }
}

/// Repeats the run of a seed with a follower that goes with it through a window.
pub(crate) fn follow(seed: u64, window: Range<Cycle>, follower: &mut dyn Follower) {
    let mut s = SplitMix64(seed);
    let (mut machine, _) = machine(&mut s);
    // The spacing of checkpoints.
    s.below(2000);
    machine.keep_acts();
    let mut followed = Followed { follower, window, stage: (false, false) };
    drive(&mut machine, &mut followed, s);
    followed.end(&mut machine);
}

fn values(state: &cp2_emu::State) -> Vec<u64> {
    cells().into_iter().map(|cell| state.get(cell).unwrap_or_default()).collect()
}

impl Driver for Watcher {
    fn go(&mut self, machine: &mut Machine, cycle: Cycle) -> Result<(), Fault> {
        while machine.cycle() < cycle {
            self.settle(machine);
            let next = Goal::cycle(machine.cycle() + 1);
            ReferenceEngine.advance(machine, next, self)?;
        }
        Ok(())
    }

    fn settle(&mut self, machine: &Machine) {
        let is_new = self.watched.settled.last().is_none_or(|m| m.cycle() < machine.cycle());
        if is_new && (self.watched.settled.is_empty() || self.s.one_in(100)) {
            self.watched.settled.push(machine.clone());
        }
    }
}

/// Makes a machine, whose kernel runs from its first bundle on, and its description; `None` if CP2 is alone.
fn machine(s: &mut SplitMix64) -> (Machine, Option<MachineConfig>) {
    let text = random::kernel(s);
    let table = random::descriptors(s);
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "random.s", &text)
            .expect("a kernel");
    let cp2 = at_random::on_core(&at_random::core(s), &cp2);
    let near_one = |k: usize| (0x3f80_0000 + 64 * k as u64) << 32 | (0x3f80_0000 + 96 * k as u64);
    let mut config = at_random::config(["vm7", "vm9"][s.below(2) as usize], cp2.core());
    config.apply_set("memory.size_mib=3").expect("a size");
    let alone = s.one_in(5);
    let mut machine =
        if alone { Machine::alone(Cp2::new(*cp2.core())) } else { Machine::new(&config) };
    machine.cp2 = cp2;
    let state = &mut machine.cp2.state;
    for (k, quad) in state.lmem.iter_mut().chain(state.fpr.iter_mut()).enumerate() {
        *quad = [near_one(k); 4];
    }
    if !alone {
        let words: Vec<u64> = (0..8192).map(|k| near_one(k + 77)).collect();
        machine.memory.write_words(MemoryAddress(0), &words).expect("memory");
        for (k, d) in table.iter().enumerate() {
            let at = u64::from(TABLE) + 64 * k as u64;
            machine
                .memory
                .write_words(MemoryAddress(at), &d.encode().expect("fields that fit"))
                .expect("memory");
        }
        machine.write_register(DmaRegister::Baseaddr, TABLE).expect("a register");
        machine.write_register(DmaRegister::Ctrl, ctrl::START).expect("a register");
    }
    machine.start_kernel(entry);
    (machine, (!alone).then_some(config))
}

fn entry_of(op: Exch, values: &[i32]) -> FifoEntry {
    FifoEntry::Execute(encode(&Bundle { exch: Inst::new(op, values), ..Bundle::NOP }))
}

/// Does something at random as the host.
fn act(machine: &mut Machine, s: &mut SplitMix64) {
    let idle = machine.cp2.is_idle();
    let has_memory = machine.memory.size() > Bytes(0);
    let action = match s.below(11) {
        0 => Action::Send(entry_of(Exch::Seti, &[9, s.below(1000) as i32])),
        1 => Action::Send(entry_of(Exch::StartDma, &[])),
        2 if has_memory => {
            let bytes = (0..s.below(9000)).map(|k| ((k * k) >> 3) as u8).collect();
            Action::WriteMemory(MemoryAddress(s.below(2 << 20)), bytes)
        }
        3 => Action::WriteRegister(DmaRegister::Ctrl, ctrl::START),
        4 => Action::WriteRegister(DmaRegister::Curdsc, s.below(3) as u32),
        5 => Action::ReadRegister(DmaRegister::Int),
        6 if idle => Action::WriteBundles(BundleAddress(40 + s.below(9) as u16), [0, 0].into()),
        7 if idle => Action::Send(entry_of(Exch::Runi, &[0])),
        8 if idle => {
            // A host that does not go through the interface, up to the start.
            machine.cp2.state.gpr[9] = s.bits();
            machine.cp2.state.lmem[130][0] = s.bits();
            return machine.start_kernel(BundleAddress(0));
        }
        9 => Action::WriteComm(s.bits()),
        10 => Action::ReadComm,
        _ => return,
    };
    // A FIFO that is full is an answer, too.
    let _ = machine.act(action);
}

fn drive(machine: &mut Machine, driver: &mut dyn Driver, mut s: SplitMix64) {
    let end = machine.cycle() + 3000 + s.below(15_000);
    while machine.cycle() < end {
        let most = [3, 60, 3000][s.below(3) as usize];
        let next = (machine.cycle() + 1 + s.below(most)).min(end);
        if let Err(fault) = driver.go(machine, next) {
            // Nothing goes on behind it.
            machine.finish_kernel(End::Fault(fault));
            break;
        }
        if machine.cycle() < end {
            act(machine, &mut s);
        }
        if s.one_in(20) && machine.cp2.is_running() {
            driver.settle(machine);
            machine.finish_kernel(End::Interrupted);
        }
    }
}

pub(crate) fn play(seed: u64) -> Played {
    let mut s = SplitMix64(seed);
    let (mut machine, config) = machine(&mut s);
    let mut reference = machine.clone();
    reference.dma.keep_log();
    let header = Header {
        cp2: "test".to_owned(),
        command: format!("seed {seed}"),
        machine: config.map(|config| config.dump()),
        core: *machine.cp2.core().numbers(),
        inputs: Vec::new(),
    };
    let shared = RecordingInMemory::default();
    let spacing = Spacing { leaf_bits: 9, nearest: 1000 + s.below(2000), farthest: 4000 };
    let recorder = Recorder::spaced(Box::new(shared.clone()), &header, spacing).expect("memory");
    let mut recorded = Recorded(recorder.around(Box::new(Translator::default())));
    drive(&mut machine, &mut recorded, s.clone());
    recorded.0.release(&mut machine);
    recorder.finish().expect("memory");
    let watched = Watched {
        begin: reference.cycle(),
        cycles: Vec::new(),
        beats: Vec::new(),
        values: Vec::new(),
        first: values(&reference.cp2.state),
        settled: Vec::new(),
    };
    let mut watcher = Watcher { watched, operations: Vec::new(), s: SplitMix64(seed ^ 0x77) };
    drive(&mut reference, &mut watcher, s);
    let mut watched = watcher.watched;
    watched.beats = reference.dma.take_beats();
    if watched.end() < reference.cycle() {
        watched.settled.push(reference);
    }
    let file = shared.take();
    Played { file, watched }
}

/// Returns the description of a machine without what it keeps for people.
pub(crate) fn without_logs(text: &str) -> String {
    let Some(begin) = text.find(" log: ") else { return text.to_owned() };
    let Some(length) = text[begin..].find(", now: ") else { return text.to_owned() };
    format!("{}{}", &text[..begin], &text[begin + length..])
}
