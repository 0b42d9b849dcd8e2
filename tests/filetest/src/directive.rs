//! Directives of a case, and the plan that they make of it.

use crate::Malformed;
use crate::cursor::{Cursor, Number};
use crate::diagnosed::{self, Diagnosed, PARTS};
use crate::given::{Compared, Given};
use crate::source::{Case, Comment, Source};
use crate::target::TestEngine;
use crate::value::{Assignment, Style, assignment, assignments};
use cp2_asm::Sources;
use cp2_asm::cases::{TEST_KEYWORDS as KEYWORDS, machine_of};
use cp2_descriptors::{self as chain, Chain};
use cp2_isa::Core;
use cp2_isa::machine::MachineConfig;
use std::ops::Range;

/// Name with the numbers that it has to have, as `stats:`, `schedule:` and `symbol:` list them.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    pub(crate) name: String,
    /// Expected value as it is written, without blanks.
    pub(crate) value: String,
    pub(crate) range: Range<usize>,
}

/// Run of a case, and what it has to give.
#[derive(Clone, Debug)]
pub(crate) struct RunDirective {
    /// Line of the run's directive, from 0.
    pub(crate) line: usize,
    /// Name of the place at which the run starts; the first kernel if nothing is said.
    pub(crate) entry: Option<String>,
    /// Whether the host starts the run by the FIFO: with `runi` of the place, or `run` of the general register, that
    /// `entry` names.
    pub(crate) by_fifo: bool,
    /// Limit of the run, in cycles.
    pub(crate) limit: u64,
    pub(crate) init: Vec<Assignment>,
    pub(crate) end: Option<Text>,
    pub(crate) counts: Vec<(usize, Count)>,
    pub(crate) state: Vec<(usize, Assignment)>,
    pub(crate) given: Given,
    pub(crate) compared: Vec<Compared>,
    /// Whether the run is checked (`check: off` says that it is not).
    pub(crate) is_checked: bool,
}

/// Text that something has to have.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) range: Range<usize>,
}

/// Numbers that a `schedule:` expects of a linear region or a block.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Line of the directive, from 0.
    pub(crate) line: usize,
    /// Line of the program that the directive speaks of.
    pub(crate) subject: usize,
    pub(crate) counts: Vec<Count>,
}

/// Expectations of a case beside its runs: diagnostics, findings, bundles, symbols, schedules.
#[derive(Debug)]
pub(crate) struct Expected {
    /// Expected diagnostics of the assembler.
    pub(crate) assembled: Vec<Diagnosed>,
    /// Expected findings; `None` if the linter does not run.
    pub(crate) lint: Option<Vec<Diagnosed>>,
    /// Places of the comments `lint: none` and `error: none`.
    pub(crate) nones: Vec<usize>,
    pub(crate) bundles: Vec<usize>,
    pub(crate) symbols: Vec<(usize, Count)>,
    pub(crate) schedules: Vec<Schedule>,
}

/// Plan of a case: everything that its directives ask for.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The core that the program is made for.
    pub(crate) core: Core,
    /// The machine around CP2, if one is named.
    pub(crate) machine: Option<MachineConfig>,
    /// Names of the engines to run on; all if empty.
    pub(crate) engines: Vec<String>,
    /// Assignments before every run.
    pub(crate) init: Vec<Assignment>,
    /// Arguments and arrays of every run.
    pub(crate) given: Given,
    /// Descriptors that the DMA channel works through from before every run on.
    pub(crate) chain: Option<Chain>,
    /// Whether the linter also names what depends on open rules.
    pub(crate) undefined: bool,
    pub(crate) expected: Expected,
    pub(crate) runs: Vec<RunDirective>,
    /// Whether the runs of the case are checked.
    pub(crate) is_checked: bool,
    /// Number of the case's directives that run it or expect something.
    pub(crate) checks: usize,
}

/// The usual limit of cycles of a run.
const LIMIT: u64 = 100_000;

/// Directives that say how a case is run, and expect nothing.
const SETTINGS: [&str; 7] = ["machine", "engine", "init", "arg", "load", "check", "rules"];

