//! Values that are shown, compared and watched: registers, words, halves of them, elements of arrays, each with a type.

use cp2_analysis::location::Location;
use cp2_analysis::words::value_text;
use cp2_asm::interface::{ElementType, WordPart};
use cp2_emu::state::State;
use cp2_isa::{Core, Halves, Resource, WordAddress};
use std::fmt;
use std::str::FromStr;

/// Type in which a value is shown and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownType {
    /// Float: of 32 bits in a half, of 64 bits in a whole register or word.
    Float,
    /// Integer with a sign, of as many bits as the value has.
    Int,
    /// Integer without a sign.
    Uint,
    /// Bits, written in hexadecimal.
    Hex,
    /// Complex number: two floats of 32 bits, the real part in the high half.
    Complex,
}

impl ShownType {
    /// All types with their names behind a colon.
    const ALL: [(&str, Self); 5] = [
        ("float", Self::Float),
        ("int", Self::Int),
        ("uint", Self::Uint),
        ("hex", Self::Hex),
        ("complex", Self::Complex),
    ];

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, of)| *of == self).map_or("", |(name, _)| name)
    }
}

impl From<ElementType> for ShownType {
    fn from(element: ElementType) -> Self {
        match element {
            ElementType::Float32 => Self::Float,
            ElementType::Complex64 => Self::Complex,
            ElementType::Int32 | ElementType::Int64 => Self::Int,
            ElementType::Uint32 | ElementType::Uint64 => Self::Uint,
        }
    }
}

/// Value as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TypedNumber {
    /// Integer.
    Whole(i128),
    /// Float; NaN is one.
    Real(f64),
    /// Two numbers, or no type that says which number it is.
    Several,
}

/// A register, a word, a half of one, or an element of an array, with the type in which it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugOperand {
    name: String,
    location: Location,
    part: WordPart,
    /// Type that the declaration of an array gives, or that is written behind a colon.
    kind: Option<ShownType>,
    /// Whether the type is written behind a colon.
    is_explicit: bool,
    /// Width in bits.
    bits: u32,
}

/// Returns the text of a float.
fn float_text(x: f64) -> String {
    let is_plain = x == 0.0 || (1e-4..1e7).contains(&x.abs()) || !x.is_finite();
    if is_plain { format!("{x}") } else { format!("{x:e}") }
}

