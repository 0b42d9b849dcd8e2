//! The image as the rules see it: every bundle decoded once, with its accesses and its part in the
//! flow of control. No rule lives here.

use cp2_ir::image::{Image, Kernel, SymbolKind};
use cp2_ir::interface::Interface;
use cp2_isa::rules::flow::Body;
use cp2_isa::{
    Access, Bundle, BundleAddress, Core, CountOperand, Effects, Exch, Undefined, decode,
};

/// The effect of a bundle on the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// The flow goes on with the next bundle.
    None,
    /// Waits.
    Sync,
    /// Jump to a known or an unknown address; one delay slot.
    Jump(Option<BundleAddress>),
    /// Call of a known or an unknown address; one delay slot.
    Call(Option<BundleAddress>),
    /// Return; one delay slot.
    Ret,
    /// Hardware loop until the bundle after `end`; the count is absent if a GPR has it.
    Do {
        /// Iterations.
        count: Option<u32>,
        /// The bundle before the last one of the body.
        end: BundleAddress,
    },
    /// Forgets the innermost loop.
    Enddo,
    /// Stops.
    Stop,
    /// Only for the host.
    Run,
}

/// A bundle with what is known of it.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bundle: Bundle,
    pub(super) uses: Box<[Access]>,
    pub(super) control: Control,
}

/// The content of an address of instruction memory.
#[derive(Debug)]
pub(super) enum Slot {
    /// No kernel covers the address.
    Absent,
    /// A word that is no bundle.
    Undefined(Undefined),
    /// A bundle.
    Bundle(Box<Decoded>),
}

/// All bundles of an image.
pub(super) struct Program<'a> {
    pub(super) image: &'a Image,
    /// The core that the image is meant for.
    pub(super) core: Core,
    slots: Vec<Slot>,
}

fn control(bundle: &Bundle) -> Control {
    let exch = &bundle.exch;
    if let Some((count, end)) = exch.hardware_loop() {
        let count = match count {
            CountOperand::Immediate(count) => Some(count),
            CountOperand::Gpr(_) => None,
        };
        return Control::Do { count, end };
    }
    match exch.op {
        Exch::Sync => Control::Sync,
        Exch::Jumpi | Exch::Jump => Control::Jump(exch.target()),
        Exch::Calli | Exch::Call => Control::Call(exch.target()),
        Exch::Ret => Control::Ret,
        Exch::Enddo => Control::Enddo,
        Exch::Stop | Exch::Stopi => Control::Stop,
        Exch::Run | Exch::Runi => Control::Run,
        _ => Control::None,
    }
}

impl Control {
    /// Whether the next bundle issues before the transfer.
    pub(super) fn has_delay_slot(self) -> bool {
        matches!(self, Self::Jump(_) | Self::Call(_) | Self::Ret)
    }
}

impl<'a> Program<'a> {
    /// Decodes every word of the image.
    pub(super) fn new(image: &'a Image, core: &Core) -> Self {
        let mut slots = Vec::new();
        slots.resize_with(core.iram_bundles(), || Slot::Absent);
        for kernel in &image.kernels {
            for (slot, &word) in slots.iter_mut().skip(kernel.start.index()).zip(&kernel.words) {
                *slot = match decode(word, core) {
                    Ok(bundle) => Slot::Bundle(Box::new(Decoded {
                        uses: footprint(&bundle),
                        control: control(&bundle),
                        bundle,
                    })),
                    Err(undefined) => Slot::Undefined(undefined),
                };
            }
        }
        Self { image, core: *core, slots }
    }

    /// Returns the content of an address.
    pub(super) fn slot(&self, address: BundleAddress) -> &Slot {
        self.slots.get(address.index()).unwrap_or(&Slot::Absent)
    }

    /// Returns the bundle at an address, if there is one.
    pub(super) fn get(&self, address: BundleAddress) -> Option<&Decoded> {
        match self.slot(address) {
            Slot::Bundle(decoded) => Some(decoded),
            Slot::Absent | Slot::Undefined(_) => None,
        }
    }

    fn slots(&self) -> impl Iterator<Item = (BundleAddress, &Slot)> {
        (0..).map(BundleAddress).zip(&self.slots)
    }

    /// Returns every bundle with its address.
    pub(super) fn bundles(&self) -> impl Iterator<Item = (BundleAddress, &Decoded)> {
        self.slots().filter_map(|(address, slot)| match slot {
            Slot::Bundle(decoded) => Some((address, &**decoded)),
            Slot::Absent | Slot::Undefined(_) => None,
        })
    }

    /// Returns every word that is no bundle, with its address.
    pub(super) fn undefined(&self) -> impl Iterator<Item = (BundleAddress, &Undefined)> {
        self.slots().filter_map(|(address, slot)| match slot {
            Slot::Undefined(why) => Some((address, why)),
            Slot::Absent | Slot::Bundle(_) => None,
        })
    }

    /// Returns the kernel that covers an address.
    pub(super) fn kernel(&self, address: BundleAddress) -> Option<&'a Kernel> {
        self.image.kernel_at(address)
    }

    /// Returns the declarations of the kernel that begins at an address.
    pub(super) fn interface(&self, entry: BundleAddress) -> Option<&'a Interface> {
        let kernel = self.kernel(entry).filter(|kernel| kernel.start == entry)?;
        self.image.interfaces.get(&kernel.name)
    }

    /// Whether the address belongs to linear code that promises that its loops are counted at least once.
    pub(super) fn is_count_promised(&self, address: BundleAddress) -> bool {
        let mut regions = self.image.promises.iter();
        regions.any(|region| region.holds(address) && !region.counts.is_empty())
    }

    /// Returns the addresses where a run can begin: kernels, and labels that the image exports.
    pub(super) fn entries(&self) -> Vec<BundleAddress> {
        let exported = self
            .image
            .symbols
            .iter()
            .filter(|symbol| symbol.global && symbol.kind == SymbolKind::Bundle);
        let mut entries: Vec<BundleAddress> = exported
            .filter_map(|symbol| u16::try_from(symbol.value).ok().map(BundleAddress))
            .chain(self.image.kernels.iter().map(|kernel| kernel.start))
            .filter(|&address| !matches!(self.slot(address), Slot::Absent))
            .collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// Returns the body of the loop that begins with the `do` at an address.
    pub(super) fn body(&self, at: BundleAddress) -> Option<Body> {
        match self.get(at)?.control {
            Control::Do { end, .. } => Some(Body::behind(at, end)),
            _ => None,
        }
    }
}

/// Whether the operation is one of the arithmetic slot that also steps the coefficient angle.
pub(super) fn steps_angle(bundle: &Bundle) -> bool {
    bundle.arith.op.row().effects.contains(Effects::COEFFICIENT)
}

/// Returns all accesses of a bundle.
fn footprint(bundle: &Bundle) -> Box<[Access]> {
    let mut all = Vec::new();
    bundle.footprint(&mut |access| all.push(access));
    all.into()
}
