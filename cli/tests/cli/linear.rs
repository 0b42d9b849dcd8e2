//! What the commands tell of linear code: listings, missing promises, symbol maps, broken promises; and what the
//! linter tells of code that macros and repetitions made.

use crate::kit::Folder;

const SCALE: &str = "\
.equ count, 16
.kernel scale
        seti a0, x
        seti a1, y
        seti g2, count
        nop
        nop
.linear
        .disjoint r0, r1
        .scratch  g15
        .loop g2, min=8, multiple=4
        lwo   %x, (r0)+1
        psmul %t, %x, f0
        psadd %y, %t, %x
        swo   %y, (r1)+1
        .endloop
.endlinear
        stopi 0
.lmem all
x:      .quad 1, 2, 3, 4, 5, 6, 7, 8
        .zero 8
y:      .zero 16
";

fn scale() -> Folder {
    let folder = Folder::new();
    folder.write("scale.s", SCALE);
    folder
}

#[test]
fn a_pipelined_loop_is_listed_as_tables() {
    insta::assert_snapshot!(scale().expect(0, "sched scale.s --listing"));
}

#[test]
fn a_program_is_listed_with_its_sources() {
    let folder = scale();
    folder.expect(0, "asm scale.s -o scale.o --listing scale.lst");
    insta::assert_snapshot!(std::fs::read_to_string(folder.path("scale.lst")).unwrap());
}

#[test]
fn symbols_are_mapped_as_text_and_json() {
    let folder = scale();
    insta::assert_snapshot!(folder.expect(0, "asm scale.s -o scale.o --map -"));
    folder.expect(0, "asm scale.s -o scale.o --map map.json");
    let map = folder.json("map.json");
    assert_eq!(map["schema"], "cp2-map-1");
    let symbol = |name: &str| {
        let all = map["symbols"].as_array().unwrap();
        all.iter().find(|s| s["name"] == name).unwrap().clone()
    };
    assert_eq!((&symbol("y")["value"], &symbol("y")["size"]), (&16.into(), &16.into()));
    assert_eq!(symbol("scale")["kind"], "kernel");
    assert_eq!(symbol("count")["size"], serde_json::Value::Null);
    // An output is no input, and no other output.
    folder.expect(2, "asm scale.s -o scale.o --map scale.o");
    folder.expect(2, "asm scale.s -o scale.o --listing scale.s");
}

#[test]
fn missing_promises_are_told_and_left_out_on_request() {
    let folder = Folder::new();
    folder.write(
        "missing.s",
        SCALE.replace("        .disjoint r0, r1\n", "").replace(", multiple=4", ""),
    );
    let text = folder.expect(0, "sched missing.s");
    assert!(text.contains("if promised") && text.contains("`.disjoint r0, r1`"), "{text}");
    let report: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "sched missing.s --json")).unwrap();
    let blocks = report["regions"][0]["blocks"].as_array().unwrap();
    let of_loop = blocks.iter().find(|b| !b["ii"].is_null()).unwrap();
    assert_eq!(of_loop["missing_promises"][0]["promises"][0], ".disjoint r0, r1");
    assert!(of_loop["missing_promises"][0]["ii"].as_i64() < of_loop["ii"].as_i64());
    assert!(!folder.expect(0, "sched missing.s --no-hints").contains("promised"));
}

#[test]
fn of_a_kernel_with_its_count_in_a_register_the_least_count_is_told() {
    let folder = Folder::new();
    let source = folder.expect(0, "kernels source proj");
    assert!(source.contains(".loop 4\n"));
    let scheduled = |count: &str| -> serde_json::Value {
        let text = source.replace(".loop 4\n", &format!(".loop {count}\n"));
        folder.write("proj.s", text.replace(".linear\n", ".linear\n.scratch g15\n"));
        let report: serde_json::Value =
            serde_json::from_str(&folder.expect(0, "sched proj.s --json")).unwrap();
        let blocks = report["regions"][0]["blocks"].as_array().unwrap();
        blocks.iter().find(|b| !b["ii"].is_null()).unwrap().clone()
    };
    let alone = scheduled("g9");
    // The body as straight code is 424 bundles long.
    assert!(alone["ii"].as_i64().unwrap() <= 424, "{alone}");
    let missing = &alone["missing_promises"][0];
    assert_eq!(missing["promises"], serde_json::json!(["min=6", "multiple=2"]), "{alone}");
    // What is told holds.
    let promised = scheduled("g9, min=6, multiple=2");
    assert_eq!(promised["ii"], missing["ii"]);
    assert!(promised["ii"].as_i64() < alone["ii"].as_i64());
}

