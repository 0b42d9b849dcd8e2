//! Links to a place in a run: a file, and behind `#` the cycles and the view to show, as `cp2 view` and the page of a run
//! take them.

use crate::app::Pane;
use clap::ValueEnum as _;
use cp2_isa::Cycle;
use std::path::{Path, PathBuf};

/// A link to a place in a run, such as `run.cp2rec#cycles=5000..5040&view=registers`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLink {
    /// Path of the recording or program.
    pub file: PathBuf,
    /// Cycles to show, from the first one up to the second, which is excluded; `None` for the whole run.
    pub cycles: Option<(Cycle, Cycle)>,
    /// View to bring to the front; `None` for none.
    pub pane: Option<Pane>,
}

/// Reads a range of cycles, `A..B`.
///
/// # Errors
/// The text is no range of cycles; the message says how to write one.
pub fn cycles(text: &str) -> Result<(Cycle, Cycle), String> {
    let wrong =
        || "write the cycles as A..B, from A on and before B, such as 1000..1200".to_owned();
    let (a, b) = text.split_once("..").ok_or_else(wrong)?;
    let (a, b) = (a.parse().map_err(|_| wrong())?, b.parse().map_err(|_| wrong())?);
    if a < b {
        Ok((Cycle(a), Cycle(b)))
    } else {
        Err("A must be less than B, as in 1000..1200".to_owned())
    }
}

impl RunLink {
    /// Reads a link. A text that is the path of a file is that file, also if it has a `#`.
    ///
    /// # Errors
    /// What stands behind the `#` is neither `cycles=A..B` nor `view=NAME`; the message says so.
    pub fn read(text: &str) -> Result<Self, String> {
        let plain = Self { file: PathBuf::from(text), cycles: None, pane: None };
        let Some((file, place)) = text.rsplit_once('#').filter(|_| !Path::new(text).exists())
        else {
            return Ok(plain);
        };
        let mut link = Self { file: PathBuf::from(file), ..plain };
        for part in place.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("cycles", range)) => link.cycles = Some(cycles(range)?),
                Some(("view", name)) => link.pane = Some(pane(name)?),
                _ => {
                    return Err(format!(
                        "`{part}` behind the # is not known; write FILE#cycles=A..B&view=NAME"
                    ));
                }
            }
        }
        Ok(link)
    }

    /// Returns the link as a text, which [`RunLink::read`] reads.
    pub fn text(&self) -> String {
        let cycles = self.cycles.map(|(a, b)| format!("cycles={a}..{b}"));
        let view = self.pane.and_then(|pane| pane.to_possible_value());
        let view = view.map(|value| format!("view={}", value.get_name()));
        let parts: Vec<String> = cycles.into_iter().chain(view).collect();
        let place = if parts.is_empty() { String::new() } else { format!("#{}", parts.join("&")) };
        format!("{}{place}", self.file.display())
    }
}

fn pane(name: &str) -> Result<Pane, String> {
    let names = || {
        let names = Pane::value_variants().iter().filter_map(|pane| pane.to_possible_value());
        names.map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", ")
    };
    Pane::from_str(name, true)
        .map_err(|_| format!("there is no view `{name}`; the views are {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_it_was_written() {
        let link = RunLink {
            file: PathBuf::from("a b/run.cp2rec"),
            cycles: Some((Cycle(5000), Cycle(5040))),
            pane: Some(Pane::Registers),
        };
        assert_eq!(link.text(), "a b/run.cp2rec#cycles=5000..5040&view=registers");
        assert_eq!(RunLink::read(&link.text()), Ok(link.clone()));
        let plain = RunLink { cycles: None, pane: None, ..link };
        assert_eq!(RunLink::read(&plain.text()), Ok(plain));
    }

    #[test]
    fn a_wrong_link_is_refused_with_what_is_right() {
        let refused = |text: &str| RunLink::read(text).expect_err("refused");
        assert!(refused("r#view=regs").contains("timeline, source"), "{}", refused("r#view=regs"));
        assert!(refused("r#cycles=5").contains("A..B") && refused("r#x").contains("FILE#cycles"));
        assert!(refused("r#cycles=9..9").contains("less than"));
        // A file with such a name is opened.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("odd#x.s");
        std::fs::write(&path, "").expect("a file");
        assert_eq!(RunLink::read(&path.to_string_lossy()).map(|link| link.file), Ok(path));
    }
}
