//! Preferences, which are kept from one start to the next, beside the layout of the window.

use crate::model::number::Format;
use serde::{Deserialize, Serialize};

/// Most files that are remembered.
const MOST_RECENT: usize = 8;

/// Preferences of a person, which are kept from one start to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Whether the colours are dark.
    pub is_dark: bool,
    /// Format in which words are written.
    pub format: Format,
    /// Files that were opened last, the latest first.
    pub recent: Vec<String>,
    /// Whether the hint that is shown to newcomers has been put away.
    pub knows_keys: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { is_dark: true, format: Format::default(), recent: Vec::new(), knows_keys: false }
    }
}

impl Preferences {
    /// Adds a file that was opened to the list of recent ones.
    pub fn opened(&mut self, path: &str) {
        self.recent.retain(|known| known != path);
        self.recent.insert(0, path.to_owned());
        self.recent.truncate(MOST_RECENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_file_comes_first_and_once() {
        let mut preferences = Preferences::default();
        for k in 0..12 {
            preferences.opened(&format!("{k}.s"));
        }
        preferences.opened("7.s");
        assert_eq!(preferences.recent[..3], ["7.s", "11.s", "10.s"]);
        assert_eq!(preferences.recent.len(), MOST_RECENT);
    }

    #[test]
    fn settings_of_another_version_are_read_as_far_as_they_go() {
        let old: Preferences =
            serde_json::from_str(r#"{"is_dark": false, "gone": 3}"#).expect("read");
        assert!(!old.is_dark);
        assert_eq!(old.format, Format::Float);
    }
}
