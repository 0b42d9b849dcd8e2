//! What a page is told of file tests, of data that lack, and of operations that are one.

use crate::{Host, explorer, served, stage, wish};
use cp2_asm::sched::Interrupt;
use cp2_explore::ExploreWish;
use serde_json::json;

/// Two cases of a file test, and a third one with an error.
const CASES: &str = "        .equ n, 3
; case: one
        .kernel k
last:   nop
        stopi   0
; run:
; case: two
        .kernel k
last:   stopi   n
; run:
; case: three
        .kernel k
        cadd    f1, f1
; error: C0302
";

#[test]
fn cases_of_a_file_test_are_programs_of_their_own() {
    let served = served(&Host::default(), 100_000);
    let of_line = |line| served.explore(&ExploreWish { line, ..wish(CASES) });
    for (line, name, end) in [(1, "one", "stopped with code 0"), (9, "two", "stopped with code 3")]
    {
        let stages = of_line(line);
        let told = stage(&stages, "findings");
        assert_eq!(told["cases"]["shown"], name, "{told}");
        let found = told["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let codes: Vec<_> = found.iter().map(|f| (&f["code"], &f["range"][0])).collect();
        assert_eq!(codes, [(&json!("C0302"), &json!(13))], "{told}");
        assert_eq!(stage(&stages, "run")["run"]["end"], end);
    }
    let wrong = of_line(13);
    assert_eq!(stage(&wrong, "findings")["assembled"], false);
    let asked = ExploreWish { line: 9, ..wish(CASES) };
    let explorer = explorer(&Host::default(), CASES, 100_000);
    assert!(explorer.cycle(&asked, 0, &Interrupt::new()).is_ok());
}

#[test]
fn what_run_would_refuse_is_told_and_a_merged_line_is_linked() {
    let served = served(&Host::default(), 100_000);
    let text = "
        .kernel k
        .arg    n, g1, min=4
        .array  x, in, float32, 16*n, layout=blocks, at=a0
        .linear
        .even   r0
        .scratch g15
        .loop   g1, min=4
        lwo     %a, (r0)+1
        lwo     %b, (r0)+1
        lwo     %c, (r0)+1
        lwo     %d, (r0)+1
        psmadd  f0, %a, %c
        psmadd  f1, %b, %d
        .endloop
        .endlinear
        stopi   0
";
    let stages = served.explore(&wish(text));
    let refused = stage(&stages, "run")["arguments"]["refused"].to_string();
    assert!(refused.contains("array x") && refused.contains("--load"), "{refused}");
    let program = stage(&stages, "findings")["program"].to_string();
    assert!(program.contains("[10]") || program.contains("[9]"), "{program}");
}
