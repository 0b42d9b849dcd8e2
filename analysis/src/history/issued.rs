//! An operation that issued, as much as is needed to explain it: the operation, what it wrote, what it read beside registers.

use cp2_emu::arith::{Rounding, coefficient};
use cp2_emu::state::{CONTROL_INVERSE, Quad};
use cp2_emu::trace::{Destination, Event, LocalAccess, Results, Written};
use cp2_isa::{
    AccessMode, Bundle, BundleAddress, Cycle, Effects, Halves, Resource, Row, SectionMask, Slot,
    Unit, Words, WordsFrom, control,
};

/// The angle of the coefficients and the mode that an arithmetic operation sees beside its registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Angle {
    /// RIND before the operation: the angle of its coefficient, 65536 to a turn.
    pub rind: u16,
    /// CONTROL before the operation: rounding mode, and direction of the coefficients.
    pub control: u64,
}

impl Angle {
    /// Returns the coefficient at this angle.
    pub fn coefficient(self) -> u64 {
        coefficient(self.rind, self.control & CONTROL_INVERSE != 0)
    }

    /// Returns the rounding mode.
    pub fn rounding(self) -> Rounding {
        Rounding::of(self.control)
    }
}

/// An operation of a kernel that issued in a recorded run, with what it accessed and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Cycle of the issue, since reset.
    pub cycle: Cycle,
    /// Address of the bundle of the operation.
    pub address: BundleAddress,
    /// Slot of the bundle in which the operation is.
    pub slot: Slot,
    /// The whole bundle, of which the operation fills one slot.
    pub bundle: Bundle,
    /// Sections in which the operation executed.
    pub enabled: SectionMask,
    /// Words of local memory that the operation loaded or stored.
    pub access: Option<LocalAccess>,
    /// Values that the operation wrote to floating-point registers, words, condition codes, shared registers.
    pub written: Results,
    /// Registers written by the operation that the sections share, with their values behind it.
    pub shared: Vec<(Resource, u64)>,
    /// RIND and CONTROL that the operation saw beside its registers.
    pub angle: Angle,
}

impl Issued {
    /// Creates an operation from an event, without what it saw beside its registers.
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

    /// Returns the row of the operation in the table of operations.
    pub fn row(&self) -> &'static Row {
        match self.slot {
            Slot::Arithmetic => self.bundle.arith.op.row(),
            Slot::Exchange => self.bundle.exch.op.row(),
        }
    }

    /// Returns the unit of the operation.
    pub fn unit(&self) -> Unit {
        self.row().unit
    }

    /// Returns the operation as the assembler writes it, with its predicate.
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

    /// Calls `visit` with every use and definition of the operation; words of memory are those that were accessed.
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

    /// Returns the resources whose values the operation uses, each once.
    pub fn uses(&self) -> Vec<Resource> {
        let mut all: Vec<Resource> = Vec::new();
        self.footprint(&mut |access| {
            if access.mode == AccessMode::Use && !all.contains(&access.resource) {
                all.push(access.resource);
            }
        });
        all
    }

    /// Returns the value that the operation gave a resource in a section, if that is known.
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

    /// Returns the values that the operation stored in a word, one for every section; `None` if it stored none there.
    pub fn stored(&self, word: u16) -> Option<Quad> {
        let found = self.written.iter().flatten().find(|written| match written.destination {
            Destination::Word(at) => at.0 == word,
            Destination::Words(all) => all.iter().any(|at| at.0 == word),
            Destination::Register(_) => false,
        });
        found.map(|written| written.value)
    }

    /// Whether a write of a resource by the operation is seen in a section. Where each section has the resource, it is seen
    /// in those in which the operation executed and that it names.
    pub(super) fn is_seen_in(&self, resource: Resource, section: cp2_isa::Section) -> bool {
        let own = resource.storage().info().layout.is_per_section();
        !own || self.enabled.contains(section) && self.names(section)
    }

    /// Whether the section operand of the operation, if it has one, is this section.
    fn names(&self, section: cp2_isa::Section) -> bool {
        let transfer = match self.slot {
            Slot::Exchange => self.bundle.exch.fpr_transfer(),
            Slot::Arithmetic => None,
        };
        transfer.and_then(|t| t.section).is_none_or(|named| named == section)
    }
}

/// Returns the key by which writes of a resource are found: registers as a whole.
pub(super) fn whole(resource: Resource) -> Resource {
    match resource {
        Resource::Fpr(n, _) => Resource::Fpr(n, Halves::BOTH),
        other => other,
    }
}

/// Whether a resource is a register that the sections share and that is written at once, so that the state behind the cycle
/// has its value.
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
