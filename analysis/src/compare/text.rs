//! A comparison as text for people.

use super::{CostRow, DivergentSide, RunComparison, RunDivergence};
use crate::program::NamedProgram;
use crate::words::{heading, place_text};
use cp2_document::width::ColumnSide::Right;
use cp2_document::width::{TextTable, wrapped};
use cp2_emu::Difference;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use std::fmt::Write as _;

/// Number of rows that are shown at most; JSON has all of them.
const ROWS: usize = 20;

fn side_text(program: &NamedProgram<'_>, side: Option<&DivergentSide>) -> String {
    let Some(side) = side else { return "has ended".to_owned() };
    let place = side.address.map(|address| format!("{}: ", place_text(&program.places, address)));
    let place = place.unwrap_or_default();
    match (side.cause, side.operations.is_empty()) {
        (None, _) => "no kernel runs".to_owned(),
        (Some(cause), true) => format!("{place}{}", cause.description()),
        (Some(_), false) => format!("{place}{}", side.operations.join(" | ")),
    }
}

fn parted_text(
    programs: [&NamedProgram<'_>; 2],
    what: &str,
    parted: &RunDivergence,
    values: bool,
) -> String {
    let mut text = format!("first {what}: cycle {} of the runs\n", parted.cycle);
    for (k, name) in ["A", "B"].into_iter().enumerate() {
        let side = parted.sides[k].as_ref();
        let _ = writeln!(text, "  {name}: {}", side_text(programs[k], side));
        if values && let Some(side) = side {
            for written in &side.written {
                let _ = writeln!(text, "       {written}");
            }
        }
    }
    text
}

fn found_text(Difference { place, expected, found, .. }: &Difference) -> String {
    format!("{place} is {expected} in A and {found} in B; more may differ")
}

/// Returns a number of a table with its sign, or a dash for 0.
fn signed(n: i64) -> String {
    if n == 0 { "-".to_owned() } else { format!("{n:+}") }
}

/// Returns how much larger the second number is, with its sign, or that both are equal.
fn difference([a, b]: [u64; 2]) -> String {
    if a == b { "equal".to_owned() } else { format!("{:+}", b as i64 - a as i64) }
}

impl RunComparison {
    /// Returns the comparison as text for people, with the names of the programs of run A and run B.
    pub fn text(&self, programs: [&NamedProgram<'_>; 2]) -> String {
        let [a, b] = self.cycles;
        if self.is_identical() {
            let machine: String = self.machine.iter().map(|l| format!("machine: {l}\n")).collect();
            let what = "the same bundles and values in every one";
            return wrapped(&format!("{machine}identical: {a} cycles, {what}\n"));
        }
        let percent = 100.0 * (b as f64 - a as f64) / a.max(1) as f64;
        let percent = if a == b { String::new() } else { format!(" ({percent:+.2} %)") };
        let mut text = format!("A takes {a} cycles, B {b}: {}{percent}\n", difference([a, b]));
        let [ka, kb] = self.kernel_cycles;
        if (ka, kb) != (a, b) {
            let _ = writeln!(text, "in kernels {ka} and {kb}: {}", difference([ka, kb]));
        }
        text += &self.setting_text();
        text += &self.first_text(programs);
        if let Some(result) = &self.result {
            let _ = writeln!(text, "result: {}", found_text(result));
        }
        text += &self.channel_text();
        // The operation beside that of a line belongs to another line, so lines are not told by the causes of slots.
        let lines = self.rows_text("source line", &self.costs.lines, &Cause::ALL[3..]);
        let lines = lines + &self.shared_text();
        let loops = self.rows_text("hardware loop", &self.costs.loops, &Cause::ALL);
        let labels = self.rows_text("label", &self.costs.labels, &Cause::ALL);
        let [only_a, only_b] = self.unmatched;
        // Programs that have little in common are better compared in the large first.
        text += &match only_a + only_b > self.matched {
            true => labels + &loops + &lines,
            false => lines + &loops + &labels,
        };
        wrapped(&text)
    }

    /// Returns the text about the differences before the first cycle: machines, programs, input.
    fn setting_text(&self) -> String {
        let mut text = String::new();
        for line in &self.machine {
            let _ = writeln!(text, "machine: {line}");
        }
        let [only_a, only_b] = self.unmatched;
        if only_a + only_b > 0 {
            let _ = writeln!(
                text,
                "programs: {} bundles are the same, {only_a} only in A, {only_b} only in B",
                self.matched
            );
        }
        if let Some(input) = &self.input {
            let _ = writeln!(text, "input: {}", found_text(input));
        }
        text
    }

    /// Returns the text about the first cycles in which the runs part.
    fn first_text(&self, programs: [&NamedProgram<'_>; 2]) -> String {
        let mut text = String::new();
        if let Some(parted) = &self.first.value {
            text += &parted_text(programs, "value that differs", parted, true);
        }
        match (&self.first.flow, self.first.searched) {
            (Some(parted), _) => {
                text +=
                    &parted_text(programs, "cycle in which other operations issue", parted, false);
            }
            (None, Some(n)) => {
                let _ = writeln!(
                    text,
                    "the same bundles issue in the first {n} cycles; a larger --reach searches further"
                );
            }
            (None, None) => text += "the same bundles issue in every cycle\n",
        }
        text
    }

    fn channel_text(&self) -> String {
        let mut text = String::new();
        for cause in ChannelCause::ALL.into_iter().filter(|cause| *cause != ChannelCause::Idle) {
            let [a, b] = self.channel.map(|causes| causes[cause as usize]);
            if a != b {
                let difference = signed(b as i64 - a as i64);
                let _ = writeln!(
                    text,
                    "DMA channel: {difference} cycles: {} ({a} and {b})",
                    cause.description()
                );
            }
        }
        text
    }

    /// Returns the text about bundles that two lines share, whose cycles are counted for both lines.
    fn shared_text(&self) -> String {
        let [a, b] = self.costs.shared;
        match b as i64 - a as i64 {
            0 => String::new(),
            n => format!(
                "of bundles that two lines share, counted for both: {} cycles ({a} and {b})\n",
                signed(n)
            ),
        }
    }

    fn rows_text(&self, what: &str, rows: &[CostRow], causes: &[Cause]) -> String {
        let has_changed = |row: &&CostRow| row.difference() != 0 || row.more_issues() != 0;
        let differ: Vec<&CostRow> = rows.iter().filter(has_changed).collect();
        if differ.is_empty() {
            return String::new();
        }
        let changes = |cause: &&Cause| differ.iter().any(|row| row.by_cause(**cause) != 0);
        let used: Vec<&Cause> = causes.iter().filter(changes).collect();
        let mut columns = vec![("B - A", Right), ("A", Right), ("B", Right), ("issues", Right)];
        columns.extend(used.iter().map(|cause| (heading(**cause), Right)));
        let mut table = TextTable::new(&columns, &format!("{what}, and why"));
        for row in differ.iter().take(ROWS) {
            let mut texts = vec![
                signed(row.difference()),
                row.cycles(0).to_string(),
                row.cycles(1).to_string(),
                signed(row.more_issues()),
            ];
            texts.extend(used.iter().map(|cause| signed(row.by_cause(**cause))));
            let name = match &row.names {
                [Some(a), Some(b)] if a == b => a.clone(),
                [Some(a), Some(b)] => format!("{a} / {b}"),
                [Some(a), None] => format!("{a} (only A)"),
                [None, Some(b)] => format!("{b} (only B)"),
                [None, None] => String::new(),
            };
            table.row(texts, format!("{name}: {}", row.because().description()));
        }
        if differ.len() > ROWS {
            let rest: i64 = differ[ROWS..].iter().map(|row| row.difference()).sum();
            let more = format!("in {} more; --json lists all", differ.len() - ROWS);
            table.note(signed(rest), more);
        }
        format!(
            "\ncycles that B takes more, by {what}, the largest difference first\n{}",
            table.text()
        )
    }
}
