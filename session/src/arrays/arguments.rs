//! Arguments by name: the text of a value becomes the bits of a register, checked against what the kernel promises of
//! the argument.

use cp2_asm::interface::{Argument, ArgumentRegister, ElementType, Half, Interface};
use cp2_emu::state::State;
use cp2_isa::{Core, Section, Storage, StorageCell};

/// A value for a register: the bits, and the number if it is a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) bits: u64,
    pub(super) whole: Option<i128>,
}

/// Returns the text for an argument in a list of arguments: `n (g2, min=16)`.
fn described(argument: &Argument) -> String {
    let Argument { name, register, element, promise } = argument;
    let kind = match register.storage {
        Storage::Fpr => format!(", {}", element.name()),
        _ => String::new(),
    };
    format!("{name} ({register}{kind}{promise})")
}

/// Returns the arguments of a kernel, as text for messages.
pub(super) fn list(interface: &Interface) -> String {
    let all: Vec<_> = interface.arguments.iter().map(described).collect();
    match all.is_empty() {
        true => "it declares no arguments; name a register, such as g2=512".to_owned(),
        false => format!("it takes {}", all.join("; ")),
    }
}

/// Reads a whole number as it is written: decimal, or hexadecimal after `0x`.
fn whole(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    super::number(digits).map(|n| sign * i128::from(n))
}

/// Returns a whole number in so many bits, a negative one as its complement.
fn fitted(number: i128, bits: u32) -> Result<Value, String> {
    let limit = 1_i128 << bits;
    if (-limit / 2..limit).contains(&number) {
        let bits = (number & (limit - 1)) as u64;
        return Ok(Value { bits, whole: Some(number) });
    }
    Err(format!("{number} does not fit into {bits} bits: from {} to {}", -limit / 2, limit - 1))
}

/// Reads a float in single precision, and returns its bits.
fn single(text: &str) -> Result<u32, String> {
    let wide: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let value: f32 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    match value {
        x if x.is_nan() => Ok(0x7fff_ffff),
        x if x.is_infinite() && wide.is_finite() => {
            Err(format!("{text} is too large for single precision"))
        }
        x => Ok(x.to_bits()),
    }
}

/// Reads two floats, `HI:LO` or `RE:IM`, into a word.
fn two(text: &str) -> Option<Result<u64, String>> {
    let (high, low) = text.split_once(':')?;
    let word = || Ok(u64::from(single(high)?) << 32 | u64::from(single(low)?));
    Some(word())
}

/// Reads the value of an argument.
pub(super) fn read(argument: &Argument, core: &Core, text: &str) -> Result<Value, String> {
    let Argument { register, element, .. } = argument;
    let in_halves = |half: u32| match register.half {
        Some(_) => u64::from(half),
        None => u64::from(half) << 32 | u64::from(half),
    };
    let integer = || whole(text).ok_or_else(|| format!("`{text}` is not a whole number"));
    match element {
        ElementType::Complex64 => match two(text) {
            Some(word) => Ok(Value { bits: word?, whole: None }),
            None => Err(format!("`{text}` is not a complex number; write RE:IM, such as 0.5:-1.0")),
        },
        ElementType::Float32 => Ok(Value { bits: in_halves(single(text)?), whole: None }),
        ElementType::Int64 | ElementType::Uint64 => {
            let number = integer()?;
            if *element == ElementType::Uint64 && number < 0 {
                return Err(format!("{number} is negative, and the argument is uint64"));
            }
            fitted(number, register.bits(core))
        }
        ElementType::Int32 | ElementType::Uint32 => {
            let number = integer()?;
            let range = match element {
                ElementType::Int32 => i128::from(i32::MIN)..i128::from(i32::MAX) + 1,
                _ => 0..1 << 32,
            };
            if !range.contains(&number) {
                return Err(format!("{number} is out of range of {}", element.name()));
            }
            Ok(Value { bits: in_halves(number as u32), whole: Some(number) })
        }
    }
}

