//! Workload files as a user gives them to the commands: every command that takes the name of a workload takes one.

use crate::kit::Folder;
use std::path::{Path, PathBuf};

/// Returns the folder of the examples.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples")
}

/// Returns a folder with a copy of an example that has a workload file.
pub(crate) fn copied(name: &str) -> Folder {
    let folder = Folder::new();
    for entry in std::fs::read_dir(examples().join(name)).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    folder
}

#[test]
fn the_examples_are_workloads_with_right_results() {
    for (name, cycles) in [("fir", 2077), ("matvec", 2068), ("polynomial", 1344)] {
        let folder = copied(name);
        let text = folder.expect(0, "kernels run work.toml --output y.npy");
        assert!(text.contains(&format!("{name}: {cycles} cycles")), "{text}");
        assert!(text.contains("as expected.npy"), "{text}");
        assert!(folder.path("y.npy").exists());
        let json = folder.expect(0, "kernels run work.toml --json");
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&report["schema"], &report["cycles"]),
            (&"cp2-workload-1".into(), &cycles.into())
        );
    }
}

#[test]
fn every_command_that_takes_a_workload_takes_a_file() {
    let folder = copied("matvec");
    folder.write("sweep.toml", "kernel = \"work.toml\"\n[set]\ncore.load_latency = [2, 3]\n");
    for (command, part) in [
        ("whatif work.toml --set core.load_latency=2", "0.77"),
        ("roofline --machine vm7 work.toml", "matvec (kernel)"),
        ("bench work.toml", "2068"),
        ("stats work.toml", "matvec.s"),
        ("why work.toml --cycle 900", "matvec"),
        ("diff work.toml work.toml", "2075 cycles"),
        ("trace work.toml --cycles 0..4", "matvec.s:"),
        ("kernels source work.toml", ".kernel matvec"),
        ("sweep sweep.toml", "2 run"),
        ("sweep best sweep.sweep --least cycles", "2052"),
    ] {
        let text = folder.expect(0, command);
        assert!(text.contains(part), "cp2 {command}\n{text}");
    }
    folder.expect(0, "report work.toml -o run.html");
    let page = std::fs::read_to_string(folder.path("run.html")).unwrap();
    assert!(page.contains("matvec"), "the page names the kernel");
}

#[test]
fn a_file_starts_a_program_only_if_the_user_allows_it() {
    let folder = copied("matvec");
    let mut text = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    text += "\n[check]\ncommand = [\"sh\", \"-c\", \"test -s {y} && touch ran && echo y is odd && exit $(cat code)\"]\n";
    folder.write("work.toml", text);
    folder.write("code", "0");
    let told = folder.expect(0, "kernels run work.toml");
    assert!(told.contains("was not run; --allow-commands lets it check the results"), "{told}");
    assert!(!folder.path("ran").exists(), "nothing was started");
    for command in ["stats work.toml", "whatif work.toml --set core.banks=4", "bench work.toml"] {
        folder.expect(0, command);
        assert!(!folder.path("ran").exists(), "{command} started nothing");
    }
    let told = folder.expect(0, "kernels run work.toml --allow-commands");
    assert!(told.contains("finds the results right") && folder.path("ran").exists(), "{told}");
    folder.write("code", "7");
    let told = folder.expect(1, "kernels run work.toml --allow-commands");
    assert!(told.contains("exit status: 7: y is odd"), "{told}");
    let text = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    folder.write("work.toml", text.replace("\"sh\"", "\"no-such-program\""));
    let told = folder.expect(1, "kernels run work.toml --allow-commands");
    assert!(told.contains("`no-such-program` cannot be started"), "{told}");
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    let folder = copied("matvec");
    let told = folder.expect(3, "kernels run missing.toml");
    assert!(told.contains("missing.toml"), "{told}");
    folder.write("work.toml", "[[variant]]\nsorce = \"matvec.s\"\n");
    let told = folder.expect(3, "whatif work.toml --set core.banks=4");
    assert!(told.contains("work.toml:2:1") && told.contains("did you mean `source`?"), "{told}");
    folder.write("work.toml", "[[variant]]\nsource = \"wrong.s\"\n");
    folder.write("wrong.s", "        .kernel k\n        cadd f0, f99, f1\n");
    let told = folder.expect(3, "kernels run work.toml");
    assert!(told.contains("wrong.s:2:") && told.contains("[C0304]"), "{told}");
    folder.write("work.toml", "[[variant]]\nsource = \"matvec.s\"\n[array.a]\nfile = \"a.npy\"\n");
    let told = folder.expect(3, "kernels run work.toml");
    assert!(told.contains("x"), "{told}");
    let same = folder.expect(3, "kernels run work.toml --machine vm7");
    assert_eq!(same, told, "without passes a machine runs the same");
    let told = folder.expect(2, "stats work.toml --arg n=3");
    assert!(told.contains("--arg is for programs; a workload file has its own"), "{told}");
    folder.write("endless.s", "        .kernel k\nagain:  | jumpi again\n        nop\n");
    folder.write("work.toml", "[[variant]]\nsource = \"endless.s\"\n");
    folder.expect(5, "kernels run work.toml --max-cycles 1000");
}

