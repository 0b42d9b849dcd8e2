//! Lines of linear code that do what steps do with words: one search in the low half of each register, or one in either half, since
//! every operation here works on both halves by itself.

use super::frame::{RETURNED, STATE};
use crate::linear_text::LinearText;
use cp2_recursion::{StepOperation, StepPlace, StepProgram};
use std::collections::{BTreeMap, BTreeSet};

/// A word of a lane: known, in a register, or a truth value that is not written as a word yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LaneWord {
    /// A constant.
    Constant(u32),
    /// A register.
    Register(String),
    /// Whether a register is 0.
    Test {
        /// The register.
        of: String,
        /// Bits that it can have.
        bits: u32,
        /// False turns the truth value.
        is_zero: bool,
    },
}

use LaneWord::{Constant, Register, Test};

/// Truth value that holds.
pub(super) const TRUE: LaneWord = Constant(u32::MAX);

/// Access to elements of arrays.
pub(super) trait Elements {
    /// Writes the load of an element and returns its register.
    fn load(&mut self, text: &mut LaneText, array: usize, index: &LaneWord) -> String;
    /// Writes the store of an element where a truth value holds.
    fn store(
        &mut self,
        text: &mut LaneText,
        array: usize,
        index: &LaneWord,
        stored: [&LaneWord; 2],
    );
}

/// Linear code of lanes: every operation is written once.
#[derive(Debug, Default)]
pub(super) struct LaneText {
    /// Lines.
    pub lines: LinearText,
    /// Registers of constants, which something has to load.
    pub constants: BTreeMap<u64, String>,
    /// Registers that have a neighbour.
    paired: BTreeSet<String>,
    /// Results that are there, by operation and operands.
    known: BTreeMap<String, String>,
    registers: usize,
}

/// Whether an immediate operand of 12 bits can have this value.
fn is_short(value: u32) -> bool {
    (-2048..2048).contains(&(value as i32))
}

impl LaneText {
    /// Begins with constants that other lines have already.
    pub(super) fn with_constants(constants: BTreeMap<u64, String>) -> Self {
        Self { constants, ..Self::default() }
    }

    /// Returns one register where a truth value in a third one holds, else the other.
    pub(super) fn chosen(&mut self, truth: &str, one: &str, other: &str) -> String {
        let change = self.operation("xor", &format!("{one}, {other}"));
        let change = self.operation("and", &format!("{change}, {truth}"));
        self.operation("xor", &format!("{other}, {change}"))
    }

    /// Returns a name that no register has yet.
    pub(super) fn fresh(&mut self) -> String {
        self.registers += 1;
        format!("%v{}", self.registers)
    }

    /// Returns a name that no register has yet, of one that gets a neighbour.
    pub(super) fn fresh_pair(&mut self) -> String {
        let register = self.fresh();
        self.paired.insert(register.clone());
        register
    }

    /// Returns the register with the result of an operation, which is written if it is not there.
    pub(super) fn operation(&mut self, name: &str, operands: &str) -> String {
        let key = format!("{name} {operands}");
        if let Some(register) = self.known.get(&key) {
            return register.clone();
        }
        let register = self.fresh();
        self.lines.line(format!("{name} {register}, {operands}"));
        self.known.insert(key, register.clone());
        register
    }

    /// Returns the register of a constant that is the same in both halves.
    pub(super) fn constant(&mut self, value: u32) -> String {
        self.pair(value, value)
    }

    /// Returns the register of a constant, by its high and low half.
    pub(super) fn pair(&mut self, high: u32, low: u32) -> String {
        let value = u64::from(high) << 32 | u64::from(low);
        self.constants.entry(value).or_insert_with(|| format!("%k{value:x}")).clone()
    }

    /// Returns a register with the same contents that may get a neighbour: itself, if it is no constant and has none.
    pub(super) fn alone(&mut self, register: &str) -> String {
        if !register.starts_with("%k") && self.paired.insert(register.to_owned()) {
            return register.to_owned();
        }
        let copied = self.fresh();
        self.lines.line(format!("copy {copied}, {register}"));
        self.paired.insert(copied.clone());
        copied
    }

    /// Returns the register of a word; a truth value is all ones or zeros.
    pub(super) fn register(&mut self, word: &LaneWord) -> String {
        match word {
            Constant(value) => self.constant(*value),
            Register(register) => register.clone(),
            Test { of, bits, is_zero } => {
                let negative = self.signed(of, *bits, *is_zero);
                self.operation("ashifti", &format!("{negative}, -31"))
            }
        }
    }

    /// Returns a register whose highest bit is a truth value, and the bits below too if the tested one is small.
    fn signed(&mut self, of: &str, bits: u32, is_zero: bool) -> String {
        if is_zero && bits >> 31 == 0 {
            return self.operation("subi", &format!("{of}, 1"));
        }
        let zero = self.constant(0);
        let negative = self.operation("sub", &format!("{zero}, {of}"));
        if bits >> 31 == 0 {
            return negative;
        }
        let either = self.operation("or", &format!("{of}, {negative}"));
        if is_zero { self.operation("not", &either) } else { either }
    }

    /// Returns the bits of a mask of the form 2^k - 1 where a truth value holds, else 0.
    pub(super) fn masked(&mut self, truth: &LaneWord, mask: u32) -> LaneWord {
        let width = mask.trailing_ones();
        if let Constant(value) = truth {
            return Constant(value & mask);
        }
        if let Test { of, bits, is_zero } = truth {
            // A small number less 1, or its negative, has the bits of its sign in all places above its own.
            if width == 1 || bits >> (31 - width) == 0 {
                let negative = self.signed(of, *bits, *is_zero);
                let shifted = self.operation("lshifti", &format!("{negative}, -{}", 32 - width));
                return Register(shifted);
            }
        }
        let (truth, mask) = (self.register(truth), self.constant(mask));
        Register(self.operation("and", &format!("{truth}, {mask}")))
    }

