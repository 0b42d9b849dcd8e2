//! Names that are written: those of directives, arguments of macros, and the nearest of those that exist.

use super::harness::run;
use cp2_asm::nearest;

#[test]
fn the_nearest_name_is_found_and_distant_ones_are_not() {
    assert_eq!(nearest("camdd", ["cadd", "cmadd", "cmul"]), Some("cmadd"));
    assert_eq!(nearest("CADD", ["cadd", "add"]), Some("cadd"));
    assert_eq!(nearest("psadsub", ["psaddsub", "pssub"]), Some("psaddsub"));
    assert_eq!(nearest("frobnicate", ["cadd", "cmul"]), None);
}

/// A word of two letters may differ by one change.
#[test]
fn swapped_neighbours_count_once() {
    assert_eq!(nearest("ba", ["ab"]), Some("ab"));
    assert_eq!(nearest("cd", ["ab"]), None);
}

#[test]
fn every_listed_directive_is_parsed() {
    let told = run(".frobnicate\n").rendered();
    let (_, list) = told.split_once("the directives are ").expect("a list");
    let names: Vec<&str> = list.trim().split(", ").collect();
    assert!(names.contains(&".equ") && names.contains(&".assign"), "{told}");
    for name in names {
        let told = run(&format!("{name} \n")).rendered();
        assert!(!told.contains("expected a directive") && !told.contains("no directive"), "{told}");
    }
}

/// The words that a macro makes of its arguments; one that is left empty is 7.
#[test]
fn macro_arguments_are_cut_at_commas_outside_brackets() {
    let words = |call: &str| -> Vec<u64> {
        let put = ".macro put a=7, b=7, c=7\n.quad \\a, \\b, \\c\n.endm\n";
        let outcome = run(&format!(".lmem 0\n{put} put {call}\n"));
        let image = outcome.image.as_ref().unwrap_or_else(|| panic!("{}", outcome.rendered()));
        image.data.iter().flat_map(|chunk| chunk.words.clone()).collect()
    };
    assert_eq!(words(""), [7, 7, 7]);
    assert_eq!(words(" 1 , 2"), [1, 2, 7]);
    assert_eq!(words("max(1, 2), (3 + min(4, 5)) ,6"), [2, 7, 6]);
    assert_eq!(words("1,,2"), [1, 7, 2]);
}

#[test]
fn commas_in_braces_and_quotes_do_not_end_a_macro_argument() {
    let is_whole = |text: &str| {
        let outcome = run(text);
        assert!(outcome.image.is_some(), "{}", outcome.rendered());
    };
    is_whole(".macro m list\n.live \\list\n.endm\n m f{1 + max(0, 1)}\n m f{min(1, 2)}\n");
    let told = run(".macro m path\n.include \\path\n.endm\n m \"x, y\"\n").rendered();
    assert!(told.contains("`x, y` cannot be read"), "{told}");
}
