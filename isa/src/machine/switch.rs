//! An extension as a user asks for it: read once, at the border, with its value; all else takes a [`Switch`].

use super::core::{Core, CoreNumbers};
use super::key::Key;
use super::toggle::{Change, TOGGLES, Toggle, better_memory};
use std::fmt;
use std::str::FromStr;

/// An extension that a user asks for, with its size if it takes one: the text of `--enable`, such as `word-access` or
/// `more-fprs=128`, once read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    toggle: &'static Toggle,
    /// Value for the key of the extension's size, if the extension takes a size.
    size: Option<u32>,
}

/// The reason why a text names no [`Switch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SwitchError {
    /// No extension has this name.
    Unknown(String),
    /// The extension takes no value, or needs one that the text lacks or that is outside its limits; a sentence says
    /// it.
    Value(String),
}

impl fmt::Display for SwitchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let names = TOGGLES.map(|toggle| toggle.name).join(", ");
                write!(f, "`{name}` is not an extension; the extensions are {names}")
            }
            Self::Value(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for SwitchError {}

/// Writes what [`Switch::from_str`] reads: `word-access`, `more-fprs=128`.
impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.toggle.name)?;
        self.size.map_or(Ok(()), |size| write!(f, "={size}"))
    }
}

/// Reads the name of an extension, behind it `=` and a value where it takes one.
impl FromStr for Switch {
    type Err = SwitchError;

    fn from_str(text: &str) -> Result<Self, SwitchError> {
        let text = text.trim();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let toggle = Toggle::named(name).ok_or_else(|| SwitchError::Unknown(name.to_owned()))?;
        let size = match (toggle.size(), value) {
            (None, None) => None,
            (None, Some(value)) => {
                let sentence = format!("{name} takes no value, but `{value}` is given");
                return Err(SwitchError::Value(sentence));
            }
            (Some((key, least)), value) => {
                let kind = key.info().kind;
                let size = value.and_then(|value| value.parse().ok());
                let size = size.filter(|&size| size >= least && kind.takes(size));
                let takes = || {
                    let takes =
                        format!("{name} takes a value, `{name}=N`: {kind}, at least {least}");
                    SwitchError::Value(takes)
                };
                Some(size.ok_or_else(takes)?)
            }
        };
        Ok(Self { toggle, size })
    }
}

impl Switch {
    /// Reads extensions with commas between, such as `word-access, more-fprs=128`; an empty text has none.
    ///
    /// # Errors
    /// A part of the text names no extension, or has a wrong value. The error is that of the first such part.
    pub fn list(text: &str) -> Result<Vec<Self>, SwitchError> {
        match text.trim() {
            "" => Ok(Vec::new()),
            names => names.split(',').map(str::parse).collect(),
        }
    }

    /// Returns the extension that is asked for, without its size.
    pub const fn toggle(&self) -> &'static Toggle {
        self.toggle
    }

    /// Whether the extension changes nothing but the core, so that it needs no machine around the core.
    pub fn is_of_core(&self) -> bool {
        match self.toggle.change {
            Change::Flag(key) | Change::Size(key, _) => key.is_of_core(),
            Change::BetterMemory => false,
        }
    }

    /// Returns the setting that switches the extension on in a machine file, `section.key = value`; `None` for
    /// `memory-controller`, whose values depend on the machine.
    pub fn in_file(&self) -> Option<String> {
        match (self.toggle.change, self.size) {
            (Change::Flag(key), _) => Some(format!("{key} = true")),
            (Change::Size(key, least), size) => Some(format!("{key} = {}", size.unwrap_or(least))),
            (Change::BetterMemory, _) => None,
        }
    }

    /// Returns the keys that the extension changes, with their new values. `now` gives the values that the machine has
    /// before.
    ///
    /// # Errors
    /// The size of the toggle is another one already, larger than that of CP2.
    pub(super) fn settings(&self, now: &dyn Fn(Key) -> u32) -> Result<Vec<(Key, u32)>, String> {
        match (self.toggle.change, self.size) {
            (Change::Flag(key), _) => Ok(vec![(key, 1)]),
            (Change::BetterMemory, _) => Ok(better_memory(now)),
            (Change::Size(key, least), size) => {
                let (size, name) = (size.unwrap_or(least), self.toggle.name);
                match now(key) {
                    on if on >= least && on != size => Err(format!(
                        "{name}={on} is on already and excludes {name}={size}: {key} is one number"
                    )),
                    _ => Ok(vec![(key, size)]),
                }
            }
        }
    }

    /// Returns the numbers of a core with the extension added. A size never becomes less; extensions that are not of
    /// the core change nothing.
    pub fn on_core(&self, numbers: CoreNumbers) -> CoreNumbers {
        let size = self.size.unwrap_or(0);
        match self.toggle.change {
            Change::Size(Key::Fprs, _) => CoreNumbers { fprs: numbers.fprs.max(size), ..numbers },
            Change::Size(Key::LocalMemory, _) => {
                let local_memory_words = numbers.local_memory_words.max(size);
                CoreNumbers { local_memory_words, ..numbers }
            }
            Change::Flag(key) => {
                let own = key.extension().unwrap_or_default();
                CoreNumbers { extensions: numbers.extensions | own, ..numbers }
            }
            Change::Size(..) | Change::BetterMemory => numbers,
        }
    }

    /// Whether a core has the extension, with at least the size that is asked for. `false` for an extension that is not
    /// of the core.
    pub fn is_on_core(&self, core: &Core) -> bool {
        self.is_of_core() && self.on_core(*core.numbers()) == *core.numbers()
    }

    /// Whether the machine whose keys have these values has the extension ([`MachineConfig::has`]).
    ///
    /// [`MachineConfig::has`]: super::MachineConfig::has
    pub(super) fn is_on(&self, value: &dyn Fn(Key) -> u32) -> bool {
        match self.toggle.change {
            Change::Flag(key) => value(key) == 1,
            Change::Size(key, least) => value(key) >= self.size.unwrap_or(least),
            Change::BetterMemory => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<Switch>().unwrap_err().to_string()
    }

    #[test]
    fn texts_are_read_once_and_written_again() {
        for text in
            ["word-access", "more-fprs=128", "larger-local-memory=32768", "memory-controller"]
        {
            assert_eq!(text.parse::<Switch>().unwrap().to_string(), text);
        }
        assert_eq!(" dma-words ".parse::<Switch>(), "dma-words".parse());
        assert_eq!(Switch::list(""), Ok(Vec::new()));
        let all = Switch::list("word-access, more-fprs=65").unwrap();
        assert_eq!(
            all.iter().map(Switch::to_string).collect::<Vec<_>>(),
            ["word-access", "more-fprs=65"]
        );
        assert_eq!(Switch::list("word-access,"), Err(SwitchError::Unknown(String::new())));
    }

    #[test]
    fn a_size_needs_a_value_above_that_of_cp2_and_nothing_else_takes_one() {
        for wrong in ["", "=8192", "=20000", "=65536", "=x", "=-1", "=99999999999"] {
            let text = refused(&format!("larger-local-memory{wrong}"));
            assert!(text.contains("a power of two from 1024 to 32768, at least 16384"), "{text}");
        }
        for wrong in ["", "=64", "=257"] {
            let text = refused(&format!("more-fprs{wrong}"));
            assert!(text.contains("a whole number from 8 to 256, at least 65"), "{text}");
        }
        assert_eq!(refused("word-access=1"), "word-access takes no value, but `1` is given");
        assert!(
            refused("word_access")
                .starts_with("`word_access` is not an extension; the extensions are word-access, ")
        );
    }
}