    /// Returns a and b.
    pub(super) fn and(&mut self, a: &LaneWord, b: &LaneWord) -> LaneWord {
        match (a, b) {
            (Constant(0), _) | (_, Constant(0)) => Constant(0),
            (&TRUE, other) | (other, &TRUE) => other.clone(),
            (Constant(a), Constant(b)) => Constant(a & b),
            (test @ Test { .. }, Constant(mask)) | (Constant(mask), test @ Test { .. })
                if (mask + 1).is_power_of_two() =>
            {
                self.masked(test, *mask)
            }
            _ => self.both("and", a, b),
        }
    }

    /// Returns a or b.
    pub(super) fn or(&mut self, a: &LaneWord, b: &LaneWord) -> LaneWord {
        match (a, b) {
            (Constant(0), other) | (other, Constant(0)) => other.clone(),
            (Constant(a), Constant(b)) => Constant(a | b),
            (&TRUE, _) | (_, &TRUE) => TRUE,
            _ => self.both("or", a, b),
        }
    }

    /// Returns a with every bit turned.
    pub(super) fn not(&mut self, a: &LaneWord) -> LaneWord {
        match a {
            Constant(value) => Constant(!value),
            Test { of, bits, is_zero } => Test { of: of.clone(), bits: *bits, is_zero: !is_zero },
            Register(register) => Register(self.operation("not", register)),
        }
    }

    /// Returns a + b.
    pub(super) fn add(&mut self, a: &LaneWord, b: &LaneWord) -> LaneWord {
        match (a, b) {
            (Constant(0), other) | (other, Constant(0)) => other.clone(),
            (Constant(a), Constant(b)) => Constant(a.wrapping_add(*b)),
            (Constant(short), other) | (other, Constant(short)) if is_short(*short) => {
                let other = self.register(other);
                Register(self.operation("addi", &format!("{other}, {}", *short as i32)))
            }
            _ => self.both("add", a, b),
        }
    }

    /// Returns a - b.
    pub(super) fn sub(&mut self, a: &LaneWord, b: &LaneWord) -> LaneWord {
        match (a, b) {
            (other, Constant(short)) if is_short(short.wrapping_neg()) => {
                self.add(other, &Constant(short.wrapping_neg()))
            }
            _ => self.both("sub", a, b),
        }
    }

    /// Returns the result of an operation on two registers.
    fn both(&mut self, name: &str, a: &LaneWord, b: &LaneWord) -> LaneWord {
        let (a, b) = (self.register(a), self.register(b));
        Register(self.operation(name, &format!("{a}, {b}")))
    }

    /// Writes a recorded step of a frame, with the bits that its results can have, and returns its results.
    pub(super) fn step(
        &mut self,
        (program, bits): (&StepProgram, &[u32]),
        frame: &[LaneWord],
        elements: &mut dyn Elements,
    ) -> Vec<LaneWord> {
        let mut results: Vec<LaneWord> = Vec::new();
        for operation in &program.operations {
            let of = |place: StepPlace| results[place].clone();
            let result = match *operation {
                StepOperation::Constant(value) => Constant(value),
                StepOperation::State => frame[STATE].clone(),
                StepOperation::Returned => frame[RETURNED].clone(),
                StepOperation::Field(field) => frame[field].clone(),
                StepOperation::And(a, b) => self.and(&of(a), &of(b)),
                StepOperation::Or(a, b) => self.or(&of(a), &of(b)),
                StepOperation::Xor(a, b) => self.both("xor", &of(a), &of(b)),
                StepOperation::Not(a) => self.not(&of(a)),
                StepOperation::Add(a, b) => self.add(&of(a), &of(b)),
                StepOperation::Sub(a, b) => self.sub(&of(a), &of(b)),
                StepOperation::ShiftLeft(a, count) => self.shifted(&of(a), count as i32),
                StepOperation::ShiftRight(a, count) => self.shifted(&of(a), -(count as i32)),
                StepOperation::Within(a, _) => of(a),
                StepOperation::IsZero(a) => match of(a) {
                    Constant(value) => Constant(if value == 0 { u32::MAX } else { 0 }),
                    other => Test { of: self.register(&other), bits: bits[a], is_zero: true },
                },
                StepOperation::IsLess(a, b) => {
                    let difference = self.both("sub", &of(a), &of(b));
                    let difference = self.register(&difference);
                    Register(self.operation("ashifti", &format!("{difference}, -31")))
                }
                StepOperation::Load { array, index, .. } => {
                    Register(elements.load(self, array, &of(index)))
                }
                StepOperation::Store { array, index, value, is_stored } => {
                    elements.store(self, array, &of(index), [&of(value), &of(is_stored)]);
                    Constant(0)
                }
            };
            results.push(result);
        }
        results
    }

    /// Returns a with its bits moved up, or down if the count is negative.
    fn shifted(&mut self, a: &LaneWord, count: i32) -> LaneWord {
        if count == 0 {
            return a.clone();
        }
        let a = self.register(a);
        Register(self.operation("lshifti", &format!("{a}, {count}")))
    }

    /// Forgets results of operations: loads behind a store are others.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}
