//! Files that a source of a workload file includes: read once, with the file, so that every run sees the same.

use super::Surroundings;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// Most files that a source includes.
const MOST: usize = 1000;

/// Files that a source includes, by the file that includes them and the path in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Includes(BTreeMap<(String, String), Result<(String, String), String>>);

impl Includes {
    /// Reads all files that the source `name` with these bytes includes, and those that they include. A file that cannot be
    /// read is an error only where the assembler comes to its line.
    pub(super) fn of(surroundings: &dyn Surroundings, name: &str, bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let mut open = vec![(name.to_owned(), String::from_utf8_lossy(bytes).into_owned())];
        while let Some((from, text)) = open.pop() {
            for path in text.lines().filter_map(included) {
                let key = (from.clone(), path.to_owned());
                if found.0.contains_key(&key) || found.0.len() >= MOST {
                    continue;
                }
                let file = surroundings.read(&from, path).and_then(|(name, bytes)| {
                    let text = String::from_utf8(bytes);
                    let text = text.map_err(|_| format!("{name} is not UTF-8 text"))?;
                    Ok((name, text))
                });
                if let Ok(file) = &file {
                    open.push(file.clone());
                }
                found.0.insert(key, file);
            }
        }
        found
    }

    /// Returns the name and the text of the file that `from` includes as `path`.
    pub(super) fn find(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let known = self.0.get(&(from.to_owned(), path.to_owned())).cloned();
        known.unwrap_or_else(|| {
            Err("write its path in quotes in the line of the .include, so that it can be read with the workload file".to_owned())
        })
    }

    /// Returns the texts of all files that could be read.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(|(_, text)| text.as_str())
    }

    /// Adds all names and texts to a digest.
    pub(super) fn hash_into(&self, hasher: &mut impl Hasher) {
        for (name, text) in self.0.values().flatten() {
            hasher.write(name.as_bytes());
            hasher.write(text.as_bytes());
        }
    }
}

/// Returns the path that a line includes, if it does.
fn included(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(".include")?;
    let (_, rest) = rest.split_once('"')?;
    rest.split_once('"').map(|(path, _)| path)
}
