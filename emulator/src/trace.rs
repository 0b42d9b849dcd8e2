//! Events of a run for observers: operations as they issue, and cycles as they end. Nothing here writes files.

use crate::state::{Quad, State};
use crate::stats::Cause;
use cp2_isa::{
    Banks, Bundle, BundleAddress, Cycle, Resource, RunCycle, SECTIONS, Section, Slot, Storage,
    WordAddress,
};
use std::fmt;
use std::ops::ControlFlow;

/// Register, or words of local memory, that an operation writes; part of the [`WrittenValue`] values of an [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A register, or the part of it that is written.
    Register(Resource),
    /// The word at this address of local memory, in every section.
    Word(WordAddress),
    /// Word of local memory in each section, with an address of its own in each.
    Words([WordAddress; SECTIONS]),
}

impl Destination {
    /// Returns the number of sections that have a value of their own in the destination: [`SECTIONS`] (4), or 1 for a
    /// register that the sections share.
    pub fn sections(self) -> usize {
        let storage = match self {
            Self::Register(resource) => resource.storage(),
            Self::Word(_) | Self::Words(_) => Storage::Lmem,
        };
        storage.info().layout.sections()
    }

    /// Returns whether the destination is the register or word `number` of a kind, in any section. For a kind of which
    /// there is only one register, the number does not count.
    pub fn is(self, storage: Storage, number: usize) -> bool {
        match self {
            Self::Word(word) => storage == Storage::Lmem && word.index() == number,
            Self::Words(words) => {
                storage == Storage::Lmem && words.iter().any(|word| word.index() == number)
            }
            Self::Register(resource) => {
                resource.storage() == storage && number_of(resource).is_none_or(|n| n == number)
            }
        }
    }
}

/// Returns the number of a register among those of its kind: 3 for `g3`. `None` for a register that is the only one of
/// its kind, for condition codes, and for memories.
pub fn number_of(resource: Resource) -> Option<usize> {
    match resource {
        Resource::Fpr(n, _)
        | Resource::Gpr(n)
        | Resource::Ireg(n)
        | Resource::A(n)
        | Resource::N(n)
        | Resource::M(n)
        | Resource::SectionA(n)
        | Resource::SharedA(n) => Some(n.into()),
        Resource::Fccr(_)
        | Resource::Fcsr
        | Resource::Control(_)
        | Resource::Fpe
        | Resource::Mailbox
        | Resource::Shared
        | Resource::Memory(_) => None,
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(r) => r.fmt(f),
            Self::Word(address) => write!(f, "[{address}]"),
            Self::Words(words) => write_each(f, words),
        }
    }
}

/// Writes the words of the sections, as messages name them.
fn write_each(f: &mut fmt::Formatter<'_>, words: &[WordAddress; SECTIONS]) -> fmt::Result {
    let [a, b, c, d] = words;
    write!(f, "[s0 {a}, s1 {b}, s2 {c}, s3 {d}]")
}

/// A value that an operation writes, with its destination: part of an [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenValue {
    /// Register or words of local memory that are written.
    pub destination: Destination,
    /// Value for each section. Of a register that the sections share, the value is at position 0.
    pub value: Quad,
}

/// The writes of one operation ([`WrittenValue`]: register or words, and value) in the order of its operands, at most
/// three; unused positions are `None`.
pub type Results = [Option<WrittenValue>; 3];

/// The words of local memory that one operation loads or stores, as an [`Event`] tells them: the same addresses in
/// every section, or addresses of its own in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalAccess {
    /// Address of the first word of the access; that of section 0 if each section has an address of its own.
    pub word: WordAddress,
    /// Address of the first word in each section, if each section has an address of its own; else `None`.
    pub own: Option<[WordAddress; SECTIONS]>,
    /// Number of neighbouring words in each section: 1, or 2 for a double access.
    pub words: u8,
}

impl LocalAccess {
    /// Returns the address of the first word that the access has in a section.
    pub fn word_in(&self, section: Section) -> WordAddress {
        self.own.map_or(self.word, |own| own[section.index()])
    }

    /// Returns the addresses of all words of the access. Where each section has addresses of its own, those of section
    /// 0 come first, and an address can come several times.
    pub fn all(self) -> impl Iterator<Item = WordAddress> {
        let sections = if self.own.is_some() { SECTIONS } else { 1 };
        Section::ALL.into_iter().take(sections).flat_map(move |section| {
            (0..self.words.into()).map(move |k| self.word_in(section).plus(k))
        })
    }
}

impl fmt::Display for LocalAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(own) = &self.own {
            return write_each(f, own);
        }
        match self.words {
            0 | 1 => write!(f, "[{}]", self.word),
            n => write!(f, "[{}..{}]", self.word, u32::from(self.word.0) + u32::from(n)),
        }
    }
}

/// Event of a run: an operation of a bundle that has issued, as an observer is told of it. `Moment` is the clock of its
/// cycles: engines give [`RunCycle`]s, counted from the begin of the run; [`Event::since_reset`] makes [`Cycle`]s of
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<Moment = RunCycle> {
    /// Cycle in which the bundle issued.
    pub cycle: Moment,
    /// Address in instruction memory of the bundle that has the operation.
    pub address: BundleAddress,
    /// The bundle, both halves of it.
    pub bundle: Bundle,
    /// Slot of the bundle that holds the operation: arithmetic or exchange.
    pub slot: Slot,
    /// Mnemonic of the operation, without operands.
    pub name: &'static str,
    /// Text of the operation with its operands, as the assembler writes it; empty if the observer asked for
    /// [`Wants::UNNAMED`] only.
    pub text: String,
    /// Sections in which the operation executes, one bit each, section 0 the lowest.
    pub enabled: u8,
    /// Cycle in which the operation reads its operands: the one after its issue.
    pub read_cycle: Moment,
    /// Cycle at whose end the result is written; `None` if the operation writes nothing.
    pub write_cycle: Option<Moment>,
    /// Values that the operation writes, in the order of its operands. A load has the values that it read from memory
    /// when it issued. Side effects are left out: flags, and addresses that step in a load or store.
    pub written: Results,
    /// Words of local memory that the operation loads or stores; `None` if it accesses none.
    pub access: Option<LocalAccess>,
}

