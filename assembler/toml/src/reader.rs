//! The reader of a TOML file: takes values of the types that are asked for, and keeps what is wrong.

use super::codes;
use super::table::{Table, TomlValue, shown};
use cp2_asm::diagnostic::{Diagnostic, Span};
use cp2_asm::nearest;
use cp2_isa::NumberRange;
use std::ops::Range;
use toml::de::{DeInteger, DeValue};

/// A reader of a TOML file, which keeps a diagnostic for whatever is wrong. [`read`](fn@super::read) makes it.
#[derive(Clone, Debug)]
pub struct FieldReader {
    file: u32,
    problems: Vec<Diagnostic>,
}

impl FieldReader {
    /// Creates a reader that has found nothing wrong. `file` is the number of its text among the sources of the
    /// diagnostics.
    pub fn new(file: u32) -> Self {
        Self { file, problems: Vec::new() }
    }

    /// Returns a place in the text, given in bytes, as diagnostics have it.
    pub fn span(&self, range: Range<usize>) -> Span {
        Span { file: self.file, range }
    }

    /// Whether nothing was wrong so far.
    pub fn is_content(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the number of things that were wrong so far.
    pub fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Returns all that was wrong, in the order of the text.
    pub fn into_problems(mut self) -> Vec<Diagnostic> {
        self.problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.range.start));
        self.problems
    }

    /// Notes a diagnostic with this code at a place in the text. `help` says what to write instead; empty if nothing
    /// can be said.
    pub fn refuse(&mut self, code: &'static str, range: Range<usize>, message: String, help: &str) {
        let problem = Diagnostic::error(code, self.span(range), message);
        self.problems.push(if help.is_empty() { problem } else { problem.help(help) });
    }

    /// Refuses a value that is of another type or another word than its key takes. `name` is the key with its path,
    /// `takes` says what it takes.
    pub fn refuse_value(&mut self, value: &TomlValue<'_>, name: &str, takes: &str) {
        let message = format!("{name} is {}; it takes {takes}", shown(value.get_ref()));
        self.refuse(codes::WRONG_TYPE, value.span(), message, "");
    }

    /// Refuses the keys of a table that are none of `known`, each with the nearest of those. `what` names the table.
    pub fn only(&mut self, table: &Table<'_>, what: &str, known: &[&str]) {
        for (key, span) in table.keys() {
            if known.contains(&key) {
                continue;
            }
            let message = format!("{what} has no key `{key}`; its keys are {}", known.join(", "));
            self.refuse(codes::UNKNOWN, span, message, &meant(key, known));
        }
    }

    /// Returns the table that `value` is; refuses a value that is none. `name` is the key with its path, `what` says
    /// what the table has.
    pub fn table<'a>(
        &mut self,
        value: &'a TomlValue<'a>,
        name: &str,
        what: &str,
    ) -> Option<Table<'a>> {
        match value.get_ref() {
            DeValue::Table(entries) => Some(Table::new(entries, value.span(), &format!("{name}."))),
            _ => {
                self.refuse_value(value, name, what);
                None
            }
        }
    }

    /// Returns the elements of the list that `value` is; refuses a value that is none, and returns nothing. `name` is
    /// the key with its path, `what` says what the list has.
    pub fn list<'a>(
        &mut self,
        value: &'a TomlValue<'a>,
        name: &str,
        what: &str,
    ) -> Vec<&'a TomlValue<'a>> {
        match value.get_ref() {
            DeValue::Array(entries) => entries.iter().collect(),
            _ => {
                self.refuse_value(value, name, what);
                Vec::new()
            }
        }
    }

    /// Returns the value of a key that has to be there; refuses a table without it. `means` says what the value means.
    pub fn required<'a>(
        &mut self,
        table: &Table<'a>,
        key: &str,
        means: &str,
    ) -> Option<&'a TomlValue<'a>> {
        let value = table.get(key);
        if value.is_none() {
            let message = format!("`{}` is missing: {means}", table.name(key));
            self.refuse(codes::MISSING, table.span.clone(), message, "");
        }
        value
    }

    /// Reads a whole number within `limit`; refuses any other value, and returns 0 for it.
    pub fn number(&mut self, value: &TomlValue<'_>, name: &str, limit: NumberRange) -> i64 {
        let DeValue::Integer(integer) = value.get_ref() else {
            self.refuse_value(value, name, &format!("a whole number, {limit}"));
            return 0;
        };
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if limit.takes(number) => number,
            _ => {
                let message = format!("{name} is {integer}; it takes {limit}");
                self.refuse(codes::OUT_OF_RANGE, value.span(), message, &near(integer, limit));
                0
            }
        }
    }

    /// Reads the number of `key`; returns `default` if the key is absent.
    pub fn number_or(
        &mut self,
        table: &Table<'_>,
        key: &str,
        limit: NumberRange,
        default: i64,
    ) -> i64 {
        match table.get(key) {
            Some(value) => self.number(value, &table.name(key), limit),
            None => default,
        }
    }

    /// Reads a finite number, whole or with a fraction; refuses any other value, and returns `None`. `name` is the key
    /// with its path.
    pub fn float(&mut self, value: &TomlValue<'_>, name: &str) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.refuse_value(value, name, "a finite number");
        }
        number
    }

    /// Reads the finite number of `key`, whole or with a fraction; returns `default` if the key is absent or its value
    /// refused.
    pub fn float_or(&mut self, table: &Table<'_>, key: &str, default: f64) -> f64 {
        let value = table.get(key);
        value.and_then(|value| self.float(value, &table.name(key))).unwrap_or(default)
    }

    /// Reads the flag of `key`; returns `default` if the key is absent or its value refused.
    pub fn flag_or(&mut self, table: &Table<'_>, key: &str, default: bool) -> bool {
        match table.get(key).map(|value| (value, value.get_ref())) {
            None => default,
            Some((_, DeValue::Boolean(flag))) => *flag,
            Some((value, _)) => {
                self.refuse_value(value, &table.name(key), "true or false");
                default
            }
        }
    }

    /// Returns the text that `value` is; refuses a value that is none. `name` is the key with its path, `takes` says
    /// what it takes.
    pub fn text<'a>(
        &mut self,
        value: &'a TomlValue<'a>,
        name: &str,
        takes: &str,
    ) -> Option<&'a str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.as_ref()),
            _ => {
                self.refuse_value(value, name, takes);
                None
            }
        }
    }

    /// Returns the text of `key`; `None` if the key is absent or its value refused. `takes` says what the key takes.
    pub fn text_of<'a>(&mut self, table: &Table<'a>, key: &str, takes: &str) -> Option<&'a str> {
        let value = table.get(key)?;
        self.text(value, &table.name(key), takes)
    }

    /// Reads the text of `key` that reports print, a line; refuses one without a visible character, or with control
    /// characters. `takes` says what the key takes.
    pub fn line_of<'a>(&mut self, table: &Table<'a>, key: &str, takes: &str) -> Option<&'a str> {
        let text = self.text_of(table, key, takes)?;
        if !text.trim().is_empty() && !text.chars().any(char::is_control) {
            return Some(text);
        }
        let span = table.get(key).map_or(table.span.clone(), |value| value.span());
        let name = table.name(key);
        let message = format!("{name} has no visible character, or has control characters");
        self.refuse(codes::OUT_OF_RANGE, span, message, "give a line of text");
        None
    }

    /// Returns which of the words `known` the text of `key` is; `None` if the key is absent, or its value refused
    /// because it is none of them.
    pub fn word_of<'k>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        known: &[&'k str],
    ) -> Option<&'k str> {
        let value = table.get(key)?;
        let takes = known.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let text = self.text(value, &table.name(key), &takes)?;
        let found = known.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let message = format!("{} is \"{text}\"; it takes {takes}", table.name(key));
            self.refuse(codes::WRONG_TYPE, value.span(), message, &meant(text, known));
        }
        found
    }
}

/// Returns the help about a word that is none of the known ones; empty if none is near.
fn meant(word: &str, known: &[&str]) -> String {
    let near = nearest(word, known.iter().copied());
    near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default()
}

/// Returns what to write instead of a number that is no multiple of what it should be.
fn near(integer: &DeInteger<'_>, limit: NumberRange) -> String {
    let number = i64::from_str_radix(integer.as_str(), integer.radix());
    match number {
        Ok(number) if limit.multiple_of > 1 && (limit.low..=limit.high).contains(&number) => {
            let below = number.div_euclid(limit.multiple_of) * limit.multiple_of;
            let above = below + limit.multiple_of;
            if integer.radix() == 16 {
                format!("the nearest are 0x{below:x} and 0x{above:x}")
            } else {
                format!("the nearest are {below} and {above}")
            }
        }
        _ => String::new(),
    }
}
