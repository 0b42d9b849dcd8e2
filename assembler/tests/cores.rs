//! Limits of cores other than CP2 in the assembler and the linter, each with its neighbour that is
//! still allowed.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::{Assembled, Options, Sources, assemble_regions};
use cp2_isa::{Core, CoreNumbers};
use cp2_lint as lint;

fn small() -> Core {
    let numbers = CoreNumbers {
        fprs: 16,
        local_memory_words: 1024,
        instruction_memory_bundles: 64,
        loop_stack: 2,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).unwrap()
}

fn assemble(core: Core, text: &str) -> Result<Assembled, Vec<(&'static str, String)>> {
    let mut sources = Sources::default();
    let root = sources.add("text.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    assemble_regions(&mut sources, &[root], &mut none, options)
        .map_err(|all| all.into_iter().map(|d| (d.code, d.message)).collect())
}

/// The first complaint about a text on the small core, which CP2 has no complaint about.
fn refused(text: &str) -> (&'static str, String) {
    assert!(assemble(Core::CP2, text).is_ok(), "{text}");
    assemble(small(), text).unwrap_err().remove(0)
}

#[test]
fn instruction_memory_ends_where_that_of_the_core_does() {
    assert!(assemble(small(), ".rept 64\n nop\n.endr\n").is_ok());
    let (code, message) = refused(".rept 65\n nop\n.endr\n");
    assert_eq!(code, "C0413");
    assert!(message.contains("has 64 bundles"), "{message}");
}

#[test]
fn local_memory_ends_where_that_of_the_core_does() {
    assert!(assemble(small(), " nop\n.lmem all\n .zero 1024\n").is_ok());
    let (code, message) = refused(" nop\n.lmem all\n .zero 1025\n");
    assert_eq!(code, "C0414");
    assert!(message.contains("has 1024 words"), "{message}");
}

#[test]
fn registers_end_where_those_of_the_core_do() {
    assert!(assemble(small(), " psadd f15, f1, f2\n").is_ok());
    refused(" psadd f16, f1, f2\n");
    assert!(assemble(small(), ".linear\n psadd f15, f1, f2\n.endlinear\n").is_ok());
    refused(".linear\n psadd f16, f1, f2\n.endlinear\n");
}

#[test]
fn loops_nest_as_deep_as_the_stack_of_the_core() {
    let nest = |depth: usize| {
        let body = " lwo %x, (r0)+1\n psadd f1, f1, %x\n";
        format!(
            ".linear\n{}{body}{}.endlinear\n",
            ".loop 3\n".repeat(depth),
            ".endloop\n".repeat(depth)
        )
    };
    assert!(assemble(small(), &nest(2)).is_ok());
    let (_, message) = refused(&nest(3));
    assert!(message.contains("more than 2 loops"), "{message}");
}

#[test]
fn the_linter_counts_the_loops_of_the_core() {
    let text = " doi 2, a\n nop\n doi 2, b\n nop\n doi 2, c\n nop\n nop\nc: nop\n nop\n nop\nb: nop\n nop\n nop\na: nop\n nop\n stopi 0\n";
    let image = assemble(Core::CP2, text).unwrap().image;
    let codes = |core: Core| -> Vec<String> {
        let options = lint::Options { core, undefined: false };
        lint::lint_for(&image, &options).iter().map(|f| f.message.clone()).collect()
    };
    let deep = |found: &[String]| found.iter().any(|text| text.contains("the stack holds 2"));
    assert!(deep(&codes(small())), "{:?}", codes(small()));
    assert!(!codes(Core::CP2).iter().any(|text| text.contains("the stack holds")));
}
