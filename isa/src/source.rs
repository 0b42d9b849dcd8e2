//! Sources of the facts of the table: the documents of the reference material and the places in them. All of them
//! restate `[L]`, the open model library of CP2.

/// Document of the reference material, the descriptions of CP2 from which the facts in the table of operations are
/// taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    /// The document on the instruction set, `cp2-isa`.
    Isa,
    /// The document on the cycle rules, `cp2-timing`.
    Timing,
    /// The document on the elementary functions, `elementary`.
    Elementary,
    /// The document on the DMA controller, `dma`.
    Dma,
}

impl Document {
    /// Returns the name of the document in the reference material, such as `cp2-isa`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Isa => "cp2-isa",
            Self::Timing => "cp2-timing",
            Self::Elementary => "elementary",
            Self::Dma => "dma",
        }
    }

    /// Returns the numbers or headings of the sections of the document that say something of operations, in the order
    /// of the document.
    pub const fn sections(self) -> &'static [&'static str] {
        match self {
            Self::Isa => &["1", "2", "3", "4.1", "4.2", "4.3", "4.4", "5"],
            Self::Timing => &["Latency", "Control", "Host FIFO"],
            Self::Elementary => &["1", "2", "3", "4", "5"],
            Self::Dma => &["State machine"],
        }
    }
}

/// Sections of one document of the reference material that state a fact of the table of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Document that has the sections.
    pub document: Document,
    /// Numbers or headings of the sections, in the order of the document.
    pub sections: &'static [&'static str],
}

impl std::fmt::Display for Citation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.document.id(), self.sections.join(", "))
    }
}

const fn isa(sections: &'static [&'static str]) -> Citation {
    Citation { document: Document::Isa, sections }
}

const fn timing(sections: &'static [&'static str]) -> Citation {
    Citation { document: Document::Timing, sections }
}

const fn elementary(sections: &'static [&'static str]) -> Citation {
    Citation { document: Document::Elementary, sections }
}

const LATENCY: Citation = timing(&["Latency"]);
const CONTROL: Citation = timing(&["Control"]);

/// No operation.
pub(crate) const NOTHING: &[Citation] = &[isa(&["3"])];
/// Bits that are moved, integers: no flags.
pub(crate) const BITS: &[Citation] = &[isa(&["3", "4.2"])];
/// Sources of an operation that keeps a part of its destination.
pub(crate) const PART: &[Citation] = &[isa(&["3", "4.2"]), LATENCY];
/// Floats.
pub(crate) const FLOAT: &[Citation] = &[isa(&["3", "4.1", "4.2"])];
/// Floats with a coefficient.
pub(crate) const TURN: &[Citation] = &[isa(&["3", "4.1", "4.2", "4.3"])];
/// The coefficient itself.
pub(crate) const ANGLE: &[Citation] = &[isa(&["3", "4.2", "4.3"])];
/// Comparisons, whose formats are encoded apart.
pub(crate) const COMPARE: &[Citation] = &[isa(&["2", "3", "4.2"]), LATENCY];
/// FCSR and FCCR.
pub(crate) const CREG: &[Citation] = &[isa(&["1", "3", "4.2"]), LATENCY];
/// `qsdot`, whose mode is encoded apart, and which ignores the predicate.
pub(crate) const DOT: &[Citation] = &[isa(&["2", "3", "4.1", "4.2"]), LATENCY];
/// Elementary functions of one half.
pub(crate) const FUNCTION: &[Citation] =
    &[isa(&["3", "4.4"]), LATENCY, elementary(&["1", "2", "3", "4"])];
/// Argument reductions.
pub(crate) const REDUCE: &[Citation] = &[isa(&["3", "4.4"]), elementary(&["1", "5"])];
/// No operation of the exchange half.
pub(crate) const IDLE: &[Citation] = &[isa(&["5"])];
/// General and address registers that `seti` sets.
pub(crate) const SETTING: &[Citation] = &[isa(&["2", "5"]), LATENCY];
/// Scalar registers that `move` reaches.
pub(crate) const REGISTER: &[Citation] = &[isa(&["1", "2", "5"]), LATENCY, CONTROL];
/// Address registers.
pub(crate) const ADDRESS: &[Citation] = &[isa(&["2", "5"]), LATENCY];
/// Loads and stores.
pub(crate) const MEMORY: &[Citation] = &[isa(&["2", "5"]), LATENCY];
/// Flow of control.
pub(crate) const FLOW: &[Citation] = &[isa(&["5"]), timing(&["Latency", "Control"])];
/// Flow that the host FIFO knows too.
pub(crate) const HOST: &[Citation] = &[isa(&["5"]), timing(&["Latency", "Control", "Host FIFO"])];
/// The DMA channel.
pub(crate) const DMA: &[Citation] =
    &[isa(&["5"]), LATENCY, Citation { document: Document::Dma, sections: &["State machine"] }];
/// Between FPRs and scalar registers, and permutations.
pub(crate) const EXCHANGE: &[Citation] = &[isa(&["2", "5"]), LATENCY];
