//! Numbers of a page as rows of text: a page has tens of thousands of them, and an object for each part of a program would be
//! most of its bytes and of the time that it takes to write them.

use crate::profile::{ProfilePart, ProfileReport};
use cp2_recording::{RunStep, StepLevel};
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

/// Number of steps that a page has at most; where a run has more, those of the deepest levels are left out.
const STEPS: usize = 1 << 14;

/// Returns the steps of a run for a page: names, levels, and rows of level, begin, length and name; and how many are left out.
pub(super) fn steps(mut steps: Vec<RunStep>) -> Value {
    let all = steps.len();
    while steps.len() > STEPS {
        let deepest = steps.iter().map(|step| step.level).max();
        steps.retain(|step| Some(step.level) < deepest);
    }
    let mut names = Names::default();
    let mut rows = Vec::with_capacity(steps.len());
    for RunStep { level, name, cycles } in &steps {
        let length = cycles.end - cycles.start;
        rows.push([*level as u64, cycles.start.0, length, names.number(Some(name)) - 1]);
    }
    json!({
        "levels": StepLevel::ALL.map(StepLevel::name),
        "names": names.all,
        "rows": text_of(rows),
        "left_out": all - steps.len(),
    })
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
    use cp2_isa::Cycle;

    #[test]
    fn rows_are_told_apart() {
        assert_eq!(text_of([[1, 20], [3, 4]]), "1 20;3 4");
        assert_eq!(text_of(Vec::<[u64; 2]>::new()), "");
    }

    #[test]
    fn of_too_many_steps_the_deepest_are_left_out() {
        let step = |level, begin: u64, end: u64, name: &str| RunStep {
            level,
            name: name.to_owned(),
            cycles: Cycle(begin)..Cycle(end),
        };
        let few = vec![step(StepLevel::Stage, 3, 9, "a"), step(StepLevel::Page, 4, 6, "b")];
        let told = steps(few.clone());
        assert_eq!((&told["rows"], &told["left_out"]), (&json!("2 3 6 0;3 4 2 1"), &json!(0)));
        let page = |k: u64| step(StepLevel::Page, 10 + k, 11 + k, "b");
        let many = few.into_iter().chain((0..STEPS as u64).map(page)).collect();
        let told = steps(many);
        assert_eq!((&told["rows"], &told["left_out"]), (&json!("2 3 6 0"), &json!(STEPS + 1)));
    }

    #[test]
    fn names_have_numbers_from_one_on() {
        let mut names = Names::default();
        let numbers = [Some("a"), None, Some("b"), Some("a")].map(|name| names.number(name));
        assert_eq!((numbers, names.all), ([1, 0, 2, 1], vec!["a", "b"]));
    }
}
