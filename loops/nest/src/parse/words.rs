//! Words of the language: types, and what the subset does not have.

use super::cursor::Cursor;
use crate::problems::Wrong;
use crate::token::TokenKind;
use crate::tree::TypeTree;

/// Words of types, and words that stand beside them.
const TYPE_WORDS: [&str; 17] = [
    "int", "long", "short", "unsigned", "signed", "char", "float", "double", "complex", "_Complex",
    "const", "void", "size_t", "static", "restrict", "register", "bool",
];

/// Words of statements that the subset does not have, with what to write instead.
pub(super) const REFUSED: [(&str, &str); 9] = [
    ("while", "a loop counts: `for (int i = 0; i < N; i++)`"),
    ("do", "a loop counts: `for (int i = 0; i < N; i++)`"),
    ("switch", "write `if` with a condition on indices"),
    ("goto", "write `for` and `if`"),
    ("break", "say by the bound of the loop, or by `if`, which indices there are"),
    ("continue", "put what follows into an `if`"),
    ("return", "results are array parameters"),
    ("struct", "give each member an array of its own"),
    ("typedef", "write the type itself"),
];

/// Words of C that the subset does not use, which are no names either.
const OTHER_WORDS: [&str; 22] = [
    "auto",
    "case",
    "default",
    "enum",
    "extern",
    "inline",
    "sizeof",
    "union",
    "volatile",
    "alignas",
    "alignof",
    "constexpr",
    "false",
    "true",
    "nullptr",
    "static_assert",
    "thread_local",
    "typeof",
    "_Bool",
    "_Atomic",
    "_Imaginary",
    "_Generic",
];

pub(super) fn is_type_word(text: &str) -> bool {
    TYPE_WORDS.contains(&text)
}

pub(super) fn is_keyword(text: &str) -> bool {
    is_type_word(text)
        || ["for", "if", "else"].contains(&text)
        || OTHER_WORDS.contains(&text)
        || REFUSED.iter().any(|(word, _)| *word == text)
}

/// Reads the words of a type; returns the type, and whether `const` is among them.
pub(super) fn type_words(cursor: &mut Cursor<'_>) -> Result<(TypeTree, bool), Wrong> {
    let begin = cursor.begin();
    let mut words: Vec<&str> = Vec::new();
    while is_type_word(cursor.token().text) && cursor.token().kind == TokenKind::Word {
        words.push(cursor.next().text);
    }
    let has = |word: &str| words.contains(&word);
    if has("static") {
        let message = "`static` keeps a value from one iteration, and one call, to the next";
        let error = cursor.error("C1108", &cursor.since(begin), message);
        let help = "leave `static` away, or take an array parameter whose elements keep the values";
        return Err(Box::new(error.help(help)));
    }
    let kind = match () {
        () if has("complex") || has("_Complex") => {
            if has("double") {
                let error = cursor.error(
                    "C1105",
                    &cursor.since(begin),
                    "numbers of `double complex` are not part of the subset",
                );
                return Err(Box::new(error.help("write `float complex`")));
            }
            TypeTree::Complex
        }
        () if has("float") => TypeTree::Float,
        () if has("double") && !has("long") => TypeTree::Double,
        () if has("char")
            || has("bool")
            || has("void")
            || has("double")
            || has("short")
            || has("long")
            || has("unsigned")
            || has("size_t") =>
        {
            let message = format!("the type `{}` is not part of the subset", words.join(" "));
            let error = cursor.error("C1105", &cursor.since(begin), message);
            let help =
                "the types are int for sizes and indices, and float, double and float complex";
            return Err(Box::new(error.help(help)));
        }
        () if has("int") || has("signed") => TypeTree::Integer,
        () => {
            return Err(cursor.expected("a type", &["int", "float", "double", "complex", "const"]));
        }
    };
    Ok((kind, has("const")))
}