impl Event {
    /// Returns the heading of a table of events, whose columns fit the lines of [`Event::line`]. `place` is the heading
    /// of the column that `line` fills with its argument `place`; it stands before the operation.
    pub fn heading(place: &str) -> String {
        format!("   issue  addr   sect     read    write  {place}operation")
    }

    /// Returns the same event with all its cycles counted from reset, given the cycle since reset in which its bundle
    /// issued.
    pub fn since_reset(self, issue: Cycle) -> Event<Cycle> {
        let at = |moment: RunCycle| moment.since_reset((self.cycle, issue));
        Event {
            cycle: issue,
            address: self.address,
            bundle: self.bundle,
            slot: self.slot,
            name: self.name,
            text: self.text,
            enabled: self.enabled,
            read_cycle: at(self.read_cycle),
            write_cycle: self.write_cycle.map(at),
            written: self.written,
            access: self.access,
        }
    }
}

impl<Moment> Event<Moment> {
    /// Returns the same event with the text of its operation, for an event that was made without ([`Wants::UNNAMED`]).
    pub fn named(self) -> Self {
        let text = match self.slot {
            Slot::Arithmetic => self.bundle.arith.to_string(),
            Slot::Exchange => self.bundle.exch.to_string(),
        };
        Self { text, ..self }
    }
}

impl<Moment: fmt::Display> Event<Moment> {
    /// Returns the event as a line of text: cycle of issue, address, slot, sections, cycles of read and write, `place`
    /// (such as a source position, with the space behind it), operation. With `values`, the values written follow, one
    /// for each section.
    pub fn line(&self, place: &str, values: bool) -> String {
        let slot = match self.slot {
            Slot::Arithmetic => 'A',
            Slot::Exchange => 'X',
        };
        let sections: String = (0..SECTIONS)
            .map(|s| if self.enabled >> s & 1 == 1 { char::from(b'0' + s as u8) } else { '-' })
            .collect();
        let write = self.write_cycle.as_ref().map_or_else(|| "-".into(), |c| c.to_string());
        let mut line = format!(
            "{:>8} {:>5} {slot} {sections} {:>8} {write:>8}  {place}{}",
            self.cycle, self.address, self.read_cycle, self.text
        );
        let is_word = |w: &WrittenValue| !matches!(w.destination, Destination::Register(_));
        // The values of a store name its words.
        if let Some(access) = self.access
            && !(values && self.written.iter().flatten().any(is_word))
        {
            line += &format!("  {access}");
        }
        if values {
            for w in self.written.iter().flatten() {
                line += &format!("  {} =", w.destination);
                for value in &w.value[..w.destination.sections()] {
                    line += &format!(" {value:016x}");
                }
            }
        }
        line
    }
}

bitflags::bitflags! {
    /// Set of the things that an [`Observer`] wants to be told while an engine goes on: operations that issue, with or
    /// without their texts, and cycles that are over.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Wants: u8 {
        /// Every operation that issues, with its text.
        const OPERATIONS = 1;
        /// Every cycle, when it is over.
        const CYCLES = 2;
        /// Every operation that issues; its text may be left empty to save time, see [`Event::named`].
        const UNNAMED = 4;
    }
}

/// A cycle that is over, as an [`Observer`] is told of it: its cause, the banks of local memory that were accessed, and
/// the state of CP2 after it.
#[derive(Clone, Copy, Debug)]
pub struct PastCycle<'a> {
    /// Number of the cycle, counted since reset.
    pub number: Cycle,
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that the bundle of the cycle accessed: none, one, or more where the sections have
    /// addresses of their own.
    pub banks: Banks,
    /// Registers and memories after the cycle.
    pub state: &'a State,
}

/// Observer of a run: a trace, a recording, a debugger, for example. While an engine runs a machine, it calls
/// `operation` for the bundles in the order of issue, for the arithmetic operation of a bundle first, and `cycle` after
/// the operations of the cycle.
pub trait Observer {
    /// Returns what the observer wants to be told. The answer must not change during one call of an engine. An engine
    /// may be slower if it is not empty.
    fn wants(&self) -> Wants;

    /// Receives an operation that has issued. Called if the observer wants [`Wants::OPERATIONS`] or [`Wants::UNNAMED`].
    fn operation(&mut self, _: &Event) {}

    /// Receives a cycle that is over. Called if the observer wants [`Wants::CYCLES`]; `Break` makes the engine come
    /// back after this cycle.
    fn cycle(&mut self, _: &PastCycle<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// [`Observer`] that wants to be told nothing, for runs without a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn wants(&self) -> Wants {
        Wants::empty()
    }
}

/// Every function of events is an observer of operations.
impl<F: FnMut(&Event)> Observer for F {
    fn wants(&self) -> Wants {
        Wants::OPERATIONS
    }

    fn operation(&mut self, event: &Event) {
        self(event);
    }
}
