//! The debugger on a terminal: a command a line, an answer as text.

use crate::breakpoint::BreakPlace;
use crate::condition::ValueCondition;
use crate::debugger::{Debugger, RunStop, StepUnit, StopReason, TimeDirection};
use crate::error::DebugError;
use crate::values::NamedValue;
use cp2_analysis::location::whole_number;
use cp2_asm::nearest;
use cp2_isa::{Cycle, Section};

/// Answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsoleAnswer {
    /// Text, each line with its end.
    Text(String),
    /// The run has moved; the text tells where it stands.
    Moved(String),
    /// The end of the session.
    Quit,
}

/// Commands of the debugger, each line of text one of them.
#[derive(Debug, Default)]
pub struct Console {
    /// Line of the last command, which an empty line repeats.
    last: String,
}

/// Names of the commands, with what they take and do.
const COMMANDS: [(&str, &str, &str); 23] = [
    ("where", "", "where the run stands, with its source"),
    ("step", "[N]", "N bundles forwards, 1 if none is given; breakpoints in between stop"),
    ("op", "[N]", "N bundles with an operation forwards"),
    ("turn", "[N]", "N turns of the innermost hardware loop forwards"),
    ("back", "[N]", "N bundles back"),
    ("back-op", "[N]", "N bundles with an operation back"),
    ("back-turn", "[N]", "N turns of the innermost hardware loop back"),
    ("continue", "", "to the next breakpoint, a fault, or the end"),
    ("reverse", "", "to the breakpoint before, or the begin"),
    ("go", "CYCLE", "to a cycle, counted from reset"),
    ("break", "PLACE [if C]", "stop at a line, FILE:LINE, a label or @CYCLE"),
    ("watch", "VALUE [if C]", "stop at writes of a register, a word or an element"),
    ("delete", "N", "remove a breakpoint"),
    ("breakpoints", "", "list the breakpoints"),
    ("print", "VALUE ...", "values, such as f12.s2, f3.lo.s1:int, g3, [100].s3, x[2][3], x[0..4]"),
    ("last-write", "VALUE", "back to the operation that wrote a register, word or element last"),
    ("registers", "[SECTION]", "registers of a section; shared ones without it"),
    ("pipeline", "", "operations under way"),
    ("loops", "", "active hardware loops, the innermost last"),
    ("arrays", "", "arrays of the kernel: type, shape, words"),
    ("memory", "ADDRESS [N]", "N words of local memory, of a label or an address, in all sections"),
    ("help", "", "this list"),
    ("quit", "", "end"),
];

/// Short names of commands.
const SHORT: [(&str, &str); 14] = [
    ("w", "where"),
    ("s", "step"),
    ("o", "op"),
    ("t", "turn"),
    ("b", "break"),
    ("c", "continue"),
    ("rc", "reverse"),
    ("r", "registers"),
    ("p", "print"),
    ("bs", "back"),
    ("d", "delete"),
    ("lw", "last-write"),
    ("m", "memory"),
    ("q", "quit"),
];

/// Text behind the list of commands.
const NOTES: &str = "\
An empty line repeats the command before. A condition C is such as `g3 == 7`, `f3.lo.s1 > 0.5` or `x[7].re < 0`.
A value may have a type: `f3.lo:int`, `[100].s2:float`, `f12:complex`, `g3:hex`, `a0:uint`. A number behind 0x compares bits.
";

/// Most words of memory that an answer has.
const MOST_WORDS: u64 = 4096;

/// Returns the list of the commands.
fn help() -> String {
    let mut text = String::new();
    for (name, takes, does) in COMMANDS {
        let short = SHORT.iter().find(|(_, of)| *of == name).map_or("", |(short, _)| short);
        text += &format!("{name:<12}{short:<4}{takes:<14}{does}\n");
    }
    text + NOTES
}

/// Returns named values as lines.
fn lines(values: &[NamedValue], none: &str) -> String {
    if values.is_empty() {
        return format!("{none}\n");
    }
    let width = values.iter().map(|value| value.name.len()).max().unwrap_or(0);
    values.iter().map(|NamedValue { name, text }| format!("{name:<width$}  {text}\n")).collect()
}

