//! Two runs beside each other: which line of one is which of the other, and what each cost.

use crate::model::heat::Heat;
use crate::model::program::{LineId, Program};
use cp2_emu::profile::BundleCost;
use cp2_isa::BundleAddress;
use similar::{ChangeTag, TextDiff};

/// A line of one run or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Where it is in the first run and in the second: a place for people.
    pub places: [Option<String>; 2],
    /// A bundle of it, to go there.
    pub bundles: [Option<BundleAddress>; 2],
    /// Its text, that of the second run if both have it.
    pub text: String,
    /// What it cost.
    pub costs: [BundleCost; 2],
}

impl Pair {
    /// Cycles more in the second run.
    pub fn difference(&self) -> i64 {
        self.costs[1].cycles() as i64 - self.costs[0].cycles() as i64
    }
}

/// One of the runs.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its program.
    pub program: &'a Program,
    /// What its bundles cost.
    pub heat: &'a Heat,
}

/// A line or, without source, a bundle.
struct Item {
    place: String,
    text: String,
    bundles: Vec<BundleAddress>,
}

fn items(program: &Program) -> Vec<Item> {
    if !program.has_source() {
        let row = |row: &crate::model::program::Row| Item {
            place: row.address.to_string(),
            text: row.text.join(" | "),
            bundles: vec![row.address],
        };
        return program.rows.iter().map(row).collect();
    }
    let mut items = Vec::new();
    for (file, lines) in program.files.iter().enumerate() {
        for (text, line) in lines.lines.iter().zip(1..) {
            let id: LineId = (file, line);
            let place = program.place(id);
            items.push(Item { place, text: text.clone(), bundles: program.bundles(id).to_vec() });
        }
    }
    items
}

/// The lines of two runs in their order, aligned by their texts. Lines that cost nothing in either and
/// have no bundles are left out.
pub fn aligned(sides: [Side<'_>; 2]) -> Vec<Pair> {
    let [a, b] = sides.map(|side| items(side.program));
    let texts = |items: &[Item]| -> Vec<String> {
        items.iter().map(|item| item.text.trim().to_owned()).collect()
    };
    let (left, right) = (texts(&a), texts(&b));
    let (left, right): (Vec<&str>, Vec<&str>) =
        (left.iter().map(String::as_str).collect(), right.iter().map(String::as_str).collect());
    let diff = TextDiff::from_slices(&left, &right);
    let mut pairs = Vec::new();
    for change in diff.iter_all_changes() {
        let of = |side: usize| match (side, change.tag()) {
            (0, ChangeTag::Insert) | (1, ChangeTag::Delete) => None,
            (0, _) => change.old_index().map(|k| &a[k]),
            _ => change.new_index().map(|k| &b[k]),
        };
        let both = [of(0), of(1)];
        let Some(text) = both[1].or(both[0]).map(|item| item.text.clone()) else { continue };
        if both.iter().flatten().all(|item| item.bundles.is_empty()) {
            continue;
        }
        let cost = |side: usize| {
            both[side].map_or(BundleCost::default(), |item| sides[side].heat.bundles(&item.bundles))
        };
        pairs.push(Pair {
            places: both.map(|item| item.map(|item| item.place.clone())),
            bundles: both.map(|item| item.and_then(|item| item.bundles.first().copied())),
            text,
            costs: [cost(0), cost(1)],
        });
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_isa::Core;
    use cp2_programs::load::assemble;

    fn program(text: &str) -> Program {
        let image = assemble(&Core::CP2, "k.s", text).expect("a program");
        Program::new(&image, &Core::CP2, |_| Some(text.to_owned()))
    }

    fn heat(cycles: &[u64]) -> Heat {
        let cost = |&n: &u64| BundleCost { causes: [n, 0, 0, 0, 0, 0], flops: 0 };
        let mut heat = Heat::default();
        heat.add(&cycles.iter().map(cost).collect::<Vec<_>>(), 100);
        heat
    }

    #[test]
    fn lines_that_moved_are_still_the_same() {
        let a = program("        .kernel k\n        clear f1, f2\n        | stopi 0\n");
        let b = program(
            "; new\n        .kernel k\n        clear f1, f2\n        nop\n        | stopi 0\n",
        );
        let (x, y) = (heat(&[5, 1]), heat(&[7, 2, 1]));
        let pairs = aligned([Side { program: &a, heat: &x }, Side { program: &b, heat: &y }]);
        let told: Vec<_> = pairs
            .iter()
            .map(|p| (p.text.trim(), p.places.clone().map(|p| p.is_some()), p.difference()))
            .collect();
        let expected = [
            ("clear f1, f2", [true, true], 2),
            ("nop", [false, true], 2),
            ("| stopi 0", [true, true], 0),
        ];
        assert_eq!(told, expected);
        assert_eq!(pairs[0].places, [Some("k.s:2".to_owned()), Some("k.s:3".to_owned())]);
    }

    #[test]
    fn programs_without_source_are_aligned_by_their_bundles() {
        let strip = |mut program: Program| {
            program.files.iter_mut().for_each(|file| file.lines.clear());
            program
        };
        let a = strip(program("        .kernel k\n        clear f1, f2\n        | stopi 0\n"));
        let b = strip(program("        .kernel k\n        | stopi 0\n"));
        let (x, y) = (heat(&[5, 1]), heat(&[1]));
        let pairs = aligned([Side { program: &a, heat: &x }, Side { program: &b, heat: &y }]);
        assert_eq!(pairs.len(), 2);
        assert_eq!(pairs[0].difference(), -5);
    }
}
