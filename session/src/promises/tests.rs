//! The fingerprint of the words that a region has reached: it tells two sets of words apart, in whatever order they
//! came.

use super::*;
use std::collections::BTreeMap;

/// Returns the fingerprint of words, each with its address set.
fn fingerprint(all: impl IntoIterator<Item = (u8, u16)>) -> u64 {
    let mut reached = Reached::new(64);
    all.into_iter().for_each(|(set, word)| reached.add(set, WordAddress(word)));
    reached.fingerprint
}

#[test]
fn words_that_differ_have_fingerprints_that_differ() {
    let places: Vec<(u8, u16)> =
        (0..PLACES as u8).flat_map(|set| (0..24).map(move |word| (set, word))).collect();
    let mut known = BTreeMap::from([(fingerprint([]), vec![])]);
    for (k, &one) in places.iter().enumerate() {
        assert_eq!(fingerprint([one, one]), fingerprint([one]));
        for &other in &places[k..] {
            let both = vec![one, other];
            let first = known.insert(fingerprint(both.clone()), both.clone());
            assert_eq!(first, None, "and {both:?}");
        }
    }
}

#[test]
fn the_order_of_words_does_not_count_and_a_new_region_begins_with_none() {
    let mut reached = Reached::new(64);
    let words = [(3, 9), (0, 0), (3, 60), (1, 9)];
    words.iter().for_each(|&(set, word)| reached.add(set, WordAddress(word)));
    assert_eq!(reached.fingerprint, fingerprint(words.into_iter().rev()));
    assert!(words.iter().all(|&(set, word)| reached.contains(set, WordAddress(word))));
    reached.clear();
    assert_eq!(reached.fingerprint, fingerprint([]));
    assert!(!words.iter().any(|&(set, word)| reached.contains(set, WordAddress(word))));
}
