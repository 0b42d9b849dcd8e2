//! The worked examples of the table of operations: each operation has one, it does on every engine what it says, it
//! tells everything that changes; and the exceptions of the table are those that can be raised.

use cp2_emu::arith::{self, Flags, Lane, Rounding};
use cp2_fast::NativeIsa;
use cp2_filetest::{Options, TestEngine};
use cp2_isa::{Arith, EXAMPLES, Effects, Exch, Inst, Row};
use cp2_tests::SplitMix64;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

fn rows() -> impl Iterator<Item = &'static Row> {
    Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()))
}

/// Runs a file test; returns what is not as it says.
fn complaints(name: &str, text: &str, targets: &[TestEngine]) -> Vec<String> {
    let loader = |_: &str, path: &str| Err(format!("`{path}` is not here"));
    let arrays = |_: &str, path: &str| Err(format!("`{path}` is not here"));
    let options = Options { targets: targets.to_vec(), loader: &loader, arrays: &arrays };
    let tested = cp2_filetest::test(name, text, &options).unwrap_or_else(|wrong| {
        panic!("{name}:{}: {}", wrong[0].line, wrong[0].message);
    });
    let told = |case: &cp2_filetest::CaseResult| {
        let one = |f: &cp2_filetest::Failure| {
            format!("{name}:{} {}: {}", f.line(), case.name, f.message())
        };
        case.failures.iter().map(one).collect::<Vec<_>>()
    };
    tested.cases.iter().flat_map(told).collect()
}

