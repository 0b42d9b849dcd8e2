//! What the crate prints: the page of operations, their entries, what is wrong with a bundle.

use cp2_isa::doc::{entry, isa_page, matching};
use cp2_isa::{Arith, Citation, Core, Document, Effects, Exch, OperandKind, Row, Undefined};

/// Columns of an entry before the text of a line.
const LABEL: usize = 13;
/// Columns of the text of a line of assignments.
const LONGEST: usize = 100;

fn rows() -> impl Iterator<Item = &'static Row> {
    Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()))
}

fn kind_of(row: &Row, is: impl Fn(OperandKind) -> bool) -> Option<OperandKind> {
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
        let names_extension = text.lines().any(|line| line.starts_with("extension "));
        assert_eq!(names_extension, !row.extension.is_empty(), "{text}");
        assert!(has(&format!("opcode 0x{:02x}", row.code)) && has(row.doc), "{text}");
    }
}

/// Assignments of an example share a line while they fit.
#[test]
fn assignments_fill_their_lines() {
    let mut n_continued = 0;
    for row in rows() {
        let text = entry(row, &Core::CP2);
        let lines: Vec<_> = text.lines().map(|line| line.split_at_checked(LABEL)).collect();
        for pair in lines.windows(2) {
            let [Some((_, line)), Some((label, next))] = pair else { continue };
            let parts: Vec<&str> = next.split("  ").collect();
            if !(line.contains(" = ") && next.contains(" = ") && label.trim().is_empty()) {
                continue;
            }
            n_continued += 1;
            assert!(line.len() + 2 + parts[0].len() > LONGEST, "{line}\n{next}");
        }
        for (_, line) in lines.iter().flatten().filter(|(_, line)| line.contains(" = ")) {
            let is_one = !line.contains("  ");
            assert!(is_one || line.len() <= LONGEST, "{line}");
        }
    }
    assert!(n_continued > 0, "no example has assignments of more than a line");
}

/// Returns the bits that an entry gives an operand, `20:17, 12:0`, as a mask.
fn mask_of(bits: &str) -> u64 {
    let mask = |range: &str| {
        let (high, low) = range.split_once(':').unwrap_or((range, range));
        let number = |text: &str| text.trim().parse::<u32>().unwrap_or(u32::MAX);
        (number(low)..=number(high)).fold(0, |mask, bit| mask | 1u64 << bit)
    };
    bits.split(", ").map(mask).sum()
}

/// Each operand has a line with its bits and whether it is read and written, and an operation without any says so.
#[test]
fn an_entry_tells_the_bits_of_each_operand() {
    for row in rows() {
        let text = entry(row, &Core::CP2);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("  bits ")).collect();
        assert_eq!(lines.len(), row.operands.len(), "{text}");
        assert_eq!(text.contains("operands     none"), row.operands.is_empty(), "{text}");
        for (k, (line, operand)) in lines.iter().zip(row.operands).enumerate() {
            assert_eq!(line.starts_with("operands "), k == 0, "{line}");
            let bits = line.split("  bits ").nth(1).and_then(|rest| rest.split(": ").next());
            let expected = operand.kind.mask() as u64;
            assert_eq!(bits.map(mask_of), Some(expected), "{line}");
            let is_read = operand.is_read();
            let access = match (is_read, operand.write) {
                (true, true) => ", read and written",
                (true, false) => ", read",
                (false, true) => ", written",
                (false, false) => "",
            };
            assert!(line.ends_with(access), "{line}: {access}");
        }
    }
}

/// An operation without results has the word none for its latencies, one with results a distance for each.
#[test]
fn an_entry_tells_latencies_or_that_there_are_none() {
    for row in rows() {
        let text = entry(row, &Core::CP2);
        let has_some = !cp2_isa::doc::latencies(row, &Core::CP2).is_empty();
        assert_eq!(text.contains("latency      none"), !has_some, "{text}");
        let sets_conditions = kind_of(row, |k| matches!(k, OperandKind::Cc(_))).is_some();
        assert_eq!(text.contains("the condition code that is named"), sets_conditions, "{text}");
    }
}

/// An example that the host starts shows, as a line, what the host writes.
#[test]
fn an_example_that_the_host_starts_shows_what_it_writes() {
    let text: String = rows().map(|row| entry(row, &Core::CP2)).collect();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("into the FIFO")).collect();
    let begins = |words: &str| lines.iter().any(|line| line.trim_start().starts_with(words));
    assert!(begins("run     g") || begins("runi    "), "{lines:?}");
}

#[test]
fn a_source_names_its_document_and_sections() {
    let source = Citation { document: Document::Isa, sections: &["4.2", "4.4"] };
    assert_eq!(source.to_string(), format!("{} 4.2, 4.4", Document::Isa.id()));
}

#[test]
fn what_an_operand_cannot_name_is_called_by_its_kind() {
    let beyond = |kind, value, last| Undefined::Beyond("op", kind, value, last).to_string();
    let pair = rows().find_map(|row| kind_of(row, |k| matches!(k, OperandKind::FprPair(_))));
    let single = rows().find_map(|row| kind_of(row, |k| matches!(k, OperandKind::Fpr(_))));
    let half = rows().find_map(|row| kind_of(row, |k| matches!(k, OperandKind::FprHalf(..))));
    let sentences = [
        (pair.map(|kind| beyond(kind, 63, 62)), "the register after f63; the last is f63"),
        (single.map(|kind| beyond(kind, 64, 63)), "`op` uses f64; the last is f63"),
        (half.map(|kind| beyond(kind, 129, 127)), "`op` uses f64; the last is f63"),
        (Some(beyond(OperandKind::Target, 9000, 8191)), "`op` names bundle 9000; the last is 8191"),
        (
            Some(beyond(OperandKind::WordAddress, 9000, 8191)),
            "`op` names word 9000; the last is 8191",
        ),
    ];
    for (found, expected) in sentences {
        let found = found.unwrap_or_default();
        assert!(found.ends_with(expected), "{found}: {expected}");
    }
    let moved = rows().find_map(|row| kind_of(row, |k| matches!(k, OperandKind::MoveReg(..))));
    let found = moved.map(|kind| Undefined::Operand("move", kind, 0x53).to_string());
    let expected = "`move` names register 3 of type 5, which does not exist";
    assert_eq!(found.as_deref(), Some(expected));
    let creg = Undefined::Operand("mfc", OperandKind::Creg, 7).to_string();
    assert_eq!(creg, "`mfc` names control register 7; there are 0 (fcsr) and 1 (fccr)");
}
