//! One operation that issued, as much as is needed to explain it: what it was, what it wrote, what it read
//! beside registers.

use cp2_emu::arith::{Rounding, coefficient};
use cp2_emu::state::{CONTROL_INVERSE, Quad};
use cp2_emu::trace::{Access, Destination, Event, Results, Written};
use cp2_isa::{
    Bundle, BundleAddress, Cycle, Effects, Halves, Mode, Resource, Row, SectionMask, Slot, Unit,
    Words, WordsFrom, control,
};

/// What an arithmetic operation sees beside its registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Angle {
    /// RIND before the operation.
    pub rind: u16,
    /// CONTROL.
    pub control: u64,
}

impl Angle {
    /// The coefficient at this angle.
    pub fn coefficient(self) -> u64 {
        coefficient(self.rind, self.control & CONTROL_INVERSE != 0)
    }

    /// The rounding mode.
    pub fn rounding(self) -> Rounding {
        Rounding::of(self.control)
    }
}

/// An operation that issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The cycle in which it did, since reset.
    pub cycle: Cycle,
    /// The address of its bundle.
    pub address: BundleAddress,
    /// Its half of the bundle.
    pub slot: Slot,
    /// The bundle.
    pub bundle: Bundle,
    /// Sections in which it executed.
    pub enabled: SectionMask,
    /// The words of local memory that it loaded or stored.
    pub access: Option<Access>,
    /// What it wrote: floating-point registers, words, condition codes, shared registers.
    pub written: Results,
    /// Registers that the sections share, behind it.
    pub shared: Vec<(Resource, u64)>,
    /// What it saw beside its registers.
    pub angle: Angle,
}

impl Issued {
    /// An event as an operation, without what it saw beside its registers.
    pub fn at(event: &Event<Cycle>) -> Self {
        Self::new(event, event.cycle, Angle::default())
    }

    pub(super) fn new<Moment>(event: &Event<Moment>, cycle: Cycle, angle: Angle) -> Self {
        Self {
            cycle,
            address: event.address,
            slot: event.slot,
            bundle: event.bundle,
            enabled: SectionMask::from_bits(event.enabled),
            access: event.access,
            written: event.written,
            shared: Vec::new(),
            angle,
        }
    }

    /// Its row in the table of operations.
    pub fn row(&self) -> &'static Row {
        match self.slot {
            Slot::Arithmetic => self.bundle.arith.op.row(),
            Slot::Exchange => self.bundle.exch.op.row(),
        }
    }

    /// Its unit.
    pub fn unit(&self) -> Unit {
        self.row().unit
    }

    /// The operation as the assembler writes it, with its predicate.
    pub fn text(&self) -> String {
        let text = match self.slot {
            Slot::Arithmetic => self.bundle.arith.to_string(),
            Slot::Exchange => self.bundle.exch.to_string(),
        };
        match self.bundle.cc {
            0 => text,
            cc if self.row().effects.contains(Effects::PREDICATED) => format!("(cc{cc}) {text}"),
            _ => text,
        }
    }

    /// Calls `visit` with everything that it uses and defines; words of memory as they were accessed.
    pub fn footprint(&self, visit: &mut dyn FnMut(cp2_isa::Access)) {
        let Self { access, bundle: Bundle { cc, arith, exch }, .. } = self;
        let mut located = |mut a: cp2_isa::Access| {
            if let (Resource::Memory(words), Some(own)) = (a.resource, access.and_then(|a| a.own)) {
                for (section, first) in cp2_isa::Section::ALL.into_iter().zip(own) {
                    let from = WordsFrom::Word(first);
                    let resource = Resource::Memory(Words { from, ..words });
                    let sections = cp2_isa::SectionMask::one(section);
                    visit(cp2_isa::Access { resource, sections, ..a });
                }
                return;
            }
            if let (Resource::Memory(words), Some(access)) = (a.resource, access) {
                let from = WordsFrom::Word(access.word);
                a.resource = Resource::Memory(Words { from, ..words });
            }
            visit(a);
        };
        match self.slot {
            Slot::Arithmetic => arith.footprint(*cc, &mut located),
            Slot::Exchange => exch.footprint(*cc, &mut located),
        }
    }

    /// The resources whose values it uses, each once.
    pub fn uses(&self) -> Vec<Resource> {
        let mut all: Vec<Resource> = Vec::new();
        self.footprint(&mut |access| {
            if access.mode == Mode::Use && !all.contains(&access.resource) {
                all.push(access.resource);
            }
        });
        all
    }

    /// The value that it gave a resource in a section, if that is known.
    pub fn value(&self, resource: Resource, section: usize) -> Option<u64> {
        let of = |written: &Written| match (written.destination, resource) {
            (Destination::Register(Resource::Fpr(n, _)), Resource::Fpr(m, halves)) if n == m => {
                Some(written.value[section] & halves.mask())
            }
            // `mtc` to FCCR writes all codes, which it names by the first.
            (Destination::Register(Resource::Fccr(0)), Resource::Fccr(m)) => Some(u64::from(
                cp2_isa::rules::flags::fccr_written(written.value[section]) >> m & 1,
            )),
            (Destination::Register(wrote), asked) if wrote == asked => Some(written.value[section]),
            _ => None,
        };
        let direct = self.written.iter().flatten().find_map(of);
        let shared = || self.shared.iter().find(|(r, _)| *r == resource).map(|(_, v)| *v);
        match resource {
            Resource::Fpr(..) | Resource::Fccr(_) | Resource::Fcsr => direct,
            _ => shared().or(direct),
        }
    }

    /// What it stored in a word, in every section.
    pub fn stored(&self, word: u16) -> Option<Quad> {
        let found = self.written.iter().flatten().find(|written| match written.destination {
            Destination::Word(at) => at.0 == word,
            Destination::Words(all) => all.iter().any(|at| at.0 == word),
            Destination::Register(_) => false,
        });
        found.map(|written| written.value)
    }

    /// Whether it writes halves of a register that the sections do not share.
    pub(super) fn is_seen_in(&self, resource: Resource, section: cp2_isa::Section) -> bool {
        let own = resource.storage().info().layout.is_per_section();
        !own || self.enabled.contains(section) && self.names(section)
    }

    /// Whether its section operand, if it has one, is this.
    fn names(&self, section: cp2_isa::Section) -> bool {
        let transfer = match self.slot {
            Slot::Exchange => self.bundle.exch.fpr_transfer(),
            Slot::Arithmetic => None,
        };
        transfer.and_then(|t| t.section).is_none_or(|named| named == section)
    }
}

/// The key by which writes of a resource are found: registers as a whole.
pub(super) fn whole(resource: Resource) -> Resource {
    match resource {
        Resource::Fpr(n, _) => Resource::Fpr(n, Halves::BOTH),
        other => other,
    }
}

/// Whether the sections share a register that is written at once, whose value the state behind the
/// cycle tells.
pub(super) fn is_scalar(resource: Resource) -> bool {
    match resource {
        Resource::Gpr(_) | Resource::Ireg(_) | Resource::A(_) | Resource::N(_) | Resource::M(_) => {
            true
        }
        Resource::Control(n) => matches!(
            n,
            control::RIND | control::RSTEP | control::RMASK | control::CONTROL | control::COMM
        ),
        _ => false,
    }
}
