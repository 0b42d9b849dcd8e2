//! The keys of a workload file and what they mean.

use super::arguments::arguments;
use super::arrays::{self, FileArray};
use super::declared::Declared;
use super::includes::Includes;
use super::keys::WorkloadTable;
use super::place::{Place, codes};
use super::{Code, Surroundings, Variant, WorkloadFile, pages};
use cp2_isa::machine::Switch;
use cp2_session::Form;
use cp2_session::workload::Platform;
use cp2_toml::{FieldReader, Table, TomlValue};
use std::sync::Arc;
use toml::de::DeValue;

/// Reads a workload file from its top table, and the files that it names from `around`.
pub(super) fn workload_file(
    reader: &mut FieldReader,
    top: &Table<'_>,
    path: &str,
    (surroundings, around): (&Arc<dyn Surroundings>, &dyn Surroundings),
) -> WorkloadFile {
    reader.only(top, "a workload file", &WorkloadTable::File.names());
    let has_passes = top.get("pass").is_some();
    let place = Place { path, surroundings: around, has_passes, variants: Vec::new() };
    let variants = variants(reader, top, &place);
    let names = variants.iter().map(|variant| variant.name.as_str()).collect();
    let place = Place { variants: names, ..place };
    let arrays = all_arrays(reader, top, &place);
    let declared = Declared::of(&variants);
    let command = command(reader, top, &arrays, &declared);
    let passes = pages::passes(reader, top, &arrays, &place);
    if !has_passes {
        refuse_edges(reader, top);
    }
    let stem = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let name = reader.line_of(top, "name", "a name").unwrap_or(stem).to_owned();
    let summary = reader.line_of(top, "summary", "a sentence").unwrap_or("a user's workload");
    WorkloadFile {
        path: path.to_owned(),
        name,
        summary: summary.to_owned(),
        arguments: arguments(reader, top),
        arrays,
        passes,
        variants,
        declared,
        command,
        surroundings: Arc::clone(surroundings),
        files: Vec::new(),
        digest: 0,
    }
}

/// Reads the variants, of which a file has at least one.
fn variants(reader: &mut FieldReader, top: &Table<'_>, place: &Place<'_>) -> Vec<Variant> {
    const MEANS: &str = "the program, as [[variant]] with source, object or shipped";
    let Some(value) = reader.required(top, "variant", MEANS) else { return Vec::new() };
    let mut variants: Vec<Variant> = Vec::new();
    for entry in reader.list(value, "variant", "tables that begin with [[variant]]") {
        let Some(table) = reader.table(entry, "variant", "a table") else { continue };
        let Some(variant) = variant(reader, &table, place) else { continue };
        if variants.iter().any(|known| known.name == variant.name) {
            let message = format!("two variants are called `{}`", variant.name);
            let help = "give each a `name` of its own";
            reader.refuse(cp2_toml::codes::WRONG_TYPE, entry.span(), message, help);
        }
        variants.push(variant);
    }
    variants
}

/// Reads a variant.
fn variant(reader: &mut FieldReader, table: &Table<'_>, place: &Place<'_>) -> Option<Variant> {
    const CODES: [&str; 3] = ["source", "object", "shipped"];
    reader.only(table, "a variant", &WorkloadTable::Variant.names());
    let given: Vec<&str> = CODES.into_iter().filter(|key| table.get(key).is_some()).collect();
    let [key] = given[..] else {
        let message = match given[..] {
            [] => "the variant has no program".to_owned(),
            _ => format!("the variant has several programs: {}", given.join(", ")),
        };
        let help = "give one of source (assembly), object (of `cp2 asm`) and shipped (a kernel of \
                    `cp2 kernels list`)";
        reader.refuse(cp2_toml::codes::MISSING, table.span.clone(), message, help);
        return None;
    };
    let value = table.get(key)?;
    let text = reader.text(value, &table.name(key), "a text")?;
    let code = match key {
        "shipped" => shipped(reader, value, text)?,
        _ => {
            let (name, bytes) = place.read(reader, text, value.span())?;
            let form = if key == "source" { Form::Source } else { Form::Object };
            let includes = match form {
                Form::Source => Includes::of(place.surroundings, &name, &bytes),
                _ => Includes::default(),
            };
            Code::File { name, bytes, form, includes }
        }
    };
    let entry = reader.text_of(table, "entry", "the name of a kernel or label");
    let stem = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let usual = entry.unwrap_or_else(|| stem.split('.').next().unwrap_or(stem));
    let name = reader.line_of(table, "name", "a name").unwrap_or(usual).to_owned();
    let (needs, arguments) = (needs(reader, table), arguments(reader, table));
    Some(Variant { name, code, entry: entry.map(str::to_owned), needs, arguments })
}

