//! Which vertex is taken next: the nearest by the minima of words, or the first. Its number, and its distance and number as words of
//! ones or zeros for each column, stay in local memory.

use super::super::exchange::{SectionExchange, exchange};
use super::super::find::first_of_word;
use super::super::pivots::pair;
use super::super::search::{CONDITIONS, Greatest, take};
use super::steps::{Base, region};
use super::{PathOrder, PathsKernels};
use crate::linear_text::LinearText;
use std::ops::Range;

/// Rows of a word.
const ROWS: usize = 64;

impl PathsKernels {
    /// Writes the routine `take`.
    pub(super) fn take(&self, out: &mut String) {
        *out += "take:\n";
        match self.order {
            PathOrder::Nearest => {
                self.minimum(out, self.open_address());
                let mut code = LinearText::default();
                let mut sets = self.best(&mut code);
                sets.extend(self.find(&mut code, self.candidates()));
                region(out, &sets, "r9", &code);
            }
            PathOrder::First => {
                let mut code = LinearText::default();
                code.line("clear %zero, %none");
                code.line("not %ones, %zero");
                let sets = self.find(&mut code, self.open_address());
                region(out, &sets, "r9", &code);
                // The distance of one row is the minimum over it.
                self.minimum(out, self.candidates());
                let mut code = LinearText::default();
                let sets = self.best(&mut code);
                region(out, &sets, "r4", &code);
            }
        }
        *out += "        ret\n        nop\n";
    }

    /// Writes the least distance of each word in the rows of a slice: the complement of it, with the first bit flipped, so that the
    /// greatest number of those with a sign is the least distance. If the nearest vertex is wanted, the rows that have it too.
    fn minimum(&self, out: &mut String, rows: usize) {
        for (number, part) in self.parts().enumerate() {
            let mut sets = vec![
                (0, Base::At(self.distances_address() + part.start)),
                (1, Base::At(rows + part.start)),
                (3, Base::At(self.bests() + part.start)),
                (4, Base::At(self.part_bests() + number)),
            ];
            let mut code = LinearText::default();
            self.minima(&mut code, &part);
            let mut even = "r0, r1, r3";
            if self.order == PathOrder::Nearest {
                sets.push((2, Base::At(self.candidates() + part.start)));
                even = "r0, r1, r2, r3";
                (0..part.len()).for_each(|word| code.line(format!("not %z{word}, %n{word}")));
                for word in (0..part.len()).step_by(2) {
                    code.access("sd", pair("%z", word), 2, word as i64);
                }
            }
            region(out, &sets, even, &code);
        }
    }

    /// Writes the minima of the words of a part, `%m`, the rows that are not among them, `%n`, and the least of all.
    fn minima(&self, code: &mut LinearText, part: &Range<usize>) {
        let words = || (0..part.len()).step_by(2);
        code.line("clear %zero, %bit");
        code.line("not %ones, %zero");
        code.line("li1 %bit, 0x8000");
        code.line("copy %sign, %bit");
        for word in words() {
            code.access("ld", pair("%x", word), 1, word as i64);
            code.line(format!("clear %m{word}, %m{}", word + 1));
        }
        for word in 0..part.len() {
            code.line(format!("not %n{word}, %x{word}"));
            code.line(format!("clear %candidate_beside{word}, %none{word}"));
        }
        code.begin_loop(self.bits);
        words().for_each(|word| code.access("ld", pair("%t", word), 0, word as i64));
        for word in 0..part.len() {
            let conditions = CONDITIONS[word % CONDITIONS.len()];
            code.line(format!("or %c{word}, %n{word}, %t{word}"));
            code.line(format!("c.ne.pw {}, %c{word}, %ones", conditions[0]));
            conditions.iter().for_each(|condition| take(code, condition, word));
            for condition in conditions {
                code.line(format!("if({condition}) or %m{word}, %m{word}, %bit"));
            }
        }
        code.line("lshifti %bit, %bit, -1");
        code.leave_at(0, self.layout.words() as i64);
        code.end_loop();
        for word in 0..part.len() {
            code.line(format!("xor %m{word}, %m{word}, %sign"));
            code.line(format!("copy %r{word}, %m{word}"));
        }
        words().for_each(|word| code.access("sd", pair("%m", word), 3, word as i64));
        Greatest { code, condition: 0 }.of("%r", part.len());
        code.access("sw", "%r0", 4, 0);
    }

    /// Writes the least distance of all parts and sections as `%q0`, and its columns as words of ones or zeros; returns the address
    /// sets.
    fn best(&self, code: &mut LinearText) -> Vec<(usize, Base)> {
        code.line("clear %zero, %sign");
        code.line("not %ones, %zero");
        code.line("li1 %sign, 0x8000");
        let parts = self.parts().count();
        (0..parts).for_each(|part| code.access("lw", format!("%r{part}"), 4, part as i64));
        let mut greatest = Greatest { code, condition: 0 };
        greatest.of("%r", parts);
        exchange(greatest.code, SectionExchange::Registers, ("%r0", "%q"));
        greatest.of("%q", 4);
        let condition = greatest.next();
        code.line("xor %less, %q0, %sign");
        code.line("not %distance, %less");
        self.columns_of(code, "%distance", 5, 0..self.bits);
        code.line("copy %reached, %zero");
        code.line(format!("c.ne.w cc{condition}, %less, %zero"));
        code.line(format!("if(cc{condition}) copy %reached, %ones"));
        code.access("sw", "%reached", 6, 0);
        vec![
            (4, Base::At(self.part_bests())),
            (5, Base::At(self.distance_masks())),
            (6, Base::At(self.reached())),
        ]
    }

