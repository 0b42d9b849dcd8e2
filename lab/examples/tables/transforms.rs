//! The tables of NPB FT, of which nothing was published for these machines.

use crate::multigrid::{config, rates};
use crate::range::range;
use cp2_procedures::spatial::npb::Class;
use cp2_procedures::spatial::run_ft;
use cp2_session::workload::OptionValue;

const INTRODUCTION: &str = "
## NPB FT

5 N log2 N operations for each of the seven transforms.

| machine | class | ours | bound | % of bound | bound by | range |
| --- | --- | --- | --- | --- | --- | --- |";

/// Prints the table of NPB FT, of the classes that `only` names, or of all if it is empty.
pub(crate) fn print(only: &[String]) -> Result<(), String> {
    println!("{INTRODUCTION}");
    for machine in ["vm7", "vm9"] {
        let is_asked =
            |class: &&Class| only.is_empty() || only.iter().any(|name| name == class.name());
        for class in Class::ALL.iter().filter(is_asked) {
            let report = run_ft(config(machine)?, *class, &Default::default(), &mut |_, _| {});
            let cost = report.map_err(|e| e.to_string())?.cost;
            let of_class = ("class", OptionValue::Choice(class.name().to_owned()));
            let range = range(&config(machine)?, "ft", &[of_class])?;
            println!("| {machine} | {class} | {} | {range} |", rates(&cost));
        }
    }
    Ok(())
}
