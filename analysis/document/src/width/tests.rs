//! Texts of random words and tables, which fit their width and lose nothing.

use super::*;
use proptest::prelude::*;

/// Returns the words of a text without the marks of trees.
fn words_of(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Tells whether a line fits, or is a single word behind an indent.
fn is_narrow(line: &str) -> bool {
    columns(line) <= WIDTH || words_of(line).len() == 1
}

proptest! {
    #[test]
    fn every_line_fits_and_no_word_is_lost(text in "( {0,50}|)([a-zé;,:]{1,100} {1,3}|\n){0,40}") {
        let narrow = wrapped(&text);
        prop_assert_eq!(words_of(&narrow), words_of(&text));
        for line in narrow.lines() {
            prop_assert!(is_narrow(line.trim_end()), "{:?}", line);
        }
        prop_assert_eq!(wrapped(&narrow), narrow);
    }

    #[test]
    fn text_that_fits_stays_as_it_is(text in "([a-z ;,]{0,80}\n){0,6}") {
        prop_assert_eq!(wrapped(&text), text);
    }

    #[test]
    fn every_row_fits(
        rows in prop::collection::vec((any::<i64>(), any::<u64>(), "[a-z]{0,12}", "[a-z ,]{0,120}"), 0..8)
    ) {
        let columns = [("a", ColumnSide::Right), ("b", ColumnSide::Right), ("c", ColumnSide::Left)];
        let mut table = TextTable::new(&columns, "last");
        for (a, b, c, last) in &rows {
            table.row(vec![a.to_string(), b.to_string(), c.clone()], last.clone());
            table.note(b.to_string(), last.clone());
        }
        for line in table.text().lines() {
            prop_assert!(super::columns(line) <= WIDTH || last_word_is_long(line), "{:?}", line);
        }
    }

    #[test]
    fn a_command_is_the_same_to_a_shell(command in "([a-z=/.]{1,30}|'[a-z ]{1,30}')( ([a-z=/.]{1,30}|'[a-z ]{1,30}')){0,20}") {
        let narrow = wrapped_command("again: ", &command);
        prop_assert!(narrow.lines().all(|line| columns(line) <= WIDTH), "{}", narrow);
        prop_assert_eq!(narrow.replace(" \\\n    ", " "), format!("again: {command}"));
    }
}

/// Tells whether a line is too long because of its last word alone.
fn last_word_is_long(line: &str) -> bool {
    line.rsplit(' ').next().is_some_and(|word| columns(word) > LEAST)
}

#[test]
fn lines_break_behind_a_semicolon_or_a_comma_before_a_space() {
    let line = "  bound 5685 MOPS at the rates of this channel: 53.1 %; 5698 at those of the table, 6750 at best\n";
    let expected = "  bound 5685 MOPS at the rates of this channel: 53.1 %;\n      5698 at those of the table, 6750 at best\n";
    assert_eq!(wrapped(line), expected);
    let line = format!("{}`ldo f3, (r1)`", "one ".repeat(17));
    assert_eq!(wrapped(&line), format!("{}\n    `ldo f3, (r1)`", "one ".repeat(17).trim_end()));
    let line = format!("{}two, three four", "one ".repeat(17));
    assert_eq!(wrapped(&line), format!("{}two,\n    three four", "one ".repeat(17)));
}

#[test]
fn a_table_has_its_last_texts_beside_or_below() {
    let columns = [("cycles", ColumnSide::Right), ("bound", ColumnSide::Left)];
    let mut table = TextTable::new(&columns, "name");
    table.row(vec!["12".to_owned(), "slot".to_owned()], "loop");
    table.note("3".to_owned(), "in 2 more");
    assert_eq!(table.text(), "cycles  bound  name\n    12  slot   loop\n     3 in 2 more\n");
    table.row(vec!["1".to_owned(), "x".repeat(60)], "a long name");
    let text = table.text();
    assert!(text.contains("\n    12  slot\n        loop\n"), "{text}");
}

#[test]
fn a_row_may_have_more_texts_than_there_are_columns() {
    let mut table = TextTable::new(&[("cycles", ColumnSide::Right)], "name");
    table.row(vec!["12".to_owned(), "slot".to_owned()], "loop");
    table.row(vec!["3".to_owned()], "end");
    assert_eq!(table.text(), "cycles        name\n    12  slot  loop\n     3        end\n");
    let mut table = TextTable::new(&[], "name");
    table.note("3".to_owned(), "in 2 more");
    assert_eq!(table.text(), "   name\n3 in 2 more\n");
}

#[test]
fn numbers_are_rounded_only_where_they_do_not_fit() {
    let columns = ["a"; 9].map(|name| (name, ColumnSide::Right));
    let mut table = TextTable::new(&columns, "name");
    table.row(vec!["1234567".to_owned(); 9], "x");
    assert!(table.text().contains("1234567 1234567"));
    table.row(vec!["-1234567890".to_owned(); 9], "x");
    assert!(table.text().contains("1235k") && table.text().contains("-1235M"), "{}", table.text());
    assert_eq!(
        ["99999", "100000", "+999999", "-"].map(short_number),
        ["99999", "100k", "+1000k", "-"]
    );
}
