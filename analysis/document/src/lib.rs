//! JSON documents as data: the name, type, unit and meaning of each value stand once, in a row that
//! also tells how to get it. The document and its JSON Schema both come from the rows.

use serde_json::{Map, Value, json};

/// The kind of a value, which decides its JSON Schema.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Text.
    Text,
    /// True or false.
    Flag,
    /// The name of a workload: in the schema one of those that the document may be of.
    Name,
    /// A value whose schema is a definition of `DEFINITIONS`, by its name.
    Defined(&'static str),
    /// An object, with the function that returns its schema as [`schema`] makes it.
    Object(fn() -> Value),
    /// A list of objects, with the function that returns the schema of one of them.
    Objects(fn() -> Value),
    /// A list of numbers, some of which may be null.
    Numbers,
    /// A list of texts.
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

/// A value of a JSON document about a `T`: its name, its type and unit, and how it is taken from the `T`.
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
    /// Creates a field that is always there. The unit is empty where the value has none.
    pub const fn new(
        name: &'static str,
        kind: ValueKind,
        unit: &'static str,
        description: &'static str,
        get: fn(&T) -> Value,
    ) -> Self {
        Self { row: Row { name, kind, unit, description, presence: Presence::Always }, get }
    }

    /// Creates a field that is null where `get` gives null. The unit is empty where the value has none.
    pub const fn or_null(
        name: &'static str,
        kind: ValueKind,
        unit: &'static str,
        description: &'static str,
        get: fn(&T) -> Value,
    ) -> Self {
        Self { row: Row { name, kind, unit, description, presence: Presence::OrNull }, get }
    }

    /// Creates a field that is left out where `get` gives null. The unit is empty where the value has none.
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

/// Returns the value that the row of this name makes of a thing; `None` if there is no such row.
pub fn value<T: ?Sized>(fields: &[Field<T>], name: &str, of: &T) -> Option<Value> {
    fields.iter().find(|field| field.row.name == name).map(|field| (field.get)(of))
}

/// Returns the object that the rows make of a thing.
pub fn object<T: ?Sized>(fields: &[Field<T>], of: &T) -> Value {
    object_of(fields.iter().map(|field| (field.row, (field.get)(of))).collect()).into()
}

// Code that does not depend on the type stands in functions of its own, because there are many types.

fn object_of(values: Vec<(Row, Value)>) -> Map<String, Value> {
    let is_told =
        |(row, value): &(Row, Value)| row.presence != Presence::Optional || !value.is_null();
    values.into_iter().filter(is_told).map(|(row, value)| (row.name.to_owned(), value)).collect()
}

/// Returns the object that the rows make of a thing, with the tag of its schema before the other values.
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

/// Returns the JSON Schema of [`object`]; `names` are the values that a [`ValueKind::Name`] may have.
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

/// Returns the JSON Schema of [`document`], as one of the shapes of [`whole`].
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

/// Returns the JSON Schema of a report that has one of these shapes, with the definitions that they need.
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
