//! Programs of several files: inclusion and global symbols.

use crate::harness::{image, run};
use cp2_asm::{Sources, assemble};

#[test]
fn an_included_file_is_read_where_it_stands() {
    let text = ".include \"head.inc\"\nfill 3\n.include \"tail.inc\"\n; file: head.inc\n.equ n, 2\n.macro fill k\nli0 f1, n + \\k\n.endm\n; file: tail.inc\nstopi n\n";
    let image = image(text);
    assert_eq!(image.kernels[0].words, [0x0b04_0005_0000_0000, 0x0400_0002]);
    assert_eq!(image.files, ["main.s", "head.inc", "tail.inc"]);
    assert_eq!(image.lines[&1].file, 2);
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
fn files_share_global_symbols_and_kernels_only() {
    let text = "\
.kernel a
l:  calli help
    nop
    stopi code
; file: b.s
.global help, code
.equ code, 7
.kernel b
l:  nop
help:
    ret
    nop
    jumpi a
    nop
";
    let image = image(text);
    let words = &image.kernels[0].words;
    assert_eq!((words[0] & 0x1fff, words[2] & 0x1fff), (4, 7));
    assert_eq!(image.symbols.iter().filter(|s| s.name == "l").count(), 2);
    assert_eq!(image.symbol("help"), Some(4));
}

#[test]
fn constants_of_an_earlier_file_decide_repetitions() {
    let text = ".global n\n.equ n, 3\n; file: b.s\n.rept n\nnop\n.endr\n";
    assert_eq!(image(text).kernels[0].words.len(), 3);
}

#[test]
fn data_of_several_files_follow_each_other() {
    let text = "nop\n.lmem all\na: .quad 1\n; file: b.s\n.lmem all\nb: .quad 2\n";
    let image = image(text);
    assert_eq!(image.data[0].words, [1, 2]);
    assert_eq!(image.symbol("b"), Some(1));
}

#[test]
fn the_linters_marks_end_with_their_file() {
    let text = ".kernel a\n.dmabank 1\nnop\n; file: b.s\n.kernel b\nnop\n";
    assert_eq!(image(text).hints.dma_banks.len(), 1);
}
