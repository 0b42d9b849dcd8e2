//! Moments from a damaged file: what is not refused is a machine that goes on, whatever it does.

use crate::kit;
use crate::random::SplitMix64;
use serde_json::Value;

/// Registers that take any value, in which damage says little.
const PLAIN: &str = "/cp2/state/fpr";

/// Adds the paths of all numbers and truths below a path.
fn add_leaves(value: &Value, path: &str, all: &mut Vec<String>) {
    if path.starts_with(PLAIN) {
        return;
    }
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(name, field)| add_leaves(field, &format!("{path}/{name}"), all));
        }
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(k, entry)| add_leaves(entry, &format!("{path}/{k}"), all));
        }
        Value::Number(_) | Value::Bool(_) => all.push(path.to_owned()),
        Value::Null | Value::String(_) => {}
    }
}

/// Returns another value in place of one.
fn damaged(s: &mut SplitMix64, value: &Value) -> Value {
    let Some(number) = value.as_u64() else { return (value != &Value::Bool(true)).into() };
    match s.below(6) {
        0 => number.wrapping_add(1).into(),
        1 => number.wrapping_sub(1).into(),
        2 => (number ^ 1 << s.below(64)).into(),
        3 => s.below(8).into(),
        4 => s.of(&[0xff, 0xffff, 0x1fff, u32::MAX.into(), (1 << 62) - 1, u64::MAX]).into(),
        _ => (s.bits() >> s.below(64)).into(),
    }
}

#[test]
fn a_damaged_moment_is_refused_or_goes_on() {
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..24 {
        let mut s = SplitMix64(300 + seed);
        let mut machine = kit::machine(&kit::chain(&mut s), kit::KERNEL);
        for _ in 0..1 + s.below(900) {
            kit::step(&mut machine);
        }
        let snapshot = kit::value(&machine);
        let mut fields = Vec::new();
        add_leaves(&snapshot, "", &mut fields);
        for _ in 0..40 {
            let mut other = snapshot.clone();
            for _ in 0..1 + s.below(3) {
                let path = &fields[s.below(fields.len() as u64) as usize];
                let field = other.pointer_mut(path).expect("a field");
                *field = damaged(&mut s, field);
            }
            if !kit::restore(&mut machine, &other) {
                refused += 1;
                continue;
            }
            taken += 1;
            for _ in 0..200 {
                kit::step(&mut machine);
            }
        }
    }
    assert!(refused > 200 && taken > 200, "{refused} refused, {taken} taken");
}
