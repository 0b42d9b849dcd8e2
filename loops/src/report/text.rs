//! Reports as text for people.

use super::rows::{DependenceRow, NestReport, OccurrenceRow, ReasonRow, SharingRows};
use crate::dependence::DependenceKind;
use crate::locality::{ArrayLayout, OccurrenceLocality, SharingTheorem};
use crate::threads::{StorageRule, ThreadStep};
use crate::verify::ThreadCheck;
use cp2_document::width::{ColumnSide, TextTable, wrapped};

/// Returns the report as text: threads, checks, sharing of arrays. `explains` adds why it is so.
pub fn to_text(report: &NestReport, explains: bool) -> String {
    let statements = report.statements.len();
    let plural = if statements == 1 { "" } else { "s" };
    let mut text = format!("{}: {statements} assignment{plural}, ", report.name);
    text += &match report.dimensions {
        0 => "one thread\n".to_owned(),
        1 => "threads in 1 dimension\n".to_owned(),
        count => format!("threads in {count} dimensions\n"),
    };
    if explains {
        text += &explanation(report);
    }
    if let Some(ReasonRow { text: reason, picture }) = &report.reason {
        text += &line(&format!("sequential: {reason}"));
        if let Some(picture) = picture {
            text += &format!("{picture}o comes first, x needs it\n");
        }
    }
    text += &threads_text(report);
    text += &checks_text(report);
    if let Some((index, phases)) = &report.phases {
        text += &line(&format!(
            "in each iteration of {index} there are threads; all of them wait for each other between the parts:"
        ));
        for phase in phases {
            text += &threads_text(phase);
            text += &checks_text(phase);
        }
    }
    if let Some(rows) = &report.sharing {
        text += &sharing_text(rows, explains);
    }
    for (rule, map) in &report.offers {
        let how = match rule {
            StorageRule::Expanded => {
                "with a copy of storage for each iteration (--storage expanded)"
            }
            _ => "with sums in parts, which rounds otherwise (--storage reduced)",
        };
        text += &line(&format!("{how} the threads would be ({map})"));
    }
    text
}

/// Returns the table of threads; that of a nest or part with one thread is empty.
fn threads_text(report: &NestReport) -> String {
    if report.dimensions == 0 {
        return String::new();
    }
    let columns = [("line", ColumnSide::Right), ("thread", ColumnSide::Left)];
    let mut table = TextTable::new(&columns, "assignment");
    for row in &report.statements {
        let thread = format!("({})", row.threads.join(", "));
        table.row(vec![row.line.to_string(), thread], row.text.clone());
    }
    table.text()
}

/// Returns a line, broken to the width of texts.
fn line(text: &str) -> String {
    format!("{}\n", wrapped(text).trim_end())
}

fn checks_text(report: &NestReport) -> String {
    let mut text = String::new();
    for row in &report.checks {
        let ThreadCheck { instances, threads, most, .. } = row.check;
        let parameters = match row.parameters.is_empty() {
            true => "the sizes of the text".to_owned(),
            false => row.parameters.join(", "),
        };
        text += &line(&format!(
            "checked for {parameters}: {instances} instances, {threads} of {most} possible threads"
        ));
    }
    if report.checks.is_empty() {
        text += "not checked: no small parameters were found for which the nest runs\n";
    }
    if report.checks.iter().any(|row| row.check.threads < row.check.most) {
        text += &line(
            "more threads are possible than this map makes; another map, or a loop split by a number of iterations, may make them",
        );
    }
    text
}

