//! Where two states of CP2 differ, for engines that have to agree. It runs nothing.

use crate::state::{Quad, State};
use cp2_isa::SECTIONS;
use std::fmt;

/// A place that holds different values in two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// A register or a word, and the section if there is one in each.
    pub place: String,
    /// What it should hold.
    pub expected: String,
    /// What it holds.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} instead of {}", self.place, self.found, self.expected)
    }
}

impl Difference {
    /// The first place where a state is not as expected: floating-point registers, local memory, the
    /// other registers, the stacks of loops and calls, instruction memory.
    pub fn first(expected: &State, found: &State) -> Option<Self> {
        let State { fpr, lmem, iram, gpr, a, n, m, ireg, fccr, fcsr, .. } = expected;
        let State { comm, control, status, rind, rstep, rmask, stopcode, .. } = expected;
        let State { pc, loops, calls, .. } = expected;
        let of = found;
        in_sections("f", &fpr[..], &of.fpr[..])
            .or_else(|| in_sections("word ", lmem, &of.lmem))
            .or_else(|| numbered("g", gpr, &of.gpr))
            .or_else(|| numbered("a", a, &of.a))
            .or_else(|| numbered("n", n, &of.n))
            .or_else(|| numbered("m", m, &of.m))
            .or_else(|| numbered("i", ireg, &of.ireg))
            .or_else(|| numbered("FCCR of section ", fccr, &of.fccr))
            .or_else(|| numbered("FCSR of section ", fcsr, &of.fcsr))
            .or_else(|| single("COMM", comm, &of.comm))
            .or_else(|| single("CONTROL", control, &of.control))
            .or_else(|| single("STATUS", status, &of.status))
            .or_else(|| single("RIND", rind, &of.rind))
            .or_else(|| single("RSTEP", rstep, &of.rstep))
            .or_else(|| single("RMASK", rmask, &of.rmask))
            .or_else(|| single("STOPCODE", stopcode, &of.stopcode))
            .or_else(|| single("PC", pc, &of.pc))
            .or_else(|| shown("the loop stack", loops, &of.loops))
            .or_else(|| shown("the call stack", calls, &of.calls))
            .or_else(|| numbered("bundle ", iram, &of.iram))
    }
}

fn single<T: PartialEq + fmt::LowerHex>(
    place: &str,
    expected: &T,
    found: &T,
) -> Option<Difference> {
    let hex = |value: &T| format!("{value:#x}");
    (expected != found).then(|| Difference {
        place: place.to_owned(),
        expected: hex(expected),
        found: hex(found),
    })
}

fn shown<T: PartialEq + fmt::Debug>(place: &str, expected: &T, found: &T) -> Option<Difference> {
    let text = |value: &T| format!("{value:?}");
    (expected != found).then(|| Difference {
        place: place.to_owned(),
        expected: text(expected),
        found: text(found),
    })
}

fn numbered<T: PartialEq + fmt::LowerHex>(
    name: &str,
    expected: &[T],
    found: &[T],
) -> Option<Difference> {
    let mut both = expected.iter().zip(found).enumerate();
    both.find_map(|(k, (e, f))| (e != f).then(|| single(&format!("{name}{k}"), e, f)).flatten())
}

fn in_sections(name: &str, expected: &[Quad], found: &[Quad]) -> Option<Difference> {
    let k = expected.iter().zip(found).position(|(e, f)| e != f)?;
    let place = |s: usize| format!("{name}{k} of section {s}");
    (0..SECTIONS).find_map(|s| single(&place(s), &expected[k][s], &found[k][s]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Loop;

    #[test]
    fn every_place_is_named() {
        type Change = fn(&mut State);
        let changes: [(&str, Change); 20] = [
            ("f7 of section 2", |s| s.fpr[7][2] = 5),
            ("word 8191 of section 3", |s| s.lmem[8191][3] = 5),
            ("g15", |s| s.gpr[15] = 5),
            ("a3", |s| s.a[3] = 5),
            ("n0", |s| s.n[0] = 5),
            ("m9", |s| s.m[9] = 5),
            ("i1", |s| s.ireg[1] = 5),
            ("FCCR of section 1", |s| s.fccr[1] = 5),
            ("FCSR of section 0", |s| s.fcsr[0] = 5),
            ("COMM", |s| s.comm = 5),
            ("CONTROL", |s| s.control = 5),
            ("STATUS", |s| s.status = 5),
            ("RIND", |s| s.rind = 5),
            ("RSTEP", |s| s.rstep = 5),
            ("RMASK", |s| s.rmask = 5),
            ("STOPCODE", |s| s.stopcode = 5),
            ("PC", |s| s.pc = 5),
            ("the loop stack", |s| s.loops.push(Loop::default())),
            ("the call stack", |s| s.calls.push(5)),
            ("bundle 100", |s| s.iram[100] = 5),
        ];
        let expected = State::default();
        assert_eq!(Difference::first(&expected, &expected), None);
        for (place, change) in changes {
            let mut found = expected.clone();
            change(&mut found);
            let difference = Difference::first(&expected, &found).unwrap();
            assert_eq!(difference.place, place);
        }
        let mut found = expected.clone();
        found.fpr[7][2] = 0x1234;
        let text = Difference::first(&expected, &found).unwrap().to_string();
        assert_eq!(text, "f7 of section 2 is 0x1234 instead of 0x0");
    }
}