/// Returns named values as lines of several, as many as fit 100 characters.
fn grid(values: &[NamedValue]) -> String {
    let width = |of: &dyn Fn(&NamedValue) -> usize| values.iter().map(of).max().unwrap_or(0);
    let name = width(&|value| value.name.len());
    let text = width(&|value| value.text.len());
    let columns = (100 / (name + text + 4)).max(1);
    let mut lines = String::new();
    for row in values.chunks(columns) {
        let cells = row.iter().map(|value| format!("{:<name$}  {:<text$}", value.name, value.text));
        let cells: Vec<String> = cells.collect();
        lines += cells.join("  ").trim_end();
        lines.push('\n');
    }
    lines
}

impl Console {
    /// Returns whether a text begins with the name of a command.
    pub(crate) fn is_command(text: &str) -> bool {
        let word = text.split_whitespace().next().unwrap_or_default();
        COMMANDS.iter().any(|(name, ..)| *name == word)
            || SHORT.iter().any(|(short, _)| *short == word)
    }

    /// Does a command.
    ///
    /// # Errors
    /// There is no such command, it cannot be done, or the recording is damaged. The run stands where it did.
    pub fn command(
        &mut self,
        debugger: &mut Debugger,
        line: &str,
    ) -> Result<ConsoleAnswer, DebugError> {
        let line = line.trim();
        let line = if line.is_empty() { self.last.clone() } else { line.to_owned() };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = rest.trim();
        if name.is_empty() {
            return Ok(ConsoleAnswer::Text(String::new()));
        }
        let name = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, name)| name);
        let answer = self.known(debugger, name, rest);
        if answer.is_ok() {
            self.last.clone_from(&line);
        }
        answer
    }

    fn known(
        &mut self,
        debugger: &mut Debugger,
        name: &str,
        rest: &str,
    ) -> Result<ConsoleAnswer, DebugError> {
        use StepUnit::{Bundle, Iteration, Operation};
        use TimeDirection::{Back, Forward};
        let text = |text: String| Ok(ConsoleAnswer::Text(text));
        refuse_more(name, rest)?;
        match name {
            "step" => steps(debugger, Bundle, Forward, rest),
            "op" => steps(debugger, Operation, Forward, rest),
            "turn" => steps(debugger, Iteration, Forward, rest),
            "back" => steps(debugger, Bundle, Back, rest),
            "back-op" => steps(debugger, Operation, Back, rest),
            "back-turn" => steps(debugger, Iteration, Back, rest),
            "continue" => moved(&debugger.run_to_stop(Forward)?, debugger),
            "reverse" => moved(&debugger.run_to_stop(Back)?, debugger),
            "go" => {
                let cycle = whole_number(rest).ok_or_else(|| wrong("go", rest, "a cycle"))?;
                moved(&debugger.go_to(Cycle(cycle))?, debugger)
            }
            "where" => {
                let place = debugger.place()?;
                text(place.text() + "\n" + &source_text(debugger, &place))
            }
            "break" | "watch" => set(debugger, name, rest),
            "delete" => {
                let wanted = rest.parse().map_err(|_| wrong("delete", rest, "a number"))?;
                if !debugger.remove(wanted) {
                    return Err(DebugError::refused(format!("there is no breakpoint {wanted}")));
                }
                text(String::new())
            }
            "breakpoints" => {
                let all = debugger.breakpoints().iter().map(|b| format!("{b}\n"));
                let all: String = all.collect();
                text(if all.is_empty() { "no breakpoints\n".to_owned() } else { all })
            }
            "print" => print(debugger, rest),
            "last-write" => last_write(debugger, rest),
            "registers" => registers(debugger, rest),
            "pipeline" => text(lines(&debugger.pipeline()?, "no operation is under way")),
            "loops" => text(lines(&debugger.loops(), "no hardware loop is active")),
            "arrays" => {
                text(lines(&debugger.array_rows()?, "no kernel that has run declares arrays"))
            }
            "memory" => memory(debugger, rest),
            "help" => text(help()),
            "quit" => Ok(ConsoleAnswer::Quit),
            _ => Err(unknown(name)),
        }
    }
}

/// Refuses words behind a command that takes none.
fn refuse_more(name: &str, rest: &str) -> Result<(), DebugError> {
    let takes_none = COMMANDS.iter().any(|(known, takes, _)| *known == name && takes.is_empty());
    if takes_none && !rest.is_empty() {
        return Err(DebugError::refused(format!("{name} takes nothing; `{rest}` is too much")));
    }
    Ok(())
}

