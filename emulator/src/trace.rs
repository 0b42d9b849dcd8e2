//! Events of a run for observers: operations as they issue, cycles as they end. Callers write traces to files.

use crate::state::{Quad, State};
use crate::stats::Cause;
use cp2_isa::{
    Banks, Bundle, BundleAddress, Cycle, Resource, RunCycle, SECTIONS, Section, Slot, Storage,
    WordAddress,
};
use std::fmt;
use std::ops::ControlFlow;

/// Destination of a value that an operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A register.
    Register(Resource),
    /// A word of local memory in every section.
    Word(WordAddress),
    /// Words, in each section one of its own.
    Words([WordAddress; SECTIONS]),
}

impl Destination {
    /// Returns the number of sections that have a value of their own there: all, or one for a register that they share.
    pub fn sections(self) -> usize {
        let storage = match self {
            Self::Register(resource) => resource.storage(),
            Self::Word(_) | Self::Words(_) => Storage::Lmem,
        };
        storage.info().layout.sections()
    }

    /// Whether the destination is the register or word with this number of a kind.
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

/// Returns the number of a register among its kind, if each has a place of its own.
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

/// Value that an operation writes, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Register or word of memory that is written.
    pub destination: Destination,
    /// Value in every section; a register that the sections share has it in section 0.
    pub value: Quad,
}

/// The registers and words that an operation writes: at most the three registers of an address set.
pub type Results = [Option<Written>; 3];

/// Words of local memory that an operation reads or writes in every section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalAccess {
    /// First word of the access; of section 0 where each section has its own.
    pub word: WordAddress,
    /// First word of each section, where each has its own.
    pub own: Option<[WordAddress; SECTIONS]>,
    /// Number of words: 1, or 2 for a double access.
    pub words: u8,
}

impl LocalAccess {
    /// Returns the address of the first word that the access has in a section.
    pub fn word_in(&self, section: Section) -> WordAddress {
        self.own.map_or(self.word, |own| own[section.index()])
    }

    /// Returns all words of the access, in whichever section.
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

/// Event of a run: an operation of a bundle, with its moments on one of two clocks: an engine tells [`RunCycle`]s, and
/// [`Event::since_reset`] makes [`Cycle`]s of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<Moment = RunCycle> {
    /// Cycle in which the bundle issued.
    pub cycle: Moment,
    /// Address in instruction memory of the bundle that has the operation.
    pub address: BundleAddress,
    /// The bundle, both halves of it.
    pub bundle: Bundle,
    /// Half of the bundle that the operation is in.
    pub slot: Slot,
    /// Mnemonic of the operation, without operands.
    pub name: &'static str,
    /// Text of the operation as the assembler writes it.
    pub text: String,
    /// Sections in which the operation executes, one bit each.
    pub enabled: u8,
    /// Cycle in which the operation reads its operands.
    pub read_cycle: Moment,
    /// Cycle at whose end the result is written; `None` if the operation writes nothing.
    pub write_cycle: Option<Moment>,
    /// Values that the operation writes, in the order of its operands. A load tells what it reads at its issue.
    pub written: Results,
    /// Words of local memory that the operation loads or stores.
    pub access: Option<LocalAccess>,
}

impl Event {
    /// Returns the heading of [`Event::line`], with that of the places.
    pub fn heading(place: &str) -> String {
        format!("   issue  addr   sect     read    write  {place}operation")
    }

    /// Returns the same event with its moments counted from reset: its bundle issued in this cycle.
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
    /// Returns the same event with its text, for one that came without.
    pub fn named(self) -> Self {
        let text = match self.slot {
            Slot::Arithmetic => self.bundle.arith.to_string(),
            Slot::Exchange => self.bundle.exch.to_string(),
        };
        Self { text, ..self }
    }
}

impl<Moment: fmt::Display> Event<Moment> {
    /// Returns the event as a line of text. `place` stands before the operation, `values` adds the results per section.
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
        let is_word = |w: &Written| !matches!(w.destination, Destination::Register(_));
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
    /// The things that an observer wants to be told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Wants: u8 {
        /// Every operation.
        const OPERATIONS = 1;
        /// Every cycle.
        const CYCLES = 2;
        /// Every operation, whose text is not read; see [`Event::named`].
        const UNNAMED = 4;
    }
}

/// Cycle that is over, and the state behind it.
#[derive(Clone, Copy, Debug)]
pub struct PastCycle<'a> {
    /// Number of the cycle, counted since reset.
    pub number: Cycle,
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// The banks of local memory that CP2 accessed, in whichever section: more than one only where sections have
    /// addresses of their own.
    pub banks: Banks,
    /// Registers and memories, what was written in the cycle included.
    pub state: &'a State,
}

/// Observer of a run: a trace, a recording, a debugger. Operations of a bundle come arithmetic first, bundles in the order of
/// issue, a cycle after its operations.
pub trait Observer {
    /// Returns the kinds of events that the observer wants to be told; the same all through a call of an engine, which may be
    /// slow if this is anything.
    fn wants(&self) -> Wants;

    /// Takes an operation that has issued.
    fn operation(&mut self, _: &Event) {}

    /// Takes a cycle that is over. A break ends the call of the engine here.
    fn cycle(&mut self, _: &PastCycle<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Observer that wants to be told nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Observer for Off {
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