/// Returns the float that the low 32 bits of a value are.
fn narrow(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

/// Returns the text of a float of 32 bits, with as few digits as tell it.
fn narrow_text(bits: u64) -> String {
    let x = f32::from_bits(bits as u32);
    let is_plain = x == 0.0 || (1e-4..1e7).contains(&x.abs()) || !x.is_finite();
    if is_plain { format!("{x}") } else { format!("{x:e}") }
}

/// Returns the text of the complex number that a word holds.
fn complex_text(bits: u64) -> String {
    let (re, im) = (narrow_text(bits >> 32), narrow_text(bits));
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("{re}{sign}{im}i")
}

impl DebugOperand {
    /// Creates the element of an array, or the real or imaginary part of it.
    pub(crate) fn element(
        name: String,
        (location, part): (Location, WordPart),
        element: ElementType,
    ) -> Self {
        let bits = if part == WordPart::Whole { 64 } else { 32 };
        Self { name, location, part, kind: Some(element.into()), is_explicit: false, bits }
    }

    /// Returns the location that the value is a part of.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Returns the real part (true) or the imaginary part of a complex number; `None` if it is none.
    pub(crate) fn complex_part(&self, is_real: bool) -> Option<Self> {
        if self.kind != Some(ShownType::Complex) || self.bits != 64 {
            return None;
        }
        let (name, part) = match is_real {
            true => (format!("{}.re", self.name), WordPart::High),
            false => (format!("{}.im", self.name), WordPart::Low),
        };
        Some(Self { name, part, kind: Some(ShownType::Float), bits: 32, ..self.clone() })
    }

    /// Returns the value with the type that is written behind a colon.
    ///
    /// # Errors
    /// There is no such type, or the value cannot have it.
    pub(crate) fn typed(mut self, name: &str) -> Result<Self, String> {
        let found = ShownType::ALL.into_iter().find(|(known, _)| *known == name);
        let Some((_, kind)) = found else {
            return Err(format!(
                "`{name}` is no type; the types are float, int, uint, hex and complex"
            ));
        };
        if kind == ShownType::Complex && self.bits != 64 {
            return Err(format!(
                "{}: a complex number has 64 bits, this has {}",
                self.name, self.bits
            ));
        }
        let is_shared = !matches!(
            self.location,
            Location::Register(Resource::Fpr(..), _) | Location::Word(..) | Location::Memory(_)
        );
        if is_shared && matches!(kind, ShownType::Float | ShownType::Complex) {
            return Err(format!("{}: this register holds whole numbers and no floats", self.name));
        }
        (self.kind, self.is_explicit) = (Some(kind), true);
        Ok(self)
    }

    /// Returns the value with the width that its register has on a core.
    pub(crate) fn on(mut self, core: &Core) -> Self {
        if let Location::Register(resource, _) = self.location
            && !matches!(resource, Resource::Fpr(..))
        {
            self.bits = (resource.storage().info().bits)(core).clamp(1, 64);
        }
        self
    }

    /// Returns whether a core has the location.
    pub fn exists(&self, core: &Core) -> bool {
        self.location.exists(core)
    }

    /// Returns the type of the value; `None` for a whole FPR or word of which nothing is said.
    pub(crate) fn kind(&self) -> Option<ShownType> {
        let default = match self.location {
            Location::Register(Resource::Fpr(..), _) | Location::Word(..) | Location::Memory(_) => {
                (self.bits == 32).then_some(ShownType::Float)
            }
            Location::Register(..) => Some(ShownType::Uint),
        };
        self.kind.or(default)
    }

    /// Returns the width of the value in bits.
    pub(crate) fn width(&self) -> u32 {
        self.bits
    }

    /// Returns the bits of the value, given those of the cell that contains it.
    pub(crate) fn bits_of(&self, cell: u64) -> u64 {
        let bits = self.location.value_of(cell);
        let is_high = match self.location {
            Location::Register(Resource::Fpr(_, halves), _) => halves == Halves::HI,
            _ => matches!(self.part, WordPart::High | WordPart::Both),
        };
        let bits = if is_high { bits >> 32 } else { bits };
        if self.bits >= 64 { bits } else { bits & ((1 << self.bits) - 1) }
    }

    /// Returns the bits of the value in a state; `None` for system memory, which is not in it.
    pub(crate) fn bits_in(&self, state: &State) -> Option<u64> {
        self.location.cell().and_then(|cell| state.get(cell)).map(|cell| self.bits_of(cell))
    }

    /// Returns the value of such bits as a number.
    pub(crate) fn number(&self, bits: u64) -> TypedNumber {
        match self.kind() {
            Some(ShownType::Float) if self.bits == 32 => TypedNumber::Real(narrow(bits)),
            Some(ShownType::Float) => TypedNumber::Real(f64::from_bits(bits)),
            Some(ShownType::Int) => {
                let unused = 64 - self.bits;
                TypedNumber::Whole(i128::from(((bits << unused) as i64) >> unused))
            }
            Some(ShownType::Uint | ShownType::Hex) => TypedNumber::Whole(i128::from(bits)),
            Some(ShownType::Complex) | None => TypedNumber::Several,
        }
    }

    /// Returns the text of the value, given the bits of the cell that contains it.
    pub fn text(&self, cell: u64) -> String {
        let bits = self.bits_of(cell);
        if self.kind.is_none() {
            return match self.location {
                Location::Word(..) if self.bits == 32 => {
                    format!("{bits:08x} ({})", narrow_text(bits))
                }
                _ => value_text(self.location, self.location.value_of(cell)),
            };
        }
        match (self.kind(), self.number(bits)) {
            (Some(ShownType::Complex), _) => complex_text(bits),
            (Some(ShownType::Hex), _) => {
                format!("0x{bits:0digits$x}", digits = self.bits.div_ceil(4) as usize)
            }
            (_, TypedNumber::Real(_)) if self.bits == 32 => narrow_text(bits),
            (_, TypedNumber::Real(x)) => float_text(x),
            (_, TypedNumber::Whole(n)) => n.to_string(),
            (_, TypedNumber::Several) => format!("{bits:#x}"),
        }
    }
}

impl From<Location> for DebugOperand {
    fn from(location: Location) -> Self {
        let bits = match location {
            Location::Register(Resource::Fpr(_, halves), _) if halves != Halves::BOTH => 32,
            _ => 64,
        };
        let (name, part) = (location.to_string(), WordPart::Whole);
        Self { name, location, part, kind: None, is_explicit: false, bits }
    }
}

impl FromStr for DebugOperand {
    type Err = String;

    /// Reads a register or a word as [`Location`] does, `[100].hi.s2` for a half of a word, each with a type behind a colon or without
    /// one: `f3.lo.s1`, `f12:complex`, `[100].s2:int`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (place, kind) = match text.split_once(':') {
            Some((place, kind)) => (place.trim(), Some(kind.trim())),
            None => (text, None),
        };
        let operand = match word_half(place) {
            Some(half) => half?,
            None => Self::from(place.parse::<Location>()?),
        };
        match kind {
            Some(kind) => operand.typed(kind),
            None => Ok(operand),
        }
    }
}

