//! Words that may stand at the cursor.

mod edits;
mod operands;

use crate::directives::{DIRECTIVE_FORMS, DirectiveForm, directive_form};
use crate::document::Document;
use crate::words::{is_name, name_of};
use cp2_asm::outline::WordKind;
use cp2_asm::{codes, without_comment};
use cp2_isa::doc::{form, matching};
use cp2_isa::machine::TOGGLES;
use cp2_isa::{Arith, Core, Exch, OperandKind, Row, Slot, condition_name, format_name};
pub(crate) use edits::{place_edit, place_edits};
use gen_lsp_types::{CompletionItem, CompletionItemKind, InsertTextFormat, Position};
use operands::{of_operand, registers};
use std::collections::BTreeSet;

/// Directions of arrays.
const DIRECTIONS: [&str; 3] = ["in", "out", "inout"];

/// A text with the place at which something may stand.
pub(crate) struct Cursor<'a> {
    core: &'a Core,
    document: &'a Document,
    /// Texts that are assembled together with this one.
    others: &'a [(String, Document)],
    /// Byte of the place.
    byte: usize,
    /// Region of linear code, if the place is in one.
    region: Option<usize>,
}

/// Returns what may stand at a place of a text: directives with what is behind them, halves and comparisons behind a dot, virtual
/// registers behind `%`, operations of this core at the begin of a half, else registers and names by the operand.
pub(crate) fn completion(
    core: &Core,
    document: &Document,
    others: &[(String, Document)],
    position: Position,
) -> Vec<CompletionItem> {
    let byte = document.byte(position);
    let before = document.line_before(position);
    if without_comment(before).trim_end() != before.trim_end() {
        return Vec::new();
    }
    let words = document.words();
    let region = words.iter().rfind(|word| word.range.start < byte).and_then(|word| word.region);
    let mut items = Cursor { core, document, others, byte, region }.items(before);
    place_edits(document, position, word_start(before), &mut items);
    // Editors would sort by the words.
    for (number, item) in items.iter_mut().enumerate() {
        item.sort_text = Some(format!("{number:05}"));
    }
    items
}

/// Creates what is offered: a word with its kind, and more about it.
pub(crate) fn item(
    label: &str,
    kind: CompletionItemKind,
    detail: Option<String>,
) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail,
        ..CompletionItem::default()
    }
}

fn keyword(label: &str, detail: Option<&str>) -> CompletionItem {
    item(label, CompletionItemKind::Keyword, detail.map(str::to_owned))
}

/// Returns the place in a line at which the word before its end begins.
fn word_start(before: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = before.rfind(|c| !is_part(c));
    end.map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
}