#[test]
fn every_example_does_on_every_engine_what_it_says() {
    let targets = [
        TestEngine::Reference,
        TestEngine::Portable,
        TestEngine::Fast(Some(NativeIsa::Avx2)),
        TestEngine::Fast(Some(NativeIsa::Avx512)),
    ];
    let all: Vec<_> =
        EXAMPLES.iter().flat_map(|(name, text)| complaints(name, text, &targets)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_operation_has_an_example_and_every_example_an_operation() {
    for row in rows() {
        let example = row.example().unwrap_or_else(|| panic!("`{}` has no example", row.name));
        let name = row
            .name
            .trim_end_matches(|c: char| row.name.starts_with("psprmsgn") && "01".contains(c));
        let is_shown = |line: &String| {
            let mut words = line.split([' ', '.']);
            words.any(|word| word == name)
        };
        assert!(example.lines.iter().any(is_shown), "{}: {:?}", row.name, example.lines);
        assert!(!example.before.is_empty() && !example.after.is_empty(), "{}", row.name);
        for told in example.before.iter().chain(&example.after) {
            assert_eq!(told.matches('=').count(), 1, "{}: {told}", row.name);
        }
    }
    let names: BTreeSet<&str> = rows().map(|row| row.name).collect();
    for (file, text) in EXAMPLES {
        for case in text.lines().filter_map(|line| line.strip_prefix("; case: ")) {
            assert!(names.contains(case), "{file}: there is no operation `{case}`");
        }
    }
}

/// Returns the places that assignments tell, such as `f1` and `f2` of `f1 = 1.0:2.0, 3.0:4.0`, with their values.
fn places(assignments: &[&str]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for assignment in assignments {
        let (first, values) = assignment.split_once(" = ").expect("a value");
        let (mut depth, mut k, mut value) = (0, 0, String::new());
        for c in values.chars().chain([',']) {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if c == ',' && depth == 0 {
                all.insert(after(first, k), std::mem::take(&mut value).trim().to_owned());
                k += 1;
            } else {
                value.push(c);
            }
        }
    }
    all
}

/// Returns the name of the place `k` behind another.
fn after(place: &str, k: usize) -> String {
    let begin = place.find(|c: char| c.is_ascii_digit()).unwrap_or(place.len());
    let digits: String = place[begin..].chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<usize>() {
        Ok(number) => {
            format!("{}{}{}", &place[..begin], number + k, &place[begin + digits.len()..])
        }
        Err(_) => place.to_owned(),
    }
}

/// Returns registers and words around those of the examples, with their values after reset. Of STATUS, which repeats the
/// flags of FCSR, examples tell nothing.
fn around(row: &Row) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut add = |name: &str, numbers: std::ops::Range<usize>, reset: &str| {
        all.extend(numbers.map(|k| (name.replace('#', &k.to_string()), reset.to_owned())));
    };
    add("f#", 0..64, "0");
    add("g#", 0..16, "0");
    add("i#", 0..16, "0");
    add("a#", 0..16, "0");
    add("n#", 0..16, "1");
    add("m#", 0..16, "0x1fff");
    add("[#]", 0..256, "0");
    add("[#]", 4096..4352, "0");
    for (name, reset) in [
        ("fccr", "1"),
        ("fcsr", "0"),
        ("rind", "0"),
        ("rstep", "0"),
        ("rmask", "0xffff"),
        ("control", "0"),
        ("stopcode", "0"),
    ] {
        add(name, 0..1, reset);
    }
    if row.extension.contains(cp2_isa::Extensions::SECTION_ADDRESSING) {
        add("sa#", 0..16, "0");
    }
    if row.extension.contains(cp2_isa::Extensions::SHARED_MEMORY) {
        add("qa#", 0..16, "0");
    }
    all
}

/// Every example once more, with what it does not tell expected to be as it was.
#[test]
fn examples_tell_everything_that_changes() {
    for (file, text) in EXAMPLES {
        let mut lines = Vec::new();
        let mut row = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("; case: ") {
                row = rows().find(|row| row.name == name);
            }
            lines.push(line.to_owned());
            let Some((row, true)) = row.map(|row| (row, line.starts_with("; state: "))) else {
                continue;
            };
            let example = row.example().expect("an example");
            let mut kept = around(row);
            kept.extend(places(&example.before));
            let told = places(&example.after);
            kept.retain(|place, _| {
                !told.contains_key(place) && place != "dma" && place != "status"
            });
            lines.extend(kept.iter().map(|(place, value)| format!("; state: {place} = {value}")));
        }
        let all = complaints(file, &lines.join("\n"), &[TestEngine::Reference]);
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
}

/// Halves of operands that raise what there is to raise: zeros, denormals, the ends of the normal numbers, ties, whole
/// numbers as floats and as they are, infinities, NaN.
const HALVES: [u32; 33] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8040_0000,
    0x0080_0000,
    0x0080_0001,
    0x8080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4040_0000,
    0x3dcc_cccd,
    0xbdcc_cccd,
    0x3300_0000,
    0x4b80_0001,
    0xc020_0000,
    0x4f00_0000,
    0x42fc_8000,
    0xc2fc_0001,
    0x4300_0000,
    0x7e80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7fff_ffff,
    0x0000_007f,
    0xffff_ff82,
    0x0100_0001,
    0x3f00_0000,
    0x3f3f_ffff,
];

#[test]
fn the_exceptions_of_the_table_are_those_that_can_be_raised() {
    let mut dice = SplitMix64(33);
    let mut half = || u64::from(HALVES[dice.below(HALVES.len() as u64) as usize]);
    let modes = [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down];
    for op in Arith::ALL.iter().filter(|op| op.row().unit == cp2_isa::Unit::Arithmetic) {
        let mut raised = Flags::empty();
        for k in 0..40_000 {
            let mut pair = || half() << 32 | half();
            let lane = Lane {
                d: pair(),
                s: pair(),
                t: pair(),
                s_next: pair(),
                t_next: pair(),
                coefficient: 0x3f35_04f3_bf35_04f3,
                section: 0,
                rounding: modes[k % 4],
            };
            raised |= arith::execute(&Inst::new(*op, &[]), &lane).flags;
        }
        let row = op.row();
        assert_eq!(raised, row.raises, "{}", row.name);
        assert!(raised.is_empty() || row.effects.contains(Effects::FLAGS), "{}", row.name);
    }
    assert!(Exch::ALL.iter().all(|op| op.row().raises.is_empty()));
}
