//! The nearest of several names, for "did you mean".

use strsim::osa_distance;

/// Words longer than this are not compared.
const LONGEST: usize = 40;

/// Returns the candidate that differs least from `word`, if it differs little: by characters that are inserted, deleted or
/// replaced, and neighbours that are swapped.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = word.len().div_ceil(3).min(3).min(word.len().saturating_sub(1));
    let lower = word.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(|c| (osa_distance(&lower, &c.to_ascii_lowercase()), c.len().abs_diff(word.len()), c))
        .filter(|(d, ..)| *d <= allowed)
        .min()
        .map(|(.., c)| c)
}
