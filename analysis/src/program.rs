//! The program of a recording with its names: those that the recording keeps, else only the bundles of instruction
//! memory.

use crate::arrays::{WordNames, WordsInTime};
use crate::attribution::{Attribution, SourceLineId};
use crate::history::Issued;
use crate::stages::Stages;
use cp2_ir::diagnostic::Sources;
use cp2_ir::image::{Image, Kernel};
use cp2_ir::sites::{BundleNames, NamesByCycle, Site, short};
use cp2_isa::rules::flow::Body;
use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Core, Cycle, Exch, decode};
use std::ops::Range;

/// A program with indices that find the names and source lines of its bundles.
#[derive(Debug)]
pub struct NamedProgram<'a> {
    /// Image with the bundles of the program.
    pub image: &'a Image,
    /// Index of labels, source lines and hardware loops by bundle address.
    pub places: BundleNames<'a>,
    /// Index of the source lines that pay for the cycles of each bundle.
    pub attribution: Attribution,
    /// Stages of the work of its lines, as far as their texts are known and have notes.
    pub stages: Stages,
    /// Core that the program was assembled for.
    pub core: Core,
    /// Names of the programs of other cycles, if several took turns in instruction memory.
    turns: Option<&'a NamesByCycle<'a>>,
    /// Names of words of local memory, if they have been looked for.
    words: Option<&'a WordsInTime>,
}

/// Source of names for operations that issued: it tells where in the source an operation stands.
pub trait OperationNames {
    /// Returns the place in the source of an operation that issued; without names if it is not known.
    fn site_of_operation(&self, issued: &Issued) -> Site<'_>;

    /// Returns the names of words of local memory in a cycle; `None` if none are known.
    fn words_in(&self, _cycle: Cycle) -> Option<&WordNames> {
        None
    }
}

impl OperationNames for BundleNames<'_> {
    fn site_of_operation(&self, issued: &Issued) -> Site<'_> {
        self.site_of(issued.address, issued.slot)
    }
}

impl OperationNames for NamedProgram<'_> {
    fn site_of_operation(&self, issued: &Issued) -> Site<'_> {
        match self.turns {
            Some(turns) => turns.site_of_operation(issued),
            None => self.places.site_of_operation(issued),
        }
    }

    fn words_in(&self, cycle: Cycle) -> Option<&WordNames> {
        self.words.map(|words| words.names(cycle))
    }
}

impl OperationNames for NamesByCycle<'_> {
    fn site_of_operation(&self, issued: &Issued) -> Site<'_> {
        self.site_of(issued.cycle, issued.address, issued.slot)
    }
}

/// Places of a program with names of words of local memory in time, without the indices of a [`NamedProgram`].
#[derive(Debug)]
pub struct NamedPlaces<'a> {
    /// Index of labels and source lines by bundle address.
    pub places: BundleNames<'a>,
    /// Names of words of local memory.
    pub words: &'a WordsInTime,
}

impl OperationNames for NamedPlaces<'_> {
    fn site_of_operation(&self, issued: &Issued) -> Site<'_> {
        self.places.site_of_operation(issued)
    }

    fn words_in(&self, cycle: Cycle) -> Option<&WordNames> {
        Some(self.words.names(cycle))
    }
}

/// A hardware loop of a program, and how many of its bundles use each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopUse {
    /// Address of the `do` that begins the loop.
    pub at: BundleAddress,
    /// Addresses of the bundles of the loop's body, from the one behind the `do` to [`Body::last`].
    pub body: Body,
    /// Number of bundles in the body of the loop.
    pub bundles: u32,
    /// Number of bundles in the body with an arithmetic operation other than `nop`.
    pub arithmetic: u32,
    /// Number of bundles in the body with an exchange operation other than `nop`.
    pub exchange: u32,
}

impl<'a> NamedProgram<'a> {
    /// Creates the indices for an image that was assembled for `core`.
    pub fn new(image: &'a Image, core: &Core) -> Self {
        let (places, attribution) = (BundleNames::new(image, core), Attribution::new(image, core));
        let stages = Stages::default();
        Self { image, places, attribution, stages, core: *core, turns: None, words: None }
    }

    /// Returns the program with the stages that the texts of its files name.
    #[must_use]
    pub fn with_sources(self, sources: &Sources) -> Self {
        Self { stages: Stages::of(self.image, sources), ..self }
    }

    /// Returns the stage that pays for the cycles of a bundle, that of its arithmetic operation if it has one; `None` if no
    /// note names it.
    pub fn stage(&self, address: BundleAddress) -> Option<&str> {
        self.attribution.payer(address).and_then(|line| self.stages.stage(line))
    }

    /// Returns the program with names for operations of all cycles, of which it had its own ones.
    #[must_use]
    pub fn with_turns(self, turns: &'a NamesByCycle<'a>) -> Self {
        Self { turns: Some(turns), ..self }
    }

    /// Returns the program with names of words of local memory.
    #[must_use]
    pub fn with_words(self, words: &'a WordsInTime) -> Self {
        Self { words: Some(words), ..self }
    }

    /// Returns the decoded bundle at an address; `None` if there is none, or if it is no bundle of the core.
    pub fn bundle(&self, address: BundleAddress) -> Option<Bundle> {
        decode(self.image.word(address)?, &self.core).ok()
    }

    /// Returns a source line as text, such as `fir.s:12`.
    pub fn line_text(&self, (file, line): SourceLineId) -> String {
        let file = self.image.files.get(file as usize).map_or("", |name| short(name));
        format!("{file}:{line}")
    }

    /// Returns the innermost hardware loop whose body contains the bundle at an address; `None` if it is in no loop.
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

/// A program with the cycles of a recording in which its names are right, as ranges in the order of time.
pub type ProgramInCycles<'a> = (&'a NamedProgram<'a>, Vec<Range<Cycle>>);

/// Returns the content of instruction memory as an image without names: one kernel `iram` from the first to the last
/// bundle that is not 0, or no kernel if all are.
pub fn of_memory(iram: &[BundleBits]) -> Image {
    let is_used = |word: &BundleBits| *word != 0;
    let first = iram.iter().position(is_used);
    let last = iram.iter().rposition(is_used);
    let kernel = first.zip(last).map(|(first, last)| Kernel {
        name: "iram".to_owned(),
        start: BundleAddress::from_index(first),
        words: iram[first..=last].to_vec(),
    });
    Image { kernels: kernel.into_iter().collect(), ..Image::default() }
}
