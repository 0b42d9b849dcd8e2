//! Formats in which the viewer writes a 64-bit word: hexadecimal digits, floats, a complex number, integers.

use serde::{Deserialize, Serialize};

/// The format in which the viewer writes a 64-bit word of a register or of local memory; the person chooses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// 16 hexadecimal digits, in two groups of eight.
    Hex,
    /// Two single-precision floats: the high half, then the low half.
    #[default]
    Float,
    /// A complex number: the real part in the high half, the imaginary part in the low half.
    Complex,
    /// Two signed integers of 32 bits, the high half first; for a register that the sections share, one of 64 bits.
    Int,
}

impl Format {
    /// All formats, in the order in which the key for the next format goes through them.
    pub const ALL: [Self; 4] = [Self::Hex, Self::Float, Self::Complex, Self::Int];

    /// Returns the name of the format, as buttons show it: `Hex`, `Float`, `Complex` or `Integer`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hex => "Hex",
            Self::Float => "Float",
            Self::Complex => "Complex",
            Self::Int => "Integer",
        }
    }

    /// Returns the format after this one in [`Format::ALL`]; the first one after the last.
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// Returns a word of a section, as text in this format.
    pub fn text(self, word: u64) -> String {
        let (high, low) = ((word >> 32) as u32, word as u32);
        let (re, im) = (f32::from_bits(high), f32::from_bits(low));
        match self {
            Self::Hex => format!("{high:08x} {low:08x}"),
            Self::Float => format!("{}  {}", float(re), float(im)),
            Self::Complex if im.is_sign_negative() => format!("{} - {}i", float(re), float(-im)),
            Self::Complex => format!("{} + {}i", float(re), float(im)),
            Self::Int => format!("{}  {}", high as i32, low as i32),
        }
    }

    /// Returns the value of a register that the sections share, as text: hexadecimal after `0x` in the format
    /// [`Format::Hex`], and a signed decimal number in all others.
    pub fn shared(self, word: u64) -> String {
        match self {
            Self::Hex => format!("{word:#x}"),
            _ => (word as i64).to_string(),
        }
    }
}

/// Returns the text for a number: five decimals at most, or scientific notation with four.
fn float(x: f32) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() || (1e-3..1e6).contains(&size) {
        let text = format!("{x:.5}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text.is_empty() || text == "-" { "0".to_owned() } else { text.to_owned() }
    } else {
        format!("{x:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(high: f32, low: f32) -> u64 {
        u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
    }

    #[test]
    fn a_word_has_four_readings() {
        let w = word(1.5, -2.0);
        assert_eq!(Format::Hex.text(w), "3fc00000 c0000000");
        assert_eq!(Format::Float.text(w), "1.5  -2");
        assert_eq!(Format::Complex.text(w), "1.5 - 2i");
        assert_eq!(Format::Int.text(0x0000_0001_ffff_ffff), "1  -1");
        assert_eq!(Format::Int.shared(u64::MAX), "-1");
        assert_eq!(Format::Hex.shared(255), "0xff");
    }

    #[test]
    fn small_large_and_odd_numbers_are_readable() {
        assert_eq!(float(1.0e-9), "1.0000e-9");
        assert_eq!(float(3.0e20), "3.0000e20");
        assert_eq!(float(f32::NAN), "NaN");
        assert_eq!(float(f32::NEG_INFINITY), "-inf");
        assert_eq!(float(0.001), "0.001");
        assert_eq!(float(-0.0), "-0");
    }

    #[test]
    fn a_key_goes_through_all_formats() {
        let mut format = Format::default();
        for _ in Format::ALL {
            format = format.next();
        }
        assert_eq!(format, Format::default());
    }
}
