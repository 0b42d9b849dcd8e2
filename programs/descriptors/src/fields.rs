//! Typed values out of a TOML text. Whatever is wrong is noted with its place, so that all of it can be
//! told at once; a value that could not be read is a default. What the values mean is in `read`.

use crate::codes;
use cp2_asm::diagnostic::{Diagnostic, Span};
use cp2_asm::nearest;
use cp2_emu::dma::FieldRange;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Most entries of a list that a message repeats.
const LONGEST_VALUE: usize = 40;

/// A table, and how messages call it.
pub(super) struct Table<'a> {
    entries: &'a DeTable<'a>,
    pub(super) span: Range<usize>,
    /// Path of the keys of the table, such as `memory.x.`, or nothing.
    path: String,
}

impl<'a> Table<'a> {
    pub(super) fn new(entries: &'a DeTable<'a>, span: Range<usize>, path: &str) -> Self {
        Self { entries, span, path: path.to_owned() }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value<'a>> {
        self.entries.get(key)
    }

    /// Returns the name of `key` in messages, with the path of its table.
    pub(super) fn name(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }
}

/// Collects what is wrong with a text.
pub(super) struct Reader {
    file: u32,
    pub(super) problems: Vec<Diagnostic>,
}

/// Returns a value as messages repeat it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.len() > LONGEST_VALUE => "a long text".to_owned(),
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

impl Reader {
    pub(super) fn new(file: u32) -> Self {
        Self { file, problems: Vec::new() }
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span { file: self.file, range }
    }

    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        range: Range<usize>,
        message: String,
        help: &str,
    ) {
        let problem = Diagnostic::error(code, self.span(range), message);
        self.problems.push(if help.is_empty() { problem } else { problem.help(help) });
    }

    /// Refuses a value that is of another type or another word than `takes` tells.
    pub(super) fn refuse_value(&mut self, value: &Value<'_>, name: &str, takes: &str) {
        let message = format!("{name} is {}; it takes {takes}", shown(value.get_ref()));
        self.refuse(codes::WRONG_TYPE, value.span(), message, "");
    }

    /// Refuses the keys of a table that are none of these.
    pub(super) fn only(&mut self, table: &Table<'_>, what: &str, known: &[&str]) {
        let mut strangers: Vec<_> = table
            .entries
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .map(|key| (key.span(), key.get_ref().to_string()))
            .collect();
        strangers.sort_by_key(|(span, _)| span.start);
        for (span, key) in strangers {
            let message = format!("{what} has no key `{key}`; its keys are {}", known.join(", "));
            let help = nearest(&key, known.iter().copied())
                .map(|near| format!("did you mean `{near}`?"))
                .unwrap_or_default();
            self.refuse(codes::UNKNOWN, span, message, &help);
        }
    }

    /// Returns the table that `value` is; refuses a value that is none.
    pub(super) fn table<'a>(
        &mut self,
        value: &'a Value<'a>,
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

    /// Returns the value of a key that has to be there; refuses a table without it.
    pub(super) fn required<'a>(
        &mut self,
        table: &Table<'a>,
        key: &str,
        means: &str,
    ) -> Option<&'a Value<'a>> {
        let value = table.get(key);
        if value.is_none() {
            let message = format!("`{}` is missing: {means}", table.name(key));
            self.refuse(codes::MISSING, table.span.clone(), message, "");
        }
        value
    }

    /// Reads a whole number within `limit`; refuses any other value, and returns 0 for it.
    pub(super) fn number(&mut self, value: &Value<'_>, name: &str, limit: FieldRange) -> i64 {
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
    pub(super) fn number_or(
        &mut self,
        table: &Table<'_>,
        key: &str,
        limit: FieldRange,
        default: i64,
    ) -> i64 {
        match table.get(key) {
            Some(value) => self.number(value, &table.name(key), limit),
            None => default,
        }
    }

    /// Reads the flag of `key`; returns `default` if the key is absent or its value refused.
    pub(super) fn flag_or(&mut self, table: &Table<'_>, key: &str, default: bool) -> bool {
        match table.get(key).map(|value| (value, value.get_ref())) {
            None => default,
            Some((_, DeValue::Boolean(flag))) => *flag,
            Some((value, _)) => {
                self.refuse_value(value, &table.name(key), "true or false");
                default
            }
        }
    }

    /// Returns the text that `value` is; refuses a value that is none.
    pub(super) fn text<'a>(
        &mut self,
        value: &'a Value<'a>,
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
}

/// Returns what to write instead of a number that is no multiple of what it should be.
fn near(integer: &toml::de::DeInteger<'_>, limit: FieldRange) -> String {
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
