//! Tests of the values of registers and words, as a person writes them, and values as numbers that charts show.

use crate::model::number::Format;

/// A test that a value of 64 bits passes or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueTest {
    /// A half of the value is a float that is no number.
    NotANumber,
    /// A half of the value is this float, by its bits.
    Float(u32),
    /// The value has these bits.
    Bits(u64),
}

impl ValueTest {
    /// Reads a test: `nan`, a number such as `1.5` or `-3`, `inf`, or all 64 bits after `0x`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("nan") {
            return Some(Self::NotANumber);
        }
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return u64::from_str_radix(&digits.replace('_', ""), 16).ok().map(Self::Bits);
        }
        text.parse::<f32>().ok().map(|value| Self::Float(value.to_bits()))
    }

    /// Returns whether a value passes the test.
    pub fn holds(self, value: u64) -> bool {
        let halves = [(value >> 32) as u32, value as u32].map(f32::from_bits);
        match self {
            Self::NotANumber => halves.iter().any(|half| half.is_nan()),
            Self::Float(bits) => halves.contains(&f32::from_bits(bits)),
            Self::Bits(bits) => value == bits,
        }
    }
}

impl std::fmt::Display for ValueTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotANumber => f.write_str("NaN"),
            Self::Float(bits) => write!(f, "{}", f32::from_bits(*bits)),
            Self::Bits(bits) => write!(f, "{bits:#x}"),
        }
    }
}

/// Returns the numbers of a word for a chart: its halves, the high one first, or of a register that the sections share the
/// whole value. None of a format without numbers.
pub fn numbers(format: Format, is_shared: bool, word: u64) -> Vec<f64> {
    let halves = [(word >> 32) as u32, word as u32];
    match format {
        Format::Hex => Vec::new(),
        _ if is_shared => vec![word as i64 as f64],
        Format::Float | Format::Complex => halves.map(|half| f32::from_bits(half).into()).to_vec(),
        Format::Int => halves.map(|half| f64::from(half as i32)).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(high: f32, low: f32) -> u64 {
        u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
    }

    #[test]
    fn values_are_tested_as_they_are_written() {
        let holds = |text: &str, value| ValueTest::read(text).map(|test| test.holds(value));
        assert_eq!(holds("nan", word(1.0, f32::NAN)), Some(true));
        assert_eq!(holds("NaN", word(1.0, f32::INFINITY)), Some(false));
        assert_eq!(holds("1.5", word(0.0, 1.5)), Some(true));
        assert_eq!(holds("-inf", word(f32::NEG_INFINITY, 1.5)), Some(true));
        assert_eq!(holds("0", word(-0.0, 3.0)), Some(true));
        assert_eq!(holds("0x3f80_0000_0000_0000", word(1.0, 0.0)), Some(true));
        assert_eq!(holds("0x3f800000", word(1.0, 0.0)), Some(false));
        assert_eq!(ValueTest::read("one"), None);
        assert_eq!(ValueTest::read("1.5").map(|test| test.to_string()), Some("1.5".to_owned()));
    }

    #[test]
    fn charts_show_numbers_in_the_format() {
        assert_eq!(numbers(Format::Float, false, word(1.5, -2.0)), [1.5, -2.0]);
        assert_eq!(numbers(Format::Int, false, 0x0000_0001_ffff_ffff), [1.0, -1.0]);
        assert_eq!(numbers(Format::Float, true, 480), [480.0]);
        assert_eq!(numbers(Format::Hex, true, 5), [0.0; 0]);
    }
}