/// What a user would lose: nothing is written over a file that the workload was read from.
#[test]
fn no_output_replaces_a_file_of_the_workload() {
    let folder = copied("matvec");
    for command in [
        "kernels run work.toml --output a.npy",
        "kernels run work.toml --record matvec.s",
        "report work.toml -o expected.npy",
        "trace work.toml -o matvec.s --format csv",
        "whatif work.toml --set core.banks=4 --picture work.toml",
        "roofline --machine vm7 work.toml -o work.toml",
    ] {
        let told = folder.expect(2, command);
        assert!(told.contains("would replace the input"), "cp2 {command}\n{told}");
    }
    folder.expect(0, "kernels run work.toml");
}

#[test]
fn sources_of_all_variants_are_shown_and_an_object_has_none() {
    let folder = copied("matvec");
    folder.expect(0, "asm matvec.s -o matvec.o");
    let object = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    folder.write("object.toml", object.replace("source = \"matvec.s\"", "object = \"matvec.o\""));
    assert!(folder.expect(0, "kernels run object.toml").contains("matvec: 2068 cycles"));
    let told = folder.expect(3, "kernels source object.toml");
    assert!(told.contains("matvec.o is an object") && told.contains("cp2 dis matvec.o"), "{told}");
    let two = "[[variant]]\nname = \"a\"\nsource = \"matvec.s\"\n[[variant]]\nshipped = \"axpy\"\n";
    folder.write("two.toml", two);
    let told = folder.expect(0, "kernels source two.toml");
    assert!(told.contains("; variant a\n") && told.contains("; variant axpy\n"), "{told}");
}

#[test]
fn a_variant_that_is_wrong_is_told_by_a_study() {
    let folder = copied("matvec");
    let source = std::fs::read_to_string(folder.path("matvec.s")).unwrap();
    folder
        .write("wrong.s", source.replace("psadd   %sum0, %sum0, %other", "copy    %sum0, %other"));
    let text = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    folder.write("work.toml", text + "\n[[variant]]\nsource = \"wrong.s\"\n");
    let told = folder.expect(0, "whatif work.toml --set core.banks=4");
    assert!(told.contains("baseline, by matvec:matvec"), "{told}");
    assert_eq!(told.matches("variant matvec:wrong cannot be taken: ").count(), 1, "{told}");
}

/// Workloads that go through local memory by pages, each with what `cp2 kernels run` has to say of it on VM7 and VM9: pages
/// and cycles.
const PAGES: [(&str, [&str; 2]); 5] = [
    ("fft256", ["in 8 pages, 125997 cycles", "in 8 pages, 184301 cycles"]),
    ("resid", ["in 32 pages, 435686 cycles", "in 32 pages, 1044200 cycles"]),
    ("fir", ["in 32 pages, 152449 cycles", "in 32 pages, 208200 cycles"]),
    ("matvec", ["in 16 pages, 55065 cycles", "in 16 pages, 85371 cycles"]),
    ("gather", ["in 32 pages, 79996 cycles", "in 32 pages, 98779 cycles"]),
];

/// Returns a folder with the examples of page schemes and what they name.
pub(crate) fn with_pages() -> Folder {
    let folder = Folder::new();
    for part in ["pages", "fir", "matvec"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(part);
        std::fs::create_dir(folder.path(part)).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let to = Path::new(part).join(path.file_name().unwrap());
            std::fs::copy(&path, folder.path(&to.to_string_lossy())).unwrap();
        }
    }
    folder
}

#[test]
fn page_schemes_run_on_both_machines_with_right_results() {
    let folder = with_pages();
    for (name, counts) in PAGES {
        for (machine, counts) in ["vm7", "vm9"].into_iter().zip(counts) {
            let command =
                format!("kernels run pages/{name}.toml --machine {machine} --allow-commands");
            let told = crate::kit::unwrapped(&folder.expect(0, &command));
            assert!(told.contains(counts), "{name} on {machine}\n{told}");
            assert!(told.contains("the command of the file finds the results right"), "{told}");
        }
        let told = folder.expect(2, &format!("kernels run pages/{name}.toml"));
        assert!(told.contains("so it needs a machine: --machine vm7"), "{told}");
    }
}

