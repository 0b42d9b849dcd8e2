//! Expansion: files to statements, one after the other. Macros, repetitions, conditions and
//! included files are gone behind it. A condition or a count may ask for the address that has been
//! reached, so whoever takes the statements says with each call where the next one would stand.

mod blocks;
mod macros;
mod made;

use super::context::Context;
use super::line::Line;
use super::symbols::{DefinedName, Definition, Site};
use crate::diagnostic::Sources;
use crate::image::SymbolKind;
use crate::names;
use crate::parse::ast::{BundleLine, Directive, Expansion, Expr, Linear, Placement, Word};
use crate::parse::{self, Cursor, Fault};
use crate::suggest::{did_you_mean, nearest};
use blocks::Blocks;
use macros::Macro;
use made::{BUDGET, Repetition};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// A function that reads the files which `.include` names. Its parameters are the name of the including file and the
/// path as written. It returns the name by which the included file is known and its text, or a message that tells why
/// the file cannot be read.
pub type Loader<'a> = dyn FnMut(&str, &str) -> Result<(String, String), String> + 'a;

/// A part of a line that is to be placed.
pub(crate) struct Statement {
    pub(crate) line: Rc<Line>,
    pub(crate) what: StatementKind,
}

/// Kinds of statements.
pub(crate) enum StatementKind {
    Label(Word),
    /// A directive; the range is its name.
    Placement(Range<usize>, Placement),
    /// A directive of linear code; the range is its name.
    Linear(Range<usize>, Linear),
    /// Bytes of a bundle, and what the parser made of them: one in error still takes an address.
    Bundle(Range<usize>, Result<Box<BundleLine>, Fault>),
}

/// Lines that are being read.
struct OpenLines {
    lines: Vec<Rc<Line>>,
    blocks: Blocks,
    next: usize,
    /// Byte at which the rest of the next line begins, if its labels have been handed out.
    after_labels: Option<usize>,
    then: Then,
}

/// The item that follows the last line of a run.
enum Then {
    /// The line after the macro call.
    Return,
    /// The line after the `.include`, if the file was included.
    EndFile,
    /// The next iteration.
    Iterate(Repetition),
}

