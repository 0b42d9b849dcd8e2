//! Registers, issue, banks, channel and host as signals with scopes, for VCD and FST. A register has, from the begin of a
//! cycle on, the value that an operation of this cycle sees; every other signal has that of the cycle.

use crate::select::Selection;
use crate::step::{TracedCycle, WindowBegin};
use cp2_emu::Machine;
use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_emu::state::State;
use cp2_isa::{Bank, Core, Slot, Storage, StorageCell};

/// The source of the values of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A register or a word.
    Place(StorageCell),
    /// The address of the bundle that issues.
    Address,
    /// The sections that execute the operation of a slot.
    Slot(Slot),
    /// A number for the cause of the cycle: 0 if no kernel runs, else its place among the causes, from 1.
    Cause,
    /// The user of a bank: 0 nobody, 1 CP2, 2 a beat into it, 3 a beat out of it.
    Bank(Bank),
    /// Whether the channel is at a descriptor.
    Busy,
    /// The number of the descriptor that the channel is at.
    Descriptor,
    /// The bytes of the latest beat of the cycle.
    Bytes,
    /// The address in memory of the latest beat of the cycle.
    MemoryAddress,
    /// The word of local memory of the latest beat of the cycle.
    LocalWord,
    /// The sections of the latest beat of the cycle.
    BeatSections,
    /// The number of acts of the host since the begin of the window.
    Acts,
}

/// A signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    /// Scopes that the signal is in, the outermost first.
    pub(crate) scopes: Vec<String>,
    pub(crate) name: String,
    pub(crate) bits: u32,
    source: Source,
}

/// The signals of a trace, those of a scope together.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    pub(crate) all: Vec<Signal>,
    core: Core,
    /// Value of each signal that was told last; `None` if none was.
    values: Vec<Option<u64>>,
    n_acts: u64,
}

/// Kinds of registers that are shown if none is chosen.
const SHOWN: [Storage; 14] = [
    Storage::Fpr,
    Storage::Fccr,
    Storage::Fcsr,
    Storage::Gpr,
    Storage::A,
    Storage::N,
    Storage::M,
    Storage::Ireg,
    Storage::Control,
    Storage::Rind,
    Storage::Rstep,
    Storage::Rmask,
    Storage::Stopcode,
    Storage::Pc,
];

/// Returns the scope of a kind of registers, without its section.
fn scope(storage: Storage) -> &'static str {
    match storage {
        Storage::A | Storage::N | Storage::M => "addresses",
        Storage::Fccr | Storage::Fcsr => "flags",
        storage if storage.info().layout.is_numbered() => storage.info().key,
        _ => "control",
    }
}

fn name(place: StorageCell) -> String {
    let info = place.storage.info();
    match (place.storage, info.layout.is_numbered()) {
        (Storage::Lmem, _) => format!("w{}", place.number),
        (_, true) => format!("{}{}", info.name.trim_end(), place.number),
        (_, false) => info.name.to_owned(),
    }
}

impl Signals {
    pub(crate) fn new(core: &Core, selection: &Selection) -> Self {
        let mut places: Vec<StorageCell> = Vec::new();
        let mut add = |storage: Storage, numbers: std::ops::Range<usize>| {
            for section in storage.info().layout.own_sections() {
                let per_section = storage.info().layout.is_per_section();
                if !per_section || selection.sections().contains(section) {
                    let place = |number| StorageCell { storage, number, section };
                    places.extend(numbers.clone().map(place));
                }
            }
        };
        if selection.cells().is_empty() {
            SHOWN.into_iter().for_each(|storage| add(storage, 0..(storage.info().count)(core)));
        }
        selection.cells().iter().for_each(|cells| add(cells.storage, cells.numbers.clone()));
        let mut all: Vec<Signal> = places.into_iter().map(|place| of_place(core, place)).collect();
        // A scope is opened once; the order within stays.
        all.sort_by(|a, b| a.scopes.cmp(&b.scopes));
        all.dedup();
        all.splice(0..0, of_cycle(core));
        Self { values: vec![None; all.len()], all, core: *core, n_acts: 0 }
    }

    /// Tells the values at the begin of the window.
    pub(crate) fn begin(&mut self, begin: &WindowBegin<'_>, tell: &mut dyn FnMut(usize, u64)) {
        self.registers(&begin.machine.cp2.state, tell);
    }

