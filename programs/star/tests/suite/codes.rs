//! The rows of the STAR machine in the table of codes: their examples do what they say.

use crate::kit::{checked, complaints};
use cp2_asm::codes::{self, Tool};
use cp2_star::machine::{HostBackend, LibraryForm, StarMachine};
use cp2_star::run::{RunRequest, run};

/// Returns the codes that checking and running a program report, with 4 rows and weights of 4 bits.
fn said(text: &str) -> Vec<&'static str> {
    let program = match checked(text) {
        Ok(program) => program,
        Err(problems) => return problems.iter().map(|problem| problem.code).collect(),
    };
    let mut machine = StarMachine::new(HostBackend, 4, LibraryForm::Plain);
    let request = RunRequest { weight_bits: 4, max_statements: 1000, ..RunRequest::default() };
    let stopped = run(&program, &mut machine, &request, None).err();
    stopped.map(|stopped| stopped.code).into_iter().collect()
}

#[test]
fn examples_have_their_code_and_no_other() {
    let rows: Vec<_> = codes::all().filter(|row| row.tool == Tool::Star).collect();
    assert!(rows.len() >= 18);
    for row in rows {
        let Some((wrong, right)) = row.example.texts() else { continue };
        assert_eq!(said(wrong), [row.code], "{}", complaints(wrong));
        assert_eq!(said(right), Vec::<&str>::new(), "{}", complaints(right));
        for text in [wrong, right] {
            let Ok(tree) = cp2_star::language::parse(&crate::kit::sources(text), 0) else {
                continue;
            };
            assert_eq!(cp2_star::language::format(&tree), text, "{}", row.code);
        }
    }
}
