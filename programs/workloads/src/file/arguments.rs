//! Arguments of kernels in a workload file.

use cp2_toml::{FieldReader, Table};
use toml::de::DeValue;

/// Reads the values of arguments, each as the text that a command line would have.
pub(super) fn arguments(reader: &mut FieldReader, top: &Table<'_>) -> Vec<(String, String)> {
    const TAKES: &str = "a number, or a text such as \"0.5:-1.0\"";
    let Some(value) = top.get("arguments") else { return Vec::new() };
    let Some(table) = reader.table(value, &top.name("arguments"), "a table: name = value") else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, _) in table.keys() {
        let Some(value) = table.get(name) else { continue };
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().to_owned(),
            DeValue::Integer(integer) => {
                match i64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(number) => number.to_string(),
                    Err(_) => integer.to_string(),
                }
            }
            DeValue::Float(float) => float.as_str().to_owned(),
            _ => {
                reader.refuse_value(value, &table.name(name), TAKES);
                continue;
            }
        };
        all.push((name.to_owned(), text));
    }
    all
}
