//! The worked changes of the book, `specs/src/contributing/`, fit the tree: each page is a patch as well, for `git apply` passes
//! over what stands between the differences. `cargo xtask nightly worked-diffs` applies them and runs their tests.

use super::{files, root};

/// Change of a file at one place.
#[derive(Debug, Default, PartialEq)]
struct Hunk {
    file: String,
    /// The lines that have to stand there, those that are kept and those that go; none of a new file.
    old: Vec<String>,
    /// Number of lines that the change adds.
    added: usize,
}

/// The two numbers of lines in `@@ -1,5 +1,7 @@`.
fn counts(header: &str) -> Option<(usize, usize)> {
    let count = |word: &str| match word.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    let mut words = header.strip_prefix("@@ -")?.split(" @@").next()?.split(" +");
    Some((count(words.next()?)?, count(words.next()?)?))
}

/// The hunks of a page; an error names the line that is no part of one.
fn hunks(page: &str) -> Result<Vec<Hunk>, String> {
    let (mut found, mut file) = (Vec::new(), String::new());
    let mut lines = page.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if let Some(path) = line.strip_prefix("+++ b/") {
            file = path.to_owned();
        }
        let Some((mut old, mut new)) = counts(line) else { continue };
        let mut hunk = Hunk { file: file.clone(), ..Hunk::default() };
        while old + new > 0 {
            let (line, number) = lines.next().ok_or(format!("line {number}: the hunk ends"))?;
            let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            if matches!(sign, " " | "-") {
                hunk.old.push(text.to_owned());
            }
            let left = |n: usize, counts: bool| n.checked_sub(usize::from(counts));
            let known = matches!(sign, " " | "-" | "+");
            match (known, left(old, sign != "+"), left(new, sign != "-")) {
                (true, Some(o), Some(n)) => (old, new) = (o, n),
                _ => return Err(format!("line {number}: `{line}` is no line of this hunk")),
            }
            hunk.added += usize::from(sign == "+");
        }
        found.push(hunk);
    }
    Ok(found)
}

/// At how many places of a text these lines stand one behind the other.
fn places(text: &str, wanted: &[String]) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(wanted.len()).filter(|window| *window == wanted).count()
}

#[test]
fn worked_changes_fit_the_tree() {
    const ADVICE: &str = "`cargo xtask bless worked` takes the differences anew";
    let mut pages = Vec::new();
    files(&root().join("specs/src/contributing"), ".md", &mut pages);
    assert!(pages.len() >= 3, "{pages:?}");
    for page in pages {
        let name = page.file_name().unwrap_or_default().display();
        let text = std::fs::read_to_string(&page).expect("UTF-8");
        let hunks = hunks(&text).unwrap_or_else(|wrong| panic!("{name}, {wrong}"));
        assert!(hunks.iter().any(|hunk| hunk.added > 0), "{name} changes nothing");
        for hunk in hunks {
            let path = root().join(&hunk.file);
            if hunk.old.is_empty() {
                assert!(!path.exists(), "{name}: {} is there already; {ADVICE}", hunk.file);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let n = places(&text, &hunk.old);
            let old = hunk.old.join("\n");
            assert!(n > 0, "{name}: {} has not these lines; {ADVICE}:\n{old}", hunk.file);
        }
    }
}

#[test]
fn hunks_are_read_out_of_a_page() {
    let page = "Text.\n```diff\n--- a/x.rs\n+++ b/x.rs\n@@ -1,3 +1,3 @@ fn f\n a\n-b\n+c\n\n```\n- a list\n";
    let hunk =
        Hunk { file: "x.rs".to_owned(), old: ["a", "b", ""].map(str::to_owned).into(), added: 1 };
    assert_eq!(hunks(page), Ok(vec![hunk]));
    assert_eq!(places("a\nb\n\nb\n", &["b".to_owned()]), 2);
    let short = hunks("+++ b/x.rs\n@@ -1 +1,2 @@\n a\n```\n").expect_err("one line is missing");
    assert_eq!(short, "line 4: ````` is no line of this hunk");
}
