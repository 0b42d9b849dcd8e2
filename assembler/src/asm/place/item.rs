//! What has a place and waits for the values of its expressions.

use super::layout::{LocationCounters, Slot};
use crate::asm::line::Spot;
use crate::asm::promised::Promised;
use crate::asm::symbols::Site;
use crate::image::Hints;
use crate::linear::Region;
use crate::parse::ast::{ArrayLine, BundleLine, DataForm, Expr, Operand, Setting, Word};
use crate::sched::{RegionReport, ScheduledBundle};
use cp2_isa::{Bundle, BundleAddress, Extensions};
use std::collections::BTreeMap;

/// An item of which words will be made.
#[derive(Debug)]
pub(crate) enum Item {
    /// A bundle as it was written.
    Bundle { site: Site, bundle: Box<BundleLine>, target: Target },
    /// A bundle given as a number, or as those of its two words.
    Raw { site: Site, low: Expr, upper: Option<Expr>, target: Target },
    /// A bundle of the scheduler, which has its values.
    Scheduled { bundle: Box<Bundle>, target: Target },
    /// A line of data; without a slot if the data did not fit.
    Data { site: Site, form: DataForm, exprs: Vec<Expr>, slot: Option<Slot> },
}

/// The place of a bundle; without an address if the bundle did not fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) kernel: usize,
    pub(crate) address: Option<BundleAddress>,
}

/// The places in which a bundle was written.
#[derive(Debug)]
pub(crate) struct Written {
    /// Place of the whole.
    pub(crate) whole: Spot,
    /// Place of the exchange operation.
    pub(crate) exchange: Option<Spot>,
    /// Places of operations whose work an operation of the bundle does too.
    pub(crate) merged: Vec<Spot>,
}

/// A program whose addresses are final.
#[derive(Debug)]
pub(crate) struct PlacedProgram {
    pub(crate) layout: LocationCounters,
    pub(crate) written: BTreeMap<BundleAddress, Written>,
    pub(crate) hints: Hints,
    pub(crate) requires: Extensions,
    pub(crate) declared: Vec<Declared>,
    pub(crate) regions: Vec<Scheduled>,
}

impl PlacedProgram {
    /// Whether the source allows a code at a bundle.
    pub(crate) fn allows(&self, address: Option<BundleAddress>, code: &str) -> bool {
        let codes = address.and_then(|a| self.hints.allowed.get(&a));
        codes.is_some_and(|codes| codes.iter().any(|c| c == code))
    }
}

/// A line of `.arg` or `.array`, and the kernel that it speaks of.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) kernel: String,
    pub(crate) site: Site,
    pub(crate) what: Declaration,
}

/// The declaration that such a line makes.
#[derive(Debug)]
pub(crate) enum Declaration {
    Argument { name: Word, register: Operand, element: Option<Word>, settings: Vec<Setting> },
    Array(Box<ArrayLine>),
}

/// A region of linear code with the bundles that the scheduler made of it, as
/// [`assemble_regions`](crate::assemble_regions) returns it.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Region of linear code as the source has it.
    pub region: Region,
    /// Bundles of the region's schedule, in the order of their addresses.
    pub bundles: Vec<ScheduledBundle>,
    /// Report of the scheduler: cycles of the region, and lower bounds, bundles and registers of its blocks.
    pub report: RegionReport,
    /// Bundle address of the region's first bundle.
    pub start: BundleAddress,
    /// Places in which the promises of the region were written.
    pub(crate) promised: Promised,
}
