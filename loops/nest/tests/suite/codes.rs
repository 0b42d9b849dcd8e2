//! The rows of loop nests in the table of codes: their examples do what they say.

use cp2_asm::codes::{self, Tool};
use cp2_nest::nest_findings;

#[test]
fn examples_have_their_code_and_no_other() {
    // Codes from C1121 on are of the analysis.
    let rows: Vec<_> =
        codes::all().filter(|row| row.tool == Tool::Nests && row.code < "C1121").collect();
    assert!(rows.len() >= 13);
    for row in rows {
        let (wrong, right) = row.example.texts().unwrap();
        let said: Vec<_> = nest_findings(wrong).iter().map(|problem| problem.code).collect();
        assert_eq!(said, [row.code], "{wrong}");
        assert_eq!(nest_findings(right), [], "{right}");
    }
}