/// Runs every command that takes a workload with each of the five page schemes on a machine, each by one command line.
/// `cp2 view` starts the viewer, whose tests run the same files.
fn run_every_command(machine: &str, k: usize) {
    let folder = with_pages();
    for (name, counts) in PAGES {
        let cycles = counts[k].split(' ').nth(3).unwrap();
        let file = format!("pages/{name}.toml");
        let sweep = format!(
            "procedure = \"{file}\"\nmachine = \"{machine}\"\n[set]\nhost.page_cycles = [100, 200]\n"
        );
        let goal = "[prices]\nhost.page_cycles = 1\n[goal]\ncycles = 2000000\n";
        folder.write("optimize.toml", format!("{sweep}{goal}"));
        folder.write("sweep.toml", sweep);
        let _ = std::fs::remove_dir_all(folder.path("sweep.sweep"));
        let on = format!("--machine {machine}");
        for (command, expected) in [
            (format!("kernels run {file} {on} --timeline"), cycles),
            ("sweep sweep.toml".to_owned(), "2 run"),
            ("optimize optimize.toml".to_owned(), "host.page_cycles"),
            (format!("whatif {file} {on} --set host.page_cycles=100"), cycles),
            (format!("estimate {file} --system {machine}"), "simulation"),
            (format!("roofline {on} {file}"), name),
            (format!("bench {file} {on}"), cycles),
            (format!("stats {file} {on}"), cycles),
            (format!("why {file} {on} --cycle 3000"), "3000"),
            (format!("diff {file} {file} {on}"), "identical"),
            (format!("report {file} {on} -o report.html"), ""),
            (format!("trace {file} {on} --format csv -o trace.csv"), ""),
        ] {
            let told = folder.expect(0, &command);
            assert!(told.contains(expected), "cp2 {command}\n{told}");
        }
    }
}

#[test]
fn every_command_that_takes_a_workload_takes_a_page_scheme_on_vm7() {
    run_every_command("vm7", 0);
}

#[test]
fn every_command_that_takes_a_workload_takes_a_page_scheme_on_vm9() {
    run_every_command("vm9", 1);
}

#[test]
fn a_run_of_a_page_scheme_is_recorded_and_goes_on_from_a_checkpoint() {
    let folder = with_pages();
    for (name, [cycles, _]) in PAGES {
        let cycles = cycles.split(' ').nth(3).unwrap();
        let run = format!("kernels run pages/{name}.toml --machine vm7");
        for command in [
            format!("{run} --record r.cp2r"),
            "stats r.cp2r".to_owned(),
            format!("{run} --checkpoint c.cp2c --interval 0"),
            format!("{run} --resume c.cp2c"),
        ] {
            let told = folder.expect(0, &command);
            assert!(told.contains(cycles), "cp2 {command}\n{told}");
        }
    }
}

