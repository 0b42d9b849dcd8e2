//! A study of changes as text for people: all combinations, the worth of each change, and the lines that gain or lose.

use super::changes::{ChangeGain, ChangedLine, WhatIf};
use cp2_document::width::ColumnSide::{Left, Right};
use cp2_document::width::{TextTable, wrapped, wrapped_command};

impl WhatIf {
    /// Returns the study as text for people: all combinations of changes with their cycles, the gain of each change,
    /// and the source lines that gain or lose.
    pub fn text(&self) -> String {
        let (name, machine, version) = (&self.name, &self.machine, env!("CARGO_PKG_VERSION"));
        let mut text = wrapped(&format!("{name} on {machine}, cp2 {version}\n\n"));
        text += &self.variants_text();
        if self.combinations.iter().any(|combination| combination.is_right.is_none()) {
            text += "nothing checked the results of these runs\n";
        }
        let mut left_out: Vec<&String> = Vec::new();
        for sentence in self.combinations.iter().flat_map(|found| &found.taken.left_out) {
            if !left_out.contains(&sentence) {
                left_out.push(sentence);
                text += &wrapped(&format!("{sentence}\n"));
            }
        }
        text += "\npercent of the baseline that a change saves: alone, as the last one,\n";
        text += "and its share of all (Shapley)\n";
        text += &gains_text(&self.gains, self.unused());
        for combination in
            self.combinations.iter().filter(|combination| !combination.lines.is_empty())
        {
            let label = self.label(combination);
            text += &wrapped(&format!("\ncycles by line, baseline and with {label}\n"));
            text += &lines_text(&combination.lines);
        }
        text + "\n" + &wrapped_command("again: ", &self.command) + "\n"
    }

    fn variants_text(&self) -> String {
        let columns = [
            ("cycles", Right),
            ("us", Right),
            ("speed-up", Right),
            ("flops/cyc", Right),
            ("bound", Left),
            ("program", Left),
        ];
        let mut table = TextTable::new(&columns, "changes");
        for combination in &self.combinations {
            let wrong = match combination.is_right {
                Some(false) => " (results are not right)",
                Some(true) | None => "",
            };
            let texts = vec![
                combination.cycles.to_string(),
                combination.us.map_or("-".to_owned(), |us| format!("{us:.1}")),
                format!("{:.3}", self.speed_up(combination)),
                format!("{:.2}", combination.flops_per_cycle),
                combination.bound.map_or("-", |(name, _)| name).to_owned(),
                combination.program.clone(),
            ];
            table.row(texts, self.described(combination) + wrong);
        }
        table.text()
    }
}

fn gains_text(gains: &[ChangeGain], unused: &str) -> String {
    let columns = [("alone", Right), ("last", Right), ("share", Right)];
    let mut table = TextTable::new(&columns, "change");
    for gain in gains {
        let all = [gain.alone, gain.last, gain.shapley];
        let text =
            |gain: Option<f64>| gain.map_or("not used".to_owned(), |gain| format!("{gain:.2}"));
        let is_unused = all.iter().all(Option::is_none);
        let words = if is_unused { format!(": {unused}") } else { String::new() };
        let texts = all.map(|gain| if is_unused { "-".to_owned() } else { text(gain) });
        table.row(texts.to_vec(), format!("{}{words}", gain.change));
    }
    table.text()
}

fn lines_text(lines: &[ChangedLine]) -> String {
    let columns = [("before", Right), ("after", Right), ("more", Right)];
    let mut table = TextTable::new(&columns, "line, and why");
    for ChangedLine { name, before, after, because } in lines {
        let more = *after as i64 - *before as i64;
        let texts = vec![before.to_string(), after.to_string(), format!("{more:+}")];
        table.row(texts, format!("{name}: {because}"));
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_does_nothing_is_called_so() {
        let gain = |alone, last, shapley| ChangeGain {
            change: "core.banks=4".to_owned(),
            alone,
            last,
            shapley,
        };
        let text = gains_text(
            &[gain(None, Some(10.0), Some(15.0)), gain(None, None, None)],
            "not used by this program",
        );
        assert!(text.contains("not used 10.00 15.00  core.banks=4\n"), "{text}");
        assert!(text.contains("-     -     -  core.banks=4: not used by this program\n"), "{text}");
    }
}
