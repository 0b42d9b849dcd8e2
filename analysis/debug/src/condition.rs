//! Conditions on values, such as `f3.lo.s1 > 0.5` or `x[7] == 0`.

use crate::operand::{DebugOperand, ShownType, TypedNumber};
use cp2_emu::state::State;
use cp2_isa::Core;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Comparison of a value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConditionSign {
    /// Equal.
    Equal,
    /// Not equal.
    Unequal,
    /// Less.
    Less,
    /// Less or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
}

impl ConditionSign {
    /// All comparisons with their signs; a sign that begins like another one stands before it.
    const SIGNS: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::Unequal => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// Number that a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ComparedNumber {
    /// Written in hexadecimal: the bits of the value are compared, as a number without sign.
    Bits(u64),
    /// Whole decimal number.
    Whole(i64),
    /// Number with a point or an exponent.
    Real(f64),
}

/// Condition on the value of a register, a word of local memory or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueCondition {
    operand: DebugOperand,
    comparison: ConditionSign,
    number: ComparedNumber,
}

/// Compares a whole number with a float, exactly: a number beyond 2^53 is not rounded.
fn compare_whole(whole: i128, real: f64) -> Option<Ordering> {
    if real.is_nan() {
        return None;
    }
    if !(-1e30..=1e30).contains(&real) {
        return 0.0.partial_cmp(&real);
    }
    let floor = real.floor();
    let order = whole.cmp(&(floor as i128));
    Some(if order == Ordering::Equal && real > floor { Ordering::Less } else { order })
}

impl ValueCondition {
    /// Reads a condition, with a function that reads its operand.
    pub(crate) fn read(
        text: &str,
        operand: impl FnOnce(&str) -> Result<DebugOperand, String>,
    ) -> Result<Self, String> {
        let parts = ConditionSign::SIGNS.into_iter().find_map(|(sign, comparison)| {
            text.split_once(sign).map(|(operand, number)| (operand, comparison, number))
        });
        let (place, comparison, digits) = parts.ok_or_else(|| {
            format!("`{text}` is no condition; write one as `g3 == 7` or `f3.lo.s1 > 0.5`")
        })?;
        let operand = operand(place.trim())?;
        if operand.location().cell().is_none() {
            return Err(format!("`{text}`: conditions are on registers and words of local memory"));
        }
        let number = number(digits.trim())?;
        check(&operand, number)?;
        Ok(Self { operand, comparison, number })
    }

    /// Returns whether a text has a comparison.
    pub(crate) fn is_one(text: &str) -> bool {
        ConditionSign::SIGNS.into_iter().any(|(sign, _)| text.contains(sign))
    }

    /// Returns whether the condition holds for the values in a state.
    pub fn holds(&self, state: &State) -> bool {
        let Some(bits) = self.operand.bits_in(state) else { return false };
        let order = match (self.operand.number(bits), self.number) {
            (_, ComparedNumber::Bits(wanted)) => bits.partial_cmp(&wanted),
            (TypedNumber::Whole(n), ComparedNumber::Whole(wanted)) => {
                n.partial_cmp(&i128::from(wanted))
            }
            (TypedNumber::Whole(n), ComparedNumber::Real(wanted)) => compare_whole(n, wanted),
            (TypedNumber::Real(x), ComparedNumber::Real(wanted)) => x.partial_cmp(&wanted),
            (TypedNumber::Real(x), ComparedNumber::Whole(wanted)) => {
                compare_whole(i128::from(wanted), x).map(Ordering::reverse)
            }
            // A whole register or word beside a float is one of 64 bits.
            (TypedNumber::Several, ComparedNumber::Real(wanted)) => {
                f64::from_bits(bits).partial_cmp(&wanted)
            }
            (TypedNumber::Several, ComparedNumber::Whole(_)) => None,
        };
        self.comparison.holds(order)
    }

    /// Returns whether a core has the location.
    pub fn exists(&self, core: &Core) -> bool {
        self.operand.exists(core)
    }
}

/// Checks that an operand can be compared with a number.
fn check(operand: &DebugOperand, number: ComparedNumber) -> Result<(), String> {
    let refused = |sentence: String| Err(format!("`{operand}`: {sentence}"));
    match (operand.kind(), number) {
        (Some(ShownType::Complex), ComparedNumber::Whole(_) | ComparedNumber::Real(_)) => {
            refused(format!("a complex number is compared by its halves, or by its bits with a number behind 0x{}", parts_of(operand)))
        }
        (None, ComparedNumber::Whole(_)) => refused(
            "say what the 64 bits are: with `:int`, `:uint` or `:float` behind it, by a half (`.hi`, `.lo`), or compare bits with a number behind 0x".to_owned(),
        ),
        (Some(ShownType::Uint | ShownType::Hex), ComparedNumber::Whole(n)) if n < 0 => {
            refused(format!("a number without sign is never {n}; write `{operand}:int`"))
        }
        (_, ComparedNumber::Bits(bits))
            if operand.width() < 64 && bits >> operand.width() != 0 =>
        {
            refused(format!("{bits:#x} has more than its {} bits", operand.width()))
        }
        _ => Ok(()),
    }
}

/// Returns how the parts of a complex value are written.
fn parts_of(operand: &DebugOperand) -> String {
    match operand.complex_part(true) {
        Some(part) if part.to_string().contains("].re") => {
            ": `.re` and `.im` behind its name".to_owned()
        }
        _ => ": `.hi` and `.lo`".to_owned(),
    }
}

