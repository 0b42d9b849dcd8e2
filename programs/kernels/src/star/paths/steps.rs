//! What a pass does to all rows: sums of a band and a distance, compared with the distances that rows have; rows that got nearer take
//! the sums and the number of their parent.

use super::super::pivots::pair;
use super::PathsKernels;
use crate::linear_text::LinearText;
use std::fmt::Write as _;
use std::ops::Range;

/// Begin of an address set.
#[derive(Clone, Copy)]
pub(super) enum Base {
    /// An address that is known.
    At(usize),
    /// The address that the kernel takes in `g0`.
    Argument,
}

/// Writes a region: address sets, of which all are apart and those of `even` are even, then the lines.
pub(super) fn region(out: &mut String, sets: &[(usize, Base)], even: &str, code: &LinearText) {
    for (set, base) in sets {
        let _ = match base {
            Base::At(address) => writeln!(out, "        seti    a{set}, {address}"),
            Base::Argument => writeln!(out, "        move    a{set}, g0"),
        };
    }
    let names: Vec<String> = sets.iter().map(|(set, _)| format!("r{set}")).collect();
    let _ = writeln!(
        out,
        ".linear\n        .even   {even}\n        .disjoint {}\n{}.endlinear",
        names.join(", "),
        code.text()
    );
}

/// Lines of a column for one word: sum and carry, then what is known of the comparison of the sum with the distance, then the rows
/// whose weight is ones so far.
const ADD: [&str; 10] = [
    "xor %q, %t, %v",
    "xor %s, %q, %b",
    "xor %g, %t, %b",
    "and %h, %g, %q",
    "xor %b, %t, %h",
    "xor %d, %s, %f",
    "xor %i, %c, %f",
    "and %j, %i, %d",
    "xor %c, %c, %j",
    "and %e, %e, %t",
];

/// Returns a line with the number of a word behind the names of its registers, except those that all words share.
fn of_word(line: &str, word: usize, shared: &str) -> String {
    let register = |part: &str| match part.trim_end_matches(',') {
        name if name.starts_with('%') && name != shared => {
            part.replacen(name, &format!("{name}{word}"), 1)
        }
        _ => part.to_owned(),
    };
    line.split(' ').map(register).collect::<Vec<_>>().join(" ")
}

/// Writes that there is no carry, that no sum is less, and that no row has an arc so far.
fn begin(code: &mut LinearText, words: usize) {
    for word in (0..words).step_by(2) {
        code.line(format!("clear %b{word}, %b{}", word + 1));
        code.line(format!("clear %c{word}, %c{}", word + 1));
        code.line(format!("not %e{word}, %b{word}"));
        code.line(format!("not %e{}, %b{word}", word + 1));
    }
}

impl PathsKernels {
    /// Writes the sums of the columns of a page, from the last to the first, and the comparison: carries and comparison begin with the
    /// last column of a band and end with the first.
    pub(super) fn add(&self, out: &mut String, columns: &Range<usize>) {
        let w = self.layout.words() as i64;
        let (is_first, is_last) = (columns.end == self.bits, columns.start == 0);
        for part in self.parts() {
            let mut sets = self.operands(columns.end - 1, &part);
            let mut even = "r0, r2, r3".to_owned();
            let mut code = LinearText::default();
            if self.is_resident {
                code.leave_at(0, (columns.end as i64 - 1) * w + part.start as i64);
            }
            if !(is_first && is_last) {
                sets.push((4, Base::At(self.state() + part.start)));
                even += ", r4";
            }
            match is_first {
                true => begin(&mut code, part.len()),
                false => self.keep(&mut code, "ld", part.len()),
            }
            code.leave_at(4, 0);
            self.columns(&mut code, columns.len(), part.len());
            if is_last {
                let slice = |slice: usize| Base::At(slice + part.start);
                sets.extend([(5, slice(self.nearer())), (6, slice(self.open_address()))]);
                sets.push((7, Base::At(self.reached())));
                even += ", r5, r6";
                self.nearer_rows(&mut code, part.len());
            } else {
                self.keep(&mut code, "sd", part.len());
            }
            region(out, &sets, &even, &code);
        }
    }