/// Returns the kernel of this name that comes with the program.
fn shipped(reader: &mut FieldReader, value: &TomlValue<'_>, name: &str) -> Option<Code> {
    if crate::catalogue::find(Platform::Cp2, name).is_some() {
        return Some(Code::Shipped(name.to_owned()));
    }
    let all = crate::catalogue::workloads(Platform::Cp2);
    let names: Vec<String> = all.iter().map(|workload| workload.about().name).collect();
    let near = cp2_asm::nearest(name, names.iter().map(String::as_str));
    let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
    let message = format!("there is no kernel `{name}`; `cp2 kernels list` lists them");
    reader.refuse(codes::NAME, value.span(), message, &help);
    None
}

/// Reads the extensions that a variant needs.
fn needs(reader: &mut FieldReader, table: &Table<'_>) -> Vec<Switch> {
    const TAKES: &str = "a list of extensions, such as [\"word-access\"]";
    let Some(value) = table.get("needs") else { return Vec::new() };
    let mut switches = Vec::new();
    for entry in reader.list(value, &table.name("needs"), TAKES) {
        let Some(text) = reader.text(entry, &table.name("needs"), TAKES) else { continue };
        match text.parse::<Switch>() {
            Ok(switch) => switches.push(switch),
            Err(e) => reader.refuse(codes::NAME, entry.span(), e.to_string(), ""),
        }
    }
    switches
}

/// Refuses values beyond the edges of arrays, to which nothing reaches without passes.
fn refuse_edges(reader: &mut FieldReader, top: &Table<'_>) {
    let Some(DeValue::Table(arrays)) = top.get("array").map(|value| value.get_ref()) else {
        return;
    };
    for (name, value) in arrays {
        if let DeValue::Table(array) = value.get_ref()
            && let Some(edge) = array.get("edge")
        {
            let message = format!("array.{}.edge goes with [[pass]] only", name.get_ref());
            reader.refuse(cp2_toml::codes::UNKNOWN, edge.span(), message, "");
        }
    }
}

/// Reads all arrays.
fn all_arrays(reader: &mut FieldReader, top: &Table<'_>, place: &Place<'_>) -> Vec<FileArray> {
    let Some(value) = top.get("array") else { return Vec::new() };
    let Some(table) = reader.table(value, "array", "tables that begin with [array.NAME]") else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, _) in table.keys() {
        let Some(value) = table.get(name) else { continue };
        let Some(entry) = reader.table(value, &table.name(name), "a table") else { continue };
        if name.is_empty() || name.contains([':', '=']) {
            let message = format!("array.{name:?} is no name of an array or a label");
            let help = "give the name by which the kernel declares it";
            reader.refuse(codes::NAME, entry.span.clone(), message, help);
            continue;
        }
        all.push(arrays::array(reader, &entry, name, place));
    }
    all
}

/// Reads the command that checks the results of a file with these arrays, whose programs declare others.
fn command(
    reader: &mut FieldReader,
    top: &Table<'_>,
    arrays: &[FileArray],
    declared: &Declared,
) -> Option<Vec<String>> {
    const TAKES: &str =
        "a list of texts: a program and its arguments, with {NAME} for the file of an array";
    let table = reader.table(top.get("check")?, "check", "a table with command")?;
    reader.only(&table, "the table of the check", &WorkloadTable::Check.names());
    let value = reader.required(&table, "command", TAKES)?;
    let before = reader.problems();
    let entries = reader.list(value, "check.command", TAKES);
    let words: Option<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let word = reader.text(entry, "check.command", TAKES)?;
            check_word(reader, entry, word, arrays, declared);
            Some(word.to_owned())
        })
        .collect();
    let words = words?;
    if words.is_empty() && reader.problems() == before {
        reader.refuse_value(value, "check.command", TAKES);
    }
    (!words.is_empty()).then_some(words)
}

/// Returns the name of the array for whose file alone a word of a command stands, if it does.
pub fn array_of(word: &str) -> Option<&str> {
    let name = word.strip_prefix('{')?.strip_suffix('}')?;
    (!name.contains(['{', '}'])).then_some(name)
}

/// Refuses a word of a command that is only `{NAME}` and names no array.
fn check_word(
    reader: &mut FieldReader,
    entry: &TomlValue<'_>,
    word: &str,
    arrays: &[FileArray],
    declared: &Declared,
) {
    let Some(name) = array_of(word) else { return };
    let mut names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
    for (name, _) in &declared.arrays {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if names.contains(&name) || declared.may_have_others {
        return;
    }
    let near = cp2_asm::nearest(name, names.iter().copied());
    let help = near.map(|near| format!("did you mean `{{{near}}}`?")).unwrap_or_default();
    let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let message = format!("check.command: there is no array `{name}`; the arrays are {all}");
    reader.refuse(codes::NAME, entry.span(), message, &help);
}
