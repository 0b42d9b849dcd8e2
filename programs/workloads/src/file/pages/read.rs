//! The keys of the passes of a workload file.

use super::expression::{AxisRange, Expression};
use super::{FileCall, FilePart, FilePass};
use crate::file::arguments::arguments;
use crate::file::arrays::FileArray;
use crate::file::keys::{HOST_WORK, WorkloadTable};
use crate::file::place::{Place, codes};
use cp2_isa::NumberRange;
use cp2_toml::{FieldReader, Table, TomlValue};

/// Name of the number of a section in ranges.
pub(super) const SECTION: &str = "section";
/// Most buffers of an array.
const MOST_BUFFERS: i64 = 8;

/// Names that the ranges of a pass may have.
struct Known<'a> {
    arrays: &'a [FileArray],
    loops: Vec<String>,
}

/// Reads the passes of a file with these arrays.
pub(in crate::file) fn passes(
    reader: &mut FieldReader,
    top: &Table<'_>,
    arrays: &[FileArray],
    place: &Place<'_>,
) -> Vec<FilePass> {
    let Some(value) = top.get("pass") else { return Vec::new() };
    let mut passes = Vec::new();
    for entry in reader.list(value, "pass", "tables that begin with [[pass]]") {
        let Some(table) = reader.table(entry, "pass", "a table") else { continue };
        let usual = format!("pass {}", passes.len() + 1);
        passes.push(one_pass(reader, &table, &usual, arrays, place));
    }
    passes
}

fn one_pass(
    reader: &mut FieldReader,
    table: &Table<'_>,
    usual: &str,
    arrays: &[FileArray],
    place: &Place<'_>,
) -> FilePass {
    reader.only(table, "a pass", &WorkloadTable::Pass.names());
    let mut known = Known { arrays, loops: Vec::new() };
    let loops = loops(reader, table, &mut known);
    let buffers = table.get("buffers").map(|value| {
        let limit = NumberRange::between(1, MOST_BUFFERS);
        reader.number(value, &table.name("buffers"), limit) as usize
    });
    let host_work = reader.word_of(table, "host_work", &HOST_WORK);
    FilePass {
        name: reader.line_of(table, "name", "a name").unwrap_or(usual).to_owned(),
        parts: parts(reader, table, &known),
        calls: calls(reader, table),
        buffers,
        waits: waits(reader, table, &known),
        turns_between: host_work == Some("between"),
        variants: crate::file::arrays::variants(reader, table, place),
        loops,
    }
}

/// Reads an expression, with the sizes of arrays in place.
fn expression(
    reader: &mut FieldReader,
    value: &TomlValue<'_>,
    (name, text): (&str, &str),
    known: &Known<'_>,
) -> Option<Expression> {
    match Expression::read(text) {
        Ok(found) => {
            let found = found.with_sizes(&|name, axis| known.size(name, axis));
            known.check(reader, value, &[&found], false).then_some(found)
        }
        Err(message) => {
            reader.refuse(codes::PAGES, value.span(), format!("{name}: `{text}`: {message}"), "");
            None
        }
    }
}

