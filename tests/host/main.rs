//! Native code of the fast engine for pairs of bundles, in numbers of instructions: a slower translation is seen in review.
//! The numbers are the same on every native machine. `CP2_BLESS=1` writes what was found in place of what was expected.

use cp2_fast::{HostCode, NativeIsa};
use cp2_isa::Core;
use std::path::Path;

/// Number of pairs at least.
const LEAST: usize = 30;

/// Returns the numbers of a pair of bundles for an instruction set.
fn told(name: &str, bundles: &str, native_isa: NativeIsa) -> String {
    let text = format!("        .kernel pair\n{bundles}");
    let image = cp2_asm::assemble_str(name, &text).unwrap_or_else(|e| panic!("{e}"));
    let words = &image.kernels[0].words;
    assert_eq!(words.len(), 2, "{name}: a pair");
    let name_of_isa = match native_isa {
        NativeIsa::Avx2 => "AVX2",
        NativeIsa::Avx512 => "AVX-512",
    };
    let code = HostCode::of(&Core::CP2, words, native_isa).expect("a loop");
    let number = |n: Option<usize>| n.map_or("not translated".to_owned(), |n| n.to_string());
    let HostCode { once, unrolled } = code;
    format!("    = {name_of_isa}: {} once, {} unrolled\n", number(once), number(unrolled))
}

/// Returns a paragraph with the numbers that are found; those of comments as they are.
fn renewed(paragraph: &str) -> String {
    if paragraph.starts_with('#') {
        return paragraph.to_owned();
    }
    let lines = paragraph.lines().filter(|line| !line.trim_start().starts_with('='));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let (name, bundles) = text.split_once('\n').expect("a name, then bundles");
    let numbers = [NativeIsa::Avx2, NativeIsa::Avx512].map(|isa| told(name, bundles, isa));
    text.clone() + &numbers.concat()
}

#[test]
fn pairs_of_bundles_take_as_many_native_instructions_as_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("host/pairs.txt");
    let expected = std::fs::read_to_string(&path).expect("UTF-8");
    let paragraphs = expected.trim_end().split("\n\n");
    let found: Vec<_> =
        paragraphs.map(|paragraph| renewed(paragraph).trim_end().to_owned()).collect();
    assert!(found.len() > LEAST, "{} pairs", found.len() - 1);
    let found = found.join("\n\n") + "\n";
    if std::env::var_os("CP2_BLESS").is_some() {
        std::fs::write(&path, found).expect("a writable file");
        return;
    }
    for (expected, found) in expected.lines().zip(found.lines()) {
        assert_eq!(expected, found, "`cargo xtask bless host` accepts it");
    }
    assert_eq!(expected.lines().count(), found.lines().count());
}
