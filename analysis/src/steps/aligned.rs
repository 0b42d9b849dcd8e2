//! Steps of two runs, aligned by their names in the order of time, and what each costs more or less.

use super::MOST_ROWS;
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

/// Steps of one name in two runs A and B, with what they took in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepChange {
    /// Name of the steps.
    pub name: String,
    /// Numbers of these steps in A and in B.
    pub times: [u64; 2],
    /// Numbers of cycles of all of them in A and in B.
    pub cycles: [u64; 2],
}

impl StepChange {
    /// Returns how many more cycles the steps take in B.
    pub fn change(&self) -> i64 {
        change(self.cycles)
    }
}

pub(super) fn change([before, after]: [u64; 2]) -> i64 {
    after as i64 - before as i64
}

/// Returns what the steps of each name take in two runs A and B, the largest change first. Steps of one name are charged
/// together, however many of them each run has, so the changes add up to the difference of the steps of both runs.
pub fn changes<T: AsRef<str>>(both: [&[(T, Range<Cycle>)]; 2]) -> Vec<StepChange> {
    let mut sums: Vec<StepChange> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (run, steps) in both.into_iter().enumerate() {
        for (name, range) in steps {
            let name = name.as_ref();
            let at = *known.entry(name).or_insert_with(|| {
                sums.push(StepChange { name: name.to_owned(), times: [0; 2], cycles: [0; 2] });
                sums.len() - 1
            });
            sums[at].times[run] += 1;
            sums[at].cycles[run] += length(Some(range));
        }
    }
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.change().unsigned_abs()));
    sums
}

/// Returns the cycles of two runs that no step of these changes has; `all` are those of the runs.
pub(super) fn between(changes: &[StepChange], all: [u64; 2]) -> [u64; 2] {
    [0, 1].map(|k| all[k].saturating_sub(changes.iter().map(|sum| sum.cycles[k]).sum()))
}

/// Returns the changes of steps of one level as a table for people, with what passed between steps. `all` are the cycles of the
/// two runs, and the changes add up to their difference.
pub fn text(changes: &[StepChange], all: [u64; 2]) -> String {
    let mut text = format!(
        "{:>14} {:>14} {:>14} {:>8} {:>8}  step\n",
        "A", "B", "B - A", "times A", "times B"
    );
    let mut row = |[a, b]: [u64; 2], times: Option<[u64; 2]>, name: &str| {
        let times = times.map_or(format!("{:>17}", ""), |[a, b]| format!("{a:>8} {b:>8}"));
        let _ = writeln!(text, "{a:>14} {b:>14} {:>+14} {times}  {name}", change([a, b]));
    };
    let (shown, more) = changes.split_at(changes.len().min(MOST_ROWS));
    for StepChange { name, times, cycles } in shown {
        row(*cycles, Some(*times), name);
    }
    if !more.is_empty() {
        let sum = |of: fn(&StepChange) -> [u64; 2]| {
            [0, 1].map(|k| more.iter().map(|row| of(row)[k]).sum::<u64>())
        };
        let name = format!("of {} more names, after {MOST_ROWS}", more.len());
        row(sum(|row| row.cycles), Some(sum(|row| row.times)), &name);
    }
    row(between(changes, all), None, "between steps");
    row(all, None, "all cycles");
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
        let text = text(&changes([&a, &b]), [60, 50]);
        let row = |name: &str| {
            let line = text.lines().find(|line| line.ends_with(name)).unwrap_or_default();
            line.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        let of_x = StepChange { name: "x".to_owned(), times: [2, 2], cycles: [40, 35] };
        assert_eq!(changes([&a, &b]).get(1), Some(&of_x));
        assert_eq!(row("  y"), ["8", "0", "-8"]);
        assert_eq!(row("  x"), ["40", "35", "-5"]);
        assert_eq!(row("between steps"), ["2", "0", "-2"]);
        assert_eq!(row("all cycles"), ["60", "50", "-10"]);
    }

    #[test]
    fn names_beyond_the_longest_table_are_one_row_and_nothing_is_lost() {
        let steps = |length: u64| -> Vec<(String, Range<Cycle>)> {
            let begin = |k: u64| 1000 * k;
            let range = |k| Cycle(begin(k))..Cycle(begin(k) + length + k);
            (0..100).map(|k| (format!("step {k}"), range(k))).collect()
        };
        let (a, b) = (steps(1), steps(3));
        let text = text(&changes([&a, &b]), [100_000, 100_300]);
        let changes = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(2));
        let mut changes: Vec<i64> = changes.filter_map(|change| change.parse().ok()).collect();
        assert_eq!(changes.pop(), Some(300));
        assert_eq!((changes.len(), changes.iter().sum::<i64>()), (MOST_ROWS + 2, 300), "{text}");
        assert!(text.contains("of 40 more names, after 60"), "{text}");
    }
}
