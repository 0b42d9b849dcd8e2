//! Random lines with loads and stores that obey the predicate, on cores that have them: values merged in parts and
//! read at once, stores of parts among other accesses of the same words, comparisons right before.

use super::Writer;
use cp2_isa::Extensions;

impl Writer {
    pub(super) fn has_conditional(&self) -> bool {
        self.extensions.contains(Extensions::CONDITIONAL_MEMORY)
    }

    /// Some lines of which at least one accesses memory under a predicate.
    pub(super) fn conditional(&mut self) {
        let cc = self.dice.between(1, 3);
        match self.dice.below(10) {
            0..5 => self.compared(cc),
            5 => {
                let s = self.value();
                self.line(format!("mtc {s}, fccr"));
            }
            _ => {}
        }
        match self.dice.below(6) {
            0..2 => self.merged(cc),
            2 => self.merged_pair(cc),
            3 => {
                let s = self.value();
                self.access(cc, "csw", &s);
            }
            4 => {
                let (a, b) = self.pair();
                self.access(cc, "csd", &format!("{a}:{b}"));
            }
            _ => self.stored_and_loaded(cc),
        }
    }

    fn compared(&mut self, cc: usize) {
        let (s, t) = (self.value(), self.value());
        let kind = self.dice.pick(&["lt.s", "ge.s", "gt.w"]);
        let other = self.dice.pick(&["", "", "", "if(cc1) ", "if(cc2) "]);
        self.line(format!("{other}c.{kind} cc{cc}, {s}, {t}"));
    }

    fn access(&mut self, cc: usize, stem: &str, registers: &str) {
        let address = self.address(stem.ends_with('d'));
        self.line(format!("if(cc{cc}) {stem}{} {registers}, {address}", Self::suffix(&address)));
    }

    /// A load into a register that a slow or a fast operation, or another load, has just written.
    fn merged(&mut self, cc: usize) {
        let d = self.target();
        let s = self.value();
        match self.dice.below(4) {
            0 => self.line(format!("psmul {d}, {s}, {s}")),
            1 => self.line(format!("copy {d}, {s}")),
            2 => {
                let address = self.address(false);
                self.line(format!("lw{} {d}, {address}", Self::suffix(&address)));
            }
            _ => self.line(format!("mtfpr {d}, g4, all")),
        }
        self.has(&d);
        self.access(cc, "clw", &d);
        if self.dice.percent(30) {
            let other = self.dice.between(1, 3);
            self.access(other, "clw", &d);
        }
        if self.dice.percent(50) {
            let sum = self.target();
            self.line(format!("psadd {sum}, {d}, {s}"));
            self.has(&sum);
        }
    }

    /// A load into a pair, which `psprmsgn` reads by its bypass.
    fn merged_pair(&mut self, cc: usize) {
        let (a, b) = self.pair();
        if self.dice.percent(50) {
            let s = self.value();
            self.line(format!("psadd {a}, {s}, {b}"));
        }
        self.access(cc, "cld", &format!("{a}:{b}"));
        let (x, y) = (self.fresh(), self.fresh());
        self.line(format!("psprmsgn {x}:{y}, {a}:{b}, 0, 1, 2, 3"));
        self.has(&x);
        self.has(&y);
        self.pairs.push((x, y));
    }

    /// A store of parts between a store of all and a load, all of one word.
    fn stored_and_loaded(&mut self, cc: usize) {
        let set = self.dice.pick(&super::LINEAR);
        let (s, t, d) = (self.value(), self.value(), self.fresh());
        self.line(format!("swo {s}, (r{set})+0"));
        self.line(format!("if(cc{cc}) cswo {t}, (r{set})+0"));
        self.line(format!("lwo {d}, (r{set})+1"));
        self.has(&d);
    }
}