/// Files being expanded.
pub(crate) struct Expander<'a> {
    sources: &'a mut Sources,
    loader: &'a mut Loader<'a>,
    /// Files that have been read.
    files: Vec<u32>,
    macros: HashMap<String, Rc<Macro>>,
    /// A file, and inside it what is open, innermost last.
    runs: Vec<OpenLines>,
    including: Vec<u32>,
    labels: VecDeque<Statement>,
    budget: usize,
    unique: u64,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(sources: &'a mut Sources, loader: &'a mut Loader<'a>) -> Self {
        Self {
            sources,
            loader,
            files: Vec::new(),
            macros: HashMap::new(),
            runs: Vec::new(),
            including: Vec::new(),
            labels: VecDeque::new(),
            budget: BUDGET,
            unique: 0,
        }
    }

    /// Begins a source file.
    pub(crate) fn begin_unit(&mut self, cx: &mut Context, file: u32) {
        self.macros.clear();
        self.file(cx, file);
    }

    /// Returns the files that have been read, and the texts.
    pub(crate) fn finish(self) -> (Vec<u32>, &'a Sources) {
        (self.files, self.sources)
    }

    /// Returns the next statement, whose address would be `dot`.
    pub(crate) fn next(&mut self, cx: &mut Context, dot: usize) -> Option<Statement> {
        loop {
            if let Some(label) = self.labels.pop_front() {
                return Some(label);
            }
            let run = self.runs.last()?;
            if run.next >= run.lines.len() || self.budget == 0 {
                self.end_run(cx);
                continue;
            }
            let line = run.lines[run.next].clone();
            if let Some(statement) = self.line(cx, line, dot) {
                return Some(statement);
            }
        }
    }

    fn begin_run(&mut self, cx: &mut Context, lines: Vec<Rc<Line>>, then: Then) {
        let (blocks, found) = Blocks::of(&lines);
        for d in found {
            cx.set_incomplete();
            cx.reporter.report(d);
        }
        self.runs.push(OpenLines { lines, blocks, next: 0, after_labels: None, then });
    }

    fn end_run(&mut self, cx: &mut Context) {
        match self.runs.pop().map(|run| run.then) {
            Some(Then::EndFile) => {
                self.including.pop();
            }
            Some(Then::Iterate(repetition)) => self.iterate(cx, repetition),
            Some(Then::Return) | None => {}
        }
    }

    /// Goes on behind a line that has been dealt with.
    fn move_behind(&mut self, next: usize) {
        if let Some(run) = self.runs.last_mut() {
            run.next = next;
        }
    }

    fn file(&mut self, cx: &mut Context, file: u32) {
        if !self.files.contains(&file) {
            self.files.push(file);
        }
        self.including.push(file);
        self.begin_run(cx, Line::of_file(file, self.sources.text(file)), Then::EndFile);
    }

    /// Expands one line, or begins the block that it opens.
    fn line(&mut self, cx: &mut Context, line: Rc<Line>, dot: usize) -> Option<Statement> {
        let run = self.runs.last_mut()?;
        let i = run.next;
        let Some(start) = run.after_labels.take() else {
            self.labels(cx, &line, i);
            return None;
        };
        let text = &line.code()[start..];
        let end = line.code().len();
        if text.is_empty() {
            self.move_behind(i + 1);
            return None;
        }
        if text.starts_with('.') {
            return self.directive_line(cx, &line, i, start, dot);
        }
        self.move_behind(i + 1);
        let rest = Cursor::at(line.code(), start);
        if let Some(called) = self.macros.get(&text[..rest.token().len()]).cloned() {
            self.call(cx, &line, rest, &called);
            return None;
        }
        let parsed = parse::bundle(rest).map(|(_, bundle)| Box::new(bundle)).map_err(parse::fault);
        Some(Statement { line, what: StatementKind::Bundle(start..end, parsed) })
    }

    /// Hands out the labels of a line; the rest of the line comes next.
    fn labels(&mut self, cx: &mut Context, line: &Rc<Line>, i: usize) {
        let text = line.code();
        if let Some(at) = text.find('\\') {
            let loc = line.loc(at..text.len().min(at + 1));
            let help = "`\\name` stands for a macro's parameter or the name of a repetition";
            cx.reporter.report(
                loc.error("C0108", "there is no parameter or repetition of this name here")
                    .help(help),
            );
            return self.move_behind(i + 1);
        }
        match parse::labels(Cursor::new(text)) {
            Ok((rest, labels)) => {
                let label =
                    |word| Statement { line: line.clone(), what: StatementKind::Label(word) };
                self.labels.extend(labels.into_iter().map(label));
                if let Some(run) = self.runs.last_mut() {
                    run.after_labels = Some(rest.offset);
                }
            }
            Err(e) => {
                cx.reporter.fault(line, parse::fault(e));
                self.move_behind(i + 1);
            }
        }
    }

    fn directive_line(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        i: usize,
        start: usize,
        dot: usize,
    ) -> Option<Statement> {
        let after = start + 1 + Cursor::at(line.code(), start + 1).leading_word().text.len();
        let name = &line.code()[start + 1..after];
        let arguments = Cursor::at(line.code(), after);
        let what = match parse::directive(name, arguments) {
            Some(Ok((_, directive))) => match directive {
                Directive::Expansion(expansion) => {
                    self.expansion(cx, line, i, expansion, dot);
                    return None;
                }
                Directive::Placement(d) => StatementKind::Placement(start..after, d),
                Directive::Linear(d) => StatementKind::Linear(start..after, d),
            },
            Some(Err(e)) => {
                cx.reporter.fault(line, parse::fault(e));
                excuse(cx, line, arguments);
                self.after_broken(cx, name, i);
                return None;
            }
            None => {
                unknown_directive(cx, line, name, start..after);
                excuse(cx, line, arguments);
                self.move_behind(i + 1);
                return None;
            }
        };
        self.move_behind(i + 1);
        Some(Statement { line: line.clone(), what })
    }

    /// Obeys a directive that decides which lines there are.
    fn expansion(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        i: usize,
        expansion: Expansion,
        dot: usize,
    ) {
        let Some(run) = self.runs.last_mut() else { return };
        let partner = run.blocks.partner(i);
        let body = i + 1..partner.max(i + 1).min(run.lines.len());
        run.next = i + 1;
        match expansion {
            Expansion::Macro(word, parameters) => {
                run.next = body.end + 1;
                let body = run.lines[body].to_vec();
                self.define_macro(cx, line, word, parameters, body);
            }
            Expansion::Rept(count, name) => {
                run.next = body.end + 1;
                let body = run.lines[body].to_vec();
                if let Some(count) = decided(cx, line, &count, dot) {
                    let name = name.map(|word| word.text);
                    self.rept(cx, Repetition { line: line.clone(), body, name, count, done: 0 });
                }
            }
            Expansion::If(condition) => match decided(cx, line, &condition, dot) {
                Some(0) => self.move_behind(body.end + 1),
                Some(_) => {}
                None => self.after_broken(cx, "if", i),
            },
            // A branch has run up to its `.else`: the other one is left out.
            Expansion::Divider if partner > i => run.next = body.end + 1,
            Expansion::Divider => {}
            Expansion::Include(path) => self.include(cx, line, &path),
        }
    }

    /// Leaves out the block whose head is in error, every branch of it.
    fn after_broken(&mut self, cx: &mut Context, name: &str, i: usize) {
        let Some(run) = self.runs.last_mut() else { return };
        run.next = i + 1;
        if ["macro", "rept", "if", "include"].contains(&name) {
            cx.set_incomplete();
        }
        if ["macro", "rept", "if"].contains(&name) {
            run.next = run.blocks.end(i) + 1;
        }
    }

    fn include(&mut self, cx: &mut Context, line: &Rc<Line>, path: &Word) {
        let loc = line.loc(path.at.clone());
        let from =
            self.including.last().map_or(String::new(), |&f| self.sources.name(f).to_owned());
        let (name, text) = match (self.loader)(&from, &path.text) {
            Ok(file) => file,
            Err(why) => {
                cx.set_incomplete();
                let d = loc.error("C0408", format!("`{}` cannot be read: {why}", path.text));
                return cx.reporter.report(d);
            }
        };
        if self.including.iter().any(|&f| self.sources.name(f) == name) {
            cx.set_incomplete();
            let d = loc.error("C0409", format!("`{name}` includes itself"));
            return cx.reporter.report(d.help("take the common part out into a third file"));
        }
        if self.may_enter(cx, line) {
            let known = self
                .files
                .iter()
                .copied()
                .find(|&f| self.sources.name(f) == name && self.sources.text(f) == text);
            let file = known.unwrap_or_else(|| self.sources.add(name, text));
            self.file(cx, file);
        }
    }
}

