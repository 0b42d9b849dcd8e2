//! How comments of items begin: with what the item is or does, so that it is understood by whoever sees it alone.

use super::{root, sources};

/// Words that refer to something which stands elsewhere, or ask for it, in place of its name.
#[rustfmt::skip]
const FORBIDDEN: [&str; 34] = [
    "It", "Its", "They", "Their", "Them", "Those", "That", "This", "These", "Whose", "Who", "Whoever", "What", "Whatever",
    "Which", "Whichever", "Where", "Wherever", "When", "Whenever", "How", "Why", "One", "Of", "Others", "Another", "So", "As",
    "Nothing", "None", "Something", "Nobody", "Everything", "Same",
];

/// Returns the number of the line and the text of the first line of every comment of an item. That of a test is left out:
/// it says in a sentence what holds, in addition to the name.
fn beginnings(text: &str) -> Vec<(usize, &str)> {
    let comment = |line: &'_ str| line.trim_start().starts_with("///");
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for blocks in (0..lines.len())
        .collect::<Vec<_>>()
        .chunk_by(|&a, &b| comment(lines[a]) == comment(lines[b]))
    {
        let (first, behind) = (blocks[0], blocks[0] + blocks.len());
        let is_test = lines.get(behind).is_some_and(|line| line.trim() == "#[test]");
        if comment(lines[first]) && !is_test {
            found.push((first + 1, lines[first].trim_start().trim_start_matches('/').trim_start()));
        }
    }
    found
}

/// Whether a comment begins with one of the words, an article aside.
fn is_riddle(comment: &str) -> bool {
    let words = comment.strip_prefix("The same").map_or(comment, |_| "Same");
    let first = words.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    FORBIDDEN.contains(&first)
}

#[test]
fn comments_of_items_begin_with_what_the_item_is() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (line, comment) in
            beginnings(&text).into_iter().filter(|(_, comment)| is_riddle(comment))
        {
            let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            found.push(format!("{name}:{line}: {comment}"));
        }
    }
    assert!(
        found.is_empty(),
        "{} comments begin with a word that refers to something else; name the thing:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn riddles_are_recognised() {
    let text = "/// What it is.\n/// More.\nfn a() {}\n    /// The same of a row.\n    b: u8,\n/// Bank of a word.\nc\n/// One way.\n#[test]\n";
    let all = beginnings(text).into_iter().map(|(line, comment)| (line, is_riddle(comment)));
    assert_eq!(all.collect::<Vec<_>>(), [(1, true), (4, true), (6, false)]);
}
