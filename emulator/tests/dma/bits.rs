//! The meaning of every bit of a descriptor, by the tables of `specs/src/dma.md` and of the extension of 32-bit words, without
//! a line of the codec: fields by name, from the words.

use crate::model::{field, signed};
use crate::random::SplitMix64;
use cp2_emu::dma::Descriptor;
use serde_json::{Value, json};

/// Bit of word 0 that makes a transfer one of 32-bit words, and the one that makes a GET of words a gather.
const WORDS: u32 = 40;
const GATHER: u32 = 33;

/// Returns an index half-register; nothing if the bit behind it says so.
fn index(word: u64, low: u32) -> Value {
    let none = field(word, low + 5, low + 5) == 1;
    if none { Value::Null } else { field(word, low + 4, low).into() }
}

fn memory(w: &[u64]) -> Value {
    let y = field(w[1], 11, 0) << 10 | field(w[2], 43, 34);
    json!({
        "base": field(w[0], 31, 2) * 4,
        "index": index(w[1], 34),
        "burst": field(w[0], 46, 41),
        "x": { "step": 4 * signed(field(w[1], 63, 42), 22), "count": field(w[1], 31, 12) },
        "y": { "step": 4 * signed(y, 22), "count": field(w[2], 63, 44) },
    })
}

fn local(w: &[u64; 8]) -> Value {
    let is = |bit| field(w[3], bit, bit) == 1;
    json!({
        "base": field(w[2], 31, 16),
        "index": index(w[3], 8),
        "x": { "step": field(w[2], 15, 0), "count": field(w[3], 63, 48), "reversed": is(15) },
        "y": { "step": field(w[3], 47, 32), "count": field(w[3], 31, 16), "reversed": is(14) },
    })
}

fn patterns(w: &[u64; 8]) -> Value {
    let pattern = |word: &u64| {
        json!({
            "base": field(*word, 63, 48),
            "inner": field(*word, 47, 32),
            "run": field(*word, 31, 16),
            "outer": field(*word, 15, 0),
        })
    };
    w[4..].iter().map(pattern).collect()
}

fn next(word: u64) -> Value {
    match field(word, 56, 56) {
        0 => json!({ "By": signed(field(word, 55, 47), 9) }),
        _ => json!({ "Index": field(word, 51, 47) }),
    }
}

fn jump(w: &[u64; 8]) -> Value {
    let entry = |k: usize| field(w[1 + k / 4], 63 - 16 * (k as u32 % 4), 48 - 16 * (k as u32 % 4));
    let kind = match field(w[0], 56, 55) {
        0 => json!("Relative"),
        1 => json!({ "Table": (0..16).map(entry).collect::<Vec<_>>() }),
        2 => json!("Absolute"),
        _ => json!({ "Compare": {
            "value": field(w[0], 31, 0),
            "equal": signed(field(w[1], 63, 48), 16),
            "other": signed(field(w[1], 47, 32), 16),
        } }),
    };
    json!({ "kind": kind, "index": field(w[0], 53, 49) })
}

/// Returns the descriptor that words are, field by field.
fn meaning(w: &[u64; 8]) -> Value {
    let is = |bit| field(w[0], bit, bit) == 1;
    let (next, flow) = (next(w[0]), field(w[0], 39, 32).min(4));
    let action = match (field(w[0], 58, 57), is(WORDS)) {
        (0, false) => json!({ "Put": {
            "memory": memory(w), "local": local(w), "flow": flow, "mask": field(w[4], 63, 60),
            "row_end_mask": field(w[4], 59, 56), "next": next,
        } }),
        (0, true) => json!({ "PutWords": {
            "memory": memory(w), "local": local(w), "flow": flow, "next": next,
        } }),
        (1, _) => json!({ "Copy": { "from": memory(w), "to": memory(&w[4..]), "next": next } }),
        (2, false) => json!({ "Get": {
            "memory": memory(w), "local": local(w), "single_words": is(32),
            "sections": patterns(w), "next": next,
        } }),
        (2, true) if is(GATHER) => json!({ "Gather": {
            "list": memory(w), "base": index(w[0], 34), "local": local(w),
            "sections": patterns(w), "next": next,
        } }),
        (2, true) => json!({ "GetWords": {
            "memory": memory(w), "local": local(w), "sections": patterns(w), "next": next,
        } }),
        _ => json!({ "Jump": jump(w) }),
    };
    json!({
        "valid": is(63), "interrupt": is(62), "stop": is(61), "sync_before": is(60),
        "sync_after": is(59), "action": action,
    })
}

/// Returns random words, with no more flow than there is, which acts like the most.
fn words(s: &mut SplitMix64) -> [u64; 8] {
    let mut words = std::array::from_fn(|_| s.bits());
    let is_put = field(words[0], 58, 57) == 0;
    if is_put {
        words[0] = words[0] & !(0xff << 32) | s.below(5) << 32;
    }
    words
}

#[test]
fn every_bit_means_what_the_tables_say_or_nothing() {
    let mut s = SplitMix64(1);
    for _ in 0..120 {
        let words = words(&mut s);
        let expected = meaning(&words);
        let decoded = Descriptor::decode(&words);
        assert_eq!(serde_json::to_value(&decoded).expect("a value"), expected, "{words:016x?}");
        let encoded = decoded.encode().expect("fields that fit");
        for bit in 0..512 {
            let (place, mask) = (bit / 64, 1 << (bit % 64));
            let mut other = words;
            other[place] ^= mask;
            let has_meaning = meaning(&other) != expected || is_kept(&decoded, place, bit % 64);
            let kept = if has_meaning { words[place] & mask } else { 0 };
            assert_eq!(
                encoded[place] & mask,
                kept,
                "bit {} of word {place}, {decoded:?}",
                bit % 64
            );
        }
    }
}

/// Whether a bit of flow is kept although another one decides: with a flow of 4, which more acts like.
fn is_kept(descriptor: &Descriptor, place: usize, bit: usize) -> bool {
    let is_put = matches!(descriptor.action.name(), "put" | "put_words");
    is_put && place == 0 && (32..40).contains(&bit)
}

/// Whether a value names an index half-register anywhere.
fn names_index(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, field)| {
            let is_index = matches!(name.as_str(), "index" | "Index") && field.is_number();
            is_index || names_index(field)
        }),
        _ => false,
    }
}

#[test]
fn a_descriptor_reads_index_registers_if_one_of_its_fields_names_one() {
    let mut s = SplitMix64(2);
    let mut counts = [0; 2];
    for _ in 0..4000 {
        // Mostly without registers: the bits that say "none", and the next descriptor by a number.
        let mut words = words(&mut s);
        for (word, none) in [(1, 39), (3, 13), (5, 39)] {
            words[word] |= u64::from(!s.one_in(5)) << none;
        }
        words[0] &= !(u64::from(!s.one_in(5)) << 56);
        if field(words[0], 58, 57) == 2 {
            words[0] |= u64::from(!s.one_in(5)) << 39;
        }
        let expected = meaning(&words);
        let gather = &expected["action"]["Gather"]["base"];
        let reads = names_index(&expected) || gather.is_number();
        assert_eq!(Descriptor::decode(&words).reads_index(), reads, "{expected}");
        counts[usize::from(reads)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
}
