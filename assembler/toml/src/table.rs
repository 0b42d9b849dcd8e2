//! Tables of a TOML file, and the values of their keys.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of a TOML text, with its place in the text.
pub type TomlValue<'a> = Spanned<DeValue<'a>>;

/// Length from which on a message does not repeat a text.
const LONGEST_VALUE: usize = 40;

/// A table of a TOML text: its keys, its place in the text, and its path, by which messages name its keys.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    entries: &'a DeTable<'a>,
    /// Place of the table in the text, in bytes.
    pub span: Range<usize>,
    /// Path of the keys of the table, such as `memory.x.`, or nothing.
    path: String,
}

impl<'a> Table<'a> {
    /// Creates a table of these entries at the place `span`. `path` goes before the names of its keys in messages, such
    /// as `memory.x.`.
    pub fn new(entries: &'a DeTable<'a>, span: Range<usize>, path: &str) -> Self {
        Self { entries, span, path: path.to_owned() }
    }

    /// Returns the value of a key; `None` if the table does not have the key.
    pub fn get(&self, key: &str) -> Option<&'a TomlValue<'a>> {
        self.entries.get(key)
    }

    /// Returns the keys of the table with their places in the text, in the order of the text.
    pub fn keys(&self) -> Vec<(&'a str, Range<usize>)> {
        let key = |key: &'a Spanned<_>| (std::borrow::Cow::as_ref(key.get_ref()), key.span());
        let mut keys: Vec<_> = self.entries.keys().map(key).collect();
        keys.sort_by_key(|(_, span)| span.start);
        keys
    }

    /// Returns the name of `key` in messages, with the path of its table.
    pub fn name(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }
}

/// Returns a value as messages repeat it.
pub(super) fn shown(value: &DeValue<'_>) -> String {
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
