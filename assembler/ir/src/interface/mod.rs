//! What a kernel declares of itself with `.arg` and `.array`: arguments in registers, arrays in local
//! memory, and what it promises of them. How elements lie in words is in `layout`, shapes in terms of the
//! arguments in `extent`, the text that objects and sources have in `text`.

mod extent;
mod layout;
mod text;

pub use extent::{Extent, ExtentOperator, Term};
pub use layout::{ElementPosition, ElementType, Layout, Packing, Spread, WordPart};
pub use text::{VERSION, from_object, to_object};

use cp2_isa::{Core, Storage};
use std::fmt;

/// The declarations of a kernel, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// `.arg`.
    pub arguments: Vec<Argument>,
    /// `.array`.
    pub arrays: Vec<DeclaredArray>,
}

impl Interface {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty() && self.arrays.is_empty()
    }

    /// Returns the argument of this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Returns the array of this name.
    pub fn array(&self, name: &str) -> Option<&DeclaredArray> {
        self.arrays.iter().find(|array| array.name == name)
    }
}

/// Half of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// Bits 63:32.
    High,
    /// Bits 31:0.
    Low,
}

/// A register that a run can set before its start: one that the sections share, or an FPR of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentRegister {
    /// Kind of the register.
    pub storage: Storage,
    /// Number of the register; 0 for the only one of its kind.
    pub number: usize,
    /// Half of an FPR.
    pub half: Option<Half>,
}

impl ArgumentRegister {
    /// Kinds that can hold an argument.
    pub const KINDS: [Storage; 9] = [
        Storage::Fpr,
        Storage::Gpr,
        Storage::A,
        Storage::N,
        Storage::M,
        Storage::Ireg,
        Storage::Rind,
        Storage::Rstep,
        Storage::Rmask,
    ];

    /// Returns the register with this name on a core, as the assembler writes it: `g2`, `f0.hi`, `rind`.
    pub fn from_name(name: &str, core: &Core) -> Option<Self> {
        let (whole, half) = match name.split_once('.') {
            Some((whole, "hi")) => (whole, Some(Half::High)),
            Some((whole, "lo")) => (whole, Some(Half::Low)),
            Some(_) => return None,
            None => (name, None),
        };
        let (storage, number) = Storage::from_name(whole)?;
        let register = Self { storage, number, half };
        if !Self::KINDS.contains(&storage) {
            return None;
        }
        let exists = register.number < (register.storage.info().count)(core);
        (exists && (half.is_none() || register.storage == Storage::Fpr)).then_some(register)
    }

    /// Returns the number of bits that a whole number for the register may have.
    pub fn bits(&self, core: &Core) -> u32 {
        if self.half.is_some() { 32 } else { (self.storage.info().bits)(core) }
    }

    /// Whether the register can hold an argument of this type: halves of FPRs take types of 32 bits, registers that the
    /// sections share whole numbers.
    pub fn takes(&self, element: ElementType) -> bool {
        match (self.storage, self.half) {
            (Storage::Fpr, Some(_)) => element.is_half(),
            (Storage::Fpr, None) => true,
            _ => element == ElementType::Int64,
        }
    }

    /// Whether the register can hold an address of local memory.
    pub fn holds_address(&self) -> bool {
        matches!(self.storage, Storage::Gpr | Storage::A)
    }

    /// Whether a value for one register changes the other.
    pub fn meets(&self, other: &Self) -> bool {
        let apart = matches!((self.half, other.half), (Some(a), Some(b)) if a != b);
        self.storage == other.storage && self.number == other.number && !apart
    }
}

impl fmt::Display for ArgumentRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.storage.info();
        f.write_str(info.name)?;
        if info.layout.is_numbered() {
            write!(f, "{}", self.number)?;
        }
        f.write_str(match self.half {
            Some(Half::High) => ".hi",
            Some(Half::Low) => ".lo",
            None => "",
        })
    }
}

/// A value that the caller puts into a register before the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Name of the argument.
    pub name: String,
    /// Register that gets the argument.
    pub register: ArgumentRegister,
    /// Type of the argument: an FPR takes a number of 32 bits in both halves. Registers that the sections share take whole
    /// numbers.
    pub element: ElementType,
    /// Promise about a whole number.
    pub promise: Promise,
}

/// A promise on which a kernel may rely, and which its caller has to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// Least value.
    pub min: Option<i64>,
    /// Largest value.
    pub max: Option<i64>,
    /// Number of which the argument is a multiple.
    pub multiple: Option<i64>,
    /// Value of the argument if none is given.
    pub default: Option<i64>,
}