fn number(text: &str) -> Result<ComparedNumber, String> {
    let none = || format!("`{text}` is no number such as 7, -7, 0x1f or -0.5 that fits 64 bits");
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).map(ComparedNumber::Bits).map_err(|_| none());
    }
    if let Ok(whole) = text.parse() {
        return Ok(ComparedNumber::Whole(whole));
    }
    let is_float = text.contains(['.', 'e', 'E']);
    let real = text.parse().ok().filter(|number: &f64| is_float && number.is_finite());
    real.map(ComparedNumber::Real).ok_or_else(none)
}

impl FromStr for ValueCondition {
    type Err = String;

    /// Reads a condition on a register or a word, such as `g3 == 7`, `f3.lo.s1 > 0.5`, `[100].s2:int != -1`.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::read(text, str::parse)
    }
}

impl fmt::Display for ValueCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = ConditionSign::SIGNS.into_iter().find(|(_, of)| *of == self.comparison);
        let sign = sign.map_or("", |(sign, _)| sign);
        write!(f, "{} {sign} ", self.operand)?;
        match self.number {
            ComparedNumber::Bits(number) => write!(f, "{number:#x}"),
            ComparedNumber::Whole(number) => write!(f, "{number}"),
            ComparedNumber::Real(number) => write!(f, "{number:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, state: &State) -> bool {
        text.parse::<ValueCondition>().unwrap_or_else(|e| panic!("{e}")).holds(state)
    }

    #[test]
    fn values_compare_by_their_type_and_hexadecimal_numbers_bits() {
        let mut state = State::new(&Core::CP2);
        state.gpr[3] = 7;
        state.fpr[2][1] = u64::from(1.5f32.to_bits()) << 32 | u64::from((-2.0f32).to_bits());
        state.fpr[4][0] = 0.25f64.to_bits();
        state.fpr[5][0] = u64::from(8.0f32.to_bits());
        state.fpr[6][0] = (-3i64) as u64;
        for text in [
            "g3 == 7",
            "g3>=7",
            "g3 < 8",
            "g3 > 6.5",
            "g3 == 0x7",
            "f2.hi.s1 > 1.25",
            "f2.hi.s1 > 1",
            "f2.lo.s1 == -2.0",
            "f2.lo.s1 == -2",
            "f2.lo.s1 <= -2.0",
            "f2.hi.s1 == 0x3fc00000",
            "f2.hi.s1:int > 1000",
            "f5.lo > 5",
            "f5.lo < 9",
            "f5:uint == 1090519040",
            "f6:int == -3",
            "f6.lo:int == -3",
            "f4 == 0.25",
            "f4:float < 1",
            "f4 != 0.5",
            "[0] == 0x0",
            "[0]:int == 0",
        ] {
            assert!(holds(text, &state), "{text}");
        }
        for text in ["g3 != 7", "f2.hi.s1 < 1.0", "f4 > 1e300", "f2.lo.s1 > -2.0", "f5.lo > 8"] {
            assert!(!holds(text, &state), "{text}");
        }
    }

    #[test]
    fn nothing_is_equal_to_what_is_no_number() {
        let mut state = State::new(&Core::CP2);
        state.fpr[0][0] = f64::NAN.to_bits();
        state.fpr[1][0] = u64::from(f32::NAN.to_bits());
        assert!(!holds("f0 == 1.0", &state) && !holds("f0 < 1.0", &state));
        assert!(holds("f0 != 1.0", &state) && holds("f1.lo != 3", &state));
        assert!(!holds("f1.lo > 3", &state) && !holds("f1.lo <= 3", &state));
    }

    #[test]
    fn whole_numbers_compare_with_floats_exactly() {
        use Ordering::{Equal, Greater, Less};
        for (whole, real, order) in [
            (3, 3.5, Less),
            (-3, -3.5, Greater),
            (4, 4.0, Equal),
            ((1 << 53) + 1, 9_007_199_254_740_992.0, Greater),
            (5, f64::INFINITY, Less),
            (5, -1e300, Greater),
        ] {
            assert_eq!(compare_whole(whole, real), Some(order), "{whole} {real}");
        }
    }

    #[test]
    fn conditions_are_read_as_they_are_written() {
        for text in
            ["g3 == 7", "f3.lo.s1 > 0.5", "[100].s2 != 0x1", "f0.s0 <= -2.0", "[1].hi.s0:int < -4"]
        {
            let read = text.parse::<ValueCondition>().map(|condition| condition.to_string());
            assert_eq!(read.as_deref(), Ok(text));
        }
        for (text, sentence) in [
            ("g3", "`g3` is no condition"),
            ("q1 == 3", "`q1` is neither a register nor a word"),
            ("g3 == x", "`x` is no number"),
            ("g3 == -1", "a number without sign is never -1; write `g3:int`"),
            ("f0 == nan", "`nan` is no number"),
            ("f0 < 1e999", "`1e999` is no number"),
            ("f0 == 3", "say what the 64 bits are"),
            ("f0.lo == 0x100000000", "has more than its 32 bits"),
            ("f0:complex == 3", "by its halves"),
            ("memory[8] == 0x3", "conditions are on registers"),
        ] {
            let refused = text.parse::<ValueCondition>().err().unwrap_or_default();
            assert!(refused.contains(sentence), "{text}: {refused}");
        }
    }
}
