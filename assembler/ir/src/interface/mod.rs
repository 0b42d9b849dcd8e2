//! The interface of a kernel, which it declares with `.arg` and `.array`: arguments in registers, arrays in local
//! memory, and promises about them. The layout of elements in words is in `layout`, sizes in terms of the arguments in
//! `extent`, the text of objects and sources in `text`.

mod extent;
mod layout;
mod text;

pub use extent::{Extent, ExtentOperator, Term};
pub use layout::{ElementPosition, ElementType, Layout, Packing, Spread, WordPart};
pub use text::{VERSION, from_object, to_object};

use cp2_isa::{Core, Storage};
use std::fmt;

/// The declarations of one kernel for its caller: its arguments and its arrays in local memory. The assembler makes it
/// from `.arg` and `.array`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Arguments, one for each `.arg`, in the order of the source.
    pub arguments: Vec<Argument>,
    /// Arrays in local memory, one for each `.array`, in the order of the source.
    pub arrays: Vec<DeclaredArray>,
}

impl Interface {
    /// Returns true if the kernel declares neither an argument nor an array.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty() && self.arrays.is_empty()
    }

    /// Returns the argument that the kernel declares under `name`; `None` if it declares none of that name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Returns the array that the kernel declares under `name`; `None` if it declares none of that name.
    pub fn array(&self, name: &str) -> Option<&DeclaredArray> {
        self.arrays.iter().find(|array| array.name == name)
    }
}

/// A half of a register of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The high half of a register, bits 63:32.
    High,
    /// The low half of a register, bits 31:0.
    Low,
}

/// A register that a caller can set before a kernel starts: a register that all sections share, or a floating-point
/// register (FPR), which gets the same value in every section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentRegister {
    /// Kind of the register, one of [`ArgumentRegister::KINDS`].
    pub storage: Storage,
    /// Number of the register among those of its kind, from 0; 0 for a kind with a single register.
    pub number: usize,
    /// Half of the FPR that is set; `None` for the whole register. Only an FPR has halves.
    pub half: Option<Half>,
}

impl ArgumentRegister {
    /// Kinds of registers that can hold an argument.
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

    /// Returns the register that the assembler calls `name`, such as `g2`, `f0.hi` or `rind`. Returns `None` for a
    /// register that the core does not have or that cannot hold an argument, and for any other text.
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

    /// Returns the width in bits of a whole number that the register takes on a core: 32 for a half of an FPR, else the
    /// width of the register.
    pub fn bits(&self, core: &Core) -> u32 {
        if self.half.is_some() { 32 } else { (self.storage.info().bits)(core) }
    }

    /// Returns true if the register can hold an argument of this type. A half of an FPR takes types of 32 bits, a whole
    /// FPR every type, and a register that the sections share only `int64`.
    pub fn takes(&self, element: ElementType) -> bool {
        match (self.storage, self.half) {
            (Storage::Fpr, Some(_)) => element.is_half(),
            (Storage::Fpr, None) => true,
            _ => element == ElementType::Int64,
        }
    }

    /// Returns true if the register can hold the address of an array in local memory: a general register (`g`) or an
    /// address register (`a`).
    pub fn holds_address(&self) -> bool {
        matches!(self.storage, Storage::Gpr | Storage::A)
    }

    /// Returns true if the two registers have bits in common, so that setting one changes the other: the same register,
    /// unless they are its two different halves.
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

/// An argument of a kernel: a value that the caller puts into a register before the kernel starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Name of the argument in the `.arg` directive.
    pub name: String,
    /// Register that holds the argument when the kernel starts.
    pub register: ArgumentRegister,
    /// Type of the argument's value. A whole FPR gets a value of 32 bits in both halves; a register that the sections
    /// share takes only `int64`.
    pub element: ElementType,
    /// Bounds that the value keeps, and its default. Only an argument that is a whole number has them.
    pub promise: Promise,
}