    /// Tells what changes with the begin of a cycle, but for registers.
    pub(crate) fn step(&mut self, step: &TracedCycle<'_>, tell: &mut dyn FnMut(usize, u64)) {
        self.n_acts += step.acts.len() as u64;
        for k in 0..self.all.len() {
            if !matches!(self.all[k].source, Source::Place(_)) {
                let value = self.value(self.all[k].source, step);
                self.note(k, value, tell);
            }
        }
    }

    /// Tells the registers that have changed, as they are behind a cycle.
    pub(crate) fn registers(&mut self, state: &State, tell: &mut dyn FnMut(usize, u64)) {
        for k in 0..self.all.len() {
            if let Source::Place(place) = self.all[k].source {
                self.note(k, state.get(place).unwrap_or_default(), tell);
            }
        }
    }

    fn note(&mut self, k: usize, value: u64, tell: &mut dyn FnMut(usize, u64)) {
        if self.values[k] != Some(value) {
            self.values[k] = Some(value);
            tell(k, value);
        }
    }

    fn value(&self, source: Source, step: &TracedCycle<'_>) -> u64 {
        let usage = step.usage;
        let beats = || step.beats.iter().map(|moved| &moved.beat);
        let here = || beats().rfind(|beat| beat.cycle == step.cycle);
        let of_beat = |value: fn(&Beat) -> u64| here().map_or(0, value);
        match source {
            Source::Place(_) => 0,
            Source::Address => step.address.map_or(0, u64::from),
            Source::Slot(slot) => {
                let mut operations = step.operations.iter();
                let found = operations.find(|operation| operation.event.slot == slot);
                found.map_or(0, |operation| operation.event.enabled.into())
            }
            Source::Cause => {
                usage.and_then(|usage| usage.cause).map_or(0, |cause| cause as u64 + 1)
            }
            Source::Bank(bank) => {
                let is_there =
                    |beat: &&Beat| beat.local.is_some_and(|word| self.core.bank_of(word) == bank);
                let beat = beats().filter(|beat| beat.cycle == step.cycle).rfind(is_there);
                match beat.map(|beat| beat.direction) {
                    Some(Direction::Get) => 2,
                    Some(Direction::Put) => 3,
                    None => usage.is_some_and(|usage| usage.banks.contains(bank)).into(),
                }
            }
            Source::Busy => visit(step.machine).is_some().into(),
            Source::Descriptor => visit(step.machine).unwrap_or_default(),
            Source::Bytes => of_beat(|beat| beat.bytes.into()),
            Source::MemoryAddress => of_beat(|beat| beat.address.into()),
            Source::LocalWord => of_beat(|beat| beat.local.map_or(0, u64::from)),
            Source::BeatSections => of_beat(|beat| beat.sections.into()),
            Source::Acts => self.n_acts,
        }
    }
}

/// Returns the descriptor that the channel is at.
fn visit(machine: &Machine) -> Option<u64> {
    machine.dma.visit().map(|visit| visit.number.into())
}

fn of_place(core: &Core, place: StorageCell) -> Signal {
    let info = place.storage.info();
    let scopes = match info.layout.is_per_section() {
        true => vec![format!("section{}", place.section), scope(place.storage).to_owned()],
        false => vec![scope(place.storage).to_owned()],
    };
    Signal { scopes, name: name(place), bits: (info.bits)(core), source: Source::Place(place) }
}

/// Returns the signals that are not registers.
fn of_cycle(core: &Core) -> Vec<Signal> {
    let address_bits = (Storage::Pc.info().bits)(core);
    let signal = |scope: &str, name: &str, bits: u32, source: Source| Signal {
        scopes: vec![scope.to_owned()],
        name: name.to_owned(),
        bits,
        source,
    };
    let mut all = vec![
        signal("issue", "address", address_bits, Source::Address),
        signal("issue", "arithmetic", 4, Source::Slot(Slot::Arithmetic)),
        signal("issue", "exchange", 4, Source::Slot(Slot::Exchange)),
        signal("issue", "cause", 3, Source::Cause),
    ];
    for bank in Bank::first(core.banks()) {
        all.push(signal("banks", &format!("bank{bank}"), 2, Source::Bank(bank)));
    }
    all.extend([
        signal("dma", "busy", 1, Source::Busy),
        signal("dma", "descriptor", 32, Source::Descriptor),
        signal("dma", "bytes", 5, Source::Bytes),
        signal("dma", "memory_address", 32, Source::MemoryAddress),
        signal("dma", "local_word", core.address_bits(), Source::LocalWord),
        signal("dma", "sections", 4, Source::BeatSections),
        signal("host", "acts", 32, Source::Acts),
    ]);
    all
}
