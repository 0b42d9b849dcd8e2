//! Words of a text that are names: where each gets its meaning, and where else it stands.

use crate::document::Document;
use cp2_asm::is_symbol_name;
use cp2_asm::outline::{OutlineWord, WordKind};
use gen_lsp_types::{Position, Range};

/// Returns the word at a byte of a text, or that which ends there.
pub(crate) fn word_at(words: &[OutlineWord], byte: usize) -> Option<&OutlineWord> {
    let holds = |word: &&OutlineWord| word.range.contains(&byte);
    words.iter().find(holds).or_else(|| words.iter().find(|word| word.range.end == byte))
}

/// Returns a word as it is written.
pub(crate) fn name_of<'a>(text: &'a str, word: &OutlineWord) -> &'a str {
    &text[word.range.clone()]
}

/// Whether a word is a name that the text gives a meaning: a symbol, or an operation that may be a macro.
pub(crate) fn is_name(word: &OutlineWord) -> bool {
    matches!(word.kind, WordKind::Symbol | WordKind::Operation)
}

/// Places of one name.
pub(crate) struct NamePlaces {
    /// The name as it is written.
    pub(crate) name: String,
    /// Place that was asked for.
    pub(crate) here: Range,
    /// All places, and whether each gives the name its meaning.
    pub(crate) all: Vec<(Range, bool)>,
    /// Whether it is a virtual register.
    pub(crate) is_virtual: bool,
}

/// Returns the places of the name at a place; `None` if there is none. A virtual register is known in its region, where it gets its meaning
/// first; other names are known in the whole text.
pub(crate) fn places(document: &Document, position: Position) -> Option<NamePlaces> {
    let (text, words) = (document.text(), document.words());
    let word = word_at(words, document.byte(position))?;
    let name = name_of(text, word);
    let is_virtual = word.kind == WordKind::Virtual;
    if !is_virtual && !is_name(word) {
        return None;
    }
    let same = |other: &&OutlineWord| {
        let is_kind = match is_virtual {
            true => other.kind == WordKind::Virtual && other.region == word.region,
            false => is_name(other),
        };
        is_kind && name_of(text, other) == name
    };
    let found: Vec<&OutlineWord> = words.iter().filter(same).collect();
    // The operations of the machine are no names of the text.
    if word.kind == WordKind::Operation && !found.iter().any(|other| other.defines) {
        return None;
    }
    let of = |(number, other): (usize, &&OutlineWord)| {
        (document.range(other.range.clone()), other.defines || (is_virtual && number == 0))
    };
    let all = found.iter().enumerate().map(of).collect();
    Some(NamePlaces {
        name: name.to_owned(),
        here: document.range(word.range.clone()),
        all,
        is_virtual,
    })
}

/// Returns the name of a symbol or macro at a place, with the kind of its word; an operation of the machine may stand there too.
pub(crate) fn symbol_at(document: &Document, position: Position) -> Option<(String, WordKind)> {
    let word = word_at(document.words(), document.byte(position)).filter(|word| is_name(word))?;
    Some((name_of(document.text(), word).to_owned(), word.kind))
}

/// Returns the places of a symbol or macro in a text, and whether each gives the name its meaning.
pub(crate) fn symbol_places(document: &Document, name: &str) -> Vec<(Range, bool)> {
    let text = document.text();
    let same = document.words().iter().filter(|word| is_name(word) && name_of(text, word) == name);
    same.map(|word| (document.range(word.range.clone()), word.defines)).collect()
}

/// Whether a text has a symbol or macro of this name.
pub(crate) fn has_name(document: &Document, name: &str) -> bool {
    let mut words = document.words().iter();
    words.any(|word| is_name(word) && name_of(document.text(), word) == name)
}

/// Whether a name stands behind a backslash, as the parameters of macros and repetitions do.
fn is_parameter(text: &str, name: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.split('\\').skip(1).any(|rest| rest.strip_prefix(name).is_some_and(is_end))
}

/// Whether repetitions, macros or included files may name virtual registers in the region of some places.
fn has_made_names(document: &Document, places: &NamePlaces) -> bool {
    let (text, here) = (document.text(), document.byte(places.here.start));
    let begin = text[..here].rfind(".linear").unwrap_or(0);
    let end = text[here..].find(".endlinear").map_or(text.len(), |at| here + at);
    let region = &text[begin..end];
    let is_macro = |word: &OutlineWord| {
        word.kind == WordKind::Operation && cp2_isa::doc::matching(name_of(text, word)).is_empty()
    };
    let mut words = document.words().iter().filter(|word| (begin..end).contains(&word.range.start));
    region.contains(['{', '\\']) || region.contains(".include") || words.any(is_macro)
}

/// Returns the name with which all places of another one can be written anew.
///
/// # Errors
/// A sentence that says why not.
pub(crate) fn new_name(
    document: &Document,
    places: &NamePlaces,
    name: &str,
) -> Result<String, String> {
    if !places.is_virtual && is_parameter(document.text(), &places.name) {
        return Err(format!(
            "`{0}` is a parameter of a macro or a repetition here, written `\\{0}`; rename it by hand",
            places.name
        ));
    }
    if places.is_virtual && has_made_names(document, places) {
        return Err(format!(
            "`{}` stands in a region with names that repetitions, macros or included files make, which may be the same; rename it by hand",
            places.name
        ));
    }
    if !places.all.iter().any(|(_, defines)| *defines) {
        return Err(format!("`{}` gets its meaning in another file; rename it there", places.name));
    }
    let bare = if places.is_virtual { name.trim_start_matches('%') } else { name };
    let is_word = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if (places.is_virtual && !is_word) || (!places.is_virtual && !is_symbol_name(bare)) {
        return Err(format!(
            "`{name}` is no name: letters, digits and `_`, no digit first, and none of a register"
        ));
    }
    let new = if places.is_virtual { format!("%{bare}") } else { bare.to_owned() };
    let text = document.text();
    let is_taken = document.words().iter().any(|word| {
        (is_name(word) || word.kind == WordKind::Virtual) && name_of(text, word) == new
    });
    match is_taken && new != places.name {
        true => Err(format!("`{new}` stands in this text already; take another name")),
        false => Ok(new),
    }
}