impl Known<'_> {
    fn size(&self, name: &str, axis: usize) -> Option<i64> {
        let array = self.arrays.iter().find(|array| array.name == name)?;
        array.shape().and_then(|shape| shape.get(axis)).map(|&size| size as i64)
    }

    /// Whether all names in expressions are known; refuses the value that has others.
    fn check(
        &self,
        reader: &mut FieldReader,
        value: &TomlValue<'_>,
        expressions: &[&Expression],
        has_section: bool,
    ) -> bool {
        let mut problem = None;
        for expression in expressions {
            expression.names(&mut |name| {
                let message = match name {
                    Expression::Name(name) => self.no_name(name, has_section),
                    Expression::Size(name, axis) => self.no_size(name, *axis),
                    _ => None,
                };
                problem = problem.take().or(message);
            });
        }
        if let Some(message) = &problem {
            reader.refuse(codes::PAGES, value.span(), message.clone(), "");
        }
        problem.is_none()
    }

    fn no_name(&self, name: &str, has_section: bool) -> Option<String> {
        let mut names: Vec<&str> = self.loops.iter().map(String::as_str).collect();
        if has_section {
            names.push(SECTION);
        }
        if names.contains(&name) {
            return None;
        }
        let near = cp2_asm::nearest(name, names.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Some(format!("there is no loop `{name}`{near} (there is {all})"))
    }

    /// Returns what is wrong with the size of an axis; `None` if it is told elsewhere.
    fn no_size(&self, name: &str, axis: usize) -> Option<String> {
        let names = self.arrays.iter().map(|array| array.name.as_str());
        let message = match self.arrays.iter().find(|array| array.name == name) {
            Some(array) if array.is_refused => return None,
            None => {
                let near = cp2_asm::nearest(name, names);
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                format!("there is no array `{name}`{near}")
            }
            Some(array) => match array.shape() {
                Some(shape) => format!("{name} has {} axes, and none {axis}", shape.len()),
                None => format!("the file does not tell the shape of {name}; give `shape`"),
            },
        };
        Some(message)
    }
}

/// Reads the loops over pages.
fn loops(
    reader: &mut FieldReader,
    table: &Table<'_>,
    known: &mut Known<'_>,
) -> Vec<(String, Expression)> {
    const TAKES: &str = "a list of loops, the outermost first, such as [\"z = 4\", \"y = 8\"]";
    let Some(value) = table.get("loops") else { return Vec::new() };
    let name = table.name("loops");
    let mut loops = Vec::new();
    for entry in reader.list(value, &name, TAKES) {
        let Some(text) = reader.text(entry, &name, TAKES) else { continue };
        let Some((of, count)) = text.split_once('=') else {
            reader.refuse_value(entry, &name, TAKES);
            continue;
        };
        let of = of.trim();
        let is_name = of.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && of.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || known.loops.iter().any(|other| other == of) || of == SECTION {
            let message = format!("{name}: `{of}` is no name, is taken, or names two loops");
            reader.refuse(codes::PAGES, entry.span(), message, "");
            continue;
        }
        if let Some(count) = expression(reader, entry, (&name, count.trim()), known) {
            known.loops.push(of.to_owned());
            loops.push((of.to_owned(), count));
        }
    }
    loops
}

/// Reads the parts of arrays that a page has.
fn parts(reader: &mut FieldReader, table: &Table<'_>, known: &Known<'_>) -> Vec<FilePart> {
    const TAKES: &str = "a range for each axis, such as [\"8*k : +8\", \":\"]";
    let Some(value) = table.get("page") else { return Vec::new() };
    let Some(page) = reader.table(value, &table.name("page"), "a table: array = ranges") else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    for (name, _) in page.keys() {
        let Some(value) = page.get(name) else { continue };
        let path = page.name(name);
        let (array, value, path) = match value.get_ref() {
            toml::de::DeValue::Table(_) => {
                let Some(of) = reader.table(value, &path, "a table") else { continue };
                reader.only(&of, "the part of a page", &["array", "part"]);
                let array = reader.text_of(&of, "array", "the name of an array").unwrap_or(name);
                let Some(ranges) = reader.required(&of, "part", TAKES) else { continue };
                (array, ranges, of.name("part"))
            }
            _ => (name, value, path),
        };
        let Some(of) = known.arrays.iter().find(|of| of.name == array) else {
            let names = known.arrays.iter().map(|array| array.name.as_str());
            let near = cp2_asm::nearest(array, names);
            let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
            let message = format!("{path}: there is no [array.{array}]");
            reader.refuse(codes::NAME, value.span(), message, &help);
            continue;
        };
        let entries = reader.list(value, &path, TAKES);
        let all = entries.len();
        let read = entries.into_iter().filter_map(|entry| range(reader, entry, &path, known));
        let ranges: Vec<AxisRange> = read.collect();
        if ranges.len() < all {
            // What is wrong with a range is told already.
            continue;
        }
        match of.shape() {
            // What is wrong with the array is told already.
            _ if of.is_refused => {}
            None => {
                let message = format!("{path}: the file does not tell the shape of {array}");
                let help = format!("give `shape` in [array.{array}]");
                reader.refuse(codes::PAGES, value.span(), message, &help);
            }
            Some(shape) if shape.len() != ranges.len() => {
                let message = format!(
                    "{path} has {} ranges, and {array} has {} axes",
                    ranges.len(),
                    shape.len()
                );
                reader.refuse(codes::PAGES, value.span(), message, "`\":\"` takes a whole axis");
            }
            Some(_) => {
                let (name, array) = (name.to_owned(), array.to_owned());
                parts.push(FilePart { name, array, ranges });
            }
        }
    }
    parts
}