/// Returns a value that decides which lines there are; `None` after the error has been reported.
fn decided(cx: &mut Context, line: &Rc<Line>, expr: &Expr, dot: usize) -> Option<i128> {
    let site = Site { line: line.clone(), unit: cx.unit, dot: dot as i128 };
    cx.decided(&site, expr)
}

/// Defines, as broken, the symbol that a directive in error names first: the directive may have been meant to define it, and
/// nobody is to be told that it is not defined.
fn excuse(cx: &mut Context, line: &Rc<Line>, arguments: Cursor<'_>) {
    let text = arguments.text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let name = &text[..end];
    if names::is_symbol_name(name) && cx.symbols.find(cx.unit, name).is_none() {
        let start = arguments.offset + arguments.text.len() - text.len();
        cx.define(DefinedName {
            name: name.to_owned(),
            definition: Definition::Broken,
            kind: SymbolKind::Constant,
            loc: line.loc(start..start + end),
            global: false,
        });
    }
}

fn unknown_directive(cx: &mut Context, line: &Line, name: &str, at: Range<usize>) {
    let d = line.loc(at).error("C0401", format!("there is no directive `.{name}`"));
    let help = match nearest(name, parse::DIRECTIVES) {
        Some(near) => did_you_mean(&format!(".{near}")),
        None => format!("the directives are .{}", parse::DIRECTIVES.join(", .")),
    };
    cx.reporter.report(d.help(help));
}