impl Cursor<'_> {
    fn items(&self, before: &str) -> Vec<CompletionItem> {
        let start = word_start(before);
        let (lead, mark) = (before[..start].trim_end(), before[..start].chars().next_back());
        let inside = before.rsplit_once("@allow(").filter(|(_, rest)| !rest.contains(')'));
        if inside.is_some() {
            return codes_to_allow();
        }
        let predicate = lead.rsplit([':', ' ', '\t']).next().unwrap_or(lead);
        if mark == Some('(') && predicate == "if(" {
            return registers(self.core, "cc");
        }
        match mark {
            Some('.') => self.behind_dot(&before[..start - 1]),
            Some('%') => self.virtual_names(""),
            Some('\\') => self.parameters(),
            // The begin of a text.
            Some('"') => Vec::new(),
            Some('@') => vec![keyword("allow", Some("silences findings at this bundle"))],
            _ => match directive_of(before) {
                Some((form, arguments)) => self.behind_directive(form, arguments),
                None if is_begin(lead) => self.begins(lead),
                None => self.operands(before),
            },
        }
    }

    /// Returns what may stand behind a dot: directives at the begin of a statement, halves of a register, parts of a comparison.
    fn behind_dot(&self, before: &str) -> Vec<CompletionItem> {
        let register = &before[word_start(before)..];
        let is_virtual = before[..before.len() - register.len()].ends_with('%');
        let digits = register.trim_start_matches('f');
        let is_fpr = digits.len() + 1 == register.len()
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit());
        let relation = before.rsplit(['|', ' ', '\t', ')', ':']).next().unwrap_or_default();
        match relation.split_once('.') {
            _ if is_virtual || is_fpr || before.ends_with('}') => {
                vec![
                    keyword("hi", Some("high half: bits 63 to 32")),
                    keyword("lo", Some("low half: bits 31 to 0")),
                ]
            }
            None if relation == "c" => (0..8)
                .map(|code| keyword(condition_name(code), Some("relation of a comparison")))
                .collect(),
            Some(("c", _)) => {
                let all = (0..4).map(format_name);
                all.map(|name| keyword(name, Some("format of a comparison"))).collect()
            }
            _ if before.trim().is_empty() || before.trim_end().ends_with(':') => {
                let all = DIRECTIVE_FORMS.iter();
                all.map(|form| snippet(form.name, form.written, form.meaning)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns what may begin a half: operations, macros, and a predicate at the begin of a bundle.
    fn begins(&self, lead: &str) -> Vec<CompletionItem> {
        let is_right = lead.contains('|');
        let is_predicated = lead.ends_with(')');
        let mut all = self.operations(is_right, lead.contains("if("));
        if !is_right && !is_predicated {
            let about = "a predicate: the bundle works in the sections whose condition code is 1";
            let mut predicate = snippet("if", "if(cc${1:1}) ", about);
            predicate.insert_text = Some("if(cc${1:1}) ".to_owned());
            predicate.insert_text_format = Some(InsertTextFormat::Snippet);
            all.push(predicate);
            all.extend(self.names());
        }
        all
    }

    /// Returns the operations that this core has; behind the bar those of the exchange half, behind a predicate those that obey it.
    fn operations(&self, is_right: bool, is_predicated: bool) -> Vec<CompletionItem> {
        let all = Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()));
        let fits = |row: &&'static Row| {
            (!is_right || row.slot == Slot::Exchange)
                && (!is_predicated || row.obeys(1) || row.name == "nop")
                && self.core.extensions().contains(row.extension)
        };
        let rows: BTreeSet<&'static str> = all.filter(fits).map(|row| row.name).collect();
        let detail = |name: &str| matching(name).first().map(|row| form(row));
        let of = |name: &'static str| item(name, CompletionItemKind::Function, detail(name));
        rows.into_iter().map(of).collect()
    }

    /// Returns what may stand as the operand before the place.
    fn operands(&self, before: &str) -> Vec<CompletionItem> {
        let half = before.rsplit('|').next().unwrap_or(before);
        let half = half
            .rsplit_once(':')
            .filter(|(label, _)| {
                !label.contains([' ', '%', '('])
                    || label.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
            .map_or(half, |(_, rest)| rest);
        let half = half.trim_start();
        let half =
            half.split_once(')').filter(|_| half.starts_with("if")).map_or(half, |(_, rest)| rest);
        let Some((name, rest)) = half.trim_start().split_once([' ', '\t']) else {
            return self.names();
        };
        let number = rest.matches(',').count();
        let is_in_address = rest.rsplit(',').next().is_some_and(|last| last.contains('('));
        let mut all: Vec<CompletionItem> = Vec::new();
        let mut has_names = matching(name).is_empty();
        let has_extension = |row: &&&'static Row| self.core.extensions().contains(row.extension);
        let rows = matching(name);
        for row in rows.iter().filter(has_extension) {
            let written = row.operands.iter().filter(|operand| {
                !matches!(operand.kind, OperandKind::Condition | OperandKind::Format)
            });
            let Some(operand) = written.into_iter().nth(number) else { continue };
            let offered = of_operand(self.core, operand.kind, is_in_address);
            has_names |= offered.has_names;
            if offered.is_fpr && self.region.is_some() {
                all.extend(self.virtual_names("%"));
            }
            all.extend(offered.items);
        }
        if has_names {
            all.extend(self.names());
        }
        let mut known = BTreeSet::new();
        all.retain(|item| known.insert(item.label.clone()));
        all
    }

    fn behind_directive(&self, form: &DirectiveForm, arguments: &str) -> Vec<CompletionItem> {
        let is_first = !arguments.contains(',');
        let last = arguments.rsplit(',').next().unwrap_or_default();
        match form.name {
            "requires" => {
                let all = TOGGLES.iter();
                return all.map(|toggle| keyword(toggle.name, Some(toggle.summary))).collect();
            }
            "allow" => return codes_to_allow(),
            "assign" if is_first => return self.virtual_names("%"),
            // A name of the user's, or of a file.
            "linear" | "kernel" | "macro" | "include" => return Vec::new(),
            "arg" | "array" | "equ" if is_first => return Vec::new(),
            // A key waits for its value.
            _ if last.contains('=') => return self.names(),
            _ => {}
        }
        if form.name == "array" {
            return self.of_array(form, arguments);
        }
        let known = |word: &str| arguments.split(',').any(|part| part.trim().starts_with(word));
        let is_loop = form.name == "loop";
        let mut all = Vec::new();
        if !is_loop || is_first {
            let registers = form.registers.iter().flat_map(|kind| registers(self.core, kind));
            all.extend(registers.filter(|item| !known(&item.label)));
        }
        if !is_loop || !is_first {
            let words = form.words.iter().filter(|word| !known(word));
            all.extend(words.map(|word| keyword(word, None)));
        }
        if (is_loop && is_first) || form.registers.is_empty() {
            all.extend(self.names());
        }
        all
    }

    /// Returns what may stand in `.array`: behind the name the direction, then the type, then sizes and keys.
    fn of_array(&self, form: &DirectiveForm, arguments: &str) -> Vec<CompletionItem> {
        let of = |wanted: &[&str]| wanted.iter().map(|word| keyword(word, None)).collect();
        let mut types = form.words.to_vec();
        types.retain(|word| !word.ends_with('=') && !DIRECTIONS.contains(word));
        let parts: Vec<&str> = arguments.split(',').map(str::trim).collect();
        match parts.len() {
            0 | 1 => Vec::new(),
            2 => of(&DIRECTIONS),
            3 => of(&types),
            _ => {
                let mut all = self.names();
                all.extend(form.registers.iter().flat_map(|kind| registers(self.core, kind)));
                let is_given = |key: &&&str| parts.iter().any(|part| part.starts_with(**key));
                let keys = form.words.iter().filter(|word| word.ends_with('='));
                let keys = keys.filter(|key| !is_given(key));
                all.extend(keys.map(|key| keyword(key, None)));
                all
            }
        }
    }

    /// Returns the virtual registers of the region but for the one that is being written, with a mark before each.
    fn virtual_names(&self, mark: &str) -> Vec<CompletionItem> {
        let words = self.document.words();
        let here =
            |range: &std::ops::Range<usize>| range.start < self.byte && self.byte <= range.end;
        let found = words.iter().filter(|word| {
            !here(&word.range) && word.kind == WordKind::Virtual && word.region == self.region
        });
        let name = |word| name_of(self.document.text(), word).split('.').next().unwrap_or_default();
        let names: BTreeSet<&str> = found.map(|word| name(word).trim_start_matches('%')).collect();
        names
            .into_iter()
            .map(|name| item(&format!("{mark}{name}"), CompletionItemKind::Variable, None))
            .collect()
    }

    /// Returns the names to which this text and those around it give a meaning, but for the one that is being written.
    fn names(&self) -> Vec<CompletionItem> {
        let mut all: BTreeSet<String> = BTreeSet::new();
        let here =
            |range: &std::ops::Range<usize>| range.start < self.byte && self.byte <= range.end;
        let text = self.document.text();
        for word in self.document.words().iter().filter(|word| word.defines && is_name(word)) {
            if !here(&word.range) {
                all.insert(name_of(text, word).to_owned());
            }
        }
        for (_, other) in self.others {
            let words = other.words().iter().filter(|word| word.defines && is_name(word));
            all.extend(words.map(|word| name_of(other.text(), word).to_owned()));
        }
        all.iter().map(|name| item(name, CompletionItemKind::Variable, None)).collect()
    }

    /// Returns the parameters of the macros and repetitions around the place.
    fn parameters(&self) -> Vec<CompletionItem> {
        let mut open: Vec<Vec<&str>> = Vec::new();
        for line in self.document.text()[..self.byte].lines() {
            let code = without_comment(line).trim();
            if let Some(rest) = code.strip_prefix(".macro") {
                let words = rest.split([' ', '\t', ',']).filter(|word| !word.is_empty());
                open.push(words.skip(1).filter_map(|word| word.split('=').next()).collect());
            } else if let Some(rest) = code.strip_prefix(".rept") {
                open.push(rest.split(',').skip(1).map(str::trim).collect());
            } else if [".endm", ".endr"].contains(&code) {
                open.pop();
            }
        }
        let names: BTreeSet<&str> = open.into_iter().flatten().collect();
        names.into_iter().map(|name| item(name, CompletionItemKind::Variable, None)).collect()
    }
}

/// Returns a word with its form and its meaning.
fn snippet(label: &str, written: &str, meaning: &str) -> CompletionItem {
    item(label, CompletionItemKind::Keyword, Some(format!("{written}: {meaning}")))
}

fn codes_to_allow() -> Vec<CompletionItem> {
    let all = codes::all().filter(|row| row.allowable);
    all.map(|row| item(row.code, CompletionItemKind::EnumMember, Some(row.title.to_owned())))
        .collect()
}

/// Returns the directive of a line, with what is written behind it.
fn directive_of(before: &str) -> Option<(&'static DirectiveForm, &str)> {
    let statement = before.rsplit_once(':').map_or(before, |(_, rest)| rest).trim_start();
    let (name, arguments) = statement.strip_prefix('.')?.split_once([' ', '\t'])?;
    Some((directive_form(name)?, arguments))
}

/// Whether an operation may stand behind a text of a line.
fn is_begin(lead: &str) -> bool {
    let is_label = lead.ends_with(':') && !lead.contains('%');
    let is_predicate = lead.ends_with(')')
        && lead.rsplit(':').next().is_some_and(|part| part.trim_start().starts_with("if("));
    lead.is_empty() || is_label || lead.ends_with(['|', ']']) || is_predicate
}