/// A promise about the value of an argument, from `min=`, `max=`, `multiple=` and `default=` of `.arg`: the kernel
/// relies on it, and the caller has to keep it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// Least value allowed; `None` without a lower limit.
    pub min: Option<i64>,
    /// Largest value allowed; `None` without an upper limit.
    pub max: Option<i64>,
    /// Number, at least 1, that divides the value; `None` if any value will do.
    pub multiple: Option<i64>,
    /// Value of the argument if the caller gives none; `None` if the caller has to give one.
    pub default: Option<i64>,
}

impl Promise {
    /// The words for the four numbers of a promise, as `.arg` writes them before `=`.
    pub const WORDS: [&str; 4] = ["min", "max", "multiple", "default"];

    /// Returns the numbers of the promise in the order of [`Promise::WORDS`]; `None` for a number that it does not
    /// have.
    pub fn numbers(&self) -> [Option<i64>; 4] {
        [self.min, self.max, self.multiple, self.default]
    }

    /// Returns the number of the promise that `word`, one of [`Promise::WORDS`], names, to change it; `None` for any
    /// other word.
    pub fn number_mut(&mut self, word: &str) -> Option<&mut Option<i64>> {
        Some(match word {
            "min" => &mut self.min,
            "max" => &mut self.max,
            "multiple" => &mut self.multiple,
            "default" => &mut self.default,
            _ => return None,
        })
    }

    /// Returns the first of minimum, maximum and multiple that `value` breaks, as the source writes it, such as
    /// `min=16`; `None` if the value keeps the promise. The default is not looked at.
    pub fn broken_by(&self, value: i128) -> Option<String> {
        let below = self.min.filter(|min| value < i128::from(*min));
        let above = self.max.filter(|max| value > i128::from(*max));
        let between =
            self.multiple.filter(|step| *step > 0 && value.rem_euclid(i128::from(*step)) != 0);
        let told = |word: &str, number: Option<i64>| number.map(|n| format!("{word}={n}"));
        told("min", below).or(told("max", above)).or(told("multiple", between))
    }
}

/// The direction of a declared array: whether the kernel reads it, writes it, or both. A caller provides what is read,
/// and fetches what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayDirection {
    /// The kernel reads the array, which the caller provides.
    In,
    /// The kernel writes the array, which the caller fetches.
    Out,
    /// The kernel reads the array that the caller provides, and writes it.
    Inout,
}

impl ArrayDirection {
    /// All directions of a declared array, in the order of the variants.
    pub const ALL: [Self; 3] = [Self::In, Self::Out, Self::Inout];

    /// Returns the word for the direction in a source: `in`, `out` or `inout`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Inout => "inout",
        }
    }

    /// Returns the direction that a source calls `name`; `None` for a name other than `in`, `out` and `inout`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.name() == name)
    }

    /// Returns true if the kernel reads what the caller put into the array: for `In` and `Inout`.
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::Out)
    }
}

/// The start of a declared array: a word of local memory with a fixed address, or one whose address the caller puts
/// into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayBase {
    /// Address of the first word of the array in local memory, in words from 0.
    Word(u16),
    /// Register whose value when the kernel starts is the address of the first word: a `g` or an `a` register.
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

/// An array in local memory that a kernel declares with `.array`, so that a caller can load and store it by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredArray {
    /// Name of the array. Without `at=` it is also the label at which the array begins.
    pub name: String,
    /// Direction of the array: whether the kernel reads it, writes it, or both.
    pub direction: ArrayDirection,
    /// Type of the elements of the array.
    pub element: ElementType,
    /// Number of elements along each axis, as numbers or expressions over the arguments. Elements along the last axis
    /// are neighbours.
    pub shape: Vec<Extent>,
    /// Layout of the elements: which sections, words and halves of words hold which elements.
    pub layout: Layout,
    /// Start of the array in local memory.
    pub base: ArrayBase,
}

impl DeclaredArray {
    /// Returns the sizes of the axes with ` x ` between them, such as `4 x n`.
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
