//! The nearest of several names, for "did you mean".

/// Words longer than this are not compared.
const LONGEST: usize = 40;

/// The candidate that differs least from `word`, if it differs little.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = word.len().div_ceil(3).min(3).min(word.len().saturating_sub(1));
    let lower = word.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(|c| (distance(&lower, &c.to_ascii_lowercase()), c.len().abs_diff(word.len()), c))
        .filter(|(d, ..)| *d <= allowed)
        .min()
        .map(|(.., c)| c)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_distant_ones_are_not() {
        assert_eq!(nearest("camdd", ["cadd", "cmadd", "cmul"]), Some("cmadd"));
        assert_eq!(nearest("CADD", ["cadd", "add"]), Some("cadd"));
        assert_eq!(nearest("psadsub", ["psaddsub", "pssub"]), Some("psaddsub"));
        assert_eq!(nearest("frobnicate", ["cadd", "cmul"]), None);
    }

    #[test]
    fn swapped_neighbours_count_once() {
        assert_eq!(distance("jupmi", "jumpi"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
