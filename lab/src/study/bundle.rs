//! A study as one file: what it read, the version of the program, and its report, so that another person runs it again.

use crate::inputs::LabError;
use cp2_document::{self as document, Field, ValueKind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::hash::Hasher as _;
use std::path::{Component, Path};
use twox_hash::XxHash64;

const SCHEMA: &str = "cp2-study-bundle-1";

/// File of a user that a study read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledFile {
    /// Path of the file, relative, without `..`.
    pub path: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// Study with everything that it read, and its report.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyBundle {
    /// Version of the program that made the report.
    pub version: String,
    /// Text of the file of the study.
    pub study: String,
    /// Text of the user's costs; `None` if those of the program were taken.
    pub costs: Option<String>,
    /// Files of workloads and machines.
    pub files: Vec<BundledFile>,
    /// Report of the study, as [`Study::to_json`](super::Study::to_json) gives it.
    pub report: Value,
    /// Hash XXH64 of the text of the report, as 16 hexadecimal digits: numbers that are read again may lose their last bit.
    pub digest: String,
}

/// Returns the digest of a report.
pub fn report_digest(report: &Value) -> String {
    let mut hash = XxHash64::with_seed(0);
    hash.write(report.to_string().as_bytes());
    format!("{:016x}", hash.finish())
}

/// Returns whether a text is that of a bundle rather than of a study.
pub fn is_bundle(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

impl BundledFile {
    /// Creates the file of a bundle.
    ///
    /// # Errors
    /// The path is absolute or leaves the folder, so that the file could not be put back.
    pub fn new(path: &str, bytes: Vec<u8>) -> Result<Self, LabError> {
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.is_empty() || !Path::new(path).components().all(is_plain) {
            return LabError::of(format!(
                "{path}: a bundle holds files below the folder in which cp2 runs, by relative paths without `..`"
            ));
        }
        Ok(Self { path: path.to_owned(), bytes })
    }

    fn to_json(&self) -> Value {
        document::object(&FILE, self)
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    fn parse(value: &Value) -> Result<Self, LabError> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let wrong =
            || LabError::new("files of the bundle are damaged: each has a path, and text or hex");
        let bytes = match (text("text"), text("hex")) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(hex)) if hex.is_ascii() && hex.len() % 2 == 0 => {
                let byte = |k: usize| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16);
                (0..hex.len() / 2).map(byte).collect::<Result<_, _>>().map_err(|_| wrong())?
            }
            _ => return Err(wrong()),
        };
        Self::new(text("path").ok_or_else(wrong)?, bytes)
    }
}

