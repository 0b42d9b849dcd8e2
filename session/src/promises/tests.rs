//! The fingerprint of the words that a region has reached: it tells two sets of words apart, in whatever order they
//! came. Which bundles are one region, and which promises a caller has to keep.

use super::*;
use crate::Environment;
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

#[test]
fn bundles_are_one_region_if_none_is_in_another_and_none_begins_one() {
    let region = |start, end| Promises {
        start: BundleAddress(start),
        end: BundleAddress(end),
        ..Promises::default()
    };
    let image = Image { promises: vec![region(4, 8), region(8, 10)], ..Image::default() };
    let watch = Watch::new(&image, &Core::CP2);
    let is_one = |first, last| watch.is_one_region(BundleAddress(first), BundleAddress(last));
    for (first, last) in [(0, 3), (5, 7), (5, 5), (9, 9), (10, 20)] {
        assert!(is_one(first, last), "{first} to {last}");
    }
    // The begin of a region is the first bundle, among them, or the last; a region ends.
    for (first, last) in [(4, 7), (8, 9), (2, 5), (3, 4), (6, 8), (9, 10), (0, 20)] {
        assert!(!is_one(first, last), "{first} to {last}");
    }
}

/// Only a general register that goes to an address register hands the promise of its set on to the caller.
#[test]
fn an_address_is_the_callers_if_it_comes_from_a_general_register_of_his() {
    let text = ".kernel k\n move g3, g5\n move a4, n6\n move a5, g7\n nop\n .linear\n .scratch g15\n\
                .even r3, r4, r5\n ldo %a:%b, (r3)+2\n ldo %c:%d, (r4)+2\n ldo %e:%f, (r5)+2\n\
                psadd %g, %a, %c\n psadd %g, %g, %e\n swi %g, 9\n .endlinear\n stopi 0\n";
    let image = Environment::new().assemble(&Core::CP2, "t.s", text).expect("a kernel");
    let promises = EntryPromises::of(&image, &Core::CP2);
    let broken = |gpr_of_odd: Option<usize>, set_of_odd: Option<usize>| {
        let (mut gpr, mut a) = ([0; 16], [WordAddress(0); 16]);
        gpr_of_odd.into_iter().for_each(|g| gpr[g] = 1);
        set_of_odd.into_iter().for_each(|set| a[set] = WordAddress(1));
        promises.broken(BundleAddress(0), &gpr, &a).map(|broken| broken.message)
    };
    assert_eq!(broken(None, None), None);
    let is_odd = |message: Option<String>, set: u8| {
        message.is_some_and(|message| message.starts_with(&format!("a{set} = 1 is odd")))
    };
    assert!(is_odd(broken(None, Some(3)), 3));
    assert_eq!([4, 5].map(|set| broken(None, Some(set))), [None, None]);
    assert_eq!([3, 5, 6].map(|g| broken(Some(g), None)), [None, None, None]);
    assert!(is_odd(broken(Some(7), None), 5));
}
