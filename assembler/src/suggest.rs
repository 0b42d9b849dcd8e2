//! The nearest of several names, for "did you mean".

use strsim::osa_distance;

/// Begin and end of the advice to take another word.
const ADVICE: [&str; 2] = ["did you mean `", "`?"];

/// Returns the advice to take another word.
pub(crate) fn did_you_mean(word: &str) -> String {
    let [begin, end] = ADVICE;
    format!("{begin}{word}{end}")
}

/// Returns the word that the advice of a diagnostic, [`Diagnostic::help`](crate::Diagnostic::help), would have in place of the marked one;
/// `None` if it says something else.
pub fn suggested(help: &str) -> Option<&str> {
    help.strip_prefix(ADVICE[0])?.strip_suffix(ADVICE[1])
}

/// Words longer than this are not compared.
const LONGEST: usize = 40;

/// Returns the candidate that is most like `word`, for "did you mean" in messages; `None` if none is near or the word
/// has more than 40 bytes. The measure is the number of characters inserted, deleted, replaced or swapped with a
/// neighbour: at most a third of the word's length, rounded up, and at most 3. Upper and lower case are the same.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = word.len().div_ceil(3).min(3).min(word.len().saturating_sub(1));
    let lower = word.to_ascii_lowercase();
    let length = word.chars().count();
    candidates
        .into_iter()
        // A character more or less is a difference.
        .filter(|c| c.chars().count().abs_diff(length) <= allowed)
        .map(|c| (osa_distance(&lower, &c.to_ascii_lowercase()), c.len().abs_diff(word.len()), c))
        .filter(|(d, ..)| *d <= allowed)
        .min()
        .map(|(.., c)| c)
}
