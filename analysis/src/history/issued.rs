//! An operation that issued in a recorded run, with as much as explanations need: what it wrote, and what it read
//! besides registers.

use cp2_emu::arith::{Rounding, coefficient};
use cp2_emu::state::{CONTROL_INVERSE, Quad};
use cp2_emu::trace::{Destination, Event, LocalAccess, Results, WrittenValue};
use cp2_isa::{
    AccessMode, Bundle, BundleAddress, Cycle, Effects, Halves, Resource, Row, SectionMask, Slot,
    Unit, Words, WordsFrom, control,
};

/// The control registers that an arithmetic operation reads without naming them as operands: the angle of its
/// coefficient, and the modes in CONTROL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Angle {
    /// Value of RIND before the operation: the angle of its coefficient, 65536 to a full circle.
    pub rind: u16,
    /// Value of CONTROL before the operation, with the rounding mode and the direction of the coefficients.
    pub control: u64,
}

impl Angle {
    /// Returns the bits of the coefficient at this angle, a complex number with two floats of 32 bits.
    pub fn coefficient(self) -> u64 {
        coefficient(self.rind, self.control & CONTROL_INVERSE != 0)
    }

    /// Returns the rounding mode that CONTROL selects.
    pub fn rounding(self) -> Rounding {
        Rounding::of(self.control)
    }
}

/// An operation of a kernel that issued in a recorded run: when, from which bundle, and what it accessed and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Cycle in which the operation issued, counted from reset.
    pub cycle: Cycle,
    /// Address of the bundle that contains the operation.
    pub address: BundleAddress,
    /// Slot of the bundle, arithmetic or exchange, in which the operation stands.
    pub slot: Slot,
    /// The whole bundle; [`Issued::slot`] tells which half of it the operation is.
    pub bundle: Bundle,
    /// Sections in which the predicate let the operation execute.
    pub enabled: SectionMask,
    /// Words of local memory that the operation loaded or stored; `None` if it accessed none.
    pub access: Option<LocalAccess>,
    /// Values that the operation wrote to FPRs, words, condition codes and other registers, as the event of the run
    /// told them.
    pub written: Results,
    /// Registers common to all sections that the operation wrote, each with its new value.
    pub shared: Vec<(Resource, u64)>,
    /// Values of the control registers RIND, the angle of the coefficient, and CONTROL, the modes of arithmetic, before
    /// the operation.
    pub angle: Angle,
}

impl Issued {
    /// Creates the operation from an event of a run. The registers RIND and CONTROL and the written shared registers,
    /// which the event does not have, stay 0 and empty.
    pub fn at(event: &Event<Cycle>) -> Self {
        Self::new(event, event.cycle, Angle::default())
    }

    /// Creates the operation from an event of a run, as [`Issued::at`] does, with the cycle in which it issued.
    pub(crate) fn in_cycle<Moment>(event: &Event<Moment>, cycle: Cycle) -> Self {
        Self::new(event, cycle, Angle::default())
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

    /// Returns the operation's row in the table of all operations of CP2.
    pub fn row(&self) -> &'static Row {
        match self.slot {
            Slot::Arithmetic => self.bundle.arith.op.row(),
            Slot::Exchange => self.bundle.exch.op.row(),
        }
    }

    /// Returns the functional unit of the operation, which decides after how many cycles its result is seen.
    pub fn unit(&self) -> Unit {
        self.row().unit
    }

    /// Returns the operation as the assembler writes it, behind its predicate such as `(cc1)` if it has one.
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

    /// Calls `visit` with every access of the operation to a register or memory. Words of local memory are given by the
    /// address that the operation accessed in this run.
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

    /// Returns the registers and words that the operation reads, each once.
    pub fn uses(&self) -> Vec<Resource> {
        let mut all: Vec<Resource> = Vec::new();
        self.footprint(&mut |access| {
            if access.mode == AccessMode::Use && !all.contains(&access.resource) {
                all.push(access.resource);
            }
        });
        all
    }

    /// Returns the value that the operation wrote to `resource` in the section with this number, from 0; `None` if it
    /// wrote none there or the value is not known.
    pub fn value(&self, resource: Resource, section: usize) -> Option<u64> {
        let of = |written: &WrittenValue| match (written.destination, resource) {
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

    /// Returns the value that the operation stored in the local word with this address, one for each section; `None` if
    /// it stored nothing there.
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
