//! The file that is explored, beside the text of a page: read when the page asks, written only when its user does, never over a change of
//! somebody else without a question.

use crate::explorer::Explorer;
use serde::Deserialize;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A page's wish to save its text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveWish {
    text: String,
    /// Mark of the content that the page read or wrote last; empty if the file was not there.
    mark: String,
    /// Whether the user has been told that the file is another one, and wants it replaced.
    #[serde(default)]
    replace: bool,
}

/// Returns a mark by which two contents can be told apart.
pub(crate) fn mark(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}{:x}", hasher.finish(), text.len())
}

impl Explorer {
    /// Returns text and mark of the file as it is now.
    pub(crate) fn file_now(&self) -> Result<Value, String> {
        let Some(name) = &self.start().file else {
            return Ok(json!({ "there": false, "mark": "", "message": "this text is in no file" }));
        };
        Ok(match self.host().read()? {
            Some(text) => json!({ "there": true, "mark": mark(&text), "text": text }),
            None => json!({
                "there": false,
                "mark": "",
                "message": format!("{name} is not there any more; your text is kept in this page, and saving writes it again"),
            }),
        })
    }

    /// Saves a text, unless the file is not as the page knows it; then it is told so, and the user decides.
    pub(crate) fn save(&self, wish: &SaveWish) -> Result<Value, String> {
        let Some(name) = &self.start().file else {
            return Err("this text is in no file; download it instead".to_owned());
        };
        let now = self.host().read()?;
        let known = now.as_deref().map(mark).unwrap_or_default();
        if known != wish.mark && !wish.replace && now.as_deref() != Some(&*wish.text) {
            let message = match now {
                Some(_) => format!(
                    "{name} was changed by another program or window since this page read it; nothing was written"
                ),
                None => format!(
                    "{name} is not there any more: it was removed or renamed; nothing was written"
                ),
            };
            return Ok(json!({ "saved": false, "mark": known, "message": message }));
        }
        self.host().write(&wish.text)?;
        Ok(json!({ "saved": true, "mark": mark(&wish.text) }))
    }
}