impl StudyBundle {
    /// Reads a bundle from the text of its file.
    ///
    /// # Errors
    /// The text is no bundle, or of another form than this program writes.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|e| LabError::new(format!("neither TOML of a study nor a bundle: {e}")))?;
        if value["schema"] != SCHEMA {
            return LabError::of(format!("schema is {}; a bundle has {SCHEMA}", value["schema"]));
        }
        let text = |key: &str| {
            let text = value[key].as_str().map(str::to_owned);
            text.ok_or_else(|| LabError::new(format!("{key} of the bundle is missing")))
        };
        let damaged = |key: &str| LabError::new(format!("`{key}` of the bundle is damaged"));
        let files = value["files"].as_array().ok_or_else(|| damaged("files"))?;
        let costs = match &value["costs"] {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            _ => return Err(damaged("costs")),
        };
        Ok(Self {
            version: text("version")?,
            study: text("study")?,
            costs,
            files: files.iter().map(BundledFile::parse).collect::<Result<_, _>>()?,
            report: value["report"].clone(),
            digest: text("digest")?,
        })
    }

    /// Returns the bundle as a JSON document, which [`bundle_schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &BUNDLE, self)
    }

    /// Returns the command line of the report.
    pub fn command(&self) -> String {
        self.report["command"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the values of the report, by name, in which another report differs; empty if both are the same to the byte.
    pub fn differences(&self, report: &Value) -> Vec<String> {
        // Both are read from text, so that what is equal there is equal here.
        let read = serde_json::from_str::<Value>(&report.to_string()).unwrap_or_default();
        let objects = [&self.report, &read].into_iter().filter_map(Value::as_object);
        let names: BTreeSet<&String> = objects.flat_map(|object| object.keys()).collect();
        let differs = |name: &&&String| self.report.get(name) != read.get(name);
        let differing: Vec<String> =
            names.iter().filter(differs).map(|name| (*name).clone()).collect();
        match (differing.is_empty(), self.digest == report_digest(report)) {
            (true, false) => vec!["digits or names of values".to_owned()],
            _ => differing,
        }
    }
}

/// Returns the JSON schema of a bundle ([`StudyBundle::to_json`]).
pub fn bundle_schema() -> Value {
    let shape = document::tagged(SCHEMA, &BUNDLE, &[]);
    document::whole("File of `cp2 optimize STUDY --bundle`", &[shape])
}

const FILE: [Field<BundledFile>; 3] = [
    Field::new("path", ValueKind::Text, "", "relative", |f| f.path.clone().into()),
    Field::or_null("text", ValueKind::Text, "", "of the file; null if it is no UTF-8", |f| {
        json!(f.text())
    }),
    Field::or_null("hex", ValueKind::Text, "", "bytes of a file that is no text", |f| {
        let hex = || f.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        f.text().is_none().then(hex).into()
    }),
];

const BUNDLE: [Field<StudyBundle>; 6] = [
    Field::new("version", ValueKind::Text, "", "of cp2", |b| b.version.clone().into()),
    Field::new("study", ValueKind::Text, "", "file of the study (TOML)", |b| {
        b.study.clone().into()
    }),
    Field::or_null("costs", ValueKind::Text, "", "file of costs; null without one", |b| {
        b.costs.clone().into()
    }),
    Field::new(
        "files",
        ValueKind::Objects(|| document::schema(&FILE, &[])),
        "",
        "of workloads and machines",
        |b| b.files.iter().map(BundledFile::to_json).collect(),
    ),
    Field::new("report", ValueKind::Object(super::report::shape), "", "of the study", |b| {
        b.report.clone()
    }),
    Field::new("digest", ValueKind::Text, "", "XXH64 of the report, without blanks", |b| {
        b.digest.clone().into()
    }),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn a_bundle_comes_back_as_it_was() {
        let files = vec![
            BundledFile::new("a/b.toml", b"name = 'x'\n".to_vec()).unwrap(),
            BundledFile::new("x.npy", vec![0, 255, 16]).unwrap(),
        ];
        let (version, study) = ("1".to_owned(), "machine = 'vm9'".to_owned());
        let report = json!({ "command": "cp2 optimize s.toml", "runs": 3 });
        let digest = report_digest(&report);
        let bundle = StudyBundle { version, study, costs: None, files, report, digest };
        let text = bundle.to_json().to_string();
        assert!(is_bundle(&text) && !is_bundle(&bundle.study));
        assert_eq!(StudyBundle::parse(&text).unwrap(), bundle);
        assert!(bundle.differences(&bundle.report).is_empty());
        let other = json!({ "command": "cp2 optimize s.toml", "runs": 4 });
        assert_eq!(bundle.differences(&other), ["runs"]);
        // A value that somebody added by hand is a difference too.
        let mut more = bundle.clone();
        more.report["added"] = json!(null);
        assert_eq!(more.differences(&bundle.report), ["added"]);
    }

    #[test]
    fn what_would_leave_the_folder_is_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", ""] {
            assert!(BundledFile::new(path, Vec::new()).is_err(), "{path}");
        }
        for text in ["{", "{}", r#"{"schema": "cp2-study-bundle-1"}"#] {
            assert!(StudyBundle::parse(text).is_err());
        }
        for (key, value) in [("costs", json!(5)), ("files", json!(3)), ("files", json!(null))] {
            let mut whole = json!({
                "schema": SCHEMA, "version": "1", "study": "", "digest": "", "files": [], "costs": null
            });
            assert!(StudyBundle::parse(&whole.to_string()).is_ok());
            whole[key] = value;
            let message = StudyBundle::parse(&whole.to_string()).unwrap_err().message;
            assert!(message.contains(&format!("`{key}` of the bundle is damaged")), "{message}");
        }
        let damaged = r#"{"schema": "cp2-study-bundle-1", "version": "1", "study": "", "digest": "", "files": [{"path": "x", "hex": "0"}]}"#;
        assert!(StudyBundle::parse(damaged).unwrap_err().message.contains("damaged"));
    }
}