/// Reads the range of an axis.
fn range(
    reader: &mut FieldReader,
    entry: &TomlValue<'_>,
    path: &str,
    known: &Known<'_>,
) -> Option<AxisRange> {
    const TAKES: &str = "a range such as \"8*k : +8\", \"0 : 64\" or \":\"";
    let text = reader.text(entry, path, TAKES)?;
    match AxisRange::read(text) {
        Ok(found) => {
            let found = found.with_sizes(&|name, axis| known.size(name, axis));
            known.check(reader, entry, &found.expressions(), true).then_some(found)
        }
        Err(message) => {
            let message = format!("{path}: `{text}`: {message}");
            reader.refuse(codes::PAGES, entry.span(), message, &format!("write {TAKES}"));
            None
        }
    }
}

/// Reads the loops of which a new turn waits.
fn waits(reader: &mut FieldReader, table: &Table<'_>, known: &Known<'_>) -> Vec<String> {
    const TAKES: &str = "a list of names of loops";
    let Some(value) = table.get("wait") else { return Vec::new() };
    let name = table.name("wait");
    let mut waits = Vec::new();
    for entry in reader.list(value, &name, TAKES) {
        let Some(text) = reader.text(entry, &name, TAKES) else { continue };
        match known.no_name(text, false) {
            Some(message) => reader.refuse(codes::PAGES, entry.span(), message, ""),
            None => waits.push(text.to_owned()),
        }
    }
    waits
}

/// Reads the calls of a page.
fn calls(reader: &mut FieldReader, table: &Table<'_>) -> Vec<FileCall> {
    let Some(value) = table.get("call") else { return Vec::new() };
    let name = table.name("call");
    let mut calls = Vec::new();
    for entry in reader.list(value, &name, "tables that begin with [[pass.call]]") {
        let Some(call) = reader.table(entry, &name, "a table") else { continue };
        reader.only(&call, "a call", &WorkloadTable::Call.names());
        let entry = reader.text_of(&call, "entry", "the name of a kernel or label");
        calls.push(FileCall {
            entry: entry.map(str::to_owned),
            arguments: arguments(reader, &call),
            arrays: renamed(reader, &call),
            is_inverse: reader.flag_or(&call, "inverse", false),
        });
    }
    calls
}

/// Reads the arrays of a kernel that have other names in the file.
fn renamed(reader: &mut FieldReader, call: &Table<'_>) -> Vec<(String, String)> {
    const TAKES: &str = "a table: array of the kernel = \"array of the file or part of the page\"";
    let Some(value) = call.get("arrays") else { return Vec::new() };
    let Some(table) = reader.table(value, &call.name("arrays"), TAKES) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, _) in table.keys() {
        if let Some(to) = reader.text_of(&table, name, "the name of an array") {
            all.push((name.to_owned(), to.to_owned()));
        }
    }
    all
}
