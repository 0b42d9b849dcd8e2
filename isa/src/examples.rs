//! Worked examples of operations: one for each row of the table, as cases of file tests, which a test runs on every
//! engine. What is read here is what a page shows of them.

use crate::table::Row;

/// File tests (assembly sources whose comments tell the expected results) that hold the worked examples of operations:
/// file name and text of each. A case of a file has the mnemonic of its operation as its name.
pub const EXAMPLES: [(&str, &str); 14] = [
    ("moves.s", include_str!("examples/moves.s")),
    ("complex.s", include_str!("examples/complex.s")),
    ("pairs.s", include_str!("examples/pairs.s")),
    ("integers.s", include_str!("examples/integers.s")),
    ("functions.s", include_str!("examples/functions.s")),
    ("registers.s", include_str!("examples/registers.s")),
    ("memory.s", include_str!("examples/memory.s")),
    ("flow.s", include_str!("examples/flow.s")),
    ("channel.s", include_str!("examples/channel.s")),
    ("word_access.s", include_str!("examples/word_access.s")),
    ("section_addressing.s", include_str!("examples/section_addressing.s")),
    ("conditional_memory.s", include_str!("examples/conditional_memory.s")),
    ("section_counters.s", include_str!("examples/section_counters.s")),
    ("shared_memory.s", include_str!("examples/shared_memory.s")),
];

/// A worked example of an operation: some lines of source, and the registers and words of memory before and after them.
/// [`Row::example`] takes it from the file tests [`EXAMPLES`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Explanation of what the example shows; empty where the values say it all.
    pub note: &'static str,
    /// Registers and words before the lines, such as `f2 = 1.0:2.0`. All others are 0, or what reset gives.
    pub before: Vec<&'static str>,
    /// Lines of source, without the `stopi 0` that ends them. A bundle that the host writes into the FIFO to start the
    /// run stands first.
    pub lines: Vec<String>,
    /// Registers and words after the lines, such as `f1 = 3.0:4.0`: those that changed, and some that were to stay.
    pub after: Vec<&'static str>,
}

/// The operation that ends a fragment; it is no part of what the fragment shows.
const END: &str = "stopi   0";

impl Row {
    /// Returns the worked example of the operation; `None` if no file test has a case with its name.
    pub fn example(&self) -> Option<Example> {
        EXAMPLES.iter().find_map(|(_, text)| case(text, self.name)).map(example)
    }
}

/// Returns the lines of the case `name` of a file, if the file has such a case.
fn case(text: &'static str, name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let mut lines = text.lines();
    lines.find(|line| line.strip_prefix("; case: ") == Some(name))?;
    Some(lines.take_while(|line| !line.starts_with("; case: ") && !line.starts_with("; file: ")))
}

fn example(lines: impl Iterator<Item = &'static str>) -> Example {
    let mut example = Example::default();
    for line in lines {
        if let Some(note) = line.strip_prefix(";; ") {
            example.note = note;
        } else if let Some(run) = line.strip_prefix("; run: ") {
            example.lines.splice(0..0, from_host(run));
            example.before.extend(assignments(run));
        } else if let Some(state) = line.strip_prefix("; state: ") {
            example.after.extend(assignments(state));
        } else if !line.is_empty() && !line.starts_with(';') {
            example.lines.push(line.strip_prefix("        ").unwrap_or(line).to_owned());
        }
    }
    // An end with a subroutine behind it is a line like others.
    example.lines.pop_if(|line| *line == END);
    example
}

/// Returns the bundle that the host writes into the FIFO to start the run, if the run starts so.
fn from_host(run: &str) -> Option<String> {
    let place = run.split(' ').find_map(|word| word.strip_prefix("fifo="))?;
    let is_register = place.strip_prefix('g').is_some_and(|n| n.parse::<u8>().is_ok());
    let name = if is_register { "run" } else { "runi" };
    Some(format!("{name:<7} {place:<15} ; the host writes it into the FIFO"))
}

/// Returns the assignments of a text: `PLACE = VALUE`, with two blanks between them. The start of the run, which stands
/// before them, is left out, for the lines tell it.
fn assignments(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split("  ").filter(|part| part.contains(" = "))
}
