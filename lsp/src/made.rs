//! Names with holes, which repetitions, macros and braces fill: `%a{\k}`, `last\k`.

use cp2_asm::is_symbol_name;
use cp2_asm::outline::{OutlineWord, WordKind};
use cp2_asm::without_comment;
use std::ops::Range;

/// Name with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MadeName {
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
    /// Texts before, between and behind the holes; at least one is not empty.
    parts: Vec<String>,
    /// Whether a number stands in each hole: that of braces, or the count of a repetition.
    numbers: Vec<bool>,
    /// Kind of the name: a virtual register, a symbol, or an operation, which may be a macro.
    pub(crate) kind: WordKind,
    /// Whether the line gives the name its meaning.
    pub(crate) defines: bool,
    /// Region of linear code in which it stands, as that of a word.
    pub(crate) region: Option<usize>,
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a text is made of these parts, with a number in the holes for numbers and a character or more of a name in the others.
fn fits(parts: &[String], numbers: &[bool], text: &str) -> bool {
    let Some((first, rest)) = parts.split_first() else { return text.is_empty() };
    let Some(text) = text.strip_prefix(first.as_str()) else { return false };
    let Some((is_number, numbers)) = numbers.split_first() else { return text.is_empty() };
    let is_inside = |c: char| if *is_number { c.is_ascii_digit() } else { is_part(c) };
    let inside = text.char_indices().take_while(|(_, c)| is_inside(*c));
    inside.map(|(at, c)| at + c.len_utf8()).any(|end| fits(rest, numbers, &text[end..]))
}

impl MadeName {
    pub(crate) fn is_virtual(&self) -> bool {
        self.kind == WordKind::Virtual
    }

    /// Whether the name may become this one.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let name = if self.is_virtual() { name.split('.').next().unwrap_or(name) } else { name };
        fits(&self.parts, &self.numbers, name)
    }

    /// Whether another name is written with the same text around its holes.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// Returns the bytes of a hole at the begin of a text: `\NAME`, or braces with what is in them; 0 if there is none.
fn hole(rest: &str) -> usize {
    match rest.as_bytes().first() {
        Some(b'\\') => 1 + rest[1..].find(|c| !is_part(c)).unwrap_or(rest.len() - 1),
        Some(b'{') => rest.find('}').map_or(0, |end| end + 1),
        _ => 0,
    }
}

/// Parts of a name, and whether a number stands in each hole between them.
type Parts = (Vec<String>, Vec<bool>);

/// Returns bytes and parts of the name at the begin of a text; nothing if it is empty. `counts` are the counts of the repetitions around it.
fn name_at(rest: &str, counts: &[Vec<&str>]) -> (usize, Parts) {
    let mut at = usize::from(rest.starts_with('%'));
    let (mut parts, mut numbers) = (vec![rest[..at].to_owned()], Vec::new());
    loop {
        let word = rest[at..].find(|c| !is_part(c)).unwrap_or(rest.len() - at);
        if let Some(last) = parts.last_mut() {
            last.push_str(&rest[at..at + word]);
        }
        at += word;
        match hole(&rest[at..]) {
            0 => return (at, (parts, numbers)),
            bytes => {
                let name = rest[at..at + bytes].strip_prefix('\\');
                let is_count = |name| counts.iter().flatten().any(|count| *count == name);
                numbers.push(name.is_none_or(is_count));
                at += bytes;
                parts.push(String::new());
            }
        }
    }
}

/// Returns the names with holes of a text with these words.
pub(crate) fn made_names(text: &str, words: &[OutlineWord]) -> Vec<MadeName> {
    let (mut all, mut start) = (Vec::new(), 0);
    // Counts of the repetitions that are open.
    let mut counts: Vec<Vec<&str>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        if !line.contains(['\\', '{', '.']) {
            continue;
        }
        let code = without_comment(line);
        if let Some((_, rest)) = code.split_once(".rept") {
            counts.push(rest.split(',').skip(1).map(str::trim).collect());
        } else if code.trim() == ".endr" {
            counts.pop();
        }
        if !code.contains(['\\', '{']) {
            continue;
        }
        let mut at = 0;
        while let Some(next) = code[at..].find(|c| is_part(c) || "%\\{".contains(c)) {
            at += next;
            let (bytes, parts) = name_at(&code[at..], &counts);
            let range = begin + at..begin + at + bytes;
            at += bytes.max(1);
            let is_bare = parts.0.iter().all(|part| part.trim_start_matches('%').is_empty());
            if parts.1.is_empty() || is_bare {
                continue;
            }
            all.extend(of_words(range, parts, (words, code[at..].trim_start().starts_with(':'))));
        }
    }
    all
}

/// Returns the name of some bytes, by the words that stand there; `None` of a register of the machine and of a number.
fn of_words(
    range: Range<usize>,
    (parts, numbers): Parts,
    (words, is_before_colon): (&[OutlineWord], bool),
) -> Option<MadeName> {
    let first = words.partition_point(|word| word.range.end <= range.start);
    let inside = words[first..].iter().take_while(|word| word.range.start < range.end);
    let inside: Vec<&OutlineWord> = inside.collect();
    let word = inside.first()?;
    if word.kind != WordKind::Virtual && !is_symbol_name(&parts.join("0")) {
        return None;
    }
    let kind = match word.kind {
        WordKind::Virtual => WordKind::Virtual,
        WordKind::Operation if !is_before_colon => WordKind::Operation,
        _ => WordKind::Symbol,
    };
    let defines =
        inside.iter().any(|word| word.defines) || (is_before_colon && kind == WordKind::Symbol);
    Some(MadeName { range, parts, numbers, kind, defines, region: word.region })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_asm::outline::outline;

    fn made(text: &str) -> Vec<(String, WordKind, bool)> {
        let all = made_names(text, &outline(text));
        all.into_iter().map(|made| (text[made.range].to_owned(), made.kind, made.defines)).collect()
    }

    #[test]
    fn names_with_holes_are_found_with_their_kinds() {
        let text = "l\\k: psadd %a{\\k + 1}, f{n}, %b ; x\\y\n jump l\\k\n \\op f1, f2\n add\\k f1\n %\\x\n";
        let told = made(text);
        let told: Vec<(&str, WordKind, bool)> =
            told.iter().map(|(name, kind, defines)| (&**name, *kind, *defines)).collect();
        let (symbol, operation) = (WordKind::Symbol, WordKind::Operation);
        let expected = [
            ("l\\k", symbol, true),
            ("%a{\\k + 1}", WordKind::Virtual, false),
            ("l\\k", symbol, false),
            ("add\\k", operation, false),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn names_with_holes_become_others() {
        let text = "%a{\\k}_{j}x\n";
        let all = made_names(text, &outline(text));
        let is = |name: &str| all[0].matches(name);
        assert!(is("%a0_1x") && is("%a1_22x.hi"));
        assert!(!is("%a0_1") && !is("%a_1x") && !is("%b0_1x") && !is("%ab_1x"));
        let text = ".macro m x\nl\\x: nop\n.rept 2, k\nl\\k: nop\n.endr\nl\\k: nop\n";
        let all = made_names(text, &outline(text));
        let may_be_last: Vec<bool> = all.iter().map(|made| made.matches("last")).collect();
        assert_eq!(may_be_last, [true, false, true], "a repetition counts");
    }
}