/// Returns the error that there is no such command.
fn unknown(name: &str) -> DebugError {
    let near = nearest(name, COMMANDS.iter().map(|(name, ..)| *name));
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    DebugError::Refused(format!("there is no command `{name}`{near}; `help` lists them"))
}

fn wrong(command: &str, given: &str, wanted: &str) -> DebugError {
    DebugError::refused(format!("{command} takes {wanted}; `{given}` is none"))
}

/// Returns the source of a place: the text of its lines.
fn source_text(debugger: &Debugger, place: &crate::place::StopPlace) -> String {
    let sources = &debugger.run().sources;
    let line = |(file, line): &(String, u32)| {
        let text = sources.text_of(file)?.lines().nth(line.checked_sub(1)? as usize)?;
        Some(format!("{line:>6}  {text}\n"))
    };
    place.lines.iter().filter_map(line).collect()
}

/// Tells where a run that has moved stands, and why.
fn moved(stop: &RunStop, debugger: &mut Debugger) -> Result<ConsoleAnswer, DebugError> {
    let why = match &stop.reason {
        StopReason::Step => String::new(),
        StopReason::Breakpoints(numbers) => {
            let told = numbers.iter().filter_map(|number| {
                debugger.breakpoints().iter().find(|breakpoint| breakpoint.number == *number)
            });
            told.map(|breakpoint| format!("breakpoint {breakpoint}\n")).collect()
        }
        StopReason::Written(number, write) => {
            let by = match (&write.operation, &write.beat) {
                (Some(operation), _) => {
                    format!("`{}`, issued in cycle {}", operation.text, operation.cycle)
                }
                (None, Some(_)) => "a beat of the channel".to_owned(),
                (None, None) => "the host, or an address that steps".to_owned(),
            };
            let value = debugger.written_text(*number, write.value);
            let cycle = write.cycle;
            let also = stop.hit.iter().filter(|other| *other != number).filter_map(|other| {
                debugger.breakpoints().iter().find(|breakpoint| breakpoint.number == *other)
            });
            let also: String =
                also.map(|breakpoint| format!("breakpoint {breakpoint}\n")).collect();
            format!("breakpoint {number}: {value} written in cycle {cycle} by {by}\n{also}")
        }
        StopReason::Begin => "the run begins here\n".to_owned(),
        StopReason::End => format!("the run ends here; {}\n", debugger.outcome()?.1),
        StopReason::Fault(told) | StopReason::Cut(told) => format!("{told}\n"),
    };
    let source = source_text(debugger, &stop.place);
    Ok(ConsoleAnswer::Moved(why + &stop.place.text() + "\n" + &source))
}

/// Takes as many steps as are asked for; fewer if the run ends before.
fn steps(
    debugger: &mut Debugger,
    unit: StepUnit,
    direction: TimeDirection,
    rest: &str,
) -> Result<ConsoleAnswer, DebugError> {
    let count = if rest.is_empty() { Some(1) } else { whole_number(rest) };
    let count =
        count.filter(|count| *count > 0).ok_or_else(|| wrong("a step", rest, "a number"))?;
    moved(&debugger.steps(unit, direction, count)?, debugger)
}

/// Reads a place at which a run stops: a line, a file and a line, a label, or a cycle behind `@`.
pub(crate) fn break_place(debugger: &Debugger, text: &str) -> Result<BreakPlace, DebugError> {
    if let Some(cycle) = text.strip_prefix('@') {
        let cycle = whole_number(cycle).ok_or_else(|| wrong("@", cycle, "a cycle"))?;
        return Ok(BreakPlace::Cycle(Cycle(cycle)));
    }
    if let Ok(line) = text.parse() {
        return debugger.line(None, line).map(|(place, _)| place);
    }
    if let Some((file, line)) = text.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return debugger.line(Some(file), line).map(|(place, _)| place);
    }
    debugger.label(text)
}

