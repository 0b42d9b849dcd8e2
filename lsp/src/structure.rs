//! Kernels, labels and regions of a text as its structure, and the kinds of its words as tokens.

use crate::document::Document;
use crate::words::name_of;
use cp2_asm::outline::{OutlineWord, WordKind};
use gen_lsp_types::{DocumentSymbol, Position, SemanticToken, SymbolKind};

/// Names of the kinds of tokens, in the order of their numbers.
pub(crate) const TOKEN_TYPES: [&str; 8] =
    ["comment", "string", "number", "keyword", "function", "parameter", "variable", "label"];

/// Returns the number of the kind of a word among [`TOKEN_TYPES`].
fn token_type(kind: WordKind) -> u32 {
    match kind {
        WordKind::Comment => 0,
        WordKind::Text => 1,
        WordKind::Number => 2,
        WordKind::Directive => 3,
        WordKind::Operation => 4,
        WordKind::Parameter => 5,
        WordKind::Register | WordKind::Virtual => 6,
        WordKind::Symbol => 7,
    }
}

/// Returns the tokens of a text, each placed from the one before.
pub(crate) fn tokens(document: &Document) -> Vec<SemanticToken> {
    let (mut line, mut character) = (0, 0);
    let words = document.words();
    let places = document.places(words.iter().map(|word| word.range.clone()));
    let token = |(word, (place, length)): (&OutlineWord, (Position, u32))| {
        let delta_line = place.line - line;
        let from = if delta_line == 0 { character } else { 0 };
        (line, character) = (place.line, place.character);
        SemanticToken {
            delta_line,
            delta_start: place.character - from,
            length,
            token_type: token_type(word.kind),
            token_modifiers_bitset: 0,
        }
    };
    words.iter().zip(places).map(token).collect()
}

/// Returns the names to which a text gives a meaning, those behind a kernel in it.
#[allow(deprecated, reason = "the type has a field that is written as none")]
pub(crate) fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let text = document.text();
    let mut all: Vec<DocumentSymbol> = Vec::new();
    for word in document.words().iter().filter(|word| word.defines) {
        let line = document.line(document.line_of(word.range.start));
        let (kind, is_kernel) = kind_of(line, word);
        let range = document.range(word.range.clone());
        let symbol = DocumentSymbol {
            name: name_of(text, word).to_owned(),
            detail: Some(line.trim().to_owned()),
            kind,
            tags: None,
            deprecated: None,
            range,
            selection_range: range,
            children: Some(Vec::new()),
        };
        let kernel = all.last_mut().filter(|last| last.kind == SymbolKind::Function && !is_kernel);
        match kernel {
            Some(kernel) => {
                kernel.range.end = range.end;
                kernel.children.get_or_insert_default().push(symbol);
            }
            None => all.push(symbol),
        }
    }
    all
}

/// Returns the kind of the name that a line gives a meaning, and whether it is a kernel.
fn kind_of(line: &str, word: &OutlineWord) -> (SymbolKind, bool) {
    let begin = line.trim_start();
    match () {
        () if word.kind != WordKind::Symbol => (SymbolKind::Method, false),
        () if begin.starts_with(".kernel") => (SymbolKind::Function, true),
        () if begin.starts_with(".equ") => (SymbolKind::Constant, false),
        () if begin.starts_with(".macro") => (SymbolKind::Method, false),
        () if begin.starts_with(".array") => (SymbolKind::Array, false),
        () if begin.starts_with(".arg") => (SymbolKind::Variable, false),
        () => (SymbolKind::Key, false),
    }
}