/// Returns the half of a word that a text such as `[100].hi.s2` names; `None` for any other text.
fn word_half(text: &str) -> Option<Result<DebugOperand, String>> {
    let (part, name) = [(WordPart::High, ".hi"), (WordPart::Low, ".lo")]
        .into_iter()
        .find(|(_, name)| text.starts_with('[') && text.contains(name))?;
    let location: Result<Location, String> = text.replacen(name, "", 1).parse();
    Some(location.map(|location| {
        let (word, section) = match location {
            Location::Word(WordAddress(word), section) => (word, section),
            _ => return DebugOperand::from(location),
        };
        let name = format!("[{word}]{name}.s{section}");
        DebugOperand { name, location, part, kind: None, is_explicit: false, bits: 32 }
    }))
}

impl fmt::Display for DebugOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.kind.filter(|_| self.is_explicit) {
            Some(kind) => write!(f, ":{}", kind.name()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(operand: &str, bits: u64) -> String {
        operand.parse::<DebugOperand>().unwrap_or_else(|e| panic!("{e}")).text(bits)
    }

    #[test]
    fn values_are_shown_by_their_type() {
        let pair = u64::from(1.5f32.to_bits()) << 32 | u64::from((-2.0f32).to_bits());
        for (operand, bits, shown) in [
            ("f1", pair, "3fc00000c0000000 (1.5:-2)"),
            ("f1:complex", pair, "1.5-2i"),
            ("f1.hi", pair, "3fc00000 (1.5)"),
            ("f1.lo:float", pair, "-2"),
            ("f1.lo:int", 0xffff_fffe, "-2"),
            ("f1.lo:uint", 0xffff_fffe, "4294967294"),
            ("f1:int", u64::MAX, "-1"),
            ("f1:float", 0.25f64.to_bits(), "0.25"),
            ("[7].s2:hex", 10, "0x000000000000000a"),
            ("[7].lo.s2", pair, "c0000000 (-2)"),
            ("[7].hi:float", pair, "1.5"),
            ("g3", 7, "7"),
            ("g3:hex", 7, "0x0000000000000007"),
        ] {
            assert_eq!(text(operand, bits), shown, "{operand}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for name in ["f12.s2:complex", "[100].hi.s3:int", "g3:hex", "f0.lo.s0"] {
            assert_eq!(name.parse::<DebugOperand>().map(|o| o.to_string()).as_deref(), Ok(name));
        }
        for (name, sentence) in [
            ("f1:real", "`real` is no type"),
            ("f1.lo:complex", "a complex number has 64 bits, this has 32"),
            ("g3:float", "holds whole numbers"),
            ("q", "neither a register nor a word"),
        ] {
            let refused = name.parse::<DebugOperand>().err().unwrap_or_default();
            assert!(refused.contains(sentence), "{name}: {refused}");
        }
    }
}
