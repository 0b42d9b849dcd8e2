//! Numbers of a page as rows of text: a page has tens of thousands of them, and an object for each part of a program would be
//! most of its bytes and of the time that it takes to write them.

use crate::profile::{ProfilePart, ProfileReport};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Returns rows of numbers as a text: a space between numbers, a semicolon between rows.
pub(super) fn text_of(rows: impl IntoIterator<Item = impl IntoIterator<Item = u64>>) -> String {
    let mut text = String::new();
    for (k, row) in rows.into_iter().enumerate() {
        let mut separator = if k == 0 { "" } else { ";" };
        for number in row {
            let _ = write!(text, "{separator}{number}");
            separator = " ";
        }
    }
    text
}

/// Texts that occur again and again, each with its number from 1; 0 stands for none.
#[derive(Default)]
struct Names<'a> {
    all: Vec<&'a str>,
    number_of: HashMap<&'a str, u64>,
}

impl<'a> Names<'a> {
    fn number(&mut self, name: Option<&'a str>) -> u64 {
        let Some(name) = name else { return 0 };
        *self.number_of.entry(name).or_insert_with(|| {
            self.all.push(name);
            self.all.len() as u64
        })
    }
}

/// Lines of a profile as a page keeps them.
pub(super) struct Parts {
    files: Vec<String>,
    kernels: Vec<String>,
    /// Numbers of a line: file, line, kernel, address, issues, flops, cycles by cause.
    lines: String,
    /// Text of each line.
    texts: Vec<String>,
}

impl Parts {
    /// Takes the lines out of a profile, and its bundles, which are for programs and not for a page. `source` returns the text
    /// of a line.
    pub(super) fn of(
        profile: &mut ProfileReport,
        source: &dyn Fn(&str, u32) -> Option<String>,
    ) -> Self {
        let lines = std::mem::take(&mut profile.lines);
        profile.bundles = Vec::new();
        let (mut files, mut kernels) = (Names::default(), Names::default());
        let mut rows = Vec::with_capacity(lines.len());
        for ProfilePart { kernel, name, line, first, cost, issues, .. } in &lines {
            let [file, kernel] = [files.number(name.as_deref()), kernels.number(kernel.as_deref())];
            let address = first.index() as u64;
            let own = [file, u64::from(*line), kernel, address, *issues, cost.flops];
            rows.push(own.into_iter().chain(cost.causes));
        }
        let text = |part: &ProfilePart| {
            let text = part.name.as_deref().and_then(|file| source(file, part.line));
            text.map(|text| text.trim_end().to_owned()).unwrap_or_default()
        };
        let owned = |names: Names<'_>| names.all.into_iter().map(str::to_owned).collect();
        Self {
            texts: lines.iter().map(text).collect(),
            files: owned(files),
            kernels: owned(kernels),
            lines: text_of(rows),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let Self { files, kernels, lines, texts } = self;
        json!({ "files": files, "kernels": kernels, "lines": lines, "texts": texts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_apart() {
        assert_eq!(text_of([[1, 20], [3, 4]]), "1 20;3 4");
        assert_eq!(text_of(Vec::<[u64; 2]>::new()), "");
    }

    #[test]
    fn names_have_numbers_from_one_on() {
        let mut names = Names::default();
        let numbers = [Some("a"), None, Some("b"), Some("a")].map(|name| names.number(name));
        assert_eq!((numbers, names.all), ([1, 0, 2, 1], vec!["a", "b"]));
    }
}