impl Promise {
    /// The words for the numbers of a promise.
    pub const WORDS: [&str; 4] = ["min", "max", "multiple", "default"];

    /// Returns the numbers of the promise, in the order of [`Promise::WORDS`].
    pub fn numbers(&self) -> [Option<i64>; 4] {
        [self.min, self.max, self.multiple, self.default]
    }

    /// Returns the number with this word, to change it; `None` for any other word.
    pub fn number_mut(&mut self, word: &str) -> Option<&mut Option<i64>> {
        Some(match word {
            "min" => &mut self.min,
            "max" => &mut self.max,
            "multiple" => &mut self.multiple,
            "default" => &mut self.default,
            _ => return None,
        })
    }

    /// Returns the first promise that a value breaks, as it is written; `None` if it breaks none.
    pub fn broken_by(&self, value: i128) -> Option<String> {
        let below = self.min.filter(|min| value < i128::from(*min));
        let above = self.max.filter(|max| value > i128::from(*max));
        let between =
            self.multiple.filter(|step| *step > 0 && value.rem_euclid(i128::from(*step)) != 0);
        let told = |word: &str, number: Option<i64>| number.map(|n| format!("{word}={n}"));
        told("min", below).or(told("max", above)).or(told("multiple", between))
    }
}

/// Whether the caller gives an array, takes it, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayDirection {
    /// The kernel reads the array.
    In,
    /// The kernel writes the array.
    Out,
    /// The kernel reads and writes the array.
    Inout,
}

impl ArrayDirection {
    /// All directions.
    pub const ALL: [Self; 3] = [Self::In, Self::Out, Self::Inout];

    /// Returns the word for the direction in a source.
    pub const fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Inout => "inout",
        }
    }

    /// Returns the direction of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.name() == name)
    }

    /// Whether the kernel reads what the array holds before.
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::Out)
    }
}

/// The place where an array begins: a word of local memory, or the word whose address is in a register that the caller sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayBase {
    /// At a word of local memory.
    Word(u16),
    /// The array begins at the address in a register, which the caller sets: a g or an a register.
    Register(ArgumentRegister),
}

impl fmt::Display for ArrayBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(address) => write!(f, "{address}"),
            Self::Register(register) => write!(f, "{register}"),
        }
    }
}

/// An array in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredArray {
    /// Name of the array: a label, where it begins at one.
    pub name: String,
    /// Whether the caller or the kernel writes the array.
    pub direction: ArrayDirection,
    /// Type of the elements.
    pub element: ElementType,
    /// Elements along each axis, the last axis contiguous.
    pub shape: Vec<Extent>,
    /// Layout of the elements in the sections and words.
    pub layout: Layout,
    /// Place where the array begins.
    pub base: ArrayBase,
}

impl DeclaredArray {
    /// Returns the shape as the source writes it: `4 x n`.
    pub fn shape_text(&self) -> String {
        let extents: Vec<_> = self.shape.iter().map(Extent::to_string).collect();
        extents.join(" x ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_the_names_of_the_assembler() {
        let core = Core::CP2;
        for name in ["g0", "g15", "f63", "f3.hi", "f3.lo", "a1", "n2", "m15", "i9", "rind"] {
            assert_eq!(ArgumentRegister::from_name(name, &core).expect(name).to_string(), name);
        }
        for name in ["g16", "f64", "g2.hi", "g02", "x1", "status", "f3.mid", "g", ""] {
            assert_eq!(ArgumentRegister::from_name(name, &core), None, "{name}");
        }
        let [whole, high, low] = ["f3", "f3.hi", "f3.lo"]
            .map(|n| ArgumentRegister::from_name(n, &core).expect("a register"));
        assert!(whole.meets(&high) && low.meets(&whole) && !high.meets(&low));
    }

    #[test]
    fn a_broken_promise_is_told_as_it_is_written() {
        let promise = Promise { min: Some(16), max: Some(64), multiple: Some(4), default: None };
        let broken = |value| promise.broken_by(value);
        assert_eq!([16, 20, 64].map(broken), [None, None, None]);
        assert_eq!(broken(12).as_deref(), Some("min=16"));
        assert_eq!(broken(68).as_deref(), Some("max=64"));
        assert_eq!(broken(18).as_deref(), Some("multiple=4"));
    }
}
