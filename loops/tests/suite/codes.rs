//! The rows of the analysis of nests in the table of codes: their examples do what they say.

use cp2_asm::codes::{self, Tool};
use cp2_asm::diagnostic::Sources;
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_loops::{NestStudy, StudyFailure};
use cp2_nest::read_nest;

fn said(text: &str) -> Vec<&'static str> {
    let mut sources = Sources::default();
    sources.add("nest.c", text);
    let (nest, library) = (read_nest(&sources, 0).unwrap(), IslLibrary::default());
    match NestStudy::new(&nest, &library, StorageRule::Kept, None) {
        Ok(_) => Vec::new(),
        Err(StudyFailure::Refused(all)) => all.iter().map(|problem| problem.code).collect(),
        Err(StudyFailure::Internal(message)) => panic!("{message}"),
    }
}

#[test]
fn examples_have_their_code_and_no_other() {
    let rows: Vec<_> =
        codes::all().filter(|row| row.tool == Tool::Nests && row.code >= "C1121").collect();
    assert!(rows.len() >= 2);
    for row in rows {
        let Some((wrong, right)) = row.example.texts() else { continue };
        assert_eq!(said(wrong), [row.code], "{wrong}");
        assert_eq!(said(right), Vec::<&str>::new(), "{right}");
    }
}