#[test]
fn a_file_is_estimated_from_what_a_run_of_it_counts() {
    let folder = with_pages();
    let report = |command: &str| -> serde_json::Value {
        let text = folder.expect(0, &format!("estimate {command} --allow-commands --json"));
        serde_json::from_str(&text).unwrap()
    };
    let value = |report: &serde_json::Value, name: &str| -> f64 {
        let all = report["estimate"]["quantities"].as_array().unwrap();
        all.iter().find(|q| q["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} and {b}");
    // 32 pages of 7594 kernel cycles, 96769 bytes from memory on average and 32768 to memory.
    let own = report("pages/resid.toml --system vm7");
    near(value(&own, "kernel_us"), 7594.0 / 200.0);
    near(value(&own, "us"), 32.0 * (96769.0 + 32768.0) / 2700.0);
    assert_eq!(own["estimate"]["is_channel_bound"], true);
    assert_eq!(own["beside"]["rates"][1]["side"], "simulation");
    // Another clock and channel need no further run, and no machine has them.
    let other = report("pages/resid.toml --system vm7 --set system.bw_mb_s=5400 --alone");
    near(value(&other, "us"), 32.0 * 7594.0 / 200.0);
    // Kernels without floating-point operations have those of the fuller slot.
    let gather = report("pages/gather.toml --system vm9 --perf peak");
    near(value(&gather, "mops") * value(&gather, "us"), 140_288.0);
    let kernel = report("matvec/work.toml --system vm7");
    let [all, parts] = ["us", "kernel_us"].map(|name| value(&kernel, name));
    // A single page overlaps with nothing.
    near(all, parts + value(&kernel, "transfer_us"));
    folder.expect(0, "estimate pages/fir.toml --balance system.clock_mhz=100..1000 -o fir.svg");
    assert!(std::fs::read_to_string(folder.path("fir.svg")).unwrap().contains("pages of fir"));
    for (command, message) in [
        ("pages/resid.toml --set work.n=64", "work.n does not change its estimate"),
        ("pages/resid.toml --perf published", "no count was published"),
        (
            "pages/resid.toml --system k100",
            "nobody knows the rate of resid on a graphics processor",
        ),
        ("pages/resid.toml --balance work.n=16..64 -o pages/x.svg", "work.n does not change"),
        ("pages/none.toml", "cannot read pages/none.toml"),
    ] {
        let told = folder.expect(3, &format!("estimate {command}"));
        assert!(crate::kit::unwrapped(&told).contains(message), "{command}\n{told}");
    }
    let rate = "--system k100 --set work.perf_mops=100000";
    assert!(folder.expect(0, &format!("estimate pages/resid.toml {rate}")).contains("set by hand"));
}

#[test]
fn numbers_and_texts_without_bound_are_refused() {
    let folder = copied("matvec");
    let file = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    folder.write(
        "wide.mtx",
        "%%MatrixMarket matrix coordinate real general\n100000 100000 1\n1 1 2\n",
    );
    let sum = "0 + ".repeat(400) + "0";
    for (from, to, message) in [
        (
            "file = \"a.npy\"",
            "matrix = \"wide.mtx\"\npart = \"dense\"",
            "a dense array has at most 268435456 elements",
        ),
        (
            "file = \"x.npy\"",
            "random = \"uniform\"\nlow = -1e308\nhigh = 1e308\nshape = [128]",
            "the numbers would have",
        ),
        (
            "file = \"x.npy\"",
            "random = \"normal\"\ndeviation = -3\nshape = [128]",
            "deviation is below 0",
        ),
        (
            "[array.a]",
            &format!("[[pass]]\nloops = [\"k = {sum}\"]\n[array.a]"),
            "at most 1000 are read",
        ),
    ] {
        assert!(file.contains(from), "{from}");
        folder.write("bad.toml", file.replacen(from, to, 1));
        let told = crate::kit::unwrapped(&folder.expect(3, "kernels run bad.toml"));
        assert!(told.contains(message), "{to}\n{told}");
    }
}

#[test]
fn a_variant_that_uses_a_change_and_is_slower_is_told() {
    let folder = with_pages();
    let told =
        folder.expect(0, "whatif pages/gather.toml --machine vm9 --enable section-addressing");
    let told = crate::kit::unwrapped(&told);
    assert!(told.contains("gather:gather_sections uses it and takes 101211 cycles"), "{told}");
    assert!(told.contains("no faster variant uses this"), "{told}");
}

#[test]
fn each_mistake_of_a_file_is_told_once_with_its_place() {
    let folder = with_pages();
    let file = std::fs::read_to_string(folder.path("pages/gather.toml")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(folder.path("pages/pipe")).status().unwrap();
    assert!(made.success());
    for (from, to, message, findings) in [
        ("\"256*k : +256\"]", "\"256*j : +256\"]", "there is no loop `j`", 1),
        (
            "name = \"gather\"",
            "name = \"\\u001b[31mred\"",
            "name has no visible character, or has control",
            1,
        ),
        ("name = \"gather\"", "name = \" \"", "name has no visible character, or has control", 1),
        ("source = \"gather.s\"", "source = \"pipe\"", "it is not a regular file", 1),
        (
            "source = \"gather.s\"",
            "source = \"gather.s\"\nentry = \"gathr\"",
            "variant gathr, entry: no kernel or label is called `gathr`",
            1,
        ),
        (
            "y = [\"256*k : +256\"",
            "y = [\"256*k + section : -1\"",
            "the range 0 : -1 of a section has no element",
            1,
        ),
    ] {
        assert!(file.contains(from), "{from}");
        folder.write("pages/bad.toml", file.replacen(from, to, 1));
        let told =
            crate::kit::unwrapped(&folder.expect(3, "kernels run pages/bad.toml --machine vm9"));
        assert!(told.contains(message), "{to}\n{told}");
        assert_eq!(told.matches("error: ").count(), findings, "{to}\n{told}");
    }
    let source = folder.expect(0, "kernels source pages/gather.toml");
    assert!(source.contains(".kernel gather"), "{source}");
}

#[test]
fn a_study_of_wrong_results_has_its_exit_code() {
    let folder = copied("matvec");
    let file = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    folder.write("work.toml", file.replace("expected.npy", "y.npy"));
    folder.write("y.npy", crate::kit::npy("(128,)", 7.0, 128));
    let told = folder.expect(1, "whatif work.toml --set core.load_latency=2");
    assert!(told.contains("(results are not right)"), "{told}");
}
