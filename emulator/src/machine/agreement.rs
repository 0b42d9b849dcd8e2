//! An engine and the reference engine on one program: whether they agree, and if not, from which cycle on.

use super::coupled::Machine;
use super::engine::Engine;
use crate::compare::Difference;
use crate::cp2::{Cp2, RunResult};
use crate::trace::NoObserver;
use cp2_isa::BundleAddress;
use std::fmt;

/// The first cycle from which an engine gives another state of CP2 than the reference engine, and the difference there.
/// [`compare`] finds it. Every divergence is an error of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Length in cycles of a run at whose end the engines differ, while a run that is one cycle shorter agrees.
    pub cycles: u64,
    /// Text of the difference at the end of a run of that length.
    pub what: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engines differ after {} cycles: {}", self.cycles, self.what)
    }
}

impl std::error::Error for Divergence {}

/// Runs a kernel from `address` on an engine and on the reference engine, for at most `limit` cycles, on copies of
/// `cp2`. Returns the result of the run if registers, memories, STATUS, counts and the end of the run agree.
///
/// # Errors
/// The engines differ; the error has the shortest run, by bisection, that differs.
pub fn compare(
    engine: &mut dyn Engine,
    cp2: &Cp2,
    address: BundleAddress,
    limit: u64,
) -> Result<RunResult, Divergence> {
    let mut run_both = |limit: u64| {
        let mut reference = cp2.clone();
        let mut machine = Machine::alone(cp2.clone());
        let expected = reference.run_untraced(address, limit);
        let run = engine.run_kernel(&mut machine, address, limit, &mut NoObserver);
        match what_differs((&reference, &expected), (&machine.cp2, &run)) {
            Some(what) => Err(what),
            None => Ok(run),
        }
    };
    let what = match run_both(limit) {
        Ok(run) => return Ok(run),
        Err(what) => what,
    };
    let (cycles, what) = first(limit, what, |cycles| run_both(cycles).err());
    Err(Divergence { cycles, what })
}

/// Compares two CP2 after a run: state, STATUS, profile if one is kept, and result of the run. Each pair is a CP2 and
/// the result of its run, the expected one first. Returns the first difference as text; `None` if there is none.
pub fn what_differs(
    (expected, expected_run): (&Cp2, &RunResult),
    (found, run): (&Cp2, &RunResult),
) -> Option<String> {
    if let Some(difference) = Difference::first(&expected.state, &found.state) {
        return Some(difference.to_string());
    }
    let (status, expected_status) = (found.status(), expected.status());
    if status != expected_status {
        return Some(format!("STATUS is {status:#x} instead of {expected_status:#x}"));
    }
    if found.profile() != expected.profile() {
        return Some("the cost of a bundle differs".to_owned());
    }
    (run != expected_run).then(|| format!("the run is {run:?} instead of {expected_run:?}"))
}

/// Finds a run that differs at its end while one of a cycle less does not; returns its length in cycles and what differs. The
/// end of a run of `limit` cycles differs in `what`.
fn first(
    limit: u64,
    what: String,
    mut differs: impl FnMut(u64) -> Option<String>,
) -> (u64, String) {
    let (mut same, mut different) = (0, (limit, what));
    while different.0 - same > 1 {
        let middle = same + (different.0 - same) / 2;
        match differs(middle) {
            Some(what) => different = (middle, what),
            None => same = middle,
        }
    }
    different
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cp2::End;
    use crate::machine::ReferenceEngine;
    use cp2_isa::{Bundle, Exch, encode};

    #[test]
    fn the_first_cycle_is_found() {
        for (limit, begin) in [(1, 1), (2, 2), (1000, 1), (1000, 77), (1000, 999), (1000, 1000)] {
            let differs = |cycles| (cycles >= begin).then(|| format!("{cycles}"));
            let found = first(limit, format!("{limit}"), differs);
            assert_eq!(found, (begin, format!("{begin}")));
        }
    }

    #[test]
    fn engines_that_agree_give_the_run_and_others_what_differs() {
        let mut stop = Bundle::NOP;
        stop.exch.op = Exch::Stopi;
        stop.exch.values[0] = 3;
        let mut cp2 = Cp2::default();
        cp2.state.iram[5] = encode(&stop);
        let run = compare(&mut ReferenceEngine, &cp2, BundleAddress(5), 100).unwrap();
        assert_eq!(run.end, End::Stopped(3));
        let mut other = cp2.clone();
        other.state.gpr[2] = 9;
        let what = what_differs((&cp2, &run), (&other, &run));
        assert_eq!(what.as_deref(), Some("g2 is 0x9 instead of 0x0"));
        let longer = RunResult { end: End::CycleLimit(1), ..run.clone() };
        let what = what_differs((&cp2, &run), (&cp2, &longer)).unwrap();
        assert!(what.starts_with("the run is Run"), "{what}");
    }
}
