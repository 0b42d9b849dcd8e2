//! Values of arrays by rule: random numbers of a distribution from a seed, or one number everywhere. The same table gives
//! the same bits on every native machine.

use super::keys::DISTRIBUTIONS;
use super::place::codes;
use cp2_isa::NumberRange;
use cp2_session::arrays::convert;
use cp2_session::npy::{Array, NumberType};
use cp2_session::random::split_mix_64;
use cp2_toml::{FieldReader, Table};

/// Largest magnitude of a random whole number: 2^53, up to which float64 has all of them.
const LARGEST: i64 = 1 << 53;

/// Returns the array of this type and shape whose values the table describes by `random` or `fill`.
pub(super) fn array(
    reader: &mut FieldReader,
    table: &Table<'_>,
    kind: NumberType,
    shape: Vec<usize>,
) -> Option<Array> {
    let parts = if kind.is_complex() { 2 } else { 1 };
    let count = shape.iter().product::<usize>();
    if table.get("fill").is_some() {
        // The imaginary parts of a filled array are zeros.
        let value = [reader.float_or(table, "fill", 0.0), 0.0];
        let one = of_numbers(reader, table, kind, (vec![1], &value[..parts]))?;
        return Some(Array::from_bytes(kind, shape, one.bytes().repeat(count)));
    }
    let numbers = random(reader, table, count * parts)?;
    if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
        let message = format!("{}: the numbers would have {number}", table.name("random"));
        let help = "take limits, a mean or a deviation of smaller magnitude";
        reader.refuse(codes::ARRAY, table.span.clone(), message, help);
        return None;
    }
    of_numbers(reader, table, kind, (shape, &numbers))
}

/// Returns the array of this type with these numbers, a real part before its imaginary part; refuses numbers that the
/// type cannot hold.
fn of_numbers(
    reader: &mut FieldReader,
    table: &Table<'_>,
    kind: NumberType,
    (shape, numbers): (Vec<usize>, &[f64]),
) -> Option<Array> {
    let parts = if kind.is_complex() { 2 } else { 1 };
    let wide = if parts == 2 { NumberType::Complex128 } else { NumberType::Float64 };
    let bits = numbers
        .chunks(parts)
        .map(|number| number.iter().fold(0, |bits, part| bits << 64 | u128::from(part.to_bits())));
    let array = Array::from_bits(wide, shape, bits);
    match convert(&array, kind, false) {
        Ok(array) => Some(array),
        Err(e) => {
            let message = format!("{}: {e}", table.name("type"));
            let span = table.get("type").map_or(table.span.clone(), |value| value.span());
            let help =
                "take another type, or `random = \"integers\"` with `low` and `high` in its range";
            reader.refuse(codes::ARRAY, span, message, help);
            None
        }
    }
}

/// Returns so many random numbers of the distribution that a table names.
fn random(reader: &mut FieldReader, table: &Table<'_>, count: usize) -> Option<Vec<f64>> {
    let distribution = reader.word_of(table, "random", &DISTRIBUTIONS)?;
    let limits = NumberRange::between(0, i64::MAX);
    let seed = reader.number_or(table, "seed", limits, 1) as u64;
    only_for(reader, table, distribution, "low", &["uniform", "integers"]);
    only_for(reader, table, distribution, "high", &["uniform", "integers"]);
    only_for(reader, table, distribution, "mean", &["normal"]);
    only_for(reader, table, distribution, "deviation", &["normal"]);
    let mut state = seed;
    match distribution {
        "uniform" => {
            let (low, high) =
                (reader.float_or(table, "low", -1.0), reader.float_or(table, "high", 1.0));
            is_range(reader, table, low < high)?;
            Some((0..count).map(|_| low + (high - low) * unit(&mut state)).collect())
        }
        "normal" => {
            let mean = reader.float_or(table, "mean", 0.0);
            let deviation = reader.float_or(table, "deviation", 1.0);
            if deviation < 0.0 {
                let span = table.get("deviation").map_or(table.span.clone(), |value| value.span());
                let message = format!("{} is below 0", table.name("deviation"));
                reader.refuse(cp2_toml::codes::OUT_OF_RANGE, span, message, "");
                return None;
            }
            Some((0..count).map(|_| mean + deviation * normal(&mut state)).collect())
        }
        "integers" => {
            let limit = NumberRange::between(-LARGEST, LARGEST);
            reader.required(table, "high", "the largest of the whole numbers")?;
            let low = reader.number_or(table, "low", limit, 0);
            let high = reader.number_or(table, "high", limit, 0);
            is_range(reader, table, low <= high)?;
            let span = (high - low) as u64 + 1;
            Some((0..count).map(|_| (low + below(&mut state, span) as i64) as f64).collect())
        }
        _ => {
            let mut numbers: Vec<f64> = (0..count).map(|k| k as f64).collect();
            for last in (1..count).rev() {
                numbers.swap(last, below(&mut state, last as u64 + 1) as usize);
            }
            Some(numbers)
        }
    }
}

/// Refuses a key that goes with other distributions than the one that is given.
fn only_for(
    reader: &mut FieldReader,
    table: &Table<'_>,
    distribution: &str,
    key: &str,
    of: &[&str],
) {
    if let Some(value) = table.get(key)
        && !of.contains(&distribution)
    {
        let message =
            format!("{} does not go with the distribution {distribution}", table.name(key));
        let help = format!("it goes with {}", of.join(" and "));
        reader.refuse(cp2_toml::codes::UNKNOWN, value.span(), message, &help);
    }
}

/// Refuses limits of which the lower one is not the lower.
fn is_range(reader: &mut FieldReader, table: &Table<'_>, is_one: bool) -> Option<()> {
    if !is_one {
        let span = ["high", "low"].into_iter().find_map(|key| table.get(key));
        let span = span.map_or(table.span.clone(), |value| value.span());
        let message = format!("{} is not below {}", table.name("low"), table.name("high"));
        reader.refuse(cp2_toml::codes::OUT_OF_RANGE, span, message, "");
    }
    is_one.then_some(())
}

/// Returns the next random number, uniform from 0 up to but not 1, of 53 bits.
fn unit(state: &mut u64) -> f64 {
    (split_mix_64(state) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns the next random number of the normal distribution with mean 0 and deviation 1, by the method of Box and Muller,
/// which takes two uniform numbers.
fn normal(state: &mut u64) -> f64 {
    let (radius, angle) = (1.0 - unit(state), unit(state));
    libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(2.0 * std::f64::consts::PI * angle)
}

/// Returns the next random whole number from 0 up to but not `end`, all equally likely.
fn below(state: &mut u64, end: u64) -> u64 {
    let most = u64::MAX - u64::MAX % end;
    loop {
        let number = split_mix_64(state);
        if number < most {
            return number % end;
        }
    }
}
