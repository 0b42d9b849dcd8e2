//! Steps of two runs, aligned by their names in the order of time, and what each costs more or less.

use cp2_isa::Cycle;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Step of two runs A and B, or of one of them alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedStep {
    /// Name of the step.
    pub name: String,
    /// Cycles of the step in A; `None` if only B has it.
    pub before: Option<Range<Cycle>>,
    /// Cycles of the step in B; `None` if only A has it.
    pub after: Option<Range<Cycle>>,
}

fn length(range: Option<&Range<Cycle>>) -> u64 {
    range.map_or(0, |range| range.end - range.start)
}

impl AlignedStep {
    /// Returns the numbers of cycles of the step in A and in B; 0 in a run without it.
    pub fn cycles(&self) -> [u64; 2] {
        [length(self.before.as_ref()), length(self.after.as_ref())]
    }

    /// Returns how many more cycles the step takes in B.
    pub fn change(&self) -> i64 {
        let [before, after] = self.cycles();
        after as i64 - before as i64
    }
}

/// Returns the steps of two runs A and B in one order: steps of the same name are one, as `diff` pairs equal lines. Each list
/// has names and cycles in the order of time.
pub fn aligned<T: AsRef<str>>(
    a: &[(T, Range<Cycle>)],
    b: &[(T, Range<Cycle>)],
) -> Vec<AlignedStep> {
    let names = |steps: &[(T, Range<Cycle>)]| -> Vec<String> {
        steps.iter().map(|(name, _)| name.as_ref().to_owned()).collect()
    };
    let of_a = |k: usize| AlignedStep {
        name: a[k].0.as_ref().to_owned(),
        before: Some(a[k].1.clone()),
        after: None,
    };
    let of_b = |k: usize| AlignedStep {
        name: b[k].0.as_ref().to_owned(),
        before: None,
        after: Some(b[k].1.clone()),
    };
    let mut all = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &names(a), &names(b)) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                let pair = |k: usize| AlignedStep {
                    after: Some(b[new_index + k].1.clone()),
                    ..of_a(old_index + k)
                };
                all.extend((0..len).map(pair));
            }
            _ => {
                all.extend(op.old_range().map(of_a));
                all.extend(op.new_range().map(of_b));
            }
        }
    }
    all
}

/// Sums of the steps of one name.
#[derive(Default)]
struct Sum {
    times: [u64; 2],
    cycles: [u64; 2],
}

/// Returns aligned steps as a table for people: those of one name together, the largest change first, then what passed between
/// steps. `all` are the cycles of the two runs, and the changes add up to their difference.
pub fn text(steps: &[AlignedStep], all: [u64; 2]) -> String {
    let mut sums: Vec<(&str, Sum)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for step in steps {
        let at = *known.entry(&step.name).or_insert_with(|| {
            sums.push((&step.name, Sum::default()));
            sums.len() - 1
        });
        let (sum, cycles) = (&mut sums[at].1, step.cycles());
        for (k, has) in [step.before.is_some(), step.after.is_some()].into_iter().enumerate() {
            sum.times[k] += u64::from(has);
            sum.cycles[k] += cycles[k];
        }
    }
    let change = |[before, after]: [u64; 2]| after as i64 - before as i64;
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(change(sum.cycles).unsigned_abs()));
    let within = [0, 1].map(|k| sums.iter().map(|(_, sum)| sum.cycles[k]).sum::<u64>());
    let between = [0, 1].map(|k| all[k].saturating_sub(within[k]));
    let mut text = format!(
        "{:>14} {:>14} {:>14} {:>8} {:>8}  step\n",
        "A", "B", "B - A", "times A", "times B"
    );
    for (name, Sum { times, cycles }) in &sums {
        let [a, b] = cycles;
        let _ = writeln!(
            text,
            "{a:>14} {b:>14} {:>+14} {:>8} {:>8}  {name}",
            change(*cycles),
            times[0],
            times[1]
        );
    }
    for (name, [a, b]) in [("between steps", between), ("all cycles", all)] {
        let change = change([a, b]);
        let _ = writeln!(text, "{a:>14} {b:>14} {change:>+14} {:>17}  {name}", "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, begin: u64, end: u64) -> (&str, Range<Cycle>) {
        (name, Cycle(begin)..Cycle(end))
    }

    #[test]
    fn steps_are_paired_in_order_and_their_changes_add_up() {
        let a = [step("load", 0, 10), step("x", 10, 30), step("y", 32, 40), step("x", 40, 60)];
        let b = [step("load", 0, 10), step("x", 10, 25), step("x", 25, 45), step("z", 45, 50)];
        let steps = aligned(&a, &b);
        let found: Vec<_> =
            steps.iter().map(|step| (step.name.as_str(), step.cycles(), step.change())).collect();
        let expected = [
            ("load", [10, 10], 0),
            ("x", [20, 15], -5),
            ("y", [8, 0], -8),
            ("x", [20, 20], 0),
            ("z", [0, 5], 5),
        ];
        assert_eq!(found, expected);
        let text = text(&steps, [60, 50]);
        let row = |name: &str| {
            let line = text.lines().find(|line| line.ends_with(name)).unwrap_or_default();
            line.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(row("  y"), ["8", "0", "-8"]);
        assert_eq!(row("  x"), ["40", "35", "-5"]);
        assert_eq!(row("between steps"), ["2", "0", "-2"]);
        assert_eq!(row("all cycles"), ["60", "50", "-10"]);
    }
}
