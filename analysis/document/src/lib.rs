//! JSON documents as data: name, kind, unit and meaning of each value stand once, in a [`Field`] that also has the
//! function which takes the value. A document and its JSON Schema are both made from the fields. Texts for people are
//! in [`width`], pages in [`html`].

pub mod html;
pub mod width;

use serde_json::{Map, Value, json};

/// The kind of a value in a JSON document, from which its part of the JSON Schema is made.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// A whole number, a JSON value of the type `integer`.
    Integer,
    /// A number, whole or not, a JSON value of the type `number`.
    Number,
    /// A string, a JSON value of the type `string`.
    Text,
    /// True or false, a JSON value of the type `boolean`.
    Flag,
    /// The name of a workload, as a string; the schema lists the names that are allowed.
    Name,
    /// A value whose schema is one of the shared definitions of this crate: the name of the definition, such as
    /// `stats`.
    Defined(&'static str),
    /// An object; the function returns its schema, which [`schema`] makes.
    Object(fn() -> Value),
    /// An array of objects; the function returns the schema of one of them, which [`schema`] makes.
    Objects(fn() -> Value),
    /// A JSON array whose items are numbers or null.
    Numbers,
    /// A JSON array of strings.
    Texts,
}

/// Whether a value is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Always,
    /// The value is null where there is none.
    OrNull,
    /// The value is left out where there is none.
    Optional,
}

/// The description of a value of a document, whatever the document is about.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    kind: ValueKind,
    unit: &'static str,
    description: &'static str,
    presence: Presence,
}

/// A field of a JSON document about a value of type `T`: name, kind, unit and description for the JSON Schema, and the
/// function that takes the field's value from the `T`.
#[derive(Debug)]
pub struct Field<T: ?Sized> {
    row: Row,
    get: fn(&T) -> Value,
}

impl<T: ?Sized> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Field<T> {}

impl<T: ?Sized> Field<T> {
    /// Creates a field that is always in the document. `get` returns its value; `unit` is empty if it has none.
    pub const fn new(
        name: &'static str,
        kind: ValueKind,
        unit: &'static str,
        description: &'static str,
        get: fn(&T) -> Value,
    ) -> Self {
        Self { row: Row { name, kind, unit, description, presence: Presence::Always }, get }
    }

    /// Creates a field that is always in the document, but null if `get` returns null. `unit` is empty if it has none.
    pub const fn or_null(
        name: &'static str,
        kind: ValueKind,
        unit: &'static str,
        description: &'static str,
        get: fn(&T) -> Value,
    ) -> Self {
        Self { row: Row { name, kind, unit, description, presence: Presence::OrNull }, get }
    }

    /// Creates a field that is left out of the document if `get` returns null. `unit` is empty if it has none.
    pub const fn optional(
        name: &'static str,
        kind: ValueKind,
        unit: &'static str,
        description: &'static str,
        get: fn(&T) -> Value,
    ) -> Self {
        Self { row: Row { name, kind, unit, description, presence: Presence::Optional }, get }
    }
}

impl Row {
    fn schema(&self, names: &[String]) -> Value {
        let mut schema = match self.kind {
            ValueKind::Integer => json!({ "type": "integer" }),
            ValueKind::Number => json!({ "type": "number" }),
            ValueKind::Text => json!({ "type": "string" }),
            ValueKind::Flag => json!({ "type": "boolean" }),
            ValueKind::Name => json!({ "enum": names }),
            ValueKind::Defined(name) => json!({ "$ref": format!("#/$defs/{name}") }),
            ValueKind::Object(of) => of(),
            ValueKind::Objects(of) => json!({ "type": "array", "items": of() }),
            ValueKind::Numbers => {
                json!({ "type": "array", "items": { "type": ["number", "null"] } })
            }
            ValueKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        };
        if self.presence == Presence::OrNull {
            match schema.get("type").cloned() {
                Some(one) => schema["type"] = json!([one, "null"]),
                None => schema = json!({ "oneOf": [schema, { "type": "null" }] }),
            }
        }
        if !self.unit.is_empty() {
            schema["unit"] = self.unit.into();
        }
        schema["description"] = self.description.into();
        schema
    }
}

/// Returns the value that the field called `name` takes from `of`; `None` if no field has that name.
pub fn value<T: ?Sized>(fields: &[Field<T>], name: &str, of: &T) -> Option<Value> {
    fields.iter().find(|field| field.row.name == name).map(|field| (field.get)(of))
}

/// Returns a JSON object with the values that the fields take from `of`, in the order of the fields.
pub fn object<T: ?Sized>(fields: &[Field<T>], of: &T) -> Value {
    object_of(fields.iter().map(|field| (field.row, (field.get)(of))).collect()).into()
}

// Code that does not depend on the type stands in functions of its own, because there are many types.

fn object_of(values: Vec<(Row, Value)>) -> Map<String, Value> {
    let is_told =
        |(row, value): &(Row, Value)| row.presence != Presence::Optional || !value.is_null();
    values.into_iter().filter(is_told).map(|(row, value)| (row.name.to_owned(), value)).collect()
}

/// Returns the JSON object that [`object`] makes of `of`, with a member `schema` before the others whose value is
/// `tag`, the name of the document's schema.
pub fn document<T: ?Sized>(tag: &str, fields: &[Field<T>], of: &T) -> Value {
    with_tag(tag.into(), object(fields, of))
}

