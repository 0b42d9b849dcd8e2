//! Programs of several files: who includes what. What they share is in `tests/files/language/`.

use crate::harness::{image, run};
use cp2_asm::{Sources, assemble};
use cp2_isa::BundleAddress;

#[test]
fn an_included_file_is_read_where_it_stands() {
    let text = ".include \"head.inc\"\nfill 3\n.include \"tail.inc\"\n; file: head.inc\n.equ n, 2\n.macro fill k\nli0 f1, n + \\k\n.endm\n; file: tail.inc\nstopi n\n";
    let image = image(text);
    assert_eq!(image.kernels[0].words, [0x0b04_0005_0000_0000, 0x0400_0002]);
    assert_eq!(image.files, ["main.s", "head.inc", "tail.inc"]);
    assert_eq!(image.lines[&BundleAddress(1)].file, 2);
}

#[test]
fn the_loader_hears_who_includes() {
    let mut sources = Sources::default();
    let root = sources.add("dir/main.s", ".include \"a/b.inc\"\n");
    let mut asked = Vec::new();
    let mut loader = |from: &str, path: &str| {
        asked.push((from.to_owned(), path.to_owned()));
        let text = if path == "c.inc" { "nop\n" } else { ".include \"c.inc\"\n" };
        Ok((format!("dir/{path}"), text.to_owned()))
    };
    assert!(assemble(&mut sources, &[root], &mut loader).is_ok());
    let asked: Vec<_> = asked.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(asked, [("dir/main.s", "a/b.inc"), ("dir/a/b.inc", "c.inc")]);
    assert_eq!(sources.names().collect::<Vec<_>>(), ["dir/main.s", "dir/a/b.inc", "dir/c.inc"]);
}

#[test]
fn a_file_included_twice_is_one_file() {
    let text = ".rept 2\n.include \"a.inc\"\n.endr\n; file: a.inc\nnop\n";
    let outcome = run(text);
    assert_eq!(outcome.sources.names().collect::<Vec<_>>(), ["main.s", "a.inc"]);
}

#[test]
fn the_linters_marks_end_with_their_file() {
    let text = ".kernel a\n.dmabank 1\nnop\n; file: b.s\n.kernel b\nnop\n";
    assert_eq!(image(text).hints.dma_banks.len(), 1);
}