impl Plan {
    /// Reads the directives of a case.
    pub(crate) fn new(case: &Case<'_>, source: &Source<'_>) -> Result<Self, Vec<Malformed>> {
        let mut plan = Self {
            core: Core::CP2,
            machine: None,
            engines: Vec::new(),
            init: Vec::new(),
            given: Given::default(),
            chain: None,
            undefined: false,
            runs: Vec::new(),
            is_checked: true,
            checks: 0,
            expected: Expected {
                assembled: Vec::new(),
                lint: None,
                nones: Vec::new(),
                bundles: Vec::new(),
                symbols: Vec::new(),
                schedules: Vec::new(),
            },
        };
        let mut wrong = Vec::new();
        for comment in &case.shared {
            let told = match comment.keyword {
                "machine" | "engine" | "init" | "rules" | "file" | "arg" | "load" | "check" => {
                    plan.read(comment, 0, source, None)
                }
                "chain" => plan.chain(comment.text, case),
                known if KEYWORDS.contains(&known) => Err(format!(
                    "`{known}:` has to be in a case; before the first case only settings are possible"
                )),
                other => Err(unknown(other)),
            };
            wrong.extend(told.err().map(|why| Malformed::new(comment.line, why)));
        }
        let mut last = None;
        for (number, comment) in case.comments.iter().enumerate() {
            let told = match comment.keyword {
                "chain" => plan.chain(comment.text, case),
                _ => plan.read(comment, number, source, last),
            };
            wrong.extend(told.err().map(|why| Malformed::new(comment.line, why)));
            if !PARTS.contains(&comment.keyword) {
                last = Some(comment.keyword);
            }
        }
        if wrong.is_empty() && plan.chain.is_some() && plan.machine.is_none() {
            let why = "`chain:` needs a machine with a DMA channel: `; machine: vm7`";
            wrong.push(Malformed::new(case.text.lines.start, why));
        }
        if wrong.is_empty() && plan.checks == 0 {
            let what = if case.text.name.is_empty() { "the file" } else { "the case" };
            let message = format!(
                "{what} checks nothing: it needs a directive such as `; run:`, `; error:` or `; lint: none`"
            );
            wrong.push(Malformed {
                is_missing: true,
                ..Malformed::new(case.text.lines.start, message)
            });
        }
        if wrong.is_empty() { Ok(plan) } else { Err(wrong) }
    }

    fn read(
        &mut self,
        comment: &Comment<'_>,
        number: usize,
        source: &Source<'_>,
        last: Option<&str>,
    ) -> Result<(), String> {
        let mut cursor = Cursor::new(comment.text, comment.range.start);
        let line = comment.line;
        match comment.keyword {
            "file" if comment.text.is_empty() || !comment.is_alone => {
                return Err("`file:` needs a name, and a line of its own".to_owned());
            }
            "file" => return Ok(()),
            keyword if SETTINGS.contains(&keyword) => return self.setting(comment),
            "error" | "warning" if comment.text == "none" => self.expected.nones.push(number),
            "error" | "warning" => {
                self.expected.assembled.push(diagnosed::expected(comment, number, source)?);
            }
            "lint" => {
                let lint = self.expected.lint.get_or_insert_default();
                match comment.text {
                    "none" => self.expected.nones.push(number),
                    _ => lint.push(diagnosed::expected(comment, number, source)?),
                }
            }
            keyword if PARTS.contains(&keyword) => return self.part(comment, number, last),
            "bundle" => self.expected.bundles.push(number),
            "symbol" => {
                self.expected.symbols.extend(counts(&mut cursor)?.into_iter().map(|c| (line, c)));
            }
            "schedule" => {
                let subject = source.subject(comment);
                self.expected.schedules.push(Schedule {
                    line,
                    subject,
                    counts: counts(&mut cursor)?,
                });
            }
            "run" => self.runs.push(run(&mut cursor, line)?),
            "end" | "cycles" | "stats" | "state" | "compare" => {
                let Some(run) = self.runs.last_mut() else {
                    return Err(format!(
                        "`{}:` is about a run; a `; run:` has to come before it",
                        comment.keyword
                    ));
                };
                run.expect(comment, &mut cursor)?;
            }
            other => return Err(unknown(other)),
        }
        self.checks += 1;
        Ok(())
    }