/// Returns an object with the value of `schema` before the others.
fn with_tag(tag: Value, object: Value) -> Value {
    let mut all = Map::new();
    all.insert("schema".to_owned(), tag);
    if let Value::Object(values) = object {
        all.extend(values);
    }
    all.into()
}

/// Returns the JSON Schema of the objects that [`object`] makes with these fields. `names` are the strings that a field
/// of the kind [`ValueKind::Name`] may have.
pub fn schema<T: ?Sized>(fields: &[Field<T>], names: &[String]) -> Value {
    schema_of(&fields.iter().map(|field| field.row).collect::<Vec<_>>(), names)
}

fn schema_of(rows: &[Row], names: &[String]) -> Value {
    let is_required = |row: &&Row| row.presence != Presence::Optional;
    let required: Vec<_> = rows.iter().filter(is_required).map(|row| row.name).collect();
    let properties: Map<_, _> =
        rows.iter().map(|row| (row.name.to_owned(), row.schema(names))).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

/// Returns the JSON Schema of the objects that [`document`] makes with this tag and these fields, for [`whole`].
/// `names` are the strings that a field of the kind [`ValueKind::Name`] may have.
pub fn tagged<T: ?Sized>(tag: &str, fields: &[Field<T>], names: &[String]) -> Value {
    tagged_of(tag, schema(fields, names))
}

fn tagged_of(tag: &str, mut schema: Value) -> Value {
    schema["properties"] = with_tag(json!({ "const": tag }), schema["properties"].take());
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, "schema".into());
    }
    schema
}

/// Schemas that are written by hand and whose parts others use: name of the definition, JSON pointer to it, text of the file.
const DEFINITIONS: [(&str, &str, &str); 7] = [
    ("stats", "/$defs/stats", include_str!("../../../specs/schemas/run.schema.json")),
    ("count", "/$defs/count", include_str!("../../../specs/schemas/run.schema.json")),
    ("number", "/$defs/number", include_str!("../../../specs/schemas/run.schema.json")),
    ("machine", "/$defs/machine", include_str!("../../../specs/schemas/run.schema.json")),
    ("dma_stats", "", include_str!("../schemas/dma-stats.json")),
    ("timeline", "/$defs/timeline", include_str!("../../../specs/schemas/timeline.schema.json")),
    ("track", "/$defs/track", include_str!("../../../specs/schemas/timeline.schema.json")),
];

/// Returns a complete JSON Schema with a title for a document that has one of the `shapes`, which are schemas from
/// [`tagged`]. The shared definitions that they refer to are added.
pub fn whole(title: &str, shapes: &[Value]) -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
    });
    match shapes {
        [Value::Object(one)] => {
            for (key, value) in one {
                schema[key] = value.clone();
            }
        }
        several => schema["oneOf"] = several.into(),
    }
    let mut used = Map::new();
    add_definitions(&schema, &mut used);
    if !used.is_empty() {
        schema["$defs"] = used.into();
    }
    schema
}

/// Adds the definitions that `schema` refers to, and those that they refer to.
fn add_definitions(schema: &Value, used: &mut Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| add_definitions(item, used)),
        Value::Object(object) => {
            let name = object.get("$ref").and_then(|r| r.as_str()?.strip_prefix("#/$defs/"));
            let known = DEFINITIONS.iter().find(|d| Some(d.0) == name && !used.contains_key(d.0));
            if let Some((name, place, text)) = known {
                let file: Value = serde_json::from_str(text).unwrap_or_default();
                let definition = file.pointer(place).cloned().unwrap_or_default();
                used.insert((*name).to_owned(), definition.clone());
                add_definitions(&definition, used);
            }
            object.values().for_each(|value| add_definitions(value, used));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Run {
        cycles: u64,
        name: Option<&'static str>,
    }

    const FIELDS: &[Field<Run>] = &[
        Field::new("cycles", ValueKind::Integer, "cycles", "of the run", |r| r.cycles.into()),
        Field::or_null("name", ValueKind::Text, "", "of the kernel", |r| r.name.into()),
        Field::optional("again", ValueKind::Defined("count"), "", "once more", |_| Value::Null),
    ];

    #[test]
    fn document_and_schema_come_from_the_same_rows() {
        let run = Run { cycles: 3, name: None };
        assert_eq!(
            document("cp2-x-1", FIELDS, &run).to_string(),
            r#"{"schema":"cp2-x-1","cycles":3,"name":null}"#
        );
        let schema = whole("X", &[tagged("cp2-x-1", FIELDS, &[])]);
        assert_eq!(schema["required"], json!(["schema", "cycles", "name"]));
        let cycles = json!({ "type": "integer", "unit": "cycles", "description": "of the run" });
        assert_eq!(schema["properties"]["cycles"], cycles);
        assert_eq!(schema["properties"]["name"]["type"], json!(["string", "null"]));
        assert_eq!(schema["$defs"]["count"]["type"], "object");
    }

    #[test]
    fn every_definition_is_found() {
        for (name, place, text) in DEFINITIONS {
            let file: Value = serde_json::from_str(text).expect("JSON");
            assert!(file.pointer(place).is_some(), "{name}");
        }
    }
}