    /// Returns the address sets of band, distance of the vertex, distances and sums, from this column on.
    fn operands(&self, column: usize, part: &Range<usize>) -> Vec<(usize, Base)> {
        let at = |table: usize| Base::At(table + self.table(column) + part.start);
        vec![
            (0, if self.is_resident { Base::Argument } else { at(0) }),
            (1, Base::At(self.distance_masks() + column)),
            (2, at(self.distances_address())),
            (3, at(self.sums())),
        ]
    }

    /// Writes the loads or the stores of what goes from page to page: carries, comparison, and rows without an arc.
    fn keep(&self, code: &mut LinearText, access: &'static str, words: usize) {
        let w = self.layout.words();
        for word in (0..words).step_by(2) {
            for (k, name) in ["%b", "%c", "%e"].into_iter().enumerate() {
                code.access(access, pair(name, word), 4, (k * w + word) as i64);
            }
        }
    }

    /// Writes the loop over columns.
    fn columns(&self, code: &mut LinearText, columns: usize, part: usize) {
        let w = self.layout.words() as i64;
        let words = || (0..part).step_by(2);
        code.begin_loop(columns);
        for word in words() {
            code.access("ld", pair("%t", word), 0, word as i64);
            code.access("ld", pair("%f", word), 2, word as i64);
        }
        code.access("lw", "%v", 1, 0);
        for word in 0..part {
            ADD.iter().for_each(|line| code.line(of_word(line, word, "%v")));
        }
        words().for_each(|word| code.access("sd", pair("%s", word), 3, word as i64));
        for (set, step) in [(0, w), (1, 1), (2, w), (3, w)] {
            code.leave_at(set, -step);
        }
        code.end_loop();
    }

    /// Writes the rows that got nearer, which are those with an arc whose sum is less, and adds them to those that are to be taken. From
    /// a vertex that is not reached none gets nearer.
    fn nearer_rows(&self, code: &mut LinearText, words: usize) {
        code.access("lw", "%reached", 7, 0);
        for word in (0..words).step_by(2) {
            code.access("ld", pair("%a", word), 6, word as i64);
        }
        for word in 0..words {
            code.line(format!("not %arc{word}, %e{word}"));
            code.line(format!("and %less{word}, %c{word}, %arc{word}"));
            code.line(format!("and %y{word}, %less{word}, %reached"));
            code.line(format!("or %a{word}, %a{word}, %y{word}"));
        }
        for word in (0..words).step_by(2) {
            code.access("sd", pair("%y", word), 5, word as i64);
            code.access("sd", pair("%a", word), 6, word as i64);
        }
    }

    /// Writes what lets the rows that got nearer take their sums, and the number of the vertex of the pass as their parent.
    pub(super) fn merge(&self, out: &mut String) {
        let w = self.layout.words() as i64;
        let tables = [
            (self.sums(), self.distances_address(), self.bits, false),
            (self.number_masks(), self.parents_address(), self.parent_bits(), true),
        ];
        for (from, to, columns, is_word) in tables {
            for part in self.parts() {
                let words = || (0..part.len()).step_by(2);
                let from = if is_word { from } else { from + part.start };
                let sets = [
                    (0, Base::At(from)),
                    (1, Base::At(to + part.start)),
                    (2, Base::At(self.nearer() + part.start)),
                ];
                let mut code = LinearText::default();
                words().for_each(|word| code.access("ld", pair("%y", word), 2, word as i64));
                code.begin_loop(columns);
                for word in words() {
                    if !is_word {
                        code.access("ld", pair("%t", word), 0, word as i64);
                    }
                    code.access("ld", pair("%f", word), 1, word as i64);
                }
                if is_word {
                    code.access("lw", "%t", 0, 0);
                }
                for word in 0..part.len() {
                    let shared = if is_word { "%t" } else { "" };
                    for line in ["xor %d, %f, %t", "and %m, %d, %y", "xor %s, %f, %m"] {
                        code.line(of_word(line, word, shared));
                    }
                }
                words().for_each(|word| code.access("sd", pair("%s", word), 1, word as i64));
                code.leave_at(0, if is_word { 1 } else { w });
                code.leave_at(1, w);
                code.end_loop();
                region(out, &sets, if is_word { "r1, r2" } else { "r0, r1, r2" }, &code);
            }
        }
    }
}
