//! The sections `.cp2.calls` and `.cp2.merged`: lines of text. The first is `version 1`; each further one has a bundle address, and places,
//! `FILE:LINE:COLUMN` with the number of the file: those of the macro calls through which the bundle came, the outermost call first, or
//! those of the operations whose work an operation of the bundle does too.

use super::ObjectError;
use crate::image::SourcePosition;
use cp2_isa::BundleAddress;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const VERSION: &str = "version 1";

/// Macro calls by the address of the bundle that came through them.
type Calls = BTreeMap<BundleAddress, Vec<SourcePosition>>;

/// Returns the calls as text; nothing if there are none.
pub(super) fn to_text(calls: &Calls) -> String {
    let mut text = String::new();
    if !calls.is_empty() {
        let _ = writeln!(text, "{VERSION}");
    }
    for (address, places) in calls {
        let _ = write!(text, "{address}");
        for SourcePosition { file, line, column } in places {
            let _ = write!(text, " {file}:{line}:{column}");
        }
        text.push('\n');
    }
    text
}

/// Reads the calls of a text, of a program that names so many files; `what` names them in messages.
pub(super) fn from_text(what: &str, bytes: &[u8], n_files: usize) -> Result<Calls, ObjectError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ObjectError::new(format!("the {what} are not UTF-8")))?;
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != VERSION) {
        return Err(ObjectError::new(format!("the {what} are of another version of cp2")));
    }
    let mut all = Calls::new();
    for (i, line) in lines {
        let malformed = || ObjectError::new(format!("line {} of the {what} is malformed", i + 1));
        let (address, places) = calls_of(line, n_files).ok_or_else(malformed)?;
        if all.last_key_value().is_some_and(|(last, _)| *last >= address) {
            return Err(malformed());
        }
        all.insert(address, places);
    }
    Ok(all)
}

fn calls_of(line: &str, n_files: usize) -> Option<(BundleAddress, Vec<SourcePosition>)> {
    let mut words = line.split(' ');
    let address = BundleAddress(words.next()?.parse().ok()?);
    let place = |word: &str| {
        let numbers: Option<Vec<u32>> = word.split(':').map(|n| n.parse().ok()).collect();
        let [file, line, column] = numbers?[..] else { return None };
        ((file as usize) < n_files).then_some(SourcePosition { file, line, column })
    };
    let places: Vec<SourcePosition> = words.map(place).collect::<Option<_>>()?;
    (!places.is_empty()).then_some((address, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_damaged_is_told() {
        let place = |line| SourcePosition { file: 1, line, column: 9 };
        let calls = Calls::from([
            (BundleAddress(3), vec![place(7)]),
            (BundleAddress(8), vec![place(7), place(2)]),
        ]);
        assert_eq!(from_text("macro calls", to_text(&calls).as_bytes(), 2), Ok(calls));
        assert_eq!(to_text(&Calls::new()), "");
        for text in [
            "version 2\n",
            "version 1\n3\n",
            "version 1\n3 2:1:1\n",
            "version 1\n3 0:1\n",
            "version 1\n3 0:1:1\n3 0:1:1\n",
        ] {
            assert!(from_text("macro calls", text.as_bytes(), 2).is_err(), "{text}");
        }
    }
}
