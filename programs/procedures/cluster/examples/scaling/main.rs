//! The study of NPB MG on 1 to 64 processors. `scaling rows` measures all its cases by replay and prints them, a line of JSON each, as
//! `data/scaling.jsonl` has them; `scaling page` prints the page of the book from these rows, `scaling picture NAME` a picture of it.

mod measure;
mod page;
mod pictures;
mod tables;

use cp2_cluster_procedures::ScalingRow;
use std::error::Error;

/// Rows that were measured.
const DATA: &str = include_str!("../../data/scaling.jsonl");
/// Latency of the pictures and of most tables, in microseconds.
const USUAL: f64 = 1.0;

/// Rows of a study.
struct Rows(Vec<ScalingRow>);

impl Rows {
    /// Returns the rows of a topology and a class, by number of processors and latency.
    fn of(&self, topology: &str, class: &str) -> impl Iterator<Item = &ScalingRow> {
        self.0.iter().filter(move |row| row.topology == topology && row.class == class)
    }

    /// Returns a row; one processor has no latency.
    fn get(
        &self,
        topology: &str,
        class: &str,
        processors: usize,
        latency_us: Option<f64>,
    ) -> Option<&ScalingRow> {
        self.of(topology, class).find(|row| {
            row.processors == processors && (processors == 1 || row.latency_us == latency_us)
        })
    }

    /// Returns how many times as fast a row is as one processor of its machine. A class that one processor does not hold is compared
    /// with the fewest that were run, as if these were as many times as fast as they are processors.
    fn speedup(&self, row: &ScalingRow) -> Option<f64> {
        let torus = if row.machine.starts_with("vm7") { "vm7-torus" } else { "vm9-torus" };
        let is_base = |row: &&ScalingRow| row.processors == 1 || row.latency_us == Some(USUAL);
        let least = self.of(torus, &row.class).filter(is_base).min_by_key(|row| row.processors)?;
        Some(least.processors as f64 * least.ms / row.ms)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = || DATA.lines().map(serde_json::from_str).collect::<Result<_, _>>().map(Rows);
    let text = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rows"] => return measure::print(),
        ["page"] => page::text(&rows()?)?,
        ["picture", name] => pictures::svg(&rows()?, name)?,
        _ => return Err("give `rows`, `page`, or `picture` and its name".into()),
    };
    print!("{text}");
    Ok(())
}
