//! What the crate prints: the page of operations, their entries, names of machines, what is wrong with a bundle.

use cp2_isa::doc::{entry, isa_page, matching};
use cp2_isa::machine::Key;
use cp2_isa::{Arith, Core, Document, Effects, Exch, Kind, MachineConfig, Row, Source, Undefined};

/// Columns of the longest line of an entry: those before the text, and two assignments of the usual length.
const LONGEST_LINE: usize = 130;

fn rows() -> impl Iterator<Item = &'static Row> {
    Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()))
}

fn kind_of(row: &Row, is: impl Fn(Kind) -> bool) -> Option<Kind> {
    row.operands.iter().map(|operand| operand.kind).find(|&kind| is(kind))
}

#[test]
fn the_page_of_operations_is_the_one_that_was_made() {
    let page = isa_page(&Core::CP2);
    assert!(page == include_str!("../../specs/src/isa.md"), "cp2 isa > specs/src/isa.md");
}

#[test]
fn a_mnemonic_means_its_rows() {
    let names = |name| matching(name).iter().map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names("c.lt.s"), ["c"]);
    assert_eq!(names("NOP"), ["nop", "nop"]);
    assert!(names("psprmsgn").len() > 1);
    assert!(names("no such operation").is_empty());
    for row in rows() {
        assert!(names(row.name).contains(&row.name), "{}", row.name);
    }
}

#[test]
fn an_entry_tells_what_the_row_has() {
    for row in rows() {
        let text = entry(row, &Core::CP2);
        let has = |words: &str| text.contains(words);
        let zeroes = row.effects.contains(Effects::ZEROES);
        let keeps = row.effects.contains(Effects::PREDICATED) && !zeroes;
        assert_eq!(has("get zeros and keep their address"), zeroes, "{text}");
        assert_eq!(has("is 0 keep what they have"), keeps, "{text}");
        assert!(has(&format!("opcode 0x{:02x}", row.code)) && has(row.doc), "{text}");
        for line in text.lines().filter(|line| line.contains(" = ")) {
            assert!(line.chars().count() <= LONGEST_LINE, "{line}");
        }
    }
}

/// What starts a run in an example stands there as a line.
#[test]
fn an_example_that_the_host_starts_shows_what_it_writes() {
    let text: String = rows().map(|row| entry(row, &Core::CP2)).collect();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("into the FIFO")).collect();
    let begins = |words: &str| lines.iter().any(|line| line.trim_start().starts_with(words));
    assert!(begins("run     g") || begins("runi    "), "{lines:?}");
}

#[test]
fn a_source_names_its_document_and_sections() {
    let source = Source { document: Document::Isa, sections: &["4.2", "4.4"] };
    assert_eq!(source.to_string(), format!("{} 4.2, 4.4", Document::Isa.id()));
}

#[test]
fn what_an_operand_cannot_name_is_called_by_its_kind() {
    let beyond = |kind, value, last| Undefined::Beyond("op", kind, value, last).to_string();
    let pair = rows().find_map(|row| kind_of(row, |k| matches!(k, Kind::FprPair(_))));
    let single = rows().find_map(|row| kind_of(row, |k| matches!(k, Kind::Fpr(_))));
    let half = rows().find_map(|row| kind_of(row, |k| matches!(k, Kind::FprHalf(..))));
    let sentences = [
        (pair.map(|kind| beyond(kind, 63, 62)), "the register after f63, and f63 is the last"),
        (single.map(|kind| beyond(kind, 64, 63)), "`op` of f64, and f63 is the last"),
        (half.map(|kind| beyond(kind, 129, 127)), "`op` of f64, and f63 is the last"),
        (Some(beyond(Kind::Target, 9000, 8191)), "`op` of bundle 9000, and 8191 is the last"),
        (Some(beyond(Kind::WordAddress, 9000, 8191)), "`op` of word 9000, and 8191 is the last"),
    ];
    for (found, expected) in sentences {
        let found = found.unwrap_or_default();
        assert!(found.ends_with(expected), "{found}: {expected}");
    }
    let moved = rows().find_map(|row| kind_of(row, |k| matches!(k, Kind::MoveReg(..))));
    let found = moved.map(|kind| Undefined::Operand("move", kind, 0x53).to_string());
    let expected = "`move` of register 3 of type 5, which does not exist";
    assert_eq!(found.as_deref(), Some(expected));
    let creg = Undefined::Operand("mfc", Kind::Creg, 7).to_string();
    assert_eq!(creg, "`mfc` of control register 7; there are 0 (fcsr) and 1 (fccr)");
}

#[test]
fn a_machine_is_called_by_its_name() {
    for name in ["vm7", "vm9-1000-600"] {
        let config = MachineConfig::preset(name);
        assert_eq!(config.as_ref().map(MachineConfig::name).unwrap_or_default(), name);
    }
}

#[test]
fn a_section_that_no_file_has_is_answered_with_those_that_there_are() {
    let problem = MachineConfig::parse("name = \"a\"\n[strange]\nx = 1\n").err();
    let problem = problem.map(|problem| problem.to_string()).unwrap_or_default();
    let sections = Key::sections().join(", ");
    assert!(
        problem.contains(&format!("strange is no section; the sections are {sections}")),
        "{problem}"
    );
}

/// The numbers of the core are those that a core is made of, and its extensions.
#[test]
fn keys_belong_to_what_is_made_of_them() {
    let of_core = Core::CP2.numbers().with_keys().map(|(key, _)| key);
    for key in Key::ALL {
        let is_of_core = of_core.contains(&key) || key.extension().is_some();
        assert_eq!(key.is_of_core(), is_of_core, "{key}");
        assert_eq!(key.is_of_control(), key.to_string().starts_with("control."), "{key}");
    }
}
