//! The disassembler against objdump: `disassembly.sh` makes the golden file.

use cp2_k64::isa::{Release, decode, disassemble};

/// Rewrites what objdump writes otherwise than the manual.
fn in_our_words(text: &str) -> String {
    let text = text.split(" <").next().unwrap_or_default().trim();
    let text = text.replace(" zero,", " ");
    // A link register of 31 is not written.
    text.replace("jalr ra,", "jalr ").replace("jalr.hb ra,", "jalr.hb ")
}

#[test]
fn every_operation_reads_as_objdump_reads_it() {
    let golden = include_str!("fixtures/disassembly.txt");
    let mut wrong = Vec::new();
    for (i, line) in golden.lines().enumerate() {
        let (word, text) = line.split_once(' ').expect("word and text");
        let word = u32::from_str_radix(word, 16).expect("a word");
        let own = disassemble(word, 4 * i as u64, Release::R2);
        if in_our_words(&own) != in_our_words(text) {
            wrong.push(format!("{word:08x}: {own} | {text}"));
        }
        assert!(decode(word, Release::R2).is_some(), "{line}");
    }
    assert!(golden.lines().count() > 900, "the golden file is short");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