    /// Writes bits of the low half of a register, counted from the most significant, as words of ones or zeros.
    fn columns_of(&self, code: &mut LinearText, from: &str, set: usize, bits: Range<usize>) {
        code.line(format!("copy {from}_twice, {from}"));
        code.line(format!("join32 {from}_twice, {from}"));
        for (at, bit) in bits.enumerate() {
            code.line(format!("lshifti {from}_first{at}, {from}_twice, {bit}"));
            code.line(format!("ashifti {from}_mask{at}, {from}_first{at}, -31"));
            code.access("sw", format!("{from}_mask{at}"), set, at as i64);
        }
    }

    /// Writes the first row of a slice, of the nearest ones if they are wanted: its number as the result and as words of ones or zeros.
    /// The row leaves the slice of those that are to be taken; if not the nearest is wanted, the candidates are this row. Returns the
    /// address sets.
    fn find(&self, code: &mut LinearText, slice: usize) -> Vec<(usize, Base)> {
        let w = self.layout.words();
        let is_nearest = self.order == PathOrder::Nearest;
        code.line("clear %chosen, %at");
        code.line("clear %nowhere, %none2");
        code.line("li1 %nowhere, 0x7fff");
        // Position of the first row of the section's share.
        code.line("section %section");
        code.line("copy %base, %zero");
        for bit in (0..usize::BITS as usize).filter(|bit| (ROWS * w) >> bit & 1 == 1) {
            code.line(format!("lshifti %part{bit}, %section, {bit}"));
            code.line(format!("add %base, %base, %part{bit}"));
        }
        code.line("addi %base, %base, 1");
        code.line("copy %here, %base");
        code.line(format!("inci %here, {}", ROWS * (w - 1)));
        code.begin_loop(w);
        code.access("lw", "%z", 0, 0);
        code.leave_at(0, -1);
        if is_nearest {
            code.access("lw", "%m", 1, 0);
            code.leave_at(1, -1);
            code.line("c.ne.w cc1, %m, %q0");
            code.line("if(cc1) copy %z, %zero");
        }
        code.line("swaphl %swapped, %z");
        code.line("or %any, %z, %swapped");
        code.line("c.ne.w cc2, %any, %zero");
        code.line("if(cc2) copy %chosen, %z");
        code.line("if(cc2) copy %at, %here");
        code.line(format!("addi %here, %here, -{ROWS}"));
        code.end_loop();
        self.row_of_word(code);
        self.remove_row(code);
        code.line("copy %number, %from0");
        code.line("c.eq.w cc5, %from0, %nowhere");
        code.line("if(cc5) copy %number, %zero");
        code.access("sw", "%number", 9, 0);
        let bits = 32 - self.parent_bits();
        self.columns_of(code, "%number", 8, bits..32);
        let mut sets = vec![
            (0, Base::At(slice + w - 1)),
            (2, Base::At(self.open_address())),
            (8, Base::At(self.number_masks())),
            (9, Base::At(self.result_address())),
        ];
        match is_nearest {
            true => sets.push((1, Base::At(self.bests() + w - 1))),
            false => {
                // The slice is that of the vertices to be taken, which the row leaves by the same address set.
                sets.retain(|(set, _)| *set != 2);
                sets.push((3, Base::At(self.candidates())));
            }
        }
        sets
    }

    /// Writes the first row of a word, `%chosen`, which begins at row `%at`: its number, that of the first section that has one as
    /// `%from0`, and a word with the row alone as `%row`.
    fn row_of_word(&self, code: &mut LinearText) {
        first_of_word(code);
        code.line("copy %row, %zero");
        code.line("join32 %row, %lowest");
        code.line("copy %low, %lowest");
        code.line("join32 %low, %zero");
        code.line("if(cc7) copy %row, %low");
        exchange(code, SectionExchange::Registers, ("%found", "%from"));
        for (condition, into, other) in [(2, 0, 1), (3, 2, 3), (4, 0, 2)] {
            code.line(format!("c.gt.w cc{condition}, %from{into}, %from{other}"));
            code.line(format!("if(cc{condition}) copy %from{into}, %from{other}"));
        }
        // The begin of the word that has the row; no word begins at 0.
        code.line("copy %key, %zero");
        code.line("c.eq.w cc6, %found, %from0");
        code.line("if(cc6) copy %key, %at");
    }

    /// Writes what removes the row from the slice of those that are to be taken.
    fn remove_row(&self, code: &mut LinearText) {
        let is_nearest = self.order == PathOrder::Nearest;
        let open = if is_nearest { 2 } else { 0 };
        code.line("copy %now, %base");
        if !is_nearest {
            // Behind the loop the set stands before the first word.
            code.leave_at(open, 1);
        }
        code.begin_loop(self.layout.words());
        code.access("lw", "%open", open, 0);
        code.line("c.eq.w cc6, %now, %key");
        code.line("if(cc6) xor %open, %open, %row");
        code.access("sw", "%open", open, 0);
        code.leave_at(open, 1);
        if !is_nearest {
            code.line("copy %only, %zero");
            code.line("if(cc6) copy %only, %row");
            code.access("sw", "%only", 3, 0);
            code.leave_at(3, 1);
        }
        code.line(format!("addi %now, %now, {ROWS}"));
        code.end_loop();
    }
}
