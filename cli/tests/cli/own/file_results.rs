//! Results of workload files: whether something checked them, the exit codes that follow, and the files to which they are
//! written.

use super::workload_files::copied;
use crate::kit::{Folder, unwrapped};

/// Returns a folder with the example `matvec`, and a workload file of it that expects nothing, `none.toml`.
fn unchecked() -> Folder {
    let folder = copied("matvec");
    let text = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    let expects = "expected = \"expected.npy\"\natol = 1e-3";
    assert!(text.contains(expects));
    folder.write("none.toml", text.replace(expects, "shape = [64]"));
    folder
}

/// Adds a program that checks the results to a workload file.
fn with_check(folder: &Folder, name: &str, command: &str) {
    let text = std::fs::read_to_string(folder.path(name)).unwrap();
    folder.write(name, format!("{text}\n[check]\ncommand = {command}\n"));
}

fn whatif(folder: &Folder, arguments: &str) -> serde_json::Value {
    let output = folder.cp2(&format!("whatif {arguments} --set core.load_latency=2 --json"));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_nothing_checked_is_not_called_right() {
    let folder = unchecked();
    let (checked, unchecked) = (whatif(&folder, "work.toml"), whatif(&folder, "none.toml"));
    for k in 0..2 {
        let of = |study: &serde_json::Value| {
            let run = &study["variants"][k];
            (run["is_checked"].as_bool(), run["is_right"].as_bool())
        };
        assert_eq!(of(&checked), (Some(true), Some(true)));
        assert_eq!(of(&unchecked), (Some(false), None));
    }
    let why = "none.toml expects no results, so nothing checks them";
    for (command, told) in [
        ("whatif none.toml --set core.load_latency=2", "nothing checked the results"),
        ("bench none.toml", "matvec: nothing checked them"),
        ("bench none.toml --set core.load_latency=2", "not checked"),
        ("kernels run none.toml", "not compared"),
        ("roofline --machine vm7 none.toml", why),
        ("estimate none.toml --system vm7", why),
    ] {
        let text = unwrapped(&folder.expect(0, command));
        assert!(text.contains(told), "cp2 {command}\n{text}");
        let is_report = command.starts_with("kernels");
        assert!(is_report || text.matches(why).count() == 1, "cp2 {command}\n{text}");
    }
}

#[test]
fn a_program_that_checks_counts_only_where_it_may_start() {
    let folder = unchecked();
    with_check(&folder, "none.toml", "[\"touch\", \"ran\"]");
    let of = |study: &serde_json::Value| study["variants"][1]["is_checked"].as_bool();
    assert_eq!(of(&whatif(&folder, "none.toml")), Some(false));
    assert!(folder.expect(0, "bench none.toml").contains("nothing checked them"));
    assert!(!folder.path("ran").exists());
    assert_eq!(of(&whatif(&folder, "none.toml --allow-commands")), Some(true));
    std::fs::remove_file(folder.path("ran")).unwrap();
    let told = folder.expect(0, "bench none.toml --allow-commands");
    assert!(folder.path("ran").exists() && !told.contains("nothing checked them"), "{told}");
}

#[test]
fn bench_tells_what_a_check_found() {
    let folder = unchecked();
    with_check(&folder, "none.toml", "[\"sh\", \"-c\", \"echo y is odd; exit 1\"]");
    for command in ["bench none.toml", "bench none.toml --set core.load_latency=2"] {
        let told = unwrapped(&folder.expect(1, &format!("{command} --allow-commands")));
        assert!(told.contains("cp2: matvec: check.command: `sh` ended with"), "{told}");
        assert!(told.contains("y is odd") && !told.contains("that of the reference"), "{told}");
    }
}

/// Every command ends with the same exit code for the same cause: 1 if a check failed, 2 for wrong use, 3 for a wrong file, 4
/// for a program that does what has no meaning, 5 at the limit of cycles.
#[test]
fn commands_agree_in_their_exit_codes() {
    let folder = unchecked();
    let text = std::fs::read_to_string(folder.path("none.toml")).unwrap();
    let kernel = |name: &str, lines: &str| {
        folder.write(&format!("{name}.s"), format!("        .kernel {name}\n{lines}"));
        let file = format!("[[variant]]\nsource = \"{name}.s\"\n");
        folder.write(&format!("{name}.toml"), file);
    };
    kernel("fault", "        seti    g1, 8191\n        jump    g1\n        nop\n");
    folder.write("wrong.toml", text.clone());
    with_check(&folder, "wrong.toml", "[\"false\"]");
    folder.write("absent.toml", text.clone());
    with_check(&folder, "absent.toml", "[\"no-such-program\"]");
    folder.write("bad.toml", text.replace("a.npy", "none.npy"));
    let commands = [
        "kernels run FILE --allow-commands",
        "whatif FILE --set core.load_latency=2 --allow-commands",
        "roofline --machine vm7 FILE --allow-commands",
        "estimate FILE --system vm7 --allow-commands",
        "bench FILE --allow-commands",
        "bench FILE --set core.load_latency=2 --allow-commands",
    ];
    for (file, code) in [("wrong", 1), ("absent", 1), ("bad", 3), ("fault", 4)] {
        for command in commands {
            let command = command.replace("FILE", &format!("{file}.toml"));
            // On a machine, page by page, the kernel has no arrays and so no page.
            if file == "fault" && command.contains("vm7") && command.starts_with("estimate") {
                continue;
            }
            let told = unwrapped(&folder.expect(code, &command));
            let is_told = file != "absent"
                || told.contains("`no-such-program` cannot be started") && told.contains("install");
            assert!(
                is_told && !told.contains("finds the results wrong") | (file == "wrong"),
                "{told}"
            );
        }
    }
    for command in
        ["whatif FILE --set core.banks=4 --picture FILE", "roofline --machine vm7 FILE -o FILE"]
    {
        folder.expect(2, &command.replace("FILE", "none.toml"));
    }
}

#[test]
fn several_results_are_written_each_to_its_file() {
    let folder = Folder::new();
    let kernel = "        .kernel two
        .array  a, out, float32, 8, layout=blocks, pack=both, at=g0
        .array  b, out, float32, 8, layout=blocks, pack=both, at=g1
        move    a0, g0
        move    a1, g1
        clear   f0, f1
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        | swo f0, (r0)
        | swo f0, (r1)
        stopi   0
        nop
";
    folder.write("two.s", kernel);
    folder.write("two.toml", "[[variant]]\nsource = \"two.s\"\n[array.a]\nshape = [8]\n");
    folder.expect(0, "kernels run two.toml --output a=a.npy --output b=b.npy");
    let [a, b] = ["a.npy", "b.npy"].map(|name| std::fs::read(folder.path(name)).unwrap());
    assert!(a == b && a.len() == 128 + 32, "{} bytes", a.len());
    for (arguments, code, told) in [
        ("--output y.npy", 2, "write NAME=FILE; the results are a, b"),
        ("--output a=y.npy --output a=z.npy", 2, "a is given twice"),
        ("--output a=y.npy --output b=y.npy", 2, "y.npy"),
        ("--output a=", 2, "write a=FILE"),
        ("--output c=y.npy", 2, "the results are a, b"),
    ] {
        let text = unwrapped(&folder.expect(code, &format!("kernels run two.toml {arguments}")));
        assert!(text.contains(told), "{arguments}\n{text}");
        assert!(!folder.path("y.npy").exists(), "{arguments}");
    }
    folder.write("no.s", "        .kernel no\n        stopi   0\n        nop\n");
    folder.write("no.toml", "[[variant]]\nsource = \"no.s\"\n");
    let told = unwrapped(&folder.expect(2, "kernels run no.toml --output y.npy"));
    assert!(told.contains("has no array that could be a result; give [array.NAME]"), "{told}");
    // A single result, or the only expected one, needs no name.
    let folder = copied("matvec");
    folder.expect(0, "kernels run work.toml --output y.npy");
    folder.expect(0, "kernels run work.toml --output y=again.npy");
    let [one, other] = ["y.npy", "again.npy"].map(|name| std::fs::read(folder.path(name)).unwrap());
    assert_eq!(one, other);
    let told = unwrapped(&folder.expect(2, "kernels run work.toml --output yy=out.npy"));
    assert!(told.contains("there is no array `yy`; did you mean `y`?"), "{told}");
    assert!(!folder.path("yy=out.npy").exists() && !folder.path("out.npy").exists());
    folder.expect(0, "kernels run work.toml --output y=yy=out.npy");
    assert!(folder.path("yy=out.npy").exists());
}

#[test]
fn counts_of_a_file_on_another_core_stand_beside_those_on_cp2() {
    let folder = copied("matvec");
    let text = unwrapped(&folder.expect(0, "bench work.toml --set core.load_latency=2"));
    // Cycles on the core, per unit, bound, percent; then on CP2, per unit, ratio.
    assert!(text.contains(" 2068 2068.0 "), "{text}");
    let json = folder.expect(0, "bench work.toml --set core.load_latency=2 --json");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = &report["kernels"][0];
    assert_eq!(row["cp2_per_unit"].as_f64(), Some(2068.0), "{row}");
    let ratio = row["cycles"].as_f64().unwrap() / 2068.0;
    assert_eq!(row["ratio"].as_f64(), Some(ratio), "{row}");
}