#[test]
fn a_run_is_held_to_its_promises() {
    let folder = scale();
    folder.expect(0, "run scale.s --arg f0=1 --check");
    assert!(folder.expect(1, "run scale.s --check").contains("nothing has written f0"));
    folder.write("few.s", SCALE.replace("count, 16", "count, 6"));
    let text = folder.expect(1, "run few.s --check");
    let told =
        "few.s:11:9: g2 = 6 counts this loop of region `scale`, and `min=8` promises at least 8";
    assert!(text.contains(told), "{text}");
    // The object has the promises too.
    folder.expect(0, "asm few.s -o few.o");
    assert!(folder.expect(1, "run few.o --check").contains(told));
    let report: serde_json::Value = {
        let output = folder.cp2("run few.s --check --json");
        assert_eq!(output.status.code(), Some(1));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(report["end"]["kind"], "broken_promise");
    assert_eq!(report["end"]["place"], "few.s:11:9");
    folder.write("meet.s", SCALE.replace("seti a1, y", "seti a1, x+15"));
    let text = folder.expect(1, "run meet.s --check");
    assert!(text.contains("meet.s:9:9: r0 and r1 both access word 15"), "{text}");
    folder.expect(0, "run meet.s");
    folder.write("code.hex", "0000000004000000\n");
    assert!(folder.expect(2, "run code.hex --check").contains("`.hex` has no promises"));
}

const UNROLLED: &str = "\
.macro early to
        lwi \\to, 0
        psadd f9, \\to, f1
.endm
.rept 3, k
        early f\\k
.endr
        stopi 0
";

#[test]
fn findings_of_one_cause_are_told_once_with_what_they_became() {
    let folder = Folder::new();
    folder.write("unrolled.s", UNROLLED);
    insta::assert_snapshot!(folder.expect(1, "lint unrolled.s"));
    let report: serde_json::Value =
        serde_json::from_str(&folder.expect(1, "lint unrolled.s --json")).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let early: Vec<_> = findings.iter().filter(|f| f["code"] == "C0501").collect();
    assert_eq!(early.len(), 3);
    assert_eq!(early[2]["place"]["bundle"], "psadd f9, f2, f1");
    assert_eq!(early[2]["place"]["expansion"][0], "in the iteration `k` = 2");
}

#[test]
fn sources_are_linted_together() {
    let folder = Folder::new();
    folder.write("a.s", ".kernel a\n jumpi far\n nop\n");
    folder.write(
        "b.s",
        ".global far\n.kernel b\n nop\nfar: lwi f1, 0\n psadd f2, f1, f1\n stopi 0\n",
    );
    assert!(folder.expect(3, "lint a.s").contains("C0201"));
    let text = folder.expect(1, "lint a.s b.s");
    assert!(text.contains("b.s:5:2: warning") && text.contains("C0501"), "{text}");
    folder.expect(0, "asm b.s -o b.o");
    assert!(folder.expect(2, "lint a.s b.o").contains("is a whole program"));
}

#[test]
fn errors_of_the_assembler_are_json_too() {
    let folder = Folder::new();
    folder.write("wrong.s", " cadd f1, f2\n jumpi lop\n nop\nloop: stopi 0\n");
    let output = folder.cp2("lint wrong.s --json");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], "cp2-lint-1");
    assert_eq!((&report["findings"], &report["error_count"]), (&serde_json::json!([]), &2.into()));
    assert_eq!(report["errors"][1]["code"], "C0201");
    assert_eq!(report["errors"][1]["place"]["line"], 2);
    assert_eq!(report["errors"][1]["help"], "did you mean `loop`?");
}

#[test]
fn a_hundred_errors_are_shown_and_all_of_them_counted() {
    let folder = Folder::new();
    folder.write("many.s", " cadd f1, f2, f100\n".repeat(150));
    let text = folder.expect(3, "asm many.s -o many.o");
    assert!(text.contains("cp2: 150 errors, of which the first 100 are shown"), "{text}");
    assert_eq!(text.matches("error: ").count(), 100);
    folder.write("many.hex", "xyz\n".repeat(101));
    let text = folder.expect(3, "run many.hex");
    assert!(text.contains("cp2: 101 errors, of which the first 100 are shown"), "{text}");
}

#[test]
fn a_label_main_is_told_whose_name_it_takes() {
    let folder = Folder::new();
    folder.write("main.s", "main: nop\n stopi 0\n");
    let text = folder.expect(3, "asm main.s -o main.o");
    assert!(text.contains("bundles before the first `.kernel` form the kernel `main`"), "{text}");
}

#[test]
fn schedules_are_kept_as_certificates_that_are_read_again_and_compared() {
    let folder = scale();
    folder.expect(0, "sched scale.s --no-hints --save kept.schedule");
    let kept = std::fs::read_to_string(folder.path("kept.schedule")).unwrap();
    assert!(kept.contains("; Made by: cp2 sched scale.s --save FILE"), "{kept}");
    let plain = folder.expect(0, "sched scale.s --no-hints");
    let with = "sched scale.s --no-hints --certificate kept.schedule";
    assert_eq!(folder.expect(0, with), plain);
    let compared = folder.expect(0, &format!("{with} --against kept.schedule"));
    assert!(compared.contains("0 operations moved, 0 of"), "{compared}");
    // With a solver only schedules that it found are kept.
    folder.expect(0, "sched scale.s --no-hints --exact --save none.schedule");
    let none = std::fs::read_to_string(folder.path("none.schedule")).unwrap();
    assert!(!none.contains("cp2-schedule") && none.contains("--exact --conflicts 20000"), "{none}");

    folder.write("wrong.schedule", kept.replace("unroll", "unrolled"));
    let refused = folder.expect(3, "sched scale.s --certificate wrong.schedule");
    assert!(
        refused.contains("wrong.schedule:") && refused.contains("`unroll ...` was expected"),
        "{refused}"
    );

    folder.write("other.s", SCALE.replace("psadd %y, %t, %x", "psadd %y, %t, %t"));
    let told = folder.expect(0, "asm other.s --certificate kept.schedule -o other.o");
    let words = "warning: the certificate of `scale`";
    assert!(told.contains(words) && told.contains("are not those of the certificate"), "{told}");
    assert!(
        !folder.expect(0, "asm scale.s --certificate kept.schedule -o scale.o").contains("warning")
    );
}
