//! Differences between two states of CP2, for engines that have to agree. Nothing is run here.

use crate::state::State;
use cp2_isa::Storage;
use std::fmt;

/// A register, or a word of a memory, that holds different values in two states of CP2: the expected one (the
/// reference) and the one found. Made by [`Difference::first`], for tests of engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Name of the register or word, with its section where each section has its own: `f7 of section 2`. For stacks of
    /// different depth it is `the number of`, followed by their description.
    pub place: String,
    /// Value of the register or word in the expected state: hexadecimal with `0x`, or a decimal depth of a stack.
    pub expected: String,
    /// Value of the same register or word in the state found, written as `expected` is.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} instead of {}", self.place, self.found, self.expected)
    }
}

impl Difference {
    /// Returns the first register or word that differs between two states, in the order of
    /// [`Storage::ALL`], then of numbers and sections; `None` if the states are equal.
    pub fn first(expected: &State, found: &State) -> Option<Self> {
        // What the table does not name cannot differ: `State::at` would not compile.
        let differ = expected != found;
        differ.then(|| Storage::ALL.into_iter().find_map(|s| first_of(s, expected, found)))?
    }
}

fn first_of(storage: Storage, expected: &State, found: &State) -> Option<Difference> {
    let [count, other] = [expected, found].map(|state| state.count(storage));
    if count != other {
        return Some(Difference {
            place: format!("the number of {}", storage.info().description),
            expected: count.to_string(),
            found: other.to_string(),
        });
    }
    let place = expected.cells(storage).find(|&place| expected.at(place) != found.at(place))?;
    let [expected, found] = [expected, found].map(|state| format!("{:#x}", state.at(place)));
    Some(Difference { place: place.to_string(), expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::ActiveLoop;
    use cp2_isa::{BundleAddress, Core};

    /// Creates a state of a core with all registers, with two loops and two calls.
    fn state() -> State {
        State {
            loops: vec![ActiveLoop::default(); 2],
            calls: vec![BundleAddress(7); 2],
            ..State::new(&Core::WIDEST)
        }
    }

    #[test]
    fn every_register_and_word_that_differs_is_named_and_no_other() {
        let expected = state();
        assert_eq!(Difference::first(&expected, &expected), None);
        for storage in Storage::ALL {
            let places: Vec<_> = expected.cells(storage).collect();
            for place in [places[0], places[places.len() / 2], places[places.len() - 1]] {
                let mut found = expected.clone();
                let bits = storage.fitted(&Core::WIDEST, u64::MAX) & !storage.info().ones;
                let lowest = bits & bits.wrapping_neg();
                let value = expected.get(place).unwrap() ^ lowest;
                assert!(found.set(&Core::WIDEST, place, value));
                let changed: Vec<_> = Storage::ALL
                    .into_iter()
                    .flat_map(|s| expected.cells(s))
                    .filter(|&p| expected.get(p) != found.get(p))
                    .collect();
                assert_eq!(changed, [place]);
                let difference = Difference::first(&expected, &found).unwrap();
                assert_eq!(difference.place, place.to_string());
                assert_eq!(difference.found, format!("{value:#x}"));
            }
        }
    }

    #[test]
    fn stacks_of_other_depth_differ() {
        let (expected, mut found) = (state(), state());
        found.calls.push(BundleAddress(9));
        let text = Difference::first(&expected, &found).unwrap().to_string();
        assert_eq!(text, "the number of return addresses is 3 instead of 2");
    }

    #[test]
    fn a_difference_reads_as_a_sentence() {
        let (expected, mut found) = (state(), state());
        found.fpr[7][2] = 0x1234;
        let text = Difference::first(&expected, &found).unwrap().to_string();
        assert_eq!(text, "f7 of section 2 is 0x1234 instead of 0x0");
    }
}