fn set(debugger: &mut Debugger, name: &str, rest: &str) -> Result<ConsoleAnswer, DebugError> {
    if rest == "if" || rest.ends_with(" if") {
        return Err(DebugError::refused(format!(
            "`{name} {rest}`: the condition behind `if` is missing, such as `g1 == 3`"
        )));
    }
    if rest.starts_with("if ") {
        return Err(DebugError::refused(format!(
            "`{name} {rest}`: the place before `if` is missing; `help` tells what it may be"
        )));
    }
    let (place, condition) = rest.split_once(" if ").unwrap_or((rest, ""));
    let condition: Option<ValueCondition> = match condition.trim() {
        "" => None,
        text => Some(debugger.condition(text)?),
    };
    let place = match name {
        "watch" => BreakPlace::Write(debugger.operand(place)?),
        _ => break_place(debugger, place.trim())?,
    };
    Ok(ConsoleAnswer::Text(format!("{}\n", debugger.set(place, condition)?)))
}

fn print(debugger: &mut Debugger, rest: &str) -> Result<ConsoleAnswer, DebugError> {
    let expressions: Vec<&str> = match ValueCondition::is_one(rest) {
        true => vec![rest],
        false => rest.split_whitespace().collect(),
    };
    let mut text = String::new();
    for expression in expressions {
        let values = debugger.evaluated(expression)?;
        text += &match &values[..] {
            [NamedValue { name, text }] => format!("{name} = {text}\n"),
            // What stands for the rest of an array is longer than an element.
            [elements @ .., NamedValue { name, text }] if name == "..." => {
                format!("{}... {text}\n", grid(elements))
            }
            _ => grid(&values),
        };
    }
    match text.is_empty() {
        true => Err(wrong("print", rest, "registers, words and elements, such as f12.s2")),
        false => Ok(ConsoleAnswer::Text(text)),
    }
}

/// Goes back to the operation that wrote a register or word last, or to the cycle of the write if no operation did.
fn last_write(debugger: &mut Debugger, rest: &str) -> Result<ConsoleAnswer, DebugError> {
    let operand = debugger.operand(rest)?;
    if operand.location().cell().is_none() {
        return Err(DebugError::refused(format!(
            "{operand}: no register or word of local memory of the machine"
        )));
    }
    let Some(write) = debugger.last_write(operand.location())? else {
        return Err(DebugError::refused(format!("nothing has written {operand} before")));
    };
    let cycle = write.operation.as_ref().map_or(write.cycle, |operation| operation.cycle);
    let stop = debugger.go_to(cycle)?;
    let told =
        format!("{operand} written in cycle {}: {}\n", write.cycle, operand.text(write.value));
    match moved(&stop, debugger)? {
        ConsoleAnswer::Moved(text) => Ok(ConsoleAnswer::Moved(told + &text)),
        other => Ok(other),
    }
}

fn registers(debugger: &mut Debugger, rest: &str) -> Result<ConsoleAnswer, DebugError> {
    if rest.is_empty() {
        return Ok(ConsoleAnswer::Text(grid(&debugger.shared_registers())));
    }
    let section = rest.trim_start_matches('s').parse().ok().and_then(Section::new);
    let section = section.ok_or_else(|| wrong("registers", rest, "a section, 0 to 3"))?;
    Ok(ConsoleAnswer::Text(grid(&debugger.section_registers(section))))
}

fn memory(debugger: &mut Debugger, rest: &str) -> Result<ConsoleAnswer, DebugError> {
    let mut words = rest.split_whitespace();
    let (from, count) = (words.next().unwrap_or(""), words.next());
    let labelled = debugger.labelled_words();
    let known = labelled.iter().find(|words| words.name == from);
    let first = known.map(|words| words.first).or_else(|| whole_number(from).map(|at| at as usize));
    let first = first.ok_or_else(|| {
        let labels: Vec<&str> = labelled.iter().map(|words| words.name.as_str()).collect();
        wrong("memory", from, &format!("an address or one of the labels {}", labels.join(", ")))
    })?;
    let count = match count {
        Some(text) => {
            whole_number(text).ok_or_else(|| wrong("memory", text, "a number of words"))?
        }
        None => known.map_or(8, |words| words.count.min(64)) as u64,
    };
    if count > MOST_WORDS {
        let told = format!("{count} words: an answer has at most {MOST_WORDS}; ask for parts");
        return Err(DebugError::Refused(told));
    }
    let rows = debugger.words(first, count as usize);
    if rows.is_empty() {
        return Err(DebugError::refused(format!("local memory ends before word {first}")));
    }
    let mut told = lines(&rows, "");
    if rows.len() < count as usize {
        let last = first + rows.len() - 1;
        told += &format!("local memory ends with word {last}\n");
    }
    Ok(ConsoleAnswer::Text(told))
}
