//! Runs lanes one after another, and tells what each took.

use crate::folders::{Folders, write};
use crate::lanes::{self, Lane};
use crate::shell::Outcome;
use std::time::{Duration, Instant};

/// The fate of a lane.
enum Fate {
    Passed(Duration),
    Failed(Duration),
    NotRun,
}

/// Runs the lanes with these names, all of them for no name. It ends at the first that fails, or goes on.
pub(crate) fn ci(folders: &Folders, names: &[String], keeps_going: bool) -> Outcome {
    let lanes = lanes::chosen(names)?;
    let start = Instant::now();
    let (mut fates, mut errors) = (Vec::new(), Vec::new());
    for &lane in &lanes {
        if !errors.is_empty() && !keeps_going {
            fates.push((lane, Fate::NotRun));
            continue;
        }
        println!("\n== {} ({} s)", lane.name, start.elapsed().as_secs());
        let begun = Instant::now();
        let outcome = (lane.run)(folders);
        let took = begun.elapsed();
        fates.push((lane, if outcome.is_ok() { Fate::Passed(took) } else { Fate::Failed(took) }));
        if let Err(error) = outcome {
            eprintln!("\nlane {}: {error}", lane.name);
            errors.push(format!("lane {}: {error}", lane.name));
        }
    }
    let table = table(&fates, start.elapsed());
    print!("\n{table}");
    write(&folders.out.join("times.txt"), &table)?;
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Returns a row for each lane, and the sum.
fn table(fates: &[(&Lane, Fate)], all: Duration) -> String {
    let mut text = String::new();
    for (lane, fate) in fates {
        let (took, word) = match fate {
            Fate::Passed(took) => (format!("{:.1} s", took.as_secs_f64()), "passed"),
            Fate::Failed(took) => (format!("{:.1} s", took.as_secs_f64()), "FAILED"),
            Fate::NotRun => ("-".to_owned(), "not run"),
        };
        text += &format!("{:<12} {took:>9}  {word}\n", lane.name);
    }
    let is_green = fates.iter().all(|(_, fate)| matches!(fate, Fate::Passed(_)));
    let word = if is_green { "all green" } else { "not green" };
    text + &format!("{:<12} {:>7.1} s  {word}\n", "together", all.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_what_passed_what_failed_and_what_was_not_run() {
        let one = Duration::from_millis(1500);
        let [a, b, c, ..] = &lanes::LANES;
        let rows = [(a, Fate::Passed(one)), (b, Fate::Failed(one)), (c, Fate::NotRun)];
        let text = table(&rows, one * 2);
        let words: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(words[0], [a.name, "1.5", "s", "passed"]);
        assert_eq!(words[1], [b.name, "1.5", "s", "FAILED"]);
        assert_eq!(words[2], [c.name, "-", "not", "run"]);
        assert_eq!(words[3], ["together", "3.0", "s", "not", "green"]);
    }
}
