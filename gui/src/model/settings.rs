//! Preferences of a person, which are kept from one start of the viewer to the next, beside the layout of the window.

use crate::model::number::Format;
use serde::{Deserialize, Serialize};

/// Most files that are remembered.
const MOST_RECENT: usize = 8;

/// The preferences of a person, which are kept from one start of the viewer to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Whether colours stand on a dark background; if not, on a light one.
    pub is_dark: bool,
    /// Format in which the views write words.
    pub format: Format,
    /// Paths of the files that were opened last, the latest first; 8 at most.
    pub recent: Vec<String>,
    /// Whether the person has put away the hint about keys that is shown at first.
    pub knows_keys: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { is_dark: true, format: Format::default(), recent: Vec::new(), knows_keys: false }
    }
}

impl Preferences {
    /// Puts the path of a file that was opened at the front of the list of recent files. If the list had it already, it
    /// is moved there; of more than 8 the oldest is dropped.
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
