//! A roofline as text for people.

use super::{Ceiling, Roofline};
use cp2_document::width::ColumnSide::{Left, Right};
use cp2_document::width::TextTable;

impl Roofline {
    /// Returns the ceilings of the machine, and the run and its loops with their rates, as tables for people.
    pub fn text(&self) -> String {
        let mut ceilings = TextTable::new(
            &[("ceiling", Left), ("rate", Right), ("of run", Right), ("unit", Left)],
            "basis",
        );
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
        for Ceiling { name, per, rate, of_run, basis } in &self.ceilings {
            let (rate, unit) = (format!("{rate:.2}"), per.unit().to_owned());
            ceilings.row(vec![(*name).to_owned(), rate, number(*of_run), unit], basis);
        }
        format!(
            "\nceilings of the machine, and with the operations of this run\n{}\n\
             roofline: flops per cycle, per word of local and per byte of system memory; what\n\
             the lowest ceiling allows; the fewest cycles of the fuller slot, and their share\n{}",
            ceilings.text(),
            self.points_text()
        )
    }

    fn points_text(&self) -> String {
        let columns = [
            ("cycles", Right),
            ("flops/cyc", Right),
            ("/word", Right),
            ("/byte", Right),
            ("ceiling", Right),
            ("is that of", Left),
            ("least", Right),
            ("share", Right),
        ];
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
        let mut table = TextTable::new(&columns, "part");
        for point in &self.points {
            let (by, most) = point.bound.map_or(("-", None), |(by, most)| (by, Some(most)));
            let least = point.least_cycles();
            let share = 100.0 * least as f64 / point.cycles.max(1) as f64;
            let texts = vec![
                point.cycles.to_string(),
                format!("{:.2}", point.flops_per_cycle()),
                number(point.flops_per_word()),
                number(point.flops_per_byte()),
                number(most),
                by.to_owned(),
                least.to_string(),
                format!("{share:.1}%"),
            ];
            table.row(texts, point.name.as_str());
        }
        table.text()
    }
}
