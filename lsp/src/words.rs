//! Words of a text that are names: where each gets its meaning, and where else it stands.

use crate::document::Document;
use crate::made::MadeName;
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
    /// The first name with holes that may be this one, with its line, from 1.
    pub(crate) made: Option<(String, usize)>,
}

/// Word of a text that was asked for: one with holes, or one as it is written.
enum AskedName<'a> {
    Made(&'a MadeName),
    Plain { name: &'a str, is_virtual: bool, region: Option<usize> },
}

impl AskedName<'_> {
    fn is_virtual(&self) -> bool {
        match self {
            Self::Made(made) => made.is_virtual(),
            Self::Plain { is_virtual, .. } => *is_virtual,
        }
    }

    fn region(&self) -> Option<usize> {
        match self {
            Self::Made(made) => made.region,
            Self::Plain { region, .. } => *region,
        }
    }

    /// Whether a word as it is written may be this name.
    fn is_word(&self, (kind, other): (WordKind, &str)) -> bool {
        match self {
            Self::Made(made) => {
                let is_of_machine =
                    kind == WordKind::Operation && !cp2_isa::doc::matching(other).is_empty();
                made.matches(other) && !is_of_machine
            }
            Self::Plain { name, .. } => *name == other,
        }
    }

    /// Whether a name with holes may be this one.
    fn is_made(&self, other: &MadeName) -> bool {
        match self {
            Self::Made(made) => made.is_like(other),
            Self::Plain { name, .. } => other.matches(name),
        }
    }
}

/// Returns the word at a place that may be a name, with its bytes.
fn asked_at(document: &Document, byte: usize) -> Option<(AskedName<'_>, std::ops::Range<usize>)> {
    if let Some(made) = document.made_at(byte) {
        return Some((AskedName::Made(made), made.range.clone()));
    }
    let word = word_at(document.words(), byte)?;
    let is_virtual = word.kind == WordKind::Virtual;
    if !is_virtual && !is_name(word) {
        return None;
    }
    let name = name_of(document.text(), word);
    // The operations of the machine are no names of the text.
    let is_defined = |other: &OutlineWord| other.defines && name_of(document.text(), other) == name;
    let is_of_machine =
        word.kind == WordKind::Operation && !cp2_isa::doc::matching(name).is_empty();
    if is_of_machine && !document.words().iter().any(is_defined) {
        return None;
    }
    Some((AskedName::Plain { name, is_virtual, region: word.region }, word.range.clone()))
}

/// Returns the places of the name at a place, with those of names with holes that may be the same; `None` if there is none. A virtual register
/// is known in its region, where it gets its meaning first; other names are known in the whole text, or in the case of a file test.
pub(crate) fn places(document: &Document, position: Position) -> Option<NamePlaces> {
    let (text, byte) = (document.text(), document.byte(position));
    let (asked, here) = asked_at(document, byte)?;
    let is_virtual = asked.is_virtual();
    let is_scope = |range: &std::ops::Range<usize>, region: Option<usize>| match is_virtual {
        true => region == asked.region(),
        false => document.are_together(byte, range.start),
    };
    let is_kind = |kind: WordKind| match is_virtual {
        true => kind == WordKind::Virtual,
        false => matches!(kind, WordKind::Symbol | WordKind::Operation),
    };
    let words = document.words().iter().filter(|other| {
        is_kind(other.kind)
            && is_scope(&other.range, other.region)
            && document.made_at(other.range.start).is_none()
            && asked.is_word((other.kind, name_of(text, other)))
    });
    let made = document.made().iter().filter(|other| {
        is_kind(other.kind) && is_scope(&other.range, other.region) && asked.is_made(other)
    });
    let first_made = made.clone().next();
    let first_made = first_made
        .map(|made| (text[made.range.clone()].to_owned(), document.line_of(made.range.start) + 1));
    let mut found: Vec<(std::ops::Range<usize>, bool)> =
        words.clone().map(|word| (word.range.clone(), word.defines)).collect();
    found.extend(made.map(|made| (made.range.clone(), made.defines)));
    found.sort_by_key(|(range, _)| range.start);
    // The operations of the machine are no names of the text.
    let is_operation = words.clone().any(|word| word.kind == WordKind::Operation);
    if is_operation && !is_virtual && !found.iter().any(|(_, defines)| *defines) {
        return None;
    }
    let of = |(number, (range, defines)): (usize, (std::ops::Range<usize>, bool))| {
        (document.range(range), defines || (is_virtual && number == 0))
    };
    Some(NamePlaces {
        name: text[here.clone()].to_owned(),
        here: document.range(here),
        all: found.into_iter().enumerate().map(of).collect(),
        is_virtual,
        made: first_made,
    })
}

/// Returns the name of a symbol or macro at a place, with the kind of its word; an operation of the machine may stand there too.
pub(crate) fn symbol_at(document: &Document, position: Position) -> Option<(String, WordKind)> {
    let byte = document.byte(position);
    let word = word_at(document.words(), byte).filter(|word| is_name(word))?;
    let is_whole = document.made_at(byte).is_none();
    is_whole.then(|| (name_of(document.text(), word).to_owned(), word.kind))
}

/// Returns the places of a symbol or macro in a text that knows it from elsewhere, and whether each gives the name its meaning.
pub(crate) fn symbol_places(document: &Document, name: &str) -> Vec<(Range, bool)> {
    let text = document.text();
    let same = document.words().iter().filter(|word| {
        is_name(word) && name_of(text, word) == name && document.made_at(word.range.start).is_none()
    });
    let mut all: Vec<_> = same.map(|word| (word.range.clone(), word.defines)).collect();
    let made = document.made().iter().filter(|made| !made.is_virtual() && made.matches(name));
    all.extend(made.map(|made| (made.range.clone(), made.defines)));
    all.sort_by_key(|(range, _)| range.start);
    all.into_iter().map(|(range, defines)| (document.range(range), defines)).collect()
}

/// Whether a text has a symbol or macro of this name, or makes one that may be it.
pub(crate) fn has_name(document: &Document, name: &str) -> bool {
    !symbol_places(document, name).is_empty()
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
    let text = document.text();
    if let Some((made, line)) = places.made.as_ref().filter(|_| !places.is_virtual) {
        return Err(match *made == places.name {
            true => format!("`{made}` stands for several names; rename them by hand"),
            false => format!(
                "`{}` may be one of the names that `{made}` in line {line} makes; rename it by hand",
                places.name
            ),
        });
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
    let at = document.byte(places.here.start);
    let made = document.made().iter().find(|made| {
        made.is_virtual() == places.is_virtual
            && made.matches(&new)
            && (places.is_virtual || document.are_together(at, made.range.start))
    });
    if let Some(made) = made {
        return Err(format!(
            "`{new}` may be one of the names that `{}` in line {} makes; take another name",
            &text[made.range.clone()],
            document.line_of(made.range.start) + 1
        ));
    }
    let is_taken = document.words().iter().any(|word| {
        (is_name(word) || word.kind == WordKind::Virtual)
            && document.are_together(at, word.range.start)
            && name_of(text, word) == new
    });
    match is_taken && new != places.name {
        true => Err(format!("`{new}` stands in this text already; take another name")),
        false => Ok(new),
    }
}
