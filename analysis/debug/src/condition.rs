//! Conditions on values, such as `f3.lo.s1 > 0.5`.

use cp2_analysis::location::{Location, whole_number};
use cp2_emu::state::State;
use cp2_isa::{Core, Halves, Resource};
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
enum Number {
    /// Whole number: the bits of the value are compared, as a number without sign.
    Whole(u64),
    /// Number with a point or an exponent: a float of 32 bits for a half of an FPR, of 64 bits else.
    Float(f64),
}

/// Condition on the value of a register or a word of local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueCondition {
    location: Location,
    comparison: ConditionSign,
    number: Number,
}

impl ValueCondition {
    /// Returns whether the condition holds for the values in a state.
    pub fn holds(&self, state: &State) -> bool {
        let Some(bits) = self.location.cell().and_then(|cell| state.get(cell)) else {
            return false;
        };
        let value = self.location.value_of(bits);
        let half = match self.location {
            Location::Register(Resource::Fpr(_, halves), _) => halves,
            _ => Halves::BOTH,
        };
        let order = match (self.number, half) {
            (Number::Whole(number), Halves::HI) => (value >> 32).partial_cmp(&number),
            (Number::Whole(number), _) => value.partial_cmp(&number),
            (Number::Float(number), Halves::HI) => float(value >> 32).partial_cmp(&number),
            (Number::Float(number), Halves::LO) => float(value).partial_cmp(&number),
            (Number::Float(number), _) => f64::from_bits(value).partial_cmp(&number),
        };
        self.comparison.holds(order)
    }

    /// Returns whether a core has the location.
    pub fn exists(&self, core: &Core) -> bool {
        self.location.exists(core)
    }
}

/// Returns the float that the low 32 bits of a value are.
fn float(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

fn number(text: &str) -> Option<Number> {
    if let Some(whole) = whole_number(text) {
        return Some(Number::Whole(whole));
    }
    let is_float = text.contains(['.', 'e', 'E']);
    text.parse().ok().filter(|number: &f64| is_float && number.is_finite()).map(Number::Float)
}

impl FromStr for ValueCondition {
    type Err = String;

    /// Reads a condition written as `g3 == 7`, `f3.lo.s1 > 0.5`, `[100].s2 != 0x3ff0000000000000`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = ConditionSign::SIGNS.into_iter().find_map(|(sign, comparison)| {
            text.split_once(sign).map(|(location, number)| (location, comparison, number))
        });
        let (location, comparison, digits) = parts.ok_or_else(|| {
            format!("`{text}` is no condition; write one as `g3 == 7` or `f3.lo.s1 > 0.5`")
        })?;
        let location: Location = location.trim().parse()?;
        if location.cell().is_none() {
            return Err(format!("`{text}`: conditions are on registers and words of local memory"));
        }
        let number = number(digits.trim())
            .ok_or_else(|| format!("`{}` is no number without sign such as 7 or 0x1f, and none with a point such as -0.5", digits.trim()))?;
        Ok(Self { location, comparison, number })
    }
}

impl fmt::Display for ValueCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = ConditionSign::SIGNS.into_iter().find(|(_, of)| *of == self.comparison);
        let sign = sign.map_or("", |(sign, _)| sign);
        match self.number {
            Number::Whole(number) => write!(f, "{} {sign} {number}", self.location),
            Number::Float(number) => write!(f, "{} {sign} {number:?}", self.location),
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
    fn whole_numbers_compare_bits_and_others_floats() {
        let mut state = State::new(&Core::CP2);
        state.gpr[3] = 7;
        state.fpr[2][1] = u64::from(1.5f32.to_bits()) << 32 | u64::from((-2.0f32).to_bits());
        state.fpr[4][0] = 0.25f64.to_bits();
        for text in [
            "g3 == 7",
            "g3>=7",
            "g3 < 8",
            "f2.hi.s1 > 1.25",
            "f2.lo.s1 == -2.0",
            "f2.lo.s1 <= -2.0",
            "f2.hi.s1 == 0x3fc00000",
            "f4 == 0.25",
            "f4 != 0.5",
            "[0] == 0",
        ] {
            assert!(holds(text, &state), "{text}");
        }
        for text in ["g3 != 7", "f2.hi.s1 < 1.0", "f4 > 1e300", "f2.lo.s1 > -2.0"] {
            assert!(!holds(text, &state), "{text}");
        }
    }

    #[test]
    fn nothing_is_equal_to_what_is_no_number() {
        let mut state = State::new(&Core::CP2);
        state.fpr[0][0] = f64::NAN.to_bits();
        assert!(!holds("f0 == 1.0", &state) && !holds("f0 < 1.0", &state));
        assert!(holds("f0 != 1.0", &state));
    }

    #[test]
    fn conditions_are_read_as_they_are_written() {
        for text in ["g3 == 7", "f3.lo.s1 > 0.5", "[100].s2 != 1", "f0.s0 <= -2.0"] {
            let read = text.parse::<ValueCondition>().map(|condition| condition.to_string());
            assert_eq!(read.as_deref(), Ok(text));
        }
        for (text, sentence) in [
            ("g3", "`g3` is no condition"),
            ("q1 == 3", "`q1` is neither a register nor a word"),
            ("g3 == x", "`x` is no number"),
            ("g3 == -1", "`-1` is no number without sign"),
            ("f0 == nan", "`nan` is no number"),
            ("f0 < 1e999", "`1e999` is no number"),
            ("memory[8] == 3", "conditions are on registers"),
        ] {
            let refused = text.parse::<ValueCondition>().err().unwrap_or_default();
            assert!(refused.contains(sentence), "{text}: {refused}");
        }
    }
}
