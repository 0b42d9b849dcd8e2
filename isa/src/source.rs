//! Sources of the facts of the table: the documents of the reference material and the places in them. All of them restate
//! `[L]`.

/// A document of the reference material, from which the facts of the table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    /// The instruction set.
    Isa,
    /// The cycle rules.
    Timing,
    /// The elementary functions.
    Elementary,
    /// The DMA controller.
    Dma,
}

impl Document {
    /// Returns the name of the document in the reference material.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Isa => "cp2-isa",
            Self::Timing => "cp2-timing",
            Self::Elementary => "elementary",
            Self::Dma => "dma",
        }
    }

    /// Returns the sections of the document that say something of operations, as the document numbers or names them.
    pub const fn sections(self) -> &'static [&'static str] {
        match self {
            Self::Isa => &["1", "2", "3", "4.1", "4.2", "4.3", "4.4", "5"],
            Self::Timing => &["Latency", "Control", "Host FIFO"],
            Self::Elementary => &["1", "2", "3", "4", "5"],
            Self::Dma => &["State machine"],
        }
    }
}

/// Sections of one document that state a fact of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Document that has the sections.
    pub document: Document,
    /// Sections of the document, in their order.
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
