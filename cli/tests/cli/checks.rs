//! Checked runs: what `run --check` tells as text and JSON, and that `test` checks and does not bless what fails.

use crate::kit::Folder;

/// Sums of two arrays, of which the loop stores one more than `y` has.
const SUM: &str = "\
        .kernel sum
        .arg    n, g2, min=1
        .array  x, in,  float32, 2*n
        .array  y, out, float32, 2*n
        seti    a0, x
        seti    a1, y
        nop
        do      g2, last
        | lwo   f1, (r0)+1
        nop
last:   nop
        | swo   f1, (r1)+1
        | swo   f2, (r1)+1
        stopi 0
        .lmem all
x:      .zero 64
        .zero 1
y:      .zero 64
";

#[test]
fn findings_have_line_array_and_index() {
    let folder = Folder::new();
    folder.write("sum.s", SUM);
    let x = cp2_session::npy::Array::from_floats(vec![8], &[1.0; 8]);
    std::fs::write(folder.path("x.npy"), x.write()).unwrap();
    folder.expect(0, "run sum.s --load x=x.npy");
    let text = folder.expect(1, "run sum.s --load x=x.npy --check");
    let stored = "sum.s:13:9: `swo f2, (r1)+1` stores f2, undefined in every section, into word 69";
    assert!(text.contains(stored), "{text}");
    assert!(text.contains("[C0801]; nothing has written f2"), "{text}");
    let report: serde_json::Value = {
        let output = folder.cp2("run sum.s --load x=x.npy --check --json");
        assert_eq!(output.status.code(), Some(1));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(report["end"]["kind"], "stopped");
    let found = &report["check"]["findings"][0];
    assert_eq!((&found["code"], &found["count"]), (&"C0801".into(), &1.into()));
    // What is left of y is told at the end, with the first element.
    folder.write(
        "short.s",
        SUM.replace(
            "        do      g2",
            "        seti g2, 3\n        nop\n        nop\n        do      g2",
        )
        .replace("        | swo   f2, (r1)+1\n", ""),
    );
    let output = folder.cp2("run short.s --load x=x.npy --check --json");
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &report["check"]["findings"][0];
    assert_eq!(found["code"], "C0805");
    assert_eq!(found["element"]["array"], "y");
    assert_eq!(found["element"]["index"], serde_json::json!([6]));
    // With a reason it is meant.
    let allowed = SUM
        .replace("f2, (r1)+1", "f2, (r1)+1 @allow(C0801 \"fills a line\", C0806 \"fills a line\")");
    folder.write("allowed.s", allowed);
    folder.expect(0, "run allowed.s --load x=x.npy --check");
    folder.expect(0, "asm allowed.s -o allowed.o");
    folder.expect(0, "run allowed.o --load x=x.npy --check");
    assert!(folder.expect(0, "explain C0806").contains("belongs to none of them"));
}

const WRONG: &str = "\
        seti a0, x
        seti a1, x + 2
        seti g2, 8
        nop
        nop
        .linear
        .disjoint r0, r1
        .scratch g15
        .loop g2, min=8
        lwo %x, (r0)+1
        swo %x, (r1)+1
        .endloop
        .endlinear
        stopi 0
        .lmem all
x:      .zero 32
; run:
; cycles: ?
";

#[test]
fn file_tests_are_checked_and_not_blessed_if_that_fails() {
    let folder = Folder::new();
    folder.write("wrong.s", WRONG);
    let text = folder.expect(1, "test wrong.s --bless");
    assert!(
        text.contains("`.disjoint r0, r1` promises that they never do") && text.contains("[C0808]"),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(folder.path("wrong.s")).unwrap(), WRONG);
    let undefined = "        swi f1, 4\n        stopi 0\n; run:\n; cycles: ?\n";
    folder.write("undefined.s", undefined);
    let text = folder.expect(1, "test undefined.s --bless");
    assert!(text.contains("nothing has written f1") && text.contains("[C0801]"), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path("undefined.s")).unwrap(), undefined);
    for off in ["; check: off the value is old on purpose\n; run:", "; run:\n; check: off so it is"]
    {
        folder.write("off.s", undefined.replace("; run:", off));
        folder.expect(0, "test off.s --bless");
    }
    folder.write("why.s", undefined.replace("; run:", "; check: off\n; run:"));
    assert!(folder.expect(3, "test why.s").contains("write `check: off REASON`"));
}
