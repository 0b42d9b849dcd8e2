//! Other machines: the same text on the machine of a page with changes, each alone and all together.

use crate::explorer::Explorer;
use crate::running::{RunLimits, end_text, run};
use crate::wish::{ExploreWish, MachineWish};
use cp2_session::Program;
use serde_json::{Value, json};

/// A machine that is compared, with the name of what is changed.
struct Candidate {
    name: String,
    machine: MachineWish,
}

/// Returns the machines that a wish compares: its own, each change alone, and all together.
fn candidates(wish: &ExploreWish) -> Vec<Candidate> {
    let with = |name: String, enable: &[String], set: &[String]| {
        let mut machine = wish.on.clone();
        machine.enable.extend_from_slice(enable);
        machine.set.extend_from_slice(set);
        Candidate { name, machine }
    };
    let mut all = vec![with("as it is".to_owned(), &[], &[])];
    for change in &wish.try_enable {
        all.push(with(change.clone(), std::slice::from_ref(change), &[]));
    }
    for change in &wish.try_set {
        all.push(with(change.clone(), &[], std::slice::from_ref(change)));
    }
    if all.len() > 2 {
        all.push(with("all together".to_owned(), &wish.try_enable, &wish.try_set));
    }
    all
}

impl Explorer {
    /// Compares the machines of a wish; each is told as it is known. Ends where nobody wants to know any more.
    pub(crate) fn compare(
        &self,
        wish: &ExploreWish,
        limits: &RunLimits<'_>,
        tell: &mut dyn FnMut(Value),
    ) {
        let all = candidates(wish);
        if all.len() < 2 {
            return;
        }
        let count = all.len();
        for (place, candidate) in all.into_iter().enumerate() {
            if limits.interrupt.is_raised() {
                return;
            }
            let found = self.compared(wish, &candidate.machine, limits);
            let mut row = found.unwrap_or_else(|error| json!({ "error": error }));
            row["name"] = candidate.name.into();
            tell(json!({ "stage": "compared", "place": place, "of": count, "row": row }));
        }
    }

    fn compared(
        &self,
        wish: &ExploreWish,
        machine: &MachineWish,
        limits: &RunLimits<'_>,
    ) -> Result<Value, String> {
        let (config, core) = self.host().machine(machine)?;
        let program =
            self.assembled(&core, wish, limits.interrupt).map_err(|error| match error {
                cp2_session::ProgramError::Refused(refusal) => {
                    let first = refusal.diagnostics.first();
                    first.map_or_else(String::new, |finding| finding.message.clone())
                }
                error => error.to_string(),
            })?;
        let (prepared, _) = self.prepared(&program, config.as_ref(), &wish.arguments)?;
        let (end, stats) = run(self.environment(), prepared, limits)?;
        let (text, is_right) = end_text(&end, limits.max_cycles);
        Ok(json!({
            "cycles": stats.cycles,
            "end": text,
            "is_right": is_right,
            "bundles": program.image().kernels.iter().map(|k| k.words.len()).sum::<usize>(),
            "registers": registers(&program),
            "intervals": intervals(&program),
        }))
    }
}

/// Returns the most registers that a region of linear code takes; `None` if there is none.
fn registers(program: &Program) -> Option<u32> {
    program.regions().iter().map(|scheduled| scheduled.report.registers).max()
}

/// Returns the intervals of all loops of linear code.
fn intervals(program: &Program) -> Vec<i64> {
    let blocks = program.regions().iter().flat_map(|scheduled| &scheduled.report.blocks);
    blocks.filter_map(|block| block.ii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_tried_alone_and_together() {
        let mut wish = ExploreWish::default();
        assert_eq!(candidates(&wish).len(), 1);
        wish.try_enable = vec!["word-access".to_owned()];
        assert_eq!(candidates(&wish).len(), 2);
        wish.try_set = vec!["core.load_latency=4".to_owned()];
        let all = candidates(&wish);
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["as it is", "word-access", "core.load_latency=4", "all together"]);
        assert_eq!((all[3].machine.enable.len(), all[3].machine.set.len()), (1, 1));
    }
}