    /// Reads a directive that says how the case is run, and expects nothing.
    fn setting(&mut self, comment: &Comment<'_>) -> Result<(), String> {
        let mut cursor = Cursor::new(comment.text, comment.range.start);
        match comment.keyword {
            "machine" => return self.machine(comment.text),
            "engine" => return self.engines(comment.text),
            "init" => {
                let init = known(assignments(&mut cursor)?)?;
                match self.runs.last_mut() {
                    Some(run) => run.init.extend(init),
                    None => self.init.extend(init),
                }
            }
            "arg" | "load" => {
                let given = match self.runs.last_mut() {
                    Some(run) => &mut run.given,
                    None => &mut self.given,
                };
                return given.read(comment);
            }
            "check" => {
                reason(comment.text)?;
                match self.runs.last_mut() {
                    Some(run) => run.is_checked = false,
                    None => self.is_checked = false,
                }
            }
            "rules" => {
                self.undefined = match comment.text {
                    "undefined" => true,
                    other => {
                        return Err(format!(
                            "`{other}` is not a set of rules; there is `undefined`"
                        ));
                    }
                };
            }
            other => return Err(unknown(other)),
        }
        Ok(())
    }

    fn part(
        &mut self,
        comment: &Comment<'_>,
        number: usize,
        last: Option<&str>,
    ) -> Result<(), String> {
        let of = match last {
            Some("lint") => self.expected.lint.as_mut().and_then(|all| all.last_mut()),
            Some("error" | "warning") => self.expected.assembled.last_mut(),
            _ => None,
        };
        match of {
            Some(of) => diagnosed::add_part(of, comment, number),
            None => Err(format!(
                "`{}:` belongs to an `error:`, a `warning:` or a `lint:`, which has to come before it",
                comment.keyword
            )),
        }
    }

    /// Reads the descriptors of a `file:` of the case.
    fn chain(&mut self, name: &str, case: &Case<'_>) -> Result<(), String> {
        let Some((name, text)) = case.text.files.iter().skip(1).find(|(known, _)| known == name)
        else {
            return Err(format!("there is no `; file: {name}` in this case"));
        };
        let mut sources = Sources::default();
        let file = sources.add(name, text);
        let source = chain::read_toml(&sources, file).map_err(|problems| {
            let all = problems.iter().map(|problem| problem.message.as_str());
            format!("{name}: {}", all.collect::<Vec<_>>().join("; "))
        })?;
        self.chain = Some(source.chain);
        Ok(())
    }

    fn machine(&mut self, text: &str) -> Result<(), String> {
        let (config, is_named) = machine_of(text)?;
        self.core = *config.core();
        self.machine = is_named.then_some(config);
        Ok(())
    }

    fn engines(&mut self, text: &str) -> Result<(), String> {
        for name in text.split_whitespace() {
            if !TestEngine::NAMES.contains(&name) {
                return Err(format!(
                    "there is no engine `{name}`; the engines are {}",
                    TestEngine::NAMES.join(", ")
                ));
            }
            self.engines.push(name.to_owned());
        }
        if text.is_empty() { Err("expected the name of an engine".to_owned()) } else { Ok(()) }
    }
}

impl RunDirective {
    fn expect(&mut self, comment: &Comment<'_>, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let line = comment.line;
        let whole = Text { line, text: comment.text.to_owned(), range: comment.range.clone() };
        match comment.keyword {
            "end" if self.end.is_some() => return Err("this run has an `end:` already".to_owned()),
            "end" => {
                let kind = comment.text.split(' ').next().unwrap_or_default();
                if !["stop", "limit", "fault", "?"].contains(&kind) {
                    return Err("expected `stop CODE`, `limit` or `fault MESSAGE`".to_owned());
                }
                self.end = Some(whole);
            }
            "cycles" if comment.text.contains(|c: char| c.is_whitespace() || c == '=') => {
                return Err("expected the number of cycles".to_owned());
            }
            "cycles" => {
                let Text { text: value, range, .. } = whole;
                is_count(&value)?;
                self.counts.push((line, Count { name: "cycles".to_owned(), value, range }));
            }
            "compare" => self.compared.push(Compared::read(comment)?),
            "stats" => self.counts.extend(counts(cursor)?.into_iter().map(|c| (line, c))),
            _ => self.state.extend(assignments(cursor)?.into_iter().map(|a| (line, a))),
        }
        Ok(())
    }
}

