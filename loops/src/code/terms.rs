//! Texts of sums, of functions of several values, and of names in their order.

/// Returns texts in the order of their places.
pub(super) fn in_order(mut all: Vec<(usize, String)>) -> Vec<String> {
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, text)| text).collect()
}

/// Returns the value of a function of two values over all texts; a scan has one text or more.
pub(super) fn folded(function: &str, texts: impl Iterator<Item = String>) -> String {
    texts.reduce(|all, next| format!("{function}({all}, {next})")).unwrap_or_default()
}

/// Returns a sum of terms and a number, what is added first.
pub(super) fn sum(terms: &[(i64, String)], constant: i64) -> String {
    let mut text = String::new();
    let ordered = terms.iter().filter(|(number, _)| *number > 0);
    let ordered = ordered.chain(terms.iter().filter(|(number, _)| *number < 0));
    let constant = (constant != 0).then(|| (constant, String::new()));
    for (number, name) in ordered.cloned().chain(constant) {
        let sign = match (text.is_empty(), number < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = number.unsigned_abs();
        text += sign;
        text += &match (size, name.is_empty()) {
            (_, true) => size.to_string(),
            (1, false) => name,
            _ => format!("{size}*{name}"),
        };
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