fn sharing_text(rows: &SharingRows, explains: bool) -> String {
    let mut text = match rows.axes.first() {
        Some(axis) => format!("neighbouring threads differ in {axis}\n"),
        None => String::new(),
    };
    let columns =
        [("line", ColumnSide::Right), ("class", ColumnSide::Left), ("words", ColumnSide::Right)];
    let mut table = TextTable::new(&columns, "element");
    for row in &rows.occurrences {
        let mut element = row.text.clone();
        if row.is_write {
            element += ", written";
        }
        if row.one.mixes_origins {
            element += ", one address and several origins";
        }
        if explains {
            element += &format!(": {}", class_text(&row.one));
        }
        let (class, words) = (row.one.class.letters().to_owned(), row.one.words.to_string());
        table.row(vec![row.line.to_string(), class, words], element);
    }
    text += &table.text();
    for row in &rows.arrays {
        let mut own = rows.occurrences.iter().filter(|one| one.array == row.name);
        let is_shared = own.all(|one| one.one.class.broadcast.is_some());
        let is_local = |one: &OccurrenceRow| one.array == row.name && one.one.class.is_local;
        // Without instances that were enumerated there are no residues, and nothing is known of addresses.
        if row.layout.residues.is_empty() && rows.occurrences.iter().any(is_local) {
            continue;
        }
        text += &line(&format!("{}: {}", row.name, layout_text(&row.layout, is_shared)));
    }
    text
}

/// Returns why an occurrence has its class.
fn class_text(one: &OccurrenceLocality) -> &'static str {
    match (one.class.letters(), one.class.broadcast) {
        (_, Some(SharingTheorem::SameElement)) => "all threads read one element (theorem 1)",
        (_, Some(SharingTheorem::SameOrigin)) => {
            "all threads read one element that one instance wrote (theorem 2)"
        }
        ("PL", _) => "one thread alone uses it, and neighbours follow each other in memory",
        ("P", _) => "one thread alone uses it",
        ("L", _) => "neighbours follow each other in memory (theorem 3)",
        _ => "neither one element, nor neighbours in memory, nor of one thread",
    }
}

fn layout_text(layout: &ArrayLayout, is_shared: bool) -> String {
    let place = match layout.residues.len() {
        0 if is_shared => "a copy in each section".to_owned(),
        0 => "no occurrence is local; each section gets the elements of its own threads".to_owned(),
        1 => "interleaved over the sections, the last index modulo 4".to_owned(),
        count => format!(
            "{count} residues modulo 4: a copy for each, or neighbouring threads in one section"
        ),
    };
    let address = match (layout.has_one_address, layout.is_written) {
        (true, _) => "one address serves all sections",
        (false, true) => "sections need addresses of their own (extension section-addressing)",
        (false, false) => "sections need addresses of their own",
    };
    format!("{place}; {address}")
}

fn explanation(report: &NestReport) -> String {
    let mut text = String::new();
    let mut told = Vec::new();
    for row in &report.dependences {
        let (what, did) = match row.kind {
            DependenceKind::Flow => ("reads what", "has written"),
            DependenceKind::Anti => ("writes where", "has read"),
            DependenceKind::Output => ("writes where", "has written"),
        };
        let DependenceRow { from, to, array, kind, .. } = row;
        let kind = kind.name();
        let sentence = format!("line {to} {what} line {from} {did}, array {array} ({kind})");
        // Several occurrences of a line may say the same.
        if !told.contains(&sentence) {
            text += &line(&sentence);
            told.push(sentence);
        }
    }
    if report.dependences.is_empty() {
        text += "no instance depends on another one\n";
    }
    let NestReport { room, dimensions, .. } = report;
    let directions = match room {
        1 => "one direction".to_owned(),
        _ => format!("{room} directions"),
    };
    text += &line(&match report.step {
        ThreadStep::OneToOne => format!(
            "instances that depend on no other one extend in {directions}, and a map gives each of them a thread of its own"
        ),
        ThreadStep::Fallback => format!(
            "instances that depend on no other one extend in {directions}, but dependences leave fewer; the map keeps {dimensions} of the indices apart"
        ),
        ThreadStep::Demanded => {
            "a pragma gives the map, and every dependence stays in a thread".to_owned()
        }
        ThreadStep::Sequential if *room == 0 => {
            "instances that depend on no other one are single points".to_owned()
        }
        ThreadStep::Sequential => format!(
            "instances that depend on no other one extend in {directions}, but whatever puts two of them into different threads also parts instances that depend on each other"
        ),
    });
    text
}
