//! `arg:`, `load:` and `compare:`: what these directives say.

use crate::source::Comment;
use cp2_session::arrays::{FileDirection, FileTransfer, Tolerance};

/// Arguments and arrays that are given before a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) arguments: Vec<(String, String)>,
    /// Arrays to load, each with the line of its directive, from 0.
    pub(crate) loads: Vec<(usize, FileTransfer)>,
}

impl Given {
    /// Reads `arg: NAME=VALUE ...` or `load: PLACE=FILE[:OPTION...]`.
    pub(crate) fn read(&mut self, comment: &Comment<'_>) -> Result<(), String> {
        if comment.keyword == "load" {
            let transfer = FileTransfer::read(FileDirection::Load, comment.text)?;
            self.loads.push((comment.line, transfer));
            return Ok(());
        }
        if comment.text.is_empty() {
            return Err("expected `NAME=VALUE`".to_owned());
        }
        for word in comment.text.split_whitespace() {
            match word.split_once('=') {
                Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                    self.arguments.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(format!("`{word}`: expected `NAME=VALUE`")),
            }
        }
        Ok(())
    }
}

/// Array that a run has to give.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) line: usize,
    pub(crate) transfer: FileTransfer,
    pub(crate) tolerance: Tolerance,
}

impl Compared {
    /// Reads `compare: PLACE=FILE[:OPTION...] [atol=X] [rtol=X]`.
    pub(crate) fn read(comment: &Comment<'_>) -> Result<Self, String> {
        let mut words = comment.text.split_whitespace();
        let transfer = FileTransfer::read(FileDirection::Store, words.next().unwrap_or_default())?;
        let mut tolerance = Tolerance::default();
        for word in words {
            let place = match word.split_once('=') {
                Some(("atol", _)) => &mut tolerance.absolute,
                Some(("rtol", _)) => &mut tolerance.relative,
                _ => return Err(format!("`{word}`: expected `atol=X` or `rtol=X`")),
            };
            let value = word[5..].parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            *place = value.ok_or_else(|| format!("`{word}`: expected a number from 0"))?;
        }
        Ok(Self { line: comment.line, transfer, tolerance })
    }
}