/// Checks the text of `check:`, which is `off REASON`.
fn reason(text: &str) -> Result<(), String> {
    match text.strip_prefix("off").map(|rest| (rest, rest.trim())) {
        Some((rest, reason)) if rest.starts_with(' ') && !reason.is_empty() => Ok(()),
        Some(("", _)) => Err("a reason is missing; write `check: off REASON`".to_owned()),
        _ => Err("expected `off REASON`; without `check:` runs are checked".to_owned()),
    }
}

fn unknown(keyword: &str) -> String {
    let near = KEYWORDS.iter().find(|known| is_near(known, keyword));
    let hint = match near {
        Some(known) => format!("do you mean `{known}:`?"),
        None => format!("there are {}", KEYWORDS.map(|k| format!("`{k}:`")).join(", ")),
    };
    format!(
        "there is no directive `{keyword}:`; {hint} A comment that is not a directive begins with `;;`, `//` or `#`"
    )
}

/// Whether one letter more, less or other makes one word of the other.
fn is_near(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let same = short.bytes().zip(long.bytes()).take_while(|(x, y)| x == y).count();
    let skip = usize::from(short.len() == long.len());
    long.len() - short.len() <= 1
        && short.get(same + skip..).is_none_or(|rest| Some(rest) == long.get(same + 1..))
}

/// Checks that all assignments have values.
fn known(all: Vec<Assignment>) -> Result<Vec<Assignment>, String> {
    match all.iter().find(|a| a.style == Style::Unknown) {
        Some(a) => Err(format!("`{}` needs a value", a.place)),
        None => Ok(all),
    }
}

/// Checks the form of a count: a number, a sum of products, or `{a, b, c, d}`.
fn is_count(value: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+*,{}-?_".contains(c);
    match value.chars().all(is_part) && !value.is_empty() {
        true => Ok(()),
        false => Err(format!("`{value}` is not a number")),
    }
}

/// Reads a list of `NAME=VALUE`. A value has no blanks outside braces.
fn counts(cursor: &mut Cursor<'_>) -> Result<Vec<Count>, String> {
    let mut all = Vec::new();
    while !cursor.is_done() {
        let before = cursor.place();
        let name = cursor.word().to_owned();
        if name.is_empty() {
            return Err(format!("expected `NAME=VALUE` {before}"));
        }
        cursor.expect('=')?;
        let position = cursor.position();
        let mut value = cursor.take(|c| !c.is_whitespace() && c != '{').to_owned();
        if cursor.rest().starts_with('{') {
            value += cursor.take(|c| c != '}');
            cursor.expect('}')?;
            value.push('}');
        }
        value.retain(|c| !c.is_whitespace());
        is_count(&value)?;
        all.push(Count { name, value, range: cursor.since(position) });
    }
    if all.is_empty() { Err("expected `NAME=VALUE`".to_owned()) } else { Ok(all) }
}

fn run(cursor: &mut Cursor<'_>, line: usize) -> Result<RunDirective, String> {
    let mut run = RunDirective {
        line,
        entry: None,
        by_fifo: false,
        limit: LIMIT,
        init: Vec::new(),
        end: None,
        counts: Vec::new(),
        state: Vec::new(),
        given: Given::default(),
        compared: Vec::new(),
        is_checked: true,
    };
    while !cursor.is_done() {
        let mut ahead = cursor.clone();
        match ahead.word() {
            "max" => {
                ahead.expect('=')?;
                run.limit = match ahead.number()? {
                    Number::Whole(n, _) => u64::try_from(n)
                        .map_err(|_| format!("{n} is not a limit (a whole number from 0)"))?,
                    Number::Float(x) => {
                        return Err(format!("{x} is not a limit (a whole number from 0)"));
                    }
                };
                *cursor = ahead;
            }
            start @ ("entry" | "fifo") => {
                if run.entry.is_some() {
                    return Err(
                        "a run starts at one place; give `entry=` or `fifo=`, not both".to_owned()
                    );
                }
                ahead.expect('=')?;
                run.entry = Some(ahead.word().to_owned());
                run.by_fifo = start == "fifo";
                *cursor = ahead;
            }
            _ => assignment(cursor, &mut run.init)?,
        }
    }
    run.init = known(run.init)?;
    Ok(run)
}
