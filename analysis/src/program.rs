//! The program of a recording, with as many names as there are: those that the recording keeps, else the
//! bundles of instruction memory alone.

use crate::attribution::{Attribution, SourceLineId};
use cp2_emu::State;
use cp2_ir::image::{Image, Kernel};
use cp2_ir::sites::{BundleNames, short};
use cp2_isa::rules::flow::Body;
use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Core, Exch, decode};

/// A program with the names of its bundles.
#[derive(Debug)]
pub struct NamedProgram<'a> {
    /// Image that has the bundles of the program.
    pub image: &'a Image,
    /// Labels, files and lines of the bundles, by address.
    pub places: BundleNames<'a>,
    /// Lines that pay for the bundles.
    pub charges: Attribution,
    /// Core that the program is made for.
    pub core: Core,
}

/// The use of the slots of a hardware loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopUse {
    /// Address of the `do` that begins the loop.
    pub at: BundleAddress,
    /// Bundles of the loop, from the one behind the `do` to the last ([`Body::last`]).
    pub body: Body,
    /// Number of bundles of the body.
    pub bundles: u32,
    /// Number of bundles with an arithmetic operation.
    pub arithmetic: u32,
    /// Number of bundles with an exchange operation.
    pub exchange: u32,
}

impl<'a> NamedProgram<'a> {
    /// Creates the program of an image that is made for a core.
    pub fn new(image: &'a Image, core: &Core) -> Self {
        let (places, charges) = (BundleNames::new(image, core), Attribution::new(image, core));
        Self { image, places, charges, core: *core }
    }

    /// Returns the bundle at an address.
    pub fn bundle(&self, address: BundleAddress) -> Option<Bundle> {
        decode(self.image.word(address)?, &self.core).ok()
    }

    /// Returns the text of a line, such as `fir.s:12`.
    pub fn line_text(&self, (file, line): SourceLineId) -> String {
        let file = self.image.files.get(file as usize).map_or("", |name| short(name));
        format!("{file}:{line}")
    }

    /// Returns the innermost hardware loop whose body a bundle is in.
    pub fn innermost(&self, address: BundleAddress) -> Option<LoopUse> {
        let (at, body) = self.places.bodies(address).last()?;
        let mut of = LoopUse { at, body, bundles: 0, arithmetic: 0, exchange: 0 };
        for bundle in body.addresses().filter_map(|address| self.bundle(address)) {
            of.bundles += 1;
            of.arithmetic += u32::from(bundle.arith.op != Arith::Nop);
            of.exchange += u32::from(bundle.exch.op != Exch::Nop);
        }
        Some(of)
    }
}

/// Returns the content of instruction memory as a program without names.
pub fn of_memory(state: &State) -> Image {
    let is_used = |word: &BundleBits| *word != 0;
    let first = state.iram.iter().position(is_used);
    let last = state.iram.iter().rposition(is_used);
    let kernel = first.zip(last).map(|(first, last)| Kernel {
        name: "iram".to_owned(),
        start: BundleAddress::from_index(first),
        words: state.iram[first..=last].to_vec(),
    });
    Image { kernels: kernel.into_iter().collect(), ..Image::default() }
}