/// Reads the value of a register that is named itself: a whole number, a float for a half of it, or two floats for an
/// FPR.
pub(super) fn read_register(
    register: &ArgumentRegister,
    core: &Core,
    text: &str,
) -> Result<Value, String> {
    let is_fpr = register.storage == Storage::Fpr;
    match (whole(text), register.half) {
        (Some(number), _) => fitted(number, register.bits(core)),
        (None, Some(_)) => Ok(Value { bits: single(text)?.into(), whole: None }),
        (None, None) if is_fpr => match two(text) {
            Some(word) => Ok(Value { bits: word?, whole: None }),
            None => {
                Err(format!("`{text}` is not a value of {register}; write HI:LO, such as 0.5:0.5"))
            }
        },
        (None, None) => Err(format!("`{text}` is not a whole number")),
    }
}

/// Puts a value into a register, an FPR in all sections.
pub(super) fn set_register(state: &mut State, core: &Core, register: &ArgumentRegister, bits: u64) {
    let ArgumentRegister { storage, number, half } = *register;
    for section in storage.info().layout.own_sections() {
        let place = StorageCell { storage, number, section };
        let old = state.get(place).unwrap_or(0);
        let value = match half {
            None => bits,
            Some(Half::High) => bits << 32 | old & 0xffff_ffff,
            Some(Half::Low) => old >> 32 << 32 | bits & 0xffff_ffff,
        };
        state.set(core, place, value);
    }
}

/// Returns the whole number that a register holds.
pub(super) fn held(state: &State, register: &ArgumentRegister) -> Option<i128> {
    let ArgumentRegister { storage, number, half } = *register;
    let bits = state.get(StorageCell { storage, number, section: Section::FIRST })?;
    Some(match half {
        None => (bits as i64).into(),
        Some(Half::High) => (bits >> 32).into(),
        Some(Half::Low) => (bits & 0xffff_ffff).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_asm::interface::Promise;

    fn argument(register: &str, element: ElementType) -> Argument {
        let register = ArgumentRegister::from_name(register, &Core::CP2).expect("a register");
        Argument { name: "x".into(), register, element, promise: Promise::default() }
    }

    #[test]
    fn values_are_those_of_their_types() {
        let bits = |register, element, text| {
            read(&argument(register, element), &Core::CP2, text).map(|value| value.bits)
        };
        use ElementType::{Complex64, Float32, Int32, Int64, Uint64};
        assert_eq!(bits("g2", Int64, "-1"), Ok(u64::MAX));
        assert_eq!(bits("n1", Int64, "-1"), Ok(0x1fff));
        assert_eq!(bits("f0", Float32, "0.5"), Ok(0x3f00_0000_3f00_0000));
        assert_eq!(bits("f0.lo", Float32, "0.5"), Ok(0x3f00_0000));
        assert_eq!(bits("f0", Complex64, "1:-2"), Ok(0x3f80_0000_c000_0000));
        assert_eq!(bits("f0", Float32, "nan"), Ok(0x7fff_ffff_7fff_ffff));
        for (register, element, text) in [
            ("a0", Int64, "8192"),
            ("g2", Int64, "1.5"),
            ("g2", Int64, "18446744073709551616"),
            ("f0", Uint64, "-1"),
            ("f0", Int32, "0x80000000"),
            ("f0", Float32, "1e39"),
            ("f0", Float32, "half"),
            ("f0", Complex64, "0.5"),
        ] {
            assert!(bits(register, element, text).is_err(), "{register} {text}");
        }
    }

    #[test]
    fn registers_take_values_by_their_own_names() {
        let read = |name: &str, text| {
            let register = ArgumentRegister::from_name(name, &Core::CP2).expect("a register");
            read_register(&register, &Core::CP2, text).map(|value| value.bits)
        };
        assert_eq!(read("g2", "0x10"), Ok(16));
        assert_eq!(read("f1", "1.0:0.0"), Ok(0x3f80_0000_0000_0000));
        assert_eq!(read("f1.hi", "1.0"), Ok(0x3f80_0000));
        assert!(read("f1", "1.0").is_err_and(|e| e.contains("write HI:LO")));
        assert!(read("rind", "65536").is_err_and(|e| e.contains("from -32768 to 65535")));
    }
}
